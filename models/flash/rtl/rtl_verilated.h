// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a Verilated controller with the ports of docs/explanation/rtl.md as an RtlModelIf. One simulation
// context an instance. Included by one source file a controller.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include <verilated.h>
#include <verilated_fst_c.h>

#include "models/common/error.h"
#include "models/flash/rtl/rtl_bits.h"
#include "models/flash/rtl/rtl_coverage.h"
#include "models/flash/rtl/rtl_power_on.h"
#include "models/flash/rtl/rtl_model.h"
#include "models/flash/rtl/rtl_ports.h"

namespace tlmssd::flash {

/// `Top`: the Verilated class, built for `kChannels` of `kLuns`. `kRegisters`: it has the
/// ports of o3_top; without, those of docs/start/own-rtl-controller.md, the optional ones as it likes.
/// configure(Top&, RtlModelIf&, const RtlStraps&) sets its straps: called in reset for
/// ports, after it where there are registers.
template <class Top, bool kRegisters, u32 kChannels, u32 kLuns>
class RtlVerilated final : public RtlModelIf {
public:
    /// `name`: of the module, for messages. `shape`: its `channels` and `luns` are set here. `waves`: keep
    /// the simulator's trace structures ready.
    RtlVerilated(const char* name, RtlShape shape, bool waves) : name_(name), shape_(shape)
    {
        shape_.channels = kChannels;
        shape_.luns = kLuns;
        context_.fatalOnError(false); // a failed assertion becomes a ModelError
        context_.traceEverOn(waves);
        rtl_power_on(context_);
        Verilated::threadContextp(&context_);
        top_ = std::make_unique<Top>(&context_, "rtl");
    }
    ~RtlVerilated() override
    {
        Verilated::threadContextp(&context_);
        top_->final();
        write_rtl_coverage(context_);
    }

    RtlShape shape() const override { return shape_; }

    void reset(const RtlStraps& straps) override
    {
        period_ps_ = straps.period_ps;
        if constexpr (!kRegisters) {
            configure(*top_, *this, straps);
        }
        drive_axi({});
        if constexpr (has_done_ready_i<Top>) {
            top_->done_ready_i = 1; // the sink always takes a completion
        }
        if constexpr (has_test_en_i<Top>) {
            top_->test_en_i = straps.test_enable;
        }
        top_->op_valid_i = 0;
        top_->land_valid_i = 0;
        top_->seg_done_i = 0;
        for (u32 i = 0; i < kChannels * kLuns; ++i) {
            set_port_bits(top_->ready_i, i, 1, 1);
        }
        for (u32 i = 0; i < kChannels * kLuns; ++i) {
            retry(i / kLuns, i % kLuns, false);
        }
        top_->rst_ni = 1;
        top_->clk_i = 0;
        evaluate();
        top_->rst_ni = 0;
        edge(0);
        edge(0);
        top_->rst_ni = 1;
        edge(0);
        edge(0);
        if constexpr (kRegisters) {
            configure(*top_, *this, straps);
        }
        fall();
    }

    /// Gated clocks look at their enables while clk_i is low, so inputs must be there before it rises.
    void edge(u64 now_ps) override
    {
        if constexpr (has_now_i<Top>) {
            top_->now_i = now_ps;
        }
        if constexpr (has_cycle_i<Top>) {
            top_->cycle_i = now_ps / period_ps_;
        }
        top_->clk_i = 0;
        evaluate();
        top_->clk_i = 1;
        evaluate();
    }
    void fall() override
    {
        if (top_->clk_i != 0) {
            top_->clk_i = 0;
            evaluate();
        }
    }

    bool knows_idle() const override { return has_idle_o<Top>; }
    bool idle() const override
    {
        if constexpr (has_idle_o<Top>) {
            return top_->idle_o;
        }
        return false;
    }
    u64 wake_at() const override
    {
        if constexpr (has_wake_at_o<Top>) {
            return top_->wake_at_o;
        }
        return ~u64{0};
    }
    bool op_ready() const override { return top_->op_ready_o; }

    void offer(const flash_op* op) override
    {
        top_->op_valid_i = op != nullptr;
        if (op != nullptr) {
            static_assert(sizeof(*op) == 16 * sizeof(EData), "flash_op.yaml");
            std::memcpy(&top_->op_i[0], op, sizeof(*op));
        }
    }

    bool done_valid() const override { return top_->done_valid_o; }
    flash_completion done() const override
    {
        flash_completion completion{};
        completion.tag = top_->done_tag_o;
        completion.status = top_->done_status_o;
        completion.failed_planes = top_->done_planes_o;
        completion.cookie = top_->done_cookie_o;
        return completion;
    }

    bool held_valid() const override
    {
        if constexpr (kRegisters) {
            return top_->held_valid_o != 0;
        }
        return false;
    }
    flash_completion held() const override
    {
        flash_completion completion{};
        if constexpr (kRegisters) {
            completion.tag = top_->held_tag_o;
            completion.status = top_->held_status_o;
            completion.failed_planes = top_->held_planes_o;
        }
        return completion;
    }

    bool land_ready() const override
    {
        if constexpr (has_land_ready_o<Top>) {
            return top_->land_ready_o;
        }
        return true;
    }
    void land(bool valid, u16 tag) override
    {
        top_->land_valid_i = valid;
        top_->land_tag_i = tag;
    }

    u64 segments() const override { return top_->seg_valid_o; }
    SegmentRequest segment(u32 c) const override
    {
        static_assert(kChannels * 3 <= 64, "port_bits(): fields of 3 bits would straddle words");
        SegmentRequest r;
        r.ce = static_cast<u8>(port_bits(top_->seg_ce_o, c * 8, 8));
        r.lun = static_cast<u8>(port_bits(top_->seg_lun_o, c * 8, 8));
        r.phase = static_cast<Phase>(port_bits(top_->seg_phase_o, c * 3, 3));
        r.opcode = static_cast<u8>(port_bits(top_->seg_opcode_o, c * 8, 8));
        r.plane = static_cast<u8>(port_bits(top_->seg_plane_o, c * 2, 2));
        r.nplanes = static_cast<u8>(port_bits(top_->seg_nplanes_o, c * 3, 3));
        r.col = static_cast<u8>(port_bits(top_->seg_col_o, c * 8, 8));
        r.len = static_cast<u8>(port_bits(top_->seg_len_o, c * 8, 8));
        r.flags = static_cast<u8>(port_bits(top_->seg_flags_o, c * 8, 8));
        r.tag = static_cast<u16>(port_bits(top_->seg_tag_o, c * 16, 16));
        r.row = port_bits(top_->seg_row_o, c * 32, 32);
        r.buf = port_bits(top_->seg_buf_o, c * 32, 32);
        r.oob = port_bits(top_->seg_oob_o, c * 32, 32);
        if constexpr (kRegisters) {
            r.level = static_cast<u8>(port_bits(top_->seg_level_o, c * 8, 8));
        }
        return r;
    }
    void segment_done(u32 channel, bool done, u8 status) override
    {
        set_port_bits(top_->seg_done_i, channel, 1, done);
        set_port_bits(top_->seg_status_i, channel * 8, 8, status);
    }
    void retry(u32 channel, u32 lun_index, bool on) override
    {
        if constexpr (kRegisters) {
            set_port_bits(top_->retry_i, channel * kLuns + lun_index, 1, on);
        }
    }
    void ready(u32 channel, u32 lun_index, bool ready) override
    {
        set_port_bits(top_->ready_i, channel * kLuns + lun_index, 1, ready);
    }

    bool has_registers() const override { return kRegisters; }
    void drive_axi(const AxiRequest& r) override
    {
        if constexpr (kRegisters) {
            top_->awvalid_i = r.awvalid;
            top_->awaddr_i = static_cast<u16>(r.awaddr);
            top_->wvalid_i = r.wvalid;
            top_->wdata_i = r.wdata;
            top_->wstrb_i = r.wstrb;
            top_->bready_i = r.bready;
            top_->arvalid_i = r.arvalid;
            top_->araddr_i = static_cast<u16>(r.araddr);
            top_->rready_i = r.rready;
        }
    }
    AxiAnswer axi() const override
    {
        AxiAnswer a;
        if constexpr (kRegisters) {
            a = {top_->awready_o != 0, top_->wready_o != 0,  top_->bvalid_o != 0, top_->bresp_o,
                 top_->arready_o != 0, top_->rvalid_o != 0, top_->rdata_o,       top_->rresp_o};
        }
        return a;
    }
    bool interrupt() const override
    {
        if constexpr (kRegisters) {
            return top_->irq_o != 0;
        }
        return false;
    }

    void trace(VerilatedFstC& file) override { top_->trace(&file, 99); }

private:
    void evaluate()
    {
        Verilated::threadContextp(&context_);
        top_->eval();
        if (context_.gotError()) {
            throw ModelError(std::string("rtl: an assertion of ") + name_ + " failed (see above)");
        }
    }

    VerilatedContext context_;
    const char* name_;
    RtlShape shape_;
    u64 period_ps_ = 1;
    std::unique_ptr<Top> top_;
};

} // namespace tlmssd::flash
