// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the shipped default device by NVMe registers: all I/O commands, two queues with weights, messages, resets.
#include <algorithm>

#include "models/ssd/include/tlmssd/ssd.h"
#include "tb/nvme_device/ssd_rig.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kUnit = 16; ///< sectors of a page of the map

struct NvmeDefault : NvmeSsd {
    static SsdNvmeConfig device()
    {
        SsdNvmeConfig config;
        config.file = "configs/ssd/default.yaml";
        return config;
    }
    void on_device(const std::function<void(NvmeMachine&)>& program, std::vector<std::string> sets = {})
    {
        sets.push_back("precondition.fill=0");
        run(program, sets, device());
    }
    static void expect_zeros(NvmeMachine& m, u64 at, u32 bytes)
    {
        EXPECT_EQ(std::count(m.ram.at(at), m.ram.at(at + bytes - 1) + 1, u8{0}), bytes);
    }
};

TEST_F(NvmeDefault, AllCommandsOnTwoQueuePairs)
{
    on_device([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        d.enable();
        EXPECT_EQ(d.run(0, d.entry(0x06, 1, d.data)).status, 0u);
        EXPECT_EQ(m.ram.get32(d.data), m.ssd.ssd().config().logical_sectors());
        d.create(1, 64, 5);
        d.create(2, 64, 6);
        const u64 copy = d.data + 0x80000;
        for (u32 id = 1; id <= 2; ++id) { // each writes and reads its part
            fill(m, d.data, 0x10000, id);
            EXPECT_EQ(d.run(id, d.blocks(0x01, 1000 * id, 128, d.data)).status, 0u);
        }
        for (u32 id = 1; id <= 2; ++id) { // and that of the other one
            EXPECT_EQ(d.run(id, d.blocks(0x02, 1000 * (3 - id), 128, copy)).status, 0u);
            EXPECT_EQ(first_wrong(m, copy, 0x10000, 3 - id), 0x10000u);
        }
        fill(m, d.data, 0x10000, 1);
        EXPECT_EQ(d.run(2, d.blocks(0x05, 1000, 128, d.data)).status, 0u) << "compare";
        *m.ram.at(d.data + 12345) ^= 0x10;
        EXPECT_EQ(d.run(2, d.blocks(0x05, 1000, 128, d.data)).status, 0x285u);
        const fw_stats& stats = m.ssd.ssd().firmware().stats;
        EXPECT_EQ(stats.host_pages_written, 0u) << "in the write buffer";
        EXPECT_EQ(d.run(1, d.entry(0x00, 1)).status, 0u) << "flush";
        EXPECT_EQ(stats.host_pages_written, 9u + 8u) << "from the middle of a page, and from its start";
        const u32 first = (1000 + kUnit - 1) / kUnit * kUnit;
        m.ram.put32(d.data + 4, 2 * kUnit); // a range: two pages
        m.ram.put32(d.data + 8, first);
        m.ram.put32(d.data + 12, 0);
        EXPECT_EQ(d.run(1, d.entry(0x09, 1, d.data, 0, 0, 4)).status, 0u) << "deallocate";
        EXPECT_EQ(d.run(1, d.entry(0x08, 1, 0, 0, 2000, 0, 15)).status, 0u) << "write zeroes";
        EXPECT_EQ(d.run(1, d.blocks(0x02, first, 2 * kUnit, copy)).status, 0u);
        expect_zeros(m, copy, 2 * kUnit * 512);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 2000, 16, copy)).status, 0u);
        expect_zeros(m, copy, 16 * 512);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 2016, 112, copy)).status, 0u);
        fill(m, d.data, 0x10000, 2);
        EXPECT_EQ(std::memcmp(m.ram.at(copy), m.ram.at(d.data + 16 * 512), 112 * 512), 0) << "the rest is as it was";
        m.cpu.pause(1); // the last message comes after its entry
        EXPECT_EQ(std::count(m.messages.vectors.begin(), m.messages.vectors.end(), 5u), 8) << "commands of queue 1";
        EXPECT_EQ(std::count(m.messages.vectors.begin(), m.messages.vectors.end(), 6u), 4) << "of queue 2";
    });
}

// Rounds of 3 commands of high priority and 1 of low; both go to one completion queue, which shows the order.
TEST_F(NvmeDefault, WeightedRoundRobin)
{
    on_device(
        [](NvmeMachine& m) {
            NvmeDriver& d = m.driver;
            d.enable(32, NvmeDriver::kEnableWeighted);
            EXPECT_EQ(d.run(0, d.entry(0x09, 0, 0, 0, 1, 2u << 24)).status, 0u) << "HPW 2, LPW 0, AB 0";
            d.create(3, 256, 1);
            d.create_sq(1, 64, 3, 1);
            d.create_sq(2, 64, 3, 3);
            for (u32 i = 0; i < 60; ++i) {
                d.put(1, d.blocks(0x02, i * kUnit, 8, d.data));
                d.put(2, d.blocks(0x02, (1000 + i) * kUnit, 8, d.data));
            }
            d.ring(2);
            d.ring(1);
            u32 high = 0;
            u32 low_before = 0; // before the last of high priority
            for (u32 i = 0; i < 120; ++i) {
                const NvmeAnswer a = d.take(3);
                EXPECT_EQ(a.status, 0u);
                high += a.sq == 1;
                low_before += a.sq == 2 && high < 60;
            }
            EXPECT_EQ(high, 60u);
            // 19 rounds are over before the last one of high priority; the device has 7 commands that may pass others.
            EXPECT_GE(low_before, 19u - 7u);
            EXPECT_LE(low_before, 19u + 7u);
        },
        {"host.queue_depth=8"});
}

TEST_F(NvmeDefault, ResetWithCommandsInFlight)
{
    on_device([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        fill(m, d.data, 0x8000, 7);
        for (u32 round = 0; round < 4; ++round) {
            d.enable();
            d.create(1, 64, 1);
            d.create(2, 64, 2);
            for (u32 i = 0; i < 24; ++i) {
                d.put(1 + i % 2, d.blocks(i % 3 == 0 ? 0x02 : 0x01, i * 64, 64, d.data));
            }
            d.put(2, d.entry(0x00, 1));
            d.ring(1);
            d.ring(2);
            m.cpu.pause(2 + 40.0 * round);
            const std::size_t messages = m.messages.vectors.size();
            m.cpu.write(0x14, 0);
            EXPECT_TRUE(m.cpu.until(0x1c, 1, 0));
            EXPECT_LE(m.messages.vectors.size(), messages + 1) << "one may be on the link";
        }
        d.enable();
        d.create(1);
        fill(m, d.data, 0x8000, 8);
        EXPECT_EQ(d.run(1, d.blocks(0x01, 640, 64, d.data)).status, 0u);
        EXPECT_EQ(d.run(1, d.entry(0x00, 1)).status, 0u);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 640, 64, d.data + 0x10000)).status, 0u);
        EXPECT_EQ(first_wrong(m, d.data + 0x10000, 0x8000, 8), 0x8000u);
    });
}

} // namespace
} // namespace tlmssd::tb
