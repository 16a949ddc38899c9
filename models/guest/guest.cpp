// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a Linux that drives the SSD by its registers.
#include "models/guest/guest.h"

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/guest/statistics.h"
#include "models/guest/uml_guest.h"
#include "models/guest/uml_process.h"
#include "models/observe/output/format.h"
#include "models/observe/output/output_folder.h"
#include "models/observe/output/write_file.h"
#include "models/observe/results.h"

namespace tlmssd::guest {

namespace {

/// Sockets and the guest's own files.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "tlmssd-guest-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw InputError(name + ": no folder can be made there");
        }
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string operator/(const char* name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

/// Guest and device never run at the same time, and a message to a process on the same core wakes it several times as
/// fast as one to an idle core.
void stay_on_this_core()
{
    const int core = sched_getcpu();
    if (core >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(core, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
}

const char* word_of(GuestEnd end)
{
    switch (end) {
    case GuestEnd::PoweredOff:
        return "powered_off";
    case GuestEnd::Absent:
        return "absent";
    case GuestEnd::Halted:
        return "halted";
    case GuestEnd::Failed:
        return "failed";
    case GuestEnd::Cut:
        return "cut";
    case GuestEnd::Interrupted:
        break;
    }
    return "interrupted";
}

void write_results(const GuestArguments& a, GuestDevice& device, const char* end, int status, const GuestCounts& counts,
                   double wall_seconds)
{
    const Ssd& ssd = device.ssd();
    const std::optional<flash::RtlCounters> registers = device.rtl_counters();
    const run::DeviceCounters counted = device.counters();
    const GuestReading reading{
        {ssd.config(), nanoseconds(counts.time_ns), ssd, counted,
         ssd::FirmwareReading(counted.firmware, ssd, {counted.free_blocks_before, counted.free_blocks}, std::nullopt),
         registers ? &*registers : nullptr, nand::wear_of(ssd.nand_device(), ssd.config().geometry)},
        a.controller == Controller::Nvme ? "nvme" : "ahci",
        end,
        status,
        counts,
        device.refused(),
        wall_seconds};
    observe::Json document;
    guest_statistics().put(document, "", reading);
    observe::write_file((std::filesystem::path(a.out) / "results.json").string(), observe::checked_text_of(document));
}

} // namespace

int guest(const GuestArguments& a)
{
    catch_interrupts(SleepingCall::Fails, StopHow::InOrder);
    const observe::OutputFolder folder(a.out, "results.json");
    GuestMemory memory;
    GuestDevice device(a.controller, a.config, a.sets, a.disk, memory);
    if (a.remove_at_s > 0) {
        device.remove_at(static_cast<u64>(a.remove_at_s * 1e9));
    }
    const TemporaryFolder place;
    UmlOptions options;
    options.kernel = std::filesystem::absolute(a.kernel).string();
    options.init = std::filesystem::absolute(a.init).string();
    options.memory = a.memory;
    options.calendar = place / "time";
    options.device = place / "device";
    options.folder = place.path();
    options.console = a.console.empty() ? "" : std::filesystem::absolute(a.console).string();
    options.append = a.append;
    FileDescriptor calendar = listen_at(options.calendar);
    FileDescriptor registers = listen_at(options.device);

    const auto begin = std::chrono::steady_clock::now();
    UmlGuest uml(memory, device, a.cut_at_s > 0 ? static_cast<u64>(a.cut_at_s * 1e9) : kNever);
    stay_on_this_core(); // the guest's process, too
    UmlProcess process(options);
    const GuestEnd end = uml.run(std::move(calendar), std::move(registers), [&] { return process.ended().has_value(); });
    const int status = process.wait_for(end == GuestEnd::PoweredOff ? 10 : 0);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;

    for (const std::string& failure : device.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    std::string trouble;
    if (end == GuestEnd::Halted) {
        trouble = "guest: neither Linux nor the device has anything left to do; it has not powered off";
    } else if ((end == GuestEnd::PoweredOff && status != 0) || end == GuestEnd::Absent) {
        trouble = "guest: the kernel has ended with status " + std::to_string(status) +
                  (end == GuestEnd::Absent ? " before it connected" : "");
    }
    if (!trouble.empty()) {
        std::cerr << "tlmssd: " << trouble << '\n';
    }
    const GuestCounts counts = uml.counts();
    if (!a.out.empty()) {
        write_results(a, device, word_of(end), status, counts, wall.count());
    }
    if (!a.quiet) {
        std::cout << "guest: " << word_of(end) << " after " << static_cast<double>(counts.time_ns) * 1e-9 << " s ("
                  << wall.count() << " s of wall time); " << counts.accesses << " accesses, " << counts.interrupts
                  << " interrupts, " << counts.runs << " turns" << std::endl;
    }
    if (end == GuestEnd::Interrupted) {
        return kExitInterrupted;
    }
    const bool as_asked = end == GuestEnd::PoweredOff || end == GuestEnd::Cut;
    return as_asked && trouble.empty() && device.failures().empty() ? kExitDone : kExitModel;
}

} // namespace tlmssd::guest
