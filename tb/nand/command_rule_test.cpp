// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rules of cache, copyback, suspend and feature commands and of the part's options, each
// broken once; the die and the independent checker both must say so.
#include "tb/nand/rig.h"

#include <string>

namespace tlmssd::tb {
namespace {

using onfi::Rule;

void page0(Rig& rig) { rig.program_page(0, {1, 1}, {2, 1}); }

void expect_both(const Rig& rig, Rule rule)
{
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, rule) << to_string(rig.die_log.first()[0]);
    ASSERT_EQ(rig.checker.violations(), 1u);
    EXPECT_EQ(rig.checker.log().first()[0].rule, rule) << to_string(rig.checker.log().first()[0]);
}

struct Case {
    const char* name;
    Rule rule;
    void (*break_it)(Rig&);
};

const Case kCases[] = {
    {"CacheReadWithoutARead", Rule::CacheState, [](Rig& r) { r.send(lone_command(0x31)); }},
    {"RandomCacheReadWithoutARead", Rule::CacheState,
     [](Rig& r) { r.send(read_command(0, 0, 0x31)); }},
    {"CacheReadEndWithoutACacheRead", Rule::CacheState,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send(lone_command(0x3f));
     }},
    {"CacheReadAfterItsEnd", Rule::CacheState,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send_and_wait(lone_command(0x31));
         r.send_and_wait(lone_command(0x3f));
         r.send(lone_command(0x31));
     }},
    {"CacheReadPastTheBlock", Rule::CacheState,
     [](Rig& r) {
         r.send_and_wait(read_command(r.row(0, 0, 0, 3)));
         r.send(lone_command(0x31));
     }},
    {"CacheReadAfterAnErase", Rule::CacheState,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send_and_wait(erase(r.row(0, 0, 5, 0)));
         r.send(lone_command(0x31));
     }},
    {"ReadWhileACacheProgramRuns", Rule::LunBusy,
     [](Rig& r) {
         r.send_and_wait(program(0, 0, kPhysical, r.cells, 0x15));
         r.send(read_command(0));
     }},
    {"EraseWhileACacheReadRuns", Rule::LunBusy,
     [](Rig& r) {
         r.send_and_wait(read_command(0));
         r.send_and_wait(lone_command(0x31));
         r.send(erase(r.row(0, 0, 5, 0)));
     }},
    {"CacheProgramOfASkippedPage", Rule::PageOrder,
     [](Rig& r) {
         r.send_and_wait(program(0, 0, kPhysical, r.cells, 0x15));
         r.send_and_wait(program(r.row(0, 0, 0, 2), 0, kPhysical, r.cells, 0x15));
     }},
    {"CacheProgramOfThePageUnderWay", Rule::NotErased,
     [](Rig& r) {
         r.send_and_wait(program(0, 0, kPhysical, r.cells, 0x15));
         r.send_and_wait(program(0, 0, kPhysical, r.cells, 0x15));
     }},
    {"CopybackToAnotherPlane", Rule::CopybackPlane,
     [](Rig& r) {
         r.send_and_wait(read_command(0, 0, 0x35));
         r.send(copyback_program(r.row(0, 1, 0, 0), 0, 0, r.cells));
     }},
    {"CopybackToAnotherLun", Rule::CopybackPlane,
     [](Rig& r) {
         r.send_and_wait(read_command(0, 0, 0x35));
         r.send(copyback_program(r.row(1, 0, 0, 0), 0, 0, r.cells));
     }},
    {"ChangeRowToAnotherPlane", Rule::MultiPlane,
     [](Rig& r) {
         r.send(open_program(0, 0, kPhysical, r.cells));
         r.send(copyback_program(r.row(0, 1, 0, 0), 0, 16, r.cells));
     }},
    {"ChangeRowToAnotherLun", Rule::CommandSequence,
     [](Rig& r) {
         r.send(open_program(0, 0, kPhysical, r.cells));
         r.send(copyback_program(r.row(1, 0, 0, 0), 0, 16, r.cells));
     }},
    {"ChangeWriteColumnWithThreeCycles", Rule::AddressCycles,
     [](Rig& r) {
         r.send(open_program(0, 0, kPhysical, r.cells));
         Segment s;
         s.command(0x85);
         addresses(s, {0, 0, 0});
         s.burst(DataDirection::In, 16, &r.cells);
         r.send(s);
     }},
    {"SuspendOfNothing", Rule::SuspendState, [](Rig& r) { r.send(row_command(0x84, 0)); }},
    {"ResumeOfNothing", Rule::SuspendState, [](Rig& r) { r.send(row_command(0xd2, 0)); }},
    {"SuspendOfALunThatIsNotThere", Rule::RowRange,
     [](Rig& r) { r.send(row_command(0x84, r.row(2, 0, 0, 0))); }},
    {"EraseSuspendOfAProgram", Rule::SuspendState,
     [](Rig& r) {
         r.send(program(0, 0, kPhysical, r.cells));
         r.send(row_command(0x61, 0));
     }},
    {"ReadOfASuspendedPage", Rule::SuspendState,
     [](Rig& r) {
         r.send(program(0, 0, kPhysical, r.cells));
         r.send_and_wait(row_command(0x84, 0));
         r.send(read_command(0));
     }},
    {"ProgramOfASuspendedBlock", Rule::SuspendState,
     [](Rig& r) {
         r.send(erase(0));
         r.send_and_wait(row_command(0x61, 0));
         r.send(program(0, 0, kPhysical, r.cells));
     }},
    {"OtherInterface", Rule::WrongInterface,
     [](Rig& r) {
         r.channel.set_timing(0, onfi::bus_timing(config::BusInterface::Sdr, 5));
         r.send(read_command(0));
     }},
    {"FasterThanSet", Rule::WrongInterface,
     [](Rig& r) {
         r.channel.set_timing(0, onfi::bus_timing(config::BusInterface::NvDdr2, 8));
         r.send(read_command(0));
     }},
    {"OldInterfaceAfterAReset", Rule::WrongInterface,
     [](Rig& r) {
         r.send_and_wait(lone_command(0xff));
         r.wait_ready(1);
         r.send(read_command(0));
     }},
    {"FeatureThatIsNone", Rule::FeatureAddress,
     [](Rig& r) { r.send(read_register(0xee, 0x55)); }},
    {"TimingModeOfASingleLun", Rule::FeatureAddress,
     [](Rig& r) { r.send(lun_get_features(0, 0x01)); }},
    {"FeaturesOfALunThatIsNotThere", Rule::RowRange,
     [](Rig& r) { r.send(lun_get_features(2, 0x89)); }},
    {"IdOfAnotherAddress", Rule::FeatureAddress,
     [](Rig& r) { r.send(read_register(0x90, 0x55)); }},
    {"FiveFeatureBytes", Rule::BurstLength,
     [](Rig& r) {
         Segment s = set_features(0x89, r.cells);
         s.data_bytes = 5;
         r.send(s);
     }},
    {"ParameterPageOfABusyTarget", Rule::LunBusy,
     [](Rig& r) {
         r.send(erase(r.row(1, 0, 0, 0)));
         r.send(read_register(0xec, 0));
     }},
};

class BrokenCommandRule : public testing::TestWithParam<Case> {};

TEST_P(BrokenCommandRule, IsReportedOnceByDieAndChecker)
{
    Rig rig;
    GetParam().break_it(rig);
    expect_both(rig, GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(Rules, BrokenCommandRule, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

struct PartCase {
    const char* name;
    Rule rule;
    void (*change)(config::Nand&);
    void (*break_it)(Rig&);
};

const PartCase kPartCases[] = {
    {"BlockRestrictionOfAnErase", Rule::MultiPlane,
     [](config::Nand& n) { n.block_restriction = true; },
     [](Rig& r) {
         r.send_and_wait(erase(r.row(0, 0, 2, 0), 0xd1));
         r.send_and_wait(erase(r.row(0, 1, 3, 0)));
     }},
    {"BlockRestrictionOfARead", Rule::MultiPlane,
     [](config::Nand& n) { n.block_restriction = true; },
     [](Rig& r) {
         r.send_and_wait(read_command(r.row(0, 0, 2, 0), 0, 0x32));
         r.send_and_wait(read_command(r.row(0, 1, 3, 0)));
     }},
    {"ThirdProgramOfTwo", Rule::PartialPrograms,
     [](config::Nand& n) { n.partial_programs = 2; },
     [](Rig& r) {
         for (u32 i = 0; i < 3; ++i) {
             r.cells.oob.fill(0xff);
             r.send_and_wait(program(0, kOobColumn, 16, r.cells));
         }
     }},
    {"PartialProgramOfAnEarlierPage", Rule::NotErased,
     [](config::Nand& n) { n.partial_programs = 2; },
     [](Rig& r) {
         page0(r);
         r.program_page(r.row(0, 0, 0, 1), {3, 1}, {4, 1});
         r.send_and_wait(program(0, kOobColumn, 16, r.cells));
     }},
    {"RegisterClearedBy80hToTheOtherLun", Rule::NoData,
     [](config::Nand& n) { n.program_clear = false; },
     [](Rig& r) {
         r.send_and_wait(read_command(r.row(1, 0, 0, 0)), 1);
         page0(r);
         r.send(enhanced_out(r.row(1, 0, 0, 0), 0, 16, r.cells));
     }},
    {"ModeThatThePartLacks", Rule::FeatureAddress,
     [](config::Nand& n) { n.nvddr_modes = 4; },
     [](Rig& r) {
         r.cells.bytes.fill(0);
         r.cells.bytes[0] = 0x14; // NV-DDR mode 4
         r.send(set_features(0x01, r.cells));
     }},
};

class BrokenPartRule : public testing::TestWithParam<PartCase> {};

TEST_P(BrokenPartRule, IsReportedOnceByDieAndChecker)
{
    config::Nand nand = rig_nand();
    GetParam().change(nand);
    Rig rig(rig_geometry(), nand);
    GetParam().break_it(rig);
    expect_both(rig, GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(Rules, BrokenPartRule, testing::ValuesIn(kPartCases),
                         [](const auto& c) { return std::string(c.param.name); });

} // namespace
} // namespace tlmssd::tb
