// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of wear and energy.
#include "models/nand/statistics.h"

#include <algorithm>
#include <cmath>

namespace tlmssd::nand {

using observe::Table;
using observe::Unit;

Wear wear_of(const Device& device, const Geometry& geometry)
{
    Wear w;
    u64 sum = 0, squares = 0;
    for (u32 die = 0; die < geometry.total_dies(); ++die) {
        for (u32 plane = 0; plane < geometry.planes; ++plane) {
            for (u32 block = 0; block < geometry.blocks; ++block) {
                const u32 n = device.store.erase_count(Place{die, plane, block, 0}) + device.nand.wear.initial_erases;
                w.least = std::min(w.least, n);
                w.most = std::max(w.most, n);
                sum += n;
                squares += u64{n} * n;
                w.factory_bad += device.errors.factory_bad(die, plane, block);
            }
        }
    }
    const double blocks = static_cast<double>(u64{geometry.total_planes()} * geometry.blocks);
    w.mean = static_cast<double>(sum) / blocks;
    w.deviation = std::sqrt(std::max(0.0, static_cast<double>(squares) / blocks - w.mean * w.mean));
    return w;
}

const Table<Wear>& wear_statistics()
{
    static const Table<Wear> table(
        {{"min", Unit::Count,
          "fewest erases that a block's cells have seen, over all blocks: those of preconditioning and run and "
          "`nand.wear.initial_erases`",
          &Wear::least},
         {"max", Unit::Count, "most erases that a block's cells have seen", &Wear::most},
         {"mean", Unit::Ratio, "mean erases of a block's cells", &Wear::mean},
         {"stddev", Unit::Ratio, "standard deviation of the population", &Wear::deviation}});
    return table;
}

const Table<Energy>& energy_statistics()
{
    using E = Energy;
    static const Table<E> table(
        {{"read", Unit::Millijoules,
          "energy of the arrays for reads: supply voltage x current x array time ([nand-cells.md](../explanation/nand-cells.md))",
          &E::read},
         {"program", Unit::Millijoules, "energy of the arrays for programs", &E::program},
         {"erase", Unit::Millijoules, "energy of the arrays for erases", &E::erase},
         {"array", Unit::Millijoules, "reads, programs and erases together", [](const E& e) { return e.array(); }},
         {"bus", Unit::Millijoules, "energy of the dies' interfaces while bytes move on the channels", &E::bus},
         {"standby", Unit::Millijoules, "energy of dies while their arrays rest", &E::standby},
         {"total", Unit::Millijoules, "array, bus and standby", [](const E& e) { return e.total(); }}});
    return table;
}

} // namespace tlmssd::nand
