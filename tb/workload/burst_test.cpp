// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bursts of arrivals and sources with locality against closed forms.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "models/common/error.h"
#include "models/config/config.h"
#include "models/workload/arrivals.h"
#include "models/workload/factory.h"

namespace tlmssd::workload::test {
namespace {

using config::RateProcess;
using testing::HasSubstr;

struct Moments {
    double mean = 0;
    double variance = 0;
};

Moments moments(const std::vector<double>& values)
{
    Moments m;
    for (const double value : values) {
        m.mean += value / static_cast<double>(values.size());
    }
    for (const double value : values) {
        m.variance += (value - m.mean) * (value - m.mean) / static_cast<double>(values.size());
    }
    return m;
}

TEST(Bursts, HaveTheMeanAndTheVarianceOfAGeometricNumber)
{
    // Without a gap inside a burst its requests arrive together.
    constexpr double kMean = 8;
    constexpr int kRequests = 400000;
    Arrivals arrivals(1000, RateProcess::Bursts, 3, {kMean, Picoseconds(0)});
    std::vector<double> bursts;
    Picoseconds before = arrivals.next();
    double size = 1;
    for (int i = 1; i < kRequests; ++i) {
        const Picoseconds now = arrivals.next();
        if (now == before) {
            ++size;
        } else {
            bursts.push_back(size);
            size = 1;
        }
        before = now;
    }
    const Moments m = moments(bursts);
    const double variance = kMean * (kMean - 1);
    EXPECT_NEAR(m.mean, kMean, 4 * std::sqrt(variance / static_cast<double>(bursts.size())));
    EXPECT_NEAR(m.variance / variance, 1, 0.06) << "its standard error is about 1.3 %";
}

TEST(Bursts, KeepTheRateAndHaveTheGapsOfTwoExponentials)
{
    constexpr double kRate = 1000, kN = 20, kInsideS = 50e-6;
    constexpr int kRequests = 400000;
    Arrivals arrivals(kRate, RateProcess::Bursts, 3, {kN, Picoseconds(50'000'000)});
    std::vector<double> gaps;
    Picoseconds before;
    for (int i = 0; i < kRequests; ++i) {
        const Picoseconds now = arrivals.next();
        gaps.push_back(static_cast<double>((now - before).value()) / 1e12);
        before = now;
    }
    const double between = kN / kRate - (kN - 1) * kInsideS;
    const double square = 2 * (between * between / kN + kInsideS * kInsideS * (1 - 1 / kN));
    const double variance = square - 1 / (kRate * kRate);
    const Moments m = moments(gaps);
    EXPECT_NEAR(m.mean, 1 / kRate, 4 * std::sqrt(variance / kRequests));
    EXPECT_NEAR(m.variance / variance, 1, 0.08);
}

TEST(Bursts, OfOneRequestAreAPoissonProcess)
{
    Arrivals arrivals(1000, RateProcess::Bursts, 3, {1, Picoseconds(1000)});
    std::vector<double> gaps;
    Picoseconds before;
    for (int i = 0; i < 200000; ++i) {
        const Picoseconds now = arrivals.next();
        gaps.push_back(static_cast<double>((now - before).value()) / 1e9); // ms
        before = now;
    }
    EXPECT_NEAR(moments(gaps).mean, 1, 0.01);
    EXPECT_NEAR(moments(gaps).variance, 1, 0.03);
}

TEST(Bursts, AlsoReplaceTheTimesOfATrace)
{
    const std::string path = testing::TempDir() + "bursts.csv";
    std::ofstream file(path);
    constexpr int kRows = 20000;
    for (int i = 0; i < kRows; ++i) {
        file << i << "," << 8 * i << ",4096,r\n";
    }
    file.close();
    config::Workload w;
    w.trace = path;
    w.trace_columns = "time:us,lba:sectors,size:bytes,op";
    w.mode = config::LoopMode::Open;
    w.rate_iops = 1000;
    w.rate_process = RateProcess::Bursts;
    w.burst_requests = 8;
    const auto source = make_source(w, u64{1} << 30, 1, nullptr);
    Request request;
    Picoseconds before;
    int together = 0;
    while (source->next(request)) {
        together += request.arrival == before ? 1 : 0;
        before = request.arrival;
    }
    EXPECT_NEAR(together / double{kRows}, 7.0 / 8, 4 * std::sqrt(7.0 / 64 / kRows));
}

const std::vector<std::string> kPreset{
    "workload.rw=randrw",          "workload.requests=20000",      "workload.locality_footprint=64m",
    "workload.locality_read_runs=4k/1", "workload.locality_write_runs=8k/1",
    "workload.locality_read_reuse=1=new/10:100/90", "workload.locality_write_reuse=2=new/50:1000/50"};

config::Config configured(std::vector<std::string> more)
{
    std::vector<std::string> sets = kPreset;
    sets.insert(sets.end(), more.begin(), more.end());
    return config::load("configs/ssd/default.yaml", {sets});
}

std::string error_of(std::vector<std::string> more)
{
    try {
        configured(std::move(more));
    } catch (const InputError& e) {
        return e.what();
    }
    return "no error";
}

TEST(LocalitySource, MixesAsRwmixreadSays)
{
    const config::Config c = configured({"workload.rwmixread=70", "workload.mode=open", "workload.rate_iops=5000",
                                         "workload.rate_process=bursts", "workload.burst_requests=4",
                                         "workload.burst_gap_us=10"});
    const auto source = make_source(c.workload, c.logical_sectors(), 1, nullptr);
    Request request;
    u64 reads = 0, requests = 0;
    while (source->next(request)) {
        ++requests;
        reads += request.kind == Kind::Read ? 1 : 0;
        ASSERT_LE(request.lba + request.sectors, c.logical_sectors());
    }
    EXPECT_EQ(requests, 20000u);
    EXPECT_NEAR(static_cast<double>(reads), 14000, 4 * std::sqrt(20000 * 0.7 * 0.3));
    EXPECT_NEAR(static_cast<double>(request.arrival.value()) / 1e12, 4.0, 0.3);
}

TEST(LocalitySource, StaysInARegionBelowItsFootprintAndSaysSo)
{
    const config::Config c = configured({"workload.size=16m", "workload.offset=1m",
                                         "workload.locality_read_runs=4k/1:20m/1", "workload.locality_footprint=1g"});
    ASSERT_EQ(c.notes.size(), 1u);
    EXPECT_THAT(c.notes[0], HasSubstr("1073741824 bytes are cut to the 16777216 bytes of the region"));
    const auto source = make_source(c.workload, c.logical_sectors(), 1, nullptr);
    Request request;
    while (source->next(request)) {
        ASSERT_GE(request.lba, 2048u);
        ASSERT_LE(request.lba + request.sectors, 17u * 2048);
    }
}

TEST(LocalitySource, NamesTheKeyThatIsWrong)
{
    EXPECT_THAT(error_of({"workload.locality_footprint=4k"}),
                HasSubstr("workload.locality_footprint: 4096 bytes do not hold a run of 4096 bytes and a block"));
    EXPECT_THAT(error_of({"workload.size=2k"}), HasSubstr("workload.size"));
    EXPECT_THAT(error_of({"workload.locality_read_runs=512+/1"}),
                HasSubstr("512+: a run of this size never covers one block of 4096 more than it needs"));
    EXPECT_THAT(error_of({"workload.rw=read"}), HasSubstr("workload.rw: read has no locality"));
    EXPECT_THAT(error_of({"workload.locality_block=3k"}), HasSubstr("3072 is not a power of two"));
    EXPECT_THAT(error_of({"workload.locality_write_runs="}), HasSubstr("rw: randrw has writes; give their runs"));
    EXPECT_THAT(error_of({"workload.locality_read_reuse="}), HasSubstr("rw: randrw has reads; give their distances"));
    EXPECT_THAT(error_of({"workload.bs=8k"}),
                HasSubstr("workload.bs: has no effect because workload.locality_footprint is 67108864"));
    EXPECT_THAT(error_of({"workload.burst_gap_us=1"}), HasSubstr("has no effect because workload.rate_process is linear"));
    EXPECT_THAT(error_of({"workload.mode=open", "workload.rate_iops=1000", "workload.rate_process=bursts",
                          "workload.burst_gap_us=2000"}),
                HasSubstr("2000 us is more than the mean time between all arrivals, 1000 us"));
}

} // namespace
} // namespace tlmssd::workload::test
