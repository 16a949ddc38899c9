// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one channel driven at the flash seam: every die always has the next operation waiting.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "models/config/config.h"
#include "models/flash/segment_port.h"
#include "models/flash/tlm/tlm_controller.h"
#include "models/interfaces/dram_if.h"
#include "models/nand/target/target.h"
#include "models/onfi/checker/checker.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {

/// DRAM that takes no time; every page buffer is the same one.
struct InstantDram final : FlashDramIf {
    UnitTag* tags(u32) override { return cells.data(); }
    Picoseconds transfer(Picoseconds now, const DramAccess&) override { return now; }
    u8* oob(u32) override { return record.data(); }
    std::array<UnitTag, 16> cells{};
    std::array<u8, kOobBytes> record{};
};

/// Channel 0 of a configuration with its targets, the checker and the in-order controller. Two
/// operations for each LUN are inside at any time, dealt out round robin over ways, then LUNs;
/// each operation works on `planes` planes.
class Lane final : public sc_core::sc_module, public flash::CompletionSinkIf {
public:
    struct Load {
        u8 opcode = FLASH_OP_READ;
        u32 planes = 1;
        u8 sectors = 16; ///< of each page; reads only
        u32 operations = 400;
    };

    Lane(sc_core::sc_module_name module_name, EventQueue& event_queue, const config::Config& c,
         const Load& l)
        : sc_module(module_name), config(one_channel(c)), load(l), event_queue_(event_queue),
          path_(config.geometry, dram_, config.controller, config.inject),
          port_("port", event_queue, config.geometry, path_, flash::SegmentPortOptions::of(config)),
          channel_("channel", event_queue, 0, config.geometry, onfi::bus_timing(config.onfi, config.nand),
                   config.onfi.ready),
          store_(config.geometry), device_(store_, config.nand, log_, config.seed),
          checker_(config.geometry, config.onfi, config.nand),
          controller_("controller", event_queue, config.controller, config.geometry, config.onfi, config.nand, port_)
    {
        port_.bind_channel(channel_);
        channel_.bind_observer(checker_);
        for (u32 ce = 0; ce < config.geometry.ces_per_channel(); ++ce) {
            targets_.push_back(std::make_unique<nand::Target>(
                sc_core::sc_gen_unique_name("target"), event_queue, channel_, ce, device_));
            channel_.bind_target(ce, *targets_.back());
        }
        controller_.bind(*this);
        if (load.opcode == FLASH_OP_READ) {
            fill();
        }
    }

    void start()
    {
        for (u32 i = 0; i < 2 * dies(); ++i) {
            submit();
        }
    }
    bool done() const { return ends_.size() >= load.operations; }
    u32 dies() const { return config.geometry.dies_per_channel(); }

    /// Time of one operation while all dies have work: from about a third of the run to the last
    /// operation but two rounds, a whole number of rounds over the dies.
    double period_ps() const
    {
        const std::size_t rounds = ends_.size() / 2 / dies();
        const std::size_t last = ends_.size() - 1 - 3 * dies();
        const std::size_t first = last - rounds * dies();
        return static_cast<double>((ends_[last] - ends_[first]).value()) /
               static_cast<double>(rounds * dies());
    }
    /// Page data, 10^6 bytes a second.
    double mb_per_s() const
    {
        return load.planes * load.sectors * double{kSectorBytes} / period_ps() * 1e6;
    }
    void expect_clean() const
    {
        EXPECT_EQ(log_.count(), 0u) << (log_.count() ? onfi::to_string(log_.first()[0]) : "");
        EXPECT_EQ(checker_.violations(), 0u)
            << (checker_.violations() ? onfi::to_string(checker_.log().first()[0]) : "");
        EXPECT_EQ(failed_, 0u);
    }

    const config::Config config;
    const Load load;

private:
    static config::Config one_channel(config::Config c)
    {
        c.geometry.channels = 1;
        return c;
    }
    /// Every page of the first block of every plane holds something.
    void fill()
    {
        const Geometry& g = config.geometry;
        for (u32 die = 0; die < g.total_dies(); ++die) {
            for (u32 plane = 0; plane < g.planes; ++plane) {
                for (u32 page = 0; page < g.pages; ++page) {
                    store_.program({die, plane, 0, page}, dram_.cells.data(), dram_.record.data());
                }
                checker_.learn(die, plane, 0, g.pages);
            }
        }
    }
    void submit()
    {
        const Geometry& g = config.geometry;
        const u32 way = submitted_ % g.ways;
        const u32 die = submitted_ / g.ways % g.dies;
        const u32 round = submitted_ / dies(); // of this die
        flash_op op{};
        op.tag = static_cast<u16>(submitted_ % (2 * dies()));
        op.opcode = load.opcode;
        op.ce = static_cast<u8>(way * g.chip_enables + die / g.luns_per_ce());
        op.lun = static_cast<u8>(die % g.luns_per_ce());
        op.nplanes = static_cast<u8>(load.planes);
        op.oob = FLASH_NO_OOB;
        const bool whole = load.opcode != FLASH_OP_READ;
        for (u32 plane = 0; plane < load.planes; ++plane) {
            const u32 block = whole ? round / g.pages : 0;
            op.row[plane] = g.row(op.lun, plane, block, round % g.pages);
            op.len[plane] = whole ? static_cast<u8>(g.sectors_per_page()) : load.sectors;
        }
        ++submitted_;
        ASSERT_TRUE(controller_.submit(op));
    }
    void on_flash_completion(const flash_completion& completion) override
    {
        ends_.push_back(event_queue_.now());
        failed_ += completion.status != FLASH_STATUS_OK;
        // The freed tag is the oldest of its die; the next operation of the round goes there.
        if (submitted_ < load.operations) {
            submit();
        }
    }
    void on_flash_space() override {}

    EventQueue& event_queue_;
    InstantDram dram_;
    flash::DataPath path_;
    flash::SegmentPort port_;
    onfi::Channel channel_;
    onfi::ViolationLog log_;
    nand::PageStore store_;
    nand::Device device_;
    onfi::Checker checker_;
    std::vector<std::unique_ptr<nand::Target>> targets_;
    flash::TlmController controller_;
    std::vector<Picoseconds> ends_;
    u32 submitted_ = 0;
    u64 failed_ = 0;
};

/// Runs lanes side by side until all are done; fails after 100 simulated seconds.
inline void run_lanes(EventQueue& event_queue, std::vector<std::unique_ptr<Lane>>& lanes)
{
    for (auto& lane : lanes) {
        lane->start();
    }
    const auto all_done = [&] {
        for (auto& lane : lanes) {
            if (!lane->done()) {
                return false;
            }
        }
        return true;
    };
    for (u32 step = 0; step < 10000 && !all_done(); ++step) {
        run_for(event_queue, milliseconds(10));
    }
    ASSERT_TRUE(all_done());
}

} // namespace tlmssd::tb
