// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI bytes of every phase by hand, the late start of a burst in, statistics of dies.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/flash/segment_port.h"
#include "tb/flash/fake_dram.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

using flash::Phase;
using flash::SegmentRequest;
using testing::ElementsAre;
using testing::ElementsAreArray;

/// Writes segments down; makes the LUN busy for `busy` after every one that ends in a confirm.
struct RecordingTarget final : onfi::TargetIf {
    explicit RecordingTarget(EventWheel& w, onfi::Channel& c, u32 number)
        : channel(c), ce(number), ready(w, [this] { channel.set_ready(ce, lun, true); },
                                        Priority::Array),
          wheel(w)
    {
    }
    void on_write_protect(bool) override {}
    void on_segment(onfi::Segment& s) override
    {
        seen.push_back(s);
        if (s.direction == onfi::DataDirection::In) {
            register_bytes = s.data->bytes;
        }
        if (dead) {
            return;
        }
        if (s.direction == onfi::DataDirection::Out) {
            s.data->bytes[0] = status;
            s.data->tags[0] = {77, 1};
        } else if (busy != Picoseconds(0)) {
            channel.set_ready(ce, lun, false);
            ready.timer.arm(wheel.now() + busy);
        }
    }
    onfi::Channel& channel;
    u32 ce;
    u32 lun = 0;
    u8 status = 0xe0;
    Picoseconds busy;
    bool dead = false; ///< drives nothing
    std::array<u8, 16> register_bytes{};
    std::vector<onfi::Segment> seen;
    Agent ready;
    EventWheel& wheel;
};

struct RecordingClient final : flash::SegmentClientIf {
    void on_segment_done(u32, const flash::SegmentResult& result) override
    {
        status.push_back(result.status);
        data_at.push_back(result.data_at);
        lost.push_back(result.uncorrectable);
    }
    void on_ready(u32, u32 ce, u32 lun, bool r) override { edges.push_back({ce, lun, r}); }
    std::vector<u8> status;
    std::vector<Picoseconds> data_at;
    std::vector<bool> lost;
    std::vector<std::tuple<u32, u32, bool>> edges;
};

/// One channel with SDR mode 5: tCS 15, tWC = tRC 20, tADL 400, tWHR 80, tCCS 500, tRR 20 ns.
/// A module itself, because the port's sockets need one around them.
class Port : public testing::Test, public sc_core::sc_module {
protected:
    explicit Port(u32 dies = 1, const flash::SegmentPortOptions& options = {},
                  config::BusInterface interface = config::BusInterface::Sdr,
                  sc_core::sc_module_name module_name = "rig")
        : sc_module(module_name), geometry(flash_geometry(1, dies)),
          path(geometry, dram, controller_config(), inject),
          port("port", wheel, geometry, path, options),
          channel("channel", wheel, 0, geometry, onfi::bus_timing(interface, 5),
                  options.ready),
          target(wheel, channel, 0)
    {
        port.bind_channel(channel);
        channel.bind_target(0, target);
        port.bind(client);
    }
    static SegmentRequest request(Phase phase, u8 opcode, u32 row = 0, u8 plane = 0, u8 nplanes = 1)
    {
        SegmentRequest r;
        r.phase = phase;
        r.opcode = opcode;
        r.row = row;
        r.plane = plane;
        r.nplanes = nplanes;
        r.len = 16;
        return r;
    }
    /// Start, run to the end; gives the segment that the target saw.
    onfi::Segment send(const SegmentRequest& r)
    {
        const std::size_t before = target.seen.size();
        port.start(0, r);
        for (u32 i = 0; i < 1000 && target.seen.size() == before; ++i) {
            run_for(wheel, microseconds(1));
        }
        EXPECT_EQ(target.seen.size(), before + 1);
        return target.seen.back();
    }
    static std::vector<u32> cycles(const onfi::Segment& s)
    {
        return {s.bytes.begin(), s.bytes.begin() + s.lead + s.trail};
    }
    /// Positions of command cycles.
    static std::vector<u32> commands(const onfi::Segment& s)
    {
        std::vector<u32> at;
        for (u32 i = 0; i < u32{s.lead} + s.trail; ++i) {
            if (s.is_command(i)) {
                at.push_back(i);
            }
        }
        return at;
    }
    static config::Controller controller_config()
    {
        config::Controller c;
        c.ecc_latency = nanoseconds(500);
        return c;
    }
    Geometry geometry;
    config::Inject inject;
    FakeDram dram;
    EventWheel wheel{"wheel"};
    flash::DataPath path;
    flash::SegmentPort port;
    onfi::Channel channel;
    RecordingTarget target;
    RecordingClient client;
};

/// Two LUNs behind the chip enable: plane and LUN have to be chosen.
class PortWithLuns : public Port {
protected:
    explicit PortWithLuns(const flash::SegmentPortOptions& options = {}) : Port(2, options) {}
};

/// The same where operations may fail.
class PortWithLunsThatFail : public PortWithLuns {
protected:
    PortWithLunsThatFail() : PortWithLuns({config::ReadySense::Lun, true}) {}
};

/// No ready line at all.
class PortWithoutLines : public Port {
protected:
    PortWithoutLines() : Port(1, {config::ReadySense::Status, false}) {}
};

TEST_F(Port, SpeaksReadOfOnePlane)
{
    SegmentRequest r = request(Phase::Command, FLASH_OP_READ, 0x012345);
    r.col = 4; // column 4 x 539 = 2156 = 0x086c
    const onfi::Segment command = send(r);
    EXPECT_THAT(cycles(command), ElementsAre(0x00, 0x6c, 0x08, 0x45, 0x23, 0x01, 0x30));
    EXPECT_THAT(commands(command), ElementsAre(0, 6));
    EXPECT_EQ(command.direction, onfi::DataDirection::None);
    r.phase = Phase::DataOut;
    r.len = 3;
    const onfi::Segment burst = send(r);
    EXPECT_EQ(u32{burst.lead} + burst.trail, 0u) << "straight out of the register";
    EXPECT_EQ(burst.direction, onfi::DataDirection::Out);
    EXPECT_EQ(burst.data_bytes, 3u * 539);
}

TEST_F(Port, SpeaksReadOfTwoPlanes)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_READ, 0x11, 0, 2))),
                ElementsAre(0x00, 0, 0, 0x11, 0, 0, 0x32));
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_READ, 0x15, 1, 2))),
                ElementsAre(0x00, 0, 0, 0x15, 0, 0, 0x30));
    for (const u8 plane : {u8{0}, u8{1}}) {
        const u32 row = 0x11u + 4u * plane;
        SegmentRequest r = request(Phase::DataOut, FLASH_OP_READ, row, plane, 2);
        r.oob = 16u * plane;
        const onfi::Segment s = send(r);
        EXPECT_THAT(cycles(s), ElementsAre(0x06, 0, 0, row, 0, 0, 0xe0));
        EXPECT_THAT(commands(s), ElementsAre(0, 6));
        EXPECT_EQ(s.data_bytes, 16u * 539 + 16);
        EXPECT_EQ(s.trail, 0);
    }
}

TEST_F(Port, SpeaksProgram)
{
    for (const bool last : {false, true}) {
        SegmentRequest r = request(Phase::DataIn, FLASH_OP_PROGRAM, 0x21, last ? 1 : 0, 2);
        r.oob = 0;
        const onfi::Segment s = send(r);
        EXPECT_THAT(cycles(s), ElementsAre(0x80, 0, 0, 0x21, 0, 0, last ? 0x10 : 0x11));
        EXPECT_EQ(s.lead, 6);
        EXPECT_EQ(s.trail, 1);
        EXPECT_EQ(s.direction, onfi::DataDirection::In);
        EXPECT_EQ(s.data_bytes, 8640u);
    }
}

TEST_F(Port, SpeaksErase)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_ERASE, 0x30, 0, 2))),
                ElementsAre(0x60, 0x30, 0, 0, 0xd1));
    const onfi::Segment s = send(request(Phase::Command, FLASH_OP_ERASE, 0x34, 1, 2));
    EXPECT_THAT(cycles(s), ElementsAre(0x60, 0x34, 0, 0, 0xd0));
    EXPECT_THAT(commands(s), ElementsAre(0, 4));
}

TEST_F(Port, SpeaksResetAndStatus)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_RESET))), ElementsAre(0xff));
    target.status = 0xe1;
    const onfi::Segment s = send(request(Phase::Status, FLASH_OP_ERASE, 0x30));
    EXPECT_THAT(cycles(s), ElementsAre(0x70));
    EXPECT_EQ(s.data_bytes, 1u);
    EXPECT_THAT(client.status, ElementsAre(0, 0xe1));
}

TEST_F(PortWithLuns, ChoosesTheLunForDataAndStatus)
{
    const u32 row = 1u << 6 | 0x11; // LUN 1
    EXPECT_THAT(cycles(send(request(Phase::DataOut, FLASH_OP_READ, row))),
                ElementsAre(0x06, 0, 0, 0x51, 0, 0, 0xe0));
    const onfi::Segment s = send(request(Phase::Status, FLASH_OP_PROGRAM, row));
    EXPECT_THAT(cycles(s), ElementsAre(0x78, 0x51, 0, 0));
    EXPECT_THAT(commands(s), ElementsAre(0));
}

/// FFh would take a DDR target back to SDR.
class PortOnNvDdr : public Port {
protected:
    PortOnNvDdr() : Port(1, {}, config::BusInterface::NvDdr) {}
};

TEST_F(PortOnNvDdr, ResetsSynchronously)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_RESET))), ElementsAre(0xfc));
}

TEST_F(PortWithLunsThatFail, AsksForTheStatusOfAllPlanesOfAnOperation)
{
    const u32 row = 1u << 6 | 0x15; // LUN 1, plane 1
    EXPECT_THAT(cycles(send(request(Phase::Status, FLASH_OP_PROGRAM, row))),
                ElementsAre(0x78, 0x55, 0, 0));
    const onfi::Segment both = send(request(Phase::Status, FLASH_OP_PROGRAM, row, 1, 2));
    EXPECT_THAT(cycles(both), ElementsAre(0x78, 0x55, 0, 0, 0x70));
    EXPECT_THAT(commands(both), ElementsAre(0, 4));
}

TEST_F(PortWithLuns, SpeaksLunSetFeaturesForAReadRetryLevel)
{
    SegmentRequest r = request(Phase::Feature, FLASH_OP_READ, 1u << 6 | 0x11);
    r.lun = 1;
    r.level = 3;
    const onfi::Segment s = send(r);
    EXPECT_THAT(cycles(s), ElementsAre(0xd5, 1, 0x89));
    EXPECT_THAT(commands(s), ElementsAre(0));
    EXPECT_EQ(s.direction, onfi::DataDirection::In);
    EXPECT_EQ(s.data_bytes, 4u);
    EXPECT_TRUE(s.narrow);
    EXPECT_THAT(std::vector<u32>(target.register_bytes.begin(), target.register_bytes.begin() + 4),
                ElementsAre(3, 0, 0, 0));
    EXPECT_EQ(port.channel_statistics(0).features, 1u);
    EXPECT_EQ(port.channel_statistics(0).page_programs, 0u);
    EXPECT_TRUE(dram.transfers.empty());
}

TEST_F(Port, GoesBackFromStatusToDataOnlyWhereItHasTo)
{
    SegmentRequest r = request(Phase::DataOut, FLASH_OP_READ, 0x11);
    r.after_status = true;
    EXPECT_THAT(cycles(send(r)), ElementsAre(0x00));
    r.nplanes = 2;
    EXPECT_THAT(cycles(send(r)), ElementsAre(0x06, 0, 0, 0x11, 0, 0, 0xe0)) << "06h does it, too";
}

TEST_F(Port, SaysWhoseSegmentItIsAndWhichBytesAreNarrow)
{
    SegmentRequest r = request(Phase::Command, FLASH_OP_READ);
    r.tag = 42;
    EXPECT_EQ(send(r).owner, 42u);
    r.phase = Phase::DataOut;
    EXPECT_FALSE(send(r).narrow);
    r.phase = Phase::Status;
    EXPECT_TRUE(send(r).narrow);
}

/// Where operations may fail or dies die.
class PortWithFaults : public Port {
protected:
    PortWithFaults() : Port(1, {config::ReadySense::Lun, true}) {}
};

TEST_F(PortWithFaults, TakesABurstThatNobodyDrivesForLost)
{
    send(request(Phase::DataOut, FLASH_OP_READ));
    target.dead = true;
    SegmentRequest r = request(Phase::DataOut, FLASH_OP_READ);
    r.len = 8;
    send(r);
    send(request(Phase::Status, FLASH_OP_READ));
    EXPECT_TRUE(client.lost[1]) << "and not for the page before it";
    EXPECT_EQ(dram.cells[0], flash::kLostUnit);
    EXPECT_EQ(client.status[2], 0xff);
}

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
    run_for(wheel, microseconds(500) - wheel.now());
    target.status = 0x80;
    send(request(Phase::Status, FLASH_OP_PROGRAM));
    run_for(wheel, microseconds(1000) - wheel.now());
    EXPECT_EQ(port.die_statistics(0, wheel.now()).array, nanoseconds(1000000 - 173035));
    target.status = 0xe0;
    send(request(Phase::Status, FLASH_OP_PROGRAM));
    EXPECT_EQ(port.die_statistics(0, wheel.now()).array, nanoseconds(1000135 - 173035));
    EXPECT_EQ(port.die_statistics(0, wheel.now()).busy, nanoseconds(1000135));
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
    run_for(wheel, microseconds(60) - wheel.now());
    const onfi::Segment burst = send(request(Phase::DataOut, FLASH_OP_READ)); // from 60 us on
    EXPECT_EQ(burst.start, microseconds(60));
    const auto& die = port.die_statistics(0, wheel.now());
    EXPECT_EQ(die.array, microseconds(50));
    EXPECT_EQ(die.bus, nanoseconds(155) + (burst.end - burst.start));
    EXPECT_EQ(die.busy, burst.end - command.start);
    EXPECT_EQ(port.channel_statistics(0).page_reads, 1u);
}

TEST_F(Port, CountsADiesTimeOfATwoPlaneEraseUntilItIsReady)
{
    target.busy = microseconds(1);
    const onfi::Segment first = send(request(Phase::Command, FLASH_OP_ERASE, 0, 0, 2));
    run_for(wheel, microseconds(5));
    target.busy = microseconds(3000);
    const onfi::Segment second = send(request(Phase::Command, FLASH_OP_ERASE, 4, 1, 2));
    run_for(wheel, microseconds(4000));
    const Picoseconds ready = second.end + microseconds(3000);
    EXPECT_EQ(port.die_statistics(0, wheel.now()).busy, ready - first.start);
    const onfi::Segment status = send(request(Phase::Status, FLASH_OP_ERASE, 4, 1, 2));
    EXPECT_EQ(port.die_statistics(0, wheel.now()).array, microseconds(3001));
    EXPECT_EQ(port.die_statistics(0, wheel.now()).busy, ready - first.start)
        << "status is not the die's work";
    EXPECT_EQ(port.die_statistics(0, wheel.now()).bus,
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
    run_for(wheel, microseconds(1000));
    EXPECT_EQ(port.channel_statistics(0).page_programs, 1u);
    EXPECT_EQ(port.die_statistics(0, wheel.now()).busy, s.end + microseconds(900) - s.start);
}

} // namespace
} // namespace tlmssd::tb
