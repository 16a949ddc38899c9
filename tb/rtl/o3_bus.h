// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the register bus of o3_top, driven by hand: its pins, and a bus master of AXI4-Lite.
#pragma once

#include <memory>

#include <gtest/gtest.h>
#include <verilated.h>

#include <Vo3_top.h>

#include "firmware/hal/flash_op.h"
#include "models/common/hash.h"
#include "models/flash/rtl/rtl_bits.h"
#include "models/flash/rtl/rtl_coverage.h"
#include "models/flash/rtl/rtl_power_on.h"
#include "tb/rtl/register_model.h"

namespace tlmssd::tb {

/// The pins of o3_top and a bus master whose valids and readies come late at random.
class O3Bus : public testing::Test {
protected:
    O3Bus()
    {
        context.fatalOnError(false);
        flash::rtl_power_on(context);
        Verilated::threadContextp(&context);
        top = std::make_unique<Vo3_top>(&context, "rtl");
        top->clk_i = 0;
        top->awvalid_i = top->wvalid_i = top->bready_i = top->arvalid_i = top->rready_i = 0;
        top->test_en_i = 0;
        top->no_grant_i = top->op_valid_i = top->land_valid_i = top->seg_done_i = 0;
        for (u32 i = 0; i < TLMSSD_RTL_CHANNELS * TLMSSD_RTL_LUNS; ++i) {
            flash::set_port_bits(top->retry_i, i, 1, 0);
        }
        top->now_i = top->cycle_i = 0;
        top->done_ready_i = 1;
        reset();
    }
    ~O3Bus() override
    {
        flash::write_rtl_coverage(context);
        EXPECT_FALSE(context.gotError()) << "an assertion of the RTL failed";
        Verilated::threadContextp(&context);
        top->final();
    }
    void reset()
    {
        top->rst_ni = 1;
        top->eval();
        top->rst_ni = 0;
        edge();
        edge();
        top->rst_ni = 1;
        edge();
        edge();
    }
    void edge()
    {
        top->clk_i = 0;
        top->eval();
        ++cycle;
        top->cycle_i = cycle;
        top->now_i = begun_at + cycle * 5000;
        top->clk_i = 1;
        top->eval();
    }
    void edges(u32 n)
    {
        for (u32 i = 0; i < n; ++i) {
            edge();
        }
    }
    /// An erase, with the number of its CE# as tag.
    void offer_erase(u32 ce = 0) { offer(FLASH_OP_ERASE, ce, ce); }
    /// An operation of one plane is offered for an edge; its first segment is granted in the edges after it.
    void offer(u32 opcode, u32 ce, u32 tag)
    {
        for (u32 i = 0; i < 16; ++i) {
            top->op_i[i] = 0;
        }
        top->op_i[0] = tag | opcode << 16;
        top->op_i[1] = ce << 8 | 1u << 24; // a plane
        top->op_valid_i = 1;
        edges(1);
        top->op_valid_i = 0;
        edges(20);
    }
    /// Channel 0's segment ends with this status byte.
    void end_segment(u8 status)
    {
        flash::set_port_bits(top->seg_status_i, 0, 8, status);
        top->seg_done_i = 1;
        edges(1);
        top->seg_done_i = 0;
        edges(20);
    }
    u32 draw(u32 below) { return static_cast<u32>(draw64(seed, 7, ++drawn) % below); }

    struct Answer {
        u32 response;
        u32 data;
    };
    /// Sides of one transfer: is valid up from the delay on until it is taken?
    struct Side {
        u32 delay;
        bool taken = false;
        bool valid(u32 now) const { return !taken && now >= delay; }
    };
    Answer write(u32 address, u32 data, u32 strobes)
    {
        Side aw{draw(4)}, w{draw(4)};
        for (u32 now = 0; now < 100; ++now) {
            top->awvalid_i = aw.valid(now);
            top->awaddr_i = static_cast<u16>(address);
            top->wvalid_i = w.valid(now);
            top->wdata_i = data;
            top->wstrb_i = static_cast<u8>(strobes);
            top->bready_i = draw(2) != 0;
            const bool takes_aw = top->awvalid_i && top->awready_o;
            const bool takes_w = top->wvalid_i && top->wready_o;
            const bool answered = top->bvalid_o && top->bready_i;
            const u32 response = top->bresp_o;
            edge();
            aw.taken |= takes_aw;
            w.taken |= takes_w;
            if (answered) {
                EXPECT_TRUE(aw.taken && w.taken) << "an answer before its question";
                top->awvalid_i = top->wvalid_i = top->bready_i = 0;
                return {response, 0};
            }
        }
        ADD_FAILURE() << "no answer to a write";
        return {kSlverr, 0};
    }
    Answer read(u32 address)
    {
        Side ar{draw(4)};
        for (u32 now = 0; now < 100; ++now) {
            top->arvalid_i = ar.valid(now);
            top->araddr_i = static_cast<u16>(address);
            top->rready_i = draw(2) != 0;
            const bool takes = top->arvalid_i && top->arready_o;
            const bool answered = top->rvalid_o && top->rready_i;
            const Answer answer{top->rresp_o, top->rdata_o};
            edge();
            ar.taken |= takes;
            if (answered) {
                EXPECT_TRUE(ar.taken) << "an answer before its question";
                top->arvalid_i = top->rready_i = 0;
                return answer;
            }
        }
        ADD_FAILURE() << "no answer to a read";
        return {kSlverr, 0};
    }

    VerilatedContext context;
    std::unique_ptr<Vo3_top> top;
    RegisterModel model;
    u64 seed = 1;
    u64 drawn = 0;
    u64 cycle = 0;
    u64 begun_at = 0; ///< ps
};

} // namespace tlmssd::tb
