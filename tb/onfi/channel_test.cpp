// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the channel's occupancy, its order of calls and its statistics.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/onfi/channel.h"
#include "tb/onfi/bytes.h"

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
    Geometry geometry;
    time::EventWheel wheel{"wheel"};
    Channel channel{"channel", wheel, 3, with_two_ces(geometry),
                    onfi::bus_timing(config::BusInterface::Sdr, 5)};
    Master master{"master"};

    static const Geometry& with_two_ces(Geometry& g)
    {
        g.ways = 2;
        return g;
    }
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
        wheel.set_limit(wheel.now() + t);
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

} // namespace
} // namespace tlmssd::tb
