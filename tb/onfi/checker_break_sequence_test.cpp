// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: broken sequences, addresses and feature commands in legal traffic.
#include <algorithm>

#include "tb/onfi/checker_mutant.h"

namespace tlmssd::tb {
namespace {

using onfi::Rule;

/// Changes bits of cycle `at` of a segment that the predicate likes.
template <class Predicate>
void flip(Mutant& m, Predicate likes, u32 at, u32 bits)
{
    u8& byte = m.events()[m.pick_segment(likes)].segment.bytes[at];
    byte = static_cast<u8>(byte ^ bits);
}

/// Takes address cycle `at` out of a segment that the predicate likes.
template <class Predicate>
void drop(Mutant& m, Predicate likes, u32 at)
{
    Segment& s = m.events()[m.pick_segment(likes)].segment;
    const u64 low = (u64{1} << at) - 1;
    std::copy(s.bytes.begin() + at + 1, s.bytes.end(), s.bytes.begin() + at);
    s.command_mask = (s.command_mask & low) | ((s.command_mask >> 1) & ~low);
    --s.lead;
}

/// Sends address cycle `at` twice.
template <class Predicate>
void repeat(Mutant& m, Predicate likes, u32 at)
{
    const std::size_t i = m.pick_segment(likes);
    const u64 cycle = kDrives[m.events()[i].drive].cycle;
    const u64 end = m.events()[i].at;
    m.shift(end, cycle);
    m.set_end(i, end + cycle);
    Segment& s = m.events()[i].segment;
    const u64 low = (u64{2} << at) - 1;
    std::copy_backward(s.bytes.begin() + at, s.bytes.end() - 1, s.bytes.end());
    s.command_mask = (s.command_mask & low) | ((s.command_mask & ~low) << 1);
    ++s.lead;
}

bool is_read(const Event& e) { return e.starts(0x00) && e.ends(0x30); }
bool is_program(const Event& e) { return e.starts(0x80) && e.ends(0x10); }
bool is_erase(const Event& e) { return e.starts(0x60) && e.ends(0xd0); }
/// First segment of a program in pieces.
bool is_open_program(const Event& e) { return e.starts(0x80) && e.segment.trail == 0; }
bool changes_column(const Event& e) { return e.starts(0x85) && e.segment.lead == 3; }
bool changes_row(const Event& e)
{
    return e.starts(0x85) && e.segment.lead == 6 && e.segment.trail == 0;
}

void inside_program(Mutant& m, const Segment& s)
{
    m.put_behind(m.pick_segment(is_open_program), s);
}

constexpr u32 kRowByte = 3;       ///< of 00h, 80h, 85h: command, two column cycles, row
constexpr u32 kPlaneBit = 0x08;   ///< of the low row byte: behind 3 page bits
constexpr u32 kLunBit = 0x80;     ///< behind 3 page bits, the plane bit and 3 block bits
constexpr u32 kOtherLun = 0x01;   ///< of the second row byte: LUN 2 or 3

const Mutation kMutations[] = {
    {"FirstByteThatIsNoCommand", Rule::UnknownCommand,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0x70); }, 0, 0x70 ^ 0x42); }},
    {"LastByteThatIsNoCommand", Rule::UnknownCommand,
     [](Mutant& m) { flip(m, is_read, 6, 0x30 ^ 0x33); }},
    {"ReadConfirmedAsAProgram", Rule::CommandSequence,
     [](Mutant& m) { flip(m, is_read, 6, 0x30 ^ 0x10); }},
    {"EraseConfirmedAsARead", Rule::CommandSequence,
     [](Mutant& m) { flip(m, is_erase, 4, 0xd0 ^ 0x30); }},
    {"ProgramConfirmedAsAnErase", Rule::CommandSequence,
     [](Mutant& m) { flip(m, is_program, 6, 0x10 ^ 0xd0); }},
    {"ConfirmAlone", Rule::CommandSequence,
     [](Mutant& m) { m.put(m.pick_idle(), lone_command(0x30)); }},
    {"AddressAlone", Rule::CommandSequence,
     [](Mutant& m) {
         Segment s;
         s.address(0);
         m.put(m.pick_idle(), s);
     }},
    {"DataInAlone", Rule::CommandSequence,
     [](Mutant& m) {
         Segment s;
         s.burst(DataDirection::In, 16, &m.cells());
         m.put(m.pick_idle(), s);
     }},
    {"StatusInsideAProgram", Rule::CommandSequence,
     [](Mutant& m) { inside_program(m, read_status(m.cells())); }},
    {"ReadOfAnotherLunInsideAProgram", Rule::CommandSequence,
     [](Mutant& m) {
         const std::size_t i = m.pick_segment(is_open_program);
         m.put_behind(i, read_command(m.part().row(1 - m.events()[i].lun, 0, 0, 0)));
     }},
    {"ProgramInsideAProgram", Rule::CommandSequence,
     [](Mutant& m) { inside_program(m, program(0, 0, 16, m.cells())); }},
    {"DataOutInsideAProgram", Rule::CommandSequence,
     [](Mutant& m) { inside_program(m, direct_out(16, m.cells())); }},
    {"CacheReadInsideAProgram", Rule::CommandSequence,
     [](Mutant& m) { inside_program(m, lone_command(0x31)); }},
    {"ChangeRowToAnotherLun", Rule::CommandSequence,
     [](Mutant& m) { flip(m, changes_row, kRowByte, kLunBit); }},
    {"ChangeRowToAnotherPlane", Rule::MultiPlane,
     [](Mutant& m) { flip(m, changes_row, kRowByte, kPlaneBit); }},

    {"ReadWithFourAddressCycles", Rule::AddressCycles, [](Mutant& m) { drop(m, is_read, 2); }},
    {"ReadWithSixAddressCycles", Rule::AddressCycles, [](Mutant& m) { repeat(m, is_read, 2); }},
    {"EraseWithTwoAddressCycles", Rule::AddressCycles, [](Mutant& m) { drop(m, is_erase, 2); }},
    {"EraseWithFourAddressCycles", Rule::AddressCycles,
     [](Mutant& m) { repeat(m, is_erase, 2); }},
    {"ProgramWithFourAddressCycles", Rule::AddressCycles,
     [](Mutant& m) { drop(m, is_program, 2); }},
    {"StatusWithFourAddressCycles", Rule::AddressCycles,
     [](Mutant& m) { repeat(m, [](const Event& e) { return e.starts(0x78); }, 2); }},
    {"ColumnChangeWithOneAddressCycle", Rule::AddressCycles,
     [](Mutant& m) { drop(m, [](const Event& e) { return e.starts(0x05); }, 1); }},
    {"WriteColumnWithOneAddressCycle", Rule::AddressCycles,
     [](Mutant& m) { drop(m, changes_column, 1); }},
    {"WriteColumnWithThreeAddressCycles", Rule::AddressCycles,
     [](Mutant& m) { repeat(m, changes_column, 1); }},
    {"SetFeaturesWithTwoAddressCycles", Rule::AddressCycles,
     [](Mutant& m) { repeat(m, [](const Event& e) { return e.starts(0xef); }, 1); }},
    {"LunFeaturesWithOneAddressCycle", Rule::AddressCycles,
     [](Mutant& m) { drop(m, [](const Event& e) { return e.starts(0xd5); }, 1); }},
    {"ResetLunWithFourAddressCycles", Rule::AddressCycles,
     [](Mutant& m) { repeat(m, [](const Event& e) { return e.starts(0xfa); }, 1); }},

    {"PageThatIsNotThere", Rule::RowRange,
     [](Mutant& m) {
         const std::size_t i = m.pick_segment(is_read);
         m.events()[i].segment.bytes[kRowByte] |= 0x07; // pages 0 to 5
     }},
    {"LunThatIsNotThere", Rule::RowRange,
     [](Mutant& m) { flip(m, is_read, kRowByte + 1, kOtherLun); }},
    {"StatusOfALunThatIsNotThere", Rule::RowRange,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0x78); }, 2, kOtherLun); }},
    {"ResetOfALunThatIsNotThere", Rule::RowRange,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0xfa); }, 2, kOtherLun); }},
    {"FeaturesOfALunThatIsNotThere", Rule::RowRange,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0xd5); }, 1, 0x02); }},
    {"ProgramOfALunThatIsNotThere", Rule::RowRange,
     [](Mutant& m) { flip(m, is_program, kRowByte + 1, kOtherLun); }},

    {"SetFeaturesOfAnUnknownAddress", Rule::FeatureAddress,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0xef); }, 1, 0x58); }},
    {"GetFeaturesOfAnUnknownAddress", Rule::FeatureAddress,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0xee); }, 1, 0x58); }},
    {"TimingModeOfOneLun", Rule::FeatureAddress,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0xd5); }, 2, 0x89 ^ 0x01); }},
    {"TimingModeThatThePartDoesNotHave", Rule::FeatureAddress,
     [](Mutant& m) {
         const std::size_t i = m.pick_segment(
             [](const Event& e) { return e.starts(0xef) && e.segment.bytes[1] == 0x01; });
         m.events()[i].segment.data = &m.cells(0x46); // SDR modes are 0 to 5
     }},
    {"RetryLevelThatThePartDoesNotHave", Rule::FeatureAddress,
     [](Mutant& m) {
         const std::size_t i = m.pick_segment([](const Event& e) { return e.starts(0xd5); });
         m.events()[i].segment.data = &m.cells(8); // levels 0 to 7
     }},
    {"IdOfAnUnknownAddress", Rule::FeatureAddress,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0x90); }, 1, 0x40); }},
    {"ParameterPageOfAnUnknownAddress", Rule::FeatureAddress,
     [](Mutant& m) { flip(m, [](const Event& e) { return e.starts(0xec); }, 1, 0x40); }},
    {"ThreeFeatureBytes", Rule::BurstLength,
     [](Mutant& m) {
         const std::size_t i = m.pick_segment([](const Event& e) { return e.starts(0xef); });
         m.events()[i].segment.data_bytes = 3;
     }},
};

class BrokenSequence : public testing::TestWithParam<Mutation> {};

TEST_P(BrokenSequence, IsCaughtWithItsTwoCycles) { expect_caught(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Mutations, BrokenSequence, testing::ValuesIn(kMutations), mutation_name);

} // namespace
} // namespace tlmssd::tb
