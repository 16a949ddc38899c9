// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_retire against lists of operations: each stream told in its own order, nothing lost.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include <VUnitRetire.h>

#include "firmware/hal/flash_op.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kChannels = 2;
constexpr u32 kTags = 16;
constexpr u32 kPorts = kChannels + 2; ///< of ends: channels, landings, what is illegal

struct Operation {
    u32 stream = 0, channel = 0, lun = 0, cookie = 0;
    bool alone = false;  ///< of no stream
    bool fence = false;
    bool closed = false; ///< its fence has not opened
    bool read = false;   ///< ends by its landing
    bool presented = false, ended = false;
    u32 status = FLASH_STATUS_OK, planes = 0;
};
struct Illegal {
    u32 tag = 0, cookie = 0;
};

class RetireBench {
public:
    RetireBench(u64 seed, bool ooo, Goals& goals) : random(seed), goals_(goals), ooo_(ooo), seed_(seed)
    {
        clear_inputs();
        dut->ooo_i = ooo;
        dut.reset();
    }
    void reset() // with whatever is inside
    {
        goals_.see("reset with operations outstanding", !outstanding_.empty());
        clear_inputs();
        dut.reset();
        *this->state() = State{};
        std::fill(std::begin(passed_), std::end(passed_), 0);
        outstanding_.clear();
        streams_.clear();
        held_.clear();
    }
    void cycle(bool more)
    {
        State& s = *state();
        offer(more);
        present(more);
        s.open_take = dut->open_valid_o && random.percent(more && seed_ % 3 == 0 ? 4 : 60);
        const bool ready = random.percent(seed_ % 2 ? 95 : 50);
        drive(ready);
        dut.settle();
        before_edge();
        if (testing::Test::HasFatalFailure()) {
            return;
        }
        const bool completed_before = dut->done_valid_o;
        const bool opened_before = dut->open_valid_o && !s.open_take;
        goals_.see("completion waits for its taker", completed_before && !ready);
        const bool quiet = dut->active_o == 0 && !s.head && !s.bad;
        dut.edge();
        if (dut->done_valid_o && !completed_before) {
            check_completed();
        }
        if (dut->open_valid_o && !opened_before) {
            check_opened();
        }
        ASSERT_FALSE(quiet && (dut->done_valid_o || dut->open_valid_o)) << "inactive, but it went on";
        check_streams();
    }
    bool empty() const { return outstanding_.empty() && held_.empty(); }

    Random random;
    ClockedDut<VUnitRetire> dut;

private:
    struct State {
        std::optional<u32> head;      ///< tag that is offered
        bool goes = false;            ///< in this cycle
        std::optional<Illegal> bad;   ///< instead of it
        std::optional<u32> end[kChannels];
        std::optional<u32> landing;
        std::optional<Illegal> bad_taken;
        bool open_take = false;
    };
    State* state() { return &state_; }

    void clear_inputs()
    {
        dut->append_i = dut->end_valid_i = dut->land_valid_i = dut->bad_valid_i = 0;
        dut->open_take_i = 0;
        dut->done_ready_i = 1;
    }
    /// The controller's head: an operation that joins its stream, or an illegal one.
    void offer(bool more)
    {
        State& s = state_;
        if (s.head || s.bad || !more || !random.percent(60)) {
            return;
        }
        if (random.percent(6)) {
            s.bad = Illegal{random.below(65536), static_cast<u32>(random.word())};
            return;
        }
        const u32 tag = random.below(kTags);
        if (outstanding_.count(tag) != 0) {
            return;
        }
        Operation op;
        op.alone = ooo_ && random.percent(15);
        const bool few = seed_ % 2 == 0; // long streams, or all 64
        op.stream = !few ? random.below(64) : random.percent(50) ? 63 : random.below(3);
        op.fence = !op.alone && random.percent(20);
        if (!ooo_ && op.fence && !streams_[op.stream].empty()) {
            return; // in order the controller's head waits for it
        }
        op.channel = random.below(kChannels);
        op.lun = random.below(4);
        op.cookie = static_cast<u32>(random.word());
        op.read = random.percent(50);
        if (!op.read) {
            op.status = random.percent(30) ? (random.percent(50) ? FLASH_STATUS_FAIL : 1 + op.cookie % 7) // any
                                           : FLASH_STATUS_OK;
            op.planes = op.status == FLASH_STATUS_OK ? 0 : 1 + random.below(15);
        }
        offered_ = op;
        s.head = tag;
    }
    /// Ends stand at their port until they are taken.
    void present(bool more)
    {
        State& s = state_;
        const u32 eager = !more ? 50 : ++cycles_ / 64 % 2 == 0 ? 2 : 30; // they gather, then all end
        for (auto& [tag, op] : outstanding_) {
            if (op.presented || op.closed || !random.percent(eager)) {
                continue;
            }
            std::optional<u32>& port = op.read ? s.landing : s.end[op.channel];
            if (!port) {
                port = tag;
                op.presented = true;
            }
        }
    }
    void drive(bool ready)
    {
        const State& s = state_;
        dut->append_i = s.goes;
        if (s.goes) {
            dut->app_tag_i = static_cast<u8>(*s.head);
            dut->app_stream_i = static_cast<u8>(offered_.stream);
            dut->app_channel_i = static_cast<u8>(offered_.channel);
            dut->app_lun_i = static_cast<u8>(offered_.lun);
            dut->app_alone_i = offered_.alone;
            dut->app_fence_i = offered_.fence;
            dut->app_cookie_i = offered_.cookie;
        }
        u32 valid = 0, tags = 0, status = 0, planes = 0;
        for (u32 c = 0; c < kChannels; ++c) {
            if (s.end[c]) {
                const Operation& op = outstanding_.at(*s.end[c]);
                valid |= 1u << c;
                tags |= *s.end[c] << (4 * c);
                status |= op.status << (3 * c);
                planes |= op.planes << (4 * c);
            }
        }
        dut->end_valid_i = static_cast<u8>(valid);
        dut->end_tag_i = static_cast<u8>(tags);
        dut->end_status_i = static_cast<u8>(status);
        dut->end_planes_i = static_cast<u8>(planes);
        dut->land_valid_i = s.landing.has_value();
        dut->land_tag_i = static_cast<u8>(s.landing.value_or(0));
        dut->bad_valid_i = s.bad.has_value();
        if (s.bad) {
            dut->bad_tag_i = static_cast<u16>(s.bad->tag);
            dut->bad_cookie_i = s.bad->cookie;
        }
        dut->open_take_i = s.open_take;
        dut->done_ready_i = ready;
    }
    /// What the edge takes; at most one of an end, a landing, an illegal operation and an append.
    void before_edge()
    {
        State& s = state_;
        u32 actions = 0, asking = 0;
        for (u32 c = 0; c < kChannels; ++c) {
            asking += s.end[c].has_value();
        }
        asking += s.landing.has_value() + s.bad.has_value();
        goals_.see("ends at every port at once", asking == kChannels + 2);
        check_turns();
        for (u32 c = 0; c < kChannels; ++c) {
            if (dut->end_take_o >> c & 1) {
                ASSERT_TRUE(s.end[c]);
                end(*s.end[c]);
                s.end[c].reset();
                ++actions;
            }
        }
        if (dut->land_take_o) {
            ASSERT_TRUE(s.landing);
            end(*s.landing);
            s.landing.reset();
            ++actions;
        }
        if (dut->bad_take_o) {
            ASSERT_TRUE(s.bad);
            goals_.see("illegal");
            s.bad_taken = s.bad;
            s.bad.reset();
            ++actions;
        }
        if (dut->held_o) {
            ASSERT_EQ(held_.erase(dut->held_tag_o), 1u) << "held: ended before an older one of its stream";
        }
        if (s.goes) {
            append(*s.head);
            s.head.reset();
            s.goes = false;
            ++actions;
        } else {
            s.goes = s.head && dut->app_ready_o;
        }
        ASSERT_LE(actions, 1u);
        left_expected_ = dut->ended_o;
    }
    /// In turn: between two picks of a port each of the others is picked once at most.
    void check_turns()
    {
        const State& s = state_;
        const u32 picked = u32{dut->end_take_o} | u32{dut->land_take_o} << kChannels |
                           u32{dut->bad_take_o} << (kChannels + 1);
        for (u32 port = 0; port < kPorts && picked != 0; ++port) {
            const bool asks = port < kChannels    ? s.end[port].has_value()
                              : port == kChannels ? s.landing.has_value()
                                                  : s.bad.has_value();
            passed_[port] = asks && (picked >> port & 1) == 0 ? passed_[port] + 1 : 0;
            ASSERT_LT(passed_[port], kPorts) << "port " << port << " is passed by one twice";
        }
    }
    void append(u32 tag)
    {
        Operation op = offered_;
        goals_.see("of no stream", op.alone);
        if (!op.alone) {
            std::deque<u32>& stream = streams_[op.stream];
            op.closed = ooo_ && op.fence && !stream.empty();
            goals_.see("fence with older ones inside", op.closed);
            goals_.see("fence that is open at once", op.fence && stream.empty());
            stream.push_back(tag);
            goals_.see("eight of one stream", stream.size() == 8);
        }
        outstanding_[tag] = op;
    }
    void end(u32 tag)
    {
        Operation& op = outstanding_.at(tag);
        op.ended = true;
        const bool held = ooo_ && !op.alone && streams_[op.stream].front() != tag;
        goals_.see("held", held);
        goals_.see("fails", op.status == FLASH_STATUS_FAIL);
        if (held) {
            held_.insert(tag);
        }
    }
    void check_completed()
    {
        const u32 tag = dut->done_tag_o;
        if (state_.bad_taken) { // nothing else is picked before it completes
            ASSERT_FALSE(left_expected_);
            EXPECT_EQ(tag, state_.bad_taken->tag);
            EXPECT_EQ(dut->done_status_o, FLASH_STATUS_ILLEGAL);
            EXPECT_EQ(dut->done_planes_o, 0);
            EXPECT_EQ(dut->done_cookie_o, state_.bad_taken->cookie);
            state_.bad_taken.reset();
            return;
        }
        ASSERT_TRUE(left_expected_) << "ended_o pulses for each";
        const auto found = outstanding_.find(tag);
        ASSERT_NE(found, outstanding_.end()) << "told of no operation, or twice";
        const Operation& op = found->second;
        EXPECT_TRUE(op.ended) << "told before its end";
        EXPECT_EQ(dut->done_status_o, op.status);
        EXPECT_EQ(dut->done_planes_o, op.planes);
        EXPECT_EQ(dut->done_cookie_o, op.cookie);
        if (!op.alone) {
            std::deque<u32>& stream = streams_[op.stream];
            if (ooo_) {
                ASSERT_EQ(stream.front(), tag) << "out of its stream's order";
                stream.pop_front();
                goals_.see("the next one has ended already",
                           !stream.empty() && outstanding_.at(stream.front()).ended);
            } else {
                const auto at = std::find(stream.begin(), stream.end(), tag);
                goals_.see("in order, told before an older one", at != stream.begin());
                stream.erase(at);
            }
        }
        outstanding_.erase(found);
    }
    void check_opened()
    {
        const auto found = outstanding_.find(dut->open_tag_o);
        ASSERT_NE(found, outstanding_.end());
        Operation& op = found->second;
        EXPECT_TRUE(op.fence && op.closed) << "opens once";
        EXPECT_EQ(streams_[op.stream].front(), found->first) << "before older ones of its stream";
        EXPECT_EQ(dut->open_channel_o, op.channel);
        EXPECT_EQ(dut->open_lun_o, op.lun);
        op.closed = false;
        goals_.see("fence opens");
    }
    void check_streams()
    {
        for (u32 n = 0; n < 64; ++n) {
            const auto found = streams_.find(n);
            const bool some = found != streams_.end() && !found->second.empty();
            ASSERT_EQ(dut->streams_o >> n & 1, some) << "stream " << n;
        }
    }

    Goals& goals_;
    bool ooo_;
    u64 seed_;
    State state_;
    Operation offered_;
    bool left_expected_ = false;
    std::set<u32> held_; ///< tags that are to be reported as held
    u32 cycles_ = 0;
    u32 passed_[kPorts] = {}; ///< picks of others while it asks
    std::map<u32, Operation> outstanding_;
    std::map<u32, std::deque<u32>> streams_;
};

void run(bool ooo, Goals& goals)
{
    for (u64 seed = 0; seed < 6; ++seed) {
        RetireBench bench(seed, ooo, goals);
        for (u32 n = 0; n < 4000 && !testing::Test::HasFailure(); ++n) {
            const u32 phase = n % 1000;
            bench.cycle(phase < 700);
            if (phase == 999) { // 300 cycles end and tell the 16 that may be inside
                EXPECT_TRUE(bench.empty()) << "seed " << seed << " cycle " << n;
                EXPECT_EQ(bench.dut->active_o, 0);
            }
            if (n == 1500) {
                bench.reset();
            }
        }
    }
    goals.expect_met();
}

TEST(UnitRetire, TellsEachStreamInItsOwnOrder)
{
    Goals goals({"held", "the next one has ended already", "of no stream", "illegal", "fails",
                 "fence with older ones inside", "fence that is open at once", "fence opens",
                 "eight of one stream", "ends at every port at once", "completion waits for its taker",
                 "reset with operations outstanding"});
    goals.allow({"in order, told before an older one"});
    run(true, goals);
}

TEST(UnitRetire, InOrderTellsAtOnce)
{
    Goals goals({"in order, told before an older one", "illegal", "fails", "fence that is open at once",
                 "eight of one stream", "ends at every port at once", "completion waits for its taker",
                 "reset with operations outstanding"});
    goals.allow({"held", "the next one has ended already", "of no stream", "fence opens",
                 "fence with older ones inside"});
    run(false, goals);
}

/// Out of order: an operation joins, then the one before it lands. The stream has one or two at any time.
TEST(UnitRetire, AStreamMayLastForLongerThanItHasTags)
{
    constexpr u32 kStream = 5, kSteps = 20; // edges in which a step is over
    ClockedDut<VUnitRetire> dut;
    dut->append_i = dut->end_valid_i = dut->land_valid_i = dut->bad_valid_i = dut->open_take_i = 0;
    dut->app_alone_i = dut->app_fence_i = 0;
    dut->app_stream_i = kStream;
    dut->done_ready_i = 1;
    dut->ooo_i = 1;
    dut.reset();
    const auto lands = [&dut](u32 tag) {
        dut->land_valid_i = 1;
        dut->land_tag_i = static_cast<u8>(tag);
        for (u32 edge = 0; edge < kSteps; ++edge) {
            dut.settle();
            const bool taken = dut->land_take_o;
            dut.edge();
            dut->land_valid_i = dut->land_valid_i && !taken;
            if (dut->done_valid_o) {
                EXPECT_EQ(dut->done_tag_o, tag);
                dut.edge();
                return;
            }
        }
        ADD_FAILURE() << "tag " << tag << " does not complete";
    };
    constexpr u32 kCount = 5 * kTags;
    for (u32 n = 0; n < kCount; ++n) {
        SCOPED_TRACE("operation " + std::to_string(n));
        for (u32 edge = 0; edge < kSteps && !dut->app_ready_o; ++edge) {
            dut.edge();
        }
        ASSERT_TRUE(dut->app_ready_o);
        dut.edge(); // it joins in the cycle after
        dut->append_i = 1;
        dut->app_tag_i = static_cast<u8>(n % kTags);
        dut.settle();
        dut.edge();
        dut->append_i = 0;
        dut.settle();
        if (n > 0) {
            lands((n - 1) % kTags);
        }
        ASSERT_EQ(dut->streams_o, u64{1} << kStream);
    }
    lands((kCount - 1) % kTags);
    EXPECT_EQ(dut->streams_o, 0u);
}

} // namespace
} // namespace tlmssd::tb
