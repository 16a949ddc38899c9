// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a bare RTL controller on a fake flash with fixed times, and the times of what it has done.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/fake_flash.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {

inline constexpr u64 kClock = 5000;     // ps, 200 MHz
inline constexpr u64 kSegment = 100000; // 20 clocks
inline constexpr u64 kBusy = 1000000;   // 200 clocks, of every array operation
inline constexpr u64 kLanding = 50000;  // 10 clocks
inline constexpr u64 kEnough = 1000000000;

/// Geometry, configuration and times may be changed until bench() is called.
class RtlRig {
protected:
    explicit RtlRig(std::function<std::unique_ptr<flash::RtlModelIf>()> make) : make_(std::move(make))
    {
        times.random = false;
        times.segment_ps = kSegment;
        times.busy_ps = kBusy;
        times.landing_ps = kLanding;
    }
    explicit RtlRig(const std::string& rtl) : RtlRig([rtl] { return flash::make_rtl_model(rtl, false); }) {}

    FakeFlash& bench()
    {
        if (!bench_) {
            bench_ = std::make_unique<FakeFlash>(geometry, config, times, make_());
        }
        return *bench_;
    }
    /// With the next tag; row 0, no OOB record.
    flash_op op_at(u32 opcode, u32 channel, u32 ce, u32 lun, u32 nplanes = 1)
    {
        flash_op o{};
        o.tag = next_tag++;
        o.opcode = static_cast<u8>(opcode);
        o.channel = static_cast<u8>(channel);
        o.ce = static_cast<u8>(ce);
        o.lun = static_cast<u8>(lun);
        o.nplanes = static_cast<u8>(nplanes);
        o.oob = FLASH_NO_OOB;
        return o;
    }
    /// Start of the first segment of `tag` with this phase.
    u64 start_of(u32 tag, flash::Phase phase) { return time_of(tag, false, static_cast<u32>(phase)); }
    /// (start, phase) of the segments of `tag`.
    std::vector<std::pair<u64, flash::Phase>> segments(u32 tag)
    {
        std::vector<std::pair<u64, flash::Phase>> all;
        for (const TraceEntry& e : bench().trace()) {
            if (std::get<2>(e) == tag && std::get<1>(e) != 255) {
                all.emplace_back(std::get<0>(e), static_cast<flash::Phase>(std::get<3>(e)));
            }
        }
        return all;
    }
    /// When its completion came.
    u64 end_of(u32 tag) { return time_of(tag, true, 0); }

    Geometry geometry = make_geometry().channels(2).ways(2).dies(2); // two LUNs on each CE#
    flash::RtlDriverConfig config;
    FakeTimes times;
    u16 next_tag = 0;

private:
    u64 time_of(u32 tag, bool completion, u32 phase)
    {
        for (const TraceEntry& e : bench().trace()) {
            if (std::get<2>(e) == tag && (std::get<1>(e) == 255) == completion &&
                (completion || std::get<3>(e) == phase)) {
                return std::get<0>(e);
            }
        }
        ADD_FAILURE() << "no entry for tag " << tag;
        return 0;
    }

    std::function<std::unique_ptr<flash::RtlModelIf>()> make_;
    std::unique_ptr<FakeFlash> bench_;
};

} // namespace tlmssd::tb
