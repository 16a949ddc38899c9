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
    EXPECT_EQ(run.status(), platform::RunStatus::Failed);
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
#endif

} // namespace
} // namespace tlmssd::tb
