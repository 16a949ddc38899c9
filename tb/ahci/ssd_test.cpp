// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a driver boots whole SSDs behind AHCI, reads and writes real bytes, on each flash controller.
#include "tb/ahci/ssd_rig.h"

namespace tlmssd::tb {
namespace {

INSTANTIATE_TEST_SUITE_P(Controllers, AhciSsd, testing::ValuesIn(controllers()), controller_name);

u32 word(Ram& ram, u64 at, u32 index)
{
    return u32{*ram.at(at + index * 2)} | u32{*ram.at(at + index * 2 + 1)} << 8;
}

TEST_P(AhciSsd, BootsAndIdentifies)
{
    run([](Driver& d) {
        EXPECT_EQ(d.cpu.read(reg::tfd), 0x7fu) << "nothing is spun up";
        EXPECT_EQ(d.cpu.read(reg::ssts), 0u);
        d.set_up();
        EXPECT_TRUE(d.cpu.until(reg::ssts, 0xfff, 0x133));
        EXPECT_TRUE(d.cpu.until(reg::tfd, 0x88, 0));
        EXPECT_EQ(d.cpu.read(reg::sig), 0x00000101u);
        EXPECT_EQ(d.cpu.read(reg::tfd), 0x0150u) << "DRDY, DSC; diagnostics passed";
        EXPECT_EQ(*d.ram.at(d.fises + 0x40), 0x34) << "the signature's FIS is posted";
        EXPECT_EQ(d.cpu.read(reg::serr), 0x04010000u) << "DIAG.X, DIAG.N";
        d.boot();

        const u32 tfd = d.run(0, Driver::fis(0xec, 0, 0, 0, 0), {{d.data, 100}, {d.data + 0x1000, 412}});
        EXPECT_EQ(tfd & 0xff, 0x50u);
        EXPECT_EQ(d.moved(0), 512u);
        std::copy_n(d.ram.at(d.data + 0x1000), 412, d.ram.at(d.data + 100));
        EXPECT_EQ(*d.ram.at(d.fises + 0x20), 0x5f) << "PIO setup";
        u32 sum = 0;
        for (u32 i = 0; i < 512; ++i) {
            sum += *d.ram.at(d.data + i);
        }
        EXPECT_EQ(sum & 0xff, 0u) << "checksum";
        EXPECT_EQ(word(d.ram, d.data, 75), 31u) << "32 tags";
        EXPECT_EQ(word(d.ram, d.data, 76) & 0x10e, 0x10eu) << "NCQ, three generations";
        EXPECT_EQ(word(d.ram, d.data, 169), 1u) << "TRIM";
        EXPECT_EQ(word(d.ram, d.data, 27), u32{'t'} << 8 | 'l') << "tlmssd";
        const u64 sectors = word(d.ram, d.data, 100) | u64{word(d.ram, d.data, 101)} << 16;
        // Of 2 x 2 x 2 x 2 planes x 24 blocks x 16 pages x 16 sectors = 98,304.
        EXPECT_GT(sectors, 98304u / 3);
        EXPECT_LT(sectors, 98304u);
    });
}

TEST_P(AhciSsd, WhatIsWrittenIsRead)
{
    run([](Driver& d) {
        d.boot();
        // 40 sectors from LBA 5 on, scattered: parts of sectors, two bytes, more than one FIS.
        fill(d.ram, d.data, 40 * 512, 1);
        std::vector<Piece> out{{d.data, 2}, {d.data + 2, 510}, {d.data + 512, 3000}, {d.data + 3512, 40 * 512 - 3512}};
        EXPECT_EQ(d.run(3, Driver::fis(0x35, 5, 40), out, true), 0x50u);
        EXPECT_EQ(d.moved(3), 40u * 512);
        const u64 to = d.data + 0x20000;
        std::vector<Piece> in{{to, 4096}, {to + 4096, 8000}, {to + 12096, 40 * 512 - 12096}};
        EXPECT_EQ(d.run(4, Driver::fis(0x25, 5, 40), in), 0x50u);
        EXPECT_EQ(d.moved(4), 40u * 512);
        EXPECT_EQ(first_wrong(d.ram, to, 40 * 512, 1), 40u * 512);
        // A sector inside; and sectors that nobody has written are zeros.
        fill(d.ram, d.data, 512, 2);
        EXPECT_EQ(d.run(5, Driver::fis(0x35, 7, 1), {{d.data, 512}}, true), 0x50u);
        EXPECT_EQ(d.run(6, Driver::fis(0xea, 0, 0)), 0x50u) << "FLUSH CACHE EXT";
        EXPECT_EQ(d.run(7, Driver::fis(0x25, 5, 3), {{to, 1536}}), 0x50u);
        EXPECT_EQ(first_wrong(d.ram, to, 1024, 1), 1024u);
        EXPECT_EQ(first_wrong(d.ram, to + 1024, 512, 2), 512u);
        EXPECT_EQ(d.run(8, Driver::fis(0x25, 4, 1), {{to, 512}}), 0x50u);
        EXPECT_EQ(std::count(d.ram.at(to), d.ram.at(to) + 512, 0), 512);
    });
}

TEST_P(AhciSsd, AFullQueueOfScatteredDataComesBack)
{
    run([](Driver& d) {
        d.boot();
        constexpr u32 kBytes = 24 * 512;
        const auto at = [&](u32 slot) { return d.data + slot * 0x4000; };
        const auto pieces = [&](u32 slot) {
            const u32 first = 2 + slot * 126;
            return std::vector<Piece>{{at(slot), first}, {at(slot) + first, 6000}, {at(slot) + first + 6000, kBytes - first - 6000, true}};
        };
        for (u32 slot = 0; slot < 32; ++slot) {
            fill(d.ram, at(slot), kBytes, 100 + slot);
            d.prepare(slot, Driver::fis(0x61, slot * 37, slot << 3, 24), pieces(slot), true);
        }
        run_queue(d, 0xffffffff);
        // LBA ranges of 24 sectors, 37 apart: they do not overlap.
        for (u32 slot = 0; slot < 32; ++slot) {
            std::fill_n(d.ram.at(at(slot)), kBytes, u8{0xee});
            const u32 from = (slot * 5 + 3) % 32;
            d.prepare(slot, Driver::fis(0x60, from * 37, slot << 3, 24), pieces(slot), false);
        }
        run_queue(d, 0xffffffff);
        for (u32 slot = 0; slot < 32; ++slot) {
            EXPECT_EQ(first_wrong(d.ram, at(slot), kBytes, 100 + (slot * 5 + 3) % 32), kBytes) << slot;
        }
    });
}

TEST_P(AhciSsd, TrimmedSectorsReadAsZeros)
{
    run([](Driver& d) {
        d.boot();
        fill(d.ram, d.data, 32 * 512, 1);
        EXPECT_EQ(d.run(0, Driver::fis(0x35, 64, 32), {{d.data, 32 * 512}}, true), 0x50u);
        std::fill_n(d.ram.at(d.data), 512, u8{0});
        const u32 parts[][2] = {{64, 4}, {68, 4}, {72, 8}}; // three entries of one range: LBA, sectors
        for (u32 i = 0; i < 3; ++i) {
            d.ram.put32(d.data + 8 * i, parts[i][0]);
            d.ram.put32(d.data + 8 * i + 4, parts[i][1] << 16);
        }
        EXPECT_EQ(d.run(1, Driver::fis(0x06, 0, 1, 1), {{d.data, 512}}, true), 0x50u);
        EXPECT_EQ(d.run(2, Driver::fis(0x25, 64, 32), {{d.data, 32 * 512}}), 0x50u);
        EXPECT_EQ(std::count(d.ram.at(d.data), d.ram.at(d.data) + 16 * 512, 0), 16 * 512);
        fill(d.ram, d.data + 0x8000, 32 * 512, 1);
        EXPECT_EQ(std::memcmp(d.ram.at(d.data + 16 * 512), d.ram.at(d.data + 0x8000 + 16 * 512), 16 * 512), 0);
    });
}

} // namespace
} // namespace tlmssd::tb
