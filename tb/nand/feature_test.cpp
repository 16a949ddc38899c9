// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ID, parameter page, features, data interfaces, resets and WP#.
#include "tb/nand/rig.h"

#include <algorithm>

#include "models/nand/target/parameter_page.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using onfi::Rule;

void expect_only(const Rig& rig, Rule rule)
{
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, rule) << to_string(rig.die_log.first()[0]);
}

void set_bytes(Rig& rig, u8 p1)
{
    rig.cells.bytes.fill(0);
    rig.cells.bytes[0] = p1;
}

/// `n` register bytes, all of them real.
std::vector<u8> out(Rig& rig, u32 n)
{
    std::vector<u8> bytes(n);
    rig.cells.page = bytes.data();
    rig.send(register_out(n, rig.cells));
    rig.cells.page = nullptr;
    return bytes;
}

TEST(ReadId, GivesTheJedecBytesAndTheOnfiSignature)
{
    Rig rig;
    rig.send(read_id(0x00, 6, rig.cells));
    const u8 jedec[] = {0x2c, 0x88, 0x04, 0x4b, 0xa9, 0x00}; // rig_nand()
    EXPECT_TRUE(std::equal(jedec, jedec + 6, rig.cells.bytes.begin()));
    rig.send(read_id(0x20, 4, rig.cells));
    EXPECT_EQ(std::string(rig.cells.bytes.begin(), rig.cells.bytes.begin() + 4), "ONFI");
    rig.expect_clean();
}

TEST(ReadId, OfAnotherAddressIsRefused)
{
    Rig rig;
    rig.send(read_register(0x90, 0x33));
    expect_only(rig, Rule::FeatureAddress);
}

TEST(ParameterPage, ComesAfterTrInThreeCopiesWithAValidCrc)
{
    Rig rig;
    const Picoseconds end = rig.send(read_register(0xec, 0x00));
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), end + kTwb + microseconds(50));
    const std::vector<u8> page = out(rig, 3 * 256);
    EXPECT_EQ(std::string(page.begin(), page.begin() + 4), "ONFI");
    const u32 crc = page[254] + 256u * page[255];
    EXPECT_EQ(nand::onfi_crc16(page.data(), 254), crc);
    EXPECT_TRUE(std::equal(page.begin(), page.begin() + 256, page.begin() + 512));
    EXPECT_EQ(page[80] + 256u * page[81], 8192u); // bytes a page
    EXPECT_EQ(page[100], 2);                      // LUNs
    rig.expect_clean();
}

TEST(ParameterPage, ComesInPiecesAndAtAnyColumn)
{
    Rig rig;
    rig.send_and_wait(read_register(0xec, 0x00));
    rig.send(register_out(16, rig.cells));
    EXPECT_EQ(rig.cells.bytes[0], 'O');
    rig.send(register_out(16, rig.cells)); // bytes 16 to 31: none of them used
    EXPECT_EQ(rig.cells.bytes[0], 0);
    Segment s = column_out(256, 4, rig.cells); // the second copy
    s.narrow = true;
    rig.send(s);
    EXPECT_EQ(rig.cells.bytes[3], 'I');
    rig.expect_clean();
}

TEST(ParameterPage, SurvivesAStatusReadBefore00h)
{
    Rig rig;
    rig.send_and_wait(read_register(0xec, 0x00));
    EXPECT_EQ(rig.status(), 0xe0);
    Segment s = lone_command(0x00);
    s.burst(DataDirection::Out, 4, &rig.cells);
    s.narrow = true;
    rig.send(s);
    EXPECT_EQ(rig.cells.bytes[1], 'N');
    rig.expect_clean();
}

TEST(ParameterPage, TakesThePageRegisters)
{
    Rig rig;
    rig.send_and_wait(read_command(0));
    rig.send_and_wait(read_register(0xec, 0x00));
    rig.send(enhanced_out(0, 0, 16, rig.cells));
    expect_only(rig, Rule::NoData);
}

TEST(UniqueId, IsSixteenTimesItselfAndItsComplement)
{
    Rig rig;
    rig.send_and_wait(read_register(0xed, 0x00));
    const std::vector<u8> id = out(rig, 512);
    for (u32 i = 0; i < 512; i += 32) {
        for (u32 k = 0; k < 16; ++k) {
            ASSERT_EQ(id[i + k], id[k]);
            ASSERT_EQ(id[i + 16 + k], static_cast<u8>(~id[k]));
        }
    }
    rig.expect_clean();
}

TEST(Features, AreReadBackAsTheyWereSet)
{
    Rig rig;
    set_bytes(rig, 3);
    const Picoseconds end = rig.send(set_features(0x10, rig.cells));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(rig.edge(0, true), end + kTwb + microseconds(1));
    rig.send_and_wait(read_register(0xee, 0x10));
    rig.wait_ready(1);
    rig.send(register_out(4, rig.cells));
    EXPECT_EQ(rig.cells.bytes[0], 3);
    rig.send_and_wait(read_register(0xee, 0x01));
    rig.wait_ready(1);
    rig.send(register_out(4, rig.cells));
    EXPECT_EQ(rig.cells.bytes[0], 0x66); // NV-DDR2 (2 << 4), mode 6, program clear
    rig.expect_clean();
}

TEST(Features, UnknownAddressAndUnknownModeAreRefused)
{
    Rig rig;
    rig.send(set_features(0x55, rig.cells));
    expect_only(rig, Rule::FeatureAddress);
    set_bytes(rig, 0x19); // NV-DDR mode 9
    rig.send(set_features(0x01, rig.cells));
    EXPECT_EQ(rig.die_log.count(), 2u);
    EXPECT_FALSE(rig.busy(0));
    EXPECT_EQ(rig.target.features().interface(), BusInterface::NvDdr2);
}

TEST(Features, ReadRetryLevelOfOneLunMakesItsReadsSlower)
{
    Rig rig; // level L reads in tR (1 + 0.25 L)
    set_bytes(rig, 2);
    rig.send_and_wait(lun_set_features(1, 0x89, rig.cells), 1);
    EXPECT_EQ(rig.last_busy(1), kTwb + microseconds(1));
    EXPECT_EQ(rig.edges.size(), 2u); // LUN 0 was not busy
    rig.send_and_wait(read_command(rig.row(1, 0, 0, 0)), 1);
    EXPECT_EQ(rig.last_busy(1), kTwb + microseconds(75));
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    EXPECT_EQ(rig.last_busy(0), kTwb + microseconds(50));
    rig.send_and_wait(lun_get_features(1, 0x89), 1);
    rig.send(register_out(4, rig.cells));
    EXPECT_EQ(rig.cells.bytes[0], 2);
    set_bytes(rig, 1);
    rig.send_and_wait(set_features(0x89, rig.cells)); // of all LUNs
    rig.wait_ready(1);
    EXPECT_EQ(rig.target.lun(0).retry(), 1u);
    EXPECT_EQ(rig.target.lun(1).retry(), 1u);
    rig.expect_clean();
}

TEST(Features, RetryLevelsOfTwoLunsMayBeUnderWayAtOnce)
{
    Rig rig;
    set_bytes(rig, 3);
    rig.send(lun_set_features(0, 0x89, rig.cells)); // tFEAT 1 us
    set_bytes(rig, 5);
    rig.send(lun_set_features(1, 0x89, rig.cells)); // its bytes are over within 0.5 us
    EXPECT_TRUE(rig.busy(0));
    EXPECT_TRUE(rig.busy(1));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(rig.target.lun(0).retry(), 3u);
    EXPECT_EQ(rig.target.lun(1).retry(), 5u);
    rig.expect_clean();
}

void cold(nand::Device& device) { device.cold_start = true; }

TEST(Interface, WakesInSdrMode0AndSwitchesAtTheEndOfTfeat)
{
    Rig rig(rig_geometry(), rig_nand(), 1, cold);
    EXPECT_EQ(rig.target.features().interface(), BusInterface::Sdr);
    set_bytes(rig, 0x66); // NV-DDR2, mode 6, program clear
    const Picoseconds end = rig.send(set_features(0x01, rig.cells));
    rig.run_until(end + nanoseconds(200) + microseconds(1) - Picoseconds(1)); // tWB of mode 0
    EXPECT_EQ(rig.target.features().interface(), BusInterface::Sdr);
    rig.run_for(Picoseconds(1));
    EXPECT_EQ(rig.target.features().interface(), BusInterface::NvDdr2);
    EXPECT_EQ(rig.target.features().mode(), 6u);
    rig.channel.set_timing(0, onfi::bus_timing(BusInterface::NvDdr2, 6));
    rig.program_page(rig.row(0, 0, 0, 0), {5, 1}, {6, 1});
    rig.expect_clean();
}

TEST(Interface, OtherOrFasterThanSetIsNotUnderstood)
{
    Rig rig;
    rig.channel.set_timing(0, onfi::bus_timing(BusInterface::Sdr, 0));
    rig.send(read_command(0));
    EXPECT_FALSE(rig.busy(0));
    expect_only(rig, Rule::WrongInterface);
    rig.channel.set_timing(0, onfi::bus_timing(BusInterface::NvDdr2, 7)); // set is 6
    rig.send(read_command(0));
    EXPECT_FALSE(rig.busy(0));
    EXPECT_EQ(rig.die_log.count(), 2u);
    rig.channel.set_timing(0, onfi::bus_timing(BusInterface::NvDdr2, 5)); // slower is legal
    rig.send(read_command(0));
    EXPECT_TRUE(rig.busy(0));
    EXPECT_EQ(rig.die_log.count(), 2u);
}

TEST(Interface, ResetIsUnderstoodInAnyAndEndsInSdrMode0)
{
    Rig rig;
    rig.channel.set_timing(0, onfi::bus_timing(BusInterface::Sdr, 0));
    rig.send_and_wait(lone_command(0xff));
    rig.wait_ready(1);
    EXPECT_EQ(rig.target.features().interface(), BusInterface::Sdr);
    EXPECT_EQ(rig.target.features().mode(), 0u);
    rig.send_and_wait(read_command(0));
    rig.expect_clean();
}

TEST(Interface, SynchronousResetKeepsIt)
{
    Rig rig;
    rig.send_and_wait(lone_command(0xfc));
    rig.wait_ready(1);
    EXPECT_EQ(rig.target.features().interface(), BusInterface::NvDdr2);
    EXPECT_EQ(rig.target.lun(0).statistics().resets, 1u);
    rig.send_and_wait(read_command(0));
    rig.expect_clean();
}

TEST(Interface, SynchronousResetIsNotForSdr)
{
    Rig rig(rig_geometry(), rig_nand(), 1, cold);
    rig.send_and_wait(lone_command(0xfc));
    expect_only(rig, Rule::WrongInterface);
}

TEST(ResetLun, LeavesTheOtherLunAlone)
{
    Rig rig;
    rig.send(erase(rig.row(0, 0, 0, 0)));
    rig.send(read_command(rig.row(1, 0, 0, 0)));
    const Picoseconds end = rig.send(row_command(0xfa, rig.row(0, 0, 0, 0)));
    rig.wait_ready(1);
    EXPECT_EQ(rig.last_busy(1), kTwb + microseconds(50));
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), end + kTwb + microseconds(500));
    rig.send(enhanced_out(rig.row(1, 0, 0, 0), 0, 16, rig.cells)); // its register is intact
    rig.expect_clean();
}

config::Nand no_program_clear()
{
    config::Nand n = rig_nand();
    n.program_clear = false;
    return n;
}

TEST(ProgramClear, WithoutIt80hEmptiesTheRegistersOfTheOtherLun)
{
    Rig rig(rig_geometry(), no_program_clear());
    rig.send_and_wait(read_command(rig.row(1, 0, 0, 0)), 1);
    rig.program_page(rig.row(0, 0, 0, 0), {5, 1}, {6, 1});
    rig.send(enhanced_out(rig.row(1, 0, 0, 0), 0, 16, rig.cells));
    expect_only(rig, Rule::NoData);
}

TEST(ProgramClear, Feature01hBit6SparesTheOtherLun)
{
    Rig rig(rig_geometry(), no_program_clear());
    set_bytes(rig, 0x66);
    rig.send_and_wait(set_features(0x01, rig.cells));
    rig.wait_ready(1);
    rig.send_and_wait(read_command(rig.row(1, 0, 0, 0)), 1);
    rig.program_page(rig.row(0, 0, 0, 0), {5, 1}, {6, 1});
    rig.send(enhanced_out(rig.row(1, 0, 0, 0), 0, 16, rig.cells));
    rig.expect_clean();
}

TEST(ProgramClear, PlanesThatAreGatheredKeepTheirData)
{
    Rig rig(rig_geometry(), no_program_clear());
    rig.fill({5, 1}, {6, 1});
    rig.send_and_wait(program(rig.row(0, 0, 0, 0), 0, kPhysical, rig.cells, 0x11));
    rig.fill({7, 1}, {8, 1});
    rig.send_and_wait(program(rig.row(0, 1, 0, 0), 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], (UnitTag{5, 1}));
    rig.expect_clean();
}

TEST(WriteProtect, RefusesProgramAndEraseWithFail)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), {5, 1}, {6, 1});
    rig.channel.set_write_protect(0, true);
    EXPECT_EQ(rig.status(), 0x60);
    rig.send(erase(rig.row(0, 0, 0, 0)));
    EXPECT_FALSE(rig.busy(0));
    expect_only(rig, Rule::WriteProtected);
    EXPECT_EQ(rig.status(), 0x61);
    rig.send(program(rig.row(0, 0, 0, 1), 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.die_log.count(), 2u);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0))); // reading is free
    rig.channel.set_write_protect(0, false);
    rig.send_and_wait(erase(rig.row(0, 0, 0, 0)));
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.die_log.count(), 2u);
}

} // namespace
} // namespace tlmssd::tb
