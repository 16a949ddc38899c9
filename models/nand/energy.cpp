// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: energy = supply voltage x current x time.
#include "models/nand/energy.h"

#include <algorithm>

namespace tlmssd::nand {

namespace {

constexpr double kMilliPerMicro = 1e-3;

} // namespace

Energy energy(const config::NandPower& power, const EnergyInput& input)
{
    const auto of = [&](double milliamperes, double seconds) {
        return power.vcc * milliamperes * seconds;
    };
    const double busy =
        input.reading.seconds() + input.programming.seconds() + input.erasing.seconds();
    const double idle = std::max(input.dies * input.elapsed.seconds() - busy, 0.0);
    Energy e;
    e.read = of(power.read_ma, input.reading.seconds());
    e.program = of(power.program_ma, input.programming.seconds());
    e.erase = of(power.erase_ma, input.erasing.seconds());
    e.bus = of(power.bus_ma, input.bursts.seconds());
    e.standby = of(power.standby_ua * kMilliPerMicro, idle);
    return e;
}

} // namespace tlmssd::nand
