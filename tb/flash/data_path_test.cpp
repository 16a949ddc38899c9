// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a burst carries and where it lands: tags, partial sectors, OOB, times.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/flash/data_path.h"
#include "tb/flash/fake_dram.h"

namespace tlmssd::tb {
namespace {

using flash::DataPath;
using flash::SegmentRequest;

class Path : public testing::Test {
protected:
    explicit Path(u64 falsify_at = 0)
        : geometry(flash_geometry()), inject{0, falsify_at, 0, {}},
          path(geometry, dram, controller(), inject)
    {
        dram.per_byte = Picoseconds(1000);
        for (u32 i = 0; i < dram.cells.size(); ++i) {
            dram.cells[i] = {100 + i, i};
        }
        for (u32 i = 0; i < dram.records.size(); ++i) {
            dram.records[i] = static_cast<u8>(i);
        }
        for (u32 i = 0; i < cells.tags.size(); ++i) {
            cells.tags[i] = {900 + i, 1};
        }
        cells.oob.fill(0xaa);
    }
    /// 0.5 us for a page without errors; 8 bits a codeword, 20 ns for each; two retry levels.
    static config::Controller controller()
    {
        config::Controller c;
        c.ecc_latency = nanoseconds(500);
        c.ecc_bits = 8;
        c.ecc_per_bit = nanoseconds(20);
        c.read_retries = 2;
        return c;
    }
    static SegmentRequest request(u32 page, u32 col, u32 len, u32 oob = FLASH_NO_OOB)
    {
        SegmentRequest r;
        r.buf = page * 8192;
        r.col = static_cast<u8>(col);
        r.len = static_cast<u8>(len);
        r.oob = oob;
        return r;
    }
    Geometry geometry;
    config::Inject inject;
    FakeDram dram;
    DataPath path;
    onfi::DataCells cells;
};

TEST_F(Path, CountsCodewordsAndOobBytes)
{
    EXPECT_EQ(path.burst_bytes(request(0, 0, 1)), 539u);
    EXPECT_EQ(path.burst_bytes(request(0, 3, 8)), 8u * 539);
    EXPECT_EQ(path.burst_bytes(request(0, 0, 16)), 16u * 539);
    EXPECT_EQ(path.burst_bytes(request(0, 0, 16, 64)), 16u * 539 + 16);
    EXPECT_EQ(path.burst_bytes(request(0, 8, 8, 64)), 8u * 539 + 16) << "up to the page's end";
    EXPECT_EQ(path.burst_bytes(request(0, 0, 8, 64)), 8u * 539) << "OOB is not next to it";
}

TEST_F(Path, FetchesAWholePageWithItsOob)
{
    EXPECT_EQ(path.fetch(request(3, 0, 16, 32), cells, nanoseconds(70)).at,
              nanoseconds(70 + 8192)); // 1 ns a byte; parity is not in DRAM
    EXPECT_EQ(cells.tags[0], (UnitTag{106, 6}));
    EXPECT_EQ(cells.tags[1], (UnitTag{107, 7}));
    EXPECT_EQ(cells.tags[2], (UnitTag{902, 1})) << "no more than the page";
    for (u32 i = 0; i < 16; ++i) {
        EXPECT_EQ(cells.oob[i], 32 + i);
    }
    ASSERT_EQ(dram.transfers.size(), 1u);
    EXPECT_EQ(dram.transfers[0].second, (DramAccess{3 * 8192, 8192, false, DramMaster::Flash}));
}

TEST_F(Path, StoresWhatABurstBrought)
{
    // Transfer from the burst's end on, then ECC.
    EXPECT_EQ(path.store(request(3, 0, 16, 32), cells, microseconds(10)).data_at,
              microseconds(10) + nanoseconds(8192 + 500));
    EXPECT_EQ(dram.cells[6], (UnitTag{900, 1}));
    EXPECT_EQ(dram.cells[7], (UnitTag{901, 1}));
    EXPECT_EQ(dram.cells[5], (UnitTag{105, 5}));
    EXPECT_EQ(dram.cells[8], (UnitTag{108, 8}));
    EXPECT_EQ(dram.records[32], 0xaa);
    EXPECT_EQ(dram.records[47], 0xaa);
    EXPECT_EQ(dram.records[31], 31);
    EXPECT_EQ(dram.records[48], 48);
}

TEST_F(Path, MovesTheTagOfEachUnitThatAPartialBurstTouches)
{
    const struct {
        u32 col, len, first, units;
    } cases[] = {{0, 1, 0, 1}, {7, 1, 0, 1},  {8, 8, 1, 1},
                 {15, 1, 1, 1}, {7, 2, 0, 2}, {2, 9, 0, 2}};
    for (const auto& c : cases) {
        std::array<UnitTag, 2> before{{{106, 6}, {107, 7}}};
        std::copy(before.begin(), before.end(), dram.cells.begin() + 6);
        path.store(request(3, c.col, c.len), cells, Picoseconds(0));
        EXPECT_EQ(dram.transfers.back().second, (DramAccess{3 * 8192 + c.col * 512, c.len * 512, true, DramMaster::Flash}));
        for (u32 unit = 0; unit < 2; ++unit) {
            const bool touched = unit >= c.first && unit < c.first + c.units;
            EXPECT_EQ(dram.cells[6 + unit],
                      touched ? cells.tags[unit - c.first] : before[unit])
                << "col " << c.col << " len " << c.len << " unit " << unit;
        }
    }
    path.fetch(request(3, 8, 8), cells, Picoseconds(0));
    EXPECT_EQ(cells.tags[0], dram.cells[7]) << "the burst's first unit is the page's second";
}

TEST_F(Path, LeavesTheOobAloneWhereTheBurstDoesNotReachIt)
{
    path.store(request(0, 0, 8, 32), cells, Picoseconds(0));
    EXPECT_EQ(dram.records[32], 32);
}

/// `request` of whole pages brought `errors` in its codewords, from the first on.
class Ecc : public Path {
protected:
    flash::SegmentResult store(std::initializer_list<u16> errors, u32 col = 0, u32 len = 16,
                               u8 level = 0)
    {
        std::fill(cells.bit_errors.begin(), cells.bit_errors.end(), u16{99}); // stale, not valid
        std::copy(errors.begin(), errors.end(), cells.bit_errors.begin());
        cells.codewords = static_cast<u32>(errors.size());
        SegmentRequest r = request(3, col, len);
        r.level = level;
        dram.free_at = Picoseconds(0);
        return path.store(r, cells, microseconds(10));
    }
    /// Without the 10 us and 1 ns a byte.
    static Picoseconds ecc_time(const flash::SegmentResult& result, u32 len = 16)
    {
        return result.data_at - microseconds(10) - nanoseconds(512 * len);
    }
};

TEST_F(Ecc, TakesItsLatencyAndATimeForEachErrorOfTheWorstCodeword)
{
    const flash::SegmentResult clean = store({0, 0, 0, 0});
    EXPECT_EQ(ecc_time(clean), nanoseconds(500));
    EXPECT_EQ(clean.corrected, 0);
    const flash::SegmentResult some = store({1, 5, 0, 2});
    EXPECT_EQ(ecc_time(some), nanoseconds(500 + 5 * 20));
    EXPECT_EQ(some.corrected, 8);
    EXPECT_FALSE(some.uncorrectable);
}

TEST_F(Ecc, CorrectsUpToItsBitsAndFailsBeyond)
{
    const flash::SegmentResult full = store({8, 0});
    EXPECT_FALSE(full.uncorrectable);
    EXPECT_EQ(ecc_time(full), nanoseconds(500 + 8 * 20));
    EXPECT_EQ(dram.cells[6], (UnitTag{900, 1}));
    const flash::SegmentResult lost = store({9, 3});
    EXPECT_TRUE(lost.uncorrectable);
    EXPECT_EQ(lost.corrected, 3);
    EXPECT_EQ(ecc_time(lost), nanoseconds(500 + 8 * 20)) << "the decoder gives up after 8";
}

TEST_F(Ecc, ReplacesTheTagOfALostUnitOnly)
{
    store({0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0}); // sector 7: the first unit's last
    EXPECT_EQ(dram.cells[6], flash::kLostUnit);
    EXPECT_EQ(dram.cells[7], (UnitTag{901, 1}));
    store({0, 0, 9}, 6, 4); // sectors 6 to 9: the third is sector 8
    EXPECT_EQ(dram.cells[6], (UnitTag{900, 1}));
    EXPECT_EQ(dram.cells[7], flash::kLostUnit);
}

TEST_F(Ecc, KeepsALostUnitLostWhereverItIsStored)
{
    cells.tags[1] = flash::kLostUnit;
    EXPECT_TRUE(store({0, 0}).uncorrectable);
    EXPECT_EQ(dram.cells[6], (UnitTag{900, 1}));
    EXPECT_EQ(dram.cells[7], flash::kLostUnit);
    EXPECT_FALSE(store({0}, 0, 8).uncorrectable) << "the first unit alone is good";
}

TEST_F(Ecc, TakesABurstThatNobodyDrivesForLost)
{
    path.undriven(request(3, 0, 16, 32), cells);
    const flash::SegmentResult result = path.store(request(3, 0, 16, 32), cells, Picoseconds(0));
    EXPECT_TRUE(result.uncorrectable);
    EXPECT_EQ(dram.cells[6], flash::kLostUnit);
    EXPECT_EQ(dram.cells[7], flash::kLostUnit);
    EXPECT_EQ(dram.records[32], 0xff);
}

TEST_F(Ecc, CountsCodewordsBitsRetriesAndPagesThatStayLost)
{
    store({1, 5, 0, 2});
    store({9, 10, 4, 0});             // lost, but there are two more levels
    store({9, 3, 4, 0}, 0, 16, 1);    // and one more
    store({0, 12, 0, 0}, 0, 16, 2);   // lost for good
    const DataPath::EccStatistics& s = path.ecc_statistics();
    EXPECT_EQ(s.codewords, 16u);
    EXPECT_EQ(s.corrected_bits, 8u + 4 + 7);
    EXPECT_EQ(s.failed_codewords, 2u + 1 + 1);
    EXPECT_EQ(s.retries, 2u);
    EXPECT_EQ(s.uncorrectable_pages, 1u);
}

TEST_F(Ecc, HasNothingToDoWhereThePartHasNoErrors)
{
    EXPECT_EQ(ecc_time(store({})), nanoseconds(500));
    EXPECT_EQ(path.ecc_statistics().codewords, 0u);
}

class Falsified : public Path {
protected:
    Falsified() : Path(2) {}
};

TEST_F(Falsified, SendsTheNthTransferToTheNextPageBuffer)
{
    path.store(request(0, 0, 16), cells, Picoseconds(0));
    EXPECT_EQ(dram.cells[0], (UnitTag{900, 1}));
    path.store(request(4, 0, 16), cells, Picoseconds(0));
    EXPECT_EQ(dram.cells[8], (UnitTag{108, 8})) << "page 4 keeps its old tag";
    EXPECT_EQ(dram.cells[10], (UnitTag{900, 1})) << "page 5 got the data";
    path.store(request(4, 0, 16), cells, Picoseconds(0)); // only once
    EXPECT_EQ(dram.cells[8], (UnitTag{900, 1}));
}

class Tables : public Path {
protected:
    Tables() : tables(16, 8192)
    {
        dram.table_base = 20 * 8192;
        dram.table_memory.resize(2 * 8192);
        for (u32 i = 0; i < dram.table_memory.size(); ++i) {
            dram.table_memory[i] = static_cast<u8>(i * 7 + i / 512);
        }
        path.carry_tables(tables);
    }
    TablePages tables;
};

TEST_F(Tables, AreFetchedByContentUnderANumber)
{
    path.fetch(request(21, 0, 16, 0), cells, Picoseconds(0));
    ASSERT_TRUE(TablePages::is_table(cells.tags[0]));
    EXPECT_EQ(cells.tags[0], cells.tags[1]);
    const u8* const kept = tables.bytes(cells.tags[0].version);
    const std::vector<u8> was(dram.table_memory.begin() + 8192, dram.table_memory.end());
    std::fill(dram.table_memory.begin(), dram.table_memory.end(), u8{0}); // the firmware goes on
    EXPECT_TRUE(std::equal(was.begin(), was.end(), kept));
    EXPECT_EQ(dram.transfers.size(), 1u) << "the same time as any page";
}

TEST_F(Tables, AreStoredWhereTheFirmwareReadsThem)
{
    const std::vector<u8> was(dram.table_memory.begin() + 8192, dram.table_memory.end());
    path.fetch(request(21, 0, 16, 0), cells, Picoseconds(0));
    const auto result = path.store(request(20, 0, 16, 0), cells, Picoseconds(0));
    EXPECT_FALSE(result.uncorrectable);
    EXPECT_TRUE(std::equal(was.begin(), was.end(), dram.table_memory.begin()));
    // Sectors 8 to 11 alone: the second unit's tag is the burst's first.
    std::fill(dram.table_memory.begin(), dram.table_memory.end(), u8{0});
    path.store(request(20, 8, 4), cells, Picoseconds(0));
    EXPECT_TRUE(std::equal(was.begin() + 8 * 512, was.begin() + 12 * 512,
                           dram.table_memory.begin() + 8 * 512));
    EXPECT_EQ(std::count(dram.table_memory.begin(), dram.table_memory.begin() + 8 * 512, 0), 8 * 512);
    EXPECT_EQ(std::count(dram.table_memory.begin() + 12 * 512, dram.table_memory.begin() + 8192, 0),
              4 * 512);
}

TEST_F(Tables, ErasedAndTornPagesReadAsFFh)
{
    cells.tags.fill(UnitTag{});
    EXPECT_FALSE(path.store(request(20, 0, 16), cells, Picoseconds(0)).uncorrectable);
    EXPECT_EQ(std::count(dram.table_memory.begin(), dram.table_memory.begin() + 8192, 0xff), 8192);
    std::fill(dram.table_memory.begin(), dram.table_memory.end(), u8{0});
    cells.tags.fill(kLostUnit);
    EXPECT_TRUE(path.store(request(20, 0, 16), cells, Picoseconds(0)).uncorrectable);
    EXPECT_EQ(std::count(dram.table_memory.begin(), dram.table_memory.begin() + 8192, 0xff), 8192);
}

TEST_F(Tables, TravelThroughOtherPageBuffersByNumber)
{
    path.fetch(request(21, 0, 16, 0), cells, Picoseconds(0));
    const UnitTag tag = cells.tags[0];
    path.store(request(2, 0, 16), cells, Picoseconds(0)); // a copy: as any page
    EXPECT_EQ(dram.cells[4], tag);
    onfi::DataCells again;
    path.fetch(request(2, 0, 16), again, Picoseconds(0));
    EXPECT_EQ(again.tags[0], tag);
    EXPECT_EQ(tables.in_use(), 1u);
}

} // namespace
} // namespace tlmssd::tb
