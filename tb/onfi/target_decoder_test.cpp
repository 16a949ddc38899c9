// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one CE# of the checker: sequences of cycles, and commands to all of its LUNs.
#include <gtest/gtest.h>

#include "models/onfi/checker/target_decoder.h"
#include "tb/onfi/observed.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

namespace tlmssd::tb {
namespace {

using onfi::LunSequence;
using onfi::Rule;
using onfi::TargetDecoder;
using Rules = std::vector<Rule>;

/// A CE# with two LUNs in SDR 5. Each segment takes 10 us: its time on the bus is not judged here.
struct OneTarget : testing::Test {
    Geometry geometry = small_geometry().dies(2);
    config::Nand nand = make_nand();
    onfi::MinimaTable minima{nand, 8};
    onfi::PartLimits limits{geometry, nand};
    onfi::PageOrder pages{geometry, 1};
    onfi::ViolationLog log;
    LunSequence luns[2] = {{limits, pages, log, {0, 0, 0, 0}}, {limits, pages, log, {0, 0, 1, 1}}};
    TargetDecoder target{limits, onfi::TargetInterface(5, true), luns};
    DataCells cells;
    u64 now = 0;

    static config::Nand make_nand()
    {
        config::Nand n = make_part(50, 900, 3000);
        n.t_feature = microseconds(1);
        return n;
    }
    /// `answers`: bit l for a falling edge of LUN l at the end.
    void send(Segment s, u32 answers = 0, u8 row = 5)
    {
        const onfi::BusTiming timing = onfi::bus_timing(config::BusInterface::Sdr, row);
        s.start = Picoseconds(now);
        now += us(10);
        s.end = Picoseconds(now);
        s.timing = &timing;
        for (u32 lun = 0; lun < 2; ++lun) {
            if ((answers >> lun) & 1) {
                luns[lun].on_fall(now);
            }
        }
        onfi::ObservedSegment seen(0, s, minima[row], row, target.sequence(), log);
        target.on_segment(seen);
    }
    void rise(u64 after, u32 lun = 0)
    {
        now += after;
        if (luns[lun].on_rise(now) == LunSequence::Busy::Feature) {
            target.on_feature_end(now);
        }
    }
    Rules rules() const
    {
        Rules all;
        for (const onfi::Violation& v : log.first()) {
            all.push_back(v.rule);
        }
        return all;
    }
    u32 row(u32 lun, u32 plane, u32 block, u32 page) const
    {
        return geometry.row(lun, plane, block, page);
    }
};

TEST_F(OneTarget, ReadAndBurstOfTheSecondLun)
{
    send(read_command(row(1, 0, 3, 0)), 0b10);
    EXPECT_EQ(target.sequence().lun, 1);
    rise(us(50), 1);
    send(direct_out(100, cells));
    EXPECT_EQ(rules(), Rules{});
}

TEST_F(OneTarget, AConfirmNeedsItsOpener)
{
    send(lone_command(0x30));
    send(lone_command(0xd0));
    send(lone_command(0xe0));
    EXPECT_EQ(rules(), (Rules{Rule::CommandSequence, Rule::CommandSequence,
                              Rule::CommandSequence}));
}

TEST_F(OneTarget, WrongNumberOfAddressCycles)
{
    Segment s;
    s.command(0x00);
    addresses(s, {0, 0, 0, 0});
    s.command(0x30);
    send(s);
    EXPECT_EQ(rules(), Rules{Rule::AddressCycles});
    EXPECT_EQ(log.first()[0].first.byte, 0x00);
    EXPECT_EQ(log.first()[0].second.byte, 0x30);
}

TEST_F(OneTarget, RowOutsideThePartAndUnknownCommand)
{
    send(erase(row(0, 0, 7, 0) | 1u << 23));
    send(lone_command(0x42));
    EXPECT_EQ(rules(), (Rules{Rule::RowRange, Rule::UnknownCommand}));
}

TEST_F(OneTarget, ASequenceIsClosedBeforeTheNextOneOpens)
{
    send(open_program(row(0, 0, 0, 0), 0, 100, cells));
    send(read_command(row(1, 0, 0, 0)), 0b10);
    EXPECT_EQ(rules(), Rules{Rule::CommandSequence});
}

TEST_F(OneTarget, ProgramPastThePhysicalPage)
{
    send(open_program(row(0, 0, 0, 0), 8000, 641, cells)); // a page has 8640 bytes
    EXPECT_EQ(rules(), Rules{Rule::BurstLength});
}

TEST_F(OneTarget, CopybackProgramNeedsTheReadOfItsPlane)
{
    send(read_command(row(0, 1, 0, 0), 0, 0x35), 0b01);
    rise(us(50));
    send(copyback_program(row(0, 0, 1, 0), 0, 0, cells));
    ASSERT_EQ(rules(), Rules{Rule::CopybackPlane});
    EXPECT_EQ(log.first()[0].first.byte, 0x35);
}

TEST_F(OneTarget, CommandsToTheTargetNeedAllLuns)
{
    send(read_command(row(1, 0, 0, 0)), 0b10);
    send(read_register(0xec, 0));
    ASSERT_EQ(rules(), Rules{Rule::LunBusy});
    EXPECT_EQ(log.first()[0].lun, 1u);
}

TEST_F(OneTarget, TimingModeHoldsFromTheEndOfTfeatOn)
{
    cells.bytes[0] = 3; // SDR mode 3
    send(set_features(0x01, cells), 0b01);
    EXPECT_EQ(target.interface().row(), 5);
    rise(us(1));
    EXPECT_EQ(target.interface().row(), 3);
    EXPECT_EQ(rules(), Rules{});
    send(read_command(0), 0, 5); // faster than the target is set to
    EXPECT_EQ(rules(), Rules{Rule::WrongInterface});
}

TEST_F(OneTarget, ResetIsUnderstoodAndReachesEveryLun)
{
    send(read_command(row(0, 0, 0, 0)), 0b01);
    send(lone_command(0xff), 0b10);
    rise(0, 0);
    rise(0, 1);
    EXPECT_EQ(rules(), Rules{});
    EXPECT_EQ(target.interface().row(), 5); // in SDR the mode stays
}

} // namespace
} // namespace tlmssd::tb
