// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what an application reads when it is launched.
#include "models/workload/launch_plan.h"

#include <unordered_set>

#include "models/common/geometry.h"
#include "models/common/hash.h"
#include "models/config/rules/workload_check.h"
#include "models/workload/random/purposes.h"

namespace tlmssd::workload {
namespace {

enum Purpose : u64 { kKind, kBurst, kPlace, kNoise, kNoisePlace };

constexpr u64 kBurstSteps = 1000; // a burst is 1 to so many parts of the CPU time's sum

} // namespace

LaunchPlan::LaunchPlan(const config::Workload& w, u64 device_sectors, u64 seed, u32 app)
    : seed_(draw64(seed, purpose::kLaunch, app)), first_(w.lba_offset / kSectorBytes),
      sectors_(device_sectors - first_), noise_(w.launch.noise), detour_(w.launch.detour), reads_(w.launch.reads)
{
    const u32 block = std::max(w.launch.bs, config::kLaunchMetadataBytes) / kSectorBytes;
    std::vector<u64> weights(reads_.size() + 1);
    u64 sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = 1 + draw_below(draw64(seed_, kBurst, i), kBurstSteps);
        sum += weights[i];
    }
    std::unordered_set<u64> taken;
    u64 draws = 0;
    u64 before = 0, parts = 0; // of the CPU time so far
    const auto burst = [&](std::size_t i) {
        parts += weights[i];
        const u64 end = static_cast<u64>(static_cast<unsigned __int128>(w.launch.cpu.value()) * parts / sum);
        const Picoseconds length(end - before);
        before = end;
        return length;
    };
    for (std::size_t i = 0; i < reads_.size(); ++i) {
        LaunchRead& read = reads_[i];
        read.metadata = i == 0 ? w.launch.metadata > 0 : draw_below(draw64(seed_, kKind, i), 100) < w.launch.metadata;
        read.sectors = (read.metadata ? config::kLaunchMetadataBytes : w.launch.bs) / kSectorBytes;
        read.burst = burst(i);
        do {
            read.lba = place(draw64(seed_, kPlace, draws++), block);
        } while (!taken.insert(read.lba).second);
    }
    last_burst_ = burst(reads_.size());
}

u64 LaunchPlan::place(u64 word, u32 block) const { return first_ + draw_below(word, sectors_ / block) * block; }

bool LaunchPlan::detours(u32 number) const { return detour_ != 0 && (number + 1) % detour_ == 0; }

bool LaunchPlan::elsewhere(u32 number, u32 i) const
{
    if (detours(number) && i >= config::kLaunchSame) {
        return true;
    }
    return noise_ != 0 && draw_below(draw64(seed_, kNoise, u64{number} << 32 | i), 100) < noise_;
}

LaunchRead LaunchPlan::read(u32 number, u32 i) const
{
    LaunchRead read = reads_[i];
    if (elsewhere(number, i)) {
        read.lba = place(draw64(seed_, kNoisePlace, u64{number} << 32 | i), read.sectors);
    }
    return read;
}

} // namespace tlmssd::workload
