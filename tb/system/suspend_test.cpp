// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: suspend and polling in whole devices, both controllers: reads under collection's erases.
#include "tb/system/child.h"

namespace tlmssd::tb {
namespace {

Sets with(Sets sets, const Sets& more)
{
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// Erases take 10 ms, suspending them 0.1 ms, a program 0.02 ms.
Figures mixed(const Sets& sets)
{
    const Figures f = run_apart(
        tiny_device() + "workload: {rw: randrw, rwmixread: 50, bs: 8k, requests: 3000}\n",
        with({"scheduler=host", "controller.priorities=reads_first", "controller.streams=per_request",
              "controller.age_limit_us=1e6", "host.queue_depth=2", "nand.t_erase_us=10000",
              "nand.t_suspend_erase_us=100", "nand.t_suspend_program_us=20"},
             sets));
    EXPECT_TRUE(f.clean);
    EXPECT_GT(f.gc_runs, 0u);
    return f;
}
const Sets kSuspending = {"controller.suspend=program_and_erase", "controller.suspend_limit=15",
                          "controller.suspend_progress_us=0"};

class Suspended : public testing::TestWithParam<const char*> {
protected:
    Sets of(const Sets& sets) const
    {
        return with({std::string("controller.kind=") + GetParam()}, sets);
    }
};

// Some of 1500 reads come early in an erase of their die and wait for most of its 10 ms. With suspend
// they wait for its 0.1 ms at most, one step of collection on the die (a read or a program that
// has just begun to be suspended: 0.1), bursts of 43 us of the channel's four dies, twice: 0.4,
// and 0.1 of their own. 3 ms leave room for firmware. One in a thousand may wait all the same: a read of
// a page whose copy by collection is to be programmed behind the erase depends on that program.
TEST_P(Suspended, ReadsDoNotWaitForErases)
{
    const Figures none = mixed(of({}));
    const Figures all = mixed(of(kSuspending));
    EXPECT_EQ(none.suspends, 0u);
    EXPECT_GT(none.read_p999_us, 5000.0);
    EXPECT_LT(all.read_p999_us, 3000.0);
    EXPECT_LT(all.read_us, none.read_us);
    EXPECT_GT(all.suspends, 20u);
    EXPECT_GT(all.resumes, 10u);
    EXPECT_LE(all.resumes, all.suspends);
}

// Real times differ from the data sheet's, so that polls find LUNs busy.
TEST_P(Suspended, PollsServeAsWell)
{
    const Figures f = mixed(of(with(kSuspending, {"onfi.ready=status", "nand.array_variation=0.1"})));
    EXPECT_GT(f.polls, 100u);
    EXPECT_GT(f.resumes, 10u);
    EXPECT_LT(f.read_p999_us, 3000.0);
}

INSTANTIATE_TEST_SUITE_P(System, Suspended, testing::Values("tlm", "rtl"));

// In order, too.
TEST(Polling, OfTheRtlInOrder)
{
    const Figures f = run_apart(
        tiny_device() + "workload: {rw: randrw, rwmixread: 50, bs: 8k, requests: 1000}\n",
        {"controller.kind=rtl", "onfi.ready=status", "nand.array_variation=0.1"});
    EXPECT_TRUE(f.clean);
    EXPECT_GT(f.polls, 100u);
}

} // namespace
} // namespace tlmssd::tb
