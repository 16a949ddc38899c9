// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the flash chips have done, for results.json (docs/results.md).
#include "models/run/simulation.h"

namespace tlmssd::platform {

void Simulation::put_chips(observe::Results& r) const
{
    if (ssd_->chips() == nullptr) {
        r.put("flash.conflict_wait_us.chip", nullptr);
        r.put("flash.chip_transactions", nullptr);
        r.put("flash.parallelism", nullptr);
        r.put("flash.breakdown", nullptr);
        return;
    }
    const ChipCounters& c = measurement_->counters().chips;
    r.put("flash.conflict_wait_us.chip", static_cast<double>(c.conflict_wait.value()) / 1e6);
    r.put("flash.chip_transactions", c.all_transactions());
    static constexpr const char* kClasses[kChipClasses] = {"none", "die_interleaving",
                                                           "plane_sharing", "die_and_plane"};
    const double all = static_cast<double>(c.all_transactions());
    for (std::size_t i = 0; i < kChipClasses; ++i) {
        r.put_ratio(std::string("flash.parallelism.") + kClasses[i],
                    100.0 * static_cast<double>(c.transactions[i]), all);
    }
    static constexpr const char* kTimes[kChipTimes] = {"bus", "cell", "wait_channel", "wait_die",
                                                       "idle"};
    Picoseconds time;
    for (const Picoseconds t : c.times) {
        time += t;
    }
    for (std::size_t i = 0; i < kChipTimes; ++i) {
        r.put_ratio(std::string("flash.breakdown.") + kTimes[i],
                    100.0 * static_cast<double>(c.times[i].value()),
                    static_cast<double>(time.value()));
    }
}

} // namespace tlmssd::platform
