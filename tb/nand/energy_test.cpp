// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: energy against hand products (3.3 V x 25 mA = 82.5 mW).
#include <gtest/gtest.h>

#include "models/nand/energy.h"

namespace tlmssd::nand {
namespace {

// 82.5 mW x 50 us = 4.125 uJ; x 900 us = 74.25 uJ; x 3 ms = 247.5 uJ. Bus 16.5 mW x 100 us:
// 1.65 uJ.
TEST(Energy, IsVoltageTimesCurrentTimesTimeForEachOperation)
{
    const config::NandPower power;
    EnergyInput in;
    in.dies = 1;
    in.reading = microseconds(50);
    EXPECT_DOUBLE_EQ(energy(power, in).read, 4.125e-3);
    in.programming = microseconds(900);
    EXPECT_DOUBLE_EQ(energy(power, in).program, 74.25e-3);
    in.erasing = milliseconds(3);
    EXPECT_DOUBLE_EQ(energy(power, in).erase, 247.5e-3);
    in.bursts = microseconds(100);
    EXPECT_DOUBLE_EQ(energy(power, in).bus, 1.65e-3);
    EXPECT_DOUBLE_EQ(energy(power, in).array(), (4.125 + 74.25 + 247.5) * 1e-3);
}

// 8 dies for 1 s: 8 die-seconds, of which 3 + 2 + 1 = 6 are busy; 2 s x 3.3 V x 10 uA = 0.066 mJ.
TEST(Energy, StandbyIsForDiesThatDoNothing)
{
    const config::NandPower power;
    EnergyInput in;
    in.dies = 8;
    in.elapsed = milliseconds(1000);
    in.reading = milliseconds(3000);
    in.programming = milliseconds(2000);
    in.erasing = milliseconds(1000);
    const Energy e = energy(power, in);
    EXPECT_NEAR(e.standby, 0.066, 1e-12);
    EXPECT_NEAR(e.total(), 82.5 * 6 + 0.066, 1e-9);
    in.elapsed = Picoseconds(); // operations that are counted whole though the run has ended
    EXPECT_EQ(energy(power, in).standby, 0);
}

TEST(Energy, EachCurrentActsOnItsOwnTerm)
{
    config::NandPower power;
    power.vcc = 2;
    power.read_ma = 10;
    power.program_ma = 20;
    power.erase_ma = 30;
    power.bus_ma = 40;
    power.standby_ua = 500;
    EnergyInput in;
    in.dies = 1;
    in.reading = in.programming = in.erasing = in.bursts = milliseconds(1);
    in.elapsed = milliseconds(7); // 3 ms busy, 4 ms idle
    const Energy e = energy(power, in);
    EXPECT_DOUBLE_EQ(e.read, 0.02);    // 2 V x 10 mA x 1 ms
    EXPECT_DOUBLE_EQ(e.program, 0.04); // x 20 mA
    EXPECT_DOUBLE_EQ(e.erase, 0.06);
    EXPECT_DOUBLE_EQ(e.bus, 0.08);
    EXPECT_NEAR(e.standby, 0.004, 1e-15); // 2 V x 0.5 mA x 4 ms
}

// A device of 1024 dies over 10 simulated hours: die-time is beyond 2^64 ps.
TEST(Energy, LargeDevicesDoNotOverflow)
{
    const config::NandPower power;
    EnergyInput in;
    in.dies = 1024;
    in.elapsed = milliseconds(36000000);
    EXPECT_NEAR(energy(power, in).standby, 1024 * 36000.0 * 0.033, 1e-3);
}

} // namespace
} // namespace tlmssd::nand
