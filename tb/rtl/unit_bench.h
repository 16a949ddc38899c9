// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the unit benches of RTL modules share: a Verilated module under a clock, random draws
// from a seed.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>
#include <verilated.h>

#include "models/common/hash.h"
#include "models/flash/rtl/rtl_coverage.h"
#include "models/flash/rtl/rtl_power_on.h"
#include "tb/rtl/goals.h"

namespace tlmssd::tb {

/// Numbers from a seed; the same in every run.
class Random {
public:
    explicit Random(u64 seed) : seed_(seed) {}
    u64 word() { return draw64(seed_, 77, count_++); }
    u32 below(u64 n) { return static_cast<u32>(draw_below(word(), n)); }
    bool percent(u32 p) { return below(100) < p; }

private:
    u64 seed_;
    u64 count_ = 0;
};

/// One instance of the Verilated class `Top`, in a context of its own. A failed assertion of the RTL
/// fails the test.
template <class Top>
class Dut {
public:
    Dut()
    {
        context_.fatalOnError(false);
        flash::rtl_power_on(context_);
        Verilated::threadContextp(&context_);
        top_ = std::make_unique<Top>(&context_, "dut");
    }
    ~Dut()
    {
        top_->final();
        flash::write_rtl_coverage(context_);
    }
    Top* operator->() { return top_.get(); }

    /// Inputs have changed: let the outputs follow.
    void settle()
    {
        Verilated::threadContextp(&context_);
        top_->eval();
        if (context_.gotError() && !assertion_failed_) {
            assertion_failed_ = true;
            ADD_FAILURE() << "an assertion of the RTL failed (its name is in the output)";
        }
    }
    bool assertion_failed() const { return assertion_failed_; }

private:
    VerilatedContext context_;
    std::unique_ptr<Top> top_;
    bool assertion_failed_ = false;
};

/// Whether a class has a port clk_lines_i.
template <class Top, class = void>
struct HasLines : std::false_type {};
template <class Top>
struct HasLines<Top, std::void_t<decltype(std::declval<Top&>().clk_lines_i)>> : std::true_type {};

/// Whether a class has a port clk_desc_i.
template <class Top, class = void>
struct HasDescriptors : std::false_type {};
template <class Top>
struct HasDescriptors<Top, std::void_t<decltype(std::declval<Top&>().clk_desc_i)>> : std::true_type {};

/// Whether a class has a port test_en_i.
template <class Top, class = void>
struct HasTestEnable : std::false_type {};
template <class Top>
struct HasTestEnable<Top, std::void_t<decltype(std::declval<Top&>().test_en_i)>> : std::true_type {};

/// With ports clk_i and rst_ni. Outputs are looked at between settle() and edge().
template <class Top>
class ClockedDut : public Dut<Top> {
public:
    void edge()
    {
        clocks(1);
        this->settle();
        clocks(0);
        this->settle();
    }
    void reset()
    {
        Dut<Top>& self = *this;
        clocks(0);
        if constexpr (HasTestEnable<Top>::value) {
            self->test_en_i = 0;
        }
        self->rst_ni = 1;
        this->settle();
        self->rst_ni = 0;
        edge();
        edge();
        self->rst_ni = 1;
        this->settle();
    }

private:
    /// All clocks that a controller would gate run.
    void clocks(u8 level)
    {
        Top& top = *this->operator->();
        top.clk_i = level;
        if constexpr (HasLines<Top>::value) {
            top.clk_lines_i = level;
        }
        if constexpr (HasDescriptors<Top>::value) {
            top.clk_desc_i = level;
        }
    }
};

} // namespace tlmssd::tb
