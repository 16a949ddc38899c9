// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: every bench of the RTL begins with random registers and memories, from a seed that a failure names.
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "models/flash/rtl/rtl_power_on.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

constexpr const char* kVariable = "TLMSSD_RTL_POWER_ON";

/// $TLMSSD_RTL_POWER_ON; 1 in the short form, a new one in the long form.
int power_on_seed()
{
    if (const char* const text = std::getenv(kVariable)) {
        const int seed = std::atoi(text);
        if (seed <= 0) {
            std::cerr << kVariable << "=" << text << ": must be a number from 1 to 2147483647\n";
            std::exit(2);
        }
        return seed;
    }
    return long_form() ? static_cast<int>(std::random_device{}() >> 2) + 1 : 1;
}

class NamesTheSeed : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo& test) override
    {
        if (test.result()->Failed()) {
            std::cout << "again: " << kVariable << "=" << flash::rtl_power_on_seed
                      << " ... --gtest_filter=" << test.test_suite_name() << "." << test.name() << "\n";
        }
    }
};

/// Before main(), so before any model is made.
const bool begun = [] {
    flash::rtl_power_on_seed = power_on_seed();
    testing::UnitTest::GetInstance()->listeners().Append(new NamesTheSeed);
    if (long_form()) {
        std::cout << kVariable << "=" << flash::rtl_power_on_seed << std::endl; // also where a test ends its process
    }
    return true;
}();

} // namespace
} // namespace tlmssd::tb
