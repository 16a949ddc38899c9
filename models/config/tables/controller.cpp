// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the flash controller (controller.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"
#include "models/config/keys/rtl_controllers.h"

namespace tlmssd::config {

NAMES(ControllerKind, "tlm", "rtl", "rtl_pins")
NAMES(ControllerMode, "serial", "inorder", "ooo")
NAMES(Suspend, "none", "erase", "program_and_erase")
NAMES(IssuePolicy, "first_come", "clump")
NAMES(CacheOps, "none", "read", "program", "both")
TO_STRING(ControllerKind)
TO_STRING(ControllerMode)

using namespace rows;

namespace {

/// `auto` or a mode. Config holds only the resolved mode.
Row controller_mode()
{
    Row r = row("controller.mode", Type::Choice, "auto",
                "how operations overlap; auto: what the scheduler needs");
    r.choices = names_of<ControllerMode>();
    r.choices.insert(r.choices.begin(), "auto");
    r.set = [](Config& c, const Value& v) {
        if (v.number > 0) {
            c.controller.mode = static_cast<ControllerMode>(v.number - 1);
        }
    };
    r.get = [](const Config& c) { return Value{static_cast<u64>(c.controller.mode) + 1, 0, ""}; };
    return r;
}

} // namespace

std::vector<Key> controller_keys()
{
    return {
        choice("controller.kind", AT(controller.kind), ControllerKind::Tlm,
               "transaction-level model, Verilated RTL, or RTL down to the pins of the dies"),
        controller_mode(),
        word("controller.rtl", AT(controller.rtl), rtl_controller_choices(),
             "RTL controller, with kind: rtl, rtl_pins; o3 has all modes")
            .of_build("o3, or what docs/start/own-rtl-controller.md adds to the build"),
        integer("controller.tags", AT(controller.tags), 128, 16, 256,
                "flash operations in flight"),
        flag("controller.clock_gating", AT(controller.clock_gating), true,
             "stop the RTL clock while idle")
            .cosmetic(),
        integer("controller.clock_mhz", AT(controller.clock_mhz), 80, 1, 10000,
                "clock of the RTL controller, MHz"),
        integer("controller.phy_mhz", AT(controller.phy_mhz), 0, 0, 2000,
                "clock of the ONFI PHY, MHz, kind: rtl_pins; auto: the slowest that the timing mode allows")
            .zero("auto"),
        time("controller.ecc_us", AT(controller.ecc_latency), kUs, 1, 0, 1000,
             "end of a read burst to corrected data in DRAM"),
        integer("controller.ecc_bits", AT(controller.ecc_bits), 40, 0, 1000,
                "bit errors that ECC corrects in a codeword of 512 bytes and parity"),
        time("controller.ecc_per_bit_ns", AT(controller.ecc_per_bit), kNs, 0, 0, 1e6,
             "further decode time for each bit error of the worst codeword"),
        integer("controller.read_retries", AT(controller.read_retries), 0, 0, 63,
                "read-retry levels tried after an uncorrectable read; at most the part's"),
        time("controller.timeout_us", AT(controller.timeout), kUs, 0, 0, 1e9,
             "a LUN that does not answer for so long is given up")
            .zero("never"),
        choice("controller.issue_policy", AT(controller.issue_policy), IssuePolicy::FirstCome,
               "which page burst gets a channel's bus: who asked first, or who holds up most "
               "(docs/explanation/o3-bus.md)")
            .when(kOutOfOrder),
        integer("controller.stations", AT(controller.stations), 8, 1, 16,
                "operations that may wait in front of a LUN; a further one holds up its channel")
            .when(kOutOfOrder),
        time("controller.age_limit_us", AT(controller.age_limit), kUs, 5000, 0, 1e9,
             "an operation that has waited so long goes before all priorities; by_age: all go by age alone")
            .zero("by_age")
            .when(kOutOfOrder),
        index("controller.streams", AT(firmware.host_streams), {"one", "per_request", "free"},
               "completions are reported in order within: all host operations, those of each request (62 streams in "
               "turn), or as operations end")
            .when(kHostScheduler),
        index("controller.priorities", AT(firmware.host_reads_first), {"none", "reads_first"},
               "the firmware's own; reads_first: host reads, host programs, garbage collection")
            .when(kHostScheduler),
        choice("controller.suspend", AT(controller.suspend), Suspend::None,
               "operations that are suspended for reads of their LUN (docs/explanation/o3-suspend.md)")
            .when(kOutOfOrder),
        integer("controller.suspend_limit", AT(controller.suspends), 1, 1, 15,
                "suspensions of one operation at most")
            .when(kSuspending),
        integer("controller.suspend_priority", AT(controller.suspend_priority), 0, 0, 3,
                "least priority of a read for which an operation is suspended")
            .when(kSuspending),
        time("controller.suspend_progress_us", AT(controller.suspend_progress), kUs, 100, 0, 1e5,
             "from a resume to the operation's next suspend at least")
            .when(kSuspending),
        choice("controller.cache_ops", AT(controller.cache_ops), CacheOps::None,
               "cache read (31h, 3Fh) and cache program (15h): the array works at the next page of a LUN while the bus "
               "moves this one (docs/explanation/cache-operations.md)")
            .when(kCacheOps),
    };
}

} // namespace tlmssd::config
