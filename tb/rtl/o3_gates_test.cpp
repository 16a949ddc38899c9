// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the gates of the channels' clocks (rtl/o3/o3_gate.sv) change nothing: o3_top with them and without them, side by
// side on the random loads, every output compared after every edge.
#include <gtest/gtest.h>

#include <cstring>

#include <Vo3_ungated.h>

#include "models/flash/rtl/rtl_o3_verilated.h"
#include "tb/rtl/o3_small.h"
#include "tb/rtl/random_mix.h"

namespace tlmssd::tb {
namespace {

using flash::RtlModelIf;

bool same(const flash_completion& a, const flash_completion& b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

bool same(const flash::SegmentRequest& a, const flash::SegmentRequest& b)
{
    return a.ce == b.ce && a.lun == b.lun && a.phase == b.phase && a.opcode == b.opcode && a.plane == b.plane &&
           a.nplanes == b.nplanes && a.col == b.col && a.len == b.len && a.flags == b.flags && a.tag == b.tag &&
           a.row == b.row && a.buf == b.buf && a.oob == b.oob &&
           a.level == b.level;
}

bool same(const flash::AxiAnswer& a, const flash::AxiAnswer& b)
{
    return a.awready == b.awready && a.wready == b.wready && a.bvalid == b.bvalid &&
           (!a.bvalid || a.bresp == b.bresp) && a.arready == b.arready && a.rvalid == b.rvalid &&
           (!a.rvalid || (a.rdata == b.rdata && a.rresp == b.rresp));
}

/// When the gated clocks of the second model run at every edge: a scan test may have been before the reset.
enum class TestEnable { Never, Before, Always };

/// Two models that get the same inputs; what it shows is the first one's.
class Pair final : public RtlModelIf {
public:
    Pair(std::unique_ptr<RtlModelIf> first, std::unique_ptr<RtlModelIf> second, TestEnable test_enable)
        : a_(std::move(first)), b_(std::move(second)), test_enable_(test_enable)
    {
    }

    flash::RtlShape shape() const override { return a_->shape(); }
    void reset(const flash::RtlStraps& straps) override
    {
        a_->reset(straps);
        flash::RtlStraps second = straps;
        second.test_enable = test_enable_ != TestEnable::Never;
        b_->reset(second);
        if (test_enable_ == TestEnable::Before) {
            b_->reset(straps);
        }
    }
    void edge(u64 now_ps) override
    {
        a_->edge(now_ps);
        b_->edge(now_ps);
        ++edges_;
        const char* what = difference();
        if (what != nullptr && !completions_) {
            completions_ = true;
            ADD_FAILURE() << what << " differs at edge " << edges_ << ", " << now_ps << " ps";
        }
    }
    void fall() override
    {
        a_->fall();
        b_->fall();
    }
    bool idle() const override { return a_->idle(); }
    u64 wake_at() const override { return a_->wake_at(); }
    bool op_ready() const override { return a_->op_ready(); }
    void offer(const flash_op* op) override
    {
        a_->offer(op);
        b_->offer(op);
    }
    bool done_valid() const override { return a_->done_valid(); }
    flash_completion done() const override { return a_->done(); }
    bool held_valid() const override { return a_->held_valid(); }
    flash_completion held() const override { return a_->held(); }
    bool land_ready() const override { return a_->land_ready(); }
    void land(bool valid, u16 tag) override
    {
        a_->land(valid, tag);
        b_->land(valid, tag);
    }
    u64 segments() const override { return a_->segments(); }
    flash::SegmentRequest segment(u32 channel) const override { return a_->segment(channel); }
    void segment_done(u32 channel, bool done, u8 status) override
    {
        a_->segment_done(channel, done, status);
        b_->segment_done(channel, done, status);
    }
    void retry(u32 channel, u32 lun_index, bool on) override
    {
        a_->retry(channel, lun_index, on);
        b_->retry(channel, lun_index, on);
    }
    void ready(u32 channel, u32 lun_index, bool ready) override
    {
        a_->ready(channel, lun_index, ready);
        b_->ready(channel, lun_index, ready);
    }
    bool has_registers() const override { return a_->has_registers(); }
    void drive_axi(const flash::AxiRequest& request) override
    {
        a_->drive_axi(request);
        b_->drive_axi(request);
    }
    flash::AxiAnswer axi() const override { return a_->axi(); }
    bool interrupt() const override { return a_->interrupt(); }
    void trace(VerilatedFstC& file) override { a_->trace(file); }

private:
    /// The name of an output that is not the same; nullptr: none.
    const char* difference() const
    {
        if (a_->idle() != b_->idle()) return "idle";
        if (a_->wake_at() != b_->wake_at()) return "wake_at";
        if (a_->op_ready() != b_->op_ready()) return "op_ready";
        if (a_->land_ready() != b_->land_ready()) return "land_ready";
        if (a_->interrupt() != b_->interrupt()) return "irq";
        if (!same(a_->axi(), b_->axi())) return "the register port";
        if (a_->done_valid() != b_->done_valid()) return "done_valid";
        if (a_->done_valid() && !same(a_->done(), b_->done())) return "a completion";
        if (a_->held_valid() != b_->held_valid()) return "held_valid";
        if (a_->held_valid() && !same(a_->held(), b_->held())) return "an end that is held";
        if (a_->segments() != b_->segments()) return "seg_valid";
        for (u32 c = 0; c < kSmallChannels; ++c) {
            if (((a_->segments() >> c) & 1) != 0 && !same(a_->segment(c), b_->segment(c))) return "a segment";
        }
        return nullptr;
    }

    std::unique_ptr<RtlModelIf> a_, b_;
    TestEnable test_enable_;
    u64 edges_ = 0;
    bool completions_ = false;
};

std::unique_ptr<RtlModelIf> make_ungated()
{
    return flash::make_rtl_o3_of<Vo3_ungated, kSmallChannels, kSmallLuns>(kSmallTags, kSmallStations, false);
}

std::unique_ptr<RtlModelIf> with_and_without_gates()
{
    return std::make_unique<Pair>(make_small_o3(), make_ungated(), TestEnable::Never);
}

std::unique_ptr<RtlModelIf> with_and_without_test_enable()
{
    return std::make_unique<Pair>(make_small_o3(), make_small_o3(), TestEnable::Always);
}

std::unique_ptr<RtlModelIf> with_gates_and_with_neither()
{
    return std::make_unique<Pair>(make_small_o3(), make_ungated(), TestEnable::Always);
}

std::unique_ptr<RtlModelIf> without_and_after_a_scan_test()
{
    return std::make_unique<Pair>(make_small_o3(), make_small_o3(), TestEnable::Before);
}

void run_pairs(u64 first, u64 end, decltype(Mix::make) make)
{
    for (u64 seed = first; seed < end; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Mix mix = small_mix(seed);
        mix.make = make;
        mix.total = 400;
        mix.aborts = seed % 2 != 0; // through the registers, whose clock is gated too
        run_mix(mix);
    }
}

TEST(O3Gates, ChangeNothing)
{
    run_pairs(0, 15, with_and_without_gates);
}

// That the enable reaches every gate is the lint's: a port that is not connected is a warning.
TEST(O3Gates, ChangeNothingWhileTestEnableOpensThem)
{
    run_pairs(15, 18, with_and_without_test_enable);
    run_pairs(18, 20, with_gates_and_with_neither);
}

TEST(O3Gates, ChangeNothingAfterAScanTest)
{
    run_pairs(20, 22, without_and_after_a_scan_test);
}

} // namespace
} // namespace tlmssd::tb
