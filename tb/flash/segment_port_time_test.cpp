// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: times of segments, the late start of a burst in, statistics of channels and dies.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "tb/flash/segment_port_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

TEST_F(Port, CountsSegmentsByWhatTheyDo)
{
    send(request(Phase::Command, FLASH_OP_RESET));
    send(request(Phase::Status, FLASH_OP_RESET));
    target.status = 0x80;
    send(request(Phase::Status, FLASH_OP_RESET));
    target.status = 0xff;
    send(request(Phase::Status, FLASH_OP_RESET));
    const auto& s = port.channel_statistics(0);
    EXPECT_EQ(s.resets, 1u);
    EXPECT_EQ(s.status_reads, 3u);
    EXPECT_EQ(s.polls, 2u) << "busy, and no answer";
}

/// SDR mode 5: a program's 80h .. 10h takes 15 + 6 x 20 + 400 + 16 x 539 x 20 + 20 = 173,035 ns; a
/// status read 15 + 20 + tWHR 80 + 20 = 135 ns.
TEST_F(PortWithoutLines, TakesADieForBusyUntilAStatusReadSaysReady)
{
    send(request(Phase::DataIn, FLASH_OP_PROGRAM));
    run_for(event_queue, microseconds(500) - event_queue.now());
    target.status = 0x80;
    send(request(Phase::Status, FLASH_OP_PROGRAM));
    run_for(event_queue, microseconds(1000) - event_queue.now());
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).array, nanoseconds(1000000 - 173035));
    target.status = 0xe0;
    send(request(Phase::Status, FLASH_OP_PROGRAM));
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).array, nanoseconds(1000135 - 173035));
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).busy, nanoseconds(1000135));
}

struct PhaseLog final : flash::OperationObserverIf {
    void on_issue(u32, const flash_op&, Picoseconds) override {}
    void on_complete(u32, const flash_completion&, Picoseconds) override {}
    void on_phase(u32 tag, u32 channel, Phase phase, Picoseconds start, Picoseconds end) override
    {
        seen.emplace_back(tag, channel, phase, start, end);
    }
    std::vector<std::tuple<u32, u32, Phase, Picoseconds, Picoseconds>> seen;
};

TEST_F(Port, TellsAnObserverOfEachPhase)
{
    PhaseLog log;
    port.bind_observer(log);
    SegmentRequest r = request(Phase::Command, FLASH_OP_READ);
    r.tag = 9;
    const onfi::Segment s = send(r);
    EXPECT_THAT(log.seen, ElementsAre(std::tuple(9u, 0u, Phase::Command, s.start, s.end)));
}

TEST_F(Port, BringsTagsIntoDramAndTellsWhenTheyAreThere)
{
    dram.per_byte = Picoseconds(1000);
    SegmentRequest r = request(Phase::DataOut, FLASH_OP_READ, 0);
    r.buf = 8192;
    r.len = 8;
    const onfi::Segment s = send(r);
    // tCS + tRR + 8 x 539 x tRC; then 4096 B at 1 ns, then ECC
    EXPECT_EQ(s.end, nanoseconds(15 + 20 + 4312 * 20));
    EXPECT_EQ(client.data_at[0], s.end + nanoseconds(4096 + 500));
    EXPECT_EQ(dram.cells[2], (UnitTag{77, 1}));
}

/// tCS 15 + 6 x 20 + tADL 400 + 8640 x 20 + 20 = 173,355 ns on the bus.
TEST_F(Port, StartsABurstInAtOnceWhereDramKeepsUp)
{
    dram.per_byte = Picoseconds(20000); // 8192 B: 163,840 ns
    SegmentRequest r = request(Phase::DataIn, FLASH_OP_PROGRAM);
    r.oob = 0;
    const onfi::Segment s = send(r);
    EXPECT_EQ(s.start, Picoseconds(0));
    EXPECT_EQ(s.end, nanoseconds(173355));
}

TEST_F(Port, StartsABurstInSoLateThatItNeverWaitsForDram)
{
    dram.per_byte = Picoseconds(40000); // 8192 B: 327,680 ns
    SegmentRequest r = request(Phase::DataIn, FLASH_OP_PROGRAM);
    r.oob = 0;
    const onfi::Segment s = send(r);
    EXPECT_EQ(s.end, nanoseconds(327680));
    EXPECT_EQ(s.start, nanoseconds(327680 - 173355));
}

TEST_F(Port, RefusesASecondSegmentOnABusyChannel)
{
    port.start(0, request(Phase::Command, FLASH_OP_RESET));
    EXPECT_THROW(port.start(0, request(Phase::Command, FLASH_OP_RESET)), ModelError);
}

TEST_F(Port, CountsADiesTimeOfARead)
{
    target.busy = microseconds(50);
    const onfi::Segment command = send(request(Phase::Command, FLASH_OP_READ)); // 15 + 7 x 20
    run_for(event_queue, microseconds(60) - event_queue.now());
    const onfi::Segment burst = send(request(Phase::DataOut, FLASH_OP_READ)); // from 60 us on
    EXPECT_EQ(burst.start, microseconds(60));
    const auto& die = port.die_statistics(0, event_queue.now());
    EXPECT_EQ(die.array, microseconds(50));
    EXPECT_EQ(die.bus, nanoseconds(155) + (burst.end - burst.start));
    EXPECT_EQ(die.busy, burst.end - command.start);
    EXPECT_EQ(port.channel_statistics(0).page_reads, 1u);
}

TEST_F(Port, CountsADiesTimeOfATwoPlaneEraseUntilItIsReady)
{
    target.busy = microseconds(1);
    const onfi::Segment first = send(request(Phase::Command, FLASH_OP_ERASE, 0, 0, 2));
    run_for(event_queue, microseconds(5));
    target.busy = microseconds(3000);
    const onfi::Segment second = send(request(Phase::Command, FLASH_OP_ERASE, 4, 1, 2));
    run_for(event_queue, microseconds(4000));
    const Picoseconds ready = second.end + microseconds(3000);
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).busy, ready - first.start);
    const onfi::Segment status = send(request(Phase::Status, FLASH_OP_ERASE, 4, 1, 2));
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).array, microseconds(3001));
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).busy, ready - first.start)
        << "status is not the die's work";
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).bus,
              (first.end - first.start) + (second.end - second.start) + (status.end - status.start));
    EXPECT_EQ(port.channel_statistics(0).block_erases, 2u);
    EXPECT_THAT(client.edges,
                ElementsAre(std::tuple(0u, 0u, false), std::tuple(0u, 0u, true),
                            std::tuple(0u, 0u, false), std::tuple(0u, 0u, true)));
}

TEST_F(Port, CountsAProgram)
{
    target.busy = microseconds(900);
    const onfi::Segment s = send(request(Phase::DataIn, FLASH_OP_PROGRAM));
    run_for(event_queue, microseconds(1000));
    EXPECT_EQ(port.channel_statistics(0).page_programs, 1u);
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).busy, s.end + microseconds(900) - s.start);
}

} // namespace
} // namespace tlmssd::tb
