// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host adapter alone: FISes in both directions, slots, resets.
#include "tb/ahci/hba_rig.h"

namespace tlmssd::tb {
namespace {

TEST_F(AhciHbaTest, TheCommandFisGoesAsItStandsInTheTable)
{
    run([&] {
        const std::vector<u8> fis{0x27, 0x80, 0x35, 0x11, 0x22, 0x33, 0x44, 0x40, 0x55, 0x66,
                                  0x77, 0x88, 0x99, 0xaa, 0,    0,    0xbb, 0xcc, 0xdd, 0xee};
        d.prepare(12, fis, {}, false);
        cpu.write(reg::ci, 1u << 12);
        cpu.pause(5);
        ASSERT_EQ(device.got.size(), 1u);
        EXPECT_EQ(device.got[0], fis);
        EXPECT_EQ(cpu.read(reg::tfd) & 0x80, 0x80u) << "BSY";
        EXPECT_EQ(cpu.read(reg::cmd), 0x0000cc17u) << "CR, FR, CCS 12, FRE, POD, SUD, ST";
    });
}

TEST_F(AhciHbaTest, EachFisIsPostedAtItsPlaceAndInterrupts)
{
    run([&] {
        queue(5, 0x60, 0, {{d.data, 8192}});
        EXPECT_EQ(cpu.read(reg::px_is), 0u) << "a release does not interrupt";
        device.send(setup(0x60, 5, 0, 512)); // I, D
        cpu.pause(2);
        EXPECT_EQ(cpu.read(reg::px_is), 0x4u) << "DSS";
        expect_posted(d.fises, setup(0x60, 5, 0, 512));
        cpu.write(reg::px_is, 0x4);

        device.send(bits(0x40, 0x00, 1u << 5));
        cpu.pause(2);
        EXPECT_EQ(cpu.read(reg::px_is), 0x8u) << "SDBS";
        expect_posted(d.fises + 0x58, bits(0x40, 0x00, 1u << 5));
        EXPECT_EQ(cpu.read(reg::sact), 0u);
        EXPECT_EQ(cpu.read(reg::tfd), 0x0040u);
        cpu.write(reg::px_is, 0x8);

        const std::vector<u8> unknown{0x5a, 1, 2, 3, 4, 5, 6, 7};
        device.send(unknown);
        cpu.pause(2);
        EXPECT_EQ(cpu.read(reg::px_is), 0x10u) << "UFS";
        EXPECT_EQ(cpu.read(reg::serr), 1u << 25);
        expect_posted(d.fises + 0x60, unknown);
        cpu.write(reg::serr, 1u << 25);

        d.prepare(6, Driver::fis(0xec, 0, 0), {{d.data, 512, true}}, false);
        cpu.write(reg::ci, 1u << 6);
        cpu.pause(5);
        const std::vector<u8> pio{0x5f, 0x60, 0x58, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x50, 0, 2, 0, 0};
        device.send(pio);
        cpu.pause(2);
        expect_posted(d.fises + 0x20, pio);
        EXPECT_EQ(cpu.read(reg::tfd), 0x0058u) << "DRQ";
        EXPECT_EQ(cpu.read(reg::px_is), 0u) << "not before the data";
        device.send_data(1, 0x77);
        cpu.pause(5);
        EXPECT_EQ(cpu.read(reg::px_is), 0x22u) << "PSS, DPS";
        EXPECT_EQ(cpu.read(reg::tfd), 0x0050u) << "E_STATUS";
        EXPECT_EQ(cpu.read(reg::ci), 0u);
        EXPECT_EQ(d.moved(6), 512u);
        EXPECT_EQ(std::count(ram.at(d.data), ram.at(d.data) + 512, 0x77), 512);
        cpu.write(reg::px_is, 0x22);

        d.prepare(7, Driver::fis(0xea, 0, 0), {}, false);
        cpu.write(reg::ci, 1u << 7);
        cpu.pause(5);
        const std::vector<u8> end{0x34, 0x40, 0x50, 0, 1, 2, 3, 0x40, 4, 5, 6, 0, 7, 8, 0, 0, 0, 0, 0, 0};
        device.send(end);
        cpu.pause(2);
        EXPECT_EQ(cpu.read(reg::px_is), 0x1u) << "DHRS";
        expect_posted(d.fises + 0x40, end);
        EXPECT_EQ(cpu.read(reg::sig), 0x00000101u) << "only after a reset";
    });
}

TEST_F(AhciHbaTest, AWriteGathersAndCarriesTheTagsOfItsUnits)
{
    run([&] {
        for (u32 i = 0; i < 8192; ++i) {
            *ram.at(d.data + i) = static_cast<u8>(i * 7);
        }
        // LBA 6, 16 sectors: units 0 (6, 7), 1 (8 to 15), 2 (16 to 21) of 8 sectors.
        queue(3, 0x61, 6, {{d.data, 1000}, {d.data + 1000, 8192 - 1000}});
        device.got.clear();
        device.send(setup(0x80, 3, 0, 8192)); // auto-activate
        cpu.pause(40);
        ASSERT_EQ(device.got.size(), 1u);
        ASSERT_EQ(device.got[0].size(), 8196u);
        EXPECT_EQ(device.got[0][0], 0x46);
        EXPECT_EQ(std::memcmp(&device.got[0][4], ram.at(d.data), 8192), 0);
        EXPECT_EQ(device.tags[0][0].unit, 1u);
        EXPECT_EQ(device.tags[0][1].unit, 2u);
        EXPECT_EQ(device.tags[0][2].unit, 3u);
        EXPECT_EQ(d.moved(3), 0u) << "PRDBC is not for NCQ";
        // Without auto-activate, from an offset: the device says when.
        device.got.clear();
        device.send(setup(0x00, 3, 512, 1024));
        cpu.pause(10);
        EXPECT_TRUE(device.got.empty());
        device.send({0x39, 0, 0, 0});
        cpu.pause(10);
        ASSERT_EQ(device.got.size(), 1u);
        ASSERT_EQ(device.got[0].size(), 1028u);
        EXPECT_EQ(std::memcmp(&device.got[0][4], ram.at(d.data + 512), 1024), 0);
    });
}

TEST_F(AhciHbaTest, DmaSetupsOfSeveralCommandsFindTheirPlaces)
{
    run([&] {
        queue(1, 0x60, 0, {{d.data, 1000}, {d.data + 0x2000, 7192}});
        queue(2, 0x60, 100, {{d.data + 0x8000, 8192}});
        const auto part = [&](u8 tag, u32 offset, u8 value) {
            device.send(setup(0x20, tag, offset, 512));
            cpu.pause(2);
            device.send_data(1, value);
            cpu.pause(5);
        };
        part(1, 512, 0x11); // over the border of two entries
        part(2, 1024, 0x22);
        part(1, 0, 0x33); // back
        EXPECT_EQ(*ram.at(d.data), 0x33);
        EXPECT_EQ(*ram.at(d.data + 511), 0x33);
        EXPECT_EQ(*ram.at(d.data + 512), 0x11);
        EXPECT_EQ(*ram.at(d.data + 999), 0x11);
        EXPECT_EQ(*ram.at(d.data + 1000), 0x00);
        EXPECT_EQ(*ram.at(d.data + 0x2000), 0x11);
        EXPECT_EQ(*ram.at(d.data + 0x2000 + 23), 0x11);
        EXPECT_EQ(*ram.at(d.data + 0x2000 + 24), 0x00);
        EXPECT_EQ(*ram.at(d.data + 0x8400), 0x22);
        EXPECT_EQ(cpu.read(reg::px_is), 0u);
    });
}

TEST_F(AhciHbaTest, ADmaSetupOfASlotThatHasNothingIsFatal)
{
    run([&] {
        queue(1, 0x60, 0, {{d.data, 8192}});
        device.send(setup(0x20, 4, 0, 512));
        EXPECT_TRUE(cpu.interrupted());
        EXPECT_EQ(cpu.read(reg::px_is), 0x08000000u) << "IFS";
        EXPECT_EQ(cpu.read(reg::serr), 1u << 10) << "ERR.P";
        EXPECT_EQ(cpu.read(reg::sact), 2u);
        // Nothing more is done until ST = 0.
        device.send(bits(0x40, 0, 2));
        cpu.pause(5);
        EXPECT_EQ(cpu.read(reg::sact), 2u);
        d.stop();
        EXPECT_EQ(cpu.read(reg::sact), 0u);
        EXPECT_TRUE(cpu.until(reg::tfd, 0xff, 0x40)) << "what has waited is posted now";
    });
}

TEST_F(AhciHbaTest, DataThatNobodyHasAnnouncedAreFatal)
{
    run([&] {
        device.send_data(1, 0x55);
        EXPECT_TRUE(cpu.interrupted());
        EXPECT_EQ(cpu.read(reg::px_is), 0x08000000u);
        EXPECT_EQ(hba.dropped(), 1u);
        d.stop();
        d.clear();
        d.start();
        device.send({0x39, 0, 0, 0});
        EXPECT_TRUE(cpu.interrupted());
        EXPECT_EQ(cpu.read(reg::px_is), 0x08000000u) << "DMA activate";
        d.stop();
        d.clear();
        device.send_data(1, 0x55);
        cpu.pause(5);
        EXPECT_EQ(cpu.read(reg::px_is), 0u) << "while ST is clear nobody minds";
        EXPECT_EQ(hba.dropped(), 2u);
    });
}

TEST_F(AhciHbaTest, SlotsAreServedInTurnAndOneAtATimeUntilReleased)
{
    run([&] {
        const auto release = [&] {
            device.send({0x34, 0x40, 0x50, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
            cpu.pause(5);
        };
        for (const u32 slot : {3u, 9u, 30u}) {
            d.prepare(slot, Driver::fis(0xea, slot, 0), {}, false);
        }
        cpu.write(reg::ci, 1u << 9 | 1u << 30);
        cpu.pause(5);
        ASSERT_EQ(device.got.size(), 1u);
        cpu.write(reg::ci, 1u << 3);
        release();
        release();
        release();
        ASSERT_EQ(device.got.size(), 3u);
        EXPECT_EQ(device.got[0][4], 9);
        EXPECT_EQ(device.got[1][4], 30) << "the next one, not the lowest";
        EXPECT_EQ(device.got[2][4], 3);
        EXPECT_EQ(cpu.read(reg::ci), 0u);
    });
}

TEST_F(AhciHbaTest, AComresetIsHeldAsLongAsDetIsOne)
{
    run([&] {
        const u32 before = device.resets;
        d.stop();
        cpu.write(reg::sctl, 0x1);
        EXPECT_EQ(cpu.read(reg::ssts), 0u);
        device.send(bits(0x40, 0, 1));
        cpu.pause(10000);
        EXPECT_EQ(cpu.read(reg::ssts), 0u);
        EXPECT_EQ(cpu.read(reg::tfd), 0x7fu) << "what comes is lost";
        cpu.write(reg::sctl, 0x0);
        EXPECT_EQ(device.resets, before + 1);
        const sc_core::sc_time begin = sc_core::sc_time_stamp();
        EXPECT_TRUE(cpu.until(reg::ssts, 0xfff, 0x133));
        EXPECT_GE(sc_core::sc_time_stamp() - begin, sc_core::sc_time::from_value(line.comreset.value()));
        EXPECT_EQ(cpu.read(reg::tfd), 0x80u);
        EXPECT_EQ(cpu.read(reg::px_is), 0x00400040u) << "PRCS, PCS";
    });
}

TEST_F(AhciHbaTest, FisesWaitUntilFreIsSet)
{
    run([&] {
        d.stop();
        cpu.write(reg::cmd, 0x2);
        device.send({0x34, 0x40, 0x51, 0x04, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        cpu.pause(5);
        EXPECT_EQ(cpu.read(reg::tfd), 0x0150u);
        cpu.write(reg::cmd, 0x12);
        cpu.pause(5);
        EXPECT_EQ(cpu.read(reg::tfd), 0x0451u);
    });
}

TEST_F(AhciHbaTest, ALinkThatResetsItselfIsFatal)
{
    run([&] {
        queue(5, 0x60, 0, {{d.data, 8192}});
        device.lose_link(); // as after too many broken frames
        EXPECT_TRUE(cpu.interrupted());
        EXPECT_EQ(cpu.read(reg::px_is), 0x08400040u) << "IFS, PRCS, PCS";
        EXPECT_EQ(cpu.read(reg::serr), 1u << 26 | 1u << 22 | 1u << 16) << "DIAG.X, DIAG.H, DIAG.N";
        EXPECT_EQ(cpu.read(reg::tfd), 0x80u);
        EXPECT_EQ(cpu.read(reg::sact), 1u << 5);
        device.send({0x34, 0, 0x50, 0x01, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
        cpu.pause(5000);
        d.stop();
        EXPECT_TRUE(cpu.until(reg::tfd, 0xff, 0x50)) << "the signature";
        EXPECT_EQ(cpu.read(reg::sig), 0x00000101u);
        d.clear();
        d.start();
        queue(6, 0x60, 0, {{d.data, 8192}});
    });
}

TEST_F(AhciHbaTest, PioDataToTheDeviceEndWithTheSecondStatus)
{
    run([&] {
        d.prepare(0, Driver::fis(0x3f, 0, 1), {{d.data, 512}}, true); // WRITE LOG EXT
        cpu.write(reg::ci, 1);
        cpu.pause(5);
        device.got.clear();
        device.send({0x5f, 0x40, 0x58, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0xd0, 0, 2, 0, 0});
        cpu.pause(5);
        ASSERT_EQ(device.got.size(), 1u);
        EXPECT_EQ(device.got[0].size(), 516u);
        EXPECT_EQ(cpu.read(reg::tfd), 0x00d0u) << "BSY: the end comes with a register FIS";
        EXPECT_EQ(cpu.read(reg::ci), 1u);
        device.send({0x34, 0x40, 0x50, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        cpu.pause(5);
        EXPECT_EQ(cpu.read(reg::ci), 0u);
        EXPECT_EQ(cpu.read(reg::px_is), 0x3u) << "DHRS, PSS";
    });
}

/// One 512-byte IDENTIFY with memory of 1 us an access: header, table, then FIS; PIO setup posted, an
/// entry, the data, PRDBC.
TEST_F(AhciHbaTest, WaitsForMemoryAccessByAccess)
{
    ram.latency = sc_core::sc_time(1, sc_core::SC_US);
    run([&] {
        d.prepare(0, Driver::fis(0xec, 0, 0), {{d.data, 512}}, false);
        cpu.pause(10);
        const sc_core::sc_time begin = sc_core::sc_time_stamp();
        cpu.write(reg::ci, 1);
        while (device.got.empty()) {
            cpu.pause(0.001);
        }
        // 2 accesses, and a register FIS at 6 Gb/s: 188,125 ps (docs/explanation/sata.md).
        const sc_core::sc_time sent = sc_core::sc_time_stamp() - begin;
        EXPECT_GE(sent, sc_core::sc_time(2188.125, sc_core::SC_NS));
        EXPECT_LE(sent, sc_core::sc_time(2190, sc_core::SC_NS));
        const sc_core::sc_time answer = sc_core::sc_time_stamp();
        device.send({0x5f, 0x60, 0x58, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x50, 0, 2, 0, 0});
        device.send_data(1, 1);
        EXPECT_TRUE(cpu.interrupted());
        // PIO setup and data: 188,125 + 1,021,250 ps, the first posted beside the second; 3 accesses.
        EXPECT_EQ(sc_core::sc_time_stamp() - answer, sc_core::sc_time(4209.375, sc_core::SC_NS));
    });
}

} // namespace
} // namespace tlmssd::tb
