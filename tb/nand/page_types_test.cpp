// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pairing tables against published ones, and what holds for every block size.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/nand/store/page_types.h"

namespace tlmssd::nand {
namespace {

using config::Pairing;
using Pairs = std::vector<std::pair<u32, u32>>;

constexpr u32 kNone = PageTypes::kNoPage;

void expect_pairs(const PageTypes& types, const Pairs& pairs)
{
    for (const auto& [lower, upper] : pairs) {
        EXPECT_EQ(types.type(lower), 0u) << lower;
        EXPECT_EQ(types.partner(lower), kNone) << lower;
        EXPECT_EQ(types.type(upper), 2u) << upper;
        EXPECT_EQ(types.partner(upper), lower) << upper;
    }
}

TEST(PageTypes, UniformBlockAndSlcHaveOneTypeAndNoPartners)
{
    const PageTypes tables[] = {{Pairing::Uniform, 3, 64}, {Pairing::Adjacent, 1, 64},
                                {Pairing::Distance3, 1, 64}, {Pairing::Distance6, 1, 64}};
    for (const PageTypes& types : tables) {
        EXPECT_EQ(types.used(), 1u);
        for (u32 page = 0; page < 64; ++page) {
            EXPECT_EQ(types.type(page), 0u);
            EXPECT_EQ(types.partner(page), kNone);
        }
    }
}

TEST(PageTypes, AdjacentPagesShareTheirCells)
{
    const PageTypes mlc(Pairing::Adjacent, 2, 8);
    expect_pairs(mlc, {{0, 1}, {2, 3}, {4, 5}, {6, 7}});
    const PageTypes tlc(Pairing::Adjacent, 3, 9);
    const u32 type[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const u32 partner[] = {kNone, 0, 1, kNone, 3, 4, kNone, 6, 7};
    for (u32 page = 0; page < 9; ++page) {
        EXPECT_EQ(tlc.type(page), type[page]);
        EXPECT_EQ(tlc.partner(page), partner[page]);
    }
    EXPECT_EQ(PageTypes(Pairing::Adjacent, 4, 8).type(7), 3u);
}

// Published for 128 pages: (0,2) (1,4) (3,6) (5,8) ... (123,126) (125,127).
TEST(PageTypes, Distance3IsThePublishedTable)
{
    const PageTypes types(Pairing::Distance3, 2, 128);
    expect_pairs(types, {{0, 2}, {1, 4}, {3, 6}, {5, 8}, {123, 126}, {125, 127}});
    for (u32 lower = 1; lower <= 123; lower += 2) { // "lsb = msb - 3" (Jasmine's type 2)
        EXPECT_EQ(types.partner(lower + 3), lower);
    }
}

// Published for 128 pages: (0,4) (1,5) (2,8) (3,9) (6,12) (7,13) ... (118,124) (119,125) (122,126)
// (123,127).
TEST(PageTypes, Distance6IsThePublishedTable)
{
    const PageTypes types(Pairing::Distance6, 2, 128);
    expect_pairs(types, {{0, 4}, {1, 5}, {2, 8}, {3, 9}, {6, 12}, {7, 13}, {10, 16}, {11, 17},
                         {118, 124}, {119, 125}, {122, 126}, {123, 127}});
    for (u32 lower = 2; lower <= 119; lower += lower % 4 == 3 ? 3 : 1) { // "lsb = msb - 6"
        EXPECT_EQ(types.partner(lower + 6), lower);
    }
}

// Steps L0 | L1 M0 | L2 M1 U0 | L3 M2 U1 | M3 U2 | U3 of four word lines.
TEST(PageTypes, StaircaseOfTlcWritesABitWhenTheNeighboursHaveTheLowerOnes)
{
    const PageTypes types(Pairing::Distance3, 3, 12);
    const u32 type[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 1, 2, 2};
    const u32 partner[] = {kNone, kNone, 0, kNone, 1, 2, kNone, 3, 4, 6, 7, 9};
    for (u32 page = 0; page < 12; ++page) {
        EXPECT_EQ(types.type(page), type[page]) << page;
        EXPECT_EQ(types.partner(page), partner[page]) << page;
    }
}

// In the steady state a step has one page group of each bit, and the next bit of a word line comes
// one step and one group later: bits + 1 groups, so 4 and 8 for TLC, 5 and 10 for QLC.
TEST(PageTypes, StaircaseDistanceIsOneMoreThanTheBits)
{
    for (u32 bits = 2; bits <= 4; ++bits) {
        for (const u32 group : {1u, 2u}) {
            const Pairing pairing = group == 1 ? Pairing::Distance3 : Pairing::Distance6;
            const PageTypes types(pairing, bits, 64 * bits * group);
            u32 seen = 0;
            for (u32 page = 4 * bits * group; page < 60 * bits * group; ++page) {
                if (types.partner(page) != kNone) {
                    EXPECT_EQ(page - types.partner(page), (bits + 1) * group);
                    ++seen;
                }
            }
            EXPECT_EQ(seen, 56 * group * (bits - 1));
        }
    }
}

/// The next lower type, by hand: MLC skips the middle page.
u32 below(u32 bits, u32 type) { return bits == 2 ? 0 : type - 1; }

TEST(PageTypes, EveryBlockSizeHasConsistentPartners)
{
    for (const Pairing pairing : {Pairing::Adjacent, Pairing::Distance3, Pairing::Distance6}) {
        for (u32 bits = 1; bits <= 4; ++bits) {
            for (u32 pages = 1; pages <= 200; ++pages) {
                const PageTypes types(pairing, bits, pages);
                ASSERT_EQ(types.pages(), pages);
                std::vector<u32> uppers(pages, 0);
                std::vector<u32> count(4, 0);
                for (u32 page = 0; page < pages; ++page) {
                    const u32 type = types.type(page);
                    ASSERT_LT(type, 4u);
                    ++count[type];
                    EXPECT_TRUE((types.used() >> type & 1) != 0);
                    ASSERT_EQ(type == 0, types.partner(page) == kNone);
                    if (type != 0) {
                        const u32 lower = types.partner(page);
                        ASSERT_LT(lower, page); // lower bits are written first
                        EXPECT_EQ(types.type(lower), below(bits, type));
                        EXPECT_LE(++uppers[lower], 1u); // a page has one successor at most
                    }
                }
                const u32 line = bits * (pairing == Pairing::Distance6 ? 2 : 1);
                if (pages % line == 0) { // whole word lines: as many pages of each type
                    EXPECT_EQ(count[0], pages / bits);
                    EXPECT_EQ(count[bits == 1 ? 0 : bits == 4 ? 3 : 2], pages / bits);
                }
            }
        }
    }
}

TEST(PageTypes, RefusesCellsThatDoNotExist)
{
    EXPECT_THROW(PageTypes(Pairing::Adjacent, 0, 4), ModelError);
    EXPECT_THROW(PageTypes(Pairing::Adjacent, 5, 4), ModelError);
}

} // namespace
} // namespace tlmssd::nand
