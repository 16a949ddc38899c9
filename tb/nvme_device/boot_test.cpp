// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the register accesses and commands of drivers and firmware that are in use, in their order: Linux 6.1,
// SeaBIOS, and those with queues of two entries (EDK2, U-Boot); function level reset.
#include <utility>

#include "models/ssd/include/tlmssd/ssd.h"
#include "tb/nvme_device/ssd_rig.h"

namespace tlmssd::tb {
namespace {

struct NvmeBoot : NvmeSsd {
    void boot(const std::function<void(NvmeMachine&)>& program) { run(program, {"buffer.policy=lru"}); }
    static bool holds(NvmeMachine& m, u64 at, u32 bytes, u64 seed) { return first_wrong(m, at, bytes, seed) == bytes; }
    /// Interrupt messages so far; that of the last entry comes after the entry.
    static std::vector<u32> messages(NvmeMachine& m)
    {
        m.cpu.pause(1);
        return std::exchange(m.messages.vectors, {});
    }
};

/// Disabled, admin queues of 32 entries, enabled.
void linux_enable(NvmeMachine& m)
{
    NvmeDriver& d = m.driver;
    m.cpu.write(0x14, 0);
    EXPECT_TRUE(m.cpu.until(0x1c, 1, 0)) << "RDY";
    d.place(0, 32);
    m.cpu.write(0x24, 0x001f001f); // AQA
    m.cpu.write(0x28, static_cast<u32>(d.pairs[0].sq));
    m.cpu.write(0x2c, 0);
    m.cpu.write(0x30, static_cast<u32>(d.pairs[0].cq));
    m.cpu.write(0x34, 0);
    m.cpu.write(0x14, 0x00460000);
    m.cpu.write(0x14, 0x00460001);
    EXPECT_TRUE(m.cpu.until(0x1c, 1, 1)) << "RDY";
}

void linux_remove(NvmeMachine& m)
{
    NvmeDriver& d = m.driver;
    EXPECT_EQ(d.run(0, d.entry(0x00, 0, 0, 0, 1)).status, 0u) << "Delete I/O SQ";
    EXPECT_EQ(d.run(0, d.entry(0x04, 0, 0, 0, 1)).status, 0u) << "Delete I/O CQ";
    m.cpu.write(0x14, 0x00464001);
    EXPECT_TRUE(m.cpu.until(0x1c, 0xc, 0x8)) << "SHST";
}

TEST_F(NvmeBoot, Linux)
{
    boot([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        EXPECT_EQ(m.ssd.register_bytes(), 8192u) << "it is mapped as 8 KiB first";
        const u32 cap = m.cpu.read(0x00);
        EXPECT_EQ(cap & 0xffff, 1023u) << "MQES";
        EXPECT_NE(cap >> 24, 0u) << "TO";
        EXPECT_EQ(m.cpu.read(0x04) & 0x000f002f, 0x20u) << "DSTRD, CSS, MPSMIN";
        EXPECT_EQ(m.cpu.read(0x08), 0x00010400u) << "VS";
        EXPECT_EQ(m.cpu.read(0x1c), 0u) << "CSTS";
        linux_enable(m);
        EXPECT_EQ(m.cpu.read(0x3c), 0u) << "CMBSZ";

        EXPECT_EQ(d.run(0, d.entry(0x06, 0, d.data, 0, 1)).status, 0u) << "Identify Controller";
        EXPECT_EQ(*m.ram.at(d.data + 77), 5u) << "MDTS: 128 KiB";
        EXPECT_EQ(m.ram.get32(d.data + 80), 0x00010400u) << "VER";
        EXPECT_EQ(*m.ram.at(d.data + 111), 1u) << "CNTRLTYPE";
        EXPECT_EQ(m.ram.get32(d.data + 92), 0u) << "OAES";
        EXPECT_EQ(*m.ram.at(d.data + 512), 0x66u) << "SQES";
        EXPECT_EQ(*m.ram.at(d.data + 513), 0x44u) << "CQES";
        EXPECT_EQ(m.ram.get32(d.data + 516), 1u) << "NN";
        EXPECT_EQ(*m.ram.at(d.data + 525) & 1, 1u) << "VWC";
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(m.ram.at(d.data + 768)), 4), "nqn.");
        EXPECT_EQ(d.run(0, d.entry(0x09, 0, 0, 0, 7, 0)).status, 0u) << "one pair";
        d.pairs[1] = {1024, kRam + 0x100000, kRam + 0x120000};
        EXPECT_EQ(d.run(0, d.entry(0x05, 0, d.pairs[1].cq, 0, 1 | 1023u << 16, 3 | 1u << 16)).status, 0u);
        EXPECT_EQ(d.run(0, d.entry(0x01, 0, d.pairs[1].sq, 0, 1 | 1023u << 16, 1 | 1u << 16)).status, 0u);
        EXPECT_EQ(d.run(0, d.entry(0x06, 0, d.data, 0, 6)).status, 0x002u) << "CNS 6, of NVMe 2.0";
        EXPECT_EQ(d.run(0, d.entry(0x06, 0, d.data, 0, 2)).status, 0u) << "namespaces";
        EXPECT_EQ(m.ram.get32(d.data), 1u);
        EXPECT_EQ(m.ram.get32(d.data + 4), 0u) << "only that";
        EXPECT_EQ(d.run(0, d.entry(0x06, 1, d.data, 0, 3)).status, 0u) << "descriptors";
        EXPECT_EQ(m.ram.get32(d.data) & 0xffff, 0x0801u) << "EUI64";
        for (u32 i = 0; i < 2; ++i) {
            EXPECT_EQ(d.run(0, d.entry(0x06, 1, d.data, 0, 0)).status, 0u) << "Identify Namespace";
        }
        const u64 sectors = m.ssd.ssd().config().logical_sectors();
        EXPECT_EQ(m.ram.get32(d.data), sectors) << "NSZE";
        EXPECT_EQ(m.ram.get32(d.data + 128) >> 16 & 0xff, 9u) << "LBADS";
        EXPECT_EQ(messages(m), std::vector<u32>(9, 0)) << "one for each admin command";

        EXPECT_EQ(d.run(1, d.blocks(0x02, 0, 8, d.data)).status, 0u) << "partition table";
        for (u32 round = 0; round < 90; ++round) { // through the end of both queues
            for (u32 i = 0; i < 24; ++i) {
                d.put(1, d.blocks(0x02, (round + i) * 8 % (sectors - 8), 8, d.data + i * 4096));
            }
            d.ring(1);
            for (u32 i = 0; i < 24; ++i) {
                EXPECT_EQ(d.take(1).status, 0u);
            }
        }
        fill(m, d.data, 128 * 1024, 1);
        EXPECT_EQ(d.run(1, d.blocks(0x01, 40, 256, d.data)).status, 0u) << "128 KiB by a PRP list";
        EXPECT_EQ(d.run(1, d.entry(0x00, 1)).status, 0u) << "Flush";
        EXPECT_EQ(d.run(1, d.blocks(0x02, 40, 256, d.data + 0x40000)).status, 0u);
        EXPECT_TRUE(holds(m, d.data + 0x40000, 128 * 1024, 1));
        EXPECT_EQ(messages(m), std::vector<u32>(1 + 90 * 24 + 3, 1));
        linux_remove(m);
    });
}

// Polled, 256 and 64 entries, no interrupts.
TEST_F(NvmeBoot, SeaBios)
{
    boot([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        m.cpu.write(0x14, 0);
        EXPECT_TRUE(m.cpu.until(0x1c, 1, 0));
        d.pairs[0] = {256, kRam, kRam + 0x8000};
        m.cpu.write(0x24, 255u << 16 | 255u);
        m.cpu.write(0x28, kRam);
        m.cpu.write(0x30, kRam + 0x8000);
        m.cpu.write(0x14, 0x00460001);
        EXPECT_TRUE(m.cpu.until(0x1c, 1, 1));
        EXPECT_EQ(d.run(0, d.entry(0x06, 0, d.data, 0, 1)).status, 0u);
        d.pairs[1] = {64, kRam + 0x10000, kRam + 0x18000};
        EXPECT_EQ(d.run(0, d.entry(0x05, 0, d.pairs[1].cq, 0, 1 | 63u << 16, 1)).status, 0u);
        EXPECT_EQ(d.run(0, d.entry(0x01, 0, d.pairs[1].sq, 0, 1 | 63u << 16, 1 | 1u << 16)).status, 0u);
        EXPECT_EQ(d.run(0, d.entry(0x06, 1, d.data, 0, 0)).status, 0u);
        messages(m);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 0, 1, d.data)).status, 0u) << "the boot sector";
        EXPECT_EQ(d.run(1, d.blocks(0x02, 63, 63, d.data + 512)).status, 0u);
        EXPECT_THAT(messages(m), testing::IsEmpty()) << "IEN is 0";
    });
}

TEST_F(NvmeBoot, QueuesOfTwoEntries)
{
    boot([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        d.enable(2);
        EXPECT_EQ(d.run(0, d.entry(0x06, 0, d.data, 0, 1)).status, 0u);
        EXPECT_EQ(d.run(0, d.entry(0x06, 1, d.data, 0, 0)).status, 0u);
        EXPECT_EQ(d.run(0, d.entry(0x09, 0, 0, 0, 7, 0x00010001)).status, 0u) << "two pairs";
        d.create(1, 2);
        d.create(2, 2);
        fill(m, d.data, 4096, 2);
        for (u32 i = 0; i < 5; ++i) {
            EXPECT_EQ(d.run(1, d.blocks(0x01, 8 * i, 8, d.data)).status, 0u);
            EXPECT_EQ(d.run(2, d.blocks(0x02, 8 * i, 8, d.data + 8192)).status, 0u);
            EXPECT_TRUE(holds(m, d.data + 8192, 4096, 2));
        }
    });
}

TEST_F(NvmeBoot, FunctionLevelResetWithCommandsInTheDevice)
{
    boot([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        for (u32 round = 0; round < 4; ++round) {
            linux_enable(m);
            std::fill(m.ram.bytes.begin(), m.ram.bytes.begin() + 0x200000, u8{0});
            d.create(1);
            for (u32 i = 0; i < 16; ++i) {
                d.put(1, d.blocks(i % 2 ? 0x01 : 0x02, i * 8, 8, d.data + i * 4096));
            }
            d.ring(1);
            m.cpu.pause(1 + 30.0 * round);
            m.ssd.reset_function();
            EXPECT_EQ(m.cpu.read(0x14), 0u) << "CC";
            EXPECT_EQ(m.cpu.read(0x28), 0u) << "ASQ";
            EXPECT_TRUE(m.cpu.until(0x1c, 1, 0)) << "RDY";
        }
        linux_enable(m);
        std::fill(m.ram.bytes.begin(), m.ram.bytes.begin() + 0x200000, u8{0});
        d.create(1);
        fill(m, d.data, 4096, 6);
        EXPECT_EQ(d.run(1, d.blocks(0x01, 16, 8, d.data)).status, 0u);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 16, 8, d.data + 4096)).status, 0u);
        EXPECT_TRUE(holds(m, d.data + 4096, 4096, 6));
    });
}

} // namespace
} // namespace tlmssd::tb
