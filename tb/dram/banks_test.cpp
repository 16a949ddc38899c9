// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows, banks, refresh and turnarounds of the DRAM: single accesses by hand, streams against
// their closed form, random transfers against a model that goes clock by clock.
#include <gtest/gtest.h>

#include "models/dram/banks.h"
#include "tb/dram/burst_reference.h"
#include "tb/dram/parts.h"

namespace tlmssd::tb {
namespace {

class BanksTest : public testing::Test {
protected:
    /// End in clocks of a transfer that comes at clock `at`.
    u64 end(u64 at, u32 address, u32 bytes, bool write = false)
    {
        return banks.transfer(at * Picoseconds(1250), {address, bytes, write}).value() / 1250;
    }
    static constexpr u32 kRow = 4096;
    static constexpr u32 kSameBank = 8 * kRow; ///< the next row of the same bank
    dram::Banks banks{ddr3()};
};

TEST_F(BanksTest, OpensARow) { EXPECT_EQ(end(0, 64, 32), 11u + 11 + 4); }

TEST_F(BanksTest, HitsAnOpenRow)
{
    end(0, 64, 32);
    EXPECT_EQ(end(100, 96, 32), 100u + 11 + 4);
    EXPECT_EQ(banks.statistics().hits, 1u);
    EXPECT_EQ(banks.statistics().closed, 1u);
    EXPECT_EQ(banks.statistics().conflicts, 0u);
}

TEST_F(BanksTest, ClosesTheRowThatIsInTheWay)
{
    end(0, 0, 32);
    EXPECT_EQ(end(100, kSameBank, 32), 100u + 11 + 11 + 11 + 4);
    EXPECT_EQ(banks.statistics().conflicts, 1u);
}

TEST_F(BanksTest, KeepsARowOpenForTras)
{
    end(0, 0, 32); // activated at 0, read at 11; precharge at 28, not at 11 + 6
    EXPECT_EQ(end(12, kSameBank, 32), 28u + 11 + 11 + 11 + 4);
}

TEST_F(BanksTest, WaitsForTheWriteToBeInTheArray)
{
    EXPECT_EQ(end(0, 0, 32, true), 11u + 8 + 4);
    EXPECT_EQ(end(12, kSameBank, 32), 23u + 12 + 11 + 11 + 11 + 4); // tWR, precharge, activate, read
}

TEST_F(BanksTest, TurnsTheBusAround)
{
    end(0, 0, 32, true);                                   // data 19 to 23
    EXPECT_EQ(end(12, 32, 32), 23u + 6 + 11 + 4);          // tWTR, then CL: 44
    EXPECT_EQ(end(13, 64, 32, true), 44u + 2 + 4);         // two idle clocks
    EXPECT_EQ(end(14, 96, 32, true), 50u + 4) << "none between writes";
    EXPECT_EQ(banks.statistics().turnarounds, 2u);
}

TEST_F(BanksTest, MovesBurstsBackToBack)
{
    EXPECT_EQ(end(0, 0, 4096), 11u + 11 + 128 * 4);
    EXPECT_EQ(banks.statistics().data, 512 * Picoseconds(1250));
}

TEST_F(BanksTest, OpensTheNextRowsAhead)
{
    EXPECT_EQ(end(0, 0, 8192), 11u + 11 + 256 * 4) << "two banks: the second activate hides";
    EXPECT_EQ(end(0, 2 * kRow + 2048, 4096), 22u + 1024 + 128 * 4) << "queued behind: hides too";
}

TEST_F(BanksTest, RoundsUpToClocksAndWholeBursts)
{
    EXPECT_EQ(banks.transfer(Picoseconds(1), {0, 32, false}), 27 * Picoseconds(1250));
    EXPECT_EQ(end(100, 31, 2), 100u + 11 + 8) << "two bursts for two bytes";
}

TEST_F(BanksTest, MovesNothingInNoTime)
{
    EXPECT_EQ(banks.transfer(nanoseconds(5), {0, 0, false}), nanoseconds(5));
    EXPECT_EQ(banks.statistics().closed, 0u);
}

TEST_F(BanksTest, RefreshesWhatIsOpen)
{
    end(0, 0, 32);
    // Precharge all at 6240, refresh at 6251 for 128 clocks, activate at 6379.
    EXPECT_EQ(end(6240, 0, 32), 6379u + 11 + 11 + 4);
    EXPECT_EQ(banks.statistics().refreshes, 1u);
    EXPECT_EQ(banks.statistics().conflicts, 0u);
}

TEST_F(BanksTest, RefreshesUnseenWhileNobodyAsks)
{
    end(0, 0, 32);
    EXPECT_EQ(end(10 * 6240 + 1000, 0, 32), 10 * 6240u + 1000 + 26);
    EXPECT_EQ(banks.statistics().refreshes, 10u);
    // The eleventh: all rows but this one are closed.
    EXPECT_EQ(end(11 * 6240, 32, 32), 11 * 6240u + 11 + 128 + 26);
    EXPECT_EQ(banks.statistics().refreshes, 11u);
}

TEST(BanksRules, ActivatesFourTimesInTfaw)
{
    config::DramTiming t = ddr3();
    t.row_bytes = 32; // a burst a row
    dram::Banks banks(t);
    // Activates at 0, 6, 12, 18 and, four of them being in 32 clocks, 32: read at 43.
    EXPECT_EQ(banks.transfer(Picoseconds(), {0, 160, false}), (43 + 11 + 4) * Picoseconds(1250));
}

TEST(BanksRules, SdrWritesAtOnce)
{
    dram::Banks banks(sdr());
    // tRCD of 20 ns is 3 clocks; 8 beats of 2 bytes are 8 clocks.
    EXPECT_EQ(banks.transfer(Picoseconds(), {0, 16, true}), (3 + 8) * Picoseconds(7500));
    EXPECT_EQ(banks.transfer(Picoseconds(), {16, 16, false}), (11 + 3 + 8) * Picoseconds(7500));
}

/// 64 MiB in order, in transfers of 8 KiB that are always there: the bus rate less refreshes, each of
/// which stops the data for about tRP + tRFC + tRCD.
TEST(BanksStream, IsWithin2PercentOfItsClosedForm)
{
    for (const config::DramTiming& part : {ddr3(), sdr(), without_refresh(ddr3()), without_refresh(sdr())}) {
        for (const bool write : {false, true}) {
            dram::Banks banks(part);
            constexpr u32 kBytes = 64u << 20;
            Picoseconds end;
            for (u32 at = 0; at < kBytes; at += 8192) {
                end = banks.transfer(Picoseconds(), {at, 8192, write});
            }
            const double lost = part.t_refi == Picoseconds()
                                    ? 0
                                    : (part.t_rp + part.t_rfc + part.t_rcd).seconds() / part.t_refi.seconds();
            const double rate = kBytes / end.seconds() / 1e6;
            EXPECT_NEAR(rate / (part.mb_per_s() * (1 - lost)), 1, 0.02) << part.bus_bits << write;
            EXPECT_EQ(banks.statistics().data.value(), u64{kBytes} / part.burst_bytes() * part.burst /
                                                           part.beats_per_clock * part.clock.value());
        }
    }
}

/// One burst a row of one bank: a row cycle each, tRAS + tRP.
TEST(BanksStream, OfConflictsTakesARowCycleEach)
{
    const config::DramTiming part = without_refresh(ddr3());
    dram::Banks banks(part);
    Picoseconds end;
    for (u32 i = 0; i < 1001; ++i) {
        end = banks.transfer(Picoseconds(), {i * part.row_bytes * part.banks, 32, false});
    }
    EXPECT_EQ(end, (1000 * (28 + 11) + 26) * Picoseconds(1250));
}

struct Case {
    config::DramTiming part;
    u64 seed;
    u64 gap;  ///< clocks between arrivals, at most
    u32 span; ///< sectors
    /// The reference is slow where transfers pile up.
    u32 count(u32 most) const { return gap < 1000 ? most / 10 : most; }
};

std::vector<Case> cases()
{
    std::vector<Case> all;
    for (const config::DramTiming& part : {ddr3(), sdr()}) {
        for (u64 seed = 1; seed <= 8; ++seed) {
            all.push_back({part, seed, seed % 2 != 0 ? u64{2000} : u64{100}, seed % 3 != 0 ? 4096u : 64u});
        }
    }
    config::DramTiming narrow = ddr3(); // rows change all the time
    narrow.row_bytes = 64;
    all.push_back({narrow, 20, 300, 64});
    narrow.banks = 2;
    all.push_back({narrow, 21, 300, 64});
    return all;
}

TEST(BanksReference, AgreesClockByClock)
{
    for (const Case& c : cases()) {
        SCOPED_TRACE("seed " + std::to_string(c.seed));
        const config::DramTiming part = without_refresh(c.part);
        const auto requests = random_requests(c.seed, c.count(400), c.gap, c.span);
        const std::vector<u64> ends = BurstReference(part, false).run(requests);
        dram::Banks banks(part);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            ASSERT_EQ(banks.transfer(requests[i].arrival * part.clock, requests[i].access),
                      ends[i] * part.clock)
                << "transfer " << i;
        }
    }
}

/// Not modelled: that a command waits for another on the command bus, and that a row which was opened
/// ahead of a refresh has to be closed again. Both cost little.
TEST(BanksReference, AgreesWithin1PercentWithOneCommandAClockAndRefresh)
{
    for (const Case& c : cases()) {
        SCOPED_TRACE("seed " + std::to_string(c.seed));
        const auto requests = random_requests(c.seed, c.count(2000), c.gap, c.span);
        BurstReference reference(c.part, true);
        const std::vector<u64> ends = reference.run(requests);
        dram::Banks banks(c.part);
        double wait = 0;
        double expected = 0;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const Picoseconds arrival = requests[i].arrival * c.part.clock;
            wait += (banks.transfer(arrival, requests[i].access) - arrival).seconds();
            expected += (ends[i] * c.part.clock - arrival).seconds();
        }
        EXPECT_NEAR(wait / expected, 1, 0.01);
        const double refreshes = static_cast<double>(reference.refreshes);
        EXPECT_NEAR(static_cast<double>(banks.statistics().refreshes), refreshes, 1 + refreshes / 100);
    }
}

} // namespace
} // namespace tlmssd::tb
