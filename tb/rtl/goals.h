// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: functional coverage of RTL benches by named bins.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/common/types.h"

namespace tlmssd::tb {

/// The functional coverage goals of a bench: a bin that stays empty fails the test.
class Goals {
public:
    explicit Goals(const std::vector<std::string>& names)
    {
        for (const std::string& name : names) {
            bins_[name] = 0;
        }
    }
    /// Events that this test does not aim at.
    void allow(const std::vector<std::string>& names) { allowed_.insert(names.begin(), names.end()); }
    void see(const std::string& name, bool happened = true)
    {
        const auto bin = bins_.find(name);
        if (bin == bins_.end() && allowed_.count(name) != 0) {
            return;
        }
        ASSERT_NE(bin, bins_.end()) << "no goal is called \"" << name << '"';
        bin->second += happened;
    }
    /// `least`: how often each must have been seen.
    void expect_met(u64 least = 1) const
    {
        for (const auto& [name, count] : bins_) {
            EXPECT_GE(count, least) << "goal not met: " << name;
        }
    }

private:
    std::map<std::string, u64> bins_;
    std::set<std::string> allowed_;
};

} // namespace tlmssd::tb
