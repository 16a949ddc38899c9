// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page store: page order, erase, and the cost of a large device.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "models/common/error.h"
#include "models/nand/store/page_store.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using nand::PageStore;
using nand::PageView;
using nand::Place;
using nand::ProgramError;

Geometry small()
{
    return small_geometry().dies(2).blocks(3);
}

/// Resident memory of this process in MiB (field 2 of statm, 4 KiB pages).
double resident_mib()
{
    long total = 0;
    long resident = 0;
    std::FILE* f = std::fopen("/proc/self/statm", "r");
    if (f == nullptr || std::fscanf(f, "%ld %ld", &total, &resident) != 2) {
        ADD_FAILURE() << "cannot read /proc/self/statm";
    }
    if (f != nullptr) {
        std::fclose(f);
    }
    return static_cast<double>(resident) * 4096.0 / 1048576.0;
}

TEST(PageStore, HoldsTagsAndOobOfEachPageApart)
{
    PageStore store(small());
    for (u32 plane = 0; plane < 2; ++plane) {
        for (u32 page = 0; page < 4; ++page) {
            const UnitTag tags[2] = {{100 * plane + page + 1, 1}, {100 * plane + page + 1, 2}};
            u8 oob[kOobBytes] = {};
            oob[15] = static_cast<u8>(16 * plane + page);
            ASSERT_EQ(store.program({1, plane, 2, page}, tags, oob), ProgramError::None);
        }
    }
    for (u32 plane = 0; plane < 2; ++plane) {
        for (u32 page = 0; page < 4; ++page) {
            const PageView view = store.read({1, plane, 2, page});
            ASSERT_NE(view.tags, nullptr);
            EXPECT_EQ(view.tags[0], (UnitTag{100 * plane + page + 1, 1}));
            EXPECT_EQ(view.tags[1], (UnitTag{100 * plane + page + 1, 2}));
            EXPECT_EQ(view.oob[15], 16 * plane + page);
        }
    }
    EXPECT_EQ(store.read({0, 0, 2, 0}).tags, nullptr);
    EXPECT_EQ(store.next_page({1, 1, 2, 0}), 4u);
}

TEST(PageStore, RefusesPagesOutOfOrderAndProgrammedPages)
{
    PageStore store(small());
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const UnitTag other[2] = {{9, 9}, {9, 9}};
    const u8 oob[kOobBytes] = {};
    EXPECT_EQ(store.program({0, 0, 0, 1}, tags, oob), ProgramError::OutOfOrder);
    EXPECT_EQ(store.program({0, 0, 0, 0}, tags, oob), ProgramError::None);
    EXPECT_EQ(store.program({0, 0, 0, 0}, other, oob), ProgramError::NotErased);
    EXPECT_EQ(store.read({0, 0, 0, 0}).tags[0], tags[0]);
    EXPECT_EQ(store.read({0, 0, 0, 1}).tags, nullptr);
}

TEST(PageStore, EraseEmptiesOneBlockAndCountsIt)
{
    PageStore store(small());
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    ASSERT_EQ(store.program({0, 0, 0, 0}, tags, oob), ProgramError::None);
    ASSERT_EQ(store.program({0, 0, 1, 0}, tags, oob), ProgramError::None);
    store.erase({0, 0, 0, 0});
    EXPECT_EQ(store.read({0, 0, 0, 0}).tags, nullptr);
    EXPECT_NE(store.read({0, 0, 1, 0}).tags, nullptr);
    EXPECT_EQ(store.erase_count({0, 0, 0, 0}), 1u);
    EXPECT_EQ(store.erase_count({0, 0, 1, 0}), 0u);
    EXPECT_EQ(store.program({0, 0, 0, 0}, tags, oob), ProgramError::None);
}

TEST(PageStore, HoldsNoBytesUnlessAsked)
{
    PageStore store(small());
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    ASSERT_EQ(store.program({0, 0, 0, 0}, tags, oob), ProgramError::None);
    EXPECT_FALSE(store.keeps_bytes());
    EXPECT_EQ(store.read({0, 0, 0, 0}).bytes, nullptr);
}

TEST(PageStore, HoldsTheBytesOfEachPageApartUntilItsBlockIsErased)
{
    const u32 n = small().physical_bytes();
    PageStore store(small(), config::DataKind::Full);
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    for (u32 block = 0; block < 3; ++block) {
        for (u32 page = 0; page < 4; ++page) {
            const std::vector<u8> bytes(n, static_cast<u8>(16 * block + page));
            ASSERT_EQ(store.program({1, 1, block, page}, tags, oob, bytes.data()),
                      ProgramError::None);
        }
    }
    store.erase({1, 1, 1, 0}); // its bytes share memory pages with its neighbours'
    EXPECT_EQ(store.read({1, 1, 1, 0}).bytes, nullptr);
    for (const u32 block : {0u, 2u}) {
        for (u32 page = 0; page < 4; ++page) {
            const u8* bytes = store.read({1, 1, block, page}).bytes;
            ASSERT_NE(bytes, nullptr);
            EXPECT_EQ(std::count(bytes, bytes + n, 16 * block + page), n);
        }
    }
}

TEST(PageStore, FillsAPageWithoutBytesWithErasedOnes)
{
    const u32 n = small().physical_bytes();
    PageStore store(small(), config::DataKind::Full);
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    const std::vector<u8> bytes(n, 0x11);
    ASSERT_EQ(store.program({0, 0, 0, 0}, tags, oob, bytes.data()), ProgramError::None);
    store.erase({0, 0, 0, 0});
    ASSERT_EQ(store.program({0, 0, 0, 0}, tags, oob), ProgramError::None);
    const u8* stored = store.read({0, 0, 0, 0}).bytes;
    EXPECT_EQ(std::count(stored, stored + n, 0xff), n);
}

TEST(PageStore, AFurtherProgramOnlyClearsBits)
{
    const u32 n = small().physical_bytes();
    PageStore store(small(), config::DataKind::Full);
    const UnitTag first[2] = {{7, 1}, {}};
    const UnitTag second[2] = {{}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    std::vector<u8> bytes(n, 0xff);
    bytes[0] = 0x3c;
    ASSERT_EQ(store.program({0, 0, 0, 0}, first, oob, bytes.data()), ProgramError::None);
    bytes[0] = 0xff; // not sent
    bytes[n - 1] = 0x0f;
    store.add({0, 0, 0, 0}, second, oob, bytes.data());
    const u8* stored = store.read({0, 0, 0, 0}).bytes;
    EXPECT_EQ(stored[0], 0x3c);
    EXPECT_EQ(stored[n - 1], 0x0f);
    bytes[0] = 0x0f;
    store.add({0, 0, 0, 0}, second, oob, bytes.data());
    EXPECT_EQ(stored[0], 0x0c); // 3Ch and 0Fh
}

/// A block of 256 pages of 8640 bytes is 2160 KiB. Erasing gives them back, up to a page at each end.
TEST(PageStore, TakesMemorySixteenPagesAtATimeAndUsesItAgain)
{
    const Geometry g = make_geometry().blocks(32).pages(256).page(8192, 448);
    PageStore store(g, config::DataKind::Full);
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    const double before = resident_mib();
    for (u32 block = 0; block < 32; ++block) {
        ASSERT_EQ(store.program({0, 0, block, 0}, tags, oob), ProgramError::None);
    }
    EXPECT_LT(resident_mib() - before, 12); // 32 * 16 * 8640 B = 4.2 MiB, and tags on huge pages
    for (u32 round = 0; round < 3; ++round) {
        for (u32 block = 0; block < 32; ++block) {
            for (u32 page = store.next_page({0, 0, block, 0}); page < 256; ++page) {
                ASSERT_EQ(store.program({0, 0, block, page}, tags, oob), ProgramError::None);
            }
        }
        EXPECT_GT(resident_mib() - before, 67); // 32 * 2160 KiB = 67.5 MiB
        EXPECT_LT(resident_mib() - before, 75);
        for (u32 block = 0; block < 32; ++block) {
            store.erase({0, 0, block, 0});
        }
    }
}

TEST(PageStore, PageIndicesCountUpWithoutGaps)
{
    const PageStore store(small());
    u64 expected = 0;
    for (u32 die = 0; die < 2; ++die) {
        for (u32 plane = 0; plane < 2; ++plane) {
            for (u32 block = 0; block < 3; ++block) {
                for (u32 page = 0; page < 4; ++page) {
                    EXPECT_EQ(store.page_index({die, plane, block, page}), expected++);
                }
            }
        }
    }
}

TEST(PageStore, RefusesPagesAboveSixteenUnits)
{
    Geometry g = small();
    g.page_bytes = 131072;
    EXPECT_THROW(PageStore{g}, ModelError);
}

TEST(PageStore, LargeDeviceStartsAtOnceAndSmall)
{
    const Geometry g = make_geometry().channels(8).ways(8).dies(2).planes(2).blocks(512).pages(256).page(8192, 448);
    ASSERT_EQ(g.raw_bytes(), u64{256} << 30);
    const double before = resident_mib();
    const auto t0 = std::chrono::steady_clock::now();
    PageStore store(g);
    const auto t1 = std::chrono::steady_clock::now();
    EXPECT_LT(std::chrono::duration<double>(t1 - t0).count(), 0.05);
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    for (u32 die = 0; die < g.total_dies(); ++die) { // touch every die, a page each
        ASSERT_EQ(store.program({die, 1, 511, 0}, tags, oob), ProgramError::None);
        store.erase({die, 0, 3, 0});
    }
    // 128 dies x one huge page of records at most, and the block tables (0.25 + 0.5 MiB).
    EXPECT_LT(resident_mib() - before, 300.0);
}

/// Programs pages [0, count) of the place's block with one tag.
void program_all(PageStore& store, Place place, u32 count, UnitTag tag)
{
    const UnitTag tags[2] = {tag, tag};
    const u8 oob[kOobBytes] = {};
    for (place.page = 0; place.page < count; ++place.page) {
        ASSERT_EQ(store.program(place, tags, oob), ProgramError::None);
    }
}

TEST(TornPages, AreSpentAndLostUntilTheErase)
{
    PageStore store(small(), config::DataKind::Full);
    const Place place{0, 1, 2, 1};
    store.tear_program(place); // not its turn: page 0 comes first
    EXPECT_EQ(store.next_page(place), 0u);
    program_all(store, place, 1, {5, 1});
    store.tear_program(place);
    EXPECT_EQ(store.next_page(place), 2u);
    EXPECT_TRUE(store.torn(place));
    EXPECT_FALSE(store.torn({0, 1, 2, 0}));
    EXPECT_FALSE(store.torn({0, 1, 2, 2})) << "erased";
    const PageView page = store.read(place);
    EXPECT_EQ(page.tags[1], kLostUnit);
    EXPECT_EQ(page.oob[15], nand::kTornByte);
    EXPECT_EQ(page.bytes[8639], nand::kTornByte);
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    EXPECT_EQ(store.program(place, tags, oob), ProgramError::NotErased);
    store.erase(place);
    EXPECT_FALSE(store.torn(place));
    EXPECT_EQ(store.read(place).tags, nullptr);
}

TEST(TornPages, OfABlockAreAllOfThem)
{
    PageStore store(small());
    const Place place{1, 0, 1, 0};
    program_all(store, place, 2, {5, 1});
    store.tear_erase(place);
    EXPECT_EQ(store.next_page(place), 4u);
    EXPECT_EQ(store.erase_count(place), 0u);
    for (u32 page = 0; page < 4; ++page) {
        EXPECT_TRUE(store.torn({1, 0, 1, page}));
    }
    EXPECT_EQ(store.next_page({1, 0, 2, 0}), 0u);
}

/// A table page's number lives as long as one flash page holds it.
TEST(TablePagesInTheStore, GoWithTheLastPageThatHoldsThem)
{
    PageStore store(small());
    std::vector<u8> content(8192, 0x31);
    const u32 first = store.tables().keep(content.data());
    content.assign(8192, 0x32);
    const u32 second = store.tables().keep(content.data());
    const Place here{0, 0, 0, 0}, there{1, 1, 2, 0};
    program_all(store, here, 1, TablePages::tag(first));
    program_all(store, there, 2, TablePages::tag(first)); // copies
    EXPECT_EQ(store.tables().in_use(), 2u);
    store.erase(here);
    EXPECT_EQ(store.tables().in_use(), 2u);
    EXPECT_EQ(store.tables().bytes(store.read(there).tags[0].version)[8191], 0x31);
    store.erase(there);
    EXPECT_EQ(store.tables().in_use(), 1u);
    EXPECT_EQ(store.tables().bytes(second)[0], 0x32);
    EXPECT_EQ(store.tables().keep(content.data()), first) << "used again";
    store.erase(there); // an empty block holds nothing
    EXPECT_EQ(store.tables().in_use(), 2u);
}

TEST(TablePagesInTheStore, GoWhenTheirPageIsTorn)
{
    PageStore store(small());
    const std::vector<u8> content(8192, 0x31);
    const Place place{0, 0, 0, 0};
    program_all(store, place, 1, TablePages::tag(store.tables().keep(content.data())));
    store.tear_program(place); // a further partial program
    EXPECT_EQ(store.tables().in_use(), 0u);
    store.erase(place);
    program_all(store, place, 1, TablePages::tag(store.tables().keep(content.data())));
    store.tear_erase(place);
    EXPECT_EQ(store.tables().in_use(), 0u);
    store.erase(place);
    EXPECT_EQ(store.tables().in_use(), 0u);
}

/// Unit u of page p of block b of plane l of die d: unit 10000 d + 1000 l + 100 b + 10 p + u, version p + 1.
struct ByPlace final : nand::PageRule {
    void page(const Place& p, UnitTag* tags, u8* oob) const override
    {
        for (u32 unit = 0; unit < 2; ++unit) {
            tags[unit] = {10000 * p.die + 1000 * p.plane + 100 * p.block + 10 * p.page + unit, p.page + 1};
        }
        std::fill_n(oob, kOobBytes, static_cast<u8>(p.page));
    }
};

/// 2 dies of 2 planes of 3 blocks of 4 pages of 2 units: a page is 2 tags of 8 bytes and 16 of OOB, a block 128 bytes.
TEST(PageStoreByRule, GivesThePagesOfTheRule)
{
    PageStore store(small());
    store.fill(2 * 4, std::make_unique<ByPlace>());
    EXPECT_EQ(store.ruled_bytes(), 8 * 128u);
    EXPECT_EQ(store.next_page({1, 1, 1, 0}), 4u);
    EXPECT_EQ(store.next_page({1, 1, 2, 0}), 0u);
    EXPECT_EQ(store.ruled_bytes(), 8 * 128u) << "a question needs no memory";
    EXPECT_EQ(store.read({1, 1, 2, 0}).tags, nullptr);
    const PageView view = store.read({1, 1, 1, 3});
    ASSERT_NE(view.tags, nullptr);
    EXPECT_EQ(view.tags[0], (UnitTag{11130, 4}));
    EXPECT_EQ(view.tags[1], (UnitTag{11131, 4}));
    EXPECT_EQ(view.oob[15], 3);
    EXPECT_EQ(store.next_page({1, 1, 1, 0}), 4u);
    EXPECT_EQ(store.read({1, 1, 1, 0}).tags[0], (UnitTag{11100, 1}));
    EXPECT_EQ(store.read({1, 1, 1, 3}).tags[0], (UnitTag{11130, 4})) << "once more";
    EXPECT_EQ(store.ruled_bytes(), 8 * 128u) << "the block is as the rule has it";
    store.erase({1, 1, 1, 0});
    EXPECT_EQ(store.read({1, 1, 1, 3}).tags, nullptr);
    EXPECT_EQ(store.ruled_bytes(), 7 * 128u);
}

TEST(PageStoreByRule, MayEndInABlock)
{
    PageStore store(small());
    store.fill(4 + 3, std::make_unique<ByPlace>());
    EXPECT_EQ(store.ruled_bytes(), 4 * 128u);
    EXPECT_EQ(store.next_page({1, 1, 0, 0}), 4u);
    EXPECT_EQ(store.next_page({1, 1, 1, 0}), 3u);
    EXPECT_EQ(store.read({1, 1, 1, 2}).tags[0], (UnitTag{11120, 3}));
    EXPECT_EQ(store.read({1, 1, 1, 3}).tags, nullptr);
    EXPECT_EQ(store.next_page({1, 1, 2, 0}), 0u);
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    EXPECT_EQ(store.program({1, 1, 1, 2}, tags, oob), ProgramError::NotErased);
    EXPECT_EQ(store.program({1, 1, 2, 1}, tags, oob), ProgramError::OutOfOrder);
    EXPECT_EQ(store.program({1, 1, 1, 3}, tags, oob), ProgramError::None);
    EXPECT_EQ(store.read({1, 1, 1, 3}).tags[0], tags[0]);
}

TEST(PageStoreByRule, IsProgrammedErasedAndTornLikeAnyOther)
{
    PageStore store(small());
    store.fill(3 * 4, std::make_unique<ByPlace>());
    const UnitTag tags[2] = {{7, 1}, {8, 1}};
    const u8 oob[kOobBytes] = {};
    EXPECT_EQ(store.program({0, 0, 0, 0}, tags, oob), ProgramError::NotErased);
    EXPECT_EQ(store.program({0, 0, 0, 2}, tags, oob), ProgramError::NotErased);
    store.erase({0, 0, 0, 0});
    EXPECT_EQ(store.next_page({0, 0, 0, 0}), 0u);
    EXPECT_EQ(store.erase_count({0, 0, 0, 0}), 1u);
    EXPECT_EQ(store.read({0, 0, 0, 0}).tags, nullptr);
    EXPECT_EQ(store.program({0, 0, 0, 0}, tags, oob), ProgramError::None);
    EXPECT_EQ(store.read({0, 0, 0, 0}).tags[0], tags[0]);
    EXPECT_EQ(store.read({0, 0, 0, 1}).tags, nullptr);

    store.tear_program({0, 1, 0, 1}); // a further partial program
    EXPECT_TRUE(store.torn({0, 1, 0, 1}));
    EXPECT_EQ(store.read({0, 1, 0, 2}).tags[0], (UnitTag{1020, 3}));
    store.tear_erase({0, 1, 1, 0});
    EXPECT_TRUE(store.torn({0, 1, 1, 0}));
    EXPECT_TRUE(store.torn({0, 1, 1, 3}));
    u8 zeros[kOobBytes] = {};
    store.add({1, 0, 0, 3}, tags, zeros); // both units have tags: they stay; bits of the OOB go from 1 to 0
    EXPECT_EQ(store.read({1, 0, 0, 3}).tags[0], (UnitTag{10030, 4}));
    EXPECT_EQ(store.read({1, 0, 0, 3}).oob[0], 0);
    EXPECT_EQ(store.ruled_bytes(), 8 * 128u) << "12 blocks but for the erased one, two torn ones, and the last";
}

TEST(PageStoreByRule, IsWrittenOutAsAWhole)
{
    PageStore store(small());
    store.fill(3 * 4, std::make_unique<ByPlace>());
    const PageStore::Memory records = store.memory()[0];
    EXPECT_EQ(store.ruled_bytes(), 0u);
    EXPECT_EQ(records.bytes, 12 * 128u);
    u64 last; // page 3 of the last block: its first tag is 4 words before the end
    std::memcpy(&last, static_cast<const u8*>(records.data) + records.bytes - 4 * sizeof(u64), sizeof last);
    const UnitTag tag{11230, 4};
    u64 expected;
    std::memcpy(&expected, &tag, sizeof expected);
    EXPECT_EQ(last, expected);
}

TEST(PageStoreByRule, IsForANewStoreWithoutBytesOnly)
{
    PageStore store(small());
    EXPECT_THROW(store.fill(3 * 4 + 1, std::make_unique<ByPlace>()), ModelError);
    store.fill(1, std::make_unique<ByPlace>());
    EXPECT_THROW(store.fill(1, std::make_unique<ByPlace>()), ModelError);
    PageStore with_bytes(small(), config::DataKind::Full);
    EXPECT_THROW(with_bytes.fill(1, std::make_unique<ByPlace>()), ModelError);
}

} // namespace
} // namespace tlmssd::tb
