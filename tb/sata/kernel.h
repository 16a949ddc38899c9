// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a fresh SystemC kernel for each TEST of a process, and a DRAM of fixed speed.
#pragma once

#include <gtest/gtest.h>

#include <systemc>
#include <vector>

#include "models/interfaces/dram_if.h"

namespace tlmssd::tb {

/// What is elaborated from here on runs by itself.
inline void fresh_kernel()
{
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

/// ctest runs one TEST a process; this lets a whole binary run by hand too.
class KernelTest : public testing::Test {
protected:
    KernelTest() { fresh_kernel(); }
};

/// Serves transfers in order, each in `each`; keeps bytes too where `full`.
class FixedDram : public DramIf {
public:
    FixedDram(u64 bytes, u32 unit_bytes, Picoseconds each = Picoseconds(), bool full = false)
        : cells_(bytes / unit_bytes), bytes_(full ? bytes : 0), unit_bytes_(unit_bytes), each_(each)
    {
    }
    UnitTag* tags(u32 byte_offset) override { return &cells_.at(byte_offset / unit_bytes_); }
    u8* bytes(u32 byte_offset) override
    {
        return bytes_.empty() ? nullptr : &bytes_.at(byte_offset);
    }
    Picoseconds transfer(Picoseconds now, const DramAccess& access) override
    {
        EXPECT_LE(access.bytes, 8192u);
        accesses.push_back(access);
        free_ = max(free_, now) + each_;
        return free_;
    }

    std::vector<DramAccess> accesses;

private:
    std::vector<UnitTag> cells_;
    std::vector<u8> bytes_;
    u32 unit_bytes_;
    Picoseconds each_;
    Picoseconds free_;
};

} // namespace tlmssd::tb
