// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of generated workloads against closed forms.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tb/workload/generated.h"

namespace tlmssd::workload::test {
namespace {

using config::Rw;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Sequential, WrapsAtTheEndOfTheRegion)
{
    // 35 sectors hold four blocks of 8; half of 70 sectors are 35.
    auto workload = generated(Rw::Write, 6);
    workload.size = extent("50%");
    const auto requests = run(workload, 70);
    std::vector<u64> lbas;
    for (const Request& request : requests) {
        lbas.push_back(request.lba);
        EXPECT_EQ(request.kind, Kind::Write);
        EXPECT_EQ(request.sectors, 8u);
        EXPECT_EQ(request.arrival, Picoseconds(0));
    }
    EXPECT_THAT(lbas, ElementsAre(0, 8, 16, 24, 0, 8));
}

TEST(Sequential, MixedReadsAndWritesHaveAPointerEach)
{
    auto workload = generated(Rw::ReadWrite, 2000);
    workload.bs = 512;
    u64 next_read = 0;
    u64 next_write = 0;
    for (const Request& request : run(workload, 300)) {
        u64& next = request.kind == Kind::Read ? next_read : next_write;
        ASSERT_EQ(request.lba, next);
        next = (next + 1) % 300;
    }
}

TEST(Random, IsUniformOverTheBlocks)
{
    // Chi-square with 255 degrees of freedom: mean 255, sigma sqrt(510) = 22.6.
    constexpr u64 kBlocks = 256;
    constexpr u64 kRequests = 256000;
    std::vector<u64> hits(kBlocks);
    for (const Request& request : run(generated(Rw::RandRead, kRequests), kBlocks * 8 + 7)) {
        ASSERT_EQ(request.lba % 8, 0u);
        ASSERT_EQ(request.sectors, 8u);
        ASSERT_EQ(request.kind, Kind::Read);
        ASSERT_LT(request.lba / 8, kBlocks);
        ++hits[request.lba / 8];
    }
    double chi_square = 0;
    for (const u64 n : hits) {
        const double off = static_cast<double>(n) - 1000;
        chi_square += off * off / 1000;
    }
    EXPECT_NEAR(chi_square, 255, 5 * std::sqrt(510.0));
}

TEST(Random, ConsecutiveBlocksAreIndependent)
{
    // Pairs over 16 x 16 cells: 255 degrees of freedom again.
    constexpr u64 kPairs = 128000;
    const auto requests = run(generated(Rw::RandWrite, 2 * kPairs), 16 * 8, 7);
    std::vector<u64> hits(256);
    for (u64 i = 0; i < kPairs; ++i) {
        ++hits[requests[2 * i].lba / 8 * 16 + requests[2 * i + 1].lba / 8];
    }
    double chi_square = 0;
    for (const u64 n : hits) {
        const double off = static_cast<double>(n) - 500;
        chi_square += off * off / 500;
    }
    EXPECT_NEAR(chi_square, 255, 5 * std::sqrt(510.0));
}

TEST(Mix, FollowsRwmixreadAndTrimPercent)
{
    constexpr double kRequests = 200000;
    auto workload = generated(Rw::RandRw, 200000);
    workload.rwmixread = 70;
    workload.trim_percent = 20;
    const auto requests = run(workload, 1 << 20);
    // Reads 0.7, trims 0.3 * 0.2 = 0.06, writes 0.24.
    EXPECT_NEAR(static_cast<double>(count(requests, Kind::Read)), 0.70 * kRequests,
                five_sigma(kRequests, 0.70));
    EXPECT_NEAR(static_cast<double>(count(requests, Kind::Trim)), 0.06 * kRequests,
                five_sigma(kRequests, 0.06));
    EXPECT_NEAR(static_cast<double>(count(requests, Kind::Write)), 0.24 * kRequests,
                five_sigma(kRequests, 0.24));
}

TEST(Mix, EndsAreExact)
{
    for (const Rw rw : {Rw::RandRw, Rw::ReadWrite}) {
        auto workload = generated(rw, 1000);
        workload.rwmixread = 0;
        EXPECT_EQ(count(run(workload, 1 << 20), Kind::Write), 1000u);
        workload.trim_percent = 100;
        EXPECT_EQ(count(run(workload, 1 << 20), Kind::Trim), 1000u);
        workload.rwmixread = 100;
        EXPECT_EQ(count(run(workload, 1 << 20), Kind::Read), 1000u);
    }
    auto workload = generated(Rw::RandRead, 1000);
    workload.rwmixread = 0; // fio ignores it outside the mixed words
    EXPECT_EQ(count(run(workload, 1 << 20), Kind::Read), 1000u);
}

TEST(Flush, FollowsEachNthWrite)
{
    auto workload = generated(Rw::Write, 8);
    workload.flush_every = 3;
    std::vector<Kind> kinds;
    for (const Request& request : run(workload, 1 << 20)) {
        kinds.push_back(request.kind);
        EXPECT_EQ(request.sectors, request.kind == Kind::Flush ? 0u : 8u);
    }
    const Kind w = Kind::Write;
    EXPECT_THAT(kinds, ElementsAre(w, w, w, Kind::Flush, w, w, w, Kind::Flush));
}

TEST(Flush, DoesNotChangeTheOtherRequests)
{
    auto workload = generated(Rw::RandRw, 1000);
    const auto plain = run(workload, 1 << 20);
    workload.flush_every = 1;
    workload.requests = 2000;
    std::size_t at = 0;
    for (const Request& request : run(workload, 1 << 20)) {
        if (request.kind != Kind::Flush && at < plain.size()) {
            ASSERT_EQ(request, plain[at++]);
        }
    }
    EXPECT_EQ(at, plain.size());
}

TEST(Fua, MarksWritesOnly)
{
    auto workload = generated(Rw::RandRw, 1000);
    workload.trim_percent = 50;
    workload.fua = true;
    for (const Request& request : run(workload, 1 << 20)) {
        ASSERT_EQ(request.fua, request.kind == Kind::Write);
    }
}

TEST(Seed, DecidesEverything)
{
    auto workload = generated(Rw::RandRw, 1000);
    workload.random_distribution = distribution("zipf:1.1");
    const auto first = run(workload, 1 << 20, 5);
    EXPECT_EQ(run(workload, 1 << 20, 5), first);
    EXPECT_FALSE(run(workload, 1 << 20, 6) == first);
}

TEST(ZipfWorkload, HotBlocksHaveTheirShareAndAreSpread)
{
    // n = 1,000, theta = 1: the hottest block gets 1/H(1000), the next half of it;
    // H(1000) = ln 1000 + 0.5772157 + 1/2000 = 7.4854709.
    constexpr double kRequests = 200000;
    auto workload = generated(Rw::RandRead, 200000);
    workload.random_distribution = distribution("zipf:1");
    std::vector<u64> hits(1000);
    for (const Request& request : run(workload, 8000)) {
        ++hits[request.lba / 8];
    }
    const auto hottest = std::max_element(hits.begin(), hits.end());
    const double p = 1 / 7.4854709;
    EXPECT_NEAR(static_cast<double>(*hottest), p * kRequests, five_sigma(kRequests, p));
    const auto place = hottest - hits.begin();
    *hottest = 0;
    const auto second = std::max_element(hits.begin(), hits.end());
    EXPECT_NEAR(static_cast<double>(*second), p / 2 * kRequests, five_sigma(kRequests, p / 2));
    EXPECT_GT(std::abs((second - hits.begin()) - place), 1);
}

TEST(Options, WrongOnesAreNamed)
{
    const auto message = [](void (*change)(config::Workload&), u64 sectors = 1 << 20) {
        auto workload = generated(Rw::RandRw, 10);
        change(workload);
        return error_of(workload, sectors);
    };
    EXPECT_EQ(message([](config::Workload&) {}), "");
    EXPECT_THAT(message([](config::Workload& w) { w.bs = 1000; }), HasSubstr("workload.bs: 1000"));
    EXPECT_THAT(message([](config::Workload& w) { w.bs = 0; }), HasSubstr("workload.bs"));
    EXPECT_THAT(message([](config::Workload& w) { w.bs = 33554944; }), HasSubstr("workload.bs"));
    EXPECT_EQ(message([](config::Workload& w) { w.size = extent("0"); }),
              "workload.size: 0 sectors hold no block");
    EXPECT_EQ(message([](config::Workload& w) { w.offset = extent("100%"); }),
              "workload.offset: at or beyond the end of the device, 536870912 bytes");
    EXPECT_EQ(message([](config::Workload&) {}, 7),
              "workload.size: a request of 4096 bytes does not fit into the 3584 bytes that are "
              "used");
    EXPECT_THAT(message([](config::Workload& w) { w.requests = 0; }),
                HasSubstr("workload.requests"));
    EXPECT_THAT(message([](config::Workload& w) { w.rwmixread = 101; }),
                HasSubstr("workload.rwmixread: 101"));
    EXPECT_THAT(message([](config::Workload& w) { w.trim_percent = 101; }),
                HasSubstr("workload.trim_percent"));
    EXPECT_THAT(message([](config::Workload& w) { w.mode = config::LoopMode::Open; }),
                HasSubstr("workload.mode"));
    EXPECT_THAT(message([](config::Workload& w) { w.format = "spc"; }),
                HasSubstr("workload.format"));
    EXPECT_THAT(message([](config::Workload& w) { w.reads = 5; w.rw = Rw::RandRead; }),
                HasSubstr("workload.reads: quotas of reads and writes need rw"));
    EXPECT_THAT(message([](config::Workload& w) {
                    w.rate_process = config::RateProcess::Poisson;
                    w.rate_iops = 5;
                }),
                HasSubstr("workload.rate_process: poisson arrivals need mode: open"));
    EXPECT_THAT(message([](config::Workload& w) {
                    w.norandommap = false;
                    w.random_distribution = distribution("zipf:1.1");
                }),
                HasSubstr("workload.norandommap: false visits each block once"));
    EXPECT_THAT(message([](config::Workload& w) {
                    w.norandommap = false;
                    w.bssplit = split("4k/100,8k/100");
                }),
                HasSubstr("needs the same sizes for reads, writes and trims"));
    EXPECT_THAT(message([](config::Workload& w) {
                    w.random_distribution = distribution("zoned:50/0.01:50/99.99");
                    w.size = extent("4m");
                }),
                HasSubstr("a zone of the 1024 blocks that are used holds none"));
    EXPECT_THAT(message([](config::Workload& w) {
                    w.percentage_random.of = {50, 50, 50};
                    w.random_read_percent = 50;
                }),
                HasSubstr("workload.percentage_random: given beside random_read_percent"));
    EXPECT_THAT(message([](config::Workload&) {}, 0), HasSubstr("the device has no sectors"));
}

TEST(Progress, RunsFromZeroToOne)
{
    const auto source = make_source(generated(Rw::RandRead, 4), 1 << 20, 1, nullptr);
    EXPECT_EQ(source->expected(), 4u);
    EXPECT_EQ(source->progress(), 0);
    Request request;
    ASSERT_TRUE(source->next(request));
    EXPECT_EQ(source->progress(), 0.25);
    drain(*source);
    EXPECT_EQ(source->progress(), 1);
    EXPECT_EQ(source->counts().requests, 4u);
}

} // namespace
} // namespace tlmssd::workload::test
