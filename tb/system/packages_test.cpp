// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: observe.packages on whole devices: worked example 5's operations, and sums under load.
#include <set>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

using observe::Json;

/// The page-allocation paper's array with small blocks.
std::string array_of_the_paper()
{
    return R"(
nand: {page_bytes: 2048, spare_bytes: 64, t_read_us: 50, t_program_us: 600, array_variation: 0}
geometry: {channels: 8, ways: 8, dies: 2, planes: 2, blocks: 16, pages: 4}
onfi: {interface: sdr, mode: 5}
host: {kind: direct, queue_depth: 32}
ftl: {over_provisioning: 1.0}
buffer: {policy: none, size_mib: 1}
scheduler: vaq
vaq: {join_window: 256}
precondition: {fill: 1.0}
observe: {packages: true}
)";
}

struct Expected {
    const char* order;
    u32 channels, operations;
    const char* parallelism;
};

class FourPages : public testing::TestWithParam<Expected> {};

/// Section 5: an aligned request of 4 pages: how many channels, packages, operations, of which class.
TEST_P(FourPages, AreSoManyTransactionsOfOneClass)
{
    const Expected& e = GetParam();
    const Device run(array_of_the_paper() + "workload: {rw: read, bs: 8k, requests: 1}\n",
                     {std::string("ftl.allocation=") + e.order});
    run.expect_clean();
    const Json& flash = run.results()["flash"];
    EXPECT_EQ(flash["package_operations"], e.operations);
    for (const auto& [name, share] : flash["parallelism"].items()) {
        EXPECT_EQ(share.get<double>(), name == e.parallelism ? 100.0 : 0.0) << name;
    }
    u32 channels = 0;
    for (const Json& channel : flash["channels"]) {
        channels += channel["occupied_s"].get<double>() > 0;
        EXPECT_LE(channel["busy_s"].get<double>(), channel["occupied_s"].get<double>());
    }
    EXPECT_EQ(channels, e.channels);
}

INSTANTIATE_TEST_SUITE_P(WorkedExample5, FourPages,
                         testing::Values(Expected{"CWDP", 4, 4, "none"},
                                         Expected{"WDCP", 1, 4, "none"},
                                         Expected{"DCWP", 2, 2, "die_interleaving"},
                                         Expected{"PCWD", 2, 2, "plane_sharing"},
                                         Expected{"PWCD", 1, 2, "plane_sharing"},
                                         Expected{"PDWC", 1, 1, "die_and_plane"},
                                         Expected{"DPWC", 1, 1, "die_and_plane"}),
                         [](const auto& it) { return it.param.order; });

/// 64 pages are all that a command has inside at once: all dies of an order of plane and die first,
/// one plane of each die of an order of channel and way first.
TEST(PackageCounters, AreOneForEachPackageOfALargeRequest)
{
    const Device run(array_of_the_paper() + "workload: {rw: read, bs: 128k, requests: 1}\n",
                     {"ftl.allocation=PDCW"});
    run.expect_clean();
    EXPECT_EQ(run.results()["flash"]["package_operations"], 16); // 64 pages of 4 a package
    EXPECT_EQ(run.results()["flash"]["parallelism"]["die_and_plane"], 100.0);
}

class Load : public testing::TestWithParam<Sets> {};

TEST_P(Load, BreakdownAndClassesAddUpToAHundred)
{
    Sets sets = GetParam();
    sets.push_back("observe.packages=true");
    const Device run(tiny_device() + "workload: {rw: randrw, bs: 24k, rwmixread: 50, requests: 800}\n",
                     sets);
    run.expect_clean();
    const Json& flash = run.results()["flash"];
    double sum = 0;
    for (const auto& [name, share] : flash["breakdown"].items()) {
        EXPECT_GE(share.get<double>(), 0.0) << name;
        sum += share.get<double>();
    }
    EXPECT_NEAR(sum, 100.0, 1e-9);
    EXPECT_GT(flash["breakdown"]["cell"].get<double>(), 1.0);
    sum = 0;
    for (const auto& [name, share] : flash["parallelism"].items()) {
        sum += share.get<double>();
    }
    EXPECT_NEAR(sum, 100.0, 1e-9);
    const u64 operations = flash["package_operations"];
    EXPECT_LE(operations, flash["die_operations"].get<u64>());
    EXPECT_GT(operations, 1000u);
    const double seconds = run.results()["sim"]["time_s"];
    for (const Json& channel : flash["channels"]) {
        EXPECT_LE(channel["busy_s"].get<double>(), channel["occupied_s"].get<double>());
        EXPECT_LE(channel["occupied_s"].get<double>(), seconds * 1.1); // the last collection's end
    }
    const bool vaq = run.results()["sched"]["name"] == "vaq";
    EXPECT_EQ(flash["conflict_wait_us"]["package"].get<double>() > 0, vaq);
    if (!vaq) {
        EXPECT_EQ(flash["breakdown"]["wait_die"], 0.0);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Loads, Load,
    testing::Values(Sets{"scheduler=vaq"}, Sets{"scheduler=vaq", "vaq.block=request"},
                    Sets{"scheduler=vaq", "vaq.block=request", "vaq.join_window=64"},
                    Sets{"scheduler=vaq", "vaq.join_window=64", "vaq.conflict=package",
                         "ftl.placement=static"},
                    Sets{"scheduler=vaq", "ftl.lockstep=true", "ftl.allocation=PDWC"},
                    Sets{"scheduler=inorder"}, Sets{"scheduler=paq2", "onfi.ready=status"},
                    Sets{"scheduler=hybrid", "controller.suspend=program_and_erase"},
                    Sets{"scheduler=inorder", "controller.kind=rtl"}));

TEST(PackageCounters, AreNullUnlessAskedFor)
{
    const std::string load = "workload: {rw: randrw, bs: 24k, rwmixread: 50, requests: 300}\n";
    const Sets sets{"scheduler=vaq", "vaq.join_window=64"};
    const Device off(tiny_device() + load, sets);
    EXPECT_TRUE(off.results()["flash"]["package_operations"].is_null());
    EXPECT_TRUE(off.results()["flash"]["parallelism"].is_null());
    EXPECT_TRUE(off.results()["flash"]["breakdown"].is_null());
    EXPECT_TRUE(off.results()["flash"]["conflict_wait_us"]["package"].is_null());
    EXPECT_TRUE(off.results()["flash"]["channels"][0]["occupied_s"].is_null());
}

} // namespace
} // namespace tlmssd::tb
