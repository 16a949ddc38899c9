// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: programs of a few instructions on the Unicorn back-end.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "models/cpu/iss/iss_if.h"
#include "tb/cpu/iss_support.h"

namespace tlmssd::cpu::test {

inline constexpr u32 kWfi = 0x10500073;
inline constexpr u32 kCode = 0x1000;

/// Register n reads 7 n.
class Registers final : public IssRegistersIf {
public:
    u32 load(u32 offset) noexcept override
    {
        accesses.emplace_back(offset, 0);
        return 7 * offset;
    }
    void store(u32 offset, u32 value) noexcept override { accesses.emplace_back(offset, value); }
    std::vector<std::pair<u32, u32>> accesses; ///< offset, and what was stored
};

/// 16 KiB of memory at 0, registers at 0x40000000.
class IssTest : public testing::Test {
protected:
    void SetUp() override
    {
        TLMSSD_NEEDS_ISS();
        iss = load_iss_unicorn();
        iss->map_memory(0, 0x4000, kTcmWaits);
        iss->map_registers(0x40000000, 0x1000, registers);
    }
    void program(const std::vector<u32>& words)
    {
        std::memcpy(iss->memory(kCode, 4 * words.size()), words.data(), 4 * words.size());
        iss->set_pc(kCode);
    }

    Registers registers;
    std::unique_ptr<IssIf> iss;
};

} // namespace tlmssd::cpu::test
