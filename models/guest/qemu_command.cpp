// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command line of QEMU.
#include "models/guest/qemu_command.h"

namespace tlmssd::guest {

namespace {

constexpr const char* kProgram = "/usr/bin/qemu-system-x86_64";

/// As a value in a list of options: a comma is written twice.
std::string value(const std::string& path)
{
    std::string text;
    for (const char c : path) {
        text.append(c == ',' ? 2 : 1, c);
    }
    return text;
}

} // namespace

ProcessOptions qemu_command(const QemuOptions& o)
{
    ProcessOptions process;
    process.words = {o.program.empty() ? kProgram : o.program, "-accel", "tcg", "-machine",
                     o.machine + ",memory-backend=memory",
                     // Memory without a file, as that of a display, would break the map.
                     "-nodefaults", "-vga", "none", "-display", "none", "-no-reboot", "-monitor", "none",
                     "-serial", "stdio",
                     "-object", "memory-backend-memfd,id=memory,share=on,size=" + value(o.memory),
                     "-m", value(o.memory),
                     "-qtest", "unix:" + value(o.qtest), "-qtest-log", "none", "-device",
                     "x-pci-proxy-dev,id=ssd,fd=" + std::to_string(o.registers)};
    const auto add = [&](const std::string& option, const std::string& word) {
        if (!word.empty()) {
            process.words.insert(process.words.end(), {option, word});
        }
    };
    add("-bios", o.firmware);
    add("-kernel", o.kernel);
    add("-initrd", o.initrd);
    std::string line;
    for (const std::string& word : o.append) {
        line += (line.empty() ? "" : " ") + word;
    }
    add("-append", line);
    if (!o.share.empty()) {
        add("-fsdev", "local,id=host,security_model=none,readonly=on,multidevs=remap,path=" + value(o.share));
        add("-device", "virtio-9p-pci,fsdev=host,mount_tag=host");
    }
    process.install = "scripts/setup --for linux installs QEMU";
    process.folder = o.folder;
    process.input = o.input;
    process.console = o.console;
    process.inherited = {o.registers};
    return process;
}

} // namespace tlmssd::guest
