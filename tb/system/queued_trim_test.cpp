// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: TRIMs that SATA queues: they let the queue stay full, and they keep their order among
// reads and writes of the same pages.
#include <tuple>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

/// A twentieth of the device, so that commands beside a TRIM often overlap it.
Device run(bool queued, const char* policy, u32 bytes)
{
    const std::string load = tiny_device() + R"(
workload: {rw: randrw, rwmixread: 50, trim_percent: 20, size: 5%, requests: 4000}
)";
    return Device(load, {"host.kind=sata", std::string("buffer.policy=") + policy,
                         "workload.bs=" + std::to_string(bytes),
                         std::string("sata.queued_trim=") + (queued ? "true" : "false")});
}

class QueuedTrim : public testing::TestWithParam<std::tuple<const char*, u32>> {};

// The host keeps 32 requests: the next arrives when one ends, whose tag is then free. So a request
// waits for its tag only where the queue drains; without a drain the sum of all waits is 0.
TEST_P(QueuedTrim, NeverDrainsTheQueueAndLosesNothing)
{
    const auto [policy, bytes] = GetParam();
    const Device device = run(true, policy, bytes);
    device.expect_clean();
    EXPECT_GT(device.host().trims, 248u); // 10 per cent, 400: less 8 standard deviations of 19
    EXPECT_GT(device.host().units_checked, 0u);
    EXPECT_EQ(static_cast<u64>(device.host().queue_wait.sum_ps), 0u);
}

INSTANTIATE_TEST_SUITE_P(System, QueuedTrim,
                         testing::Combine(testing::Values("none", "lru"),
                                          testing::Values(1536u, 8192u, 24576u)),
                         [](const auto& it) {
                             return std::string(std::get<0>(it.param)) + "_" +
                                    std::to_string(std::get<1>(it.param)) + "B";
                         });

TEST(QueuedTrimSystem, WithoutItEachTrimDrainsTheQueue)
{
    const Device device = run(false, "none", 8192);
    device.expect_clean();
    // In the device alone: 31 tags are empty for the whole of each TRIM.
    const host::InitiatorStats& host = device.host();
    EXPECT_GT(static_cast<u64>(host.queue_wait.sum_ps), 0u);
    EXPECT_LE(static_cast<u64>(host.outstanding_ps),
              32 * device.makespan().value() - 31 * static_cast<u64>(host.trim_latency.sum_ps));
}

} // namespace
} // namespace tlmssd::tb
