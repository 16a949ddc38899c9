// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the TLM controller of a sampled run takes as long to decide as the RTL, where that is known.
#include "models/sample/stand_by_pass.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "models/config/config.h"
#include "models/sample/forked_pass.h"

#ifdef TLMSSD_HAVE_RTL
namespace tlmssd::sample {
namespace {

/// Mean latency in ns of reads one after the other, by the TLM controller of a pass without windows.
double read_ns(const std::string& clock_mhz, const std::string& ready, Picoseconds longer_ecc = Picoseconds())
{
    ChildProcess child; // the SystemC kernel elaborates once in a process
    if (!child.is_parent()) {
        try {
            const config::Config config = config::load(
                "configs/ssd/default.yaml",
                {{"controller.kind=rtl", "scheduler=host", "controller.clock_mhz=" + clock_mhz, "onfi.ready=" + ready,
                  "host.kind=direct", "host.queue_depth=1", "workload.mode=closed", "workload.rw=randread",
                  "workload.bs=4096", "workload.requests=500"}});
            const Census census = count(config, nullptr);
            ForkedPasses passes(config, "", false);
            Plan plan;
            plan.longer_ecc = longer_ecc;
            const PassResult result = passes.run(plan, census);
            Message message;
            message.put(result.whole.kinds[0].latency_ps / static_cast<double>(result.whole.kinds[0].requests) / 1000);
            child.succeed(message);
        } catch (...) {
            child.fail(std::current_exception());
        }
        ::_exit(1);
    }
    return child.result().take<double>();
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

} // namespace
} // namespace tlmssd::sample
#endif
