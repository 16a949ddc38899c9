// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a segment port on one channel, and targets and clients that write down what they see.
#pragma once

#include <gtest/gtest.h>

#include "models/flash/segment_port.h"
#include "tb/flash/fake_dram.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {

using flash::Phase;
using flash::SegmentRequest;

/// Writes segments down; makes the LUN busy for `busy` after every one that ends in a confirm.
struct RecordingTarget final : onfi::TargetIf {
    explicit RecordingTarget(EventQueue& w, onfi::Channel& c, u32 number)
        : channel(c), ce(number), ready(w, [this] { channel.set_ready(ce, lun, true); },
                                        Priority::Array),
          event_queue(w)
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
            ready.timer.arm(event_queue.now() + busy);
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
    EventQueue& event_queue;
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
          port("port", event_queue, geometry, path, options),
          channel("channel", event_queue, 0, geometry, onfi::bus_timing(interface, 5),
                  options.ready),
          target(event_queue, channel, 0)
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
            run_for(event_queue, microseconds(1));
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
    EventQueue event_queue{"event_queue"};
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

/// FFh would take a DDR target back to SDR.
class PortOnNvDdr : public Port {
protected:
    PortOnNvDdr() : Port(1, {}, config::BusInterface::NvDdr) {}
};

/// Where operations may fail or dies die.
class PortWithFaults : public Port {
protected:
    PortWithFaults() : Port(1, {config::ReadySense::Lun, true}) {}
};

} // namespace tlmssd::tb
