// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: segments of two RTL PHYs that end at one picosecond are told in the order in which they began.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "models/flash/pins/pin_phy.h"
#include "tb/rtl/phy_bench.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

config::Config two_channels()
{
    config::Config c = config_of({BusInterface::NvDdr, 5, 8});
    c.geometry.channels = 2;
    return c;
}

using End = std::pair<u32, u64>; ///< channel and time that the master has heard, in ps

/// One channel with a PHY and a target at its pins, and one segment. A module, for the socket.
class Side : public sc_core::sc_module {
public:
    tlm::tlm_initiator_socket<8, onfi::OnfiProtocol> socket{"socket"}; ///< nothing goes through it

    Side(sc_core::sc_module_name name, EventQueue& event_queue, u32 number, const config::Config& c,
         const onfi::BusTiming& timing, bool gated, onfi::BusMasterIf& master)
        : sc_module(name), channel("channel", event_queue, number, c.geometry, timing),
          phy("phy", event_queue, channel, c.geometry,
              flash::phy_setup(c.controller, c.geometry, c.onfi.ready, c.operations_fail(), timing), timing,
              c.data, gated, violations, flash::make_phy()),
          begin(event_queue, [this] { phy.start(request, segment); }, Priority::Clock)
    {
        socket.bind(backward_);
        socket.bind(channel.socket);
        channel.bind_target(kCe, target);
        channel.bind_master(master);
        phy.bind_target(kCe, target);
    }

    void start_at(Picoseconds at, const PhyCase& what)
    {
        request = what.request;
        segment = what.segment;
        begin.timer.arm(at);
    }

    struct Backward final : tlm::tlm_bw_transport_if<onfi::OnfiProtocol> {
        tlm::tlm_sync_enum nb_transport_bw(Segment&, tlm::tlm_phase&, sc_core::sc_time&) override
        {
            ADD_FAILURE() << "the channel never calls back through the socket";
            return tlm::TLM_COMPLETED;
        }
        void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    };

    onfi::ViolationLog violations;
    RecordingTarget target;
    onfi::Channel channel;
    flash::PinPhy phy;
    SegmentRequest request;
    Segment segment;
    Agent begin;

private:
    Backward backward_;
};

/// RESET (one cycle) and READ (00h C2R3 30h, seven) take different times and end together, with the READ on
/// `first`. Both PHYs have an edge then. Without gating the clock of channel 0 comes first at every edge.
class Tie : public testing::TestWithParam<bool>, public onfi::BusMasterIf {
public:
    void on_segment_end(u32 channel, Segment&) override { ends.emplace_back(channel, event_queue.now().value()); }
    void on_ready(u32, u32, u32, bool) override {}

protected:
    Tie()
    {
        for (u32 i = 0; i < 2; ++i) {
            const std::string name = "side" + std::to_string(i);
            sides[i] = std::make_unique<Side>(name.c_str(), event_queue, i, config, timing, GetParam(), *this);
        }
    }

    /// The common end.
    u64 run(u32 first)
    {
        const std::vector<PhyCase> all = phy_cases(true);
        const PhyCase& read = all[0];
        const PhyCase& reset = all[4];
        const Picoseconds from = microseconds(1);
        const Picoseconds end = from + onfi::segment_time(read.segment, timing);
        sides[first]->start_at(from, read);
        sides[1 - first]->start_at(end - onfi::segment_time(reset.segment, timing), reset);
        run_for(event_queue, microseconds(10));
        for (const auto& side : sides) {
            EXPECT_EQ(side->violations.count(), 0u);
        }
        EXPECT_THAT(sides[first]->target.cycles, testing::Contains("c 30"));
        EXPECT_THAT(sides[1 - first]->target.cycles, ElementsAre("c fc"));
        return end.value();
    }

    const config::Config config = two_channels();
    const onfi::BusTiming timing = onfi::bus_timing(config.onfi, config.nand);
    EventQueue event_queue{"event_queue"};
    std::array<std::unique_ptr<Side>, 2> sides;
    std::vector<End> ends;
};

TEST_P(Tie, TheFirstToBeginOnChannel0IsTheFirstToEnd)
{
    const u64 end = run(0);
    EXPECT_THAT(ends, ElementsAre(End{0, end}, End{1, end}));
}

TEST_P(Tie, TheFirstToBeginOnChannel1IsTheFirstToEnd)
{
    const u64 end = run(1);
    EXPECT_THAT(ends, ElementsAre(End{1, end}, End{0, end}));
}

INSTANTIATE_TEST_SUITE_P(Clock, Tie, testing::Bool(),
                         [](const auto& param) { return param.param ? "Gated" : "Free"; });

} // namespace
} // namespace tlmssd::tb
