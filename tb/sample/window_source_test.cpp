// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the requests that the host gets, and when they arrive.
#include "models/sample/window_source.h"

#include <gtest/gtest.h>

namespace tlmssd::sample {
namespace {

/// Requests n = 0, 1, ... of LBA n that arrive every 10 ps.
class Numbers final : public workload::RequestSource {
public:
    explicit Numbers(u64 count) : count_(count) {}
    bool next(workload::Request& request) override
    {
        if (counts_.requests == count_) {
            return false;
        }
        request = {Picoseconds(10 * counts_.requests), counts_.requests, 1, workload::Kind::Read, false};
        ++counts_.requests;
        return true;
    }
    const workload::SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return count_; }
    double progress() const override { return 0.25; }

private:
    u64 count_;
    workload::SourceCounts counts_;
};

TEST(WindowSource, GivesRequestsWhileAWindowIsOpen)
{
    WindowSource source(std::make_unique<Numbers>(6), false);
    workload::Request r;
    EXPECT_FALSE(source.next(r));
    EXPECT_TRUE(source.waits());
    ASSERT_TRUE(source.take(r));
    EXPECT_EQ(r.lba, 0u);
    source.open(Picoseconds(500));
    ASSERT_TRUE(source.next(r));
    EXPECT_EQ(r.lba, 1u);
    source.close();
    EXPECT_FALSE(source.next(r));
    ASSERT_TRUE(source.take(r));
    EXPECT_EQ(r.lba, 2u);
    EXPECT_EQ(source.taken(), 3u);
    EXPECT_EQ(source.expected(), 6u);
    EXPECT_EQ(source.progress(), 0.25);
    EXPECT_EQ(source.counts().requests, 3u);
}

TEST(WindowSource, EndsWithTheWorkload)
{
    WindowSource source(std::make_unique<Numbers>(1), false);
    workload::Request r;
    source.open(Picoseconds());
    ASSERT_TRUE(source.next(r));
    EXPECT_TRUE(source.waits());
    EXPECT_FALSE(source.next(r));
    EXPECT_FALSE(source.waits());
    EXPECT_FALSE(source.take(r));
    EXPECT_EQ(source.taken(), 1u);
}

TEST(WindowSource, InOpenLoopAWindowBeginsWhenItOpens)
{
    WindowSource source(std::make_unique<Numbers>(9), true);
    workload::Request r;
    source.open(Picoseconds(1000));
    source.next(r);
    EXPECT_EQ(r.arrival, Picoseconds(1000));
    source.next(r);
    EXPECT_EQ(r.arrival, Picoseconds(1010));
    source.close();
    source.take(r);
    source.take(r);
    EXPECT_EQ(r.arrival, Picoseconds(30)); // as the workload has it
    source.open(Picoseconds(1015));
    source.next(r);
    EXPECT_EQ(r.lba, 4u);
    EXPECT_EQ(r.arrival, Picoseconds(1015));
    source.next(r);
    EXPECT_EQ(r.arrival, Picoseconds(1025));
}

} // namespace
} // namespace tlmssd::sample
