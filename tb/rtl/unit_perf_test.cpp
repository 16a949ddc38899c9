// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_perf with its o3_perf_channel against sums over edges (docs/reference/o3-registers.md). Edges are as with
// a gated clock: any number of cycles may lie between two. What a level shows at an edge it has been since
// the edge before, so a time grows at each edge by the cycles since then.
#include <algorithm>
#include <string>

#include <VUnitPerf.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kChannels = 3;
constexpr u32 kEvents = 6; ///< o3_pkg::PERF_READ to PERF_FENCED
constexpr u32 kTimes = 4;  ///< PERF_BUS_BUSY, PERF_BUS_STARVED, PERF_BLOCKED, PERF_LUN_BUSY, behind them
constexpr u64 kCycleMask = (u64{1} << 40) - 1;

/// A count comes one edge after its event: what the edge of a clear finds on its way is lost with the rest.
struct Count {
    u64 value = 0;
    bool coming = false;
    void edge(bool event, bool clear)
    {
        value = clear ? 0 : value + coming;
        coming = event;
    }
};

struct Model {
    struct Channel {
        Count events[kEvents];
        u64 times[kTimes] = {};
    };
    Channel channels[kChannels];
    Count ended, held;
    u64 cycles = 0, outstanding_max = 0;
};

class PerfBench {
public:
    PerfBench(u64 seed, Goals& goals) : random(seed), goals_(goals), long_steps_(seed % 2 == 1)
    {
        dut->cycle_i = 0;
        dut->enable_i = dut->clear_i = dut->rd_i = dut->channel_rd_i = 0;
        dut->event_i = dut->event_no_i = dut->ended_i = dut->held_i = dut->outstanding_i = 0;
        dut->bus_i = dut->work_i = dut->blocked_i = dut->lun_busy_i = 0;
        dut.reset();
    }
    void edge()
    {
        if (random.percent(3)) {
            enable_ = !enable_;
        }
        const bool clear = random.percent(2);
        const u64 step = random.percent(70) ? 1 : random.below(long_steps_ ? 1u << 28 : 50);
        cycle_ += step;
        dut->cycle_i = cycle_ & kCycleMask;
        dut->enable_i = enable_;
        dut->clear_i = clear;
        drive();
        read();
        dut.settle();
        check();
        const bool counting = enable_ && !clear;
        goals_.see("gated edges in a time", step > 1 && counting && (bus_ | lun_busy_) != 0);
        goals_.see("disabled in a time", was_enabled_ && !enable_ && (bus_ | lun_busy_) != 0);
        goals_.see("cleared in a time", clear && enable_ && (bus_ & old_bus_) != 0);
        goals_.see("an event on its way at a clear", clear && model_.ended.coming);
        goals_.see("an event in the cycle of a clear", clear && enable_ && ended_);
        goals_.see("the most inside falls", clear && model_.outstanding_max > outstanding_ && outstanding_ != 0);
        goals_.see("work beside a busy bus", enable_ && (work_ & bus_) != 0);
        goals_.see("work and an idle bus", enable_ && (work_ & ~bus_) != 0);
        advance(step, counting, clear);
        was_enabled_ = enable_;
        old_bus_ = bus_;
        dut.edge();
    }
    bool failed() const { return testing::Test::HasFatalFailure() || dut.assertion_failed(); }

    Random random;
    ClockedDut<VUnitPerf> dut;

private:
    void flip(u32& levels)
    {
        if (random.percent(20)) {
            levels ^= 1u << random.below(kChannels);
        }
    }
    void drive()
    {
        for (u32* const levels : {&bus_, &work_, &blocked_, &lun_busy_}) {
            flip(*levels);
        }
        events_ = random.below(1u << kChannels) & random.below(1u << kChannels);
        u32 numbers = 0;
        for (u32 c = 0; c < kChannels; ++c) {
            event_no_[c] = random.below(kEvents);
            numbers |= event_no_[c] << 3 * c;
        }
        ended_ = random.percent(30);
        held_ = random.percent(20);
        outstanding_ = random.below(random.percent(5) ? 1u << 16 : 60);
        goals_.see("an event that does not count", !enable_ && events_ != 0);
        dut->event_i = static_cast<u8>(events_);
        dut->event_no_i = static_cast<u16>(numbers);
        dut->bus_i = static_cast<u8>(bus_);
        dut->work_i = static_cast<u8>(work_);
        dut->blocked_i = static_cast<u8>(blocked_);
        dut->lun_busy_i = static_cast<u8>(lun_busy_);
        dut->ended_i = ended_;
        dut->held_i = held_;
        dut->outstanding_i = static_cast<u16>(outstanding_);
    }
    /// Which register is read in this cycle: of the whole, of a channel, or none.
    void read()
    {
        const u32 what = random.below(100);
        whole_ = what < 20;
        channel_ = what >= 20 && what < 70;
        hi_ = random.percent(30);
        number_ = whole_ ? random.below(4) : random.below(kEvents + kTimes);
        which_ = random.percent(5) ? kChannels + random.below(16 - kChannels) : random.below(kChannels);
        dut->rd_i = whole_;
        dut->channel_rd_i = channel_;
        dut->addr_i = static_cast<u8>(number_ << 1 | u32{hi_});
        dut->channel_addr_i = static_cast<u16>(which_ << 5 | number_ << 1 | u32{hi_});
    }
    u64 expected() const
    {
        if (whole_) {
            const u64 all[] = {model_.cycles, model_.ended.value, model_.held.value, model_.outstanding_max};
            return all[number_];
        }
        if (which_ >= kChannels) {
            return 0;
        }
        const Model::Channel& c = model_.channels[which_];
        return number_ < kEvents ? c.events[number_].value : c.times[number_ - kEvents];
    }
    void check()
    {
        if (!whole_ && !channel_) {
            return;
        }
        const u32 got = whole_ ? dut->data_o : dut->channel_data_o;
        const u64 value = expected();
        if (hi_) {
            ASSERT_EQ(got, value >> 32) << "upper half of counter " << number_;
            goals_.see("an upper half that is not 0", got != 0);
            return;
        }
        ASSERT_EQ(got, static_cast<u32>(value)) << (whole_ ? "of the whole: " : "of a channel: ") << number_;
        goals_.see("a channel that is not built", channel_ && which_ >= kChannels);
        goals_.see("a time that runs is read", channel_ && which_ < kChannels && was_enabled_ &&
                                                   number_ == kEvents && (old_bus_ >> which_ & 1) != 0);
        goals_.see("a time that stands is read", channel_ && which_ < kChannels && number_ == kEvents &&
                                                     value != 0 && (old_bus_ >> which_ & 1) == 0);
        if (channel_ && which_ < kChannels && value != 0) {
            goals_.see("counter " + std::to_string(number_));
        }
    }
    void advance(u64 step, bool counting, bool clear)
    {
        const u32 levels[kTimes] = {bus_, work_ & ~bus_, blocked_, lun_busy_};
        for (u32 c = 0; c < kChannels; ++c) {
            Model::Channel& channel = model_.channels[c];
            for (u32 e = 0; e < kEvents; ++e) {
                channel.events[e].edge(enable_ && (events_ >> c & 1) != 0 && event_no_[c] == e, clear);
            }
            for (u32 t = 0; t < kTimes; ++t) {
                const u64 more = counting && (levels[t] >> c & 1) != 0 ? step : 0;
                channel.times[t] = clear ? 0 : (channel.times[t] + more) & kCycleMask;
            }
        }
        model_.ended.edge(enable_ && ended_, clear);
        model_.held.edge(enable_ && held_, clear);
        model_.cycles = clear ? 0 : (model_.cycles + (counting ? step : 0)) & kCycleMask;
        model_.outstanding_max = clear     ? 0
                            : enable_ ? std::max<u64>(model_.outstanding_max, outstanding_)
                                      : model_.outstanding_max;
    }

    Goals& goals_;
    bool long_steps_; ///< so that times do not fit into 32 bits
    Model model_;
    u64 cycle_ = 0;
    bool enable_ = false, was_enabled_ = false;
    u32 bus_ = 0, work_ = 0, blocked_ = 0, lun_busy_ = 0, old_bus_ = 0; ///< a bit a channel
    u32 events_ = 0;
    u32 event_no_[kChannels] = {};
    bool ended_ = false, held_ = false;
    u32 outstanding_ = 0;
    bool whole_ = false, channel_ = false, hi_ = false;
    u32 number_ = 0, which_ = 0;
};

TEST(UnitPerf, CountsAndTimesAreThoseOfTheEdges)
{
    std::vector<std::string> names = {
        "gated edges in a time", "disabled in a time", "cleared in a time", "an event on its way at a clear",
        "an event in the cycle of a clear", "the most inside falls", "work beside a busy bus",
        "work and an idle bus", "an event that does not count", "an upper half that is not 0",
        "a channel that is not built", "a time that runs is read", "a time that stands is read"};
    for (u32 n = 0; n < kEvents + kTimes; ++n) {
        names.push_back("counter " + std::to_string(n));
    }
    Goals goals(names);
    for (u64 seed = 0; seed < 6; ++seed) {
        PerfBench bench(seed, goals);
        for (u32 n = 0; n < 8000 && !bench.failed(); ++n) {
            bench.edge();
        }
        ASSERT_FALSE(bench.failed()) << "seed " << seed;
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
