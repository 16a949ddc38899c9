// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: two controllers on one port: who gets operations, and when they change.
#include "models/flash/controller_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tlmssd::flash {
namespace {

struct Port final : SegmentPortIf {
    void bind(SegmentClientIf& c) override { client = &c; }
    void start(u32 channel, const SegmentRequest&) override { started.push_back(channel); }
    void wants(u32, u32, u32) override {}
    SegmentClientIf* client = nullptr;
    std::vector<u32> started;
};

/// Takes `space` operations; ends them when it is asked to.
struct Controller final : ControllerIf, SegmentClientIf {
    explicit Controller(SegmentPortIf& p) : port(p) { p.bind(*this); }
    void bind(CompletionSinkIf& s) override { sink = &s; }
    u32 tags() const override { return most; }
    bool submit(const flash_op& op) override
    {
        if (inside.size() == space) {
            return false;
        }
        inside.push_back(op.tag);
        return true;
    }
    void end(u32 tag)
    {
        inside.erase(std::find(inside.begin(), inside.end(), tag));
        flash_completion completion{};
        completion.tag = static_cast<u16>(tag);
        sink->on_flash_completion(completion);
    }
    void on_segment_done(u32 channel, const SegmentResult&) override { done.push_back(channel); }
    void on_ready(u32 channel, u32, u32, bool) override { ready.push_back(channel); }
    SegmentPortIf& port;
    CompletionSinkIf* sink = nullptr;
    u32 most = 8;
    std::size_t space = 8;
    std::vector<u32> inside, done, ready;
};

class ControllerSwitchTest : public testing::Test, private CompletionSinkIf {
protected:
    ControllerSwitchTest()
        : both_(port_, [this](u32 n) { changes_.push_back(n); }), a_(both_.side(0)), b_(both_.side(1))
    {
        both_.connect(0, a_);
        both_.connect(1, b_);
        both_.bind(*this);
    }
    bool submit(u32 tag)
    {
        flash_op op{};
        op.tag = static_cast<u16>(tag);
        return both_.submit(op);
    }
    void on_flash_completion(const flash_completion& completion) override { ended_.push_back(completion.tag); }
    void on_flash_space() override { ++spaces_; }

    Port port_;
    std::vector<u32> changes_, ended_;
    u32 spaces_ = 0;
    ControllerSwitch both_;
    Controller a_, b_;
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(ControllerSwitchTest, TheFirstControllerWorksAtFirst)
{
    EXPECT_TRUE(submit(1));
    EXPECT_THAT(a_.inside, ElementsAre(1));
    a_.end(1);
    EXPECT_THAT(ended_, ElementsAre(1));
    EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(ControllerSwitchTest, AChangeWaitsForTheOperationsInside)
{
    submit(1);
    submit(2);
    both_.use(1);
    EXPECT_TRUE(submit(3));
    EXPECT_TRUE(submit(4));
    EXPECT_THAT(b_.inside, IsEmpty());
    a_.end(2);
    EXPECT_EQ(both_.used(), 0u);
    a_.end(1);
    EXPECT_EQ(both_.used(), 1u);
    EXPECT_THAT(changes_, ElementsAre(1));
    EXPECT_THAT(b_.inside, ElementsAre(3, 4)); // in their order
    EXPECT_THAT(ended_, ElementsAre(2, 1));
    submit(5);
    EXPECT_THAT(b_.inside, ElementsAre(3, 4, 5));
    EXPECT_THAT(a_.inside, IsEmpty());
}

TEST_F(ControllerSwitchTest, AtRestItChangesAtOnce)
{
    both_.use(1);
    EXPECT_THAT(changes_, ElementsAre(1));
    both_.use(1);
    EXPECT_THAT(changes_, ElementsAre(1));
    both_.use(0);
    EXPECT_THAT(changes_, ElementsAre(1, 0));
}

TEST_F(ControllerSwitchTest, AChangeCanBeTakenBack)
{
    submit(1);
    both_.use(1);
    submit(2);
    both_.use(0);
    submit(3);
    a_.end(1);
    EXPECT_THAT(changes_, IsEmpty());
    EXPECT_THAT(a_.inside, ElementsAre(2, 3));
}

TEST_F(ControllerSwitchTest, AFullControllerRefusesAsWithoutASwitch)
{
    a_.space = 1;
    EXPECT_TRUE(submit(1));
    EXPECT_FALSE(submit(2));
    a_.sink->on_flash_space();
    EXPECT_EQ(spaces_, 1u);
}

TEST_F(ControllerSwitchTest, WhatWaitedGoesBeforeWhatComes)
{
    b_.space = 1;
    submit(1);
    both_.use(1);
    submit(2);
    submit(3);
    a_.end(1);
    EXPECT_THAT(b_.inside, ElementsAre(2));
    EXPECT_TRUE(submit(4)); // behind 3
    b_.end(2);
    b_.sink->on_flash_space();
    EXPECT_THAT(b_.inside, ElementsAre(3));
    EXPECT_EQ(spaces_, 0u); // 4 has no space yet
    b_.space = 8;
    b_.sink->on_flash_space();
    EXPECT_THAT(b_.inside, ElementsAre(3, 4));
    EXPECT_EQ(spaces_, 1u);
}

TEST_F(ControllerSwitchTest, EventsOfTheBusGoToTheOneThatWorks)
{
    port_.client->on_ready(2, 0, 0, true);
    EXPECT_THAT(a_.ready, ElementsAre(2));
    both_.use(1);
    port_.client->on_ready(3, 0, 0, true);
    port_.client->on_segment_done(4, {});
    EXPECT_THAT(a_.ready, ElementsAre(2));
    EXPECT_THAT(b_.ready, ElementsAre(3));
    EXPECT_THAT(b_.done, ElementsAre(4));
    b_.port.start(5, {});
    EXPECT_THAT(port_.started, ElementsAre(5));
}

TEST_F(ControllerSwitchTest, HasTheTagsOfTheSmallerOne)
{
    b_.most = 3;
    EXPECT_EQ(both_.tags(), 3u);
}

} // namespace
} // namespace tlmssd::flash
