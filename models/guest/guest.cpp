// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a Linux that drives the SSD by its registers.
#include "models/guest/guest.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/guest/qemu_command.h"
#include "models/guest/qemu_guest.h"
#include "models/guest/statistics.h"
#include "models/guest/uml_command.h"
#include "models/guest/uml_guest.h"
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

/// Guest and device seldom run at the same time, and a message to a process on the same core wakes it several times as
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

std::string absolute(const std::string& path) { return path.empty() ? "" : std::filesystem::absolute(path).string(); }

u64 nanoseconds_of(double seconds) { return static_cast<u64>(seconds * 1e9); }

struct GuestRun {
    GuestEnd end;
    int status; ///< of its process
    GuestCounts counts;
};

template <class Guest>
GuestRun end_of(const Guest& guest, GuestEnd end, GuestProcess& process)
{
    return {end, process.wait_for(end == GuestEnd::PoweredOff ? 10 : 0), guest.counts()};
}

GuestRun run_uml(const GuestArguments& a, GuestMemory& memory, GuestDevice& device, const TemporaryFolder& place)
{
    UmlOptions options;
    options.kernel = absolute(a.kernel);
    options.init = absolute(a.init);
    options.memory = a.memory.empty() ? options.memory : a.memory;
    options.calendar = place / "time";
    options.device = place / "device";
    options.folder = place.path();
    options.console = absolute(a.console);
    options.append = a.append;
    FileDescriptor calendar = listen_at(options.calendar);
    FileDescriptor registers = listen_at(options.device);
    UmlGuest uml(memory, device, a.cut_at_s > 0 ? nanoseconds_of(a.cut_at_s) : kNever);
    stay_on_this_core(); // the guest's process, too
    GuestProcess process(uml_command(options));
    const auto ended = [&] { return process.ended().has_value(); };
    const GuestEnd end = uml.run(std::move(calendar), std::move(registers), ended);
    return end_of(uml, end, process);
}

GuestRun run_qemu(const GuestArguments& a, GuestMemory& memory, GuestDevice& device, const TemporaryFolder& place)
{
    QemuOptions options;
    options.program = absolute(a.program);
    options.machine = a.machine;
    options.kernel = absolute(a.kernel);
    options.initrd = absolute(a.initrd);
    options.firmware = absolute(a.firmware);
    options.share = absolute(a.share);
    options.memory = a.memory.empty() ? options.memory : a.memory;
    options.qtest = place / "qtest";
    options.folder = place.path();
    options.input = absolute(a.input);
    options.console = absolute(a.console);
    options.append = a.append;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw InputError("guest: no pair of sockets can be made");
    }
    FileDescriptor own(ends[0]);
    std::optional<FileDescriptor> theirs(ends[1]);
    options.registers = ends[1];
    FreePace free;
    WallPace wall([] { return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count()); });
    PaceIf& pace = a.transport == Transport::QemuFree ? static_cast<PaceIf&>(free) : wall;
    prctl(PR_SET_TIMERSLACK, 1); // an event of the device is due to the microsecond
    if (!config::is_rtl(device.ssd().config().controller.kind)) {
        stay_on_this_core(); // an RTL controller keeps a core busy
    }
    QemuGuest qemu(memory, device, pace, std::move(own), listen_at(options.qtest),
                   a.cut_at_s > 0 ? nanoseconds_of(a.cut_at_s) : kNever);
    GuestProcess process(qemu_command(options));
    theirs.reset(); // its end is the connection's
    return end_of(qemu, qemu.run(), process);
}

const char* time_of(Transport transport)
{
    switch (transport) {
    case Transport::QemuFree:
        return "free";
    case Transport::QemuPaced:
        return "paced";
    case Transport::Uml:
        break;
    }
    return "guest";
}

void write_results(const GuestArguments& a, GuestDevice& device, const GuestRun& run, double wall_seconds)
{
    const GuestCounts& counts = run.counts;
    const Ssd& ssd = device.ssd();
    const std::optional<flash::RtlCounters> registers = device.rtl_counters();
    const run::DeviceCounters counted = device.counters();
    const GuestReading reading{
        {ssd.config(), nanoseconds(counts.time_ns), ssd, counted,
         ssd::FirmwareReading(counted.firmware, ssd, {counted.free_blocks_before, counted.free_blocks}, std::nullopt),
         registers ? &*registers : nullptr, nand::wear_of(ssd.nand_device(), ssd.config().geometry)},
        a.transport == Transport::Uml ? "uml" : "qemu",
        time_of(a.transport),
        a.controller == Controller::Nvme ? "nvme" : "ahci",
        word_of(run.end),
        run.status,
        counts,
        device.refused(),
        device.requests(),
        wall_seconds};
    observe::Json document;
    guest_statistics().put(document, "", reading);
    observe::write_file((std::filesystem::path(a.out) / "results.json").string(), observe::checked_text_of(document));
}

SsdObservation observation_of(const GuestArguments& a)
{
    SsdObservation observation = a.observation;
    observation.stages = !a.out.empty();
    return observation;
}

} // namespace

int guest(const GuestArguments& a)
{
    catch_interrupts(SleepingCall::Fails, StopHow::InOrder);
    const observe::OutputFolder folder(a.out, "results.json");
    const bool by_uml = a.transport == Transport::Uml;
    GuestMemory memory;
    GuestDevice device(a.controller, a.config, a.sets, a.disk, memory, by_uml ? BarWidth::Own : BarWidth::Narrow,
                       observation_of(a));
    if (a.remove_at_s > 0) {
        device.remove_at(nanoseconds_of(a.remove_at_s));
    }
    const TemporaryFolder place;
    const auto begin = std::chrono::steady_clock::now();
    const GuestRun run = by_uml ? run_uml(a, memory, device, place) : run_qemu(a, memory, device, place);
    device.close_observation();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;

    for (const std::string& failure : device.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    std::string trouble;
    if (run.end == GuestEnd::Halted) {
        trouble = "guest: neither Linux nor the device has anything left to do; it has not powered off";
    } else if ((run.end == GuestEnd::PoweredOff && run.status != 0) || run.end == GuestEnd::Absent) {
        trouble = std::string("guest: ") + (by_uml ? "the kernel" : "QEMU") + " has ended with status " +
                  std::to_string(run.status) + (run.end == GuestEnd::Absent ? " before it connected" : "");
    }
    if (!trouble.empty()) {
        std::cerr << "tlmssd: " << trouble << '\n';
    }
    const GuestCounts& counts = run.counts;
    if (!a.out.empty()) {
        write_results(a, device, run, wall.count());
    }
    if (!a.quiet) {
        std::cout << "guest: " << word_of(run.end) << " after " << static_cast<double>(counts.time_ns) * 1e-9 << " s ("
                  << wall.count() << " s of wall time); " << counts.accesses << " accesses, " << counts.interrupts
                  << " interrupts";
        if (by_uml) {
            std::cout << ", " << counts.runs << " turns";
        }
        std::cout << std::endl;
    }
    if (run.end == GuestEnd::Interrupted) {
        return kExitInterrupted;
    }
    const bool as_asked = run.end == GuestEnd::PoweredOff || run.end == GuestEnd::Cut;
    return as_asked && trouble.empty() && device.failures().empty() ? kExitDone : kExitModel;
}

} // namespace tlmssd::guest
