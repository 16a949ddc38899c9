// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: clocks of page buffers, the list of the slowest requests, and their causes in words.
#include <gtest/gtest.h>

#include "firmware/core/fw.h"
#include "models/probes/stages/slowest_requests.h"
#include "tb/system/run.h"

namespace tlmssd::probes {
namespace {

using observe::Stage;
using observe::StageClock;

// ---- page buffers ----

u64 at(const StageClock& clock, Stage stage)
{
    return clock.times[static_cast<std::size_t>(stage)];
}

Picoseconds ps(u64 n) { return Picoseconds(n); }

TEST(LineClocks, LiveWhileSomethingIsUnderWayOrSomebodyWaits)
{
    LineClocks lines(8);
    EXPECT_EQ(lines.find(3), LineClocks::kNone);
    const u32 c = lines.get(3, ps(10));
    lines.go(c, ps(10), Stage::Ftl);
    lines.settle(c);
    EXPECT_EQ(lines.find(3), c); // an operation
    Follower page;
    page.clock = StageClock{{}, ps(0), Stage::Buffer};
    lines.join(c, page, ps(20));
    lines.go(c, ps(30), Stage::Buffer);
    lines.settle(c);
    EXPECT_EQ(lines.find(3), c); // a page that waits
    lines.leave(page, ps(35));
    lines.settle(c);
    EXPECT_EQ(lines.find(3), LineClocks::kNone);
    EXPECT_EQ(lines.get(5, ps(40)), c); // used again
    EXPECT_EQ(lines.most(), 1u);
    EXPECT_EQ(at(page.clock, Stage::Buffer), 20u + 5u);
    EXPECT_EQ(at(page.clock, Stage::Ftl), 10u);
}

TEST(LineClocks, LetAPageJoinAtATimeToComeWhileHardwareGoesOn)
{
    LineClocks lines(8);
    const u32 c = lines.get(0, ps(0));
    lines.go(c, ps(0), Stage::WaitBus);
    Follower page;
    page.clock = StageClock{{}, ps(90), Stage::Buffer};
    lines.join(c, page, ps(150)); // said in a step that began before 100
    lines.go(c, ps(100), Stage::Transfer);
    lines.go(c, ps(120), Stage::Cell);
    lines.go(c, ps(200), Stage::Sched);
    lines.leave(page, ps(210));
    EXPECT_EQ(at(page.clock, Stage::Buffer), 60u); // 90 to 150
    EXPECT_EQ(at(page.clock, Stage::WaitBus), 0u);
    EXPECT_EQ(at(page.clock, Stage::Transfer), 0u);
    EXPECT_EQ(at(page.clock, Stage::Cell), 50u); // 150 to 200
    EXPECT_EQ(at(page.clock, Stage::Sched), 10u);
    EXPECT_EQ(observe::total(page.clock.times), ps(120));
}

TEST(LineClocks, LetSeveralPagesJoinEachAtItsTime)
{
    LineClocks lines(8);
    const u32 c = lines.get(0, ps(0));
    lines.go(c, ps(0), Stage::Cell);
    Follower pages[3];
    const u64 times[] = {50, 10, 30};
    for (int i = 0; i < 3; ++i) {
        pages[i].clock = StageClock{{}, ps(0), Stage::Buffer};
        lines.join(c, pages[i], ps(times[i]));
    }
    lines.go(c, ps(40), Stage::Transfer);
    lines.go(c, ps(60), Stage::Dram);
    for (int i = 0; i < 3; ++i) {
        lines.leave(pages[i], ps(70));
    }
    const u64 cell[] = {0, 30, 10}, transfer[] = {10, 20, 20};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(at(pages[i].clock, Stage::Buffer), times[i]) << i;
        EXPECT_EQ(at(pages[i].clock, Stage::Cell), cell[i]) << i;
        EXPECT_EQ(at(pages[i].clock, Stage::Transfer), transfer[i]) << i;
        EXPECT_EQ(at(pages[i].clock, Stage::Dram), 10u) << i;
    }
}

TEST(LineClocks, CountAsBufferWhatLeavesBeforeItHasJoined)
{
    LineClocks lines(8);
    const u32 c = lines.get(0, ps(0));
    lines.go(c, ps(500), Stage::Sched); // another core is further on
    Follower page;
    page.clock = StageClock{{}, ps(100), Stage::Buffer};
    lines.join(c, page, ps(200));
    lines.leave(page, ps(300));
    EXPECT_EQ(at(page.clock, Stage::Buffer), 200u);
    EXPECT_EQ(observe::total(page.clock.times), ps(200));
    EXPECT_EQ(lines[c].joining, nullptr);
    EXPECT_EQ(lines[c].followers, 0u);
}

// ---- the list ----

const observe::StageTimes kTimes{};
const Facts kFacts;

hal_host_command command(u16 tag, u8 opcode = HAL_HOST_READ)
{
    hal_host_command c{};
    c.tag = tag;
    c.opcode = opcode;
    c.sectors = 8;
    return c;
}

TEST(WorstList, KeepsTheSlowestHundredSlowestFirst)
{
    WorstList list;
    // 1..1000 us in an order that mixes them: 7 is coprime to 1000, so each comes once.
    for (u64 i = 0; i < 1000; ++i) {
        const u64 us = i * 7 % 1000 + 1;
        const hal_host_command c = command(static_cast<u16>(us % 32));
        list.consider({c, 0, ps(0), microseconds(5), microseconds(5 + us), HAL_HOST_OK},
                      {kTimes, kFacts});
    }
    const std::vector<WorstRequest> all = list.sorted();
    ASSERT_EQ(all.size(), 100u);
    for (u64 i = 0; i < 100; ++i) {
        EXPECT_EQ(all[i].latency(), microseconds(1000 - i));
    }
}

TEST(WorstList, KeepsTheFirstOfEquals)
{
    WorstList list;
    for (u16 tag = 0; tag < 150; ++tag) {
        const hal_host_command c = command(tag);
        list.consider({c, 0, ps(0), ps(0), microseconds(9), HAL_HOST_OK}, {kTimes, kFacts});
    }
    const std::vector<WorstRequest> all = list.sorted();
    ASSERT_EQ(all.size(), 100u);
    for (u16 tag = 0; tag < 100; ++tag) {
        EXPECT_EQ(all[tag].command.tag, tag);
    }
}

TEST(WorstList, ForgetsOnRequest)
{
    WorstList list;
    const hal_host_command c = command(1);
    list.consider({c, 0, ps(0), ps(0), microseconds(9), HAL_HOST_OK}, {kTimes, kFacts});
    list.clear();
    EXPECT_TRUE(list.sorted().empty());
}

// ---- words ----

TEST(TimeInWords, HasThreeDigitsAndAUnit)
{
    EXPECT_EQ(time_in_words(ps(0)), "0 ps");
    EXPECT_EQ(time_in_words(ps(999)), "999 ps");
    EXPECT_EQ(time_in_words(ps(1000)), "1.00 ns");
    EXPECT_EQ(time_in_words(ps(12345)), "12.3 ns");
    EXPECT_EQ(time_in_words(ps(999499)), "999 ns");
    EXPECT_EQ(time_in_words(ps(999500)), "1.00 us");
    EXPECT_EQ(time_in_words(microseconds(2100)), "2.10 ms");
    EXPECT_EQ(time_in_words(milliseconds(123456)), "123 s");
}

class CauseOf : public testing::Test {
protected:
    CauseOf() { request_.command = command(3); }

    /// The stage takes 3 of 4 parts of the latency.
    std::string cause(Stage stage)
    {
        request_.times = {};
        request_.times[static_cast<std::size_t>(stage)] = microseconds(2100).value();
        request_.times[static_cast<std::size_t>(
            stage == Stage::Hil ? Stage::Link : Stage::Hil)] = microseconds(700).value();
        request_.ended = microseconds(2800);
        return cause_of(request_, CauseDevice::of(config_));
    }
    Facts& facts() { return request_.facts; }
    void die_was(Use use) { facts().die = {microseconds(2100), 9, use}; }
    void bus_was(Use use) { facts().bus = {microseconds(2100), 1, use}; }

    // 2 channels x 2 ways x 4 dies: die 9 is 1/0/1.
    config::Config config_ = tb::configured(tb::tiny_device(), {"geometry.dies=4"});
    WorstRequest request_;
};

TEST_F(CauseOf, NamesTheDieAndWhatItDid)
{
    die_was(Use::GcErase);
    EXPECT_EQ(cause(Stage::WaitDie),
              "waited 2.10 ms (75 %) for die 1/0/1, which was erasing for garbage collection");
    die_was(Use::HostProgram);
    EXPECT_EQ(cause(Stage::WaitDie),
              "waited 2.10 ms (75 %) for die 1/0/1, which was programming for the host");
    die_was(Use::HostRead);
    EXPECT_EQ(cause(Stage::WaitDie),
              "waited 2.10 ms (75 %) for die 1/0/1, which was reading for the host");
    die_was(Use::Free);
    EXPECT_EQ(cause(Stage::WaitDie), "waited 2.10 ms (75 %) behind earlier operations in the flash "
                                     "controller's queue while die 1/0/1 was free");
}

TEST_F(CauseOf, NamesTheChannelAndWhatItCarried)
{
    bus_was(Use::HostRead);
    EXPECT_EQ(cause(Stage::WaitBus),
              "waited 2.10 ms (75 %) for channel 1, which carried pages read for the host");
    bus_was(Use::GcProgram);
    EXPECT_EQ(cause(Stage::WaitBus),
              "waited 2.10 ms (75 %) for channel 1, which carried pages of garbage collection");
}

TEST_F(CauseOf, TellsWhyThereWasNoPageBuffer)
{
    facts().no_line = microseconds(2000);
    EXPECT_EQ(cause(Stage::Buffer), "waited 2.10 ms (75 %) for a page buffer: all were in use or "
                                    "on their way to flash");
    facts().no_line = microseconds(10);
    EXPECT_EQ(cause(Stage::Buffer), "waited 2.10 ms (75 %) in the buffer, where another request "
                                    "used its page, or for the core");
}

TEST_F(CauseOf, TellsOfFreeBlocksQueuesAndCores)
{
    facts().parked = true;
    EXPECT_EQ(cause(Stage::Ftl), "waited 2.10 ms (75 %) for a free block, until garbage collection "
                                 "had made room");
    EXPECT_EQ(cause(Stage::Sched), "waited 2.10 ms (75 %) in the queue of scheduler inorder");
    EXPECT_EQ(cause(Stage::Hil),
              "waited 2.10 ms (75 %) for the host interface layer and its core");
    facts().held = FW_HELD_BY_OVERLAP;
    EXPECT_EQ(cause(Stage::Hil),
              "waited 2.10 ms (75 %) for an earlier command that touches the same pages");
    facts().held = FW_HELD_BY_FLUSH;
    EXPECT_EQ(cause(Stage::Hil), "waited 2.10 ms (75 %) behind a FLUSH");
}

TEST_F(CauseOf, TellsOfArrayBusAndRetries)
{
    facts().flash = true;
    facts().op_die = 9;
    EXPECT_EQ(cause(Stage::Cell), "reading die 1/0/1 took 2.10 ms (75 %) of array time");
    facts().retries = 3;
    EXPECT_EQ(cause(Stage::Cell), "reading die 1/0/1 took 2.10 ms (75 %) of array time; its page "
                                  "was read again 3 times (read retry)");
    facts().retries = 0;
    facts().programmed = true;
    facts().failures = 1;
    EXPECT_EQ(cause(Stage::Cell), "programming die 1/0/1 took 2.10 ms (75 %) of array time; its "
                                  "flash operation failed once");
    facts().failures = 0;
    EXPECT_EQ(cause(Stage::Transfer), "its page took 2.10 ms (75 %) on channel 1");
}

TEST_F(CauseOf, SetsTheLinkAgainstItsOwnFrames)
{
    config_ = tb::configured(tb::tiny_device(), {"host.kind=sata", "sata.gbps=6"});
    // 4 KiB and a header: (1025 + 23) x 6718.75 ps = 7.04 us.
    EXPECT_EQ(cause(Stage::Link), "spent 2.10 ms (75 %) on the link, of which its own data needed "
                                  "7.04 us; frames of other commands went first");
}

// ---- of a whole device ----

TEST(Causes, OfADeviceFullOfCollectionNameIt)
{
    const tb::Device run(tb::tiny_device() +
                         "workload: {rw: randwrite, bs: 8192, requests: 4000}\n");
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_runs, 0u);
    const std::string cause = run.results()["worst"][0]["cause"];
    EXPECT_NE(cause.find("garbage collection"), std::string::npos) << cause;
}

TEST(Causes, OfReadsOnOneDieNameTheReadsBefore)
{
    const tb::Device run(tb::tiny_device() + "workload: {rw: randread, bs: 8192, requests: 400}\n",
                         {"geometry.channels=1", "geometry.ways=1", "geometry.dies=1"});
    run.expect_clean();
    const std::string cause = run.results()["worst"][0]["cause"];
    EXPECT_NE(cause.find("for die 0/0/0, which was reading for the host"), std::string::npos)
        << cause;
}

} // namespace
} // namespace tlmssd::probes
