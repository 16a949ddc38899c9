// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: waiting for the bus by hand: another die of the package has it, or another package.
#include <gtest/gtest.h>

#include "models/flash/segment_port.h"
#include "tb/flash/fake_dram.h"
#include "tb/flash/unit_time_port.h"

namespace tlmssd::tb {
namespace {

struct SilentTarget final : onfi::TargetIf {
    void on_write_protect(bool) override {}
    void on_segment(onfi::Segment&) override {}
};
struct SilentClient final : flash::SegmentClientIf {
    void on_segment_done(u32, const flash::SegmentResult&) override {}
    void on_ready(u32, u32, u32, bool) override {}
};

/// Package 0 holds dies 0 and 1, package 1 dies 2 and 3. Every segment is an erase command in SDR
/// mode 5: tCS 15 + 5 x 20 = 115 ns.
class Contention : public testing::Test, public sc_core::sc_module {
protected:
    explicit Contention(sc_core::sc_module_name module_name = "rig")
        : sc_module(module_name), geometry(flash_geometry(1, 2).ways(2)), path(geometry, dram, {}, {}),
          port("port", event_queue, geometry, path),
          channel("channel", event_queue, 0, geometry, onfi::bus_timing(config::BusInterface::Sdr, 5))
    {
        port.bind_channel(channel);
        port.bind(client);
        for (u32 ce = 0; ce < 2; ++ce) {
            channel.bind_target(ce, target);
        }
    }
    void start(u32 die)
    {
        SegmentRequest r;
        r.opcode = FLASH_OP_ERASE;
        r.ce = static_cast<u8>(die / 2);
        r.lun = static_cast<u8>(die % 2);
        port.start(0, r);
    }
    void wants(u32 die) { port.wants(0, die / 2, die % 2); }
    void until(u64 ns) { run_for(event_queue, nanoseconds(ns) - event_queue.now()); }
    void expect(u32 die, u64 contention_ns, u64 channel_wait_ns)
    {
        EXPECT_EQ(port.die_statistics(die, event_queue.now()).contention, nanoseconds(contention_ns)) << die;
        EXPECT_EQ(port.die_statistics(die, event_queue.now()).channel_wait, nanoseconds(channel_wait_ns)) << die;
    }
    Geometry geometry;
    FakeDram dram;
    EventQueue event_queue{"event_queue"};
    flash::DataPath path;
    flash::SegmentPort port;
    onfi::Channel channel;
    SilentTarget target;
    SilentClient client;
};

// Die 1 0-115, die 2 115-230, die 3 230-345, then die 0, which has waited since 0: 115 ns for its
// own package, 230 ns for the other.
TEST_F(Contention, TellsTheOwnPackageFromTheOthers)
{
    start(1);
    wants(0);
    until(115);
    start(2);
    until(230);
    start(3);
    until(345);
    start(0);
    expect(0, 115, 230);
    for (const u32 die : {1u, 2u, 3u}) {
        expect(die, 0, 0);
    }
}

// Die 1 0-115, die 3 115-230, die 0 230-345. Die 0 wants the bus from 50, die 2 from 200 on: 65 and
// 115 ns; 30 ns of die 3, 115 of die 0.
TEST_F(Contention, CountsOnlyThePartOfASegmentThatWasWaitedFor)
{
    start(1);
    until(50);
    wants(0);
    until(115);
    start(3);
    until(200);
    wants(2);
    until(230);
    start(0);
    until(345);
    start(2);
    expect(0, 65, 115);
    expect(2, 30, 115);
}

TEST_F(Contention, DoesNotCountTimeInWhichTheBusStoodIdle)
{
    start(1);
    wants(0);
    until(1000);
    start(0);
    expect(0, 115, 0);
}

TEST_F(Contention, CountsNothingForWhoDoesNotWait)
{
    start(1);
    until(115);
    wants(0);
    start(0);
    until(230);
    start(0); // without saying so
    expect(0, 0, 0);
}

TEST_F(Contention, AddsUpWaits)
{
    for (u32 i = 0; i < 3; ++i) {
        until(300 * i);
        start(1);
        wants(0);
        wants(0); // once more changes nothing
        until(300 * i + 115);
        start(0);
        until(300 * i + 230);
    }
    expect(0, 3 * 115, 0);
}

// The controller's side, segments of 2 units: commands 0-2 and 2-4; LUN 0 ready at 3, burst 4-6; LUN 1
// ready at 5, burst 6-8. What finds the bus free does not have to want it.
TEST(ControllerWants, FromTheMomentItsDieCouldUseTheBus)
{
    UnitTimeController c(flash_geometry(1, 2), config::ControllerMode::InOrder);
    c.port.segment_time = microseconds(2);
    c.controller.submit(c.op(FLASH_OP_READ, 0, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 0, 1));
    c.run(50);
    EXPECT_EQ(c.port.wanted,
              (std::vector<UnitTimePort::Wanted>{{microseconds(0), 1},
                                                 {microseconds(3), 0},
                                                 {microseconds(5), 1}}));
    EXPECT_EQ(c.end_of(1), 8u);
}

struct OperationLog final : flash::OperationObserverIf {
    void on_issue(u32 tag, const flash_op& op, Picoseconds now) override
    {
        seen.emplace_back('i', tag, op.cookie, now.value() / 1000000);
    }
    void on_phase(u32, u32, Phase, Picoseconds, Picoseconds) override {}
    void on_complete(u32 tag, const flash_completion& completion, Picoseconds now) override
    {
        seen.emplace_back('c', tag, completion.status, now.value() / 1000000);
    }
    std::vector<std::tuple<char, u32, u32, u64>> seen; ///< what, tag, cookie or status, unit
};

// Program 0-10; the read waits for its LUN; an illegal operation has no issue.
TEST(ControllerObserver, SeesIssueAndCompletion)
{
    UnitTimeController c(flash_geometry(), config::ControllerMode::InOrder);
    OperationLog log;
    c.controller.bind_observer(log);
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.controller.submit(c.op(9, 0));
    c.run(50);
    EXPECT_EQ(log.seen, (std::vector<std::tuple<char, u32, u32, u64>>{
                            {'i', 0, 1000, 0},
                            {'c', 2, FLASH_STATUS_ILLEGAL, 0},
                            {'c', 0, FLASH_STATUS_OK, 10},
                            {'i', 1, 1001, 10},
                            {'c', 1, FLASH_STATUS_OK, 11}}));
}

} // namespace
} // namespace tlmssd::tb
