// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a driver boots whole SSDs by NVMe registers, reads and writes real bytes.
#include "models/ssd/include/tlmssd/ssd.h"
#include "models/nvme_device/nvme_front.h"
#include "tb/nvme_device/ssd_rig.h"
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

TEST_F(NvmeSsd, BootsAndIdentifies)
{
    run([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        EXPECT_EQ(m.cpu.read(0x08), 0x00010400u);
        d.enable();
        EXPECT_EQ(d.run(0, d.entry(0x06, 0, d.data, 0, 1)).status, 0u);
        EXPECT_EQ(m.ram.get32(d.data + 80), 0x00010400u);
        EXPECT_EQ(d.run(0, d.entry(0x06, 1, d.data, 0, 0)).status, 0u);
        EXPECT_EQ(m.ram.get32(d.data), m.ssd.ssd().config().logical_sectors());
        EXPECT_EQ(d.run(0, d.entry(0x06, 1, d.data, 0, 6)).status, 0x002u);
        EXPECT_EQ(d.run(0, d.entry(0x09, 0, 0, 0, 7, 0)).result, 0x003f003fu) << "64 pairs";
    });
}

TEST_F(NvmeSsd, WhatIsWrittenIsRead)
{
    run([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        d.enable();
        d.create(1, 64, 3);
        fill(m, d.data + 0x200, 100 * 512, 1);
        EXPECT_EQ(d.run(1, d.blocks(0x01, 5, 100, d.data + 0x200)).status, 0u);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 5, 100, d.data + 0x40000)).status, 0u);
        EXPECT_EQ(first_wrong(m, d.data + 0x40000, 100 * 512, 1), 100u * 512);
        EXPECT_EQ(d.run(1, d.blocks(0x05, 5, 100, d.data + 0x200)).status, 0u) << "compare";
        *m.ram.at(d.data + 0x200 + 51199) ^= 1;
        EXPECT_EQ(d.run(1, d.blocks(0x05, 5, 100, d.data + 0x200)).status, 0x285u);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 4, 1, d.data)).status, 0u);
        EXPECT_EQ(*m.ram.at(d.data), 0u) << "never written";
        EXPECT_EQ(m.messages.vectors.back(), 3u);
    });
}

TEST_F(NvmeSsd, ManyCommandsAtOnceOnFourPairs)
{
    run(
        [](NvmeMachine& m) {
            NvmeDriver& d = m.driver;
            d.enable();
            for (u32 id = 1; id <= 4; ++id) {
                d.create(id, 64, id);
            }
            for (const u32 opcode : {0x01u, 0x02u}) {
                if (opcode == 0x02) {
                    std::fill_n(m.ram.at(d.data), 128 * 4096, u8{0});
                }
                for (u32 i = 0; i < 128; ++i) {
                    if (opcode == 0x01) {
                        fill(m, d.data + i * 4096, 4096, i);
                    }
                    d.put(1 + i % 4, d.blocks(opcode, (i * 37 % 128) * 8, 8, d.data + i * 4096));
                }
                for (u32 id = 1; id <= 4; ++id) {
                    d.ring(id);
                }
                for (u32 i = 0; i < 128; ++i) {
                    EXPECT_EQ(d.take(1 + i % 4).status, 0u);
                }
            }
            for (u32 i = 0; i < 128; ++i) {
                EXPECT_EQ(first_wrong(m, d.data + i * 4096, 4096, i), 4096u) << i;
            }
        },
        {"buffer.policy=lru", "buffer.size_mib=1"});
}

TEST_F(NvmeSsd, TrimZeroesFlushAndFormat)
{
    run([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        d.enable();
        d.create(1);
        const u32 unit = m.ssd.ssd().config().geometry.page_bytes / 512;
        fill(m, d.data, 64 * 512, 1);
        EXPECT_EQ(d.run(1, d.blocks(0x01, 0, 64, d.data)).status, 0u);
        EXPECT_EQ(d.run(1, d.entry(0x00, 1)).status, 0u) << "flush";
        m.ram.put32(d.data + 0x100000 + 4, unit); // a range: LBA 0, one page of the map
        EXPECT_EQ(d.run(1, d.entry(0x09, 1, d.data + 0x100000, 0, 0, 4)).status, 0u);
        EXPECT_EQ(d.run(1, d.entry(0x08, 1, 0, 0, unit, 0, 1)).status, 0u) << "zeroes: 2 sectors";
        EXPECT_EQ(d.run(1, d.blocks(0x02, 0, 64, d.data + 0x40000)).status, 0u);
        for (u32 i = 0; i < (unit + 2) * 512; ++i) {
            ASSERT_EQ(*m.ram.at(d.data + 0x40000 + i), 0u) << i;
        }
        EXPECT_EQ(*m.ram.at(d.data + 0x40000 + (unit + 2) * 512), nvme_pattern(1, (unit + 2) * 512));
        EXPECT_EQ(d.run(0, d.entry(0x80, 1, 0, 0, 1 | 1u << 9)).status, 0u) << "format, blocks of 4096";
        EXPECT_EQ(d.run(1, d.entry(0x02, 1, d.data, 0, 7, 0, 0)).status, 0u);
        for (u32 i = 0; i < 4096; ++i) {
            ASSERT_EQ(*m.ram.at(d.data + i), 0u) << i;
        }
    });
}

TEST_F(NvmeSsd, ResetWithCommandsInTheDevice)
{
    run([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        for (u32 round = 0; round < 6; ++round) {
            d.enable();
            d.create(1);
            for (u32 i = 0; i < 20; ++i) {
                d.put(1, d.blocks(i % 2 ? 0x01 : 0x02, i * 16, 16, d.data + i * 8192));
            }
            d.ring(1);
            m.cpu.pause(1 + round * 7.3);
        }
        d.enable();
        d.create(1);
        fill(m, d.data, 4096, 3);
        EXPECT_EQ(d.run(1, d.blocks(0x01, 800, 8, d.data)).status, 0u);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 800, 8, d.data + 4096)).status, 0u);
        EXPECT_EQ(first_wrong(m, d.data + 4096, 4096, 3), 4096u);
    });
}

TEST_F(NvmeSsd, MemoryThatFailsFailsItsCommand)
{
    run([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        d.enable();
        d.create(1);
        fill(m, d.data, 8192, 4);
        EXPECT_EQ(d.run(1, d.blocks(0x01, 0, 16, d.data)).status, 0u);
        m.ram.bad_at = d.data + 4096 + 100;
        EXPECT_EQ(d.run(1, d.blocks(0x01, 0, 16, d.data)).status, 0x004u);
        EXPECT_EQ(d.run(1, d.blocks(0x02, 0, 16, d.data)).status, 0x004u);
        m.ram.bad_at = 0;
        EXPECT_EQ(d.run(1, d.blocks(0x02, 0, 16, d.data + 0x10000)).status, 0u);
        EXPECT_EQ(first_wrong(m, d.data + 0x10000, 8192, 4), 8192u);
    });
}

TEST_F(NvmeSsd, InterruptPinAndHealth)
{
    run([](NvmeMachine& m) {
        NvmeDriver& d = m.driver;
        d.enable();
        d.create(1);
        fill(m, d.data, 4096, 5);
        m.cpu.pause(1);
        EXPECT_FALSE(m.irq.read());
        d.put(1, d.blocks(0x01, 0, 8, d.data));
        d.ring(1);
        EXPECT_TRUE(m.cpu.interrupted());
        EXPECT_EQ(d.take(1).status, 0u);
        m.cpu.pause(1);
        EXPECT_FALSE(m.irq.read()) << "taken";
        EXPECT_EQ(d.run(0, d.entry(0x02, 0xffffffff, d.data, 0, 2 | 127u << 16)).status, 0u);
        EXPECT_EQ(*m.ram.at(d.data), 0u) << "no critical warning";
        EXPECT_EQ(*m.ram.at(d.data + 3), 100u) << "spare";
        EXPECT_EQ(m.ram.get32(d.data + 80), 1u) << "one write";
        m.cpu.write(0x14, 0x00464001);
        EXPECT_TRUE(m.cpu.until(0x1c, 0xc, 8)) << "shutdown complete";
    });
}

// Generation 1 x1: 4 ns a byte. A doorbell for a flush: a read request of 24 bytes and 150 ns, memory 50 ns, the answer
// of 84 bytes and 150 ns; at the end a write of 16 + 24 bytes and 150 ns. Memory changes when its time begins.
TEST_F(NvmeSsd, LinkTime)
{
    run(
        [](NvmeMachine& m) {
            NvmeDriver& d = m.driver;
            d.enable();
            d.create(1);
            const u64 before = m.ssd.ssd().pcie()->stats().to_host.bytes;
            const sc_core::sc_time start = sc_core::sc_time_stamp();
            d.put(0, d.entry(0x7f, 0)); // refused at once: the link alone takes time
            d.ring(0);
            while (!d.ready(0)) {
                sc_core::wait(1, sc_core::SC_NS);
            }
            const double ns = (sc_core::sc_time_stamp() - start).to_seconds() * 1e9;
            EXPECT_NEAR(ns, 24 * 4 + 150 + 50 + 84 * 4 + 150 + 40 * 4 + 150, 1.5) << "the CPU looks every ns";
            EXPECT_EQ(m.ssd.ssd().pcie()->stats().to_host.bytes - before, 24u + 40u + 28u) << "and the message";
            d.take(0);
        },
        {"pcie.generation=1", "pcie.lanes=1", "pcie.packets_per_dllp=1024"});
}

std::string one_read_device()
{
    return one_command_device("page_bytes: 8192, spare_bytes: 448") +
           "workload: {rw: randread, bs: 4096, size: 25%, requests: 1}";
}

// As LinkTime, and a page of 4096 bytes: 16 packets of 24 + 256 bytes, 150 ns, memory 50 ns.
TEST_F(NvmeSsd, LatencyIsThatOfTheDirectPortAndTheLink)
{
    double direct_ns = 0;
    {
        const Device direct(one_read_device(), {"host.kind=direct"});
        direct.expect_clean();
        direct_ns = static_cast<double>(direct.host().reads.latency.max().value()) / 1000;
    }
    fresh_kernel();
    SsdNvmeConfig config;
    config.text = one_read_device();
    run(
        [&](NvmeMachine& m) {
            NvmeDriver& d = m.driver;
            d.enable();
            d.create(1);
            for (u32 i = 0; i < 4; ++i) {
                m.cpu.pause(100);
                const sc_core::sc_time start = sc_core::sc_time_stamp();
                d.put(1, d.blocks(0x02, 8 * (16 + 5 * i), 8, d.data));
                d.ring(1);
                while (!d.ready(1)) {
                    sc_core::wait(1, sc_core::SC_NS);
                }
                const double ns = (sc_core::sc_time_stamp() - start).to_seconds() * 1e9;
                const double entry = 24 * 4 + 150 + 50 + 84 * 4 + 150;
                const double data = 16 * 280 * 4 + 150 + 50;
                EXPECT_NEAR(ns, direct_ns + entry + data + 40 * 4 + 150, 1.0);
                EXPECT_EQ(d.take(1).status, 0u);
            }
        },
        {"host.queue_depth=2", "pcie.generation=1", "pcie.lanes=1", "pcie.packets_per_dllp=1024"}, config);
}

TEST_F(NvmeSsd, ConfigurationsThatCannotBe)
{
    const auto text_of = [](SsdNvmeConfig c) {
        try {
            SsdNvme ssd("bad", c);
        } catch (const std::exception& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    SsdNvmeConfig c;
    c.text = tiny_nvme_ssd();
    c.sets = {"host.kind=sata", "host.queue_depth=32"};
    EXPECT_THAT(text_of(c), testing::HasSubstr("host.kind has to be nvme"));
    c.sets = {};
    c.transfer_pages = 3;
    EXPECT_THAT(text_of(c), testing::HasSubstr("transfer_pages is 3, but has to be a power of two"));
    c.transfer_pages = 32;
    c.queue_pairs = 65;
    EXPECT_THAT(text_of(c), testing::HasSubstr("queue_pairs is 65, but has to be 1 to 64"));
}

} // namespace
} // namespace tlmssd::tb
