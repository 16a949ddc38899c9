// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: masters that take turns at the DRAM: by hand, in closed form, against first come first served, and
// against the clock-by-clock reference.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/common/hash.h"
#include "models/dram/arbiter.h"
#include "models/dram/dram.h"
#include "tb/dram/parts.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using config::DramArbitration;
using config::DramPriority;

constexpr DramMaster kAll[] = {DramMaster::Link, DramMaster::Flash, DramMaster::Cpu};

/// A bus of 3200 MB/s: 2 KiB, one grant, take 640 ns.
config::Dram bus(DramArbitration kind, u64 access_ns = 0)
{
    config::Dram c;
    c.mb_per_s = 3200;
    c.access_time = nanoseconds(access_ns);
    c.arbitration = kind;
    return c;
}

/// Keeps the ends of transfers, asked for as components do.
class Asker {
public:
    explicit Asker(const config::Dram& config, dram::Banks* banks = nullptr) : arbiter(config, banks) {}

    /// Number of the transfer.
    std::size_t add(Picoseconds now, u32 bytes, DramMaster master, u32 address = 0, bool write = false)
    {
        ask(now);
        open_.push_back({arbiter.add(now, {address, bytes, write, master}), ends_.size()});
        ends_.emplace_back();
        return ends_.size() - 1;
    }
    /// Up to `now`, each at the times that it is told.
    void ask(Picoseconds now)
    {
        for (;;) {
            Open* next = nullptr;
            for (Open& o : open_) {
                next = o.end.at <= now && (next == nullptr || o.end.at < next->end.at) ? &o : next;
            }
            if (next == nullptr) {
                return;
            }
            const Picoseconds at = max(next->end.at, last_);
            last_ = at;
            const Picoseconds told = next->end.at;
            if (arbiter.settle(at, next->end)) {
                EXPECT_GE(next->end.at, told) << "an end came earlier than it was said to";
                ends_[next->number] = next->end.at;
                open_.erase(open_.begin() + (next - open_.data()));
            } else {
                EXPECT_GT(next->end.at, at);
            }
        }
    }
    std::vector<Picoseconds> ends()
    {
        ask(kTimeNever);
        EXPECT_TRUE(open_.empty());
        return ends_;
    }
    dram::Arbiter arbiter;

private:
    struct Open {
        DramEnd end;
        std::size_t number;
    };
    std::vector<Open> open_;
    std::vector<Picoseconds> ends_;
    Picoseconds last_;
};

TEST(ArbiterRoundRobin, GivesTwoMastersEqualShares)
{
    Asker a(bus(DramArbitration::RoundRobin));
    for (u32 i = 0; i < 64; ++i) {
        a.add(Picoseconds(), 8192, DramMaster::Link);
        a.add(Picoseconds(), 8192, DramMaster::Flash);
    }
    const auto ends = a.ends();
    for (u32 i = 0; i < 64; ++i) { // grants L F L F ..., four of each a transfer
        EXPECT_EQ(ends[2 * i], (8 * (i + 1) - 1) * nanoseconds(640));
        EXPECT_EQ(ends[2 * i + 1], 8 * (i + 1) * nanoseconds(640));
    }
    for (const DramMaster m : {DramMaster::Link, DramMaster::Flash}) {
        EXPECT_EQ(a.arbiter.statistics(m).bytes, 64u * 8192);
        EXPECT_EQ(a.arbiter.statistics(m).transfers, 64u);
        EXPECT_EQ(a.arbiter.statistics(m).busy, 64 * 4 * nanoseconds(640));
    }
}

TEST(ArbiterRoundRobin, GivesThreeMastersAThirdAndTheOthersWhatOneLeaves)
{
    Asker a(bus(DramArbitration::RoundRobin));
    const auto link = a.add(Picoseconds(), 8192, DramMaster::Link);
    const auto flash = a.add(Picoseconds(), 8192, DramMaster::Flash);
    const auto cpu = a.add(Picoseconds(), 2048, DramMaster::Cpu);
    const auto ends = a.ends(); // L F C, L F, L F, L F
    EXPECT_EQ(ends[cpu], 3 * nanoseconds(640));
    EXPECT_EQ(ends[link], 8 * nanoseconds(640));
    EXPECT_EQ(ends[flash], 9 * nanoseconds(640));
}

TEST(ArbiterRoundRobin, PaysTheAccessTimeAtEachChange)
{
    Asker a(bus(DramArbitration::RoundRobin, 100));
    const auto link = a.add(Picoseconds(), 4096, DramMaster::Link);
    const auto flash = a.add(Picoseconds(), 2048, DramMaster::Flash);
    const auto ends = a.ends();
    EXPECT_EQ(ends[flash], 2 * nanoseconds(740));
    EXPECT_EQ(ends[link], 3 * nanoseconds(740));
    EXPECT_EQ(a.arbiter.statistics(DramMaster::Link).busy, 2 * nanoseconds(740));
    EXPECT_EQ(a.arbiter.statistics(DramMaster::Link).wait, nanoseconds(740));
    EXPECT_EQ(a.arbiter.statistics(DramMaster::Flash).wait_max, nanoseconds(740));
    EXPECT_EQ(a.arbiter.busy(kTimeNever), 3 * nanoseconds(740));
}

TEST(ArbiterPriority, LetsTheFirstWaitForOneGrant)
{
    for (u64 arrival = 0; arrival <= 2560; arrival += 10) {
        Asker a(bus(DramArbitration::Priority));
        const auto flash = a.add(Picoseconds(), 8192, DramMaster::Flash);
        const auto link = a.add(nanoseconds(arrival), 512, DramMaster::Link); // 160 ns
        const auto ends = a.ends();
        const u64 grant = (arrival + 639) / 640 * 640; // the end of the one that moves
        EXPECT_EQ(ends[link], nanoseconds(grant + 160)) << arrival;
        EXPECT_LE(ends[link] - nanoseconds(arrival), nanoseconds(640 + 160)) << arrival;
        EXPECT_EQ(ends[flash], nanoseconds(arrival <= 1920 ? 2560 + 160 : 2560)) << arrival;
    }
}

TEST(ArbiterPriority, SaysThatAnEndHasMoved)
{
    dram::Arbiter a(bus(DramArbitration::Priority), nullptr);
    DramEnd flash = a.add(Picoseconds(), {0, 8192, false, DramMaster::Flash});
    EXPECT_EQ(flash.at, nanoseconds(2560));
    a.add(nanoseconds(650), {0, 512, false, DramMaster::Link});
    EXPECT_FALSE(a.settle(nanoseconds(2560), flash));
    EXPECT_EQ(flash.at, nanoseconds(2720));
    EXPECT_TRUE(a.settle(nanoseconds(2720), flash));
    EXPECT_EQ(flash.ticket, 0u);
}

TEST(ArbiterPriority, GoesByRankHoweverTheyCome)
{
    const DramPriority all[] = {DramPriority::LinkFlashCpu, DramPriority::LinkCpuFlash, DramPriority::FlashLinkCpu,
                                DramPriority::FlashCpuLink, DramPriority::CpuLinkFlash, DramPriority::CpuFlashLink};
    const std::vector<std::vector<u32>> ranks{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (u32 p = 0; p < 6; ++p) {
        for (const auto& came : ranks) {
            config::Dram c = bus(DramArbitration::Priority);
            c.priority = all[p];
            Asker a(c);
            for (const u32 master : came) {
                a.add(nanoseconds(5), 2048, kAll[master]);
            }
            const auto ends = a.ends();
            for (u32 i = 0; i < 3; ++i) {
                for (u32 place = 0; place < 3; ++place) {
                    if (came[i] == ranks[p][place]) {
                        EXPECT_EQ(ends[i], nanoseconds(5 + 640 * (place + 1)));
                    }
                }
            }
        }
    }
}

TEST(ArbiterPriority, StarvesNobody)
{
    config::Dram c = bus(DramArbitration::Priority);
    c.passed_over = 4;
    Asker a(c);
    for (u32 i = 0; i < 100; ++i) {
        a.add(Picoseconds(), 2048, DramMaster::Link);
    }
    const auto flash = a.add(Picoseconds(), 2048, DramMaster::Flash);
    const auto cpu = a.add(Picoseconds(), 2048, DramMaster::Cpu);
    const auto ends = a.ends(); // L L L L F C L ...
    EXPECT_EQ(ends[flash], 5 * nanoseconds(640));
    EXPECT_EQ(ends[cpu], 6 * nanoseconds(640));
    EXPECT_EQ(ends[3], 4 * nanoseconds(640));
    EXPECT_EQ(ends[4], 7 * nanoseconds(640));
}

/// A bus that only one master uses is as without arbiter, to the picosecond.
TEST(ArbiterAlone, IsFirstComeFirstServed)
{
    const Geometry g = make_geometry().page(8192, 448);
    time::EventQueue event_queue{"event_queue"};
    for (const auto kind : {DramArbitration::RoundRobin, DramArbitration::Priority}) {
        for (const u32 mb_per_s : {3200u, 267u, 999983u}) {
            config::Dram c = bus(kind, 100);
            c.mb_per_s = mb_per_s;
            Asker a(c);
            c.arbitration = DramArbitration::Fcfs;
            dram::Dram plain(sc_core::sc_gen_unique_name("dram"), event_queue, c, g, 8 * 8192);
            std::vector<Picoseconds> expected;
            Picoseconds now;
            for (u64 i = 0; i < 3000; ++i) {
                now += Picoseconds(draw_below(draw64(7, 1, i), 4000000));
                const u32 bytes = 512 * draw_below(draw64(7, 2, i), 33); // some of nothing
                const DramMaster m = kAll[mb_per_s % 3];
                a.add(now, bytes, m);
                expected.push_back(plain.transfer(now, {0, bytes, false, m}));
            }
            EXPECT_EQ(a.ends(), expected);
            EXPECT_EQ(a.arbiter.busy(kTimeNever), plain.busy());
            for (const DramMaster m : kAll) {
                EXPECT_EQ(a.arbiter.statistics(m).wait, plain.statistics(m, now).wait);
                EXPECT_EQ(a.arbiter.statistics(m).bytes, plain.statistics(m, now).bytes);
            }
        }
    }
}

/// Work is neither lost nor made: without access times the bus is busy when somebody waits, whatever the
/// turns are, so that the last end is that of first come first served.
TEST(ArbiterBus, KeepsBusyWhileSomebodyWaits)
{
    for (u64 seed = 1; seed <= 4; ++seed) {
        Asker turns(bus(DramArbitration::RoundRobin));
        Asker rank(bus(DramArbitration::Priority));
        Picoseconds now, free;
        for (u64 i = 0; i < 1500; ++i) {
            now += nanoseconds(draw_below(draw64(seed, 1, i), 3000));
            const u32 bytes = 512 * (1 + draw_below(draw64(seed, 2, i), 16));
            const DramMaster m = kAll[draw_below(draw64(seed, 3, i), 3)];
            turns.add(now, bytes, m);
            rank.add(now, bytes, m);
            free = max(free, now) + Picoseconds(u64{bytes} * 625 / 2);
        }
        const auto last = [](const std::vector<Picoseconds>& ends) {
            Picoseconds most;
            for (const Picoseconds end : ends) {
                most = max(most, end);
            }
            return most;
        };
        EXPECT_EQ(last(turns.ends()), free);
        EXPECT_EQ(last(rank.ends()), free);
    }
}

TEST(Dram, ServesMastersInOrderOfArrivalByDefault)
{
    const Geometry g = make_geometry().page(8192, 448);
    time::EventQueue event_queue{"event_queue"};
    dram::Dram dram("dram", event_queue, bus(DramArbitration::Fcfs), g, 8 * 8192);
    EXPECT_FALSE(dram.revises());
    EXPECT_EQ(dram.transfer(nanoseconds(1), {0, 2048, false, DramMaster::Cpu}), nanoseconds(641));
    EXPECT_EQ(dram.transfer(nanoseconds(2), {0, 2048, false, DramMaster::Flash}), nanoseconds(1281));
    EXPECT_EQ(dram.transfer(nanoseconds(3), {0, 2048, false, DramMaster::Link}), nanoseconds(1921));
    EXPECT_EQ(dram.statistics(DramMaster::Cpu, nanoseconds(3)).wait, Picoseconds());
    EXPECT_EQ(dram.statistics(DramMaster::Link, nanoseconds(3)).wait_max, nanoseconds(1278));
    EXPECT_EQ(dram.statistics(DramMaster::Link, nanoseconds(3)).busy, nanoseconds(640));
}

TEST(Dram, TellsASocketNoEndThatMayMove)
{
    const Geometry g = make_geometry().page(8192, 448);
    time::EventQueue event_queue{"event_queue"};
    dram::Dram dram("dram", event_queue, bus(DramArbitration::RoundRobin), g, 8 * 8192);
    EXPECT_TRUE(dram.revises());
    tlm::tlm_generic_payload payload;
    payload.set_data_length(4096);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    dram.b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
}

struct Case {
    config::DramTiming part;
    u64 seed;
    u64 gap;
    u32 span;
    bool ranked;
    u32 grant;
};

std::vector<Case> cases()
{
    std::vector<Case> all;
    for (const config::DramTiming& part : {ddr3(), sdr()}) {
        for (u64 seed = 1; seed <= 8; ++seed) {
            all.push_back({part, seed, seed % 2 != 0 ? u64{1500} : u64{300}, seed % 3 != 0 ? 4096u : 64u, seed % 4 < 2,
                           seed % 5 < 3 ? 2048u : 512u});
        }
    }
    return all;
}

struct Both {
    std::vector<u64> reference; ///< ends, in clocks
    std::vector<Picoseconds> ends;
    std::vector<BurstReference::Request> requests;
};

Both run(const Case& c, const config::DramTiming& part, bool one_command, u32 count)
{
    Both both;
    both.requests = random_requests(c.seed, count, c.gap, c.span);
    config::Dram config;
    config.arbitration = c.ranked ? DramArbitration::Priority : DramArbitration::RoundRobin;
    config.priority = DramPriority::FlashCpuLink;
    config.passed_over = 3;
    config.grant_bytes = c.grant;
    BurstReference reference(part, one_command);
    reference.arbitrate({c.grant, c.ranked ? std::vector<u32>{1, 2, 0} : std::vector<u32>{}, 3});
    both.reference = reference.run(both.requests);
    dram::Banks banks(part);
    Asker asker(config, &banks);
    for (const auto& r : both.requests) {
        asker.add(r.arrival * part.clock, r.access.bytes, r.access.master, r.access.address, r.access.write);
    }
    both.ends = asker.ends();
    return both;
}

TEST(ArbiterReference, AgreesClockByClock)
{
    for (const Case& c : cases()) {
        SCOPED_TRACE("seed " + std::to_string(c.seed) + (c.ranked ? " ranked" : " in turns"));
        const config::DramTiming part = without_refresh(c.part);
        const Both both = run(c, part, false, 200);
        for (std::size_t i = 0; i < both.ends.size(); ++i) {
            ASSERT_EQ(both.ends[i], both.reference[i] * part.clock) << "transfer " << i;
        }
    }
}

TEST(ArbiterReference, AgreesWithin1PercentWithOneCommandAClockAndRefresh)
{
    double wait = 0;
    double expected = 0;
    for (const Case& c : cases()) {
        const Both both = run(c, c.part, true, 600);
        for (std::size_t i = 0; i < both.ends.size(); ++i) {
            const Picoseconds arrival = both.requests[i].arrival * c.part.clock;
            wait += (both.ends[i] - arrival).seconds();
            expected += (both.reference[i] * c.part.clock - arrival).seconds();
        }
    }
    EXPECT_NEAR(wait / expected, 1, 0.01);
}

/// Two masters that always have more: each gets half of what a stream gets, less what a row costs that the
/// other has closed; different banks, so that activates hide.
TEST(ArbiterBanks, ShareEquallyInTurns)
{
    config::Dram c;
    c.arbitration = DramArbitration::RoundRobin;
    const config::DramTiming part = without_refresh(ddr3());
    dram::Banks banks(part);
    Asker a(c, &banks);
    for (u32 i = 0; i < 100; ++i) {
        a.add(Picoseconds(), 8192, DramMaster::Link, i * 8192);
        a.add(Picoseconds(), 8192, DramMaster::Flash, (1 << 20) + 4 * 4096 + i * 8192);
    }
    const auto ends = a.ends();
    // 2 KiB are 64 bursts of 4 clocks; tRCD and CL before the first; reads only, so that the bus never rests.
    EXPECT_EQ(ends[198], (22 + 799 * 256) * Picoseconds(1250));
    EXPECT_EQ(ends[199], (22 + 800 * 256) * Picoseconds(1250));
}

} // namespace
} // namespace tlmssd::tb
