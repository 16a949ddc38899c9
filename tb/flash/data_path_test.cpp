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
        : geometry(flash_geometry()), inject{0, falsify_at},
          path(geometry, dram, nanoseconds(500), inject)
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
    EXPECT_EQ(path.fetch(request(3, 0, 16, 32), cells, nanoseconds(70)),
              nanoseconds(70 + 8192)); // 1 ns a byte; parity is not in DRAM
    EXPECT_EQ(cells.tags[0], (UnitTag{106, 6}));
    EXPECT_EQ(cells.tags[1], (UnitTag{107, 7}));
    EXPECT_EQ(cells.tags[2], (UnitTag{902, 1})) << "no more than the page";
    for (u32 i = 0; i < 16; ++i) {
        EXPECT_EQ(cells.oob[i], 32 + i);
    }
    ASSERT_EQ(dram.transfers.size(), 1u);
    EXPECT_EQ(dram.transfers[0].second, 8192u);
}

TEST_F(Path, StoresWhatABurstBrought)
{
    // Transfer from the burst's end on, then ECC.
    EXPECT_EQ(path.store(request(3, 0, 16, 32), cells, microseconds(10)),
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

} // namespace
} // namespace tlmssd::tb
