// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the parameter page against hand-written bytes at the offsets of the ONFI structure.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/nand/target/parameter_page.h"
#include "tb/support/geometry.h"

namespace tlmssd::nand {
namespace {

using Page = std::array<u8, 256>;

u64 field(const Page& page, u32 at, u32 bytes)
{
    u64 value = 0;
    for (u32 i = bytes; i-- > 0;) {
        value = value << 8 | page[at + i];
    }
    return value;
}

std::string text(const Page& page, u32 at, u32 bytes)
{
    return std::string(page.begin() + at, page.begin() + at + bytes);
}

/// As MT29F64G08CBAAA: 8192 + 448 bytes, 256 pages, 2 planes of 2048 blocks, two LUNs a CE#.
Geometry geometry()
{
    return tb::make_geometry().chip_enables(2).dies(4).planes(2).blocks(2048).pages(256).page(8192, 448);
}

config::Nand part()
{
    config::Nand n;
    n.name = "MT29F64G08CBAAA";
    n.manufacturer = "MICRON";
    n.jedec_id = "2C64444Ba900";
    n.t_read = microseconds(50);
    n.t_program = microseconds(1300);
    n.t_erase = microseconds(3000);
    n.endurance = 5000;
    n.sdr_modes = 6;
    n.nvddr_modes = 6;
    n.nvddr2_modes = 0;
    n.nvddr3_modes = 0;
    return n;
}

u16 crc(const std::string& s)
{
    return onfi_crc16(reinterpret_cast<const u8*>(s.data()), s.size());
}

TEST(OnfiCrc, Vectors)
{
    EXPECT_EQ(crc(""), 0x4f4e);
    EXPECT_EQ(crc("123456789"), 0x2771);
    EXPECT_EQ(crc(std::string(254, '\0')), 0x3eee);
    EXPECT_EQ(crc(std::string(254, '\xff')), 0xc1e2);
    EXPECT_EQ(crc("ONFI" + std::string(250, '\0')), 0x6917);
}

TEST(ParameterPage, EndsWithItsCrcLowByteFirst)
{
    const Page page = parameter_page(part(), geometry(), 8);
    const u16 expected = onfi_crc16(page.data(), 254);
    EXPECT_EQ(page[254], expected & 0xff);
    EXPECT_EQ(page[255], expected >> 8);
    EXPECT_NE(expected, 0x3eee); // that of zeros
}

TEST(ParameterPage, IdentifiesThePart)
{
    const Page page = parameter_page(part(), geometry(), 8);
    EXPECT_EQ(text(page, 0, 4), "ONFI");
    EXPECT_EQ(page[14], 3); // parameter pages
    EXPECT_EQ(text(page, 32, 12), "MICRON      ");
    EXPECT_EQ(text(page, 44, 20), "MT29F64G08CBAAA     ");
    EXPECT_EQ(page[64], 0x2c);
    config::Nand n = part();
    n.name = "a name of more than twenty characters";
    EXPECT_EQ(text(parameter_page(n, geometry(), 8), 44, 20), "a name of more than ");
}

TEST(ParameterPage, DescribesTheMemory)
{
    const Page page = parameter_page(part(), geometry(), 8);
    EXPECT_EQ(field(page, 80, 4), 8192u);
    EXPECT_EQ(field(page, 84, 2), 448u);
    EXPECT_EQ(field(page, 92, 4), 256u);
    EXPECT_EQ(field(page, 96, 4), 4096u); // blocks of both planes
    EXPECT_EQ(page[100], 2);              // 4 dies on 2 chip enables
    EXPECT_EQ(page[101], 0x23);           // 2 column, 3 row cycles
    EXPECT_EQ(page[102], 2);
    EXPECT_EQ(field(page, 103, 2), 0u); // errors are off
    EXPECT_EQ(page[105], 50);           // 50 x 10^2
    EXPECT_EQ(page[106], 2);
    EXPECT_EQ(page[107], 1);
    EXPECT_EQ(page[108], 50);
    EXPECT_EQ(page[109], 2);
    EXPECT_EQ(page[110], 1);
    EXPECT_EQ(page[112], 0);    // a perfect part
    EXPECT_EQ(page[113], 1);    // one plane address bit
    EXPECT_EQ(page[114], 0x26); // any block, program cache, read cache
}

TEST(ParameterPage, EnduranceIsRoundedDown)
{
    config::Nand n = part();
    n.endurance = 60000;
    EXPECT_EQ(field(parameter_page(n, geometry(), 8), 105, 2), 60u | 3u << 8); // 60 x 10^3
    n.endurance = 255;
    EXPECT_EQ(field(parameter_page(n, geometry(), 8), 105, 2), 255u);
    n.endurance = 2999;
    EXPECT_EQ(field(parameter_page(n, geometry(), 8), 105, 2), 29u | 2u << 8); // 29 x 10^2
}

TEST(ParameterPage, PlaneRulesAreInTheMultiPlaneBytes)
{
    config::Nand n = part();
    n.block_restriction = true;
    n.partial_programs = 4;
    const Page restricted = parameter_page(n, geometry(), 8);
    EXPECT_EQ(restricted[114], 0x24);
    EXPECT_EQ(restricted[110], 4);
    Geometry g = geometry();
    g.planes = 4;
    EXPECT_EQ(parameter_page(n, g, 8)[113], 2);
    g.planes = 1;
    const Page single = parameter_page(n, g, 8);
    EXPECT_EQ(single[113], 0);
    EXPECT_EQ(single[114], 0);
    EXPECT_EQ(single[6] & 0x48, 0); // no multi-plane program, erase, read
}

TEST(ParameterPage, InterfacesShowInRevisionFeaturesAndModes)
{
    config::Nand n = part();
    Page page = parameter_page(n, geometry(), 8);
    EXPECT_EQ(field(page, 4, 2), 0x003eu);  // 1.0 and 2.0 to 2.3
    EXPECT_EQ(field(page, 6, 2), 0x016au);  // LUNs, planes (3, 6), NV-DDR (5), program clear (8)
    EXPECT_EQ(field(page, 8, 2), 0x12ffu);  // 0 to 7, 9 reset LUN, 12 LUN features
    EXPECT_EQ(field(page, 129, 2), 0x003fu);
    EXPECT_EQ(page[141], 0x3f);
    EXPECT_EQ(page[142], 0);
    EXPECT_EQ(page[151], 0x07);

    n.sdr_modes = 5;
    n.nvddr_modes = 0;
    n.program_clear = false;
    Geometry g = geometry();
    g.chip_enables = 4; // one LUN each
    page = parameter_page(n, g, 16);
    EXPECT_EQ(field(page, 4, 2), 0x0002u);
    EXPECT_EQ(field(page, 6, 2), 0x0049u); // 16 bit, planes
    EXPECT_EQ(field(page, 129, 2), 0x001fu);
    EXPECT_EQ(page[141], 0);

    n.nvddr2_modes = 9;
    n.nvddr3_modes = 11;
    page = parameter_page(n, g, 8);
    EXPECT_EQ(field(page, 4, 2), 0x03feu);
    EXPECT_EQ(field(page, 6, 2), 0x0448u);
    EXPECT_EQ(page[142], 0xff);
    EXPECT_EQ(field(page, 160, 2), 0x07ffu);
    EXPECT_EQ(field(page, 162, 2), 0x01ffu);
}

TEST(ParameterPage, HasTheLongestTimes)
{
    config::Nand n = part();
    Page page = parameter_page(n, geometry(), 8);
    EXPECT_EQ(field(page, 133, 2), 1300u);
    EXPECT_EQ(field(page, 135, 2), 3000u);
    EXPECT_EQ(field(page, 137, 2), 50u);
    EXPECT_EQ(field(page, 139, 2), 500u); // worst case of the timing modes
    EXPECT_EQ(field(page, 152, 2), 50u);
    EXPECT_EQ(field(page, 154, 2), 400u);

    n.array_variation = 0.1;     // 50 -> 55; 1300 -> 1430
    n.wear.erase_change = 0.25;  // 3000 -> 4500 at twice the endurance
    n.t_ccs = nanoseconds(200);
    n.t_adl = Picoseconds(70500); // rounded up to 71 ns
    page = parameter_page(n, geometry(), 8);
    EXPECT_EQ(field(page, 133, 2), 1430u);
    EXPECT_EQ(field(page, 135, 2), 4500u);
    EXPECT_EQ(field(page, 137, 2), 55u);
    EXPECT_EQ(field(page, 139, 2), 200u);
    EXPECT_EQ(field(page, 154, 2), 71u);

    n.t_erase = milliseconds(900); // does not fit: the largest
    EXPECT_EQ(field(parameter_page(n, geometry(), 8), 135, 2), 65535u);
}

// RBER 1e-3 in 4096 bits: mean 4.096. Poisson with that mean exceeds 22 with
// 4.096^23 e^-4.096 / 23! / (1 - 4.096/24) = 1.2e14 * 0.0166 / 2.585e22 / 0.83 = 9.4e-11, 24 with
// 4.096^25 e^-4.096 / 25! / (1 - 4.096/26) = 2.06e15 * 0.0166 / 1.551e25 / 0.84 = 2.6e-12, 25 with
// 4.096^26 ... / 26! = 8.46e15 * 0.0166 / 4.033e26 / 0.85 = 4.1e-13: the binomial, which is
// narrower, needs 24 or 25.
TEST(ParameterPage, EccCoversTheRatedEnduranceAndBadBlocksTheFactory)
{
    config::Nand n = part();
    n.errors.enabled = true;
    n.errors.max_erases = 1e6;
    n.errors.a = 2e-7; // 5000 erases: 1e-3
    n.errors.k = 1;
    n.errors.factory_bad = 0.02;
    const Page page = parameter_page(n, geometry(), 8);
    EXPECT_GE(page[112], 24);
    EXPECT_LE(page[112], 25);
    // Of 4096 blocks 82 +- 9: more than 5 sigma above, less than 9.
    EXPECT_GT(field(page, 103, 2), 82u + 5 * 9);
    EXPECT_LT(field(page, 103, 2), 82u + 9 * 9);
}

TEST(ParameterPage, CopiesAreThreeAlike)
{
    const Page page = parameter_page(part(), geometry(), 8);
    const std::vector<u8> copies = parameter_page_copies(part(), geometry(), 8);
    ASSERT_EQ(copies.size(), 768u);
    for (u32 i = 0; i < 768; ++i) {
        ASSERT_EQ(copies[i], page[i % 256]) << i;
    }
}

TEST(ReadId, AnswersJedecAndOnfiAddresses)
{
    EXPECT_EQ(read_id(part(), 0x00), (std::vector<u8>{0x2c, 0x64, 0x44, 0x4b, 0xa9, 0x00}));
    EXPECT_EQ(read_id(part(), 0x20), (std::vector<u8>{0x4f, 0x4e, 0x46, 0x49}));
    EXPECT_TRUE(read_id(part(), 0x40).empty());
}

TEST(UniqueId, HasSixteenCopiesWithComplementsAndDiffersBetweenTargets)
{
    std::set<std::vector<u8>> all;
    for (u32 target = 0; target < 64; ++target) {
        const std::vector<u8> id = unique_id(1, target);
        ASSERT_EQ(id.size(), 512u);
        for (u32 i = 0; i < 512; ++i) {
            const u8 byte = id[i % 16];
            ASSERT_EQ(id[i], i / 16 % 2 == 0 ? byte : static_cast<u8>(byte ^ 0xff));
        }
        all.insert(id);
    }
    EXPECT_EQ(all.size(), 64u);
    EXPECT_EQ(unique_id(1, 5), unique_id(1, 5));
    EXPECT_NE(unique_id(1, 5), unique_id(2, 5));
    const std::vector<u8> id = unique_id(1, 5);
    EXPECT_NE(std::vector<u8>(id.begin(), id.begin() + 8),
              std::vector<u8>(id.begin() + 8, id.begin() + 16));
}

} // namespace
} // namespace tlmssd::nand
