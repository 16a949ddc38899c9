// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a real measurement: raw NAND reads of the OpenSSD Jasmine board, 32 KiB virtual pages.
#include "tb/flash/lane.h"

namespace tlmssd::tb {
namespace {

/// One channel of configs/ssd/jasmine.yaml with 1 to 4 ways, whole virtual pages.
std::vector<double> raw_read_mb_per_s()
{
    EventQueue event_queue("event_queue");
    std::vector<std::unique_ptr<Lane>> lanes;
    for (u32 ways = 1; ways <= 4; ++ways) {
        Lane::Load load;
        load.sectors = 64;
        load.operations = 60 * ways;
        lanes.push_back(std::make_unique<Lane>(
            sc_core::sc_gen_unique_name("lane"), event_queue,
            config::load("configs/ssd/jasmine.yaml", {{"geometry.ways=" + std::to_string(ways)}}),
            load));
    }
    run_lanes(event_queue, lanes);
    std::vector<double> rates;
    for (const auto& lane : lanes) {
        lane->expect_clean();
        rates.push_back(lane->mb_per_s());
    }
    return rates;
}

// openssd-project.org, Jasmine development information: 39.29, 51.42, 49.63 and 51.45 MB/s. The
// configuration takes its bus cycle from the second and fourth figure and its tR from the first;
// the third is a prediction.
TEST(JasmineRawRead, IsWithinFivePercentOfTheBoardForOneToFourWays)
{
    const std::vector<double> measured{39.29, 51.42, 49.63, 51.45};
    const std::vector<double> model = raw_read_mb_per_s();
    for (std::size_t i = 0; i < measured.size(); ++i) {
        EXPECT_NEAR(model[i], measured[i], 0.05 * measured[i]) << i + 1 << " ways";
    }
}

} // namespace
} // namespace tlmssd::tb
