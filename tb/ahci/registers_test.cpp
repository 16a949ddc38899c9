// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: registers and structures of AHCI against addresses, values and bytes written by hand from the
// standard's tables (docs/explanation/ahci.md); no constant of the model is used for what is expected.
#include <gtest/gtest.h>

#include "models/ahci/ahci_registers.h"

namespace tlmssd::tb {
namespace {

using ahci::AhciRegisters;

/// 6 Gb/s with NCQ.
struct AhciRegister : testing::Test {
    AhciRegisters r{3, true};
    void running()
    {
        r.write(0x118, 0x10); // FRE
        r.write(0x118, 0x11); // and ST
    }
};

TEST_F(AhciRegister, CapTellsOnePortThirtyTwoSlotsAndWhatIsSupported)
{
    // S64A 31, SNCQ 30, SSS 27, SCLO 24, ISS = 3 in 23:20, SAM 18, PMD 15, NCS = 31 in 12:8, NP = 0 in 4:0.
    EXPECT_EQ(r.read(0x00), 0x80000000u | 0x40000000 | 0x08000000 | 0x01000000 | 0x00300000 |
                                0x00040000 | 0x00008000 | 0x00001f00);
    EXPECT_EQ(AhciRegisters(1, false).read(0x00), 0x8914'9f00u);
    EXPECT_EQ(AhciRegisters(2, true).read(0x00), 0xc924'9f00u);
    r.write(0x00, 0);
    EXPECT_EQ(r.read(0x00), 0xc934'9f00u) << "read-only";
}

TEST_F(AhciRegister, TheHbasOwnRegistersAfterReset)
{
    EXPECT_EQ(r.read(0x04), 0x80000000u) << "GHC: AE";
    EXPECT_EQ(r.read(0x08), 0u) << "IS";
    EXPECT_EQ(r.read(0x0c), 1u) << "PI";
    EXPECT_EQ(r.read(0x10), 0x00010301u) << "VS: 1.3.1";
    for (u32 at = 0x14; at < 0x100; at += 4) {
        EXPECT_EQ(r.read(at), 0u) << at;
    }
}

TEST_F(AhciRegister, ThePortsRegistersAfterReset)
{
    for (u32 at = 0x100; at < 0x180; at += 4) {
        const u32 expected = at == 0x118   ? 0x4u  // PxCMD: POD
                             : at == 0x120 ? 0x7fu // PxTFD
                             : at == 0x124 ? 0xffffffffu // PxSIG
                                           : 0u;
        EXPECT_EQ(r.read(at), expected) << at;
    }
}

TEST_F(AhciRegister, BaseAddressesAreAlignedAsTheirReservedBitsSay)
{
    for (const u32 at : {0x100u, 0x104u, 0x108u, 0x10cu}) {
        r.write(at, 0xffffffff);
    }
    EXPECT_EQ(r.read(0x100), 0xfffffc00u) << "PxCLB: 1 KiB";
    EXPECT_EQ(r.read(0x104), 0xffffffffu);
    EXPECT_EQ(r.read(0x108), 0xffffff00u) << "PxFB: 256 B";
    EXPECT_EQ(r.read(0x10c), 0xffffffffu);
}

TEST_F(AhciRegister, PartsOfARegisterAreWrittenAlone)
{
    r.write(0x100, 0x12345678);
    r.write(0x100, 0xaabbccdd, 0x00ff0000);
    EXPECT_EQ(r.read(0x100), 0x12bb5400u);
    r.raise(0x40000001); // TFES, DHRS
    r.write(0x110, 0xffffffff, 0x000000ff);
    EXPECT_EQ(r.read(0x110), 0x40000000u) << "a byte of a register that is cleared by ones";
}

TEST_F(AhciRegister, PxIeHasTheBitsOfPxIs)
{
    r.write(0x114, 0xffffffff);
    // TFES HBFS HBDS IFS INFS - OFS; PRCS 22; PCS DPS UFS SDBS DSS PSS DHRS. No cold presence detect, no switch, no PM.
    EXPECT_EQ(r.read(0x114), 0x7d40'007fu);
}

TEST_F(AhciRegister, AnInterruptNeedsPxIeAndGhcIe)
{
    r.raise(0x1);
    EXPECT_EQ(r.read(0x08), 0u);
    r.write(0x114, 0x1);
    EXPECT_EQ(r.read(0x08), 1u) << "IS.IPS of port 0";
    EXPECT_FALSE(r.interrupt());
    r.write(0x04, 0x2);
    EXPECT_TRUE(r.interrupt());
    r.write(0x08, 1);
    EXPECT_TRUE(r.interrupt()) << "PxIS first";
    r.write(0x110, 0x1);
    EXPECT_TRUE(r.interrupt()) << "IS is cleared by software";
    r.write(0x08, 1);
    EXPECT_FALSE(r.interrupt());
}

TEST_F(AhciRegister, SerrShowsInPxIsAndIsClearedThere)
{
    r.raise_serr(1u << 26 | 1u << 25 | 1u << 16); // DIAG.X, DIAG.F, DIAG.N
    EXPECT_EQ(r.read(0x110), 0x00400050u) << "PRCS, PCS, UFS";
    r.write(0x110, 0xffffffff);
    EXPECT_EQ(r.read(0x110), 0x00400050u) << "read-only there";
    r.write(0x130, 1u << 26 | 1u << 16);
    EXPECT_EQ(r.read(0x110), 0x10u);
    EXPECT_EQ(r.read(0x130), 1u << 25);
}

TEST_F(AhciRegister, PxCmdShowsWhetherTheEnginesRun)
{
    r.write(0x118, 0x10);
    EXPECT_EQ(r.read(0x118), 0x4014u) << "FR, FRE, POD";
    r.write(0x118, 0x11);
    EXPECT_EQ(r.read(0x118), 0xc015u) << "CR, ST too";
    r.ccs = 5;
    EXPECT_EQ(r.read(0x118), 0xc515u);
    EXPECT_EQ(r.write(0x118, 0x10), ahci::kAhciStop);
    EXPECT_EQ(r.read(0x118), 0x4014u);
}

TEST_F(AhciRegister, CommandsAreIssuedOnlyWhileStIsSet)
{
    r.write(0x138, 0x1);
    r.write(0x134, 0x1);
    EXPECT_EQ(r.read(0x138), 0u) << "CI without ST";
    EXPECT_EQ(r.read(0x134), 0u);
    running();
    r.write(0x134, 0x80000001);
    r.write(0x138, 0x80000000);
    r.write(0x138, 0x1);
    EXPECT_EQ(r.read(0x138), 0x80000001u) << "zeros clear nothing";
    EXPECT_EQ(r.read(0x134), 0x80000001u);
    r.write(0x118, 0x10);
    EXPECT_EQ(r.read(0x138), 0u);
    EXPECT_EQ(r.read(0x134), 0u);
}

TEST_F(AhciRegister, CloClearsBsyAndDrqWhileStIsClear)
{
    running();
    r.set_status(0xd9, 0x04);
    EXPECT_EQ(r.read(0x120), 0x04d9u);
    r.write(0x118, 0x19);
    EXPECT_EQ(r.read(0x120), 0x04d9u) << "ST is set";
    r.write(0x118, 0x18);
    EXPECT_EQ(r.read(0x120), 0x0451u);
    EXPECT_EQ(r.read(0x118) & 0x8, 0u) << "CLO reads 0";
}

TEST_F(AhciRegister, SpinUpAndDetConnect)
{
    EXPECT_EQ(r.write(0x12c, 0x1), ahci::kAhciHold);
    EXPECT_EQ(r.write(0x12c, 0x0), 0u) << "not spun up";
    EXPECT_EQ(r.write(0x118, 0x2), ahci::kAhciConnect);
    EXPECT_EQ(r.write(0x118, 0x2), 0u) << "is up";
    EXPECT_EQ(r.write(0x12c, 0x301), ahci::kAhciHold);
    EXPECT_EQ(r.read(0x12c), 0x301u);
    EXPECT_EQ(r.write(0x12c, 0x301), 0u);
    EXPECT_EQ(r.write(0x12c, 0x300), ahci::kAhciConnect);
    r.set_online();
    EXPECT_EQ(r.read(0x128), 0x133u) << "IPM active, 6 Gb/s, present";
    EXPECT_EQ(r.read(0x120) & 0xff, 0x80u) << "BSY until the signature";
    EXPECT_EQ(r.write(0x12c, 0x4), ahci::kAhciHold) << "offline";
}

TEST_F(AhciRegister, HbaResetKeepsTheBaseAddresses)
{
    r.write(0x100, 0x80001000);
    r.write(0x108, 0x80002000);
    r.write(0x114, 0xffffffff);
    running();
    EXPECT_EQ(r.write(0x04, 0x3), ahci::kAhciHbaReset);
    r.reset();
    EXPECT_EQ(r.read(0x04), 0x80000000u) << "HR and IE are clear";
    EXPECT_EQ(r.read(0x100), 0x80001000u);
    EXPECT_EQ(r.read(0x108), 0x80002000u);
    EXPECT_EQ(r.read(0x114), 0u);
    EXPECT_EQ(r.read(0x118), 0x4u);
}

TEST(AhciLayout, CommandHeader)
{
    const u8 bytes[32] = {0xe5, 0xf7, 0x34, 0x12, // CFL 5, A, W, P | R, B, C, PMP 15 | PRDTL 1234h
                          0x78, 0x56, 0x34, 0x12, // PRDBC
                          0xff, 0x44, 0x33, 0x22, // CTBA, with its reserved bits
                          0x01, 0x00, 0x00, 0x80};
    const ahci::CommandHeader h = ahci::unpack_header(bytes);
    EXPECT_EQ(h.cfis_dwords, 5u);
    EXPECT_TRUE(h.atapi && h.write && h.prefetch && h.reset && h.bist && h.clear_busy);
    EXPECT_EQ(h.port, 15u);
    EXPECT_EQ(h.prds, 0x1234u);
    EXPECT_EQ(h.prdbc, 0x12345678u);
    EXPECT_EQ(h.table, 0x80000001'22334480u);
}

TEST(AhciLayout, FlagsOfACommandHeaderOneByOne)
{
    const auto header = [](u32 bit) {
        u8 bytes[32] = {};
        bytes[bit / 8] = static_cast<u8>(1u << bit % 8);
        return ahci::unpack_header(bytes);
    };
    EXPECT_EQ(header(4).cfis_dwords, 16u);
    EXPECT_TRUE(header(5).atapi);
    EXPECT_TRUE(header(6).write);
    EXPECT_TRUE(header(7).prefetch);
    EXPECT_TRUE(header(8).reset);
    EXPECT_TRUE(header(9).bist);
    EXPECT_TRUE(header(10).clear_busy);
    EXPECT_EQ(header(12).port, 1u);
    EXPECT_EQ(header(16).prds, 1u);
}

TEST(AhciLayout, EntryOfThePrdt)
{
    const u8 bytes[16] = {0x01, 0x20, 0x00, 0x90, // DBA, with its reserved bit
                          0x02, 0x00, 0x00, 0x00, // DBAU
                          0xff, 0xff, 0xff, 0xff, // reserved
                          0xff, 0x0f, 0x00, 0x80}; // I, DBC: 4 KiB, less one
    const ahci::Prd prd = ahci::unpack_prd(bytes);
    EXPECT_EQ(prd.address, 0x2'90002000u);
    EXPECT_EQ(prd.bytes, 4096u);
    EXPECT_TRUE(prd.interrupt);
    const u8 most[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x3f, 0};
    EXPECT_EQ(ahci::unpack_prd(most).bytes, 4u << 20);
    EXPECT_FALSE(ahci::unpack_prd(most).interrupt);
    const u8 even[16] = {};
    EXPECT_EQ(ahci::unpack_prd(even).bytes, 2u) << "bit 0 has to be 1, and is taken for it";
}

} // namespace
} // namespace tlmssd::tb
