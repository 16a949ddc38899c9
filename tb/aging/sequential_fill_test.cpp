// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device that was filled by arithmetic is the device that was written: in all its memory, and in what it does
// next.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/aging/sequential_fill.h"
#include "tb/aging/device.h"

namespace tlmssd::tb {
namespace {

/// A device with a row (one page of each plane) of 8 pages, and 128 page buffers: all powers of two.
const char* const kEven = "geometry: {channels: 2, ways: 1, dies: 2, planes: 2, blocks: 400, pages: 16}\n";
/// Rows of 6 pages and blocks of 24: neither divides the commands of 32 pages or the buffer.
const char* const kOdd = "geometry: {channels: 3, ways: 1, dies: 1, planes: 2, blocks: 600, pages: 24}\n";

std::string device(const std::string& more, bool arithmetic)
{
    return "nand: {page_bytes: 8192, spare_bytes: 448}\nhost: {kind: direct}\n"
           "precondition: {fill: 0.9, overwrite: 0.01, arithmetic: " +
           std::string(arithmetic ? "true" : "false") + "}\n" + more;
}

struct Pair {
    explicit Pair(const std::string& more) : written(device(more, false)), filled(device(more, true)) {}
    void expect_the_same()
    {
        EXPECT_TRUE(filled.content() == written.content());
        EXPECT_EQ(filled.different_words(written), 0u);
    }
    Device written, filled;
};

struct Filled : testing::TestWithParam<std::string> {};

TEST_P(Filled, IsTheSameAndGoesOnInTheSameWay)
{
    Pair pair(GetParam());
    const aging::PreconditionReport by_writes = pair.written.age();
    const aging::PreconditionReport by_rule = pair.filled.age();
    EXPECT_EQ(by_rule.filled, by_writes.filled);
    EXPECT_EQ(by_rule.overwritten, by_writes.overwritten);
    EXPECT_EQ(by_rule.programs, by_writes.programs);
    EXPECT_EQ(by_rule.waf_programs, by_writes.waf_programs);
    EXPECT_EQ(by_rule.waf_written, by_writes.waf_written);
    EXPECT_EQ(by_writes.by_arithmetic, 0u);
    pair.expect_the_same();
    pair.filled.go_on();
    pair.written.go_on();
    EXPECT_GT(pair.filled.image.state().stats.gc_blocks_erased, 0u);
    pair.expect_the_same();
}

const char* const kFtl = "ftl: {over_provisioning: 0.5}\n";
const char* const kBuffer = "buffer: {size_mib: 1}\n";

std::vector<std::string> devices()
{
    std::vector<std::string> all;
    for (const std::string shape : {kEven, kOdd}) {
#define SCHED(id, name, ...) all.push_back(shape + kFtl + kBuffer + "scheduler: " #name "\n");
#include "firmware/hal/sched.def"
#undef SCHED
#define BUFFER_POLICY(id, name, text) all.push_back(shape + kFtl + "buffer: {size_mib: 1, policy: " #name "}\n");
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
        for (const char* const more : {"tables_inside: true", "free_pages: 8", "power: capacitors", "read_ahead: 4",
                                       "evict: on_demand", "reads: bypass", "write: through"}) {
            all.push_back(shape + kFtl + "buffer: {size_mib: 1, " + more + "}\n");
        }
#define GC_POLICY(id, name, text) \
    all.push_back(shape + "ftl: {over_provisioning: 0.5, gc: {policy: " #name "}}\n" + kBuffer);
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
        for (const char* const more : {"allocation: DPWC", "placement: static", "lockstep: true",
                                       "wear: {policy: both}", "gc: {scope: channel}", "gc: {copyback: true}",
                                       "gc: {separate: false}", "gc: {share: 0.5}", "gc: {hard_blocks: 2}"}) {
            all.push_back(shape + "ftl: {over_provisioning: 0.5, " + more + "}\n" + kBuffer);
        }
        for (const char* const more : {"cpu: {cores: 4}\n", "prefetch: {mode: two_phase}\n",
                                       "controller: {tags: 100}\n", "vaq: {join_adjacent: true}\nscheduler: vaq\n"}) {
            all.push_back(shape + kFtl + kBuffer + more);
        }
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(Devices, Filled, testing::ValuesIn(devices()),
                         [](const auto& test) { return "device" + std::to_string(test.index); });

/// Where the last writes do not decide everything, all are done. 0.9 x 34,133 pages, of which 8 x 128 are written at
/// least.
TEST(Fill, IsByArithmeticWhereThatGivesTheSame)
{
    const auto by_arithmetic = [](const std::string& more) {
        Device d(device(kEven + more, true));
        const aging::PreconditionReport report = d.age();
        EXPECT_EQ(d.store.ruled_bytes() == 0, report.by_arithmetic == 0) << more;
        return static_cast<double>(report.by_arithmetic) / static_cast<double>(report.filled);
    };
    for (const char* const name : {"serial", "barrier", "inorder", "vaq", "host", "paq0", "paq1", "paq2"}) {
        EXPECT_GT(by_arithmetic(std::string(kFtl) + kBuffer + "scheduler: " + name + "\n"), 0.9) << name;
    }
    for (const char* const name : {"none", "lru", "fifo", "ccf_lru", "gating"}) {
        EXPECT_GT(by_arithmetic(std::string(kFtl) + "buffer: {size_mib: 1, policy: " + name + "}\n"), 0.9) << name;
    }
    for (const char* const name : {"sost", "hybrid"}) {
        EXPECT_EQ(by_arithmetic(std::string(kFtl) + kBuffer + "scheduler: " + name + "\n"), 0) << name;
    }
    for (const char* const more : {"policy: clock", "policy: cflru", "policy: lru_wsr", "policy: ref", "policy: bplru",
                                   "policy: cave", "policy: cawr", "policy: cawr_block", "write: through"}) {
        EXPECT_EQ(by_arithmetic(std::string(kFtl) + "buffer: {size_mib: 1, " + more + "}\n"), 0) << more;
    }
    for (const char* const more : {"mapping: log_block", "mapping_unit: 4KiB", "placement: queue_aware",
                                   "write_points: channel"}) {
        EXPECT_EQ(by_arithmetic("ftl: {over_provisioning: 0.5, " + std::string(more) + "}\n" + kBuffer), 0) << more;
    }
    EXPECT_EQ(by_arithmetic(std::string(kFtl) + kBuffer + "data: full\n"), 0);
    // Its map reads back table pages that it has written.
    EXPECT_EQ(by_arithmetic("ftl: {over_provisioning: 0.5, mapping: dftl, map: {cache_kib: 16}}\n"
                            "buffer: {size_mib: 1, policy: none}\n"), 0);
}

/// A row of 8 planes x 16 pages = 128 pages; buffer of 128 pages, of which 8 turns are written: 1024 pages. Of 10,240
/// pages 9216 are left. The buffer turns in 256 pages, so 36 periods. A rehearsal
/// writes 256 + 2 x 1024 = 2304 pages, and a fill of four times as many is worth it.
TEST(Fill, LeavesTheLastTurnsOfTheBufferAndTheLastBlocks)
{
    fw_config f{};
    f.channels = 2;
    f.ways = 1;
    f.dies = 2;
    f.planes = 2;
    f.blocks = 200;
    f.pages = 16;
    f.lines = 128;
    u64 turn = 256;
    const auto filled = [&](u64 pages) { return aging::plan_fill(f, pages, 32, turn).pages; };
    EXPECT_EQ(filled(10240), 9216u);
    EXPECT_EQ(aging::plan_fill(f, 10240, 32, turn).period, 256u);
    EXPECT_EQ(aging::plan_fill(f, 10240, 32, turn).written, 1024u);
    EXPECT_EQ(filled(4 * 2304), 8192u);
    EXPECT_EQ(filled(4 * 2304 - 1), 0u);
    f.blocks = 72; // 4 are kept, and those of collection
    f.gc_threshold = 6;
    EXPECT_EQ(filled(10240), 62 * 128u);
    f.lines = 96;
    turn = 96; // 12 pages of each plane; 62 x 128 = 7936 pages are not kept: 82 periods
    EXPECT_EQ(aging::plan_fill(f, 10240, 32, turn).period, 96u);
    EXPECT_EQ(filled(10240), 82 * 96u);
    f.planes = 5; // 20 planes, rows of 320: lcm(20, 96) = 480
    EXPECT_EQ(aging::plan_fill(f, 10240, 32, turn).period, 480u);
    f.block_pages = 64; // of a buffer policy: lcm(480, 64) = 960
    EXPECT_EQ(filled(4 * (960 + 2 * 768)), 9 * 960u) << "9984 - 768 = 9216 pages";
    f.pages = 100; // a row of 2000 pages is more than 8 turns of the buffer
    EXPECT_EQ(aging::plan_fill(f, 100000, 32, turn).written, 2000u);
    f.blocks = 10;
    EXPECT_EQ(filled(10240), 0u);
}

/// Order CWDP of 2 x 1 x 2 x 2: channels first, then dies, then planes. Page 3 of block 1 is turn 19 of 8 pages.
TEST(Fill, KnowsThePageOfEachPlace)
{
    Geometry g;
    g.channels = 2;
    g.ways = 1;
    g.dies = 2;
    g.planes = 2;
    g.blocks = 4;
    g.pages = 16;
    g.page_bytes = 8192;
    const u32 cwdp[4] = {0, 1, 2, 3};
    const aging::SequentialPages pages(g, cwdp);
    UnitTag tags[2];
    u8 oob[kOobBytes];
    pages.page({3, 1, 1, 3}, tags, oob); // channel 1, die 1, plane 1: the last of its turn
    const u32 lpn = 19 * 8 + 7;
    EXPECT_EQ(tags[0], (UnitTag{2 * lpn + 1, 1}));
    EXPECT_EQ(tags[1], (UnitTag{2 * lpn + 2, 1}));
    EXPECT_EQ(oob[0], lpn);
    EXPECT_EQ(oob[4], lpn) << "its sequence number: it is the 159th program";
    EXPECT_EQ(oob[10], 1) << "user data";
    pages.page({2, 0, 0, 0}, tags, oob); // channel 1, die 0, plane 0
    EXPECT_EQ(tags[0], (UnitTag{2 * 1 + 1, 1}));
}

} // namespace
} // namespace tlmssd::tb
