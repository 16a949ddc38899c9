// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: machines with whole SSDs that have NVMe registers, and a small driver.
#pragma once

#include <gmock/gmock.h>

#include <map>

#include "models/common/hash.h"
#include "models/ssd/include/tlmssd/ssd_nvme.h"
#include "tb/ahci/machine.h"
#include "tb/sata/kernel.h"
#include "tb/support/devices.h"

namespace tlmssd::tb {

/// Of a completion entry.
struct NvmeAnswer {
    u16 id = 0xffff; ///< 0xffff: none came
    u32 status = 0;  ///< type and code
    u32 result = 0;
    u16 sq = 0;
};

/// Queue pair n at kRam + n * 64 KiB, unless a test places it elsewhere: submission queue, completion queue half of
/// it later. Identifiers are places in the queue.
struct NvmeDriver {
    Cpu& cpu;
    Ram& ram;
    struct Pair {
        u32 entries = 0;
        u64 sq = 0, cq = 0;
        u32 tail = 0, head = 0;
        bool phase = true;
    };
    std::map<u32, Pair> pairs{};
    u64 data = kRam + 0x200000;

    void place(u32 id, u32 entries) { pairs[id] = {entries, kRam + id * 0x10000, kRam + id * 0x10000 + 0x8000}; }

    static constexpr u32 kEnable = 0x00460001, kEnableWeighted = 0x00460801; ///< CC; with AMS 1
    void enable(u32 entries = 32, u32 cc = kEnable)
    {
        cpu.write(0x14, 0);
        EXPECT_TRUE(cpu.until(0x1c, 1, 0)) << "RDY";
        std::fill(ram.bytes.begin(), ram.bytes.begin() + 0x200000, u8{0});
        pairs.clear();
        place(0, entries);
        cpu.write(0x24, (entries - 1) * 0x10001);
        u64 both[] = {pairs[0].sq, pairs[0].cq};
        EXPECT_EQ(cpu.access(true, 0x28, &both, 16), tlm::TLM_OK_RESPONSE) << "ASQ and ACQ in one access";
        cpu.write(0x14, cc);
        EXPECT_TRUE(cpu.until(0x1c, 1, 1)) << "RDY";
    }
    using Entry = std::array<u32, 16>;
    static Entry entry(u32 opcode, u32 nsid, u64 prp1 = 0, u64 prp2 = 0, u32 dw10 = 0, u32 dw11 = 0, u32 dw12 = 0)
    {
        return {opcode, nsid, 0, 0, 0, 0, static_cast<u32>(prp1), static_cast<u32>(prp1 >> 32),
                static_cast<u32>(prp2), static_cast<u32>(prp2 >> 32), dw10, dw11, dw12, 0, 0, 0};
    }
    u16 put(u32 id, Entry e)
    {
        Pair& p = pairs.at(id);
        e[0] |= p.tail << 16;
        for (u32 i = 0; i < 16; ++i) {
            ram.put32(p.sq + p.tail * 64 + 4 * i, e[i]);
        }
        const u16 name = static_cast<u16>(p.tail);
        p.tail = (p.tail + 1) % p.entries;
        return name;
    }
    void ring(u32 id) { cpu.write(0x1000 + 8 * id, pairs.at(id).tail); }
    bool ready(u32 id)
    {
        const Pair& p = pairs.at(id);
        return (ram.get32(p.cq + p.head * 16 + 12) >> 16 & 1) == u32{p.phase};
    }
    /// The next completion; waits for it.
    NvmeAnswer take(u32 id, double limit_us = 1e6)
    {
        Pair& p = pairs.at(id);
        for (double waited = 0; !ready(id); waited += 0.5) {
            if (waited > limit_us) {
                ADD_FAILURE() << "no completion in queue " << id;
                return {};
            }
            cpu.pause(0.5);
        }
        const u64 at = p.cq + p.head * 16;
        const u32 dw3 = ram.get32(at + 12);
        const NvmeAnswer a{static_cast<u16>(dw3), dw3 >> 17 & 0x7ff, ram.get32(at),
                           static_cast<u16>(ram.get32(at + 8) >> 16)};
        if (++p.head == p.entries) {
            p.head = 0;
            p.phase = !p.phase;
        }
        cpu.write(0x1004 + 8 * id, p.head);
        return a;
    }
    NvmeAnswer run(u32 id, const Entry& e)
    {
        const u16 name = put(id, e);
        ring(id);
        const NvmeAnswer a = take(id);
        EXPECT_EQ(a.id, name);
        return a;
    }
    void create(u32 id, u32 entries = 64, u32 vector = 0)
    {
        place(id, entries);
        const u32 dw10 = id | (entries - 1) << 16;
        EXPECT_EQ(run(0, entry(0x05, 0, pairs[id].cq, 0, dw10, 3 | vector << 16)).status, 0u);
        EXPECT_EQ(run(0, entry(0x01, 0, pairs[id].sq, 0, dw10, 1 | id << 16)).status, 0u);
    }
    /// A submission queue whose completions go to queue `cq`; `priority`: 0 urgent to 3 low.
    void create_sq(u32 id, u32 entries, u32 cq, u32 priority)
    {
        place(id, entries);
        const u32 dw10 = id | (entries - 1) << 16;
        EXPECT_EQ(run(0, entry(0x01, 0, pairs[id].sq, 0, dw10, 1 | priority << 1 | cq << 16)).status, 0u);
    }
    /// Sectors of 512 bytes at `at`; a PRP list in the last page of the data area where it needs one.
    Entry blocks(u32 opcode, u64 lba, u32 count, u64 at)
    {
        const u64 first = 4096 - at % 4096;
        u64 second = at + first;
        if (count * 512 > first + 4096) {
            const u64 list = kRam + kRamBytes - 4096;
            for (u32 i = 0; i * 4096 + first < count * 512; ++i) {
                ram.put32(list + 8 * i, static_cast<u32>(second + i * 4096));
                ram.put32(list + 8 * i + 4, static_cast<u32>((second + i * 4096) >> 32));
            }
            second = list;
        }
        return entry(opcode, 1, at, second, static_cast<u32>(lba), static_cast<u32>(lba >> 32), count - 1);
    }
};

struct Messages final : SsdNvmeVectorsIf {
    std::vector<u32> vectors;
    void message(std::uint32_t vector) override { vectors.push_back(vector); }
};

inline std::string tiny_nvme_ssd()
{
    return tiny_flash() + R"(host: {kind: nvme, queue_depth: 64}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 0}
)";
}

/// A CPU, memory, and an SSD.
struct NvmeMachine {
    explicit NvmeMachine(const std::string& name, const std::vector<std::string>& sets = {}, SsdNvmeConfig config = {})
        : ram((name + "_ram").c_str()), cpu((name + "_cpu").c_str()), irq((name + "_irq").c_str()),
          ssd((name + "_ssd").c_str(),
              [&] {
                  config.text = config.text.empty() ? tiny_nvme_ssd() : config.text;
                  config.sets = sets;
                  return config;
              }()),
          driver{cpu, ram}
    {
        cpu.socket.bind(ssd.registers);
        ssd.memory.bind(ram.socket);
        ssd.interrupt(irq);
        ssd.vectors(messages);
        cpu.irq(irq);
    }
    Ram ram;
    Cpu cpu;
    sc_core::sc_signal<bool> irq;
    Messages messages;
    SsdNvme ssd;
    NvmeDriver driver;
};

inline u8 nvme_pattern(u64 seed, u64 i) { return static_cast<u8>(draw64(seed, 7, i / 8) >> (8 * (i % 8))); }

struct NvmeSsd : testing::Test {
    NvmeSsd() { fresh_kernel(); }
    void run(const std::function<void(NvmeMachine&)>& program, const std::vector<std::string>& sets = {},
             const SsdNvmeConfig& config = {})
    {
        NvmeMachine m("m", sets, config);
        m.cpu.program = [&](Cpu&) {
            program(m);
            sc_core::sc_stop();
        };
        sc_core::sc_start();
        EXPECT_TRUE(m.cpu.ended) << "the driver waits for ever";
        EXPECT_THAT(m.ssd.failures(), testing::IsEmpty());
    }
    static void fill(NvmeMachine& m, u64 at, u32 bytes, u64 seed)
    {
        for (u32 i = 0; i < bytes; ++i) {
            *m.ram.at(at + i) = nvme_pattern(seed, i);
        }
    }
    /// The first byte that is not the pattern's; `bytes`: none.
    static u32 first_wrong(NvmeMachine& m, u64 at, u32 bytes, u64 seed)
    {
        u32 i = 0;
        while (i < bytes && *m.ram.at(at + i) == nvme_pattern(seed, i)) {
            ++i;
        }
        return i;
    }
};

} // namespace tlmssd::tb
