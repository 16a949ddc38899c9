// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random reads, programs and erases with suspends and polls on real dies under the protocol
// checker, through the TLM controller and through the RTL.
#include <gmock/gmock.h>

#include "models/common/hash.h"
#include "models/flash/rtl/rtl_controller.h"
#include "models/flash/segment_port.h"
#include "models/flash/tlm/tlm_controller.h"
#include "models/nand/target/target.h"
#include "models/onfi/checker/checker.h"
#include "tb/flash/fake_dram.h"
#include "tb/flash/lane.h"

namespace tlmssd::tb {
namespace {

using config::ControllerKind;
using config::ReadyFalls;
using config::ReadySense;

config::Config device(ControllerKind kind, ReadySense ready, ReadyFalls falls)
{
    config::Config c;
    c.geometry = flash_geometry(1, 2);
    c.geometry.ways = 2;
    c.geometry.pages = 8;
    c.nand.t_read = microseconds(50);
    c.nand.t_program = microseconds(400);
    c.nand.t_erase = microseconds(3000);
    c.nand.t_plane_queue = nanoseconds(500);
    c.nand.t_suspend_program = microseconds(20);
    c.nand.t_suspend_erase = microseconds(100);
    c.nand.array_variation = 0.1;
    c.nand.ready_falls = falls;
    c.onfi.interface = config::BusInterface::NvDdr2;
    c.onfi.mode = 6;
    c.onfi.ready = ready;
    c.onfi.poll_interval = microseconds(5);
    c.controller.kind = kind;
    c.controller.rtl = "o3";
    c.controller.mode = config::ControllerMode::Ooo;
    c.controller.tags = 32;
    c.controller.age_limit = milliseconds(20);
    c.controller.suspend = config::Suspend::ProgramAndErase;
    c.controller.suspends = 6;
    c.controller.suspend_progress = microseconds(50);
    return c;
}

/// Keeps 12 operations outstanding. Block 0 of each plane is only read; the others are erased and
/// programmed, each page once. A third of the operations take both planes.
class Random final : public sc_core::sc_module, public flash::CompletionSinkIf {
public:
    Random(sc_core::sc_module_name module_name, EventQueue& event_queue, const config::Config& c,
           u32 operations)
        : sc_module(module_name), config(c), event_queue_(event_queue), left_(operations),
          path_(config.geometry, dram_, config.controller, config.inject),
          port("port", event_queue, config.geometry, path_, flash::SegmentPortOptions::of(config)),
          channel_("channel", event_queue, 0, config.geometry, onfi::bus_timing(config.onfi, config.nand),
                   config.onfi.ready),
          store_(config.geometry), device_(store_, config.nand, log, config.seed),
          checker(config.geometry, config.onfi, config.nand)
    {
        const Geometry& g = config.geometry;
        port.bind_channel(channel_);
        channel_.bind_observer(checker);
        for (u32 ce = 0; ce < g.ces_per_channel(); ++ce) {
            targets_.push_back(std::make_unique<nand::Target>(
                sc_core::sc_gen_unique_name("target"), event_queue, channel_, ce, device_));
            channel_.bind_target(ce, *targets_.back());
        }
        for (u32 die = 0; die < g.total_dies(); ++die) {
            for (u32 plane = 0; plane < g.planes; ++plane) {
                for (u32 page = 0; page < g.pages; ++page) {
                    store_.program({die, plane, 0, page}, dram_.cells.data(), dram_.record.data());
                }
                checker.learn(die, plane, 0, g.pages);
            }
        }
        if (config.controller.kind == ControllerKind::Rtl) {
            controller_ = std::make_unique<flash::RtlController>(
                "controller", event_queue, config.controller, config.geometry, port, nullptr,
                flash::rtl_sensing(config.onfi, config.nand, config.geometry.luns_per_ce()));
        } else {
            auto tlm = std::make_unique<flash::TlmController>("controller", event_queue, config.controller, config.geometry,
                                                              config.onfi, config.nand, port);
            controller_ = std::move(tlm);
        }
        controller_->bind(*this);
        next_page_.resize(g.total_dies() * g.blocks);
    }
    void begin()
    {
        for (u16 tag = 0; tag < kInside; ++tag) {
            submit(tag);
        }
    }
    bool over() const { return inside_ == 0; }
    /// False: something has not ended.
    bool run()
    {
        begin();
        for (u32 i = 0; i < 1000 && inside_ != 0; ++i) {
            run_for(event_queue_, milliseconds(10));
        }
        return inside_ == 0;
    }

    const config::Config config;
    u64 ended = 0, failed = 0;
    Picoseconds read_time; ///< latencies of all reads
    u64 reads = 0;
    Picoseconds last;

private:
    static constexpr u16 kInside = 12;
    u32 draw(u64 n) { return static_cast<u32>(draw_below(draw64(3, 1, draws_++), n)); }
    void submit(u16 tag)
    {
        if (left_ == 0) {
            return;
        }
        --left_;
        const Geometry& g = config.geometry;
        const u32 die = draw(3) == 0 ? 0 : draw(g.total_dies());
        u32 block = 1 + draw(g.blocks - 1);
        u32& page = next_page_[die * g.blocks + block];
        const u32 kind = draw(100);
        flash_op op{};
        op.tag = tag;
        op.opcode = kind < 60 ? FLASH_OP_READ : page < g.pages && kind < 90 ? FLASH_OP_PROGRAM : FLASH_OP_ERASE;
        u32 at = 0;
        if (op.opcode == FLASH_OP_READ) {
            block = 0;
            at = draw(g.pages);
        } else if (op.opcode == FLASH_OP_PROGRAM) {
            at = page++;
        } else {
            page = 0;
        }
        op.flags = op.opcode == FLASH_OP_READ ? 2 : FLASH_FLAG_SUSPENDABLE;
        op.ce = static_cast<u8>(die / g.luns_per_ce());
        op.lun = static_cast<u8>(die % g.luns_per_ce());
        op.nplanes = static_cast<u8>(op.opcode != FLASH_OP_READ || draw(3) == 0 ? g.planes : 1);
        op.stream = FLASH_NO_STREAM;
        op.oob = FLASH_NO_OOB;
        for (u32 plane = 0; plane < op.nplanes; ++plane) {
            op.row[plane] = g.row(op.lun, plane, block, at);
            op.len[plane] = static_cast<u8>(g.sectors_per_page());
        }
        ++inside_;
        since_[tag] = event_queue_.now();
        is_read_[tag] = op.opcode == FLASH_OP_READ;
        ASSERT_TRUE(controller_->submit(op));
    }
    void on_flash_completion(const flash_completion& c) override
    {
        --inside_;
        ++ended;
        failed += c.status != FLASH_STATUS_OK;
        last = event_queue_.now();
        if (is_read_[c.tag]) {
            ++reads;
            read_time += event_queue_.now() - since_[c.tag];
        }
        submit(c.tag);
    }
    void on_flash_space() override {}

    EventQueue& event_queue_;
    u32 left_, inside_ = 0;
    u64 draws_ = 0;
    std::array<Picoseconds, kInside> since_{};
    std::array<bool, kInside> is_read_{};
    std::vector<u32> next_page_; ///< by die and block, both planes alike
    InstantDram dram_;
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
    std::unique_ptr<flash::ControllerIf> controller_;
};

class SuspendDevice : public testing::TestWithParam<std::tuple<ControllerKind, ReadySense, ReadyFalls>> {
protected:
    static constexpr u32 kOperations = 1500;
    static ControllerKind kind() { return std::get<0>(GetParam()); }
    static ReadySense ready() { return std::get<1>(GetParam()); }
    static ReadyFalls falls() { return std::get<2>(GetParam()); }
    EventQueue event_queue{"event_queue"};
};

TEST_P(SuspendDevice, BreaksNoRuleAndLosesNothing)
{
    Random random("random", event_queue, device(kind(), ready(), falls()), kOperations);
    ASSERT_TRUE(random.run());
    EXPECT_EQ(random.ended, kOperations);
    EXPECT_EQ(random.failed, 0u);
    EXPECT_EQ(random.log.count(), 0u) << (random.log.count() ? onfi::to_string(random.log.first()[0]) : "");
    EXPECT_EQ(random.checker.violations(), 0u)
        << (random.checker.violations() ? onfi::to_string(random.checker.log().first()[0]) : "");
    const flash::SegmentPort::ChannelStatistics& s = random.port.channel_statistics(0);
    EXPECT_GT(s.suspends, 100u);
    EXPECT_GT(s.resumes, 50u);
    EXPECT_LE(s.resumes, s.suspends);
    EXPECT_EQ(s.polls != 0, ready() != ReadySense::Lun);
}

// Two LUNs share each line: nothing of a line that falls late may be taken for the other LUN's.
const auto kSenses = testing::Values(ReadySense::Lun, ReadySense::Target, ReadySense::Status);
const auto kFalls = testing::Values(ReadyFalls::AtOnce, ReadyFalls::Max, ReadyFalls::Random);

// Where the controller takes no time, and each LUN has a line or none, the fall changes nothing at all.
TEST(LateFall, ChangesNothingForTheTlmController)
{
    EventQueue event_queue{"event_queue"};
    std::vector<std::unique_ptr<Random>> all; // side by side: times of a kernel that has run differ
    for (const ReadySense ready : {ReadySense::Lun, ReadySense::Status}) {
        for (const ReadyFalls falls : {ReadyFalls::AtOnce, ReadyFalls::Max, ReadyFalls::Random}) {
            all.push_back(std::make_unique<Random>(sc_core::sc_gen_unique_name("random"), event_queue,
                                                   device(ControllerKind::Tlm, ready, falls), 500));
        }
    }
    for (const auto& each : all) {
        each->begin();
    }
    run_for(event_queue, milliseconds(2000));
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_TRUE(all[i]->over());
        EXPECT_EQ(all[i]->last, all[i / 3 * 3]->last);
        EXPECT_EQ(all[i]->read_time, all[i / 3 * 3]->read_time);
        EXPECT_EQ(all[i]->checker.violations(), 0u);
    }
}

#ifdef TLMSSD_HAVE_RTL
const auto kKinds = testing::Values(ControllerKind::Tlm, ControllerKind::Rtl);
#else
const auto kKinds = testing::Values(ControllerKind::Tlm);
#endif
INSTANTIATE_TEST_SUITE_P(Controllers, SuspendDevice,
                         testing::Combine(kKinds, kSenses, kFalls));

} // namespace
} // namespace tlmssd::tb
