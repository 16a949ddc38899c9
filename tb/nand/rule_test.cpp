// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each rule broken once; the die and the independent checker both must say so.
#include "tb/nand/rig.h"

#include <string>

namespace tlmssd::tb {
namespace {

using onfi::Rule;

struct Case {
    const char* name;
    Rule rule;
    void (*break_it)(Rig&);
};

void page0(Rig& rig, u32 plane = 0) { rig.program_page(rig.row(0, plane, 0, 0), {1, 1}, {2, 1}); }

Segment with_addresses(u8 opener, std::initializer_list<u32> bytes, u8 confirm)
{
    Segment s;
    s.command(opener);
    addresses(s, bytes);
    s.command(confirm);
    return s;
}

const Case kCases[] = {
    {"ReadOfABusyLun", Rule::LunBusy,
     [](Rig& r) {
         r.send(read_command(0));
         r.send(read_command(0));
     }},
    {"ProgramOfABusyLun", Rule::LunBusy,
     [](Rig& r) {
         r.send(erase(0));
         r.send(program(0, 0, kPhysical, r.cells));
     }},
    {"BurstOutOfABusyLun", Rule::LunBusy,
     [](Rig& r) {
         r.send(read_command(0));
         r.send(direct_out(kPhysical, r.cells));
     }},
    {"ColumnChangeOfABusyLun", Rule::LunBusy,
     [](Rig& r) {
         r.send(read_command(0));
         Segment s = column_out(0, 1, r.cells);
         s.direction = DataDirection::None;
         r.send(s);
     }},
    {"QueueTimeIsBusyToo", Rule::LunBusy,
     [](Rig& r) {
         r.send(read_command(r.row(0, 0, 0, 0), 0, 0x32));
         r.send(read_command(r.row(0, 1, 0, 0)));
     }},
    {"FirstCycleOnePsBeforeReady", Rule::LunBusy,
     [](Rig& r) {
         r.send(read_command(0)); // ready 50100 ns later; the first cycle comes tCS = 20 ns in
         r.run_for(nanoseconds(50100 - 20) - Picoseconds(1));
         r.send(read_command(0));
     }},
    {"PageSkipped", Rule::PageOrder, [](Rig& r) { r.program_page(r.row(0, 0, 0, 1), {}, {}); }},
    {"PageProgrammedTwice", Rule::NotErased,
     [](Rig& r) {
         page0(r);
         page0(r);
     }},
    {"ReadOfTwoPageOffsets", Rule::MultiPlane,
     [](Rig& r) {
         r.send_and_wait(read_command(r.row(0, 0, 0, 0), 0, 0x32));
         r.send_and_wait(read_command(r.row(0, 1, 0, 1)));
     }},
    {"ProgramOfTwoPageOffsets", Rule::MultiPlane,
     [](Rig& r) {
         page0(r, 1);
         r.send_and_wait(program(r.row(0, 0, 0, 0), 0, kPhysical, r.cells, 0x11));
         r.send_and_wait(program(r.row(0, 1, 0, 1), 0, kPhysical, r.cells));
     }},
    {"EraseOfOnePlaneTwice", Rule::MultiPlane,
     [](Rig& r) {
         r.send_and_wait(erase(r.row(0, 1, 0, 0), 0xd1));
         r.send_and_wait(erase(r.row(0, 1, 3, 0)));
     }},
    {"QueuedReadThenErase", Rule::MultiPlane,
     [](Rig& r) {
         r.send_and_wait(read_command(r.row(0, 0, 0, 0), 0, 0x32));
         r.send_and_wait(erase(r.row(0, 1, 0, 0)));
     }},
    {"CommandThatIsNone", Rule::UnknownCommand, [](Rig& r) { r.send(lone_command(0x42)); }},
    {"ReadWithFourAddressCycles", Rule::AddressCycles,
     [](Rig& r) { r.send(with_addresses(0x00, {0, 0, 0, 0}, 0x30)); }},
    {"ReadWithSixAddressCycles", Rule::AddressCycles,
     [](Rig& r) { r.send(with_addresses(0x00, {0, 0, 0, 0, 0, 0}, 0x30)); }},
    {"EraseWithFiveAddressCycles", Rule::AddressCycles,
     [](Rig& r) { r.send(with_addresses(0x60, {0, 0, 0, 0, 0}, 0xd0)); }},
    {"ColumnChangeWithOneCycle", Rule::AddressCycles,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send(with_addresses(0x05, {0}, 0xe0));
     }},
    {"ProgramWithThreeAddressCycles", Rule::AddressCycles,
     [](Rig& r) {
         Segment s;
         s.command(0x80);
         addresses(s, {0, 0, 0});
         s.burst(DataDirection::In, kPhysical, &r.cells);
         s.command(0x10);
         r.send(s);
     }},
    {"LunThatIsNotThere", Rule::RowRange, [](Rig& r) { r.send(read_command(r.row(2, 0, 0, 0))); }},
    {"StatusOfALunThatIsNotThere", Rule::RowRange,
     [](Rig& r) {
         Segment s = read_status_enhanced(r.row(2, 0, 0, 0), r.cells);
         s.direction = DataDirection::None;
         r.send(s);
     }},
    {"BurstBeforeAnyRead", Rule::NoData, [](Rig& r) { r.send(direct_out(16, r.cells)); }},
    {"BurstAfterAnErase", Rule::NoData,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send_and_wait(erase(0));
         r.send(direct_out(16, r.cells));
     }},
    {"BurstOfThePlaneNotRead", Rule::NoData,
     [](Rig& r) {
         r.send_and_wait(read_command(r.row(0, 0, 0, 0)));
         r.send(enhanced_out(r.row(0, 1, 0, 0), 0, 16, r.cells));
     }},
    {"BurstAfterAReset", Rule::NoData,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send_and_wait(lone_command(0xfc));
         r.wait_ready(1);
         r.send(direct_out(16, r.cells));
     }},
    {"BurstOutOneByteTooLong", Rule::BurstLength,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send(direct_out(kPhysical + 1, r.cells));
     }},
    {"BurstInOneByteTooLong", Rule::BurstLength,
     [](Rig& r) { r.send(program(0, 1, kPhysical, r.cells)); }},
    {"ConfirmWithoutCommand", Rule::CommandSequence, [](Rig& r) { r.send(lone_command(0x30)); }},
    {"WrongConfirm", Rule::CommandSequence,
     [](Rig& r) { r.send(with_addresses(0x00, {0, 0, 0, 0, 0}, 0x10)); }},
    {"AddressWithoutCommand", Rule::CommandSequence,
     [](Rig& r) {
         Segment s;
         s.address(0);
         r.send(s);
     }},
    {"DataInWithoutProgram", Rule::CommandSequence,
     [](Rig& r) {
         Segment s;
         s.burst(DataDirection::In, 16, &r.cells);
         r.send(s);
     }},
    {"DataOutInsideAProgram", Rule::CommandSequence,
     [](Rig& r) {
         Segment s = program(0, 0, kPhysical, r.cells);
         s.trail = 0;
         r.send(s);
         r.send(direct_out(16, r.cells));
     }},
    {"ProgramLeftOpen", Rule::CommandSequence,
     [](Rig& r) {
         Segment s = program(0, 0, kPhysical, r.cells);
         s.trail = 0;
         r.send(s);
         r.send(read_status(r.cells));
     }},
};

class BrokenRule : public testing::TestWithParam<Case> {};

TEST_P(BrokenRule, IsReportedOnceByDieAndChecker)
{
    Rig rig;
    GetParam().break_it(rig);
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, GetParam().rule) << to_string(rig.die_log.first()[0]);
    ASSERT_EQ(rig.checker.violations(), 1u);
    EXPECT_EQ(rig.checker.log().first()[0].rule, GetParam().rule)
        << to_string(rig.checker.log().first()[0]);
}

INSTANTIATE_TEST_SUITE_P(Rules, BrokenRule, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(LegalAtTheTick, FirstCycleAtTheReadyEdge)
{
    Rig rig;
    rig.send(read_command(0));
    rig.run_for(nanoseconds(50100 - 20));
    rig.send(read_command(0));
    rig.expect_clean();
}

TEST(LegalWhileBusy, StatusAndResetAndTheOtherLun)
{
    Rig rig;
    rig.send(erase(0));
    rig.status();
    rig.status_of(0);
    rig.send(read_command(rig.row(1, 0, 0, 0)));
    rig.send(lone_command(0xff));
    rig.wait_ready(0);
    rig.wait_ready(1);
    rig.expect_clean();
}

TEST(AfterAViolation, TheDieWorksOn)
{
    Rig rig;
    rig.send(lone_command(0x42));
    rig.program_page(rig.row(0, 0, 0, 0), {5, 1}, {6, 1});
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], (UnitTag{5, 1}));
    EXPECT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.checker.violations(), 1u);
}

TEST(AfterAViolation, NothingIsRepairedInSilence)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), {5, 1}, {6, 1});
    rig.program_page(rig.row(0, 0, 0, 0), {7, 1}, {8, 1});
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], (UnitTag{5, 1}));
    EXPECT_EQ(rig.status(), 0xe1);
}

TEST(RowRange, HolesOfAnOddGeometryAreOutside)
{
    Geometry g = rig_geometry();
    g.pages = 3;
    g.blocks = 6;
    Rig rig(g);
    rig.send(read_command(rig.row(0, 0, 0, 3)));
    rig.send(erase(rig.row(0, 0, 6, 0)));
    EXPECT_EQ(rig.die_log.count(), 2u);
    EXPECT_EQ(rig.checker.violations(), 2u);
    EXPECT_EQ(rig.die_log.first()[1].rule, Rule::RowRange);
}

TEST(Checker, LearnsWhatPreconditioningHasLeft)
{
    Rig rig;
    const UnitTag tags[2] = {{5, 1}, {6, 1}};
    const u8 oob[kOobBytes] = {};
    ASSERT_EQ(rig.store.program({0, 1, 7, 0}, tags, oob), nand::ProgramError::None);
    rig.checker.learn(0, 1, 7, 1);
    rig.program_page(rig.row(0, 1, 7, 1), {7, 1}, {8, 1});
    rig.expect_clean();
}

TEST(Checker, KeepsItsOwnPageOrder)
{
    // Not told of a programmed page, it disagrees with the die: it does not ask the die.
    Rig rig;
    const UnitTag tags[2] = {{5, 1}, {6, 1}};
    const u8 oob[kOobBytes] = {};
    ASSERT_EQ(rig.store.program({0, 1, 7, 0}, tags, oob), nand::ProgramError::None);
    rig.program_page(rig.row(0, 1, 7, 1), {7, 1}, {8, 1});
    EXPECT_EQ(rig.die_log.count(), 0u);
    ASSERT_EQ(rig.checker.violations(), 1u);
    EXPECT_EQ(rig.checker.log().first()[0].rule, Rule::PageOrder);
}

} // namespace
} // namespace tlmssd::tb
