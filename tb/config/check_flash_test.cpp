// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rules of array, bus, part and controller that join several keys, each at its edge.
#include <gmock/gmock.h>

#include "tb/config/cases.h"

namespace tlmssd::config {
namespace {

using testing::HasSubstr;

TEST(Check, ChipEnablesDivideDies)
{
    expect_all({
        {"geometry: {dies: 4, chip_enables: 2}", ""},
        {"geometry: {dies: 4, chip_enables: 3}",
         "t.yaml:1:35: geometry.chip_enables: 3 chip enables do not divide 4 dies (geometry.dies) evenly"},
        {"geometry: {dies: 1, chip_enables: 2}", "do not divide"},
    });
}

TEST(Check, AtMost32ChipEnablesAChannel)
{
    expect_all({
        {"geometry: {ways: 16, dies: 2, chip_enables: 2}", ""},
        {"geometry: {ways: 17, dies: 2, chip_enables: 2}",
         "geometry.ways: 17 ways with 2 chip enables each are more than 32"},
    });
}

TEST(Check, AtMost1024Dies)
{
    expect_all({
        {"geometry: {channels: 32, ways: 8, dies: 4, blocks: 128}", ""},
        {"geometry: {channels: 32, ways: 8, dies: 5, blocks: 128}",
         "geometry.dies: 32 channels x 8 ways x 5 dies are 1280 dies, more than"},
    });
}

TEST(Check, PagesAndPlanesArePowersOfTwo)
{
    expect_all({
        {"nand: {page_bytes: 6144}", "6144 is not a power of two"},
        {"geometry: {planes: 3}", "geometry.planes: 3 planes...1, 2 or 4"},
        {"nand: {planes: 3}", "nand.planes: 3 planes"},
        {"geometry: {pages: 192}", ""}, // the row address rounds up
    });
}

// pages 256 (8 bits) + planes 2 (1) + blocks + LUNs a CE#.
TEST(Check, RowAddressHas24Bits)
{
    const std::string one = "geometry: {channels: 1, ways: 1, dies: ";
    expect_all(one, {
        {"1, blocks: 32768}", ""}, // 8 + 1 + 15 + 0
        {"2, blocks: 32768}", "geometry.blocks: the row address needs 25 bits"}, // 8 + 1 + 15 + 1
        {"2, chip_enables: 2, blocks: 32768}", ""}, // one LUN a CE#
        {"1, blocks: 32769}", "needs 25 bits"},
    });
}

// 8 ch x 8 ways x 2 dies x 2 planes x 65536 blocks x 64 pages = 2^30 pages; of 64 KiB: 2^34 units.
TEST(Check, UnitsAreNumberedIn32Bits)
{
    const std::string large =
        "geometry: {channels: 8, ways: 8, dies: 2, blocks: 65536, pages: 64}\n";
    expect_all(large, {
        {"nand: {page_bytes: 65536}", "logical units of 4096"},
        {"nand: {page_bytes: 4096}", ""},
    });
}

TEST(Check, PagesAreNumberedIn32Bits)
{
    // 32 x 16 x 2 dies x 4 planes x 16384 blocks x 64 pages = 2^32 pages of one unit.
    expect_all({
        {"geometry: {channels: 32, ways: 16, dies: 2, planes: 4, blocks: 16384, pages: 64}\n"
         "nand: {page_bytes: 512}\n",
         "4294967296 pages in the device; at most 2^32 - 2"},
    });
}

TEST(Check, OnfiModesDependOnTheInterface)
{
    expect_all({
        {"onfi: {interface: sdr, mode: 5}", ""},
        {"onfi: {interface: nvddr, mode: 5}", ""},
        {"onfi: {interface: nvddr2, mode: 8}", ""},
        {"onfi: {interface: sdr, mode: 6}", "t.yaml:1:30: onfi.mode: sdr has modes 0 to 5, not 6"},
        {"onfi: {interface: nvddr, mode: 6}", "nvddr has modes 0 to 5"},
        {"onfi: {interface: nvddr2, mode: 9}", "t.yaml:1:33: onfi.mode: nvddr2 has modes 0 to 8, not 9"},
        {"onfi: {interface: nvddr3, mode: 10}", ""},
        {"onfi: {interface: nvddr3, mode: 11}", "out of range"},
    });
}

TEST(Check, APartLimitsTheTimingModes)
{
    expect_all({
        {"nand: {name: X, nvddr_modes: 5}\nonfi: {interface: nvddr, mode: 4}", ""},
        {"nand: {name: X, nvddr_modes: 5}\nonfi: {interface: nvddr, mode: 5}",
         "t.yaml:1:30: nand.nvddr_modes: X has nvddr modes 0 to 4, but onfi.interface and onfi.mode ask for "
         "nvddr mode 5"},
        {"nand: {name: X, nvddr2_modes: 0}\nonfi: {interface: nvddr2}", "X has no nvddr2"},
    });
}

TEST(Check, PageTypesThatNoPageHasAreAnError)
{
    expect_all({
        {"nand: {pairing: adjacent, upper: {t_read_us: 70}}", ""},
        {"nand: {upper: {t_read_us: 70}}", "nand.upper.t_read_us: has no effect because nand.pairing is uniform"},
        {"nand: {pairing: adjacent, middle: {t_program_us: 70}}", "has no effect because nand.bits_per_cell is 2"},
        {"nand: {pairing: adjacent, bits_per_cell: 3, middle: {t_program_us: 70}}", ""},
    });
}

TEST(Check, RtlControllersAreNotAskedForWhatTheyLack)
{
    expect_all({
        {"controller: {kind: rtl}\nonfi: {ready: target}", ""},
        {"controller: {kind: rtl, rtl: round_robin}\nonfi: {ready: target}",
         "onfi.ready: round_robin needs a ready line for each LUN"},
        {"controller: {kind: rtl, rtl: round_robin}\nnand: {ready_falls: random}",
         "nand.ready_falls: round_robin looks at R/B# at once, and needs at_once"},
        {"controller: {kind: rtl}\nnand: {ready_falls: random}", ""},
        {"controller: {kind: rtl, rtl: round_robin}\nonfi: {ready: status}",
         "onfi.ready: round_robin needs a ready line for each LUN"},
        {"controller: {kind: rtl}\nonfi: {ready: status}", ""},
        {"controller: {kind: rtl, read_retries: 2}", ""},
        {"controller: {kind: rtl, rtl: round_robin, read_retries: 2}", "round_robin has no read retry; use o3"},
        {"controller: {kind: rtl, rtl: round_robin, timeout_us: 2}", "no timeout"},
        {"controller: {kind: rtl, rtl: o3, timeout_us: 5000}", ""},
        {"scheduler: host\ncontroller: {kind: rtl, rtl: round_robin}",
         "controller.rtl: round_robin has no mode but serial, inorder; scheduler host needs mode ooo: use o3"},
        {"scheduler: host\ncontroller: {kind: rtl}", ""},
        {"controller: {kind: rtl, rtl: round_robin}\ninject: {no_grants: 1}",
         "a controller.rtl with the port no_grant_i, such as o3"},
        {"controller: {kind: rtl}\ninject: {no_grants: 1}", ""},
        {"geometry: {channels: 32, ways: 2}\ncontroller: {kind: rtl}\ninject: {no_grants: 1}", ""}, // a shift by 32
        {"controller: {kind: rtl, rtl: round_robbin}", "did you mean 'round_robin'?...docs/start/own-rtl-controller.md"},
        {"controller: {read_retries: 8}", "8 is more than the part's 7 levels"},
    });
}

// 1,000 us of program or 3,000 us of erase, times (1 + array_variation) (1 + die_variation) (1 + 2 change).
TEST(Check, ATimeLimitThatGivesUpDiesAtWorkIsAnError)
{
    expect_all({
        {"nand: {t_program_us: 1000, t_erase_us: 3000}\ncontroller: {timeout_us: 3000}",
         "controller.timeout_us: not above 3000, the longest program or erase"},
        {"nand: {t_program_us: 1000, t_erase_us: 3000}\ncontroller: {timeout_us: 3001}", ""},
        {"nand: {t_program_us: 1000, t_erase_us: 3000}\ncontroller: {timeout_us: never}", ""},
        {"nand: {t_program_us: 1000, t_erase_us: 100, array_variation: 0.1, die_variation: 0.1}\n"
         "controller: {timeout_us: 1210}", "not above 1210"},
        {"nand: {t_program_us: 1000, t_erase_us: 100, array_variation: 0.1, die_variation: 0.1}\n"
         "controller: {timeout_us: 1211}", ""},
        {"nand: {t_program_us: 100, t_erase_us: 1000, endurance: 3000, wear: {erase_change: 0.5}}\n"
         "controller: {timeout_us: 1999}", "not above 2000"},
        {"nand: {t_program_us: 100, t_erase_us: 100, pairing: adjacent, upper: {t_program_us: 2290}}\n"
         "controller: {timeout_us: 2290}", "not above 2290"},
    });
}

TEST(Check, AnUnfitControllerModeIsAnError)
{
    expect_all({
        {"scheduler: vaq\ncontroller: {mode: serial}",
         "t.yaml:2:20: controller.mode: serial does not fit scheduler vaq, which needs inorder; use auto"},
        {"scheduler: barrier\ncontroller: {mode: serial}", "inorder"},
        {"controller: {mode: serial}", "scheduler inorder"},
        {"scheduler: host\ncontroller: {mode: inorder}",
         "inorder does not fit scheduler host, which needs ooo; use auto"},
        {"scheduler: vaq\ncontroller: {mode: ooo}", "ooo does not fit scheduler vaq"},
        {"scheduler: serial\ncontroller: {mode: inorder}", "needs serial"},
    });
}

TEST(Check, KeysOfTheOutOfOrderControllerNeedIt)
{
    expect_all({
        {"controller: {$}", "has no effect because scheduler is inorder",
         {"stations: 4", "age_limit_us: 10", "streams: one", "priorities: none", "issue_policy: clump"}},
        {"scheduler: host\ncontroller: {$}",
         "", {"stations: 4", "age_limit_us: 10", "streams: one", "priorities: none", "issue_policy: clump"}},
    });
}

TEST(Check, AReplaysModeNeedNotFitTheScheduler)
{
    const Overrides sets{{"controller.stations=3", "controller.suspend=erase", "controller.suspend_limit=2"}};
    const Config c = load_text_for_replay("scheduler: inorder", "t.yaml", sets, ControllerMode::Ooo);
    EXPECT_EQ(c.controller.mode, ControllerMode::Ooo);
    EXPECT_EQ(c.controller.stations, 3u);
    EXPECT_EQ(c.controller.suspend, Suspend::Erase);
    const Overrides mode{{"controller.mode=inorder"}}; // --mode is said last
    const Config serial =
        load_text_for_replay("scheduler: inorder", "t.yaml", mode, ControllerMode::Serial);
    EXPECT_EQ(serial.controller.mode, ControllerMode::Serial);
}

TEST(Check, AReplaysModeDecidesWhichKeysHaveAnEffect)
{
    const auto in_order = [](const std::string& text, const std::string& set) {
        return error_of(text, {set}, ControllerMode::InOrder);
    };
    for (const char* set : {"controller.suspend=erase", "controller.stations=4", "controller.suspend_limit=2"}) {
        const std::string text = set, key = text.substr(0, text.find('='));
        EXPECT_EQ(in_order("scheduler: host", text),
                  "--set " + text + ": " + key + ": has no effect because --mode is inorder");
        // The scheduler is none of the reasons: --mode would stay.
        EXPECT_THAT(in_order("scheduler: inorder", set), HasSubstr("because --mode is inorder"));
    }
    // Weaker than --mode: without effect, as for a scheduler from the command line.
    const std::string file = "scheduler: host\ncontroller: {suspend: erase, stations: 1}";
    EXPECT_EQ(error_of(file, {}, ControllerMode::InOrder), "");
    EXPECT_THAT(error_of("scheduler: inorder", {"controller.suspend_limit=2"}, ControllerMode::Ooo),
                HasSubstr("because controller.suspend is none"));
    const std::string rtl = "scheduler: host\ncontroller: {kind: rtl, rtl: round_robin}";
    EXPECT_EQ(error_of(rtl, {}, ControllerMode::InOrder), "");
    EXPECT_THAT(error_of("controller: {kind: rtl, rtl: round_robin}", {}, ControllerMode::Ooo),
                HasSubstr("round_robin has no mode but serial, inorder; --mode is ooo: use o3"));
}

TEST(Check, CacheOperationsNeedWhoCanUseThem)
{
    expect_all({
        {"controller: {cache_ops: $}", "", {"none", "read", "program", "both"}},
        {"scheduler: host\ncontroller: {cache_ops: both, suspend: erase}", ""},
        {"scheduler: host\ncontroller: {cache_ops: $, suspend: program_and_erase}",
         "controller.cache_ops: a cached program cannot be suspended", {"program", "both"}},
        {"scheduler: host\ncontroller: {cache_ops: read, suspend: program_and_erase}", ""},
        {"controller: {cache_ops: read, kind: rtl}", "controller.cache_ops: has no effect because controller.kind is rtl"},
        {"scheduler: $\ncontroller: {cache_ops: read}", "controller.cache_ops: has no effect because scheduler is",
         {"serial", "vaq", "paq0", "paq1", "paq2", "sost", "hybrid"}},
        {"controller: {cache_ops: all}", "controller.cache_ops"},
    });
}

TEST(Check, KeysOfSuspendNeedIt)
{
    expect_all({
        {"controller: {suspend: erase}", "has no effect because scheduler is inorder"},
        {"controller: {$}", "has no effect because scheduler is inorder",
         {"suspend_limit: 2", "suspend_priority: 1", "suspend_progress_us: 10"}},
        {"scheduler: host\ncontroller: {$}", "has no effect because controller.suspend is none",
         {"suspend_limit: 2", "suspend_priority: 1", "suspend_progress_us: 10"}},
        {"scheduler: host\ncontroller: {suspend: erase, $}",
         "", {"suspend_limit: 2", "suspend_priority: 1", "suspend_progress_us: 10"}},
        {"scheduler: host\ncontroller: {suspend: erase, age_limit_us: by_age}",
         "controller.suspend: needs a time of controller.age_limit_us"},
        {"scheduler: host\ncontroller: {suspend: erase, stations: 1}",
         "controller.stations: 1 leaves no station for a read"},
    });
}

} // namespace
} // namespace tlmssd::config
