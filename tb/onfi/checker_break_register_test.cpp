// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: broken rules of registers, caches, copyback and suspends in legal traffic.
#include "tb/onfi/checker_place.h"

namespace tlmssd::tb {
namespace {

using onfi::Rule;

const Mutation kRegisters[] = {
    {"DataOutBehindAnErase", Rule::NoData,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0));
         p.erase_block(0, 1);
         p.out(p.row(0, 1, 0));
     }},
    {"DataOutOfThePlaneNotRead", Rule::NoData,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(1, 1);
         p.read(p.row(0, 1, 0));
         p.out(p.row(1, 1, 0));
     }},
    {"DataOutBehindAProgram", Rule::NoData,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(1, 1);
         p.read(p.row(0, 1, 0));
         p.write(p.row(1, 1, 0));
         p.out(p.row(0, 1, 0));
     }},
    {"DataOutBehindAResetLun", Rule::NoData,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0));
         p.put(row_command(0xfa, p.row(0, 0, 0)), 5000000);
         p.out(p.row(0, 1, 0));
     }},
    {"DataOutBehindAParameterPage", Rule::NoData,
     [](Mutant& m) {
         Place p(m, true);
         p.read(p.row(0, 1, 0));
         p.put(read_register(0xec, 0x00), 20000000);
         p.out(p.row(0, 1, 0));
     }},
    {"DataOutBehindAProgramOfAnotherLun", Rule::NoData, // program clear is switched off first
     [](Mutant& m) {
         Place p(m, true);
         const Drive& d = kDrives[p.drive()];
         const u32 p1 = static_cast<u32>(d.interface) << 4 | d.mode;
         p.put(set_features(0x01, p.cells(static_cast<u8>(p1))), 1000000);
         p.put_other(erase(p.other_row(0, 1, 0)), 300000000);
         p.read(p.row(0, 1, 0));
         p.put_other(program(p.other_row(0, 1, 0), 0, 16, p.cells()), 100000000);
         p.out(p.row(0, 1, 0));
     }},
    {"DataOutPastThePage", Rule::BurstLength,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0));
         p.put(enhanced_out(p.row(0, 1, 0), kStreamPhysical - 15, 16, p.cells()));
     }},
    {"DataOutGoingOnPastThePage", Rule::BurstLength,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0));
         p.put(enhanced_out(p.row(0, 1, 0), 0, kStreamPhysical, p.cells()));
         p.put(direct_out(1, p.cells()));
     }},
    {"DataInPastThePage", Rule::BurstLength,
     [](Mutant& m) {
         Place p(m);
         p.put(open_program(p.row(0, 1, 0), kStreamPhysical - 15, 16, p.cells()));
     }},
    {"DataInAtANewColumnPastThePage", Rule::BurstLength,
     [](Mutant& m) {
         Place p(m);
         p.put(open_program(p.row(0, 1, 0), 0, 16, p.cells()));
         p.put(write_column(kStreamPhysical - 15, 16, p.cells()));
     }},
    {"CacheReadWithoutARead", Rule::CacheState,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.put(lone_command(0x31));
     }},
    {"CacheEndWithoutACacheRead", Rule::CacheState,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0));
         p.put(lone_command(0x3f));
     }},
    {"CacheEndTwice", Rule::CacheState,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0));
         p.cached_read();
         p.end_of_cache();
         p.put(lone_command(0x3f));
     }},
    {"CacheReadPastTheBlock", Rule::CacheState,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 5));
         p.put(lone_command(0x31));
     }},
    {"CacheReadBehindACopybackRead", Rule::CacheState,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0), 0x35);
         p.put(lone_command(0x31));
     }},
    {"RandomCacheReadBehindAProgram", Rule::CacheState,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.write(p.row(0, 1, 0));
         p.put(read_command(p.row(0, 1, 0), 0, 0x31));
     }},
    {"CopybackIntoACachedProgram", Rule::CacheState,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.read(p.row(0, 2, 0), 0x35);
         p.put(copyback_program(p.row(0, 1, 0), 0, 0, p.cells(), 0x15));
     }},
    {"CopybackToAnotherPlane", Rule::CopybackPlane,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(1, 1);
         p.read(p.row(0, 1, 0), 0x35);
         p.put(copyback_program(p.row(1, 1, 0), 0, 0, p.cells()));
     }},
    {"CopybackToAnotherLun", Rule::CopybackPlane,
     [](Mutant& m) {
         Place p(m, true);
         p.put_other(erase(p.other_row(0, 1, 0)), 300000000);
         p.read(p.row(0, 1, 0), 0x35);
         p.put(copyback_program(p.other_row(0, 1, 0), 0, 0, p.cells()));
     }},
    {"CopybackBehindAnOrdinaryRead", Rule::CopybackPlane,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.read(p.row(0, 2, 0));
         p.put(copyback_program(p.row(0, 1, 0), 0, 16, p.cells()));
     }},
    {"CopybackTwiceOfOneRead", Rule::CopybackPlane,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.read(p.row(0, 2, 0), 0x35);
         p.put(copyback_program(p.row(0, 1, 0), 0, 0, p.cells()), 100000000);
         p.put(copyback_program(p.row(0, 1, 1), 0, 0, p.cells()));
     }},
};

const Mutation kSuspends[] = {
    {"SuspendOfAnIdleLun", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 0, 0)); // a program or erase may just have ended, which nobody can know
         p.put(row_command(0x84, p.row(0, 0, 0)));
     }},
    {"SuspendOfARead", Rule::SuspendState,
     [](Mutant& m) {
         while_busy(m, is_read, [](Mutant&, u32 r) { return row_command(0x84, r); });
     }},
    {"EraseSuspendOfAProgram", Rule::SuspendState,
     [](Mutant& m) {
         while_busy(m, is_program, [](Mutant&, u32 r) { return row_command(0x61, r); });
     }},
    {"ProgramSuspendOfAnErase", Rule::SuspendState,
     [](Mutant& m) {
         while_busy(m, is_erase, [](Mutant&, u32 r) { return row_command(0x84, r); });
     }},
    {"ResumeOfNothing", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.put(row_command(0x13, p.row(0, 0, 0)));
     }},
    {"EraseResumeOfAProgram", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.suspended(true, p.row(0, 1, 0));
         p.put(row_command(0xd2, p.row(0, 1, 0)));
     }},
    {"ProgramWhileAProgramIsSuspended", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.erase_block(1, 1);
         p.suspended(true, p.row(0, 1, 0));
         p.write(p.row(1, 1, 0));
     }},
    {"EraseWhileAnEraseIsSuspended", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.suspended(false, p.row(0, 1, 0));
         p.erase_block(1, 1);
     }},
    {"ProgramOfTheBlockUnderErase", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.suspended(false, p.row(0, 1, 0));
         p.write(p.row(0, 1, 0));
     }},
    {"ReadOfTheBlockUnderErase", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.suspended(false, p.row(0, 1, 0));
         p.read(p.row(0, 1, 4));
     }},
    {"ReadOfThePageUnderProgram", Rule::SuspendState,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.suspended(true, p.row(0, 1, 0));
         p.read(p.row(0, 1, 0));
     }},
};

class BrokenRegister : public testing::TestWithParam<Mutation> {};

TEST_P(BrokenRegister, IsCaughtWithItsTwoCycles) { expect_caught(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Registers, BrokenRegister, testing::ValuesIn(kRegisters), mutation_name);
INSTANTIATE_TEST_SUITE_P(Suspends, BrokenRegister, testing::ValuesIn(kSuspends), mutation_name);

} // namespace
} // namespace tlmssd::tb
