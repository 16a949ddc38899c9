// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the channel's occupancy, its order of calls and its statistics.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/onfi/bus/channel.h"
#include "tb/onfi/bytes.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using onfi::Channel;

struct Master : sc_core::sc_module,
                tlm::tlm_bw_transport_if<onfi::OnfiProtocol>,
                onfi::BusMasterIf,
                onfi::BusObserverIf,
                onfi::TargetIf {
    tlm::tlm_initiator_socket<8, onfi::OnfiProtocol> socket;
    std::vector<std::string> calls;
    bool bus_free_at_end = false;
    Channel* channel = nullptr;

    explicit Master(sc_core::sc_module_name n) : sc_module(n), socket("socket")
    {
        socket.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_bw(Segment&, tlm::tlm_phase&, sc_core::sc_time&) override
    {
        ADD_FAILURE() << "the channel never calls back through the socket";
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void on_segment(Segment&) override { calls.emplace_back("target"); }
    void on_write_protect(bool protect) override
    {
        calls.emplace_back(protect ? "protect" : "unprotect");
    }
    void on_observed(u32, const Segment&) override { calls.emplace_back("observer"); }
    void on_segment_end(u32, Segment&) override
    {
        calls.emplace_back("master");
        bus_free_at_end = !channel->busy();
    }
    void on_ready_edge(u32, u32, u32, bool, Picoseconds) override { calls.emplace_back("edge"); }
    void on_ready(u32, u32 ce, u32 lun, bool ready) override
    {
        calls.push_back("ready " + std::to_string(ce) + "/" + std::to_string(lun) +
                        (ready ? "+" : "-"));
    }
};

struct ChannelTest : testing::Test {
    Geometry geometry = make_geometry().ways(2);
    time::EventQueue event_queue{"event_queue"};
    Channel channel{"channel", event_queue, 3, geometry,
                    onfi::bus_timing(config::BusInterface::Sdr, 5)};
    Master master{"master"};

    ChannelTest()
    {
        master.channel = &channel;
        master.socket.bind(channel.socket);
        channel.bind_target(0, master);
        channel.bind_master(master);
        channel.bind_observer(master);
    }
    Picoseconds send(Segment& s)
    {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        EXPECT_EQ(master.socket->nb_transport_fw(s, phase, delay), tlm::TLM_COMPLETED);
        return Picoseconds(delay.value());
    }
    void run_for(Picoseconds t)
    {
        event_queue.set_limit(event_queue.now() + t);
        sc_core::sc_start(sc_core::sc_time::from_value(t.value()));
        if (sc_core::sc_pending_activity_at_current_time()) { // held back: it falls on the end
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
    }
};

TEST_F(ChannelTest, TellsTargetThenObserverThenMasterAtTheEnd)
{
    Segment s = read_command(0);
    EXPECT_EQ(send(s), nanoseconds(155));
    EXPECT_EQ(s.start, nanoseconds(0));
    EXPECT_EQ(s.end, nanoseconds(155));
    run_for(Picoseconds(154999));
    EXPECT_TRUE(master.calls.empty());
    EXPECT_TRUE(channel.busy());
    run_for(Picoseconds(1));
    EXPECT_EQ(master.calls, (std::vector<std::string>{"target", "observer", "master"}));
    EXPECT_TRUE(master.bus_free_at_end);
}

TEST_F(ChannelTest, BusyBusIsAModelErrorThatNamesTheChannel)
{
    Segment s = read_command(0);
    send(s);
    Segment second = read_command(0);
    try {
        send(second);
        FAIL();
    } catch (const ModelError& e) {
        EXPECT_NE(std::string(e.what()).find("channel"), std::string::npos);
    }
}

TEST_F(ChannelTest, UnboundChipEnableIsAModelError)
{
    Segment s = read_command(0);
    s.ce = 1;
    EXPECT_THROW(send(s), ModelError);
    s.ce = 2;
    EXPECT_THROW(send(s), ModelError);
}

TEST_F(ChannelTest, CommandAfterBurstOutWaitsForTurnaround)
{
    DataCells cells;
    Segment out = direct_out(100, cells); // 15 + 20 + 2000 = 2035
    send(out);
    run_for(nanoseconds(2035));
    Segment command = read_command(0);
    // First cycle not before 2035 + tRHW 100; CE# to first cycle would be 15: 85 more than 155.
    EXPECT_EQ(send(command), nanoseconds(155 + 85));
    run_for(nanoseconds(240));
    Segment late = read_command(0);
    EXPECT_EQ(send(late), nanoseconds(155));
}

TEST_F(ChannelTest, SecondBurstOutNeedsNoTurnaround)
{
    DataCells cells;
    Segment out = direct_out(100, cells);
    send(out);
    run_for(nanoseconds(2035));
    Segment again = direct_out(100, cells);
    EXPECT_EQ(send(again), nanoseconds(2035));
}

TEST_F(ChannelTest, CountsTimeAndBytes)
{
    DataCells cells;
    Segment in = program(0, 0, 50, cells); // 15 + 140 + 400 + 1000 = 1555
    send(in);
    run_for(nanoseconds(2000));
    Segment out = direct_out(30, cells); // 15 + 20 + 600 = 635
    send(out);
    run_for(nanoseconds(2000));
    EXPECT_EQ(channel.statistics().segments, 2u);
    EXPECT_EQ(channel.statistics().bytes_in, 50u);
    EXPECT_EQ(channel.statistics().bytes_out, 30u);
    EXPECT_EQ(channel.statistics().busy, nanoseconds(2190));
    channel.reset_statistics();
    EXPECT_EQ(channel.statistics().segments, 0u);
}

TEST_F(ChannelTest, ForwardsReadyEdges)
{
    channel.set_ready(1, 2, false);
    channel.set_ready(1, 2, true);
    EXPECT_EQ(master.calls, (std::vector<std::string>{"edge", "ready 1/2-", "edge", "ready 1/2+"}));
}

/// An observer that also takes down when segments start, and their times.
struct Watcher final : onfi::BusObserverIf {
    std::vector<std::string>& calls;
    std::string name;
    Watcher(std::vector<std::string>& c, std::string n) : calls(c), name(std::move(n)) {}
    void on_started(u32 index, const Segment& s) override
    {
        calls.push_back(name + " started " + std::to_string(index) + " " +
                        std::to_string(s.end.value()));
        started_timing = s.timing;
    }
    void on_observed(u32, const Segment&) override { calls.push_back(name + " observed"); }
    void on_ready_edge(u32, u32, u32 lun, bool ready, Picoseconds) override
    {
        calls.push_back(name + " lun " + std::to_string(lun) + (ready ? "+" : "-"));
    }
    const onfi::BusTiming* started_timing = nullptr;
};

TEST_F(ChannelTest, ObserversAreToldInOrderOfBindingAtStartAndEnd)
{
    Watcher second(master.calls, "second");
    Watcher third(master.calls, "third");
    Watcher ends(master.calls, "ends only");
    channel.bind_observer(second);
    channel.bind_observer(third);
    channel.bind_observer(ends, false);
    Segment s = read_command(0); // tCS 15 + 7 x 20
    send(s);
    const std::vector<std::string> started{"second started 3 155000", "third started 3 155000"};
    EXPECT_EQ(master.calls, started);
    EXPECT_EQ(second.started_timing, &channel.timing(0));
    master.calls.clear();
    run_for(nanoseconds(155));
    const std::vector<std::string> ended{"target", "observer", "second observed", "third observed",
                                         "ends only observed", "master"};
    EXPECT_EQ(master.calls, ended);
}

TEST_F(ChannelTest, NewTimingHoldsForItsChipEnableOnly)
{
    channel.bind_target(1, master);
    channel.set_timing(1, onfi::bus_timing(config::BusInterface::Sdr, 4));
    Segment slow = read_command(0);
    slow.ce = 1;
    EXPECT_EQ(send(slow), nanoseconds(20 + 7 * 25));
    EXPECT_EQ(slow.timing->sheet.mode, 4u);
    run_for(nanoseconds(195));
    Segment fast = read_command(0);
    EXPECT_EQ(send(fast), nanoseconds(15 + 7 * 20));
    EXPECT_EQ(fast.timing->sheet.mode, 5u);
    run_for(nanoseconds(155));
    channel.set_timing(1, onfi::bus_timing(config::BusInterface::NvDdr, 5));
    Segment clocked = read_command(0);
    clocked.ce = 1;
    EXPECT_EQ(send(clocked), nanoseconds(15 + 7 * 45));
    EXPECT_EQ(channel.timing().sheet.mode, 5u); // as built
    EXPECT_EQ(channel.timing(1).sheet.interface, config::BusInterface::NvDdr);
}

TEST_F(ChannelTest, TurnaroundIsThatOfTheBurstsTiming)
{
    channel.bind_target(1, master);
    channel.set_timing(1, onfi::bus_timing(config::BusInterface::Sdr, 0)); // tRHW 200
    DataCells cells;
    Segment out = direct_out(1, cells); // tCS 70 + tRR 40 + tRC 100
    out.ce = 1;
    EXPECT_EQ(send(out), nanoseconds(210));
    run_for(nanoseconds(210));
    Segment command = read_command(0); // mode 5: first cycle at +200 instead of at +15
    EXPECT_EQ(send(command), nanoseconds(155 + 185));
}

TEST_F(ChannelTest, TimingCannotChangeUnderASegment)
{
    channel.bind_target(1, master);
    Segment s = read_command(0);
    send(s);
    const onfi::BusTiming other = onfi::bus_timing(config::BusInterface::Sdr, 1);
    EXPECT_THROW(channel.set_timing(0, other), ModelError);
    EXPECT_NO_THROW(channel.set_timing(1, other));
}

TEST_F(ChannelTest, WriteProtectReachesTheTarget)
{
    channel.set_write_protect(0, true);
    channel.set_write_protect(0, false);
    EXPECT_EQ(master.calls, (std::vector<std::string>{"protect", "unprotect"}));
    EXPECT_THROW(channel.set_write_protect(1, true), ModelError); // nobody there
}

TEST_F(ChannelTest, CountsTimeInWhichBytesMove)
{
    DataCells cells;
    Segment in = program(0, 0, 50, cells);
    send(in);
    run_for(nanoseconds(2000));
    Segment out = direct_out(30, cells);
    send(out);
    run_for(nanoseconds(2000));
    EXPECT_EQ(channel.statistics().bursts, nanoseconds(50 * 20 + 30 * 20));
}

TEST_F(ChannelTest, BusyTimeOfAChipEnableGrowsWhileItsSegmentRuns)
{
    channel.bind_target(1, master);
    Segment s = read_command(0); // 155 ns
    send(s);
    run_for(nanoseconds(100));
    EXPECT_EQ(channel.busy_of(0), nanoseconds(100));
    EXPECT_EQ(channel.busy_of(1), nanoseconds(0));
    run_for(nanoseconds(100));
    EXPECT_EQ(channel.busy_of(0), nanoseconds(155));
    Segment other = read_command(0);
    other.ce = 1;
    send(other);
    run_for(nanoseconds(155));
    EXPECT_EQ(channel.busy_of(0), nanoseconds(155));
    EXPECT_EQ(channel.busy_of(1), nanoseconds(155));
}

/// Two LUNs of CE 1 whose R/B# overlap: low 0, low 1, high 0, high 1.
void overlap(Channel& channel)
{
    channel.set_ready(1, 0, false);
    channel.set_ready(1, 1, false);
    channel.set_ready(1, 0, true);
    channel.set_ready(1, 1, true);
}

struct SharedLine : testing::Test {
    Geometry geometry = make_geometry().ways(2);
    time::EventQueue event_queue{"event_queue"};
    Master master{"master"};
    Watcher watcher{master.calls, "pad"};

    void bind(Channel& channel)
    {
        master.socket.bind(channel.socket);
        channel.bind_master(master);
        channel.bind_observer(watcher);
    }
};

TEST_F(SharedLine, MasterSeesTheWiredAndAndObserversEachLun)
{
    Channel channel("channel", event_queue, 0, geometry, onfi::bus_timing(config::BusInterface::Sdr, 5),
                    config::ReadySense::Target);
    bind(channel);
    overlap(channel);
    EXPECT_EQ(master.calls,
              (std::vector<std::string>{"pad lun 0-", "ready 1/255-", "pad lun 1-", "pad lun 0+",
                                        "pad lun 1+", "ready 1/255+"}));
}

TEST_F(SharedLine, RepeatedLevelIsNoEdge)
{
    Channel channel("channel", event_queue, 0, geometry, onfi::bus_timing(config::BusInterface::Sdr, 5),
                    config::ReadySense::Target);
    bind(channel);
    channel.set_ready(1, 0, false);
    channel.set_ready(1, 0, false); // a reset while busy
    EXPECT_FALSE(channel.ready(1));
    EXPECT_TRUE(channel.ready(0));
    channel.set_ready(1, 0, true);
    EXPECT_TRUE(channel.ready(1));
    EXPECT_EQ(master.calls, (std::vector<std::string>{"pad lun 0-", "ready 1/255-", "pad lun 0-",
                                                      "pad lun 0+", "ready 1/255+"}));
}

TEST_F(SharedLine, StatusPollingHasNoLineAtAll)
{
    Channel channel("channel", event_queue, 0, geometry, onfi::bus_timing(config::BusInterface::Sdr, 5),
                    config::ReadySense::Status);
    bind(channel);
    overlap(channel);
    EXPECT_EQ(master.calls, (std::vector<std::string>{"pad lun 0-", "pad lun 1-", "pad lun 0+",
                                                      "pad lun 1+"}));
}

} // namespace
} // namespace tlmssd::tb
