// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: injected faults end a run as failed, with a text that names what was found.
#include <gmock/gmock.h>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

using testing::HasSubstr;

const char* const kWorkload = "\nworkload: {rw: randread, bs: 8k, requests: 2000}\n";

Device run_with(const std::string& fault, const Sets& more)
{
    Sets sets = more;
    if (!fault.empty()) {
        sets.push_back(fault);
    }
    return Device(tiny_device() + kWorkload, sets);
}

void expect_mismatch(const Device& run)
{
    EXPECT_EQ(run.status(), run::RunStatus::Failed);
    EXPECT_GT(run.host().mismatches, 0u);
    EXPECT_LT(run.completed(), run.config().workload.requests); // stopped where it was found
    EXPECT_THAT(run.failure_text(), HasSubstr("integrity: LBA "));
    EXPECT_THAT(run.failure_text(), HasSubstr(": expected unit "));
    EXPECT_THAT(run.failure_text(), HasSubstr(", got "));
    EXPECT_EQ(run.results()["status"], "failed");
    EXPECT_EQ(run.results()["integrity"]["mismatches"], run.host().mismatches);
}

const Sets kSata{"host.kind=sata"};

TEST(Fault, NoneIsFoundWhereNoneIsInjected) { run_with("", {}).expect_clean(); }

TEST(Fault, SwappedPageRegistersAreFound)
{
    expect_mismatch(run_with("inject.swap_page_registers_at=500", {}));
}

TEST(Fault, SwappedPageRegistersAreFoundOverSata)
{
    expect_mismatch(run_with("inject.swap_page_registers_at=500", kSata));
}

TEST(Fault, AFalsifiedDmaAddressIsFound)
{
    expect_mismatch(run_with("inject.falsify_dma_at=500", {}));
}

TEST(Fault, AFalsifiedDmaAddressIsFoundOverSata)
{
    expect_mismatch(run_with("inject.falsify_dma_at=500", kSata));
}

// On an empty device the first DMA feeds a program, and the next access to that page is most likely
// one of the many reads (it is, with this seed).
TEST(Fault, AFalsifiedDmaOfAWriteIsFoundWhenThePageIsReadBack)
{
    const Device run(tiny_device() + "workload: {rw: randrw, bs: 8k, rwmixread: 90, size: 10%, "
                                     "requests: 9000}\n",
                     {"precondition.fill=0", "inject.falsify_dma_at=1"});
    expect_mismatch(run);
    EXPECT_GT(run.host().writes.count, 0u);
}

#ifdef TLMSSD_HAVE_RTL
const Sets kRtl{"controller.kind=rtl"};

TEST(Fault, SwappedPageRegistersAreFoundBelowTheRtlController)
{
    expect_mismatch(run_with("inject.swap_page_registers_at=500", kRtl));
}

TEST(Fault, AFalsifiedDmaAddressIsFoundBelowTheRtlController)
{
    expect_mismatch(run_with("inject.falsify_dma_at=500", kRtl));
}

// In `rtl` C++ decides nothing: with one channel's grants tied off nobody takes its place. The oldest of
// the stream is a read of that channel, all others are held behind it, and the watchdog ends the run.
class NoGrant : public testing::TestWithParam<u32> {};

TEST_P(NoGrant, HangsTheRunUntilTheWatchdogNamesTheChannel)
{
    const u32 channel = GetParam();
    const Device run(tiny_device() + kWorkload,
                     {"controller.kind=rtl", "geometry.channels=8", "scheduler=host",
                      "inject.no_grants=" + std::to_string(1u << channel)});
    EXPECT_EQ(run.status(), run::RunStatus::Failed);
    EXPECT_LT(run.completed(), 2000u);
    const std::string text = run.failure_text();
    const std::string name = "channel " + std::to_string(channel);
    EXPECT_THAT(text, HasSubstr("rtl: watchdog: no progress since "));
    EXPECT_THAT(text, testing::ContainsRegex("the oldest: tag [0-9]+, READ of " + name +
                                             " CE# [01] LUN [01], taken at .*, no segment yet"));
    EXPECT_THAT(text, testing::ContainsRegex("rtl: " + name + ": [0-9]+ operations outstanding, bus free"));
}

TEST_P(NoGrant, InOrderToo)
{
    const Device run(tiny_device() + kWorkload,
                     {"controller.kind=rtl", "geometry.channels=8", "scheduler=inorder",
                      "inject.no_grants=" + std::to_string(1u << GetParam())});
    EXPECT_EQ(run.status(), run::RunStatus::Failed);
    EXPECT_THAT(run.failure_text(), HasSubstr("rtl: watchdog: no progress since "));
    EXPECT_THAT(run.failure_text(), HasSubstr("rtl: channel " + std::to_string(GetParam()) + ": "));
}

INSTANTIATE_TEST_SUITE_P(EachChannel, NoGrant, testing::Range(0u, 8u));
#endif

} // namespace
} // namespace tlmssd::tb
