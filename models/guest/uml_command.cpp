// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command line of User-Mode Linux.
#include "models/guest/uml_command.h"

namespace tlmssd::guest {

ProcessOptions uml_command(const UmlOptions& o)
{
    ProcessOptions process;
    // The device number has to be that of the kernel's configuration.
    process.words = {o.kernel, "mem=" + o.memory, "root=none", "rootfstype=hostfs", "rootflags=/", "ro",
                     "init=" + o.init, "con=none", "ssl=none", "con0=fd:0,fd:1", "umid=tlmssd",
                     "time-travel=ext:" + o.calendar, "virtio_uml.device=" + o.device + ":1234"};
    process.words.insert(process.words.end(), o.append.begin(), o.append.end());
    process.install = "scripts/setup --for linux builds the kernel";
    process.folder = o.folder;
    process.console = o.console;
    process.fixed_addresses = true; // others at random would make memory sizes, and so the run, differ
    return process;
}

} // namespace tlmssd::guest
