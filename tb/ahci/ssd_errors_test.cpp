// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: errors and resets of whole SSDs behind AHCI, and what a driver does about them.
#include "tb/ahci/ssd_rig.h"

namespace tlmssd::tb {
namespace {

struct AhciSsdErrors : AhciSsd {};

/// 64 sectors are written and read back.
void expect_works(Driver& d)
{
    fill(d.ram, d.data, 0x8000, 1);
    EXPECT_EQ(d.run(0, Driver::fis(0x35, 6, 64), {{d.data, 0x8000}}, true), 0x50u);
    EXPECT_EQ(d.run(1, Driver::fis(0x25, 6, 64), {{d.data + 0x10000, 0x8000}}), 0x50u);
    EXPECT_EQ(first_wrong(d.ram, d.data + 0x10000, 0x8000, 1), 0x8000u);
}

INSTANTIATE_TEST_SUITE_P(Controllers, AhciSsdErrors, testing::ValuesIn(controllers()), controller_name);

TEST_P(AhciSsdErrors, AnErrorOfTheQueueIsFoundInTheLogAndTheQueueGoesOn)
{
    run([](Driver& d) {
        d.boot();
        fill(d.ram, d.data, 4096, 1);
        d.prepare(2, Driver::fis(0x61, 8, 2 << 3, 8), {{d.data, 4096}}, true);
        d.prepare(9, Driver::fis(0x60, 0xffffff0000, 9 << 3, 8), {{d.data + 0x2000, 4096}}, false);
        d.cpu.write(reg::sact, 1u << 2);
        d.cpu.write(reg::ci, 1u << 2);
        d.cpu.write(reg::sact, 1u << 9);
        d.cpu.write(reg::ci, 1u << 9);
        while ((d.cpu.read(reg::px_is) & 0x40000000) == 0 && d.cpu.interrupted()) { // perhaps 2 has ended well
            d.cpu.write(reg::px_is, 0x3f);
            d.cpu.write(reg::is, 1);
        }
        EXPECT_EQ(d.cpu.read(reg::px_is) & 0x7d000000, 0x40000000u) << "TFES";
        EXPECT_EQ(d.cpu.read(reg::tfd), 0x1051u) << "IDNF, ERR";
        EXPECT_NE(d.cpu.read(reg::sact) & 1u << 9, 0u);
        d.stop();
        EXPECT_EQ(d.cpu.read(reg::sact), 0u);
        EXPECT_EQ(d.cpu.read(reg::ci), 0u);
        d.clear();
        d.start();
        EXPECT_EQ(d.run(0, Driver::fis(0x2f, 0x10, 1), {{d.data + 0x4000, 512}}) & 0xff, 0x50u);
        EXPECT_EQ(*d.ram.at(d.data + 0x4000), 9) << "the tag, not NQ";
        EXPECT_EQ(*d.ram.at(d.data + 0x4002), 0x51);
        EXPECT_EQ(*d.ram.at(d.data + 0x4003), 0x10);
        // As a driver does: the other one once more, and it is there.
        d.prepare(2, Driver::fis(0x61, 8, 2 << 3, 8), {{d.data, 4096}}, true);
        run_queue(d, 1u << 2);
        d.prepare(31, Driver::fis(0x60, 8, 31 << 3, 8), {{d.data + 0x2000, 4096}}, false);
        run_queue(d, 1u << 31);
        EXPECT_EQ(first_wrong(d.ram, d.data + 0x2000, 4096, 1), 4096u);
    });
}

TEST_P(AhciSsdErrors, ACommandThatFailsAloneLeavesItsSlotInCi)
{
    run([](Driver& d) {
        d.boot();
        d.prepare(6, Driver::fis(0x25, 0xffffff0000, 8), {{d.data, 4096}}, false);
        d.cpu.write(reg::ci, 1u << 6);
        EXPECT_TRUE(d.cpu.interrupted());
        EXPECT_EQ(d.cpu.read(reg::px_is), 0x40000001u) << "TFES, DHRS";
        EXPECT_EQ(d.cpu.read(reg::tfd), 0x1051u);
        EXPECT_EQ(d.cpu.read(reg::ci), 1u << 6);
        EXPECT_EQ(d.cpu.read(reg::cmd) >> 8 & 0x1f, 6u) << "CCS";
        d.stop();
        d.clear();
        d.start();
        EXPECT_EQ(d.run(1, Driver::fis(0x25, 0, 8), {{d.data, 4096}}) & 0xff, 0x50u);
    });
}

TEST_P(AhciSsdErrors, AComresetInTheMiddleOfTheQueueLosesNothingThatWasAcknowledged)
{
    run([](Driver& d) {
        d.boot();
        fill(d.ram, d.data, 0x8000, 1);
        d.prepare(0, Driver::fis(0x61, 0, 0, 64), {{d.data, 0x8000}}, true);
        run_queue(d, 1);
        for (u32 slot = 0; slot < 32; ++slot) { // reads and writes elsewhere
            d.prepare(slot, Driver::fis(slot % 2 ? 0x61 : 0x60, 1000 + slot * 64, slot << 3, 64),
                      {{d.data + 0x10000, 0x8000}}, slot % 2);
        }
        d.cpu.write(reg::sact, 0xffffffff);
        d.cpu.write(reg::ci, 0xffffffff);
        d.cpu.pause(300);
        EXPECT_NE(d.cpu.read(reg::sact), 0u) << "too late";
        d.stop();
        d.comreset();
        EXPECT_EQ(d.cpu.read(reg::sig), 0x00000101u);
        d.start();
        d.prepare(7, Driver::fis(0x60, 0, 7 << 3, 64), {{d.data + 0x10000, 0x8000}}, false);
        run_queue(d, 1u << 7);
        EXPECT_EQ(first_wrong(d.ram, d.data + 0x10000, 0x8000, 1), 0x8000u);
    });
}

/// 256 pages, four times as many as the firmware has under way at once: their transfers have to end in their order.
TEST_P(AhciSsdErrors, AComresetInTheMiddleOfALongWriteLeavesAWorkingDevice)
{
    run([](Driver& d) {
        d.boot();
        for (u32 i = 1; i < 40; ++i) {
            d.prepare(0, Driver::fis(0x35, 6, 4096), std::vector<Piece>(4, {d.data, 0x80000}), true);
            d.cpu.write(reg::ci, 1);
            d.cpu.pause(i * 7);
            d.stop();
            d.comreset();
            d.start();
        }
        expect_works(d);
    });
}

/// The device refuses a FIS of the first pages, and drops those behind it in their order too.
TEST_P(AhciSsdErrors, ALongWriteWithAPartOfASectorFails)
{
    run([](Driver& d) {
        d.boot();
        const std::vector<Piece> pieces{{d.data, 20000}}; // the third FIS of the first has 3616 bytes
        EXPECT_EQ(d.run(0, Driver::fis(0x35, 6, 4096), pieces, true), 0x0451u) << "ABRT";
        d.stop();
        d.clear();
        d.start();
        d.prepare(3, Driver::fis(0x61, 6, 3 << 3, 4096), pieces, true);
        d.cpu.write(reg::sact, 8);
        d.cpu.write(reg::ci, 8);
        EXPECT_TRUE(d.cpu.interrupted());
        EXPECT_TRUE(d.cpu.until(reg::px_is, 0x40000000, 0x40000000)) << "TFES";
        d.stop();
        d.comreset();
        d.start();
        expect_works(d);
    });
}

TEST_P(AhciSsdErrors, ASoftwareResetGivesTheSignature)
{
    run([](Driver& d) {
        d.boot();
        std::vector<u8> reset = Driver::fis(0, 0, 0, 0, 0);
        reset[1] = 0; // C: control register
        reset[15] = 0x04; // SRST
        d.prepare(0, reset, {}, false, 1u << 10 | 1u << 8); // C, R
        d.cpu.write(reg::ci, 1);
        EXPECT_TRUE(d.cpu.until(reg::ci, 1, 0));
        d.cpu.pause(5);
        reset[15] = 0;
        d.prepare(1, reset, {}, false);
        d.cpu.write(reg::ci, 2);
        EXPECT_TRUE(d.cpu.until(reg::ci, 2, 0));
        EXPECT_EQ(d.cpu.read(reg::tfd), 0x0150u);
        EXPECT_EQ(d.cpu.read(reg::sig), 0x00000101u);
        EXPECT_EQ(d.run(2, Driver::fis(0x25, 0, 8), {{d.data, 4096}}), 0x50u);
    });
}

TEST_P(AhciSsdErrors, APrdtThatIsTooShortOverflowsAndIsHealedByAReset)
{
    run([](Driver& d) {
        d.boot();
        *d.ram.at(d.data + 1000) = 0xee;
        d.prepare(0, Driver::fis(0x25, 0, 8), {{d.data, 1000}}, false);
        d.cpu.write(reg::ci, 1);
        EXPECT_TRUE(d.cpu.interrupted());
        EXPECT_EQ(d.cpu.read(reg::px_is) & 0x7d000000, 0x01000000u) << "OFS";
        EXPECT_TRUE(d.cpu.until(reg::ci, 1, 0)) << "not fatal";
        EXPECT_EQ(d.moved(0), 1000u);
        EXPECT_EQ(*d.ram.at(d.data + 1000), 0xee);
        d.clear();
        // A write with too little: the device waits on, BSY stands, COMRESET helps.
        d.prepare(1, Driver::fis(0x35, 0, 16), {{d.data, 4096}}, true);
        d.cpu.write(reg::ci, 2);
        EXPECT_TRUE(d.cpu.interrupted());
        EXPECT_EQ(d.cpu.read(reg::px_is), 0x01000000u);
        d.cpu.pause(10000);
        EXPECT_EQ(d.cpu.read(reg::ci), 2u);
        EXPECT_EQ(d.cpu.read(reg::tfd) & 0x80, 0x80u);
        d.stop();
        d.comreset();
        d.start();
        EXPECT_EQ(d.run(1, Driver::fis(0x35, 0, 16), {{d.data, 8192}}, true), 0x50u);
        // A part of a sector is no data that the device takes.
        EXPECT_EQ(d.run(2, Driver::fis(0x35, 0, 16), {{d.data, 700}}, true), 0x0451u);
        EXPECT_EQ(d.cpu.read(reg::px_is), 0x40000000u) << "TFES";
    });
}

/// What a place that memory refuses, or that is not there, gives, and that a COMRESET heals it.
void expect_bus_error(Driver& d, u32 expected, const char* what)
{
    EXPECT_TRUE(d.cpu.interrupted()) << what;
    EXPECT_EQ(d.cpu.read(reg::px_is) & 0x7d000000, expected) << what;
    d.ram.bad_at = 0;
    d.stop();
    d.comreset();
    d.start();
    EXPECT_EQ(d.run(1, Driver::fis(0x25, 0, 8), {{d.data, 4096}}), 0x50u) << what;
}

TEST_P(AhciSsdErrors, ErrorsOfMemoryAreErrorsOfTheHostBus)
{
    run([](Driver& d) {
        d.boot();
        const std::vector<u8> read = Driver::fis(0x25, 0, 8);
        d.prepare(0, read, {{0x1000, 4096}}, false);
        d.cpu.write(reg::ci, 1);
        expect_bus_error(d, 0x20000000, "data, no such address");

        d.prepare(0, read, {{d.data, 4096}}, false);
        d.ram.bad_at = d.data + 100;
        d.cpu.write(reg::ci, 1);
        expect_bus_error(d, 0x10000000, "data, the memory's own error");

        d.prepare(0, Driver::fis(0x35, 0, 8), {{0x1000, 4096}}, true);
        d.cpu.write(reg::ci, 1);
        expect_bus_error(d, 0x20000000, "data to the device");

        d.ram.put32(d.list + 8, 0x1000);
        d.cpu.write(reg::ci, 1);
        expect_bus_error(d, 0x20000000, "command table");

        d.prepare(0, read, {{d.data, 4096}}, false);
        d.ram.bad_at = d.table(0) + 0x80;
        d.cpu.write(reg::ci, 1);
        expect_bus_error(d, 0x20000000, "PRDT");

        d.ram.bad_at = d.list;
        d.cpu.write(reg::ci, 1);
        expect_bus_error(d, 0x20000000, "command list");

        d.ram.bad_at = d.fises + 0x40;
        d.cpu.write(reg::ci, 1);
        expect_bus_error(d, 0x20000000, "received FISes");
    });
}

TEST_P(AhciSsdErrors, HeadersThatNoDeviceTakesAreFatalForTheInterface)
{
    run([](Driver& d) {
        d.boot();
        for (const u32 cfl : {0u, 1u, 3u, 17u, 31u}) {
            d.prepare(0, Driver::fis(0x25, 0, 8), {{d.data, 4096}}, false);
            d.ram.put32(d.list, 1u << 16 | cfl);
            d.cpu.write(reg::ci, 1);
            EXPECT_TRUE(d.cpu.interrupted());
            EXPECT_EQ(d.cpu.read(reg::px_is), 0x08000000u) << "IFS, CFL " << cfl;
            d.stop();
            d.clear();
            d.start();
        }
        std::vector<u8> odd = Driver::fis(0x25, 0, 8);
        odd[0] = 0x34;
        d.prepare(0, odd, {{d.data, 4096}}, false);
        d.cpu.write(reg::ci, 1);
        EXPECT_TRUE(d.cpu.interrupted());
        EXPECT_EQ(d.cpu.read(reg::px_is), 0x08000000u) << "IFS";
        d.stop();
        d.clear();
        d.start();
        EXPECT_EQ(d.run(1, Driver::fis(0x25, 0, 8), {{d.data, 4096}}), 0x50u);
        EXPECT_EQ(d.run(2, Driver::fis(0x24, 0, 8), {{d.data, 4096}}), 0x0451u) << "ABRT: READ SECTORS EXT";
    });
}

TEST_P(AhciSsdErrors, CommandsWithoutStAreNotTaken)
{
    run([](Driver& d) {
        d.boot();
        d.stop();
        d.prepare(0, Driver::fis(0x25, 0, 8), {{d.data, 4096}}, false);
        d.cpu.write(reg::ci, 1);
        d.cpu.pause(1000);
        EXPECT_EQ(d.cpu.read(reg::ci), 0u);
        EXPECT_EQ(d.cpu.read(reg::px_is), 0u);
        d.start();
        d.cpu.pause(1000);
        EXPECT_EQ(d.cpu.read(reg::tfd) & 0x88, 0u) << "nothing has been kept";
    });
}

} // namespace
} // namespace tlmssd::tb
