// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a segment port whose bus takes no time (or a fixed one) and whose dies take whole units.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "models/flash/tlm_controller.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {

using flash::Phase;
using flash::SegmentRequest;

/// One unit is a microsecond: a read takes 1, a program 10, an erase 30, a RESET 5.
class UnitTimePort final : public flash::SegmentPortIf {
public:
    struct Seen {
        Picoseconds at;
        u32 channel;
        SegmentRequest request;
    };

    UnitTimePort(EventWheel& wheel, const Geometry& geometry) : wheel_(wheel), geometry_(geometry)
    {
        for (u32 c = 0; c < geometry.channels; ++c) {
            buses_.push_back(std::make_unique<Agent>(wheel, [this, c] { end(c); }, Priority::Bus));
            current_.emplace_back();
        }
        for (u32 d = 0; d < geometry.total_dies(); ++d) {
            dies_.push_back(std::make_unique<Agent>(wheel, [this, d] { edge(d, true); },
                                                    Priority::Array));
        }
    }
    void bind(flash::SegmentClientIf& client) override { client_ = &client; }
    void start(u32 channel, const SegmentRequest& request) override
    {
        if (buses_[channel]->timer.armed()) {
            throw std::runtime_error("a segment on a busy channel");
        }
        seen.push_back({wheel_.now(), channel, request});
        current_[channel] = request;
        buses_[channel]->timer.arm(wheel_.now() + segment_time);
    }

    Picoseconds segment_time;  ///< of each segment
    Picoseconds landing_time;  ///< from the end of a burst out to its data in DRAM
    std::function<u8(const SegmentRequest&)> status = [](const SegmentRequest&) { return 0xe0; };
    std::vector<Seen> seen;

private:
    void end(u32 channel)
    {
        const SegmentRequest r = current_[channel];
        const bool status_read = r.phase == Phase::Status;
        client_->on_segment_done(channel, status_read ? status(r) : 0, wheel_.now() + landing_time);
        if (r.phase == Phase::DataOut || status_read) {
            return;
        }
        const u32 first = geometry_.die_index_ce(channel, r.ce, 0);
        if (r.opcode == FLASH_OP_RESET) {
            for (u32 lun = 0; lun < geometry_.luns_per_ce(); ++lun) {
                busy(first + lun, 5 + lun); // the second LUN takes one unit longer
            }
        } else if (r.plane + 1 < r.nplanes) {
            busy(first + r.lun, 0);
        } else {
            busy(first + r.lun, r.opcode == FLASH_OP_READ      ? 1
                                : r.opcode == FLASH_OP_PROGRAM ? 10
                                                               : 30);
        }
    }
    void busy(u32 die, u64 units)
    {
        edge(die, false);
        dies_[die]->timer.arm(wheel_.now() + microseconds(units));
    }
    void edge(u32 die, bool ready)
    {
        const u32 channel = die / geometry_.dies_per_channel();
        const u32 on_channel = die % geometry_.dies_per_channel();
        client_->on_ready(channel, on_channel / geometry_.luns_per_ce(),
                          on_channel % geometry_.luns_per_ce(), ready);
    }

    EventWheel& wheel_;
    const Geometry& geometry_;
    flash::SegmentClientIf* client_ = nullptr;
    std::vector<std::unique_ptr<Agent>> buses_;
    std::vector<SegmentRequest> current_;
    std::vector<std::unique_ptr<Agent>> dies_;
};

/// A TLM controller on such a port; writes down (time in units, tag, status) of completions.
class UnitTimeController : public flash::CompletionSinkIf {
public:
    struct End {
        u64 unit;
        flash_completion completion;
    };
    UnitTimeController(const Geometry& g, config::ControllerMode mode, u32 tags = 64)
        : geometry(g), port(wheel, geometry), config(make(mode, tags)),
          controller("controller", wheel, config, geometry, port)
    {
        controller.bind(*this);
    }
    flash_op op(u8 opcode, u32 channel, u32 lun = 0) const
    {
        flash_op o{};
        o.tag = next_tag_++;
        o.opcode = opcode;
        o.channel = static_cast<u8>(channel);
        o.lun = static_cast<u8>(lun);
        o.nplanes = 1;
        o.len[0] = 16;
        o.oob = FLASH_NO_OOB;
        o.cookie = 1000u + o.tag;
        return o;
    }
    void run(u64 units) { run_for(wheel, microseconds(units)); }
    void on_flash_completion(const flash_completion& c) override
    {
        ended.push_back({wheel.now().value() / 1000000, c});
    }
    void on_flash_space() override { ADD_FAILURE() << "it never refused"; }
    /// Unit at which the operation with this tag ended; ~0 if it has not.
    u64 end_of(u32 tag) const
    {
        for (const End& e : ended) {
            if (e.completion.tag == tag) {
                return e.unit;
            }
        }
        return ~u64{0};
    }
    std::vector<u64> ends(std::initializer_list<u32> tags) const
    {
        std::vector<u64> all;
        for (const u32 tag : tags) {
            all.push_back(end_of(tag));
        }
        return all;
    }

    Geometry geometry;
    EventWheel wheel{"wheel"};
    UnitTimePort port;
    config::Controller config;
    flash::TlmController controller;
    std::vector<End> ended;

private:
    static config::Controller make(config::ControllerMode mode, u32 tags)
    {
        config::Controller c;
        c.mode = mode;
        c.tags = tags;
        return c;
    }
    mutable u16 next_tag_ = 0;
};

} // namespace tlmssd::tb
