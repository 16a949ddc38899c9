// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what dies, packages and ECC have counted, for results.json (docs/results.md).
#include <algorithm>
#include <cmath>

#include "models/nand/energy.h"
#include "models/run/simulation.h"

namespace tlmssd::run {

namespace {

/// Erases of all blocks as the cells have felt them.
struct Wear {
    u32 least = ~0u;
    u32 most = 0;
    double mean = 0;
    double deviation = 0;
    u64 factory_bad = 0;
};

Wear wear_of(const nand::Device& device, const Geometry& g)
{
    Wear w;
    u64 sum = 0, squares = 0;
    nand::for_each_block(g, [&](const nand::Place& block) {
        const u32 n = device.store.erase_count(block) + device.nand.wear.initial_erases;
        w.least = std::min(w.least, n);
        w.most = std::max(w.most, n);
        sum += n;
        squares += u64{n} * n;
        w.factory_bad += device.errors.factory_bad(block.die, block.plane, block.block);
    });
    const double blocks = static_cast<double>(u64{g.total_planes()} * g.blocks);
    w.mean = static_cast<double>(sum) / blocks;
    w.deviation =
        std::sqrt(std::max(0.0, static_cast<double>(squares) / blocks - w.mean * w.mean));
    return w;
}

} // namespace

void Simulation::put_nand(observe::Results& r, Picoseconds makespan) const
{
    const Geometry& g = config_.geometry;
    const DeviceCounters& counters = measurement_->counters();
    const nand::Lun::Statistics& s = counters.arrays;
    const Wear wear = wear_of(ssd_->nand_device(), g);
    r.put("nand.wear.min", wear.least);
    r.put("nand.wear.max", wear.most);
    r.put("nand.wear.mean", wear.mean);
    r.put("nand.wear.stddev", wear.deviation);
    const double bits = static_cast<double>(s.bits_read);
    r.put("nand.errors.bits_read", s.bits_read);
    r.put("nand.errors.bit_errors", s.bit_errors);
    r.put_ratio("nand.errors.rber", static_cast<double>(s.bit_errors), bits);
    r.put_ratio("nand.errors.rber_expected", s.expected_bit_errors, bits);
    r.put("nand.errors.program_fails", s.program_fails);
    r.put("nand.errors.erase_fails", s.erase_fails);
    r.put("nand.errors.factory_bad_blocks", wear.factory_bad);

    const auto& ecc = counters.ecc;
    r.put("ecc.codewords", ecc.codewords);
    r.put("ecc.corrected_bits", ecc.corrected_bits);
    r.put("ecc.failed_codewords", ecc.failed_codewords);
    r.put("ecc.retries", ecc.retries);
    r.put("ecc.uncorrectable_pages", ecc.uncorrectable_pages);

    nand::EnergyInput input;
    input.reading = s.reading;
    input.programming = s.programming;
    input.erasing = s.erasing;
    for (const DeviceCounters::Channel& c : counters.channels) {
        input.bursts += c.bursts;
    }
    input.elapsed = makespan;
    input.dies = g.total_dies();
    const nand::Energy e = nand::energy(config_.nand.power, input);
    r.put("energy_mj.read", e.read);
    r.put("energy_mj.program", e.program);
    r.put("energy_mj.erase", e.erase);
    r.put("energy_mj.array", e.array());
    r.put("energy_mj.bus", e.bus);
    r.put("energy_mj.standby", e.standby);
    r.put("energy_mj.total", e.total());
}

void Simulation::put_chips(observe::Results& r) const
{
    if (ssd_->chips() == nullptr) {
        r.put("flash.conflict_wait_us.chip", nullptr);
        r.put("flash.chip_transactions", nullptr);
        r.put("flash.parallelism", nullptr);
        r.put("flash.breakdown", nullptr);
        return;
    }
    const probes::ChipCounters& c = measurement_->counters().chips;
    r.put("flash.conflict_wait_us.chip", static_cast<double>(c.conflict_wait.value()) / 1e6);
    r.put("flash.chip_transactions", c.all_transactions());
    static constexpr const char* kClasses[probes::kChipClasses] = {"none", "die_interleaving",
                                                                   "plane_sharing", "die_and_plane"};
    const double all = static_cast<double>(c.all_transactions());
    for (std::size_t i = 0; i < probes::kChipClasses; ++i) {
        r.put_ratio(std::string("flash.parallelism.") + kClasses[i],
                    100.0 * static_cast<double>(c.transactions[i]), all);
    }
    static constexpr const char* kTimes[probes::kChipTimes] = {"bus", "cell", "wait_channel", "wait_die",
                                                               "idle"};
    Picoseconds time;
    for (const Picoseconds t : c.times) {
        time += t;
    }
    for (std::size_t i = 0; i < probes::kChipTimes; ++i) {
        r.put_ratio(std::string("flash.breakdown.") + kTimes[i],
                    100.0 * static_cast<double>(c.times[i].value()),
                    static_cast<double>(time.value()));
    }
}

} // namespace tlmssd::run
