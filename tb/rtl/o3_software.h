// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: software of o3_top's registers, and the fake array below it: window, doorbell, completion queue.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "models/flash/o3/o3_regs.h"
#include "tb/rtl/rtl_rig.h"

namespace tlmssd::tb {

namespace regs = flash::o3_regs;

class O3Software : public testing::Test, public RtlRig {
protected:
    using Result = flash::RtlRegisters::Result;

    explicit O3Software(std::function<std::unique_ptr<flash::RtlModelIf>()> make =
                            [] { return flash::make_rtl_model("o3", false); })
        : RtlRig(std::move(make))
    {
        geometry.pages = 16;
        config.tags = 64;
        config.straps.mode = config::ControllerMode::Ooo;
        config.straps.age_limit = 1000;
    }
    flash::RtlRegisters& registers() { return *bench().driver().registers(); }
    flash_op op(u32 opcode, u32 channel, u32 ce, u32 lun, u32 row = 0)
    {
        flash_op o = op_at(opcode, channel, ce, lun);
        o.row[0] = row;
        o.cookie = 0xc0000000u + o.tag;
        return o;
    }
    /// Hand `o` in through window and doorbell; the window must be free. FakeFlash expects its segments.
    void ring(const flash_op& o)
    {
        hand_in(o, [this, o] { bench().submit_elsewhere(o); });
    }
    void hand_in(const flash_op& o, const std::function<void()>& taken)
    {
        u32 words[16];
        std::memcpy(words, &o, sizeof words);
        for (u32 i = 0; i < 16; ++i) {
            registers().write(regs::kWindow + 4 * i, words[i], [](const Result& r) { EXPECT_EQ(r.response, 0); });
        }
        registers().write(regs::kDoorbell, regs::kDoorbellPushMask, [taken](const Result& r) {
            EXPECT_EQ(r.response, 0);
            taken();
        });
    }
    /// Take the head of the completion queue.
    void pop()
    {
        registers().read(regs::kCqHead, [this](const Result& r) {
            head = flash_completion{};
            head.tag = static_cast<u16>(r.data & regs::kCqHeadTagMask);
            head.status = static_cast<u8>((r.data & regs::kCqHeadStatusMask) >> regs::kCqHeadStatusLsb);
            head.failed_planes = static_cast<u8>(r.data >> regs::kCqHeadFailedPlanesLsb);
        });
        registers().read(regs::kCqCookie, [this](const Result& r) { head.cookie = r.data; });
        registers().write(regs::kCqPop, regs::kCqPopPopMask, [this](const Result& r) {
            EXPECT_EQ(r.response, 0);
            ++popped;
            bench().completed_elsewhere(head);
        });
    }
    u32 read(u32 address)
    {
        u32 value = 0;
        registers().read(address, [&](const Result& r) {
            EXPECT_EQ(r.response, 0);
            value = r.data;
        });
        settle();
        return value;
    }
    u32 write(u32 address, u32 data)
    {
        u32 response = 99;
        registers().write(address, data, [&](const Result& r) { response = r.response; });
        settle();
        return response;
    }
    /// Run until all accesses are over.
    void settle()
    {
        while (registers().busy() && !HasFailure()) {
            ASSERT_TRUE(step());
        }
    }
    /// One microsecond of the array and the controller.
    bool step()
    {
        limit += kClock * 10;
        bench().run(limit);
        return limit < kEnough;
    }

    flash_completion head{};
    u32 popped = 0;
    u64 limit = 0;
};

} // namespace tlmssd::tb
