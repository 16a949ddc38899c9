// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the LUNs of a CE#, its decoder and its faults, each without a target.
#include <gtest/gtest.h>

#include "models/nand/target/command_decoder.h"
#include "models/nand/target/fault_player.h"
#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

using nand::Access;
using nand::CommandDecoder;
using nand::Fault;
using nand::FaultKind;
using nand::FaultPlayer;
using nand::Features;
using nand::TargetLuns;
using nand::TimedLun;
using onfi::Rule;

/// Edges of R/B# as an observer of the channel sees them.
struct EdgeLog final : onfi::BusObserverIf {
    std::vector<Edge> edges;
    void on_observed(u32, const Segment&) override {}
    void on_ready_edge(u32, u32, u32 lun, bool ready, Picoseconds when) override
    {
        edges.push_back({when, lun, ready});
    }
};

/// Two LUNs of one CE# in NV-DDR2 mode 6: tCS 20, tWB 100 ns.
struct Parts : sc_core::sc_module, tlm::tlm_bw_transport_if<onfi::OnfiProtocol> {
    Geometry geometry = rig_geometry();
    config::Nand nand = rig_nand();
    time::EventQueue event_queue{"event_queue"};
    onfi::Channel channel;
    tlm::tlm_initiator_socket<8, onfi::OnfiProtocol> socket{"socket"};
    nand::PageStore store{geometry, config::DataKind::Tags};
    onfi::ViolationLog log;
    nand::Device device{store, nand, log};
    Features features{nand, config::BusInterface::NvDdr2, 6};
    TargetLuns luns;
    CommandDecoder decoder;
    EdgeLog edges;
    DataCells cells;

    explicit Parts(sc_core::sc_module_name module_name = "parts")
        : sc_module(module_name),
          channel("channel", event_queue, 0, geometry, onfi::bus_timing(config::BusInterface::NvDdr2, 6)),
          luns(event_queue, channel, 0, device, features), decoder(luns, features, device, 0)
    {
        socket.bind(*this);
        socket.bind(channel.socket);
        channel.bind_observer(edges);
    }
    tlm::tlm_sync_enum nb_transport_bw(Segment&, tlm::tlm_phase&, sc_core::sc_time&) override
    {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    void run_until(Picoseconds t)
    {
        event_queue.set_limit(t);
        sc_core::sc_start(sc_core::sc_time::from_value((t - event_queue.now()).value()));
        if (sc_core::sc_pending_activity_at_current_time()) { // held back: it falls on the end
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
    }
    /// The segment ends now; its cycles began `before` ago.
    void begin(Segment& s, Picoseconds before = {})
    {
        s.end = event_queue.now();
        s.start = s.end - before;
        luns.begin(s, channel.timing());
    }
    void send(Segment s)
    {
        begin(s);
        decoder.on_segment(s);
    }
    void expect_only(Rule rule, u32 lun)
    {
        ASSERT_EQ(log.count(), 1u);
        EXPECT_EQ(log.first()[0].rule, rule);
        EXPECT_EQ(log.first()[0].lun, lun);
    }
};

TEST(TargetLuns, NamesTheLunOfARowAndRefusesOthers)
{
    Parts p;
    TimedLun* lun = p.luns.addressed(p.luns.split(p.geometry.row(1, 0, 2, 3)));
    ASSERT_NE(lun, nullptr);
    EXPECT_EQ(lun->index(), 1u);
    EXPECT_EQ(TargetLuns::place(*lun, p.luns.split(p.geometry.row(1, 0, 2, 3))).die, 1u);
    EXPECT_EQ(p.luns.addressed({2, {}}), nullptr);
    p.expect_only(Rule::RowRange, 2);
}

TEST(TargetLuns, ABusyLunIsReportedAndASilentOneIsNot)
{
    Parts p;
    Segment s;
    p.begin(s);
    p.luns.occupy(&p.luns.all()[1], nand::ArrayOp::Feature, microseconds(1));
    EXPECT_TRUE(p.luns.accessible(p.luns.all()[0], Access::Array));
    EXPECT_FALSE(p.luns.all_ready());
    p.expect_only(Rule::LunBusy, 1);
    p.luns.all()[1].stop_answering();
    EXPECT_FALSE(p.luns.accessible(p.luns.all()[1], Access::Array));
    EXPECT_TRUE(p.luns.all_ready());
    EXPECT_EQ(p.log.count(), 1u);
}

TEST(TargetLuns, WriteProtectRefusesWithFail)
{
    Parts p;
    EXPECT_FALSE(p.luns.protected_from(p.luns.all()[0], 0));
    p.luns.set_protected(true);
    EXPECT_TRUE(p.luns.protected_from(p.luns.all()[0], 0));
    p.expect_only(Rule::WriteProtected, 0);
}

// Busy from the confirm cycle on, ready tWB 100 ns + tFEAT 1 us after it.
TEST(TimedLun, PullsReadyBusyForItsTime)
{
    Parts p;
    Segment s;
    p.begin(s);
    p.features.request(onfi::feature::kTimingMode, {0x23, 0, 0, 0}); // NV-DDR2 mode 3
    p.luns.occupy(&p.luns.all()[1], nand::ArrayOp::Feature, microseconds(1));
    EXPECT_EQ(p.features.mode(), 6u);
    p.run_until(microseconds(2));
    ASSERT_EQ(p.edges.edges.size(), 2u);
    EXPECT_FALSE(p.edges.edges[0].ready);
    EXPECT_EQ(p.edges.edges[0].lun, 1u);
    EXPECT_TRUE(p.edges.edges[1].ready);
    EXPECT_EQ(p.edges.edges[1].when, nanoseconds(1100));
    EXPECT_EQ(p.features.mode(), 3u);
}

// RDY is the line's: high until it falls, tWB after the command.
TEST(TimedLun, StatusShowsReadyUntilTheLineFalls)
{
    Parts p;
    p.nand.ready_falls = config::ReadyFalls::Max;
    Segment s;
    p.begin(s);
    const TimedLun& lun = p.luns.all()[1];
    p.luns.occupy(&p.luns.all()[1], nand::ArrayOp::Feature, microseconds(1));
    EXPECT_TRUE(lun.lun.busy());
    EXPECT_EQ(lun.status(nand::Lun::kAllPlanes), 0xe0);
    EXPECT_TRUE(p.edges.edges.empty());
    p.run_until(kTwb);
    EXPECT_EQ(lun.status(nand::Lun::kAllPlanes), 0x80);
    ASSERT_EQ(p.edges.edges.size(), 1u);
    EXPECT_EQ(p.edges.edges[0].when, kTwb);
}

// Before the line has fallen it does not rise either.
TEST(TimedLun, ALineThatHasNotFallenStaysHighWhenTheSupplyIsCut)
{
    Parts p;
    p.nand.ready_falls = config::ReadyFalls::Max;
    Segment s;
    p.begin(s);
    p.luns.occupy(nullptr, nand::ArrayOp::Feature, microseconds(1));
    p.luns.all()[0].power_off(p.event_queue.now());
    p.luns.all()[1].stop_answering();
    p.run_until(microseconds(2));
    p.luns.all()[1].answer_again(p.event_queue.now());
    EXPECT_TRUE(p.edges.edges.empty());
}

TEST(TimedLun, PowerOffMakesItReadyAtOnce)
{
    Parts p;
    Segment s;
    p.begin(s);
    p.luns.occupy(nullptr, nand::ArrayOp::Feature, microseconds(1));
    p.luns.all()[0].power_off(p.event_queue.now());
    EXPECT_FALSE(p.luns.all()[0].lun.busy());
    EXPECT_TRUE(p.luns.all()[1].lun.busy());
    ASSERT_EQ(p.edges.edges.size(), 3u);
    EXPECT_TRUE(p.edges.edges[2].ready);
}

TEST(CommandDecoder, ReadsAPageOfTheNamedLun)
{
    Parts p;
    p.send(read_command(p.geometry.row(1, 0, 0, 0)));
    EXPECT_TRUE(p.luns.all()[1].lun.busy());
    EXPECT_FALSE(p.luns.all()[0].lun.busy());
    EXPECT_EQ(&p.luns.selected(), &p.luns.all()[1]);
    p.run_until(nanoseconds(100) + microseconds(50));
    EXPECT_FALSE(p.luns.all()[1].lun.busy());
    EXPECT_EQ(p.log.count(), 0u);
}

TEST(CommandDecoder, AConfirmWithoutItsOpenerHasNoEffect)
{
    Parts p;
    p.send(lone_command(0x30));
    p.expect_only(Rule::CommandSequence, 0);
    EXPECT_TRUE(p.edges.edges.empty());
}

TEST(CommandDecoder, DeliversTheIdThenTheStatusThenTheIdAgain)
{
    Parts p;
    p.send(read_id(0, 2, p.cells)); // 2c 88 04 4b a9 00
    EXPECT_EQ(p.cells.bytes[0], 0x2c);
    EXPECT_EQ(p.cells.bytes[1], 0x88);
    p.send(read_status(p.cells));
    EXPECT_EQ(p.cells.bytes[0], 0xe0); // ready, array ready, not protected
    p.send(lone_command(0x00));
    p.send(register_out(1, p.cells));
    EXPECT_EQ(p.cells.bytes[0], 0x04);
    EXPECT_EQ(p.log.count(), 0u);
}

TEST(CommandDecoder, ResetEndsTheSequenceAndTheInterface)
{
    Parts p;
    p.send(open_program(0, 0, 0, p.cells));
    p.send(lone_command(0xff));
    EXPECT_EQ(p.features.interface(), config::BusInterface::Sdr);
    EXPECT_EQ(p.edges.edges.size(), 2u);
    EXPECT_EQ(p.log.count(), 0u);
}

TEST(FaultPlayer, TakesTheFaultsOfItsLunsAtTheirTimes)
{
    Parts p;
    const std::vector<Fault> faults = {{microseconds(1), FaultKind::StopsAnswering, 1, 0, 0},
                                       {microseconds(2), FaultKind::StopsAnswering, 2, 0, 0},
                                       {microseconds(3), FaultKind::AnswersAgain, 1, 0, 0}};
    FaultPlayer player(p.event_queue, faults, p.luns.all());
    EXPECT_EQ(player.left(), 2u); // die 2 is of another CE#
    player.start();
    p.run_until(nanoseconds(999));
    EXPECT_FALSE(p.luns.all()[1].silent());
    p.run_until(microseconds(1));
    EXPECT_TRUE(p.luns.all()[1].silent());
    EXPECT_FALSE(p.luns.all()[0].silent());
    p.run_until(microseconds(3));
    EXPECT_FALSE(p.luns.all()[1].silent());
    EXPECT_EQ(player.left(), 0u);
}

TEST(FaultPlayer, PlaysNothingWithoutFaults)
{
    Parts p;
    FaultPlayer player(p.event_queue, {}, p.luns.all());
    player.start();
    p.run_until(microseconds(1));
    EXPECT_EQ(player.left(), 0u);
}

} // namespace
} // namespace tlmssd::tb
