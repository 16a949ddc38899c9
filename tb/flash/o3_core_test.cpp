// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: O3Core alone, case by case: dependencies, fences, priorities, age, stations, retirement.
#include <gmock/gmock.h>

#include "tb/flash/o3_bench.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

constexpr u8 kHigh = 3;

struct Pair {
    const char* name;
    u8 older;
    std::vector<u32> older_rows;
    u8 younger;
    std::vector<u32> younger_rows;
    bool depends;
};

constexpr u8 R = FLASH_OP_READ, P = FLASH_OP_PROGRAM, E = FLASH_OP_ERASE;

const Pair kPairs[] = {
    {"ReadReadSamePage", R, {o3_row(0, 1, 2)}, R, {o3_row(0, 1, 2)}, false},
    {"ReadAfterProgramSamePage", P, {o3_row(0, 1, 2)}, R, {o3_row(0, 1, 2)}, true},
    {"ReadAfterProgramOtherPage", P, {o3_row(0, 1, 2)}, R, {o3_row(0, 1, 1)}, false},
    {"ProgramAfterReadSamePage", R, {o3_row(0, 1, 2)}, P, {o3_row(0, 1, 2)}, true},
    {"ProgramAfterReadOtherPage", R, {o3_row(0, 1, 1)}, P, {o3_row(0, 1, 2)}, false},
    {"ProgramsOfABlock", P, {o3_row(0, 1, 2)}, P, {o3_row(0, 1, 3)}, true},
    {"ProgramsOfTwoBlocks", P, {o3_row(0, 1, 2)}, P, {o3_row(0, 2, 2)}, false},
    {"ProgramsOfTwoPlanes", P, {o3_row(0, 1, 2)}, P, {o3_row(1, 1, 3)}, false},
    {"EraseAfterRead", R, {o3_row(0, 1, 5)}, E, {o3_row(0, 1, 0)}, true},
    {"EraseAfterReadOtherBlock", R, {o3_row(0, 1, 5)}, E, {o3_row(0, 3, 0)}, false},
    {"EraseAfterProgram", P, {o3_row(0, 1, 5)}, E, {o3_row(0, 1, 0)}, true},
    {"ReadAfterErase", E, {o3_row(0, 1, 0)}, R, {o3_row(0, 1, 5)}, true},
    {"ProgramAfterErase", E, {o3_row(0, 1, 0)}, P, {o3_row(0, 1, 5)}, true},
    {"ProgramAfterEraseOtherPlane", E, {o3_row(0, 1, 0)}, P, {o3_row(1, 1, 0)}, false},
    {"EraseAfterErase", E, {o3_row(0, 1, 0)}, E, {o3_row(0, 1, 0)}, true},
    {"SecondPlaneAgainstFirst", P, {o3_row(0, 7, 1), o3_row(1, 4, 1)}, R, {o3_row(1, 4, 1)}, true},
    {"FirstPlaneAgainstSecond", R, {o3_row(0, 7, 1)}, E, {o3_row(1, 2, 0), o3_row(0, 7, 0)}, true},
    {"TwoPlanesApart", P, {o3_row(0, 1, 1), o3_row(1, 1, 1)}, P, {o3_row(0, 2, 1), o3_row(1, 2, 1)},
     false},
};

class Dependency : public testing::TestWithParam<Pair> {};

/// Both wait behind the same operation; the younger has the higher priority and would go first.
TEST_P(Dependency, HoldsTheYoungerBackExactlyWhereDataNeedIt)
{
    const Pair& p = GetParam();
    O3Bench b(O3Bench::shape(1, 1));
    b.submit(b.read(0, o3_row(0, 9, 9)));
    const auto make = [&](u8 opcode, const std::vector<u32>& rows, u8 priority) {
        O3Bench::Job j = O3Bench::with(b.job(opcode, 0, 0, 1), priority);
        j.op.nplanes = static_cast<u8>(rows.size());
        std::copy(rows.begin(), rows.end(), j.op.row);
        return b.submit(j);
    };
    make(p.older, p.older_rows, 0);
    make(p.younger, p.younger_rows, kHigh);
    b.run();
    if (p.depends) {
        EXPECT_THAT(b.issued, ElementsAre(0, 1, 2));
    } else {
        EXPECT_THAT(b.issued, ElementsAre(0, 2, 1));
    }
    EXPECT_EQ(b.core.statistics().reordered, p.depends ? 0u : 1u);
}
INSTANTIATE_TEST_SUITE_P(Pairs, Dependency, testing::ValuesIn(kPairs),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(O3Core, OnlyThePartsOfARowAboveThePageNameABlock)
{
    O3Bench::Shape s = O3Bench::shape(1, 1);
    s.page_bits = 5; // then plane 0 and 1 of the bench's rows are pages of one block
    O3Bench b(s);
    b.submit(b.read(0, o3_row(0, 9, 9)));
    b.submit(b.program(0, o3_row(0, 1, 2)));
    b.submit(O3Bench::with(b.program(0, o3_row(1, 1, 3)), kHigh));
    b.run();
    EXPECT_THAT(b.issued, ElementsAre(0, 1, 2));
}

TEST(O3Core, AChainOfDependenciesIsFollowedToItsEnd)
{
    O3Bench b(O3Bench::shape(1, 1));
    b.submit(b.read(0, o3_row(0, 9, 9)));
    b.submit(b.program(0, o3_row(0, 1, 2)));                         // 1
    b.submit(O3Bench::with(b.job(E, 0, o3_row(0, 1, 0), 30), 1));     // 2, after 1
    b.submit(O3Bench::with(b.program(0, o3_row(0, 1, 0)), 2));        // 3, after 1 and 2
    b.submit(O3Bench::with(b.read(0, o3_row(0, 1, 0)), kHigh));       // 4, after 2 and 3
    b.submit(O3Bench::with(b.read(0, o3_row(0, 5, 0)), 1));           // 5, free
    b.run();
    EXPECT_THAT(b.issued, ElementsAre(0, 5, 1, 2, 3, 4));
}

TEST(O3Core, ABusyLunHoldsUpNobodyElse)
{
    O3Bench b(O3Bench::shape(1, 3));
    b.submit(b.program(0));
    b.submit(b.read(0, o3_row(0, 2, 0)));
    b.submit(b.read(1));
    b.submit(b.read(2));
    b.run();
    EXPECT_EQ(b.times[2].issued, 0u);
    EXPECT_EQ(b.times[3].issued, 0u);
    EXPECT_EQ(b.times[1].issued, 10u);
    EXPECT_EQ(b.core.statistics().reordered, 2u);
}

TEST(O3Core, WithoutPrioritiesALunWorksInOrderOfAge)
{
    O3Bench b(O3Bench::shape(1, 1));
    for (u32 i = 0; i < 8; ++i) {
        b.submit(b.read(0, o3_row(0, i % 3, i)));
    }
    b.run();
    EXPECT_THAT(b.issued, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(O3Core, HigherPrioritiesGoFirstAndEqualOnesByAge)
{
    O3Bench b(O3Bench::shape(1, 1));
    b.submit(b.read(0));
    for (const u8 priority : {1, 0, 2, 3, 1, 3}) {
        b.submit(O3Bench::with(b.read(0), priority));
    }
    b.run();
    EXPECT_THAT(b.issued, ElementsAre(0, 4, 6, 3, 1, 5, 2));
}

/// Reads of one unit back to back: the LUN chooses at 1, 2, 3, ... A low one comes at 0, high ones
/// keep coming; with a limit of 4 the choice at 4 is the first that finds it old enough.
TEST(O3Core, AnOperationAtItsAgeLimitGoesBeforeEveryPriority)
{
    for (const u64 limit : {0u, 1u, 4u, 7u}) {
        O3Bench b(O3Bench::shape(1, 1, 8, limit));
        b.submit(b.read(0));
        const u16 low = b.submit(b.read(0, o3_row(0, 3, 3)));
        b.submit(O3Bench::with(b.read(0), kHigh));
        for (u64 unit = 1; unit < 12; ++unit) {
            b.submit(O3Bench::with(b.read(0), kHigh));
            b.run_to(unit);
        }
        EXPECT_EQ(b.times[low].issued, std::max<u64>(limit, 1)) << limit;
    }
}

/// Stamps of 2^20 ps: units 0 to 6 have stamps 0, 0, 1, 2, 3, 4, 5. A limit of 3 units is 3 stamps, rounded
/// up. Submitted at unit 0 (stamp 0) it is old at unit 4 (stamp 3), after 4 units; at unit 2 (stamp 1) at unit
/// 5 (stamp 4), after 3.
TEST(O3Core, AgesCountInStamps)
{
    for (const u64 submitted : {0u, 2u}) {
        O3Bench::Shape shape = O3Bench::shape(1, 1, 8, 3);
        shape.stamp_bits = 20;
        O3Bench b(shape);
        b.submit(b.read(0));
        u16 low = 0;
        for (u64 unit = 0; unit < 7; ++unit) { // a high one waits all the time
            b.run_to(unit);
            low = unit == submitted ? b.submit(b.read(0, o3_row(0, 3, 3))) : low;
            b.submit(O3Bench::with(b.read(0), kHigh));
        }
        EXPECT_EQ(b.times[low].issued, submitted == 0 ? 4u : 5u);
    }
}

// Two of one channel; the second has no station, and so no chance, until it is let in.
TEST(O3Core, APacedIntakeGivesOneStationAtATime)
{
    O3Bench b(O3Bench::shape(2, 2));
    b.core.pace_intake();
    b.submit(b.read(0));
    b.submit(b.read(1));
    EXPECT_TRUE(b.issued.empty());
    b.core.let_in(0);
    b.run_to(5);
    EXPECT_TRUE(b.issued.empty()) << "nobody has asked";
    b.submit(b.read(2)); // of channel 1: asks, and is not let in itself
    EXPECT_THAT(b.issued, ElementsAre(0));
    b.core.let_in(0);
    b.core.let_in(1);
    b.submit(b.read(3));
    EXPECT_THAT(b.issued, ElementsAre(0, 1, 2));
}

TEST(O3Core, OfTwoAtTheirLimitTheOlderGoesFirst)
{
    O3Bench b(O3Bench::shape(1, 1, 8, 3));
    b.submit(b.program(0, o3_row(0, 9, 9))); // to 10
    b.submit(b.read(0));
    b.submit(O3Bench::with(b.read(0), kHigh));
    b.run();
    EXPECT_THAT(b.issued, ElementsAre(0, 1, 2));
}

TEST(O3Core, AFenceWaitsForTheEndOfAllBeforeItInItsStream)
{
    O3Bench b(O3Bench::shape(2, 2));
    O3Bench::Job landing = b.read(0);
    landing.extra = 6; // 1 on the LUN, ends at 7
    b.submit(landing);
    b.submit(O3Bench::with(b.read(1), 0, 5));               // another stream
    b.submit(O3Bench::with(b.read(2), FLASH_FLAG_FENCE));    // LUN idle, waits until 7
    b.submit(b.read(2, o3_row(0, 4, 4)));                    // same stream, behind the fence
    b.submit(O3Bench::with(b.read(3), FLASH_FLAG_FENCE, 5)); // waits for tag 1 only
    b.run();
    EXPECT_EQ(b.times[2].issued, 7u);
    EXPECT_EQ(b.times[3].issued, 0u) << "a fence holds back its own operation and no other";
    EXPECT_EQ(b.times[4].issued, 1u);
}

TEST(O3Core, AFenceHoldsBackWhatNeedsItsData)
{
    O3Bench b(O3Bench::shape(1, 2));
    b.submit(b.program(0));                                                  // to 10
    b.submit(O3Bench::with(b.program(1, o3_row(0, 1, 0)), FLASH_FLAG_FENCE)); // 10 to 20
    b.submit(O3Bench::with(b.read(1, o3_row(0, 1, 0)), kHigh, 9));
    b.run();
    EXPECT_EQ(b.times[1].issued, 10u);
    EXPECT_EQ(b.times[2].issued, 20u);
}

TEST(O3Core, AFenceOnAnEmptyStreamIsOpen)
{
    O3Bench b(O3Bench::shape(1, 1));
    b.submit(O3Bench::with(b.read(0), FLASH_FLAG_FENCE));
    b.run();
    b.submit(O3Bench::with(b.read(0), FLASH_FLAG_FENCE));
    EXPECT_EQ(b.times[0].issued, 0u);
    EXPECT_EQ(b.times[1].issued, b.unit());
}

TEST(O3Core, CompletionsOfAStreamAreToldInOrderOfSubmission)
{
    O3Bench b(O3Bench::shape(4, 1));
    b.submit(b.program(0));                       // ends at 10
    b.submit(b.read(1));                          // 1
    b.submit(O3Bench::with(b.read(2), 0, 1));     // 1, another stream
    b.submit(b.read(3, 0, 12));                   // 12
    b.submit(O3Bench::with(b.read(2), 0, 1));     // 2
    b.run();
    EXPECT_THAT(b.completed, ElementsAre(2, 4, 0, 1, 3));
    EXPECT_EQ(b.times[1].ended, 1u);
    EXPECT_EQ(b.times[1].completed, 10u);
    EXPECT_EQ(b.times[3].completed, 12u);
    EXPECT_EQ(b.core.statistics().held, 1u);
    EXPECT_EQ(b.core.statistics().held_time, microseconds(9));
}

TEST(O3Core, StreamsAreToldApartModulo64)
{
    O3Bench b(O3Bench::shape(2, 1));
    b.submit(O3Bench::with(b.program(0), 0, 3));
    b.submit(O3Bench::with(b.read(1), 0, 3 + FLASH_STREAMS));
    b.run();
    EXPECT_THAT(b.completed, ElementsAre(0, 1));
}

/// Nobody waits for it and it waits for nobody, not even with a fence.
TEST(O3Core, AnOperationOfNoStreamIsToldWhenItEnds)
{
    O3Bench b(O3Bench::shape(3, 1));
    b.submit(O3Bench::with(b.program(0), 0, FLASH_NO_STREAM)); // ends at 10
    b.submit(O3Bench::with(b.read(1), 0, FLASH_NO_STREAM));    // 1
    O3Bench::Job fenced = O3Bench::with(b.read(2), 0, FLASH_NO_STREAM);
    fenced.op.flags |= FLASH_FLAG_FENCE;
    b.submit(fenced);                                          // 1
    b.submit(O3Bench::with(b.read(1), 0, FLASH_NO_STREAM % FLASH_STREAMS)); // 2, in a stream
    b.run();
    EXPECT_THAT(b.completed, ElementsAre(1, 2, 3, 0));
    EXPECT_EQ(b.core.statistics().held, 0u);
}

/// Two stations: on LUN 0 one operation runs and two wait. The fourth has no station and holds up
/// the channel: LUN 1 of channel 0 gets its read when the fourth has one, at 10.
TEST(O3Core, AnOperationWithoutAStationHoldsUpItsChannelOnly)
{
    O3Bench b(O3Bench::shape(2, 2, 2));
    for (u32 i = 0; i < 4; ++i) {
        b.submit(b.program(0, o3_row(0, i, 0)));
    }
    const u16 same = b.submit(b.read(1));
    const u16 other = b.submit(b.read(2));
    b.run();
    EXPECT_EQ(b.times[other].issued, 0u);
    EXPECT_EQ(b.times[same].issued, 10u);
    EXPECT_EQ(b.times[3].issued, 30u);
}

TEST(O3Core, SixteenStationsAreUsed)
{
    O3Bench b(O3Bench::shape(1, 2, 16));
    for (u32 i = 0; i < 17; ++i) { // one runs, 16 wait
        b.submit(b.program(0, o3_row(0, i, 0)));
    }
    const u16 free = b.submit(b.read(1));
    b.submit(b.program(0, o3_row(0, 30, 0)));
    const u16 stuck = b.submit(b.read(1));
    b.run();
    EXPECT_EQ(b.times[free].issued, 0u);
    EXPECT_EQ(b.times[stuck].issued, 10u);
}

TEST(O3Core, AResetComesAfterAllBeforeItOnItsLunsAndBeforeAllBehind)
{
    O3Bench b(O3Bench::shape(2, 2));
    b.submit(b.program(0));                            // 0 to 10
    b.submit(b.program(0, o3_row(0, 3, 0)));           // 10 to 20
    b.submit(b.reset(1));                              // 20 to 25, both LUNs
    b.submit(O3Bench::with(b.read(1), kHigh));         // its LUN is idle; 25
    b.submit(b.read(2));                               // another channel
    b.run();
    EXPECT_EQ(b.times[2].issued, 20u);
    EXPECT_EQ(b.times[3].issued, 25u);
    EXPECT_EQ(b.times[4].issued, 0u);
}

TEST(O3Core, AFencedResetWaitsForItsStream)
{
    O3Bench b(O3Bench::shape(2, 1));
    b.submit(b.program(0));
    b.submit(O3Bench::with(b.reset(1), FLASH_FLAG_FENCE));
    b.run();
    EXPECT_EQ(b.times[1].issued, 10u);
}

TEST(O3Core, ATagCanBeUsedAgainInAnotherStreamOnceItIsTold)
{
    O3Bench b(O3Bench::shape(1, 1));
    for (u32 round = 0; round < 3; ++round) {
        O3Bench::Job j = O3Bench::with(b.read(0), 0, static_cast<u16>(round));
        j.op.tag = 7;
        b.submit(j);
        b.run();
    }
    EXPECT_THAT(b.completed, ElementsAre(7, 7, 7));
}

/// Worked examples 3.1: chips 1 to 4 are channels 0 to 3; all queued at 0.
struct Figure1 {
    std::vector<u64> issued_ends, completed;
};
Figure1 figure1(config::ControllerMode mode, bool fences, bool stream_each)
{
    O3Bench::Shape s = O3Bench::shape(4, 1);
    s.mode = mode;
    O3Bench b(s);
    const struct {
        u8 opcode;
        u32 chip, row, request;
    } queue[] = {{P, 1, o3_row(0, 1, 0), 1}, {P, 2, o3_row(0, 1, 0), 1}, {P, 3, o3_row(0, 1, 0), 1},
                 {R, 3, o3_row(0, 1, 0), 2}, {P, 1, o3_row(0, 1, 1), 3}, {R, 4, o3_row(0, 7, 0), 4},
                 {R, 4, o3_row(0, 7, 1), 4}, {P, 2, o3_row(0, 1, 1), 5}, {P, 4, o3_row(0, 1, 0), 5}};
    u32 last = 0;
    for (const auto& q : queue) {
        O3Bench::Job j = b.job(q.opcode, q.chip - 1, q.row, q.opcode == R ? 1 : 10);
        j.op.stream = static_cast<u16>(stream_each ? q.request : 0);
        j.op.flags = fences && q.request != last ? FLASH_FLAG_FENCE : 0;
        last = q.request;
        b.submit(j);
    }
    b.run();
    Figure1 f{std::vector<u64>(5), std::vector<u64>(5)};
    for (u16 i = 0; i < 9; ++i) {
        const u32 r = queue[i].request - 1;
        f.issued_ends[r] = std::max(f.issued_ends[r], b.times[i].ended);
        f.completed[r] = std::max(f.completed[r], b.times[i].completed);
    }
    return f;
}

TEST(O3CoreFigure1, OutOfOrderEndsAt20AndOneStreamTellsInOrder)
{
    const Figure1 f = figure1(config::ControllerMode::Ooo, false, false);
    EXPECT_THAT(f.issued_ends, ElementsAre(10, 11, 20, 2, 20));
    EXPECT_THAT(f.completed, ElementsAre(10, 11, 20, 20, 20));
}

TEST(O3CoreFigure1, AStreamForEachRequestTellsThemAsTheyEnd)
{
    EXPECT_THAT(figure1(config::ControllerMode::Ooo, false, true).completed,
                ElementsAre(10, 11, 20, 2, 20));
}

TEST(O3CoreFigure1, InOrderPipelinedEndsAt22)
{
    EXPECT_THAT(figure1(config::ControllerMode::InOrder, false, false).completed,
                ElementsAre(10, 11, 20, 12, 22));
}

TEST(O3CoreFigure1, ABarrierBetweenRequestsEndsAt33)
{
    EXPECT_THAT(figure1(config::ControllerMode::InOrder, true, false).completed,
                ElementsAre(10, 11, 21, 23, 33));
}

TEST(O3CoreFigure1, SerialEndsAt63)
{
    EXPECT_THAT(figure1(config::ControllerMode::Serial, false, false).completed,
                ElementsAre(30, 31, 41, 43, 63));
}

} // namespace
} // namespace tlmssd::tb
