// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the TLM controller of a sampled run takes as long to decide as the RTL, where that is known.
#include "models/sample/stand_by_pass.h"

#include <gtest/gtest.h>

#include "models/config/config.h"
#include "models/sample/forked_pass.h"
#include "models/sample/outline.h"
#include "models/sample/whole_message.h"

#ifdef TLMSSD_HAVE_RTL
namespace tlmssd::sample {
namespace {

/// Reads one after the other, by the TLM controller; `message_of` puts what the caller wants to know of them.
template <class MessageOf>
Message reads(u64 requests, const std::vector<std::string>& more, const Plan& plan, const MessageOf& message_of)
{
    ChildProcess child; // the SystemC kernel elaborates once in a process
    if (!child.is_parent()) {
        try {
            std::vector<std::string> sets = {"controller.kind=rtl", "scheduler=host", "host.kind=direct",
                                             "host.queue_depth=1", "workload.mode=closed", "workload.rw=randread",
                                             "workload.bs=4096", "workload.requests=" + std::to_string(requests)};
            sets.insert(sets.end(), more.begin(), more.end());
            const config::Config config = config::load("configs/ssd/default.yaml", {sets});
            const Census census = count(config, nullptr);
            ForkedPasses passes(config, ForkedPasses::Between::TlmController, "", false);
            child.succeed(message_of(passes.finish(passes.begin(plan, census))));
        } catch (...) {
            child.fail(std::current_exception());
        }
    }
    return child.result();
}

double mean_ns(const Whole& whole)
{
    return whole.kinds[0].latency_ps / static_cast<double>(whole.kinds[0].requests) / 1000;
}

/// Mean latency in ns of a pass without windows.
double read_ns(const std::string& clock_mhz, const std::string& ready, Picoseconds longer_ecc = Picoseconds())
{
    Plan plan;
    plan.longer_ecc = longer_ecc;
    return reads(500, {"controller.clock_mhz=" + clock_mhz, "onfi.ready=" + ready}, plan, [](const PassResult& result) {
        Message message;
        message.put(mean_ns(result.whole));
        return message;
    }).take<double>();
}

// A read alone takes 20 edges: 10 to its command, 7 from R/B# to its burst, 3 from its landing to its completion
// (docs/explanation/rtl-o3-times.md). Each of the three begins at the next edge, so it is half an edge more on average,
// and never more than one.
TEST(StandByPass, TheControllerTakesTheEdgesOfTheRtl)
{
    const double slow = read_ns("10", "lun"), fast = read_ns("100", "lun");
    const double edge = 100 - 10; // ns
    EXPECT_GT(slow - fast, 20 * edge - 3 * 10);
    EXPECT_LT(slow - fast, 20 * edge + 3 * 100);
}

TEST(StandByPass, ItDecidesInNoTimeWhereTheLatenciesAreNotKnown)
{
    EXPECT_EQ(read_ns("10", "status"), read_ns("100", "status"));
}

TEST(StandByPass, AnEdgeMoreOfEccIsAnEdgeMoreOfARead)
{
    const double more = read_ns("80", "lun", Picoseconds(12'500)) - read_ns("80", "lun");
    EXPECT_LE(more, 12.5 + 1e-6);
    EXPECT_GT(more, 0.98 * 12.5); // few reads find their page in the buffer
}

/// Parts of sections of a run of 20,000 reads: 8 sections of 800 reads, 4 parts of 200 each.
Twins sections(Picoseconds ecc)
{
    Plan plan;
    plan.sections = 8;
    plan.section_length = 800;
    plan.section_ecc = ecc;
    Message message = reads(20'000, {"controller.clock_mhz=80"}, plan, [](const PassResult& result) {
        Message twins;
        put_all(twins, result.sections.pass);
        put_all(twins, result.sections.other);
        twins.put(result.sections.share);
        return twins;
    });
    Twins twins;
    twins.pass = take_wholes(message);
    twins.other = take_wholes(message);
    twins.share = message.take<double>();
    return twins;
}

TEST(StandByPass, ASectionIsTheSameInTwoEqualRuns)
{
    const Twins twins = sections(Picoseconds());
    EXPECT_EQ(twins.share, 0.32);
    ASSERT_EQ(twins.pass.size(), kParts);
    ASSERT_EQ(twins.other.size(), kParts);
    for (u64 i = 0; i < kParts; ++i) {
        EXPECT_EQ(twins.pass[i].requests, 200u);
        EXPECT_EQ(twins.other[i].requests, 200u);
        EXPECT_EQ(twins.pass[i].bytes, 200u * 4096);
        EXPECT_EQ(twins.pass[i].time_ps, twins.other[i].time_ps);
        EXPECT_EQ(twins.pass[i].kinds[0].latency_ps, twins.other[i].kinds[0].latency_ps);
        EXPECT_EQ(twins.pass[i].kinds[0].buckets, twins.other[i].kinds[0].buckets);
        EXPECT_GT(twins.pass[i].time_ps, 0u);
    }
}

TEST(StandByPass, TheOtherRunOfASectionHasLongerEcc)
{
    const Twins twins = sections(Picoseconds(12'500));
    for (u64 i = 0; i < kParts; ++i) {
        const double more = mean_ns(twins.other[i]) - mean_ns(twins.pass[i]);
        EXPECT_LE(more, 12.5 + 1e-6);
        EXPECT_GT(more, 0.9 * 12.5); // few reads find their page in the buffer
        // One after the other: each read is as much later as it takes longer.
        const double later = static_cast<double>(twins.other[i].time_ps) - static_cast<double>(twins.pass[i].time_ps);
        EXPECT_NEAR(later, more * 1000 * 200, 12'500);
    }
}

TEST(StandByPass, ItShowsWhatItHasSoFarAndGoesOn)
{
    ChildProcess child; // reads() has no outlines
    if (!child.is_parent()) {
        try {
            const config::Config config =
                config::load("configs/ssd/default.yaml", {{"controller.kind=rtl", "scheduler=host", "host.kind=direct",
                                                           "workload.mode=closed", "workload.rw=randread",
                                                           "workload.bs=4096", "workload.requests=640"}});
            ForkedPasses passes(config, ForkedPasses::Between::TlmController, "", false);
            Plan plan;
            plan.outline_every = 320; // kParts parts of 20 requests
            ChildProcess pass = passes.begin(plan, count(config, nullptr));
            const std::vector<Outline> outlines = {ForkedPasses::outline(pass), ForkedPasses::outline(pass)};
            Message message;
            message.put_all(outlines);
            put_all(message, passes.finish(pass).parts);
            child.succeed(message);
        } catch (...) {
            child.fail(std::current_exception());
        }
    }
    Message message = child.result();
    const std::vector<Outline> outlines = message.take_all<Outline>();
    const std::vector<Whole> parts = take_wholes(message);
    ASSERT_EQ(outlines.size(), 2u);
    ASSERT_EQ(parts.size(), kParts);
    u64 time_ps = 0;
    double latency_ps = 0;
    for (u64 half = 0; half < 2; ++half) {
        for (u64 i = half * kParts / 2; i < (half + 1) * kParts / 2; ++i) {
            time_ps += parts.at(i).time_ps;
            latency_ps += parts.at(i).kinds[0].latency_ps;
        }
        EXPECT_EQ(outlines[half].time_ps, time_ps);
        EXPECT_DOUBLE_EQ(outlines[half].kinds[0].mean_ps, latency_ps / static_cast<double>(320 * (half + 1)));
        EXPECT_GT(outlines[half].kinds[0].tail_ps, outlines[half].kinds[0].mean_ps);
        EXPECT_EQ(outlines[half].kinds[1].mean_ps, 0);
    }
}

/// Asks for the RTL, and later for the TLM controller and the RTL again.
class Asking final : public Pass {
public:
    Asking(const config::Config& config, const SsdOptions& options) : Pass(config, options) {}

    std::vector<bool> checks; ///< at each request

private:
    std::unique_ptr<workload::RequestSource> prepare(std::unique_ptr<workload::RequestSource> source,
                                                     const config::LoopMode&) override
    {
        ssd_.stand_by(true);
        return source;
    }
    void on_request(const host::RequestRecord&) override
    {
        checks.push_back(ssd_.checks());
        if (checks.size() % 100 == 0) {
            ssd_.stand_by(checks.size() == 200);
        }
    }
    bool complete() const override { return checks.size() == 400; }
};

// Programs of the TLM controller that the checker has not seen are no violations: run() would throw.
TEST(StandByPass, TheCheckerWatchesFromTheFirstWorkOfTheRtlOn)
{
    ChildProcess child;
    if (!child.is_parent()) {
        try {
            const config::Config config =
                config::load("configs/ssd/default.yaml",
                             {{"controller.kind=rtl", "scheduler=host", "host.kind=direct", "host.queue_depth=1",
                               "workload.mode=closed", "workload.rw=randwrite", "workload.bs=128k", "buffer.size_mib=1",
                               "workload.requests=400"}});
            SsdOptions options;
            options.stand_by = true;
            Asking pass(config, options);
            pass.run({}, count(config, nullptr), only_job(config, nullptr), false);
            Message message;
            message.put_all(std::vector<u8>(pass.checks.begin(), pass.checks.end()));
            child.succeed(message);
        } catch (...) {
            child.fail(std::current_exception());
        }
    }
    const std::vector<u8> checks = child.result().take_all<u8>();
    ASSERT_EQ(checks.size(), 400u);
    EXPECT_FALSE(checks[99]);
    EXPECT_TRUE(checks[199]);
    EXPECT_TRUE(checks[399]);
}

} // namespace
} // namespace tlmssd::sample
#endif
