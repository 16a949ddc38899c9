// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: RtlController on the event queue: times, gating, waves, and what it refuses.
#include <filesystem>
#include <memory>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "models/flash/rtl/rtl_controller.h"
#include "models/observe/fst/waves.h"
#include "tb/observe/fst_reader.h"

namespace tlmssd::tb {
namespace {

using flash::Phase;
using time::Priority;
using time::Timer;

struct Done {
    u64 at;
    u32 tag;
    u32 status;
    friend bool operator==(const Done& a, const Done& b)
    {
        return a.at == b.at && a.tag == b.tag && a.status == b.status;
    }
};

/// One channel of one LUN on the event queue: segments take 1 us, R/B# is low for 10 us, data land after
/// 2 us. Sends `total` reads, the next at each completion and the first `depth` at 7,123 ps.
class Array : public flash::SegmentPortIf, public flash::CompletionSinkIf {
public:
    explicit Array(time::EventQueue& event_queue)
        : event_queue_(event_queue), start_(event_queue, Priority::Step, Timer::call<&Array::begin, Array>, this),
          segment_(event_queue, Priority::Bus, Timer::call<&Array::segment_end, Array>, this),
          busy_(event_queue, Priority::Array, Timer::call<&Array::rise, Array>, this)
    {
    }
    void go(flash::RtlController& controller, u32 depth, u32 total)
    {
        controller_ = &controller;
        depth_ = depth;
        total_ = total;
        controller.bind(*this);
        start_.arm(Picoseconds(7123));
    }

    void bind(flash::SegmentClientIf& client) override { client_ = &client; }
    void wants(u32, u32, u32) override { wanted.push_back(event_queue_.now().value()); }
    void start(u32, const flash::SegmentRequest& request) override
    {
        request_ = request;
        segment_.arm(event_queue_.now() + microseconds(1));
    }
    void on_flash_completion(const flash_completion& completion) override
    {
        done.push_back({event_queue_.now().value(), completion.tag, completion.status});
        if (sent_ < total_) {
            send(completion.tag);
        } else if (done.size() == total_) {
            event_queue_.stop();
        }
    }
    void on_flash_space() override { ++spaces; }

    std::vector<Done> done;
    std::vector<u64> wanted; ///< times of wants()
    u8 opcode = FLASH_OP_READ;
    std::vector<u8> priorities; ///< by tag; others 0
    u32 refused = 0;
    u32 spaces = 0;

private:
    void begin()
    {
        for (u32 tag = 0; tag < depth_; ++tag) {
            send(static_cast<u16>(tag));
        }
    }
    void send(u16 tag)
    {
        flash_op op{};
        op.tag = tag;
        op.opcode = opcode;
        op.cookie = 70u + tag;
        op.nplanes = 1;
        op.oob = FLASH_NO_OOB;
        op.flags = tag < priorities.size() ? priorities[tag] : u8{0};
        if (controller_->submit(op)) {
            ++sent_;
        } else {
            ++refused;
        }
    }
    void segment_end()
    {
        flash::SegmentResult result;
        result.data_at = event_queue_.now() + microseconds(2);
        client_->on_segment_done(0, result);
        if (request_.phase == Phase::Command) {
            client_->on_ready(0, 0, 0, false);
            busy_.arm(event_queue_.now() + microseconds(10));
        }
    }
    void rise() { client_->on_ready(0, 0, 0, true); }

    time::EventQueue& event_queue_;
    Timer start_;
    Timer segment_;
    Timer busy_;
    flash::RtlController* controller_ = nullptr;
    flash::SegmentClientIf* client_ = nullptr;
    flash::SegmentRequest request_;
    u32 depth_ = 0;
    u32 total_ = 0;
    u32 sent_ = 0;
};

class RtlOnEventQueue : public testing::Test {
protected:
    RtlOnEventQueue() : event_queue("event_queue"), array(event_queue)
    {
        config.kind = config::ControllerKind::Rtl;
        config.rtl = "round_robin";
        config.clock_mhz = 200;
        config.tags = 16;
        geometry.planes = 1;
    }
    void run(u32 depth, u32 total, observe::Waves* waves = nullptr)
    {
        controller =
            std::make_unique<flash::RtlController>("flash", event_queue, config, geometry, array, waves);
        if (waves != nullptr) {
            waves->open();
        }
        if (observer != nullptr) {
            controller->bind_observer(*observer);
        }
        array.go(*controller, depth, total);
        sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
        EXPECT_EQ(array.done.size(), total);
    }

    config::Controller config;
    flash::OperationObserverIf* observer = nullptr;
    Geometry geometry;
    time::EventQueue event_queue;
    Array array;
    std::unique_ptr<flash::RtlController> controller;
};

// 200 MHz: edges every 5,000 ps. Submitted at 7,123 ps, seen by the edge at 10,000; the command
// appears 3 edges later, at 25,000. It ends at 1,025,000 and R/B# rises at 11,025,000, both on the
// grid and seen at once; the burst appears 2 edges later, at 11,035,000, and ends at 12,035,000. Its
// data are in DRAM at 14,035,000, seen at once; the completion appears 1 edge later.
constexpr u64 kFirstRead = 14040000;

TEST_F(RtlOnEventQueue, OneReadEndsAtTheEdgeComputedByHand)
{
    run(1, 1);
    EXPECT_THAT(array.done, testing::ElementsAre(Done{kFirstRead, 0, FLASH_STATUS_OK}));
    EXPECT_LE(controller->edges(), 20u);
}

// The next read is submitted at an edge that has run, so the next edge sees it: 1 + 3 edges to the
// command, then as above. From one completion to the next: 4 x 5,000 + 14,015,000 ps.
TEST_F(RtlOnEventQueue, ReadsFollowEachOther)
{
    run(1, 3);
    EXPECT_THAT(array.done, testing::ElementsAre(Done{kFirstRead, 0, 0},
                                                 Done{kFirstRead + 14035000, 0, 0},
                                                 Done{kFirstRead + 2 * 14035000, 0, 0}));
}

// Where it can be seen from outside: at the ready edge (11,025,000), not when the RTL asks.
TEST_F(RtlOnEventQueue, SaysAtTheReadyEdgeThatItsDieWantsTheBus)
{
    run(1, 2);
    EXPECT_THAT(array.wanted, testing::ElementsAre(11025000, 11025000 + 14035000));
}

TEST_F(RtlOnEventQueue, WantsNothingAfterAReset)
{
    array.opcode = FLASH_OP_RESET;
    run(1, 2);
    EXPECT_THAT(array.wanted, testing::IsEmpty());
}

struct OperationLog final : flash::OperationObserverIf {
    void on_issue(u32 tag, const flash_op& op, Picoseconds now) override
    {
        seen.emplace_back('i', tag, op.cookie, now.value());
    }
    void on_phase(u32, u32, Phase, Picoseconds, Picoseconds) override {}
    void on_complete(u32 tag, const flash_completion& completion, Picoseconds now) override
    {
        seen.emplace_back('c', tag, completion.cookie, now.value());
    }
    std::vector<std::tuple<char, u32, u32, u64>> seen; ///< what, tag, cookie, ps
};

TEST_F(RtlOnEventQueue, TellsAnObserverOfTheFirstSegmentAndTheCompletion)
{
    OperationLog log;
    observer = &log;
    run(1, 1);
    EXPECT_THAT(log.seen, testing::ElementsAre(std::tuple('i', 0u, 70u, u64{25000}),
                                               std::tuple('c', 0u, 70u, kFirstRead)));
}

// Three reads of one stream on one LUN: the last is more urgent and passes the second. Its data land
// 2 us after its burst, and so do those of the second, whose burst ends later by
// 12 clocks + 1 us + 10 us (R/B#) + 7 clocks + 1 us (docs/explanation/rtl-o3-times.md, "Latencies"). It is held from
// the clock after its landing until it is completed, two to four clocks after the second's.
TEST_F(RtlOnEventQueue, CountsWhatPassesAndWhatIsHeldBack)
{
    config.rtl = "o3";
    config.mode = config::ControllerMode::Ooo;
    config.age_limit = milliseconds(1);
    array.priorities = {0, 0, 3};
    run(3, 3);
    ASSERT_EQ(array.done.size(), 3u);
    for (u32 tag = 0; tag < 3; ++tag) {
        EXPECT_EQ(array.done[tag].tag, tag);
    }
    const flash::OrderStatistics s = controller->order_statistics();
    EXPECT_EQ(s.reordered, 1u);
    EXPECT_EQ(s.held, 1u);
    const u64 clock = 5000, between = 12000000 + 19 * clock;
    EXPECT_GE(s.held_time.value(), between + 1 * clock);
    EXPECT_LE(s.held_time.value(), between + 3 * clock);
    EXPECT_EQ(controller->finish_counters(Picoseconds(array.done.back().at)).held, 1u);
}

TEST_F(RtlOnEventQueue, FreeRunningClockGivesTheSameTimes)
{
    config.clock_gating = false;
    run(1, 3);
    EXPECT_THAT(array.done, testing::ElementsAre(Done{kFirstRead, 0, 0},
                                                 Done{kFirstRead + 14035000, 0, 0},
                                                 Done{kFirstRead + 2 * 14035000, 0, 0}));
    EXPECT_GT(controller->edges(), 8000u);
}

// 300 MHz has a period of 3,333 ps: submitted at 7,123, seen at 9,999.
TEST_F(RtlOnEventQueue, ClockFrequencyIsRoundedToPicoseconds)
{
    config.clock_mhz = 300;
    run(1, 1);
    const auto grid = [](u64 at) { return (at + 3332) / 3333 * 3333; };
    const u64 command = 9999 + 3 * 3333;
    const u64 burst = grid(command + 11000000) + 2 * 3333;
    EXPECT_EQ(array.done.front().at, grid(burst + 3000000) + 3333);
}

TEST_F(RtlOnEventQueue, RefusesBeyondItsTagsAndTellsOfSpace)
{
    run(17, 16);
    EXPECT_EQ(array.refused, 1u);
    EXPECT_EQ(array.spaces, 1u);
}

TEST_F(RtlOnEventQueue, WavesShowTheClockAndChangeNothing)
{
    const auto path = std::filesystem::temp_directory_path() /
                      ("tlmssd_rtl_" + std::to_string(::getpid()) + ".fst");
    observe::Waves waves(path.string());
    run(1, 3, &waves);
    waves.close(event_queue.last());
    EXPECT_EQ(array.done.back().at, kFirstRead + 2 * 14035000);
    const WaveFile file = read_waves(path.string());
    std::filesystem::remove(path);
    // The first edges are those of the first read: 10,000 and on, 2,500 ps high.
    const auto& clock = file.changes.at("rtl.rr_controller.clk_i");
    std::vector<u64> rises;
    for (const auto& [when, value] : clock) {
        if (value == "1" && when != 0) {
            rises.push_back(when);
        }
    }
    ASSERT_GE(rises.size(), 4u);
    EXPECT_THAT(std::vector<u64>(rises.begin(), rises.begin() + 4),
                testing::ElementsAre(10000, 15000, 20000, 25000));
    // One completion a read, high for one clock.
    std::vector<u64> dones;
    for (const auto& [when, value] : file.changes.at("rtl.rr_controller.done_valid_o")) {
        if (value == "1") {
            dones.push_back(when);
        }
    }
    EXPECT_THAT(dones, testing::ElementsAre(kFirstRead, kFirstRead + 14035000,
                                            kFirstRead + 2 * 14035000));
}

} // namespace
} // namespace tlmssd::tb
