// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the parts in configs/nand and the devices that state array times: sane cells everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "models/config/config.h"
#include "models/nand/array_time.h"
#include "models/nand/errors/error_model.h"

namespace tlmssd::nand {
namespace {

using config::Config;

Config part(const std::string& path)
{
    return config::load_text("nand: " + path + "\nhost: {kind: direct}\n", "part", {});
}

std::vector<std::string> parts()
{
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator("configs/nand")) {
        paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// Mean over the types that the part uses.
template <class Get>
double mean_of_types(const Config& c, Get get)
{
    const PageTypes types(c.nand.pairing, c.nand.bits_per_cell, c.geometry.pages);
    double sum = 0;
    u32 count = 0;
    for (u32 type = 0; type < 4; ++type) {
        if ((types.used() >> type & 1) != 0) {
            sum += get(c.nand.types[type]);
            ++count;
        }
    }
    return sum / count;
}

TEST(ShippedParts, TypicalTimesAreTheMeansOfThePageTypes)
{
    ASSERT_GE(parts().size(), 13u);
    for (const std::string& path : parts()) {
        const Config c = part(path);
        const double read =
            mean_of_types(c, [](const config::PageType& t) { return t.t_read.microseconds(); });
        const double program =
            mean_of_types(c, [](const config::PageType& t) { return t.t_program.microseconds(); });
        EXPECT_NEAR(read, c.nand.t_read.microseconds(), 0.001) << path;
        EXPECT_NEAR(program, c.nand.t_program.microseconds(), 0.001) << path;
    }
}

TEST(ShippedParts, UsableWhenFreshAndSaneAtTheirClamps)
{
    for (const std::string& path : parts()) {
        Config c = part(path);
        EXPECT_FALSE(c.nand.errors.enabled) << path;
        c.nand.errors.enabled = true;
        const ErrorModel model(c.nand, c.geometry, 1);
        const config::NandErrors& e = c.nand.errors;
        for (u32 page = 0; page < c.geometry.pages; ++page) {
            CellState cells;
            cells.place.page = page;
            cells.erases = 1;
            EXPECT_LT(model.rber(cells), 1e-2) << path << " page " << page;
            cells.erases = static_cast<u32>(e.max_erases);
            cells.days = e.max_days;
            cells.block_reads = static_cast<u64>(e.max_reads);
            EXPECT_LT(model.rber(cells), 0.06) << path << " page " << page;
            EXPECT_GT(model.rber(cells), 0) << path;
        }
        EXPECT_GE(e.max_erases, c.nand.endurance) << path;
    }
}

TEST(ShippedParts, GenericOnesUseTheTypesOfTheirCells)
{
    const auto used = [](const std::string& name) {
        const Config c = part("configs/nand/generic_" + name + ".yaml");
        return PageTypes(c.nand.pairing, c.nand.bits_per_cell, c.geometry.pages).used();
    };
    EXPECT_EQ(used("slc"), 0b0001u);
    EXPECT_EQ(used("mlc"), 0b0101u);
    EXPECT_EQ(used("tlc"), 0b0111u);
    EXPECT_EQ(used("qlc"), 0b1111u);
}

// Footnote 2 of the page-allocation paper: programs of 250 us to 2.2 ms, erases of 2.5 ms.
TEST(ShippedParts, PageAllocationDeviceProgramsIn250To2200Microseconds)
{
    const Config c = config::load("configs/ssd/palloc.yaml", {});
    const ArrayTime times(c.nand, c.geometry, c.seed);
    EXPECT_GE(times.least_program(), microseconds(250));
    EXPECT_LE(times.most_program(), microseconds(2200));
    EXPECT_EQ(times.most_erase(), microseconds(2500));
    u32 fast = 0, slow = 0;
    for (u32 die = 0; die < c.geometry.total_dies(); ++die) {
        for (u32 page = 0; page < c.geometry.pages; ++page) {
            const Picoseconds t = times.program({die, 0, 5, page}, 0);
            ASSERT_GE(t, microseconds(250));
            ASSERT_LE(t, microseconds(2200));
            fast += t < microseconds(260);
            slow += t > microseconds(2150);
        }
    }
    // The ends are reached: of 8192 lower and upper pages each, lower ones below 260 us are (260 -
    // 250.02) / 55.56 = 18.0 per cent, upper ones above 2150 us 50 / 400 = 12.5 per cent: 1472 and
    // 1024, sigma 35 and 30.
    EXPECT_NEAR(fast, 1472, 4 * 35);
    EXPECT_NEAR(slow, 1024, 4 * 30);
}

// A bank of the Jasmine board: two dies of 32 Gb in lockstep, both planes at once. 8 banks: 64 GiB
// and the blocks beyond 4096 a die.
TEST(ShippedParts, JasmineBoardHasTheCapacityOfItsName)
{
    const Config c = config::load("configs/ssd/jasmine.yaml", {});
    const Config chip = part("configs/nand/k9lcg08u1m.yaml");
    EXPECT_EQ(c.geometry.raw_bytes(), (u64{64} << 30) / 4096 * 4152);
    EXPECT_EQ(c.geometry.page_bytes, 32768u); // the virtual page
    EXPECT_EQ(c.geometry.page_bytes, 2 * 2 * chip.geometry.page_bytes);
    EXPECT_EQ(c.geometry.spare_bytes, 2 * 2 * chip.geometry.spare_bytes);
    EXPECT_EQ(c.nand.t_read, chip.nand.t_read);
    EXPECT_EQ(c.nand.blocks, chip.nand.blocks);
    EXPECT_EQ(c.onfi.width, 16u);
}

// 32768 bytes in 834.004 and 636.890 us: 39.29 and 51.45 MB/s (see the file).
TEST(ShippedParts, JasmineBusAndArrayTimesAddUpToTheMeasuredRates)
{
    const Config c = config::load("configs/ssd/jasmine.yaml", {});
    const double cycle = c.onfi.cycle.microseconds();
    const double bus = 0.145 + 17255 * cycle;
    EXPECT_NEAR(bus, 32768 / 51.45, 0.1);
    EXPECT_NEAR(bus + 0.1 + c.nand.t_read.microseconds(), 32768 / 39.29, 0.1);
}

} // namespace
} // namespace tlmssd::nand
