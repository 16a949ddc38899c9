// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rules of schedulers and FTL that join several keys, each at its edge.
#include "tb/config/cases.h"

namespace tlmssd::config {
namespace {

const std::string kSixteenPlanes = "nand: {planes: 1}\n"
                                   "geometry: {channels: 4, ways: 4, dies: 1, planes: 1, blocks: 64, pages: 256}\n";
const std::vector<std::string> kSetPolicies{"gating", "cave", "cawr", "cawr_block"};

// sost.ranges_mib is a text of its own; the device has 8 GiB raw.
TEST(Check, PriorityRangesAreWholeMibInTheDevice)
{
    const std::string head = "scheduler: sost\nsost: {ranges_mib: ";
    expect_all(head, {
        {"0-64:3}", ""},
        {"'0-64:3, 100-999999:1'}", ""},
        {"'$'}", "is not FIRST-END:PRIORITY",
         {"64", "0-64", "64-64:1", "65-64:1", "0-1:0", "0-1:4", "a-b:1", "0-1:1,", "-1-5:2", "0-1.5:1", "0-1:2:3"}},
        {"'0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1,0-1:1'}", "9 ranges; there are at most 8"},
        {"900000-900001:1}", "lie beyond the device's"},
    });
}

TEST(Check, SostKeysNeedTheirScheduler)
{
    expect_all({
        {"sost: {leveler: false}", "has no effect because scheduler is inorder"},
        {"scheduler: sost\nsost: {priorities: false, reads_first: true}",
         "has no effect because sost.priorities is false"},
        {"scheduler: sost\nsost: {hit_manager: false, hot_hits: 2}",
         "has no effect because sost.hit_manager is false"},
        {"scheduler: sost\nsost: {return_reads: 2}\nbuffer: {policy: none}",
         "has no effect because buffer.policy is none"},
        {"scheduler: sost\nsost: {return_reads: 2, hot_hits: none}", ""},
        {"scheduler: sost\nsost: {queue_pages: as_free_pages}", ""},
        {"scheduler: sost\nsost: {queue_pages: 4}\nbuffer: {write: through}",
         "has no effect because buffer.write is through"},
        {"scheduler: sost\nsost: {queue_pages: 4}\nbuffer: {policy: cawr}",
         "has no effect because buffer.policy is cawr"},
        {"scheduler: sost\nsost: {queue_pages: 4}\nbuffer: {evict: on_demand}",
         "has no effect because buffer.evict is on_demand"},
    });
}

TEST(Check, PlacementFitsItsScheduler)
{
    expect_all({
        {"ftl: {placement: static}", ""},
        {"ftl: {placement: static}\nscheduler: vaq", ""},
        {"ftl: {placement: static}\nscheduler: $",
         "t.yaml:1:18: ftl.placement: static: scheduler $ chooses the dies of writes itself; use order, or "
         "scheduler vaq",
         {"sost", "hybrid"}},
        {"ftl: {write_points: channel}", ""},
        {"ftl: {write_points: channel, placement: queue_aware}", "ftl.write_points: channel: one block of a channel"},
        {"ftl: {write_points: channel, lockstep: true}", "no ftl.lockstep"},
        {"scheduler: hybrid\nftl: {write_points: channel}",
         "scheduler hybrid chooses the dies of writes itself; use plane"},
        {"ftl: {lockstep: true}", ""},
        {"scheduler: sost\nftl: {lockstep: true}", "chooses the planes of writes itself"},
        {"ftl: {lockstep: true, placement: static}",
         "t.yaml:1:17: ftl.lockstep: the LPN or the work of dies chooses planes (ftl.placement is static); "
         "lockstep needs order"},
        {"ftl: {lockstep: true, placement: queue_aware}", "(ftl.placement is queue_aware); lockstep needs order"},
        {"ftl: {placement: statik}", "static"},
    });
}

TEST(Check, CopybackHasItsSchedulersAndControllers)
{
    expect_all({
        {"scheduler: $\nftl: {gc: {copyback: true, copyback_limit: 1}}",
         "", {"serial", "barrier", "inorder", "host"}},
        {"scheduler: $\nftl: {gc: {copyback: true}}",
         "ftl.gc.copyback: true conflicts with scheduler $", {"vaq", "paq0", "paq1", "paq2", "sost", "hybrid"}},
        {"ftl: {mapping: dftl, gc: {copyback: true}}", "ftl.gc.copyback: true conflicts with ftl.mapping: dftl"},
        {"ftl: {gc: {copyback: true, separate: false}}", "ftl.gc.copyback: true needs ftl.gc.separate: true"},
        {"ftl: {gc: {copyback_limit: 2}}", "has no effect because ftl.gc.copyback is false"},
        {"ftl: {gc: {copyback: true, copyback_limit: 256}}", "255"},
    });
}

TEST(Check, JoinWindowHasItsRange)
{
    expect_all({
        {"scheduler: vaq\nvaq: {join_window: 1024}", ""},
        {"scheduler: vaq\nvaq: {join_window: 0}", "vaq.join_window"},
        {"scheduler: vaq\nvaq: {join_window: 1025}", "1024"},
        {"scheduler: vaq\nvaq: {conflict: chip}", "package"},
    });
}

TEST(Check, VaqKeysNeedTheirScheduler)
{
    expect_all({
        {"vaq: {$}", "has no effect because scheduler is inorder",
         {"block: request", "join_adjacent: false", "join_window: 8", "conflict: package"}},
    });
}

TEST(Check, CollectionNeedsEightBlocksBesideItsThreshold)
{
    const std::string head = "ftl: {over_provisioning: 9, gc: {threshold_blocks: 5}}\n"
                             "geometry: {blocks: ";
    expect_all(head, {
        {"13}", ""},
        {"12}", "geometry.blocks: 12 blocks per plane; garbage collection needs at least 13"},
    });
}

// 64 blocks - 4 - 3 = 57 usable; 64 / 57 - 1 = 0.12281.
TEST(Check, OverProvisioningLeavesRoomForTheReserve)
{
    const std::string head = "geometry: {blocks: 64}\nftl: {over_provisioning: ";
    expect_all(head, {
        {"0.123}", ""},
        {"0.12}",
         "t.yaml:2:26: ftl.over_provisioning: 0.12 leaves 14629 logical...only 14592 fit beside 7 reserved "
         "blocks of 64...at least 0.123 or more blocks..."},
    });
}

// 16 dies of one plane. 57 usable blocks of 256 pages are 14592 pages a plane. With 0.1229 the logical
// pages are floor(262144 / 1.1229) = 233452, 14590.8 a plane. Table pages: 233452 / 8192 -> 29, and a bit
// for each of 16 x 64 blocks: 1. 233482 / 16 -> 14593 a plane do not fit.
TEST(Check, TablePagesTakeLogicalSpace)
{
    const std::string head = kSixteenPlanes + "ftl: {over_provisioning: 0.1229, recovery: ";
    expect_all(head, {
        {"none}", ""},
        {"scan}", "leaves 14593 logical pages per plane, but only 14592 fit"},
    });
}

TEST(Check, RecoveryNeedsCopiesOfTheirOwnAndARoomierThreshold)
{
    expect_all({
        {"ftl: {recovery: scan, gc: {separate: false}}",
         "ftl.gc.separate: false conflicts with ftl.recovery: scan"},
        {"ftl: {recovery: scan, gc: {threshold_blocks: 2}}",
         "ftl.gc.threshold_blocks: 2 conflicts with ftl.recovery: scan"},
        {"ftl: {recovery: scan, gc: {threshold_blocks: 3}}", ""},
        {"ftl: {recovery: scann}", "did you mean 'scan'?"},
        {"ftl: {recovery: journal, gc: {separate: false}}",
         "ftl.gc.separate: false conflicts with ftl.recovery: journal"},
        {"ftl: {recovery: jurnal}", "did you mean 'journal'?"},
    });
}

// 4 x (54 + 3 x 255) = 3276 bytes for 256 pages; 2048 bytes hold 152 entries.
TEST(Check, AJournalPageHoldsABlock)
{
    const std::string small = "nand: {page_bytes: 2048}\nftl: {recovery: journal}\n";
    expect_all(small, {
        {"geometry: {pages: 256}",
         "ftl.recovery: journal needs 3276 bytes for a block of 256 pages, more than a page of 2048"},
        {"geometry: {pages: 154}", "journal needs 2052 bytes"},
        {"geometry: {pages: 153}", ""},
        {"geometry: {pages: 1}", "blocks have one page"},
    });
}

// As above, with 255 data pages in 57 blocks: 14535. Logical pages floor(262144 / 1.128) = 232397, and 29 + 1:
// 232427 / 16 -> 14527. With 0.127: 232603, 232633 / 16 -> 14540. 16384 / 14535 = 1.1272: 0.128.
TEST(Check, JournalPagesTakeAPageOfEachBlock)
{
    const std::string head = kSixteenPlanes + "ftl: {recovery: journal, over_provisioning: ";
    expect_all(head, {
        {"0.128}", ""},
        {"0.127}", "leaves 14540 logical pages per plane, but only 14535 fit...at least 0.128"},
    });
}

// 16 planes need 4 x 16 + 64 = 128 entries of 32 bytes: 4 KiB.
TEST(Check, ACachedMapNeedsEntriesForAllPlanes)
{
    const std::string head = kSixteenPlanes + "ftl: {over_provisioning: 0.28, mapping: dftl, ";
    expect_all(head, {
        {"map: {cache_kib: 4}}", ""},
        {"map: {cache_kib: 3}}",
         "ftl.map.cache_kib: 3 hold 96 entries; 16 planes need 128 (4 each and 64): use 4 or more"},
        {"map: {planes: 17}}", "17 planes hold translation pages, but the device has 16"},
        {"map: {buffers: 1}}", "ftl.map.buffers: '1' is out of range: 2 to 256"},
        {"recovery: scan}", "ftl.mapping: dftl conflicts with ftl.recovery: scan"},
        {"gc: {copyback: true}}", "ftl.gc.copyback: true conflicts with ftl.mapping: dftl"},
    });
    expect_all({
        {"ftl: {mapping: dtfl}", "did you mean 'dftl'?"},
        {"ftl: {map: {cache_kib: 64}}", "ftl.map.cache_kib"},
    });
}

// 16 planes of 64 blocks of 256 pages; 0.1229 leaves 14591 logical pages a plane (above), and 57 blocks, 14592
// pages, fit without translation pages. 233452 logical pages, 2048 to a page of 8 KiB, are 114 translation
// pages, 8 a plane: one block and three. 53 blocks are 13568 pages; 64 / 53 - 1 = 0.2075...
TEST(Check, TranslationPagesTakeBlocks)
{
    const std::string head = kSixteenPlanes + "ftl: {over_provisioning: ";
    expect_all(head, {
        {"0.1229}", ""},
        {"0.1229, mapping: dftl}",
         "leaves 14591 logical pages per plane, but only 13568 fit beside 11 reserved blocks of 64; needs at "
         "least 0.208"},
        {"0.208, mapping: dftl}", ""},
    });
}

TEST(Check, KeysOfClumpingNeedASchedulerThatClumps)
{
    expect_all({
        {"scheduler: paq1\npaq: {cluster_limit: die, wait: block}", ""},
        {"scheduler: paq2\npaq: {age_limit_us: 2000}", ""},
        {"scheduler: paq0\npaq: {wait: block}", "paq.wait: has no effect because scheduler is paq0"},
        {"scheduler: vaq\npaq: {age_limit_us: 2000}", "paq.age_limit_us: has no effect because scheduler is vaq"},
        {"paq: {cluster_limit: die}", "paq.cluster_limit: has no effect because scheduler is inorder"},
    });
}

TEST(Check, MappingUnitsRefuseWhatNeedsWholePages)
{
    const std::string part = "nand: {page_bytes: 16384, spare_bytes: 1792}\n";
    const std::string units = part + "ftl: {over_provisioning: 0.28, mapping_unit: 4KiB";
    expect_all(units, {
        {"}", ""},
        {", recovery: scan}", "conflicts with ftl.recovery: scan"},
        {", mapping: dftl}", "conflicts with ftl.mapping: dftl"},
        {", gc: {copyback: true}}", "conflicts with ftl.gc.copyback: true"},
        {", placement: static}", "conflicts with ftl.placement: static"},
        {"}\nscheduler: $", "conflicts with scheduler $", {"sost", "hybrid"}},
        {"}\nbuffer: {policy: $}", "conflicts with buffer.policy: $", kSetPolicies},
    });
    EXPECT_EQ(from(part).mapping_bits(), 0u);
    EXPECT_EQ(from(units + "}").mapping_bits(), 2u);
    expect_all({
        {"nand: {page_bytes: 4096, spare_bytes: 224}\nftl: {mapping_unit: 4KiB}",
         "ftl.mapping_unit: 4KiB: pages of 4096 bytes"},
    });
    expect_all(part, {
        {"ftl: {mapping_unit: 4kib}", "4KiB"},
    });
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
    expect_all(factor, {
        {"0.45}", ""}, // 4 / 0.45 is 8.9
        {"0.4}", "ftl.write_size_factor: 0.4 puts more than 8 units"},
        {"0.5}\ndata: full", "conflicts with data: full"},
    });
    expect_all(part, {
        {"ftl: {over_provisioning: 0.28, write_size_factor: 0.5}", "has no effect because ftl.mapping_unit is page"},
    });
    expect_all({
        {"nand: {page_bytes: 16384, spare_bytes: 1792, errors: {enabled: true}}\n"
         "ftl: {over_provisioning: 0.28, mapping_unit: 4KiB, write_size_factor: 0.5}",
         "conflicts with nand.errors.enabled: true"},
        {"nand: {page_bytes: 4096, spare_bytes: 224}\n"
         "ftl: {over_provisioning: 0.28, mapping_unit: 4KiB, write_size_factor: 0.7}",
         "pages of 4096 bytes (nand.page_bytes) hold no two units of 0.7 times their size"},
    });
}

} // namespace
} // namespace tlmssd::config
