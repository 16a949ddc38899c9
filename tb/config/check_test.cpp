// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rules that join several keys, each at its edge.
#include <gmock/gmock.h>

#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// sost.ranges_mib is a text of its own; the device has 8 GiB raw.
TEST(Check, PriorityRangesAreWholeMibInTheDevice)
{
    const std::string head = "scheduler: sost\nsost: {ranges_mib: ";
    EXPECT_EQ(error_of(head + "0-64:3}"), "");
    EXPECT_EQ(error_of(head + "'0-64:3, 100-999999:1'}"), "");
    for (const char* const bad : {"64", "0-64", "64-64:1", "65-64:1", "0-1:0", "0-1:4", "a-b:1",
                                  "0-1:1,", "-1-5:2", "0-1.5:1", "0-1:2:3"}) {
        EXPECT_THAT(error_of(head + "'" + bad + "'}"), HasSubstr("is not FIRST-END:PRIORITY")) << bad;
    }
    EXPECT_THAT(error_of(head + "'0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1'}"),
                HasSubstr("9 ranges; there are at most 8"));
    EXPECT_THAT(error_of(head + "900000-900001:1}"), HasSubstr("lie beyond the device's"));
}

TEST(Check, SostKeysNeedTheirScheduler)
{
    EXPECT_THAT(error_of("sost: {leveler: false}"),
                HasSubstr("has no effect because scheduler is inorder"));
    EXPECT_THAT(error_of("scheduler: sost\nsost: {priorities: false, reads_first: true}"),
                HasSubstr("has no effect because sost.priorities is false"));
    EXPECT_THAT(error_of("scheduler: sost\nsost: {hit_manager: false, hot_hits: 2}"),
                HasSubstr("has no effect because sost.hit_manager is false"));
    EXPECT_THAT(error_of("scheduler: sost\nsost: {return_reads: 2}\nbuffer: {policy: none}"),
                HasSubstr("has no effect because buffer.policy is none"));
    EXPECT_EQ(error_of("scheduler: sost\nsost: {return_reads: 2, hot_hits: 0}"), "");
}

TEST(Check, PlacementFitsItsScheduler)
{
    EXPECT_EQ(error_of("ftl: {placement: static}"), "");
    EXPECT_EQ(error_of("ftl: {placement: static}\nscheduler: vaq"), "");
    for (const char* const scheduler : {"sost", "hybrid"}) {
        EXPECT_EQ(error_of(std::string("ftl: {placement: static}\nscheduler: ") + scheduler),
                  std::string("t.yaml:1:18: ftl.placement: static: scheduler ") + scheduler +
                      " chooses the dies of writes itself; use order, or scheduler vaq");
    }
    EXPECT_EQ(error_of("ftl: {write_points: channel}"), "");
    EXPECT_THAT(error_of("ftl: {write_points: channel, placement: queue_aware}"),
                HasSubstr("ftl.write_points: channel: one block of a channel"));
    EXPECT_THAT(error_of("ftl: {write_points: channel, lockstep: true}"), HasSubstr("no ftl.lockstep"));
    EXPECT_THAT(error_of("scheduler: hybrid\nftl: {write_points: channel}"),
                HasSubstr("scheduler hybrid chooses the dies of writes itself; use plane"));
    EXPECT_EQ(error_of("ftl: {lockstep: true}"), "");
    EXPECT_THAT(error_of("scheduler: sost\nftl: {lockstep: true}"), HasSubstr("chooses the planes of writes itself"));
    EXPECT_EQ(error_of("ftl: {lockstep: true, placement: static}"),
              "t.yaml:1:17: ftl.lockstep: the LPN or the work of dies chooses planes (ftl.placement "
              "is static); lockstep needs order");
    EXPECT_THAT(error_of("ftl: {lockstep: true, placement: queue_aware}"),
                HasSubstr("(ftl.placement is queue_aware); lockstep needs order"));
    EXPECT_THAT(error_of("ftl: {placement: statik}"), HasSubstr("static"));
}

TEST(Check, PoliciesThatEvictInSetsNameTheChannel)
{
    for (const std::string policy : {"gating", "cave", "cawr", "cawr_block"}) {
        EXPECT_EQ(error_of("buffer: {policy: " + policy + "}"), "");
        EXPECT_EQ(error_of("buffer: {policy: " + policy + "}\nftl: {write_points: channel}"), "");
        EXPECT_EQ(error_of("scheduler: sost\nbuffer: {policy: " + policy + "}"),
                  "t.yaml:2:18: buffer.policy: " + policy +
                      ": scheduler sost chooses the dies of writes itself; use ccf_lru");
        EXPECT_EQ(error_of("buffer: {policy: " + policy + "}\nftl: {placement: static}"),
                  "t.yaml:1:18: buffer.policy: " + policy +
                      " says to which channel a page goes; needs ftl.placement: order");
    }
    for (const std::string over : {"none", "gating", "cave", "cawr", "cawr_block"}) {
        EXPECT_THAT(error_of("buffer: {policy: cave, cave_over: " + over + "}"),
                    HasSubstr("buffer.cave_over: " + over + " does not evict pages it keeps one by one"));
    }
    EXPECT_EQ(error_of("buffer: {policy: cave, cave_over: lru}"), "");
    EXPECT_THAT(error_of("buffer: {policy: cave, cave_over: ccf_lr}"), HasSubstr("did you mean 'ccf_lru'"));
    EXPECT_THAT(error_of("buffer: {cave_over: lru}"), HasSubstr("has no effect because buffer.policy is lru"));
    EXPECT_THAT(error_of("buffer: {policy: cave, cawr_list: 8}"), HasSubstr("has no effect because buffer.policy is cave"));
    EXPECT_EQ(error_of("buffer: {policy: cawr, cawr_list: 16, cawr_sequence: any_neighbour}"), "");
    EXPECT_THAT(error_of("buffer: {policy: cawr, cawr_list: 3}"), HasSubstr("buffer.cawr_list"));
    EXPECT_THAT(error_of("buffer: {policy: cawr, cawr_list: 17}"), HasSubstr("16"));
    EXPECT_THAT(error_of("buffer: {policy: gating, evict: on_demand}"), HasSubstr("buffer.evict"));
    EXPECT_EQ(error_of("buffer: {policy: lru, evict: on_demand}"), "");
    EXPECT_EQ(error_of("buffer: {policy: lru, evict: on_demand_each}"), "");
    EXPECT_THAT(error_of("buffer: {policy: gating, write: through}"), HasSubstr("nothing would be kept"));
    EXPECT_THAT(error_of("buffer: {policy: gating, reads: cached}"), HasSubstr("policy gating keeps no page"));
    EXPECT_EQ(error_of("buffer: {policy: cawr, write: through}"), "");
    EXPECT_THAT(error_of("buffer: {policy: cawr, read_ahead: 4}"), HasSubstr("buffer.read_ahead: policy cawr"));
    EXPECT_EQ(error_of("buffer: {policy: cave, cave_over: fab, block_pages: 32}"), "");
    EXPECT_THAT(error_of("buffer: {policy: cave, cave_over: lru, block_pages: 32}"), HasSubstr("buffer.block_pages"));
    for (const std::string over : {"fab", "bplru", "clc"}) {
        EXPECT_EQ(error_of("buffer: {policy: cawr_block, block_pages: 32, cawr_over: " + over + "}"), "");
    }
    for (const std::string over : {"ref", "lru", "cave", "none", "cawr_block"}) {
        EXPECT_EQ(error_of("buffer: {policy: cawr_block, cawr_over: " + over + "}"),
                  "t.yaml:1:41: buffer.cawr_over: " + over + " does not evict blocks; use fab, bplru or clc");
    }
    EXPECT_THAT(error_of("buffer: {policy: cawr, cawr_over: fab}"), HasSubstr("has no effect because buffer.policy is cawr"));
}

TEST(Check, LaunchesHaveWordsOfTheirOwn)
{
    const std::string head = "workload: {launches: 4, ";
    EXPECT_EQ(error_of(head + "launch_apps: 2, launch_reads: 100, launch_noise: 35, launch_detour: 2}"), "");
    EXPECT_EQ(error_of(head + "launch_prefetch: two_phase, launch_depth: 8}"), "");
    for (const char* const key : {"rw: randread", "bs: 4096", "iodepth: 4", "thinktime_us: 5", "size: 50%", "fua: true"}) {
        EXPECT_THAT(error_of(head + key + "}"), HasSubstr("has no effect because workload.launches is 4")) << key;
    }
    EXPECT_THAT(error_of(head + "launch_depth: 8}"), HasSubstr("has no effect because workload.launch_prefetch is none"));
    EXPECT_THAT(error_of("workload: {launch_noise: 5}"), HasSubstr("has no effect because workload.launches is 0"));
    EXPECT_THAT(error_of(head + "requests: 7}"), HasSubstr("workload.requests: launches end by their number"));
    EXPECT_THAT(error_of(head + "rate_iops: 7}"), HasSubstr("workload.rate_iops: launches have a time of their own"));
    EXPECT_THAT(error_of(head + "mode: open}"), HasSubstr("workload.mode: launches issue a read when"));
    EXPECT_THAT(error_of(head + "launch_apps: 5}"), HasSubstr("5 applications are more than the 4 launches"));
    EXPECT_THAT(error_of(head + "launch_prefetch: fats}"), HasSubstr("did you mean 'fast'"));
    EXPECT_THAT(error_of(head + "launch_bs: 1000}"), HasSubstr("is not a multiple of 512"));
    EXPECT_THAT(error_of(head + "launch_reads: 100000, launch_bs: 32m}"), HasSubstr("more than half of the device"));
    EXPECT_EQ(error_of("workload: {jobs: [{launches: 4}, {rw: randread, requests: 5}]}"), "");
}

TEST(Check, PrefetchKeysNeedAModeAndAPolicy)
{
    EXPECT_EQ(error_of("prefetch: {mode: fast, lead: 16, depth: 4, share: 0.1, yield: false}"), "");
    EXPECT_EQ(error_of("prefetch: {mode: none}"), "");
    EXPECT_THAT(error_of("prefetch: {match: 4}"), HasSubstr("has no effect because prefetch.mode is none"));
    EXPECT_THAT(error_of("prefetch: {mode: baseline, depth: 4}"), HasSubstr("has no effect because prefetch.mode is baseline"));
    EXPECT_THAT(error_of("prefetch: {mode: two_phase, lead: 4}"), HasSubstr("has no effect because prefetch.mode is two_phase"));
    EXPECT_THAT(error_of("prefetch: {mode: fast}\nbuffer: {policy: none}"), HasSubstr("has no effect because buffer.policy is none"));
    EXPECT_THAT(error_of("prefetch: {mode: two_phases}"), HasSubstr("did you mean 'two_phase'"));
    for (const std::string policy : {"gating", "cave", "cawr", "cawr_block"}) {
        EXPECT_THAT(error_of("prefetch: {mode: fast}\nbuffer: {policy: " + policy + "}"),
                    HasSubstr("prefetch.mode: policy " + policy + " gives up no single page"));
    }
    EXPECT_THAT(error_of("prefetch: {mode: fast, share: 0.001}\nbuffer: {size_mib: 1}"), HasSubstr("prefetch.share: 0.001 of 128 pages hold none"));
}

TEST(Check, CopybackHasItsSchedulersAndControllers)
{
    for (const char* scheduler : {"serial", "barrier", "inorder", "host"}) {
        EXPECT_EQ(error_of(std::string("scheduler: ") + scheduler + "\nftl: {gc: {copyback: true, copyback_limit: 1}}"), "");
    }
    for (const char* scheduler : {"vaq", "paq0", "paq1", "paq2", "sost", "hybrid"}) {
        EXPECT_THAT(error_of(std::string("scheduler: ") + scheduler + "\nftl: {gc: {copyback: true}}"),
                    HasSubstr(std::string("ftl.gc.copyback: true does not go with scheduler ") + scheduler));
    }
    EXPECT_THAT(error_of("ftl: {mapping: dftl, gc: {copyback: true}}"),
                HasSubstr("ftl.gc.copyback: true does not go with ftl.mapping: dftl"));
    EXPECT_THAT(error_of("ftl: {gc: {copyback: true, separate: false}}"),
                HasSubstr("ftl.gc.copyback: true needs ftl.gc.separate: true"));
    EXPECT_THAT(error_of("ftl: {gc: {copyback_limit: 2}}"),
                HasSubstr("has no effect because ftl.gc.copyback is false"));
    EXPECT_THAT(error_of("ftl: {gc: {copyback: true, copyback_limit: 256}}"), HasSubstr("255"));
}

TEST(Check, JoinWindowHasItsRange)
{
    EXPECT_EQ(error_of("scheduler: vaq\nvaq: {join_window: 1024}"), "");
    EXPECT_THAT(error_of("scheduler: vaq\nvaq: {join_window: 0}"), HasSubstr("vaq.join_window"));
    EXPECT_THAT(error_of("scheduler: vaq\nvaq: {join_window: 1025}"), HasSubstr("1024"));
    EXPECT_THAT(error_of("scheduler: vaq\nvaq: {conflict: chip}"), HasSubstr("package"));
}

TEST(Check, VaqKeysNeedTheirScheduler)
{
    for (const char* key : {"block: request", "join_adjacent: false", "join_window: 8", "conflict: package"}) {
        EXPECT_THAT(error_of(std::string("vaq: {") + key + "}"), HasSubstr("has no effect because scheduler is inorder"))
            << key;
    }
}

TEST(Check, ChipEnablesDivideDies)
{
    EXPECT_EQ(error_of("geometry: {dies: 4, chip_enables: 2}"), "");
    EXPECT_EQ(error_of("geometry: {dies: 4, chip_enables: 3}"),
              "t.yaml:1:35: geometry.chip_enables: 3 chip enables do not divide 4 dies "
              "(geometry.dies) evenly");
    EXPECT_THAT(error_of("geometry: {dies: 1, chip_enables: 2}"), HasSubstr("do not divide"));
}

TEST(Check, AtMost32ChipEnablesAChannel)
{
    EXPECT_EQ(error_of("geometry: {ways: 16, dies: 2, chip_enables: 2}"), "");
    EXPECT_THAT(error_of("geometry: {ways: 17, dies: 2, chip_enables: 2}"),
                HasSubstr("geometry.ways: 17 ways with 2 chip enables each are more than 32"));
}

TEST(Check, AtMost1024Dies)
{
    EXPECT_EQ(error_of("geometry: {channels: 32, ways: 8, dies: 4, blocks: 128}"), "");
    EXPECT_THAT(error_of("geometry: {channels: 32, ways: 8, dies: 5, blocks: 128}"),
                HasSubstr("geometry.dies: 32 channels x 8 ways x 5 dies are 1280 dies, more than"));
}

TEST(Check, PagesAndPlanesArePowersOfTwo)
{
    EXPECT_THAT(error_of("nand: {page_bytes: 6144}"), HasSubstr("6144 is not a power of two"));
    EXPECT_THAT(error_of("geometry: {planes: 3}"),
                AllOf(HasSubstr("geometry.planes: 3 planes"), HasSubstr("1, 2 or 4")));
    EXPECT_THAT(error_of("nand: {planes: 3}"), HasSubstr("nand.planes: 3 planes"));
    EXPECT_EQ(error_of("geometry: {pages: 192}"), ""); // the row address rounds up
}

// pages 256 (8 bits) + planes 2 (1) + blocks + LUNs a CE#.
TEST(Check, RowAddressHas24Bits)
{
    const std::string one = "geometry: {channels: 1, ways: 1, dies: ";
    EXPECT_EQ(error_of(one + "1, blocks: 32768}"), "");            // 8 + 1 + 15 + 0
    EXPECT_THAT(error_of(one + "2, blocks: 32768}"),               // 8 + 1 + 15 + 1
                HasSubstr("geometry.blocks: the row address needs 25 bits"));
    EXPECT_EQ(error_of(one + "2, chip_enables: 2, blocks: 32768}"), ""); // one LUN a CE#
    EXPECT_THAT(error_of(one + "1, blocks: 32769}"), HasSubstr("needs 25 bits"));
}

// 8 ch x 8 ways x 2 dies x 2 planes x 65536 blocks x 64 pages = 2^30 pages; of 64 KiB: 2^34 units.
TEST(Check, UnitsAreNumberedIn32Bits)
{
    const std::string large =
        "geometry: {channels: 8, ways: 8, dies: 2, blocks: 65536, pages: 64}\n";
    EXPECT_THAT(error_of(large + "nand: {page_bytes: 65536}"), HasSubstr("logical units of 4096"));
    EXPECT_EQ(error_of(large + "nand: {page_bytes: 4096}"), "");
}

TEST(Check, PagesAreNumberedIn32Bits)
{
    // 32 x 16 x 2 dies x 4 planes x 16384 blocks x 64 pages = 2^32 pages of one unit.
    EXPECT_THAT(error_of("geometry: {channels: 32, ways: 16, dies: 2, planes: 4, blocks: 16384, "
                         "pages: 64}\nnand: {page_bytes: 512}\n"),
                HasSubstr("4294967296 pages in the device; at most 2^32 - 2"));
}

TEST(Check, CollectionNeedsEightBlocksBesideItsThreshold)
{
    const std::string head = "ftl: {over_provisioning: 9, gc: {threshold_blocks: 5}}\n"
                             "geometry: {blocks: ";
    EXPECT_EQ(error_of(head + "13}"), "");
    EXPECT_THAT(error_of(head + "12}"),
                HasSubstr("geometry.blocks: 12 blocks a plane; garbage collection needs at least "
                          "13"));
}

// 64 blocks - 4 - 3 = 57 usable; 64 / 57 - 1 = 0.12281.
TEST(Check, OverProvisioningLeavesRoomForTheReserve)
{
    const std::string head = "geometry: {blocks: 64}\nftl: {over_provisioning: ";
    EXPECT_EQ(error_of(head + "0.123}"), "");
    EXPECT_THAT(error_of(head + "0.12}"),
                AllOf(StartsWith("t.yaml:2:26: ftl.over_provisioning: 0.12 leaves 14629 logical"),
                      HasSubstr("only 14592 fit beside 7 reserved blocks of 64"),
                      HasSubstr("at least 0.123 or more blocks")));
}

// 16 dies of one plane. 57 usable blocks of 256 pages are 14592 pages a plane. With 0.1229 the logical
// pages are floor(262144 / 1.1229) = 233452, 14590.8 a plane. Table pages: 233452 / 8192 -> 29, and a bit
// for each of 16 x 64 blocks: 1. 233482 / 16 -> 14593 a plane do not fit.
TEST(Check, TablePagesTakeLogicalSpace)
{
    const std::string head = "nand: {planes: 1}\ngeometry: {channels: 4, ways: 4, dies: 1, planes: 1, blocks: 64, pages: 256}\n"
                             "ftl: {over_provisioning: 0.1229, recovery: ";
    EXPECT_EQ(error_of(head + "none}"), "");
    EXPECT_THAT(error_of(head + "scan}"), HasSubstr("leaves 14593 logical pages a plane, but only 14592 fit"));
}

TEST(Check, RecoveryNeedsCopiesOfTheirOwnAndARoomierThreshold)
{
    EXPECT_THAT(error_of("ftl: {recovery: scan, gc: {separate: false}}"),
                HasSubstr("ftl.gc.separate: false does not go with ftl.recovery: scan"));
    EXPECT_THAT(error_of("ftl: {recovery: scan, gc: {threshold_blocks: 2}}"),
                HasSubstr("ftl.gc.threshold_blocks: 2 does not go with ftl.recovery: scan"));
    EXPECT_EQ(error_of("ftl: {recovery: scan, gc: {threshold_blocks: 3}}"), "");
    EXPECT_THAT(error_of("ftl: {recovery: scann}"), HasSubstr("did you mean 'scan'?"));
    EXPECT_THAT(error_of("ftl: {recovery: journal, gc: {separate: false}}"),
                HasSubstr("ftl.gc.separate: false does not go with ftl.recovery: journal"));
    EXPECT_THAT(error_of("ftl: {recovery: jurnal}"), HasSubstr("did you mean 'journal'?"));
}

// 4 x (54 + 3 x 255) = 3276 bytes for 256 pages; 2048 bytes hold 152 entries.
TEST(Check, AJournalPageHoldsABlock)
{
    const std::string small = "nand: {page_bytes: 2048}\nftl: {recovery: journal}\n";
    EXPECT_THAT(error_of(small + "geometry: {pages: 256}"),
                HasSubstr("ftl.recovery: journal needs 3276 bytes for a block of 256 pages, more than a page of 2048"));
    EXPECT_THAT(error_of(small + "geometry: {pages: 154}"), HasSubstr("journal needs 2052 bytes"));
    EXPECT_EQ(error_of(small + "geometry: {pages: 153}"), "");
    EXPECT_THAT(error_of(small + "geometry: {pages: 1}"), HasSubstr("blocks have one page"));
}

// As above, with 255 data pages in 57 blocks: 14535. Logical pages floor(262144 / 1.128) = 232397, and 29 + 1:
// 232427 / 16 -> 14527. With 0.127: 232603, 232633 / 16 -> 14540. 16384 / 14535 = 1.1272: 0.128.
TEST(Check, JournalPagesTakeAPageOfEachBlock)
{
    const std::string head = "nand: {planes: 1}\ngeometry: {channels: 4, ways: 4, dies: 1, planes: 1, blocks: 64, pages: 256}\n"
                             "ftl: {recovery: journal, over_provisioning: ";
    EXPECT_EQ(error_of(head + "0.128}"), "");
    EXPECT_THAT(error_of(head + "0.127}"),
                AllOf(HasSubstr("leaves 14540 logical pages a plane, but only 14535 fit"), HasSubstr("at least 0.128")));
}

// 16 planes need 4 x 16 + 64 = 128 entries of 32 bytes: 4 KiB.
TEST(Check, ACachedMapNeedsEntriesForAllPlanes)
{
    const std::string head = "nand: {planes: 1}\ngeometry: {channels: 4, ways: 4, dies: 1, planes: 1, blocks: 64, pages: 256}\n"
                             "ftl: {over_provisioning: 0.28, mapping: dftl, ";
    EXPECT_EQ(error_of(head + "map: {cache_kib: 4}}"), "");
    EXPECT_THAT(error_of(head + "map: {cache_kib: 3}}"),
                HasSubstr("ftl.map.cache_kib: 3 hold 96 entries; 16 planes need 128 (4 each and 64): use 4 or more"));
    EXPECT_THAT(error_of(head + "map: {planes: 17}}"), HasSubstr("17 planes hold translation pages, but the device has 16"));
    EXPECT_THAT(error_of(head + "map: {buffers: 1}}"), HasSubstr("ftl.map.buffers: '1' is out of range: 2 to 256"));
    EXPECT_THAT(error_of(head + "recovery: scan}"), HasSubstr("ftl.mapping: dftl does not go with ftl.recovery: scan"));
    EXPECT_THAT(error_of(head + "gc: {copyback: true}}"), HasSubstr("ftl.gc.copyback: true does not go with ftl.mapping: dftl"));
    EXPECT_THAT(error_of("ftl: {mapping: dtfl}"), HasSubstr("did you mean 'dftl'?"));
    EXPECT_THAT(error_of("ftl: {map: {cache_kib: 64}}"), HasSubstr("ftl.map.cache_kib"));
}

// 16 planes of 64 blocks of 256 pages; 0.1229 leaves 14591 logical pages a plane (above), and 57 blocks, 14592
// pages, fit without translation pages. 233452 logical pages, 2048 to a page of 8 KiB, are 114 translation
// pages, 8 a plane: one block and three. 53 blocks are 13568 pages; 64 / 53 - 1 = 0.2075...
TEST(Check, TranslationPagesTakeBlocks)
{
    const std::string head = "nand: {planes: 1}\ngeometry: {channels: 4, ways: 4, dies: 1, planes: 1, blocks: 64, pages: 256}\n"
                             "ftl: {over_provisioning: ";
    EXPECT_EQ(error_of(head + "0.1229}"), "");
    EXPECT_THAT(error_of(head + "0.1229, mapping: dftl}"),
                HasSubstr("leaves 14591 logical pages a plane, but only 13568 fit beside 11 reserved blocks of 64; needs at least 0.208"));
    EXPECT_EQ(error_of(head + "0.208, mapping: dftl}"), "");
}

TEST(Check, OnfiModesDependOnTheInterface)
{
    EXPECT_EQ(error_of("onfi: {interface: sdr, mode: 5}"), "");
    EXPECT_EQ(error_of("onfi: {interface: nvddr, mode: 5}"), "");
    EXPECT_EQ(error_of("onfi: {interface: nvddr2, mode: 8}"), "");
    EXPECT_EQ(error_of("onfi: {interface: sdr, mode: 6}"),
              "t.yaml:1:30: onfi.mode: sdr has modes 0 to 5, not 6");
    EXPECT_THAT(error_of("onfi: {interface: nvddr, mode: 6}"), HasSubstr("nvddr has modes 0 to 5"));
    EXPECT_EQ(error_of("onfi: {interface: nvddr2, mode: 9}"),
              "t.yaml:1:33: onfi.mode: nvddr2 has modes 0 to 8, not 9");
    EXPECT_EQ(error_of("onfi: {interface: nvddr3, mode: 10}"), "");
    EXPECT_THAT(error_of("onfi: {interface: nvddr3, mode: 11}"), HasSubstr("out of range"));
}

TEST(Check, APartLimitsTheTimingModes)
{
    EXPECT_EQ(error_of("nand: {name: X, nvddr_modes: 5}\nonfi: {interface: nvddr, mode: 4}"), "");
    EXPECT_THAT(error_of("nand: {name: X, nvddr_modes: 5}\nonfi: {interface: nvddr, mode: 5}"),
                HasSubstr("t.yaml:1:30: nand.nvddr_modes: X has nvddr modes 0 to 4, but "
                          "onfi.interface and onfi.mode ask for nvddr mode 5"));
    EXPECT_THAT(error_of("nand: {name: X, nvddr2_modes: 0}\nonfi: {interface: nvddr2}"),
                HasSubstr("X has no nvddr2"));
}

TEST(Check, KeysOfClumpingNeedASchedulerThatClumps)
{
    EXPECT_EQ(error_of("scheduler: paq1\npaq: {cluster_limit: die, wait: block}"), "");
    EXPECT_EQ(error_of("scheduler: paq2\npaq: {age_limit_us: 2000}"), "");
    EXPECT_THAT(error_of("scheduler: paq0\npaq: {wait: block}"),
                HasSubstr("paq.wait: has no effect because scheduler is paq0"));
    EXPECT_THAT(error_of("scheduler: vaq\npaq: {age_limit_us: 2000}"),
                HasSubstr("paq.age_limit_us: has no effect because scheduler is vaq"));
    EXPECT_THAT(error_of("paq: {cluster_limit: die}"),
                HasSubstr("paq.cluster_limit: has no effect because scheduler is inorder"));
}

TEST(Check, PageTypesThatNoPageHasAreAnError)
{
    EXPECT_EQ(error_of("nand: {pairing: adjacent, upper: {t_read_us: 70}}"), "");
    EXPECT_THAT(error_of("nand: {upper: {t_read_us: 70}}"),
                HasSubstr("nand.upper.t_read_us: has no effect because nand.pairing is uniform"));
    EXPECT_THAT(error_of("nand: {pairing: adjacent, middle: {t_program_us: 70}}"),
                HasSubstr("has no effect because nand.bits_per_cell is 2"));
    EXPECT_EQ(error_of("nand: {pairing: adjacent, bits_per_cell: 3, middle: {t_program_us: 70}}"),
              "");
}

TEST(Check, RtlControllersAreNotAskedForWhatTheyLack)
{
    EXPECT_THAT(error_of("controller: {kind: rtl}\nonfi: {ready: target}"),
                HasSubstr("onfi.ready: the RTL controllers know a ready line for each LUN"));
    EXPECT_THAT(error_of("controller: {kind: rtl, rtl: round_robin}\nonfi: {ready: status}"),
                HasSubstr("onfi.ready: round_robin needs a ready line for each LUN"));
    EXPECT_EQ(error_of("controller: {kind: rtl}\nonfi: {ready: status}"), "");
    EXPECT_THAT(error_of("controller: {kind: rtl, read_retries: 2}"), HasSubstr("no read retry"));
    EXPECT_THAT(error_of("controller: {kind: rtl, rtl: round_robin, timeout_us: 2}"), HasSubstr("no timeout"));
    EXPECT_EQ(error_of("controller: {kind: rtl, rtl: o3, timeout_us: 2}"), "");
    EXPECT_THAT(error_of("scheduler: host\ncontroller: {kind: rtl, rtl: round_robin}"),
                HasSubstr("controller.rtl: round_robin has no mode but serial, inorder; "
                          "scheduler host needs mode ooo: use o3"));
    EXPECT_EQ(error_of("scheduler: host\ncontroller: {kind: rtl}"), "");
    EXPECT_THAT(error_of("controller: {kind: rtl, rtl: round_robin}\ninject: {no_grants: 1}"),
                HasSubstr("a controller.rtl with the port no_grant_i, such as o3"));
    EXPECT_EQ(error_of("controller: {kind: rtl}\ninject: {no_grants: 1}"), "");
    EXPECT_THAT(error_of("controller: {kind: rtl, rtl: round_robbin}"),
                testing::AllOf(HasSubstr("did you mean 'round_robin'?"), HasSubstr("docs/own-rtl-controller.md")));
    EXPECT_THAT(error_of("controller: {read_retries: 8}"),
                HasSubstr("8 is more than the part's 7 levels"));
}

TEST(Check, AnUnfitControllerModeIsAnError)
{
    EXPECT_EQ(error_of("scheduler: vaq\ncontroller: {mode: serial}"),
              "t.yaml:2:20: controller.mode: serial does not fit scheduler vaq, which needs "
              "inorder; use auto");
    EXPECT_THAT(error_of("scheduler: barrier\ncontroller: {mode: serial}"), HasSubstr("inorder"));
    EXPECT_THAT(error_of("controller: {mode: serial}"), HasSubstr("scheduler inorder"));
    EXPECT_THAT(error_of("scheduler: host\ncontroller: {mode: inorder}"),
                HasSubstr("inorder does not fit scheduler host, which needs ooo; use auto"));
    EXPECT_THAT(error_of("scheduler: vaq\ncontroller: {mode: ooo}"),
                HasSubstr("ooo does not fit scheduler vaq"));
    EXPECT_THAT(error_of("scheduler: serial\ncontroller: {mode: inorder}"),
                HasSubstr("needs serial"));
}

TEST(Check, KeysOfTheOutOfOrderControllerNeedIt)
{
    for (const char* key : {"stations: 4", "age_limit_us: 10", "streams: one", "priorities: none",
                            "issue_policy: clump"}) {
        EXPECT_THAT(error_of(std::string("controller: {") + key + "}"),
                    HasSubstr("has no effect because scheduler is inorder"));
        EXPECT_EQ(error_of(std::string("scheduler: host\ncontroller: {") + key + "}"), "");
    }
}

TEST(Check, AReplaysModeNeedNotFitTheScheduler)
{
    const Overrides sets{{"controller.stations=3", "controller.suspend=erase", "controller.suspends=2"}};
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
    for (const char* set : {"controller.suspend=erase", "controller.stations=4", "controller.suspends=2"}) {
        const std::string text = set, key = text.substr(0, text.find('='));
        EXPECT_EQ(in_order("scheduler: host", text),
                  "--set " + text + ": " + key + ": has no effect because --mode is inorder");
        // The scheduler is none of the reasons: --mode would stay.
        EXPECT_THAT(in_order("scheduler: inorder", set), HasSubstr("because --mode is inorder"));
    }
    // Weaker than --mode: without effect, as for a scheduler from the command line.
    const std::string file = "scheduler: host\ncontroller: {suspend: erase, stations: 1}";
    EXPECT_EQ(error_of(file, {}, ControllerMode::InOrder), "");
    EXPECT_THAT(error_of("scheduler: inorder", {"controller.suspends=2"}, ControllerMode::Ooo),
                HasSubstr("because controller.suspend is none"));
    const std::string rtl = "scheduler: host\ncontroller: {kind: rtl, rtl: round_robin}";
    EXPECT_EQ(error_of(rtl, {}, ControllerMode::InOrder), "");
    EXPECT_THAT(error_of("controller: {kind: rtl, rtl: round_robin}", {}, ControllerMode::Ooo),
                HasSubstr("round_robin has no mode but serial, inorder; --mode is ooo: use o3"));
}

TEST(Check, KeysOfSuspendNeedIt)
{
    EXPECT_THAT(error_of("controller: {suspend: erase}"),
                HasSubstr("has no effect because scheduler is inorder"));
    for (const char* key : {"suspends: 2", "suspend_priority: 1", "suspend_progress_us: 10"}) {
        EXPECT_THAT(error_of(std::string("controller: {") + key + "}"),
                    HasSubstr("has no effect because scheduler is inorder"));
        EXPECT_THAT(error_of(std::string("scheduler: host\ncontroller: {") + key + "}"),
                    HasSubstr("has no effect because controller.suspend is none"));
        EXPECT_EQ(error_of(std::string("scheduler: host\ncontroller: {suspend: erase, ") + key + "}"), "");
    }
    EXPECT_THAT(error_of("scheduler: host\ncontroller: {suspend: erase, age_limit_us: 0}"),
                HasSubstr("controller.suspend: needs controller.age_limit_us above 0"));
    EXPECT_THAT(error_of("scheduler: host\ncontroller: {suspend: erase, stations: 1}"),
                HasSubstr("controller.stations: 1 leaves no room for a read"));
}

TEST(Check, CoresExist)
{
    EXPECT_EQ(error_of("cpu: {cores: 2, core_of: {ftl: 1}}"), "");
    EXPECT_EQ(error_of("cpu: {cores: 2, core_of: {ftl: 2}}"),
              "t.yaml:1:32: cpu.core_of.ftl: there is no core 2; cpu.cores is 2");
    for (const char* room : {"hil", "buffer", "sched"}) {
        EXPECT_THAT(error_of(std::string("cpu: {core_of: {") + room + ": 1}}"),
                    HasSubstr(std::string("cpu.core_of.") + room + ": there is no core 1"));
    }
}

TEST(Check, CommandCyclesAreTheNativeCpus)
{
    EXPECT_EQ(error_of("cpu: {command_cycles: 8400}"), "");
    EXPECT_EQ(error_of("cpu: {command_cycles: 0, model: iss}"), "");
    EXPECT_THAT(error_of("cpu: {command_cycles: 8400, model: iss}"),
                HasSubstr("cpu.command_cycles: are charged by cpu.model: native only"));
    EXPECT_THAT(error_of("cpu: {command_cycles: 1000001}"), HasSubstr("cpu.command_cycles"));
}

TEST(Check, DeepQueuesOnSataNeedExtendedTags)
{
    EXPECT_THAT(error_of("host: {queue_depth: 33}"),
                HasSubstr("host.queue_depth: 33 is more than the 32 tags of NCQ"));
    EXPECT_EQ(error_of("host: {queue_depth: 33}\nsata: {extended_tags: true}"), "");
    EXPECT_EQ(error_of("host: {queue_depth: 256}\nsata: {extended_tags: true}"), "");
    EXPECT_THAT(error_of("host: {queue_depth: 257}\nsata: {extended_tags: true}"),
                HasSubstr("host.queue_depth: 257 is more than the 256 of sata.extended_tags"));
    for (const char* const kind : {"direct", "nvme"}) {
        EXPECT_EQ(error_of(std::string("host: {queue_depth: 1024, kind: ") + kind + "}"), "");
        EXPECT_THAT(error_of(std::string("host: {queue_depth: 1025, kind: ") + kind + "}"),
                    HasSubstr("out of range"));
    }
}

TEST(Check, NvmeKeysNeedTheirHost)
{
    EXPECT_EQ(error_of("host: {kind: nvme}\nnvme: {queues: 2, steer: round_robin}\npcie: {generation: 4}"), "");
    EXPECT_THAT(error_of("nvme: {queues: 2}"), HasSubstr("nvme.queues: has no effect because host.kind is sata"));
    EXPECT_THAT(error_of("pcie: {lanes: 2}"), HasSubstr("pcie.lanes: has no effect because host.kind is sata"));
    EXPECT_THAT(error_of("host: {kind: nvme}\nnvme: {steer: round_robin}"),
                HasSubstr("nvme.steer: has no effect because nvme.queues is 1"));
    EXPECT_THAT(error_of("host: {kind: nvme}\nnvme: {queues: 2, high_weight: 9}"),
                HasSubstr("nvme.high_weight: has no effect because nvme.arbitration is round_robin"));
}

TEST(Check, NvmeClassesAreWords)
{
    const std::string head = "host: {kind: nvme}\nnvme: {queues: 2, arbitration: weighted, classes: ";
    EXPECT_EQ(from(head + "'urgent,high,medium,low'}").nvme.classes, "uhml");
    EXPECT_EQ(from(head + "low}").nvme.classes, "l");
    EXPECT_THAT(error_of(head + "'high,,low'}"), HasSubstr("'' is no class; urgent, high, medium or low"));
    EXPECT_THAT(error_of(head + "hi}"), HasSubstr("'hi' is no class"));
}

TEST(Check, PcieSizesArePowersOfTwo)
{
    const std::string head = "host: {kind: nvme}\npcie: {";
    EXPECT_THAT(error_of(head + "lanes: 3}"), HasSubstr("pcie.lanes: 3 is not a power of two"));
    EXPECT_THAT(error_of(head + "max_payload: 300}"), HasSubstr("pcie.max_payload: 300 is not a power of two"));
    EXPECT_THAT(error_of(head + "generation: 6}"), HasSubstr("out of range"));
    EXPECT_THAT(error_of(head + "read_request: 128, read_tags: 31}"),
                HasSubstr("pcie.read_tags: 31 reads of 128 bytes do not get a host page; needs at least 32"));
    EXPECT_EQ(error_of(head + "read_request: 128, read_tags: 32}"), "");
}

TEST(Check, MappingUnitsRefuseWhatNeedsWholePages)
{
    const std::string part = "nand: {page_bytes: 16384, spare_bytes: 1792}\n";
    const std::string units = part + "ftl: {over_provisioning: 0.28, mapping_unit: 4KiB";
    EXPECT_EQ(error_of(units + "}"), "");
    EXPECT_EQ(from(part).mapping_bits(), 0u);
    EXPECT_EQ(from(units + "}").mapping_bits(), 2u);
    EXPECT_THAT(error_of("nand: {page_bytes: 4096, spare_bytes: 224}\nftl: {mapping_unit: 4KiB}"),
                HasSubstr("ftl.mapping_unit: 4KiB: pages of 4096 bytes"));
    EXPECT_THAT(error_of(units + ", recovery: scan}"), HasSubstr("does not go with ftl.recovery: scan"));
    EXPECT_THAT(error_of(units + ", mapping: dftl}"), HasSubstr("does not go with ftl.mapping: dftl"));
    EXPECT_THAT(error_of(units + ", gc: {copyback: true}}"), HasSubstr("does not go with ftl.gc.copyback: true"));
    EXPECT_THAT(error_of(units + ", placement: static}"), HasSubstr("does not go with ftl.placement: static"));
    for (const char* const scheduler : {"sost", "hybrid"}) {
        EXPECT_THAT(error_of(units + "}\nscheduler: " + scheduler),
                    HasSubstr(std::string("does not go with scheduler ") + scheduler));
    }
    for (const char* const policy : {"gating", "cave", "cawr", "cawr_block"}) {
        EXPECT_THAT(error_of(units + "}\nbuffer: {policy: " + policy + "}"),
                    HasSubstr(std::string("does not go with buffer.policy: ") + policy));
    }
    EXPECT_THAT(error_of(part + "ftl: {mapping_unit: 4kib}"), HasSubstr("4KiB"));
}

TEST(Check, CompressionNeedsUnitsAndTags)
{
    const std::string part = "nand: {page_bytes: 16384, spare_bytes: 1792}\ngeometry: {channels: 1, ways: 1, dies: 1, "
                             "planes: 1, blocks: 64, pages: 16}\n";
    const std::string factor = part + "ftl: {over_provisioning: 0.28, mapping_unit: 4KiB, write_size_factor: ";
    const Config c = from(factor + "0.6}"); // 4 / 0.6: 6 units a page
    EXPECT_EQ(c.mapping_units(), 6u);
    EXPECT_EQ(c.mapping_bits(), 3u);
    EXPECT_EQ(c.geometry.codeword_bytes(), 340u); // 0.6 (512 + (1792 - 16) / 32 = 55)
    // 1024 / 1.28 pages of 16 KiB are the host's: 533 of 24 KiB; more blocks to spare than without.
    EXPECT_EQ(c.logical_pages(), 533u);
    EXPECT_EQ(from(factor + "1}").logical_pages(), 800u);
    EXPECT_EQ(from(factor + "1}").geometry.part_page_bytes, 0u);
    EXPECT_EQ(c.nand.page_bytes, 16384u);
    EXPECT_EQ(error_of(factor + "0.45}"), ""); // 4 / 0.45 is 8.9
    EXPECT_THAT(error_of(factor + "0.4}"), HasSubstr("ftl.write_size_factor: 0.4 puts more than 8 units"));
    EXPECT_THAT(error_of(factor + "0.5}\ndata: full"), HasSubstr("does not go with data: full"));
    EXPECT_THAT(error_of(part + "ftl: {over_provisioning: 0.28, write_size_factor: 0.5}"),
                HasSubstr("has no effect because ftl.mapping_unit is page"));
    EXPECT_THAT(error_of("nand: {page_bytes: 16384, spare_bytes: 1792, errors: {enabled: true}}\n"
                         "ftl: {over_provisioning: 0.28, mapping_unit: 4KiB, write_size_factor: 0.5}"),
                HasSubstr("does not go with nand.errors.enabled: true"));
    EXPECT_THAT(error_of("nand: {page_bytes: 4096, spare_bytes: 224}\n"
                         "ftl: {over_provisioning: 0.28, mapping_unit: 4KiB, write_size_factor: 0.7}"),
                HasSubstr("pages of 4096 bytes (nand.page_bytes) hold no two units of 0.7 times their size"));
}

TEST(Check, FreePagesAreAnEighthOfTheBufferAtMost)
{
    const std::string buffer = "nand: {page_bytes: 8192, spare_bytes: 448}\nbuffer: {size_mib: 2"; // 256 page buffers
    EXPECT_EQ(from(buffer + "}").buffer.free_pages, 32u);
    EXPECT_EQ(from(buffer + "0}").buffer.free_pages, 64u); // of 2560
    EXPECT_EQ(from(buffer + ", free_pages: 32}").buffer.free_pages, 32u);
    EXPECT_THAT(error_of(buffer + ", free_pages: 33}"),
                HasSubstr("buffer.free_pages: 33 are more than an eighth of the buffer's 256 page buffers"));
    EXPECT_THAT(error_of(buffer + ", free_pages: 8, evict: on_demand}"),
                HasSubstr("has no effect because buffer.evict is on_demand"));
    EXPECT_THAT(error_of(buffer + ", free_pages: 8, policy: none}"),
                HasSubstr("has no effect because buffer.policy is none"));
    EXPECT_EQ(from(buffer + "}\nftl: {mapping_unit: 4KiB}").buffer.free_pages, 64u); // 512 of 4 KiB
}

TEST(Check, QueuedTrimIsAFlagOffByDefault)
{
    EXPECT_FALSE(from("{}").sata.queued_trim);
    EXPECT_TRUE(from("sata: {queued_trim: true}").sata.queued_trim);
    EXPECT_THAT(error_of("sata: {queued_trim: 2}"), HasSubstr("t.yaml:1:21: sata.queued_trim: "));
    EXPECT_THAT(error_of("sata: {queud_trim: true}"), HasSubstr("queued_trim"));
    EXPECT_THAT(error_of("host: {kind: direct}\nsata: {queued_trim: true}"),
                HasSubstr("sata.queued_trim: has no effect because host.kind is direct"));
}

TEST(Check, SataKeysThatNeedOthers)
{
    EXPECT_THAT(error_of("sata: {ncq: false}"),
                HasSubstr("host.queue_depth: 32 commands at once need NCQ; set it to 1"));
    EXPECT_EQ(error_of("sata: {ncq: false}\nhost: {queue_depth: 1}"), "");
    EXPECT_THAT(error_of("sata: {ncq: false, queued_trim: true}\nhost: {queue_depth: 1}"),
                HasSubstr("sata.queued_trim: needs NCQ"));
    EXPECT_THAT(error_of("sata: {retries: 3}"), HasSubstr("sata.retries: has no effect because "
                                                          "sata.bit_error_rate is 0"));
    EXPECT_THAT(error_of("sata: {comreset_us: 3}"), HasSubstr("sata.comreset_us: has no effect"));
    EXPECT_EQ(error_of("sata: {retries: 3, bit_error_rate: 1e-9, comreset_us: 500}"), "");
    EXPECT_THAT(error_of("sata: {bit_error_rate: 0.1}"), HasSubstr("out of range"));
    EXPECT_THAT(error_of("sata: {fifo_kib: 7}"), HasSubstr("sata.fifo_kib: 7 KiB do not hold the "
                                                           "largest data FIS; the least is 8"));
    EXPECT_EQ(error_of("sata: {fifo_kib: 8}"), "");
    EXPECT_THAT(error_of("sata: {link: slow}"), HasSubstr("sata.link: "));
    EXPECT_EQ(from("sata: {link: full}").hash, from("{}").hash); // the same results
    EXPECT_NE(from("sata: {bit_error_rate: 1e-9}").hash, from("{}").hash);
}

TEST(Check, BufferHolds64PagesAndAtMost1024Mib)
{
    EXPECT_EQ(error_of("buffer: {size_mib: 0.5}"), ""); // 64 x 8 KiB
    EXPECT_THAT(error_of("buffer: {size_mib: 0.49}"),
                HasSubstr("buffer.size_mib: 0.489999"));
    EXPECT_THAT(error_of("buffer: {size_mib: 0.49}"), HasSubstr("needs at least 0.5"));
    EXPECT_EQ(error_of("buffer: {size_mib: 1024}"), "");
    EXPECT_THAT(error_of("buffer: {size_mib: 1025}"), HasSubstr("out of range"));
}

TEST(Check, BufferKeysNeedTheirPolicy)
{
    EXPECT_THAT(error_of("buffer: {write: through, flush_after_ms: 5}"),
                HasSubstr("buffer.flush_after_ms: has no effect because buffer.write is through"));
    for (const char* const key : {"reads: cached", "write: through", "read_ahead: 4", "flush_after_ms: 5"}) {
        EXPECT_EQ(error_of(std::string("buffer: {") + key + "}"), "") << key;
        EXPECT_THAT(error_of(std::string("buffer: {policy: none, ") + key + "}"),
                    HasSubstr("has no effect because buffer.policy is none"));
    }
    const auto only = [](const char* key, const std::vector<std::string>& policies) {
        EXPECT_THAT(error_of(std::string("buffer: {") + key + "}"),
                    HasSubstr("has no effect because buffer.policy is lru"));
        for (const std::string& policy : policies) {
            EXPECT_EQ(error_of("buffer: {policy: " + policy + ", " + key + "}"), "") << key;
        }
    };
    only("block_pages: 16", {"ref", "fab", "bplru", "clc"});
    only("victim_window: 0.5", {"ref"});
    only("victim_blocks: 64", {"ref"});
    only("page_padding: true", {"bplru"});
    only("hot_blocks: 0", {"clc"});
    EXPECT_THAT(error_of("buffer: {policy: ref, victim_window: 0}"), HasSubstr("out of range"));
    EXPECT_THAT(error_of("buffer: {policy: ref, victim_blocks: 65}"), HasSubstr("out of range"));
    EXPECT_THAT(error_of("buffer: {policy: fab, block_pages: 0}"), HasSubstr("out of range"));
    EXPECT_THAT(error_of("buffer: {policy: fba}"), HasSubstr("did you mean 'fab'?"));
    EXPECT_THAT(error_of("buffer: {write: trough}"), HasSubstr("did you mean 'through'?"));
    EXPECT_THAT(error_of("scheduler: sost\nsost: {return_reads: 2}\nbuffer: {write: through}"),
                HasSubstr("has no effect because buffer.write is through"));
}

TEST(Check, WriteThroughKeepsSomething)
{
    EXPECT_THAT(error_of("buffer: {write: through, reads: bypass}"),
                HasSubstr("t.yaml:1:17: buffer.write: through: nothing would be kept"));
    EXPECT_THAT(error_of("buffer: {write: through, policy: bplru}"), HasSubstr("set buffer.reads: cached"));
    EXPECT_EQ(error_of("buffer: {write: through, policy: bplru, reads: cached}"), "");
}

TEST(Check, ReadAheadIsAnEighthOfTheBufferAtMost)
{
    EXPECT_EQ(error_of("buffer: {size_mib: 1, read_ahead: 16}"), ""); // 128 pages of 8 KiB
    EXPECT_EQ(error_of("buffer: {size_mib: 1, read_ahead: 17}"),
              "t.yaml:1:35: buffer.read_ahead: 17 pages are more than an eighth of the buffer's 128");
}

TEST(Check, BlocksOfTheBufferFollowTheFlash)
{
    EXPECT_EQ(from("geometry: {pages: 96}").buffer.block_pages, 96u);
    EXPECT_EQ(from("buffer: {policy: clc, block_pages: 8}").buffer.block_pages, 8u);
    EXPECT_TRUE(from("buffer: {policy: clc}").buffer.reads_bypass());
    EXPECT_TRUE(from("buffer: {policy: bplru}").buffer.reads_bypass());
    EXPECT_FALSE(from("buffer: {policy: bplru, reads: cached}").buffer.reads_bypass());
    EXPECT_FALSE(from("buffer: {policy: fab}").buffer.reads_bypass());
    EXPECT_TRUE(from("buffer: {reads: bypass}").buffer.reads_bypass());
}

TEST(Check, GeneratorsEndAndFitTheDevice)
{
    EXPECT_EQ(error_of("workload: {requests: 0}"),
              "t.yaml:1:22: workload.requests: a generated workload needs a number above 0, or an "
              "end by io_size, loops, number_ios or runtime_ms");
    EXPECT_THAT(error_of("workload: {mode: open}"), HasSubstr("workload.mode: open needs a trace"));
    EXPECT_THAT(error_of("workload: {bs: 1000}"), HasSubstr("1000 is not a multiple of 512"));
    EXPECT_EQ(error_of("workload: {mode: open, rate_iops: 100}"), "");
    EXPECT_EQ(error_of("workload: {size: 2k}"),
              "t.yaml:1:18: workload.size: a request of 4096 bytes does not fit into the 2048 "
              "bytes that are used");
    EXPECT_EQ(error_of("workload: {requests: 0, runtime_ms: 5}"), "");
}

TEST(Check, KeysWithoutEffectAreErrors)
{
    EXPECT_EQ(error_of("workload: {rwmixread: 70}"),
              "t.yaml:1:23: workload.rwmixread: has no effect because workload.rw is randread");
    EXPECT_EQ(error_of("workload: {rw: randrw, rwmixread: 70}"), "");
    EXPECT_THAT(error_of("workload: {rw: read, random_distribution: 'zipf:1.2'}"),
                HasSubstr("because workload.rw is read"));
    EXPECT_THAT(error_of("workload: {random_distribution: 'zipf:1.2', norandommap: false}"),
                HasSubstr("because workload.random_distribution is \"zipf:1.2\""));
    EXPECT_THAT(error_of("workload: {bssplit: 4k/100, bs: 4k}"),
                HasSubstr("workload.bs: has no effect because workload.bssplit is \"4k/100\""));
    EXPECT_THAT(error_of("workload: {rw: rw, reads: 1, writes: 1, rwmixread: 50}"),
                HasSubstr("'rw' is not"));
    EXPECT_THAT(error_of("workload: {rw: randrw, reads: 1, writes: 1, rwmixread: 50}"),
                HasSubstr("workload.rwmixread: has no effect because workload.reads is 1"));
    EXPECT_THAT(error_of("workload: {rate_process: poisson}"),
                HasSubstr("because workload.rate_iops is 0"));
    EXPECT_THAT(error_of("workload: {thinktime_blocks: 2}"),
                HasSubstr("because workload.thinktime_us is 0"));
    EXPECT_THAT(error_of("workload: {mode: open, rate_iops: 5, thinktime_us: 2}"),
                HasSubstr("because workload.mode is open"));
    for (const char* key : {"fua: true", "flush_every: 3", "trim_percent: 5"}) {
        EXPECT_THAT(error_of(std::string("workload: {rw: randread, ") + key + "}"),
                    HasSubstr("because workload.rw is randread"));
        EXPECT_EQ(error_of(std::string("workload: {rw: randwrite, ") + key + "}"), "");
    }
    for (const char* key : {"format: spc", "lenient: true", "devices: concat",
                            "time_scale: 2", "blkparse_action: Q"}) {
        EXPECT_THAT(error_of(std::string("workload: {") + key + "}"),
                    HasSubstr("has no effect because workload.trace is not given"));
    }
}

TEST(Check, DramPart)
{
    const auto with = [](const std::string& timing) {
        return error_of("dram: {model: banks, timing: {" + timing + "}}");
    };
    EXPECT_EQ(with("clock_ns: 1.5"), "");
    EXPECT_THAT(with("banks: 6"), HasSubstr("dram.timing.banks: 6 is not a power of two"));
    EXPECT_THAT(with("row_bytes: 3000"), HasSubstr("dram.timing.row_bytes: 3000 is not a power of two"));
    EXPECT_THAT(with("bus_bits: 24"), HasSubstr("dram.timing.bus_bits: 24 is not a power of two"));
    EXPECT_THAT(with("burst: 1"), HasSubstr("1 beats are not whole clocks of 2 beats"));
    EXPECT_THAT(with("row_bytes: 64, bus_bits: 128"), HasSubstr("a row of 64 bytes holds no burst of 128"));
    EXPECT_THAT(with("t_refi_us: 0.3"), HasSubstr("less than half its time"));
    EXPECT_EQ(with("t_refi_us: 0"), "") << "no refresh";
    EXPECT_THAT(error_of("dram: {timing: {banks: 8}}"), HasSubstr("dram.model"));
    EXPECT_THAT(error_of("dram: {model: banks, mb_per_s: 800}"), HasSubstr("dram.model"));
    EXPECT_THAT(error_of("dram: {model: bank}"), HasSubstr("banks"));
}

TEST(Check, DramArbitration)
{
    EXPECT_EQ(error_of("dram: {arbitration: round_robin, grant_bytes: 512}"), "");
    EXPECT_EQ(error_of("dram: {arbitration: priority, priority: cpu_link_flash, passed_over: 3}"), "");
    EXPECT_THAT(error_of("dram: {arbitration: priorty}"), HasSubstr("priority"));
    EXPECT_THAT(error_of("dram: {arbitration: priority, priority: link_flash}"), HasSubstr("link_flash_cpu"));
    EXPECT_THAT(error_of("dram: {arbitration: round_robin, grant_bytes: 768}"),
                HasSubstr("dram.grant_bytes: 768 is not a power of two"));
    EXPECT_THAT(error_of("dram: {arbitration: round_robin, grant_bytes: 128}"), HasSubstr("dram.grant_bytes"));
    EXPECT_THAT(error_of("dram: {grant_bytes: 512}"), HasSubstr("because dram.arbitration is fcfs"));
    EXPECT_THAT(error_of("dram: {arbitration: round_robin, passed_over: 4}"),
                HasSubstr("because dram.arbitration is round_robin"));
    EXPECT_THAT(error_of("dram: {arbitration: priority}\nsata: {fifo_kib: 64}"), HasSubstr("sata.fifo_kib: 64"));
    EXPECT_THAT(error_of("dram: {arbitration: priority}\ncontroller: {kind: rtl}"), HasSubstr("controller.kind: rtl"));
}

} // namespace
} // namespace tlmssd::config
