// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the faults of a fault script, as a target shows them.
#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

using nand::Fault;
using nand::FaultKind;

constexpr Picoseconds kStop = milliseconds(10);
constexpr Picoseconds kReturn = milliseconds(20);
const UnitTag kA{11, 1}, kB{12, 1};

void stops_and_returns(nand::Device& device)
{
    device.faults = {{kStop, FaultKind::StopsAnswering, 0, 0, 0},
                     {kReturn, FaultKind::AnswersAgain, 0, 0, 0}};
}

TEST(StopsAnswering, ReadsAsOnesAndTakesNoCommand)
{
    Rig rig(rig_geometry(), rig_nand(), 1, stops_and_returns);
    rig.program_page(0, kA, kB);
    rig.send_and_wait(read_command(0));
    rig.run_until(kStop);
    const std::size_t edges = rig.edges.size();
    EXPECT_EQ(rig.status(), 0xff);
    EXPECT_EQ(rig.status_of(0), 0xff);
    rig.send(enhanced_out(0, 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], (UnitTag{0xffffffff, 0xffffffff}));
    EXPECT_EQ(rig.cells.oob[0], 0xff);
    EXPECT_EQ(rig.cells.codewords, 16u); // what floats is no codeword: ECC must not take it
    EXPECT_EQ(rig.cells.bit_errors[15], 0xffff);
    rig.send(erase(0));
    rig.send(program(rig.row(0, 0, 0, 1), 0, kPhysical, rig.cells));
    rig.send(read_command(0));
    rig.send(row_command(0xfa, 0));
    EXPECT_EQ(rig.edges.size(), edges); // R/B# stays high
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
    rig.expect_clean();
}

TEST(StopsAnswering, LeavesTheOtherLunAtWork)
{
    Rig rig(rig_geometry(), rig_nand(), 1, stops_and_returns);
    rig.run_until(kStop);
    rig.program_page(rig.row(1, 0, 0, 0), kA, kB);
    rig.send_and_wait(read_command(rig.row(1, 0, 0, 0)), 1);
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    rig.expect_clean();
}

TEST(StopsAnswering, BusyStaysBusyThroughAReset)
{
    Rig rig(rig_geometry(), rig_nand(), 1, stops_and_returns);
    rig.run_until(kStop - microseconds(500));
    rig.fill(kA, kB);
    rig.send(program(0, 0, kPhysical, rig.cells)); // would end about 400 us after the fault
    rig.run_until(kStop + milliseconds(5));
    EXPECT_TRUE(rig.busy(0));
    rig.send(lone_command(0xfc));
    rig.wait_ready(1);
    rig.run_for(milliseconds(1));
    EXPECT_TRUE(rig.busy(0));
    EXPECT_LT(rig.edge(0, true), rig.edge(0, false));
    EXPECT_TRUE(rig.target.silent(0));
    rig.expect_clean();
}

TEST(AnswersAgain, IsAsAfterAPowerCycle)
{
    Rig rig(rig_geometry(), rig_nand(), 1, stops_and_returns);
    rig.run_until(kStop - microseconds(500));
    rig.fill(kA, kB);
    rig.send(program(0, 0, kPhysical, rig.cells));
    rig.run_until(kReturn - Picoseconds(1));
    EXPECT_TRUE(rig.busy(0));
    rig.run_until(kReturn);
    EXPECT_FALSE(rig.busy(0));
    EXPECT_EQ(rig.edge(0, true), kReturn);
    EXPECT_EQ(rig.status(), 0xe0);
    ASSERT_NE(rig.store.read({0, 0, 0, 0}).tags, nullptr); // the program was interrupted
    EXPECT_TRUE(rig.store.torn({0, 0, 0, 0}));
    rig.program_page(rig.row(0, 0, 0, 1), kA, kB);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 1)));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    rig.expect_clean();
}

TEST(AnswersAgain, RegistersAreEmpty)
{
    Rig rig(rig_geometry(), rig_nand(), 1, stops_and_returns);
    rig.send_and_wait(read_command(0));
    rig.run_until(kReturn);
    rig.send(direct_out(16, rig.cells));
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, onfi::Rule::NoData);
}

void fails_later(nand::Device& device)
{
    device.faults = {{kStop, FaultKind::FailsPrograms, 0, 0, 0},
                     {kStop, FaultKind::FailsErases, 0, 0, 0}};
}

TEST(FailingDie, WorksUntilItsTime)
{
    Rig rig(rig_geometry(), rig_nand(), 1, fails_later);
    rig.program_page(0, kA, kB);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.run_until(kStop);
    rig.program_page(rig.row(0, 0, 0, 1), kA, kB);
    EXPECT_EQ(rig.status(), 0xe1);
    rig.send_and_wait(erase(0));
    EXPECT_EQ(rig.status(), 0xe1);
    rig.program_page(rig.row(1, 0, 0, 0), kA, kB); // the other die is well
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.target.lun(0).statistics().program_fails, 1u);
    EXPECT_EQ(rig.target.lun(0).statistics().erase_fails, 1u);
    rig.expect_clean();
}

void block_goes_bad(nand::Device& device)
{
    device.faults = {{kStop, FaultKind::BlockGoesBad, 0, 1, 3}};
}

TEST(BadBlock, FailsAloneFromItsTimeOn)
{
    Rig rig(rig_geometry(), rig_nand(), 1, block_goes_bad);
    rig.program_page(rig.row(0, 1, 3, 0), kA, kB);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.run_until(kStop);
    rig.program_page(rig.row(0, 1, 3, 1), kA, kB);
    EXPECT_EQ(rig.status(), 0xe1);
    rig.send_and_wait(erase(rig.row(0, 1, 3, 0)));
    EXPECT_EQ(rig.status(), 0xe1);
    rig.program_page(rig.row(0, 1, 4, 0), kA, kB);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.program_page(rig.row(0, 0, 3, 0), kA, kB); // same number, other plane
    EXPECT_EQ(rig.status(), 0xe0);
    rig.expect_clean();
}

} // namespace
} // namespace tlmssd::tb
