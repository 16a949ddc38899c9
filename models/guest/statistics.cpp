// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of results.json of a guest.
#include "models/guest/statistics.h"

#include "models/guest/uml_guest.h"
#include "models/observe/own_statistics.h"
#include "models/probes/stages/stage_statistics.h"
#include "models/run/config_json.h"

namespace tlmssd::guest {

using observe::Table;
using observe::Unit;
using G = GuestReading;

namespace {

const Table<G>& own_statistics()
{
    using Row = observe::Statistic<G>;
    static const Table<G> table(
        {Row{"transport", Unit::None, "what the guest runs in: User-Mode Linux or QEMU", &G::transport}
             .one_of({"uml", "qemu"}),
         Row{"time", Unit::None,
             "`guest`: simulated time is the guest's clock; `free`: it runs as fast as it can; `paced`: it is wall "
             "time",
             &G::time}
             .one_of({"guest", "free", "paced"}),
         Row{"controller", Unit::None, "the registers that it drives", &G::controller}.one_of({"nvme", "ahci"}),
         Row{"end", Unit::None,
             "why the run has ended. `powered_off`: Linux closed its connections; `cut`: `--cut-at`; `halted`: neither Linux nor "
             "the device had anything left to do; `absent`: the kernel ended before it connected; `failed`: the model "
             "found an error; `interrupted`: by the user",
             &G::end}
             .one_of({"powered_off", "cut", "halted", "absent", "failed", "interrupted"}),
         {"kernel_status", Unit::None, "exit status of the kernel's process, or 128 and its signal",
          [](const G& g) { return static_cast<u64>(g.kernel_status); }},
         {"time_s", Unit::Seconds, "simulated time from the start of the kernel to its end; all other sections cover it",
          &G::makespan},
         {"date_ns", Unit::None,
          "nanoseconds since 1970 at simulated time 0 by the guest's calendar: its clock less this is simulated time, "
          "within the clock's steps of 256 ns. `null` with QEMU, whose guest has the machine's clock",
          [](const G& g) { return g.transport == "uml" ? std::optional<u64>(kDate) : std::nullopt; }},
         {"behind_s", Unit::Seconds, "with `paced`: by how much simulated time has fallen back behind wall time",
          [](const G& g) { return static_cast<double>(g.counts.behind_ns) * 1e-9; }},
         {"accesses", Unit::Count, "of the guest to configuration space and registers",
          [](const G& g) { return g.counts.accesses; }},
         {"interrupts", Unit::Count, "messages to the guest", [](const G& g) { return g.counts.interrupts; }},
         {"calls", Unit::Count, "notifications of the guest by the device", [](const G& g) { return g.counts.calls; }},
         {"turns", Unit::Count, "times that the guest was let run", [](const G& g) { return g.counts.runs; }},
         {"dma_refused", Unit::Count, "accesses of the device to memory that the guest does not have", &G::dma_refused}});
    return table;
}

const Table<G>& wall_statistics()
{
    static const Table<G> table(
        {{"seconds", Unit::Seconds, "real time from the start of the kernel to its end", &G::wall_seconds},
         {"", "", run::process_statistics, [](const G&) { return run::ProcessReading(); }}});
    return table;
}

using Kind = ssd::DeviceRequests::Kind;

template <u8 opcode>
const Kind& kind_of(const G& g)
{
    return g.requests.kind(opcode);
}

const Table<Kind>& kind_statistics()
{
    static const Table<Kind> table({{"count", Unit::Count, "requests that have ended well", &Kind::count},
                                    {"errors", Unit::Count, "requests that have ended with an error", &Kind::errors}});
    return table;
}

const Table<G>& request_statistics()
{
    static const Table<G> table({{"reads", "reads", kind_statistics, &kind_of<HAL_HOST_READ>},
                                 {"writes", "writes", kind_statistics, &kind_of<HAL_HOST_WRITE>},
                                 {"flushes", "flushes", kind_statistics, &kind_of<HAL_HOST_FLUSH>},
                                 {"trims", "trims", kind_statistics, &kind_of<HAL_HOST_TRIM>}});
    return table;
}

/// Stages of the requests of each kind that have ended well.
struct Followed {
    const ssd::DeviceRequests& requests;
};

template <u8 opcode>
const observe::StageSums& stages_of(const Followed& followed)
{
    return followed.requests.kind(opcode).stages;
}

const Table<Followed>& stage_statistics()
{
    static const Table<Followed> table(
        {{"reads", "means over reads", observe::stage_statistics, &stages_of<HAL_HOST_READ>},
         {"writes", "means over writes", observe::stage_statistics, &stages_of<HAL_HOST_WRITE>},
         {"flushes", "means over flushes", observe::stage_statistics, &stages_of<HAL_HOST_FLUSH>},
         {"trims", "means over trims", observe::stage_statistics, &stages_of<HAL_HOST_TRIM>}});
    return table;
}

std::vector<probes::SlowReading> slowest(const G& g)
{
    std::vector<probes::SlowReading> all;
    for (const probes::WorstRequest& request : g.requests.slowest()) {
        all.push_back({request, probes::CauseDevice::of(g.config), Picoseconds()});
    }
    return all;
}

const G& itself(const G& g) { return g; }

} // namespace

const Table<G>& guest_statistics()
{
    static const Table<G> table(
        {observe::Statistic<G>{"schema", Unit::None, "`tlmssd-guest-1`; changes when a key changes its meaning or goes",
                               [](const G&) { return std::string(kGuestSchema); }}
             .one_of({kGuestSchema}),
         {"", "", run::identity_statistics, [](const G& g) -> const run::DeviceReading& { return g; }},
         {"guest", "the guest and its way to the device", own_statistics, &itself},
         {"wall", "real time, memory and version: the one section that differs from run to run", wall_statistics, &itself},
         {"config", Unit::None, "the resolved configuration; its keys are those of configs/schema.json",
          [](const G& g) { return run::config_json(g.config); }},
         {"requests",
          "the controller's commands in the SSD, from the moment at which it has decoded one to its end there, before "
          "its completion entry or FIS",
          request_statistics, &itself},
         {"stages", "mean time of the requests of each kind in each stage; null with `observe.stages: false`",
          stage_statistics,
          [](const G& g) {
              return g.requests.has_stages() ? std::optional<Followed>(Followed{g.requests}) : std::nullopt;
          }},
         {"", "", run::device_statistics, [](const G& g) -> const run::DeviceReading& { return g; }},
         {"link", "the link to the controller", host::link_statistics, [](const G& g) { return g.counters.link; }},
         {"worst", "the slowest reads and writes, slowest first", probes::slowest_statistics, &slowest}});
    return table;
}

observe::Document guest_document()
{
    return {kGuestSchema,
            "tlmssd results.json of a guest",
            "The results of one tlmssd guest. A mean, a ratio or a rate is null where it is undefined (nothing counted, or no "
            "time passed). Generated by tlmssd-results; do not edit.",
            "docs/reference/guest.schema.json",
            "docs/reference/guest-results.md",
            guest_statistics().info(),
            {"ftl", "buffer", "prefetch", "sched", "controller", "flash", "cpu", "dram", "nand", "ecc", "energy_mj", "checker",
             "link"}};
}

} // namespace tlmssd::guest
