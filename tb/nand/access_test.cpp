// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the earliest legal time of each command: one picosecond before it is LunBusy, at it not.
#include "tb/nand/rig.h"

#include <string>

namespace tlmssd::tb {
namespace {

using onfi::Rule;

constexpr Picoseconds kRead = microseconds(50), kProgram = microseconds(900);
constexpr Picoseconds kErase = microseconds(3000), kReadCache = microseconds(3);
constexpr Picoseconds kProgramCache = microseconds(4);

struct Case {
    const char* name;
    /// Leaves LUN 0 busy; answers when it is ready for the command, counted from tWB after the end
    /// of its last segment.
    Picoseconds (*prepare)(Rig&);
    Segment (*command)(Rig&);
    /// ARDY, which no line shows: the checker knows its least time alone, and that the die does not
    /// answer a command that came too early.
    bool behind_ready = false;
};

Picoseconds erasing(Rig& r)
{
    r.send(erase(r.row(0, 0, 7, 0)));
    return kErase;
}

Picoseconds reading(Rig& r)
{
    r.send(read_command(0));
    return kRead;
}

Picoseconds queued(Rig& r)
{
    r.send(read_command(r.row(0, 0, 0, 0), 0, 0x32));
    return nanoseconds(500);
}

Picoseconds copyback_reading(Rig& r)
{
    r.program_page(0, {1, 1}, {2, 1});
    r.send(read_command(0, 0, 0x35));
    return kRead;
}

/// 31h has been taken: R/B# rises after tRCBSY, the array is ready tR later.
Picoseconds cache_reading(Rig& r)
{
    r.send_and_wait(read_command(0));
    r.send(lone_command(0x31));
    return kReadCache;
}

Picoseconds cache_reading_array(Rig& r) { return cache_reading(r) + kRead; }

Picoseconds cache_programming(Rig& r)
{
    r.fill({1, 1}, {2, 1});
    r.send(program(0, 0, kPhysical, r.cells, 0x15));
    return kProgramCache;
}

Picoseconds cache_programming_array(Rig& r) { return cache_programming(r) + kProgram; }

/// The erase is suspended; LUN 0 reads another block.
Picoseconds reading_while_erase_suspended(Rig& r)
{
    r.send(erase(r.row(0, 0, 7, 0)));
    r.send_and_wait(row_command(0x61, 0));
    return reading(r);
}

Picoseconds reading_while_program_suspended(Rig& r)
{
    r.fill({1, 1}, {2, 1});
    r.send(program(r.row(0, 0, 7, 0), 0, kPhysical, r.cells));
    r.send_and_wait(row_command(0x84, 0));
    return reading(r);
}

Segment page_program(Rig& r, u32 page, u8 confirm)
{
    r.fill({1, 1}, {2, 1});
    return program(r.row(0, 0, 0, page), 0, kPhysical, r.cells, confirm);
}

Segment without_burst(Segment s)
{
    s.direction = DataDirection::None;
    return s;
}

const Case kCases[] = {
    {"Read", erasing, [](Rig&) { return read_command(0); }},
    {"ReadMultiPlane", erasing, [](Rig&) { return read_command(0, 0, 0x32); }},
    {"SecondPlaneOfARead", queued, [](Rig& r) { return read_command(r.row(0, 1, 0, 0)); }},
    {"ReadBehindACacheRead", cache_reading_array, [](Rig&) { return read_command(0); }, true},
    {"ReadBehindACacheProgram", cache_programming_array, [](Rig&) { return read_command(0); },
     true},
    {"BurstOut", reading, [](Rig& r) { return direct_out(16, r.cells); }},
    {"BurstOutOfACacheRead", cache_reading, [](Rig& r) { return direct_out(16, r.cells); }},
    {"ReadCacheSequential", reading, [](Rig&) { return lone_command(0x31); }},
    {"ReadCacheRandom", reading, [](Rig& r) { return read_command(r.row(0, 0, 3, 0), 0, 0x31); }},
    {"NextReadCacheSequential", cache_reading, [](Rig&) { return lone_command(0x31); }},
    {"NextReadCacheRandom", cache_reading,
     [](Rig& r) { return read_command(r.row(0, 0, 3, 0), 0, 0x31); }},
    {"ReadCacheEnd", cache_reading, [](Rig&) { return lone_command(0x3f); }},
    {"ChangeReadColumn", reading, [](Rig& r) { return without_burst(column_out(0, 1, r.cells)); }},
    {"ChangeReadColumnEnhanced", reading,
     [](Rig& r) { return without_burst(enhanced_out(0, 0, 1, r.cells)); }},
    {"Program", erasing, [](Rig& r) { return page_program(r, 0, 0x10); }},
    {"ProgramMultiPlane", erasing, [](Rig& r) { return page_program(r, 0, 0x11); }},
    {"ProgramCache", erasing, [](Rig& r) { return page_program(r, 0, 0x15); }},
    {"NextProgramCache", cache_programming, [](Rig& r) { return page_program(r, 1, 0x15); }},
    {"ProgramThatEndsACacheProgram", cache_programming,
     [](Rig& r) { return page_program(r, 1, 0x10); }},
    {"ProgramBehindACacheRead", cache_reading_array,
     [](Rig& r) { return page_program(r, 0, 0x10); }, true},
    {"CopybackRead", erasing, [](Rig&) { return read_command(0, 0, 0x35); }},
    {"CopybackProgram", copyback_reading,
     [](Rig& r) { return copyback_program(r.row(0, 0, 3, 0), 0, 0, r.cells); }},
    {"Erase", erasing, [](Rig&) { return erase(0); }},
    {"EraseMultiPlane", erasing, [](Rig&) { return erase(0, 0xd1); }},
    {"EraseBehindACacheProgram", cache_programming_array, [](Rig&) { return erase(0); }, true},
    {"ReadId", erasing, [](Rig&) { return read_register(0x90, 0x20); }},
    {"ReadParameterPage", erasing, [](Rig&) { return read_register(0xec, 0); }},
    {"ReadUniqueId", erasing, [](Rig&) { return read_register(0xed, 0); }},
    {"GetFeatures", erasing, [](Rig&) { return read_register(0xee, 0x01); }},
    {"SetFeatures", erasing,
     [](Rig& r) {
         r.cells.bytes.fill(0);
         return set_features(0x89, r.cells);
     }},
    {"LunGetFeatures", erasing, [](Rig&) { return lun_get_features(0, 0x89); }},
    {"LunSetFeatures", erasing,
     [](Rig& r) {
         r.cells.bytes.fill(0);
         return lun_set_features(0, 0x89, r.cells);
     }},
    {"EraseResume", reading_while_erase_suspended, [](Rig&) { return row_command(0xd2, 0); }},
    {"ProgramResume", reading_while_program_suspended, [](Rig&) { return row_command(0x13, 0); }},
};

class EarliestTime : public testing::TestWithParam<Case> {};

TEST_P(EarliestTime, OnePicosecondBeforeItTheLunIsBusy)
{
    Rig rig;
    const Picoseconds after = GetParam().prepare(rig);
    const Picoseconds ready = rig.event_queue.now() + kTwb + after;
    rig.expect_clean();
    rig.run_until(ready - kTcs - Picoseconds(1)); // the first cycle comes tCS after CE# falls
    rig.send(GetParam().command(rig));
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, Rule::LunBusy) << to_string(rig.die_log.first()[0]);
    ASSERT_EQ(rig.checker.violations(), 1u);
    EXPECT_EQ(rig.checker.log().first()[0].rule,
              GetParam().behind_ready ? Rule::ReadyEdge : Rule::LunBusy);
}

TEST_P(EarliestTime, AtItTheCommandIsLegal)
{
    Rig rig;
    const Picoseconds after = GetParam().prepare(rig);
    rig.run_until(rig.event_queue.now() + kTwb + after - kTcs);
    rig.send(GetParam().command(rig));
    rig.wait_ready(0);
    rig.wait_ready(1);
    rig.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Commands, EarliestTime, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

struct Free {
    const char* name;
    Segment (*command)(Rig&);
};

const Free kFree[] = {
    {"ReadStatus", [](Rig& r) { return read_status(r.cells); }},
    {"ReadStatusEnhanced", [](Rig& r) { return read_status_enhanced(0, r.cells); }},
    {"Reset", [](Rig&) { return lone_command(0xff); }},
    {"SynchronousReset", [](Rig&) { return lone_command(0xfc); }},
    {"ResetLun", [](Rig&) { return row_command(0xfa, 0); }},
    {"EraseSuspend", [](Rig&) { return row_command(0x61, 0); }},
    {"ReadOfTheOtherLun", [](Rig& r) { return read_command(r.row(1, 0, 0, 0)); }},
};

class AnyTime : public testing::TestWithParam<Free> {};

TEST_P(AnyTime, IsLegalRightBehindTheConfirmOfAnErase)
{
    Rig rig;
    rig.send(erase(0));
    rig.send(GetParam().command(rig));
    rig.wait_ready(0);
    rig.wait_ready(1);
    rig.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Commands, AnyTime, testing::ValuesIn(kFree),
                         [](const auto& c) { return std::string(c.param.name); });

} // namespace
} // namespace tlmssd::tb
