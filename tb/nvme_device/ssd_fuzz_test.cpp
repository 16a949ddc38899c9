// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a hostile driver of a whole SSD, in simulated time: malformed commands, PRPs, SGLs, doorbells and register
// writes. Every command has one answer with a status of the standard, and another queue works all the while.
#include <map>
#include <set>

#include "models/ssd/include/tlmssd/ssd.h"
#include "tb/nvme_device/ssd_rig.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

/// Of the NVM Express Base Specification 1.4, figures 126 to 128: whatever a device without faults can answer.
const std::set<u32> kStandard = {0x000, 0x001, 0x002, 0x003, 0x004, 0x00b, 0x00c, 0x00d, 0x00e, 0x00f,
                                 0x011, 0x013, 0x080, 0x100, 0x101, 0x102, 0x108, 0x109, 0x10a, 0x10c,
                                 0x10d, 0x10f, 0x181, 0x285};

constexpr u32 kHostile = 1, kGood = 2, kWild = 3; ///< queue pairs
constexpr u32 kEntries = 64;
constexpr u32 kHostileSectors = 4096; ///< it stays below, with all its commands
constexpr u64 kGoodData = kRam + 0x380000;

struct Hostile {
    NvmeMachine& m;
    u64 seed;
    NvmeDriver& d = m.driver;
    u64 draws = 0;
    std::map<u32, u32> seen{}; ///< answers by status

    u64 draw(u64 below) { return draw_below(draw64(seed, 11, draws++), below); }
    u32 word() { return static_cast<u32>(draw(u64{1} << 32)); }
    u64 address()
    {
        switch (draw(10)) {
        case 0: return draw64(seed, 12, draws++);
        case 1: return kRam + kRamBytes - draw(64);
        case 2: return d.data + draw(1 << 20);
        default: return d.data + (draw(256) << 12) + (draw(4) == 0 ? draw(1024) * 4 : 0);
        }
    }
    void put64(u64 at, u64 value)
    {
        m.ram.put32(at, static_cast<u32>(value));
        m.ram.put32(at + 4, static_cast<u32>(value >> 32));
    }
    /// PRP lists and SGL segments of all kinds, that point to each other.
    void scribble()
    {
        for (u32 i = 0; i < 8; ++i) {
            const u64 at = d.data + (draw(256) << 12) + draw(256) * 16;
            put64(at, address());
            if (draw(2) == 0) {
                m.ram.put32(at + 8, static_cast<u32>(draw(5) == 0 ? word() : draw(64) * 16));
                m.ram.put32(at + 12, static_cast<u32>(draw(6) == 0 ? draw(256) : draw(4) << 4) << 24);
            } else {
                put64(at + 8, address());
            }
        }
    }
    NvmeDriver::Entry io()
    {
        static const u32 codes[] = {0x02, 0x01, 0x05, 0x08, 0x09, 0x00};
        NvmeDriver::Entry e = d.entry(codes[draw(6)], draw(20) == 0 ? word() : 1, address(), address());
        e[10] = static_cast<u32>(draw(12) == 0 ? word() | 1u << 31 : draw(kHostileSectors - 512));
        e[11] = static_cast<u32>((e[0] & 0xff) == 0x09 ? draw(8) : draw(12) == 0 ? word() : 0);
        e[12] = static_cast<u32>(draw(64)) | (draw(4) == 0 ? static_cast<u32>(draw(300)) : 0) |
                (draw(15) == 0 ? word() & 0xffff0000 : 0);
        e[0] |= static_cast<u32>(draw(3) == 0 ? draw(4) << 14 : 0) | (draw(30) == 0 ? 1u << 8 : 0);
        if ((e[0] >> 14 & 3) != 0 && draw(4) != 0) { // an SGL descriptor: length and type
            e[8] = static_cast<u32>(draw(5) == 0 ? word() : draw(64) * 16);
            e[9] = static_cast<u32>((draw(6) == 0 ? draw(256) : draw(4) << 4) << 24);
        }
        if (draw(12) == 0) { // any field but the LBA
            const u32 field = static_cast<u32>(draw(16));
            e[field] = field == 10 || field == 11 ? e[field] : word();
        }
        e[0] &= 0xffff;
        e[12] &= ~0xfe00u;
        return e;
    }
    /// Queues 1 to 3 stay, and no event request is left behind.
    NvmeDriver::Entry admin()
    {
        static const u32 codes[] = {0x02, 0x06, 0x08, 0x09, 0x0a, 0x05, 0x01, 0x04, 0x00, 0x80};
        NvmeDriver::Entry e = d.entry(draw(25) == 0 ? draw(256) | 0x20 : codes[draw(10)],
                                      static_cast<u32>(draw(3) == 0 ? word() : draw(2)), address(), address());
        e[10] = static_cast<u32>(draw(4) == 0 ? word() : draw(16)) | static_cast<u32>(draw(80) << 16);
        e[11] = static_cast<u32>(draw(4) == 0 ? word() : draw(4) | draw(70) << 16);
        e[12] = static_cast<u32>(draw(3) == 0 ? draw(600) : 0);
        e[0] |= static_cast<u32>(draw(20) == 0 ? draw(4) << 14 : 0);
        const u32 code = e[0] & 0xff;
        if (code <= 0x05 && code != 0x02) {
            e[10] |= (e[10] & 0xffff) <= kWild && (e[10] & 0xffff) != 0 ? 4 : 0;
            e[11] |= code == 0x01 ? 1u << 18 : 0;
        }
        if (code == 0x80) {
            e[10] |= 2; // LBA format 2 or above
        }
        return e;
    }
    void start()
    {
        d.enable(kEntries);
        d.create(kHostile, kEntries, 1);
        d.create(kGood, kEntries, 2);
        d.create(kWild, kEntries, 3);
    }
    /// Answers of a queue: `count` of them, each of another command.
    void answers(u32 queue, u32 count, std::set<u16> waiting)
    {
        for (u32 i = 0; i < count; ++i) {
            const NvmeAnswer a = d.take(queue);
            ASSERT_EQ(waiting.erase(a.id), 1u) << "an answer that nobody waits for";
            ASSERT_EQ(kStandard.count(a.status), 1u) << std::hex << a.status;
            ++seen[a.status];
        }
    }
    void commands(u32 count)
    {
        std::set<u16> waiting;
        std::set<u16> admin_waiting;
        for (u32 i = 0; i < count; ++i) {
            scribble();
            if (draw(4) == 0) {
                admin_waiting.insert(d.put(0, admin()));
            } else {
                waiting.insert(d.put(kHostile, io()));
            }
        }
        d.ring(kHostile);
        d.ring(0);
        bells();
        registers();
        answers(kHostile, static_cast<u32>(waiting.size()), waiting);
        answers(0, static_cast<u32>(admin_waiting.size()), admin_waiting);
    }
    void bells()
    {
        m.cpu.write(0x1000 + 8 * static_cast<u32>(4 + draw(250)), word()); // no such queue
        m.cpu.write(0x1004 + 8 * kHostile, static_cast<u32>(kEntries + draw(60000)));
        m.cpu.write(0x1000 + 8 * kHostile, static_cast<u32>(kEntries + draw(60000)));
        m.cpu.write(0x1000 + 8 * kWild, static_cast<u32>(draw(kEntries))); // entries that nobody has written
        m.cpu.pause(1);
        while (d.ready(kWild)) {
            const u32 status = d.take(kWild).status;
            ASSERT_EQ(kStandard.count(status), 1u) << std::hex << status;
        }
    }
    /// Of any size and place, but for CC and the doorbells.
    void registers()
    {
        const u32 bytes = static_cast<u32>(1 + draw(8));
        const u64 bar = m.ssd.register_bytes();
        const u64 at = draw(4) == 0 ? bar - 8 + draw(64) : 0x18 + draw(0x1000 - 0x18 - 8);
        u64 data = draw64(seed, 13, draws++);
        const bool inside = at + bytes <= bar;
        ASSERT_EQ(m.cpu.access(draw(2) != 0, at, &data, bytes),
                  inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        m.cpu.write(0x0c + 4 * static_cast<u32>(draw(2)), word()); // masks
        ASSERT_EQ(m.cpu.read(0x1c) & ~0x10u, 1u) << "CSTS: ready, no fatal status";
    }
    void good_driver(u64 round)
    {
        const u64 lba = kHostileSectors + draw(m.ssd.ssd().config().logical_sectors() - kHostileSectors - 8);
        for (u32 i = 0; i < 4096; ++i) {
            *m.ram.at(kGoodData + i) = nvme_pattern(round, i);
        }
        ASSERT_EQ(d.run(kGood, d.blocks(0x01, lba, 8, kGoodData)).status, 0u);
        ASSERT_EQ(d.run(kGood, d.blocks(0x02, lba, 8, kGoodData + 4096)).status, 0u);
        ASSERT_EQ(std::memcmp(m.ram.at(kGoodData), m.ram.at(kGoodData + 4096), 4096), 0);
    }
};

TEST_F(NvmeSsd, HostileDriver)
{
    SsdNvmeConfig config;
    config.file = "configs/ssd/default.yaml";
    const u32 commands = long_form() ? 20000 : 2000;
    run(
        [&](NvmeMachine& m) {
            Hostile h{m, 1};
            u32 done = 0;
            while (done < commands && !HasFailure()) {
                h.start();
                for (u32 i = 0; i < 25 && !HasFailure(); ++i, done += 20) {
                    h.commands(20);
                    h.good_driver(done + i);
                }
            }
            EXPECT_GE(h.seen.size(), 18u) << "few kinds of status";
            for (const auto& [status, count] : h.seen) {
                RecordProperty("status_" + std::to_string(status), static_cast<int>(count));
            }
        },
        {"precondition.fill=0"}, config);
}

} // namespace
} // namespace tlmssd::tb
