// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: words for enumerators; schedulers and policies come from the firmware's lists.
#include "models/config/text/names.h"

#include <algorithm>

namespace tlmssd::config {

#define NAMES(E, ...)                                                                              \
    template <>                                                                                    \
    const std::vector<std::string>& names_of<E>()                                                  \
    {                                                                                              \
        static const std::vector<std::string> names{__VA_ARGS__};                                  \
        return names;                                                                              \
    }

NAMES(HostKind, "sata", "direct", "nvme")
NAMES(NvmeArbitration, "round_robin", "weighted")
NAMES(NvmeSteer, "job", "round_robin")
NAMES(LinkDetail, "fast", "full")
NAMES(DramModel, "bus", "banks")
NAMES(DramArbitration, "fcfs", "round_robin", "priority")
NAMES(DramPriority, "link_flash_cpu", "link_cpu_flash", "flash_link_cpu", "flash_cpu_link", "cpu_link_flash",
      "cpu_flash_link")
NAMES(ControllerKind, "tlm", "rtl", "rtl_pins")
NAMES(ControllerMode, "serial", "inorder", "ooo")
NAMES(Streams, "one", "per_request")
NAMES(Priorities, "none", "reads_first")
NAMES(Suspend, "none", "erase", "program_and_erase")
NAMES(IssuePolicy, "first_come", "clump")
NAMES(CpuModel, "native", "iss")
NAMES(BusInterface, "sdr", "nvddr", "nvddr2", "nvddr3")
NAMES(ReadySense, "lun", "target", "status")
NAMES(Pairing, "uniform", "adjacent", "distance3", "distance6")
NAMES(DataKind, "tags", "full")
NAMES(TimerBackend, "wheel", "kernel")
NAMES(LoopMode, "open", "closed")
NAMES(Beyond, "fold", "drop")
NAMES(Devices, "overlay", "concat")
NAMES(LaunchPrefetch, "none", "baseline", "two_phase", "fast")
NAMES(PrefetchMode, "none", "baseline", "two_phase", "fast")
NAMES(LaunchCache, "cold", "warm")
NAMES(Pattern, "sequential", "random")
NAMES(MappingUnit, "page", "4KiB")
NAMES(WritePoints, "plane", "channel")
NAMES(Evict, "ahead", "on_demand", "on_demand_each")
NAMES(CawrSequence, "tail", "any_neighbour")
NAMES(Placement, "order", "queue_aware", "static")
NAMES(VaqBlock, "die", "request")
NAMES(VaqConflict, "die", "package", "channel")
NAMES(PaqClusterLimit, "package", "die")
NAMES(PaqWait, "skip", "block")
NAMES(Rw, "read", "write", "randread", "randwrite", "readwrite", "randrw", "trim", "randtrim",
      "trimwrite", "randtrimwrite")
NAMES(RateProcess, "linear", "poisson")
NAMES(GcScope, "plane", "channel")
NAMES(WearPolicy, "none", "dynamic", "static", "both")
NAMES(BufferReads, "auto", "cached", "bypass")
NAMES(BufferWrite, "back", "through")
NAMES(BufferPower, "volatile", "capacitors")
NAMES(Recovery, "none", "scan", "journal")
NAMES(Mapping, "page", "dftl")
NAMES(WarmupKind, "none", "requests", "time", "until_steady")

template <>
const std::vector<std::string>& names_of<Scheduler>()
{
    static const std::vector<std::string> names{
#define SCHED(id, name, mode, traits, text) #name,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    return names;
}

template <>
const std::vector<std::string>& names_of<GcPolicy>()
{
    static const std::vector<std::string> names{
#define GC_POLICY(id, name, text) #name,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
    };
    return names;
}

template <>
const std::vector<std::string>& names_of<BufferPolicy>()
{
    static const std::vector<std::string> names{
#define BUFFER_POLICY(id, name, text) #name,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
    };
    return names;
}

ControllerMode mode_of(Scheduler scheduler)
{
    constexpr ControllerMode SERIAL = ControllerMode::Serial;
    constexpr ControllerMode INORDER = ControllerMode::InOrder;
    constexpr ControllerMode OOO = ControllerMode::Ooo;
    constexpr ControllerMode modes[] = {
#define SCHED(id, name, mode, traits, text) mode,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    return modes[static_cast<std::size_t>(scheduler)];
}

bool can(Scheduler scheduler, u32 traits)
{
    constexpr u32 rows[] = {
#define SCHED(id, name, mode, traits, text) traits,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    return (rows[static_cast<std::size_t>(scheduler)] & traits) != 0;
}

const std::vector<std::string>& allocation_names()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all{"CWDP"};
        std::string letters = "CDPW";
        do {
            if (letters != all.front()) {
                all.push_back(letters);
            }
        } while (std::next_permutation(letters.begin(), letters.end()));
        return all;
    }();
    return names;
}

#define TO_STRING(E)                                                                               \
    const char* to_string(E e) { return names_of<E>()[static_cast<std::size_t>(e)].c_str(); }

TO_STRING(HostKind)
TO_STRING(LinkDetail)
TO_STRING(Scheduler)
TO_STRING(BufferPolicy)
TO_STRING(ControllerKind)
TO_STRING(DramModel)
TO_STRING(DramArbitration)
TO_STRING(ControllerMode)
TO_STRING(CpuModel)
TO_STRING(BusInterface)
TO_STRING(ReadySense)
TO_STRING(Pairing)
TO_STRING(LoopMode)
TO_STRING(WarmupKind)
TO_STRING(TimerBackend)
TO_STRING(Rw)
TO_STRING(Recovery)

} // namespace tlmssd::config
