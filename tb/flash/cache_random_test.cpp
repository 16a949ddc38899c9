// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random reads, programs, erases and copybacks with cache operations on real dies under the protocol checker:
// every completion against what the cells hold.
#include <gmock/gmock.h>

#include "models/common/hash.h"
#include "models/flash/segment_port.h"
#include "models/flash/tlm/tlm_controller.h"
#include "models/nand/target/target.h"
#include "models/onfi/checker/checker.h"
#include "tb/flash/fake_dram.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

using config::CacheOps;
using config::ControllerMode;
using config::ReadySense;

struct Kind {
    const char* name;
    ControllerMode mode;
    ReadySense ready;
    u32 dies; ///< of a CE#
    bool errors;
    bool suspends = false;
};

config::Config device(const Kind& kind, u64 seed)
{
    config::Config c;
    c.seed = seed;
    c.geometry = flash_geometry(1, kind.dies);
    c.geometry.ways = 2;
    c.geometry.pages = 16;
    c.nand.t_read = microseconds(50);
    c.nand.t_program = microseconds(200);
    c.nand.t_erase = microseconds(1000);
    c.nand.t_plane_queue = nanoseconds(500);
    c.nand.t_read_cache = c.nand.t_program_cache = microseconds(3);
    c.nand.t_suspend_erase = microseconds(100);
    c.nand.t_feature = microseconds(1);
    c.nand.t_reset_idle = microseconds(5);
    c.nand.array_variation = 0.1;
    c.onfi.interface = config::BusInterface::NvDdr2;
    c.onfi.mode = 6;
    c.onfi.ready = kind.ready;
    c.onfi.poll_interval = microseconds(5);
    c.controller.mode = kind.mode;
    c.controller.tags = 32;
    c.controller.stations = 8;
    c.controller.age_limit = milliseconds(2);
    c.controller.suspend = kind.suspends ? config::Suspend::Erase : config::Suspend::None;
    c.controller.cache_ops = CacheOps::Both;
    if (kind.errors) {
        c.nand.errors.enabled = true;
        c.nand.errors.e = 0.0065; // a page in some is lost at level 0
        c.nand.errors.retry_gain = 0.1;
        c.nand.errors.retry_levels = 3;
        c.nand.errors.program_fail = 0.02;
        c.controller.read_retries = 2;
    }
    return c;
}

/// Keeps 20 operations outstanding. Block 0 of each plane is only read; block by block the others are erased and
/// programmed, page after page. Each die has a place from which reads go on, and leaves it now and then.
class Random final : public sc_core::sc_module, public flash::CompletionSinkIf {
public:
    Random(sc_core::sc_module_name module_name, EventQueue& event_queue, const config::Config& c, u32 operations)
        : sc_module(module_name), config(c), event_queue_(event_queue), left_(operations),
          path_(config.geometry, dram_, config.controller, config.inject),
          port("port", event_queue, config.geometry, path_, flash::SegmentPortOptions::of(config)),
          channel_("channel", event_queue, 0, config.geometry, onfi::bus_timing(config.onfi, config.nand),
                   config.onfi.ready),
          store_(config.geometry), device_(store_, config.nand, log, config.seed),
          checker(config.geometry, config.onfi, config.nand),
          controller_("controller", event_queue, config.controller, config.geometry, config.onfi, config.nand, port)
    {
        const Geometry& g = config.geometry;
        port.bind_channel(channel_);
        channel_.bind_observer(checker);
        for (u32 ce = 0; ce < g.ces_per_channel(); ++ce) {
            targets_.push_back(std::make_unique<nand::Target>(sc_core::sc_gen_unique_name("target"), event_queue,
                                                              channel_, ce, device_));
            channel_.bind_target(ce, *targets_.back());
        }
        places_.resize(g.total_dies() * g.planes);
        std::array<UnitTag, 16> cells{};
        std::array<u8, kOobBytes> record{};
        for (u32 die = 0; die < g.total_dies(); ++die) {
            for (u32 plane = 0; plane < g.planes; ++plane) {
                for (u32 page = 0; page < g.pages; ++page) {
                    cells[0] = cells[1] = tag_of(die, plane, 0, page);
                    store_.program({die, plane, 0, page}, cells.data(), record.data());
                }
                checker.learn(die, plane, 0, g.pages);
            }
        }
        controller_.bind(*this);
    }
    /// False: something has not ended.
    bool run()
    {
        for (u16 tag = 0; tag < kInside; ++tag) {
            submit(tag);
        }
        for (u32 i = 0; i < 1000 && inside_ != 0; ++i) {
            run_for(event_queue_, milliseconds(10));
        }
        return inside_ == 0;
    }

    const config::Config config;
    u64 ended = 0, failed_programs = 0, lost = 0, retries = 0;

private:
    static constexpr u16 kInside = 20;
    struct Place { ///< of a plane
        u32 read = 0;
        u32 block = 0, page = 16; ///< programmed next
    };
    u32 draw(u64 n) { return static_cast<u32>(draw_below(draw64(config.seed, 1, draws_++), n)); }
    static UnitTag tag_of(u32 die, u32 plane, u32 block, u32 page)
    {
        return {1000000 * (die + 1) + 100000 * plane + 1000 * block + page, 1};
    }
    u32 die_of(const flash_op& op) const { return op.ce * config.geometry.luns_per_ce() + op.lun; }
    nand::Place place_of(const flash_op& op, u32 row) const
    {
        const Geometry& g = config.geometry;
        return {die_of(op), g.row_plane(row), g.row_block(row), g.row_page(row)};
    }
    void submit(u16 tag)
    {
        if (left_ == 0) {
            return;
        }
        --left_;
        const Geometry& g = config.geometry;
        if (burst_ == 0) { // runs of operations of one plane
            burst_ = 1 + draw(8);
            die_ = draw(g.total_dies());
            plane_ = draw(g.planes);
            kind_ = draw(100);
        }
        --burst_;
        if (kind_ < 55 && draw(3) == 0) {
            plane_ = draw(g.planes);
        }
        Place& place = places_[die_ * g.planes + plane_];
        flash_op op{};
        op.tag = tag;
        op.ce = static_cast<u8>(die_ / g.luns_per_ce());
        op.lun = static_cast<u8>(die_ % g.luns_per_ce());
        op.nplanes = 1;
        op.stream = draw(8) == 0 ? u16{FLASH_NO_STREAM} : static_cast<u16>(draw(3));
        op.oob = FLASH_NO_OOB;
        op.len[0] = static_cast<u8>(g.sectors_per_page());
        op.buf[0] = tag * g.page_bytes;
        op.flags = static_cast<u8>(draw(10) == 0 ? draw(4) : 1);
        if (draw(40) == 0 && op.stream != u16{FLASH_NO_STREAM}) {
            op.flags |= FLASH_FLAG_FENCE;
        }
        if (kind_ < 55) {
            op.opcode = FLASH_OP_READ;
            place.read = draw(6) == 0 ? draw(g.pages) : (place.read + 1) % g.pages;
            op.row[0] = g.row(op.lun, plane_, 0, place.read);
            if (draw(5) == 0) { // the second half
                op.col[0] = static_cast<u8>(g.sectors_per_page() / 2);
                op.len[0] = op.col[0];
            }
        } else if (draw(60) == 0) {
            op.opcode = FLASH_OP_RESET;
            op.row[0] = g.row(op.lun, 0, 0, 0);
        } else if (place.page == g.pages) {
            place.block = 1 + place.block % (g.blocks - 1);
            place.page = 0;
            op.opcode = FLASH_OP_ERASE;
            op.flags |= FLASH_FLAG_SUSPENDABLE;
            op.row[0] = g.row(op.lun, plane_, place.block, 0);
        } else {
            op.row[0] = g.row(op.lun, plane_, place.block, place.page);
            op.opcode = FLASH_OP_PROGRAM;
            if (draw(20) == 0) {
                op.opcode = FLASH_OP_COPYBACK;
                op.row[1] = op.row[0];
                op.row[0] = g.row(op.lun, plane_, 0, draw(g.pages));
            }
            ++place.page;
            dram_.cells[tag * 2] = dram_.cells[tag * 2 + 1] = tag_of(die_, plane_, place.block, place.page - 1);
        }
        ops_[tag] = op;
        ++inside_;
        ASSERT_TRUE(controller_.submit(op));
    }
    void on_flash_completion(const flash_completion& c) override
    {
        const flash_op& op = ops_[c.tag];
        --inside_;
        ++ended;
        retries += c.retries;
        if (op.opcode == FLASH_OP_PROGRAM) {
            const nand::Place at = place_of(op, op.row[0]);
            EXPECT_EQ(c.status == FLASH_STATUS_FAIL, store_.torn(at)) << "block " << at.block << " page " << at.page;
            EXPECT_TRUE(c.status == FLASH_STATUS_FAIL || c.status == FLASH_STATUS_OK);
            EXPECT_EQ(c.failed_planes, c.status == FLASH_STATUS_FAIL ? 1 : 0);
            failed_programs += c.status != FLASH_STATUS_OK;
        } else if (op.opcode == FLASH_OP_READ) {
            const nand::Place at = place_of(op, op.row[0]);
            const UnitTag right = tag_of(at.die, at.plane, at.block, at.page);
            if (c.status == FLASH_STATUS_OK) {
                for (u32 unit = op.col[0] == 0 ? 0 : 1; unit < 2; ++unit) {
                    EXPECT_EQ(dram_.cells[c.tag * 2u + unit], right) << "page " << at.page << " unit " << unit;
                }
            } else {
                EXPECT_EQ(c.status, FLASH_STATUS_UNCORRECTABLE);
                ++lost;
            }
        } else {
            EXPECT_TRUE(c.status == FLASH_STATUS_OK || config.nand.errors.enabled);
        }
        submit(c.tag);
    }
    void on_flash_space() override {}

    EventQueue& event_queue_;
    u32 left_, inside_ = 0;
    u64 draws_ = 0;
    u32 burst_ = 0, die_ = 0, plane_ = 0, kind_ = 0;
    std::array<flash_op, kInside> ops_{};
    std::vector<Place> places_;
    FakeDram dram_;
    flash::DataPath path_;

public:
    flash::SegmentPort port;

private:
    onfi::Channel channel_;

public:
    onfi::ViolationLog log;

private:
    nand::PageStore store_;
    nand::Device device_;

public:
    onfi::Checker checker;

private:
    std::vector<std::unique_ptr<nand::Target>> targets_;
    flash::TlmController controller_;
};

class CacheRandom : public testing::TestWithParam<std::tuple<Kind, u64>> {};

TEST_P(CacheRandom, BreaksNoRuleAndTellsTheTruth)
{
    constexpr u32 kOperations = 4000;
    const Kind& kind = std::get<0>(GetParam());
    EventQueue event_queue{"event_queue"};
    Random random("random", event_queue, device(kind, std::get<1>(GetParam())), kOperations);
    ASSERT_TRUE(random.run());
    EXPECT_EQ(random.ended, kOperations);
    EXPECT_EQ(random.log.count(), 0u) << (random.log.count() ? onfi::to_string(random.log.first()[0]) : "");
    EXPECT_EQ(random.checker.violations(), 0u)
        << (random.checker.violations() ? onfi::to_string(random.checker.log().first()[0]) : "");
    const flash::SegmentPort::ChannelStatistics& s = random.port.channel_statistics(0);
    EXPECT_GT(s.cache_reads, 200u);
    EXPECT_GT(s.cache_programs, 100u);
    EXPECT_EQ(random.failed_programs != 0, kind.errors);
    EXPECT_EQ(random.retries != 0, kind.errors);
    EXPECT_EQ(s.suspends != 0, kind.suspends);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CacheRandom,
    testing::Combine(testing::Values(Kind{"inorder", ControllerMode::InOrder, ReadySense::Lun, 1, false},
                                     Kind{"ooo", ControllerMode::Ooo, ReadySense::Lun, 1, false},
                                     Kind{"inorder_luns", ControllerMode::InOrder, ReadySense::Lun, 2, true},
                                     Kind{"ooo_luns", ControllerMode::Ooo, ReadySense::Lun, 2, true},
                                     Kind{"ooo_errors", ControllerMode::Ooo, ReadySense::Lun, 1, true},
                                     Kind{"ooo_suspend", ControllerMode::Ooo, ReadySense::Lun, 2, true, true},
                                     Kind{"inorder_polled", ControllerMode::InOrder, ReadySense::Status, 1, true},
                                     Kind{"ooo_polled", ControllerMode::Ooo, ReadySense::Status, 1, true},
                                     Kind{"ooo_luns_polled", ControllerMode::Ooo, ReadySense::Status, 2, false},
                                     Kind{"ooo_suspend_polled", ControllerMode::Ooo, ReadySense::Status, 2, true, true},
                                     Kind{"ooo_shared_line", ControllerMode::Ooo, ReadySense::Target, 2, true}),
                     testing::Values(1, 2, 3)),
    [](const testing::TestParamInfo<std::tuple<Kind, u64>>& i) {
        return std::get<0>(i.param).name + std::string("_") + std::to_string(std::get<1>(i.param));
    });

} // namespace
} // namespace tlmssd::tb
