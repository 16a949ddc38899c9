// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's own sums over the array times of a part.
#include "models/onfi/checker/array_minima.h"

#include <algorithm>

namespace tlmssd::onfi {

namespace {

/// Least of times that spread around `typical`; one picosecond for the die's rounding.
u64 least(Picoseconds typical, double factor)
{
    if (factor == 1.0) {
        return typical.value();
    }
    const double low = static_cast<double>(typical.value()) * factor;
    return low < 1.0 ? 0 : static_cast<u64>(low) - 1;
}

/// Shortest of the part's page types; a type without a time of its own has the part's.
template <class Get>
Picoseconds shortest(const config::Nand& nand, Picoseconds typical, Get get)
{
    static constexpr u32 kUsed[] = {0b0001, 0b0101, 0b0111, 0b1111}; // by bits per cell
    const bool uniform = nand.pairing == config::Pairing::Uniform;
    const u32 bits = std::clamp(nand.bits_per_cell, 1u, 4u);
    const u32 used = uniform ? 1u : kUsed[bits - 1];
    Picoseconds result = uniform ? typical : kTimeNever;
    for (u32 type = 0; type < nand.types.size(); ++type) {
        if ((used >> type) & 1) {
            const Picoseconds t = get(nand.types[type]);
            result = min(result, t == Picoseconds() ? typical : t);
        }
    }
    return result;
}

} // namespace

ArrayMinima array_minima(const config::Nand& nand)
{
    constexpr double kMostWear = 2; // erases / endurance, config::NandWear
    const double die = 1.0 - nand.die_variation;
    const double page = die * (1.0 - nand.array_variation);
    const auto worn = [](double change) { return 1.0 + std::min(0.0, kMostWear * change); };
    const Picoseconds read =
        shortest(nand, nand.t_read, [](const config::PageType& t) { return t.t_read; });
    const Picoseconds program =
        shortest(nand, nand.t_program, [](const config::PageType& t) { return t.t_program; });
    ArrayMinima m;
    m.read = least(read, page * worn(nand.wear.read_change));
    m.program = least(program, page * worn(nand.wear.program_change));
    m.erase = least(nand.t_erase, die * worn(nand.wear.erase_change));
    m.queue = nand.t_plane_queue.value();
    m.read_cache = nand.t_read_cache.value();
    m.program_cache = nand.t_program_cache.value();
    m.feature = nand.t_feature.value();
    m.parameter = std::min(m.read, nand.t_read.value());
    m.suspend_program = nand.t_suspend_program.value();
    m.suspend_erase = nand.t_suspend_erase.value();
    return m;
}

} // namespace tlmssd::onfi
