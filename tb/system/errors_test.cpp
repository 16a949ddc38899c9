// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whole devices whose cells go wrong: error rate against the formula, retries, bad blocks,
// failing operations, a dead die, energy.
#include <cmath>
#include <fstream>

#include "models/nand/errors/error_model.h"
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

/// No GC and no overwrites, so that every block has been erased as often as wear says.
std::string reading_device()
{
    return tiny_device() + R"(
workload: {rw: randread, bs: 8k, requests: 4000}
)";
}

u64 count(const observe::Json& results, const char* section, const char* key)
{
    return results[section][key].get<u64>();
}

double number(const observe::Json& results, const char* section, const char* key)
{
    return results[section][key].get<double>();
}

// RBER = e with every other term zero: bits_read x e errors expected, Poisson to good approximation.
TEST(CellErrors, MeasuredRateMatchesTheFormulaWithinSamplingError)
{
    const Device run(reading_device(), {"nand.errors.enabled=true", "nand.errors.e=1e-4",
                                        "nand.errors.a=0", "nand.errors.b=0", "nand.errors.g=0"});
    run.expect_clean();
    const observe::Json& errors = run.results()["nand"]["errors"];
    const double bits = errors["bits_read"];
    // 16 codewords of 539 bytes a page; requests for a page that is on its way share one read.
    EXPECT_DOUBLE_EQ(bits, run.results()["flash"]["ops"]["read"].get<double>() * 16 * 539 * 8);
    EXPECT_GT(bits, 3900.0 * 16 * 539 * 8);
    EXPECT_NEAR(errors["rber_expected"].get<double>(), 1e-4, 1e-10);
    // A page that is read twice shows the same errors: 4000 reads over about 1020 logical pages.
    // Var = e / bits x (reads of a page, size biased: 1 + 4000/1020) < 6 e / bits; 4 sigma.
    const double sigma = std::sqrt(6 * 1e-4 / bits);
    EXPECT_NEAR(errors["rber"].get<double>(), 1e-4, 4 * sigma);
    EXPECT_EQ(count(run.results(), "ecc", "uncorrectable_pages"), 0u); // 40 bits a codeword
    EXPECT_EQ(count(run.results(), "ecc", "corrected_bits"), errors["bit_errors"].get<u64>());
}

// At 3000 erases the wear term alone: a N^k = 1e-9 x 3000^1.5 = 1.643168e-4.
TEST(CellErrors, InitialErasesRaiseTheRateAsTheFormulaSays)
{
    const Device run(reading_device(),
                     {"nand.errors.enabled=true", "nand.errors.e=0", "nand.errors.a=1e-9",
                      "nand.errors.k=1.5", "nand.errors.b=0", "nand.errors.g=0",
                      "nand.wear.initial_erases=3000"});
    run.expect_clean();
    const observe::Json& results = run.results();
    EXPECT_NEAR(results["nand"]["errors"]["rber_expected"].get<double>(), 1.643168e-4, 1e-9);
    EXPECT_EQ(results["nand"]["wear"]["min"], 3000);
    EXPECT_EQ(results["nand"]["wear"]["max"], 3000);
}

// 539 x 8 x 2e-3 = 8.6 errors a codeword against 12 that ECC corrects: P(more than 12) = 0.099 (Poisson),
// and a page has 16 codewords: 1 - 0.901^16 = 81 percent of the pages are lost at the hard read.
const Sets kWorn{"nand.errors.enabled=true", "nand.errors.e=2e-3", "nand.errors.a=0",
                 "nand.errors.b=0", "nand.errors.g=0", "controller.ecc_bits=12"};

TEST(ReadRetry, WithoutItTheHostGetsErrorsForLostPages)
{
    const Device run(reading_device(), kWorn);
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_NEAR(static_cast<double>(count(run.results(), "ecc", "uncorrectable_pages")), 3240, 240);
    EXPECT_EQ(run.results()["host"]["errors"]["reads"], run.results()["ecc"]["uncorrectable_pages"]);
    EXPECT_EQ(run.host().mismatches, 0u);
}

// Level 1 halves the rate: 4.3 errors a codeword, P(more than 12) = 5e-4, 0.8 percent of the pages;
// level 2: 2.2 errors, nothing left.
TEST(ReadRetry, RecoversThePagesThatTheHardReadLost)
{
    Sets sets = kWorn;
    sets.push_back("controller.read_retries=7");
    const Device run(reading_device(), sets);
    run.expect_clean();
    EXPECT_EQ(count(run.results(), "ecc", "uncorrectable_pages"), 0u);
    EXPECT_NEAR(static_cast<double>(count(run.results(), "ecc", "retries")), 3275, 260);
}

TEST(BadBlocks, FactoryBadBlocksAreLeftOutAndFailingOperationsLoseNothing)
{
    const Device run(tiny_device() + "workload: {rw: randrw, bs: 8k, requests: 12000}\n",
                     {"nand.errors.enabled=true", "nand.errors.e=0", "nand.errors.a=0",
                      "nand.errors.b=0", "nand.errors.g=0", "nand.errors.factory_bad=0.01", "ftl.over_provisioning=1.0",
                      "nand.errors.program_fail=2e-4", "nand.errors.erase_fail=2e-3"});
    run.expect_clean();
    const observe::Json& ftl = run.results()["ftl"];
    EXPECT_GT(ftl["bad_blocks"]["factory"].get<u64>(), 0u);
    EXPECT_EQ(ftl["bad_blocks"]["factory"],
              run.results()["nand"]["errors"]["factory_bad_blocks"]);
    EXPECT_GT(ftl["program_fails"].get<u64>() + ftl["erase_fails"].get<u64>(), 0u);
    EXPECT_GT(ftl["bad_blocks"]["retired"].get<u64>(), 0u);
    EXPECT_EQ(ftl["pages_lost"], 0);
}

TEST(DeadDie, GivesErrorsForItsPagesAndNothingElseStops)
{
    const std::string script = testing::TempDir() + "/dead_die.txt";
    std::ofstream(script) << "at 2 ms: die 1/0/1 stops answering\n";
    const Device run(reading_device(),
                     {"inject.fault_script=" + script, "controller.timeout_us=5000"});
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(run.host().mismatches, 0u);
    EXPECT_EQ(run.simulation().ssd().violations(), 0u);
    const u64 errors = run.results()["host"]["errors"]["reads"];
    EXPECT_EQ(run.completed() + errors, 4000u);
    EXPECT_GT(errors, 350u); // one die of eight holds an eighth of the pages, but for the first 2 ms
    EXPECT_LT(errors, 600u);
}

#ifdef TLMSSD_HAVE_RTL
// The same through the RTL, out of order and in order: every operation has its status, nothing is lost.
class ThroughRtl : public testing::TestWithParam<const char*> {
protected:
    Sets with(Sets sets) const
    {
        sets.push_back("controller.kind=rtl");
        sets.push_back(std::string("scheduler=") + GetParam());
        return sets;
    }
};

TEST_P(ThroughRtl, FailingOperationsLoseNothing)
{
    const Device run(tiny_device() + "workload: {rw: randrw, bs: 8k, requests: 8000}\n",
                     with({"nand.errors.enabled=true", "nand.errors.e=0", "nand.errors.a=0",
                           "nand.errors.b=0", "nand.errors.g=0", "nand.errors.factory_bad=0.01",
                           "ftl.over_provisioning=1.0", "nand.errors.program_fail=1e-3",
                           "nand.errors.erase_fail=1e-2"}));
    run.expect_clean();
    const observe::Json& ftl = run.results()["ftl"];
    EXPECT_GT(ftl["program_fails"].get<u64>() + ftl["erase_fails"].get<u64>(), 0u);
    EXPECT_EQ(ftl["pages_lost"], 0);
}

TEST_P(ThroughRtl, ADeadDieGivesErrorsForItsPagesAndNothingElseStops)
{
    const std::string script = testing::TempDir() + "/dead_die_rtl_" + GetParam() + ".txt";
    std::ofstream(script) << "at 2 ms: die 1/0/1 stops answering\n";
    const Device run(reading_device(),
                     with({"inject.fault_script=" + script, "controller.timeout_us=5000"}));
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(run.host().mismatches, 0u);
    const u64 errors = run.results()["host"]["errors"]["reads"];
    EXPECT_EQ(run.completed() + errors, 4000u);
    EXPECT_GT(errors, 350u); // as with the TLM controller: an eighth of the pages
    EXPECT_LT(errors, 600u);
}

// Fewer tags than requests, one station a LUN: everything is full all the time.
TEST_P(ThroughRtl, FullQueuesDelayAndLoseNothing)
{
    Sets sets = with({"controller.tags=16", "host.queue_depth=64"});
    if (GetParam() == std::string("host")) {
        sets.push_back("controller.stations=1");
    }
    const Device run(tiny_device() + "workload: {rw: randrw, bs: 32k, requests: 3000}\n", sets);
    run.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Modes, ThroughRtl, testing::Values("host", "inorder"));
#endif

// Without overlap to think about: energies are current x voltage x time of the counted operations.
TEST(Energy, IsVoltageTimesCurrentTimesTheTimeOfEachOperation)
{
    const Device run(tiny_device() + "workload: {rw: randrw, bs: 8k, requests: 6000}\n");
    run.expect_clean();
    const observe::Json& results = run.results();
    const double array_w = 3.3 * 25e-3;
    const observe::Json& ops = results["flash"]["ops"];
    // Every plane is read, programmed and erased alone here: buffer none, one page a request.
    const double reads_mj = ops["read"].get<double>() * 50e-6 * array_w * 1e3;
    const double erases_mj = ops["erase"].get<double>() * 1e-3 * array_w * 1e3;
    EXPECT_NEAR(number(results, "energy_mj", "read"), reads_mj, 0.02 * reads_mj);
    EXPECT_NEAR(number(results, "energy_mj", "erase"), erases_mj, 0.05 * erases_mj);
    EXPECT_GT(number(results, "energy_mj", "bus"), 0.0);
    const double sum = number(results, "energy_mj", "array") +
                       number(results, "energy_mj", "bus") +
                       number(results, "energy_mj", "standby");
    EXPECT_NEAR(number(results, "energy_mj", "total"), sum, 1e-9 * sum);
}

} // namespace
} // namespace tlmssd::tb
