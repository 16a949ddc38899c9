// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of the generator's rules: quotas, randomness, regions, ends, arrivals.
#include <gmock/gmock.h>

#include "tb/workload/generated.h"

namespace tlmssd::workload::test {
namespace {

using config::LoopMode;
using config::Rw;
using testing::ElementsAre;

TEST(MixQuota, IsExactAndRepeats)
{
    auto workload = generated(Rw::RandRw, 2 * 5003);
    workload.reads = 5000;
    workload.writes = 3;
    const auto requests = run(workload, 1 << 20);
    for (const std::size_t round : {0, 1}) {
        u64 writes = 0;
        for (std::size_t i = 0; i < 5003; ++i) {
            writes += requests[round * 5003 + i].kind == Kind::Write ? 1 : 0;
        }
        EXPECT_EQ(writes, 3u);
    }
}

/// Of the requests of one kind from the second on: those that do not start where the one before
/// ended.
double random_percent(const std::vector<Request>& requests, Kind kind)
{
    double all = 0;
    double random = 0;
    for (std::size_t i = 1; i < requests.size(); ++i) {
        if (requests[i].kind == kind) {
            all += 1;
            random += requests[i].lba != requests[i - 1].lba + requests[i - 1].sectors ? 1 : 0;
        }
    }
    return 100 * random / all;
}

TEST(RuledRandomness, IsExactOverARound)
{
    // 1,000 reads, 16.07 % random: 839.3 follow, rounded to 839; 500 writes, all random. A request
    // may not follow at the start or at the region's end: within one request of the quota here.
    auto workload = generated(Rw::RandRw, 1500);
    workload.reads = 1000;
    workload.writes = 500;
    workload.random_read_percent = 16.07;
    workload.random_write_percent = 100;
    workload.bssplit = split("4k/50:16k/50,8k");
    const auto requests = run(workload, u64{1} << 30);
    EXPECT_NEAR(random_percent(requests, Kind::Read), 16.1, 0.11);
    EXPECT_EQ(random_percent(requests, Kind::Write), 100);
}

TEST(RuledRandomness, NoneIsOneStreamOverReadsAndWrites)
{
    auto workload = generated(Rw::RandRw, 1000);
    workload.random_read_percent = 0;
    workload.random_write_percent = 0;
    const auto requests = run(workload, u64{1} << 30);
    for (std::size_t i = 1; i < requests.size(); ++i) {
        ASSERT_EQ(requests[i].lba, requests[i - 1].lba + 8);
    }
}

TEST(RuledRandomness, AllNeverFollowsEvenByChance)
{
    auto workload = generated(Rw::RandRead, 20000);
    workload.random_read_percent = 100;
    // 8 blocks: by chance one in eight would follow.
    EXPECT_EQ(random_percent(run(workload, 8 * 8), Kind::Read), 100);
}

TEST(PercentageRandom, OthersFollowTheirOwnDirection)
{
    auto workload = generated(Rw::RandRw, 40000);
    workload.percentage_random.of = {25, 0, 0};
    u64 read_end = 0;
    u64 write_end = 0;
    double reads = 0;
    double random = 0;
    for (const Request& request : run(workload, u64{1} << 30)) {
        if (request.kind == Kind::Write) {
            ASSERT_EQ(request.lba, write_end);
            write_end = request.lba + 8;
            continue;
        }
        reads += 1;
        random += request.lba == read_end ? 0 : 1;
        read_end = request.lba + 8;
    }
    EXPECT_NEAR(random, 0.25 * reads, five_sigma(reads, 0.25));
}

TEST(Region, OffsetAndSizeBoundIt)
{
    auto workload = generated(Rw::RandRead, 20000);
    workload.offset = extent("10%"); // 100 sectors of 1,000: rounded up to 104, a multiple of 8
    workload.size = extent("200k");  // 400 sectors
    u64 least = 1000;
    u64 most = 0;
    for (const Request& request : run(workload, 1000)) {
        least = std::min(least, request.lba);
        most = std::max(most, request.lba + 8);
    }
    EXPECT_EQ(least, 104u);
    EXPECT_EQ(most, 504u);
    workload.size = extent("100%"); // cut at the device's end: 896 sectors, 112 blocks
    most = 0;
    for (const Request& request : run(workload, 1000)) {
        most = std::max(most, request.lba + 8);
    }
    EXPECT_EQ(most, 1000u);
}

TEST(End, IsThatOfBytesLoopsOrNumbers)
{
    auto workload = generated(Rw::Write, 0);
    workload.io_size = 100000; // 25 requests of 4,096 bytes are the first to reach it
    EXPECT_EQ(run(workload, 1 << 20).size(), 25u);
    workload.io_size = 0;
    workload.loops = 3; // 10 blocks and 5 sectors that hold none
    EXPECT_EQ(run(workload, 85).size(), 30u);
    workload.number_ios = 7;
    workload.flush_every = 2; // flushes do not count: W W F W W F W W F W
    const auto requests = run(workload, 85);
    EXPECT_EQ(count(requests, Kind::Write), 7u);
    EXPECT_EQ(count(requests, Kind::Flush), 3u);
}

TEST(Randseed, ChangesTheDraws)
{
    auto workload = generated(Rw::RandRead, 100);
    const auto plain = run(workload, 1 << 20);
    workload.randseed = 5;
    const auto five = run(workload, 1 << 20);
    EXPECT_FALSE(five == plain);
    EXPECT_EQ(run(workload, 1 << 20), five);
}

TEST(TrimWrite, WritesWhatItHasTrimmed)
{
    for (const Rw rw : {Rw::TrimWrite, Rw::RandTrimWrite}) {
        auto workload = generated(rw, 0);
        workload.number_ios = 50;
        workload.bssplit = split("4k/50:8k/50");
        const auto requests = run(workload, 1 << 20);
        ASSERT_EQ(requests.size(), 100u);
        for (std::size_t i = 0; i < requests.size(); i += 2) {
            EXPECT_EQ(requests[i].kind, Kind::Trim);
            EXPECT_EQ(requests[i + 1].kind, Kind::Write);
            EXPECT_EQ(requests[i + 1].lba, requests[i].lba);
            EXPECT_EQ(requests[i + 1].sectors, requests[i].sectors);
        }
    }
    EXPECT_EQ(count(run(generated(Rw::RandTrim, 100), 1 << 20), Kind::Trim), 100u);
    EXPECT_EQ(count(run(generated(Rw::Trim, 100), 1 << 20), Kind::Trim), 100u);
}

TEST(Arrivals, LinearOnesAreMultiplesOfTheInterval)
{
    auto workload = generated(Rw::RandRead, 4);
    workload.mode = LoopMode::Open;
    workload.rate_iops = 3; // 333333333333.3 ps
    std::vector<u64> times;
    for (const Request& request : run(workload, 1 << 20)) {
        times.push_back(request.arrival.value());
    }
    EXPECT_THAT(times, ElementsAre(0u, 333333333333u, 666666666667u, 1000000000000u));
}

TEST(Arrivals, PoissonGapsAreExponential)
{
    constexpr u64 kRequests = 100000;
    auto workload = generated(Rw::RandRead, kRequests);
    workload.mode = LoopMode::Open;
    workload.rate_iops = 1000;
    workload.rate_process = config::RateProcess::Poisson;
    double last = 0;
    double sum = 0;
    double squares = 0;
    double beyond_two = 0;
    for (const Request& request : run(workload, 1 << 20)) {
        const double time = static_cast<double>(request.arrival.value()) / 1e9; // in gaps of 1 ms
        const double gap = time - last;
        ASSERT_GE(gap, 0);
        last = time;
        sum += gap;
        squares += gap * gap;
        beyond_two += gap > 2 ? 1 : 0;
    }
    // Mean 1, second moment 2 with variance 4! - 2^2 = 20, P(gap > 2) = e^-2.
    EXPECT_NEAR(sum / kRequests, 1, 5 / std::sqrt(kRequests));
    EXPECT_NEAR(squares / kRequests, 2, 5 * std::sqrt(20.0 / kRequests));
    EXPECT_NEAR(beyond_two, std::exp(-2) * kRequests, five_sigma(kRequests, std::exp(-2)));
}

TEST(Arrivals, AFlushArrivesWithTheWriteBeforeIt)
{
    auto workload = generated(Rw::Write, 6);
    workload.mode = LoopMode::Open;
    workload.rate_iops = 1000;
    workload.flush_every = 2;
    std::vector<u64> milliseconds;
    for (const Request& request : run(workload, 1 << 20)) {
        milliseconds.push_back(request.arrival.value() / 1000000000);
    }
    EXPECT_THAT(milliseconds, ElementsAre(0u, 1u, 1u, 2u, 3u, 3u)); // W W F W W F
}

TEST(Arrivals, BeyondHundredDaysAreAnError)
{
    auto workload = generated(Rw::RandRead, 10);
    workload.mode = LoopMode::Open;
    workload.rate_iops = 1e-7; // 10^19 ps apart
    EXPECT_THAT(error_of(workload, 1 << 20), testing::HasSubstr("workload.rate_iops: request 1"));
}

} // namespace
} // namespace tlmssd::workload::test
