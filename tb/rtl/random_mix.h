// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random operation mixes through a bare RTL controller; FakeFlash checks every segment.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "tb/rtl/fake_flash.h"

namespace tlmssd::tb {

struct Mix {
    u64 seed = 1;
    Geometry geometry;
    u32 tags = 32;
    u32 depth = 32; ///< operations outstanding
    u32 total = 2000;
    u32 streams = 4;
    u32 fence_percent = 5;
    u32 illegal_percent = 2;
    std::string rtl = "round_robin";
    /// Makes the model; empty: that of this build called `rtl`.
    std::function<std::unique_ptr<flash::RtlModelIf>()> make;
    config::ControllerMode mode = config::ControllerMode::InOrder;
    u32 rows = 0; ///< rows of a LUN that operations choose from; 0: any row
    bool any_payload = false; ///< columns, flags that no controller looks at and what is illegal, of any value
    u32 priorities = 1;
    u32 alone_percent = 0; ///< operations of no stream
    u32 age_limit = 100; ///< stamps of 2^20 ps; ooo only
    u32 stations = 8;
    bool gated = true;
    u32 fail_one_in = 5;
    u32 lost_one_in = 6;
    Goals* goals = nullptr;
    u64 stop_at = 0; ///< ps, with operations outstanding; 0: run to the end
    config::Suspend suspend = config::Suspend::None;
    u32 suspends = 4;
    u32 suspend_priority = 0;
    u32 suspend_progress = 0; ///< ticks of 2^16 ps
    bool polling = false;     ///< no ready lines
    bool aborts = false;      ///< at random: RandomAborts
    u32 retries = 0;          ///< read-retry levels
    u64 falls_ps = 0;         ///< tWB; not 0: R/B# falls within it, and has no clock
};

/// Geometries of mix_of(), with one to four LUNs a CE#.
inline constexpr u32 kMixShapes = 7;
/// Geometry, tags, streams and fences by seed: 2 * kMixShapes of them have each geometry with few tags and
/// with many.
Mix mix_of(u64 seed);
/// The same for `o3`: few rows and deep stations, so that operations depend on each other all the time.
Mix o3_mix(u64 seed, config::ControllerMode mode);
/// All tags, streams, channels and LUNs of the default shape, and rows of any value.
Mix wide_mix(u64 seed);
/// Suspends of all kinds and bounds; every read and every priority may ask for one, or few.
Mix suspend_mix(u64 seed);

/// Runs the mix to its end; returns the trace. `counters`: to be read at a time after every end.
std::vector<TraceEntry> run_mix(const Mix& mix, flash::RtlCounters* counters = nullptr);
/// The same with a model that has run before: it is reset first.
std::vector<TraceEntry> run_mix(const Mix& mix, std::unique_ptr<flash::RtlModelIf> model,
                                flash::RtlCounters* counters = nullptr);

/// Gated and free running the mix is the same bit for bit, and what got a LUN was told once. At least
/// `least` operations start.
void expect_equal_gated_and_free(Mix mix, u64 least = 0);
/// Both for the mixes of all seeds below `seeds`, of `total` operations each.
void run_mixes(u64 seeds, const std::function<Mix(u64 seed)>& mix_of_seed, u32 total, Goals& goals);
void expect_equal_gated_and_free(u64 seeds, const std::function<Mix(u64 seed)>& mix_of_seed, u32 total,
                                 u64 least = 0);

/// Goals of FakeFlash for `o3`: of every mode ...
extern const std::vector<std::string> kAlways;
extern const std::vector<std::string> kOutOfOrder; ///< ... out of order only ...
extern const std::vector<std::string> kSuspend;    ///< ... with suspends ...
extern const std::vector<std::string> kPolls;      ///< ... with polls ...
extern const std::vector<std::string> kAborts;     ///< ... and with aborts
extern const std::vector<std::string> kRetries;    ///< ... and with read retry

} // namespace tlmssd::tb
