// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a segment port whose bus takes no time (or a fixed one) and whose dies take whole units.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "models/flash/tlm/tlm_controller.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {

using flash::Phase;
using flash::SegmentRequest;

/// One unit is a microsecond: a read takes 1, a program 10, an erase 30, a RESET 5, features 2; to
/// suspend a program 2, an erase 3.
class UnitTimePort final : public flash::SegmentPortIf {
public:
    struct Seen {
        Picoseconds at;
        u32 channel;
        SegmentRequest request;
    };
    struct Wanted {
        Picoseconds at;
        u32 die;
        friend bool operator==(const Wanted& a, const Wanted& b)
        {
            return a.at == b.at && a.die == b.die;
        }
    };

    UnitTimePort(EventQueue& event_queue, const Geometry& geometry) : event_queue_(event_queue), geometry_(geometry)
    {
        for (u32 c = 0; c < geometry.channels; ++c) {
            buses_.push_back(std::make_unique<Agent>(event_queue, [this, c] { end(c); }, Priority::Bus));
            current_.emplace_back();
        }
        for (u32 d = 0; d < geometry.total_dies(); ++d) {
            dies_.push_back(std::make_unique<Agent>(event_queue, [this, d] { edge(d, true); },
                                                    Priority::Array));
            falls_.push_back(std::make_unique<Agent>(event_queue, [this, d] { edge(d, false); },
                                                     Priority::Array));
        }
        low_.resize(geometry.total_dies());
        ends_.resize(geometry.total_dies());
        left_.resize(geometry.total_dies(), kTimeNever);
        dead.resize(geometry.total_dies());
    }
    void bind(flash::SegmentClientIf& client) override { client_ = &client; }
    void start(u32 channel, const SegmentRequest& request) override
    {
        if (buses_[channel]->timer.armed()) {
            throw std::runtime_error("a segment on a busy channel");
        }
        seen.push_back({event_queue_.now(), channel, request});
        current_[channel] = request;
        buses_[channel]->timer.arm(event_queue_.now() + segment_time);
    }
    void wants(u32 channel, u32 ce, u32 lun) override
    {
        wanted.push_back({event_queue_.now(), geometry_.die_index_ce(channel, ce, lun)});
    }

    config::ReadySense ready = config::ReadySense::Lun;
    Picoseconds segment_time;  ///< of each segment
    Picoseconds landing_time;  ///< from the end of a burst out to its data in DRAM
    std::function<u8(const SegmentRequest&)> status = [](const SegmentRequest&) { return 0xe0; };
    /// What ECC says of a burst out; data_at counts from `landing_time` on.
    std::function<flash::SegmentResult(const SegmentRequest&)> ecc = [](const SegmentRequest&) {
        return flash::SegmentResult{};
    };
    /// Units that a die really takes where the data sheet says `units`.
    std::function<u64(u32 die, u64 units)> array = [](u32, u64 units) { return units; };
    /// From the end of a command to the fall of R/B#; the die's units count from there.
    std::function<Picoseconds(u32 die)> falls_after = [](u32) { return Picoseconds(); };
    std::vector<bool> dead; ///< by die: ignores everything, drives nothing
    std::vector<Seen> seen;
    std::vector<Wanted> wanted;

private:
    void end(u32 channel)
    {
        const SegmentRequest r = current_[channel];
        const u32 die = geometry_.die_index_ce(channel, r.ce, r.lun);
        flash::SegmentResult result;
        if (r.phase == Phase::DataOut) {
            result = ecc(r);
        } else if (r.phase == Phase::Status) {
            const u8 stopped = left_[die] != kTimeNever ? 0x04 : 0x00;
            result.status = dead[die]   ? u8{0xff}
                            : low_[die] ? u8{0x80}
                                        : static_cast<u8>(status(r) | stopped);
        }
        result.data_at += event_queue_.now() + landing_time;
        client_->on_segment_done(channel, result);
        if (r.phase == Phase::DataOut || r.phase == Phase::Status) {
            return;
        }
        const u32 first = geometry_.die_index_ce(channel, r.ce, 0);
        if (r.phase == Phase::Suspend) {
            suspend(die, r.opcode == FLASH_OP_ERASE ? 3 : 2);
        } else if (r.phase == Phase::Resume) {
            edge(die, false);
            ends_[die] = event_queue_.now() + left_[die];
            left_[die] = kTimeNever;
            dies_[die]->timer.arm(ends_[die]);
        } else if (r.phase == Phase::Feature) {
            busy(first + r.lun, 2);
        } else if (r.opcode == FLASH_OP_RESET) {
            for (u32 lun = 0; lun < geometry_.luns_per_ce(); ++lun) {
                busy(first + lun, 5 + lun); // the second LUN takes one unit longer
            }
        } else if (r.plane + 1 < r.nplanes) {
            busy(first + r.lun, 0);
        } else {
            const bool copies = r.opcode == FLASH_OP_COPYBACK; // read, then program
            busy(first + r.lun, r.opcode == FLASH_OP_READ || (copies && r.phase == Phase::Command) ? 1
                                : r.opcode == FLASH_OP_PROGRAM || copies ? 10
                                                               : 30);
        }
    }
    void busy(u32 die, u64 units)
    {
        if (dead[die]) {
            return;
        }
        const Picoseconds begin = event_queue_.now() + falls_after(die);
        if (begin == event_queue_.now()) {
            edge(die, false);
        } else {
            falls_[die]->timer.arm(begin);
        }
        ends_[die] = begin + microseconds(array(die, units));
        dies_[die]->timer.arm(ends_[die]);
    }
    /// No effect on a die that is ready.
    void suspend(u32 die, u64 units)
    {
        const Picoseconds at = event_queue_.now() + microseconds(units);
        if (dead[die] || !low_[die] || ends_[die] <= at) {
            return;
        }
        left_[die] = ends_[die] - event_queue_.now();
        dies_[die]->timer.arm(at);
    }
    void edge(u32 die, bool is_ready)
    {
        const u32 channel = die / geometry_.dies_per_channel();
        const u32 ce = die % geometry_.dies_per_channel() / geometry_.luns_per_ce();
        const u32 first = geometry_.die_index_ce(channel, ce, 0);
        const bool line_before = line(first);
        low_[die] = !is_ready;
        if (ready == config::ReadySense::Lun) {
            client_->on_ready(channel, ce, die - first, is_ready);
        } else if (ready == config::ReadySense::Target && line(first) != line_before) {
            client_->on_ready(channel, ce, flash::SegmentClientIf::kTargetLine, is_ready);
        }
    }
    bool line(u32 first) const
    {
        bool high = true;
        for (u32 i = 0; i < geometry_.luns_per_ce(); ++i) {
            high = high && !low_[first + i];
        }
        return high;
    }

    EventQueue& event_queue_;
    const Geometry& geometry_;
    flash::SegmentClientIf* client_ = nullptr;
    std::vector<std::unique_ptr<Agent>> buses_;
    std::vector<SegmentRequest> current_;
    std::vector<std::unique_ptr<Agent>> dies_;
    std::vector<std::unique_ptr<Agent>> falls_; ///< by die: the fall of R/B#
    std::vector<bool> low_; ///< R/B# at the die's pad
    std::vector<Picoseconds> ends_; ///< by die: of its array operation
    std::vector<Picoseconds> left_; ///< of what is suspended; never: nothing is
};

/// A TLM controller on such a port; writes down (time in units, tag, status) of completions.
class UnitTimeController : public flash::CompletionSinkIf {
public:
    struct End {
        u64 unit;
        flash_completion completion;
        Picoseconds at;
    };
    using Tweak = std::function<void(config::Config&)>;
    /// Typical times of the part are those of the port; tWB is 200 ns (SDR mode 0).
    UnitTimeController(const Geometry& g, config::ControllerMode mode, u32 tags = 64,
                       const Tweak& tweak = [](config::Config&) {})
        : geometry(g), port(event_queue, geometry), config(make(g, mode, tags, tweak)),
          controller("controller", event_queue, config.controller, config.geometry, config.onfi, config.nand, port)
    {
        port.ready = config.onfi.ready;
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
    void run(u64 units) { run_for(event_queue, microseconds(units)); }
    void on_flash_completion(const flash_completion& c) override
    {
        ended.push_back({event_queue.now().value() / 1000000, c, event_queue.now()});
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
    /// Completion of the operation with this tag, the first if it was used again.
    const End& end(u32 tag) const
    {
        for (const End& e : ended) {
            if (e.completion.tag == tag) {
                return e;
            }
        }
        throw std::runtime_error("tag " + std::to_string(tag) + " has not ended");
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
    EventQueue event_queue{"event_queue"};
    UnitTimePort port;
    const config::Config config;
    flash::TlmController controller;
    std::vector<End> ended;

private:
    static config::Config make(const Geometry& g, config::ControllerMode mode, u32 tags,
                               const Tweak& tweak)
    {
        config::Config c;
        c.geometry = g;
        c.controller.mode = mode;
        c.controller.tags = tags;
        c.nand.t_read = microseconds(1);
        c.nand.t_program = microseconds(10);
        c.nand.t_erase = microseconds(30);
        c.nand.t_reset_idle = microseconds(5);
        c.nand.t_feature = microseconds(2);
        c.nand.t_suspend_program = microseconds(2);
        c.nand.t_suspend_erase = microseconds(3);
        tweak(c);
        return c;
    }
    mutable u16 next_tag_ = 0;
};

} // namespace tlmssd::tb
