// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: controller, port, channel, dies, checker and DRAM together: times by hand, data.
#include "tb/flash/device_rig.h"

namespace tlmssd::tb {
namespace {

using testing::SizeIs;

class TwoLuns : public Device {
protected:
    TwoLuns() : Device(2) {}
};

TEST_F(Device, ReadsFourKibInTheSumOfItsParts)
{
    *dram.tags(0) = {5, 1};
    finish(op(FLASH_OP_PROGRAM, 0, 0));
    run_for(event_queue, milliseconds(2) - event_queue.now());
    finish(op(FLASH_OP_READ, 0, 1, 0, 8));
    // 00h addr 30h:  20 + 7 x 25                         =    195
    // tWB + tR:      100 + 50000                         =  50100
    // burst out:     20 + 20 + 30 + 8 x 539 / 2 x 6      =  13006
    // DRAM:          50 + 4096 x 0.3125                  =   1330
    // ECC                                                =   1000
    EXPECT_EQ(times.back() - milliseconds(2), nanoseconds(65631));
    EXPECT_EQ(*dram.tags(8192), (UnitTag{5, 1}));
    expect_clean();
}

TEST_F(Device, ProgramsAPageInTheSumOfItsParts)
{
    flash_op o = op(FLASH_OP_PROGRAM, 0, 0);
    o.oob = kOobBase;
    finish(o);
    // 80h addr: 20 + 6 x 25, tADL 70, burst in 8640 / 2 x 6 + 21, 10h 25 = 26206 (DRAM keeps up:
    // 50 + 2560); tWB + tPROG 900100; status: 20 + 25 + tWHR 80 + 30 + 6 = 161
    EXPECT_EQ(times.back(), nanoseconds(26206 + 900100 + 161));
    expect_clean();
}

TEST_F(Device, KeepsTagsAndOobOverProgramAndRead)
{
    for (u32 i = 0; i < 16; ++i) {
        oob[i] = static_cast<u8>(0x30 + i);
    }
    dram.tags(0)[0] = {21, 3};
    dram.tags(0)[1] = {22, 4};
    flash_op o = op(FLASH_OP_PROGRAM, geometry.row(0, 1, 2, 0), 0);
    o.oob = kOobBase;
    finish(o);
    o = op(FLASH_OP_READ, geometry.row(0, 1, 2, 0), 3);
    o.oob = kOobBase + 64;
    finish(o);
    EXPECT_EQ(dram.tags(3 * 8192)[0], (UnitTag{21, 3}));
    EXPECT_EQ(dram.tags(3 * 8192)[1], (UnitTag{22, 4}));
    EXPECT_TRUE(std::equal(oob.begin(), oob.begin() + 16, oob.begin() + 64));
    finish(op(FLASH_OP_READ, geometry.row(0, 1, 2, 0), 5, 8, 8)); // the second half alone
    EXPECT_EQ(dram.tags(5 * 8192)[0], UnitTag{});
    EXPECT_EQ(dram.tags(5 * 8192)[1], (UnitTag{22, 4}));
    expect_clean();
}

TEST_F(Device, ReadsAndProgramsTwoPlanesWithOneArrayTime)
{
    dram.tags(0)[0] = {31, 1};
    dram.tags(8192)[0] = {41, 1};
    flash_op o = op(FLASH_OP_PROGRAM, geometry.row(0, 0, 1, 0), 0);
    o.nplanes = 2;
    o.row[1] = geometry.row(0, 1, 3, 0); // another block, the same page
    o.buf[1] = 8192;
    o.len[1] = 16;
    finish(o);
    EXPECT_LT(times.back(), microseconds(2 * 900));
    o.opcode = FLASH_OP_READ;
    o.tag = static_cast<u16>(submitted++);
    o.buf[0] = 4 * 8192;
    o.buf[1] = 6 * 8192;
    finish(o);
    EXPECT_EQ(dram.tags(4 * 8192)[0], (UnitTag{31, 1}));
    EXPECT_EQ(dram.tags(6 * 8192)[0], (UnitTag{41, 1}));
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).array,
              nanoseconds(2 * 600 + 900100 + 50100)); // tWB + tDBSY twice, tPROG, tR
    o.opcode = FLASH_OP_ERASE;
    o.tag = static_cast<u16>(submitted++);
    finish(o);
    expect_clean();
}

TEST_F(TwoLuns, OverlapsTwoLunsOfOneChipEnable)
{
    dram.tags(0)[0] = {51, 1};
    dram.tags(8192)[0] = {61, 1};
    controller.submit(op(FLASH_OP_PROGRAM, geometry.row(0, 0, 0, 0), 0));
    controller.submit(op(FLASH_OP_PROGRAM, geometry.row(1, 0, 0, 0), 1));
    run_for(event_queue, microseconds(1000));
    ASSERT_THAT(ended, SizeIs(2));
    controller.submit(op(FLASH_OP_READ, geometry.row(0, 0, 0, 0), 2));
    controller.submit(op(FLASH_OP_READ, geometry.row(1, 0, 0, 0), 3));
    run_for(event_queue, microseconds(110));
    ASSERT_THAT(ended, SizeIs(4));
    EXPECT_EQ(*dram.tags(2 * 8192), (UnitTag{51, 1}));
    EXPECT_EQ(*dram.tags(3 * 8192), (UnitTag{61, 1}));
    expect_clean();
}

/// An erase is given up for a read a millisecond after its start, or is not.
class Erased : public Device {
protected:
    explicit Erased(config::Suspend suspend = config::Suspend::Erase)
        : Device(1, suspend == config::Suspend::Erase ? Tweak([](config::Config& c) { out_of_order(c, config::Suspend::Erase); })
                                                      : Tweak([](config::Config& c) { out_of_order(c, config::Suspend::None); }))
    {
        *dram.tags(0) = {5, 1};
        finish(op(FLASH_OP_PROGRAM, geometry.row(0, 0, 1, 0), 0));
        run_for(event_queue, milliseconds(2) - event_queue.now());
        flash_op erase = op(FLASH_OP_ERASE, geometry.row(0, 0, 0, 0), 0);
        erase.flags = FLASH_FLAG_SUSPENDABLE;
        erase.stream = 1;
        controller.submit(erase);
        run_for(event_queue, milliseconds(1));
        controller.submit(op(FLASH_OP_READ, geometry.row(0, 0, 1, 0), 1, 0, 8));
        run_for(event_queue, milliseconds(10));
    }
    static void out_of_order(config::Config& c, config::Suspend suspend)
    {
        c.controller.mode = config::ControllerMode::Ooo;
        c.controller.age_limit = milliseconds(100);
        c.controller.suspend = suspend;
        c.nand.t_suspend_erase = microseconds(700);
    }
    /// A read behind a status byte, whose tRHW of 100 ns is 80 more than tCS; its times are those of
    /// ReadsFourKibInTheSumOfItsParts.
    static constexpr u64 kBurstOver = 80 + 195 + 50100 + 13006, kInDram = 1330 + 1000;
};
class ErasedToTheEnd : public Erased {
protected:
    ErasedToTheEnd() : Erased(config::Suspend::None) {}
};

// Without: 60h row D0h 20 + 5 x 25; tWB + tBERS; status 161; the read.
TEST_F(ErasedToTheEnd, AReadWaitsForTheRestOfTheErase)
{
    ASSERT_THAT(ended, SizeIs(3));
    const u64 over = 145 + 100 + 3000000 + 161;
    EXPECT_EQ(times[1] - milliseconds(2), nanoseconds(over));
    EXPECT_EQ(times[2] - milliseconds(2), nanoseconds(over + kBurstOver + kInDram));
    expect_clean();
}

// 61h row 20 + 4 x 25; tSUSP 700 us; status 161; the read: 0.77 ms and not 2.3. Then, 80 more behind a
// burst, D2h row 120; tWB and what the suspend's end has left; status 161.
TEST_F(Erased, AReadWaitsForTheSuspendOnly)
{
    ASSERT_THAT(ended, SizeIs(3));
    const u64 read = 1000000 + 120 + 700000 + 161 + kBurstOver;
    EXPECT_EQ(times[1] - milliseconds(2), nanoseconds(read + kInDram));
    const u64 left = 145 + 100 + 3000000 - (1000000 + 120);
    EXPECT_EQ(times[2] - milliseconds(2), nanoseconds(read + 80 + 120 + 100 + left + 161));
    EXPECT_EQ(*dram.tags(8192), (UnitTag{5, 1}));
    EXPECT_EQ(store.next_page({0, 0, 0, 0}), 0u);
    EXPECT_EQ(port.channel_statistics(0).suspends, 1u);
    EXPECT_EQ(port.channel_statistics(0).resumes, 1u);
    expect_clean();
}

/// No ready line.
class Polled : public Device {
protected:
    Polled() : Device(1, [](config::Config& c) { c.onfi.ready = config::ReadySense::Status; }) {}
};

TEST_F(Polled, ProgramsAndReadsOverTheBusAlone)
{
    *dram.tags(0) = {5, 1};
    finish(op(FLASH_OP_PROGRAM, 0, 0));
    // Program (8624 B, no OOB: 8624 / 2 x 6 = 25872 and 20 + 150 + 70 + 21 + 25); poll at
    // tWB 100 + 900000; status 161. The die is ready at that very time.
    EXPECT_EQ(times.back(), nanoseconds(20 + 150 + 70 + 25872 + 21 + 25 + 900100 + 161));
    run_for(event_queue, milliseconds(2) - event_queue.now());
    finish(op(FLASH_OP_READ, 0, 1, 0, 8));
    // Command 195, poll at 50100, status 161; 00h and the burst: tRHW 100 after the status byte comes
    // before the 00h, which is tCS 20 after CE#: 80 more; 20 + 25 + tWHR 80 + 30 + 12936; DRAM 1330,
    // ECC 1000
    EXPECT_EQ(times.back() - milliseconds(2),
              nanoseconds(195 + 50100 + 161 + 80 + 20 + 25 + 80 + 30 + 12936 + 1330 + 1000));
    EXPECT_EQ(*dram.tags(8192), (UnitTag{5, 1}));
    EXPECT_EQ(port.channel_statistics(0).status_reads, 2u);
    EXPECT_EQ(port.channel_statistics(0).polls, 0u);
    expect_clean();
}

/// The line of two LUNs.
class SharedLine : public Device {
protected:
    SharedLine() : Device(2, [](config::Config& c) { c.onfi.ready = config::ReadySense::Target; })
    {
    }
};

TEST_F(SharedLine, ReadsOneLunWhileTheOtherPrograms)
{
    *dram.tags(0) = {51, 1};
    finish(op(FLASH_OP_PROGRAM, geometry.row(0, 0, 0, 0), 0));
    controller.submit(op(FLASH_OP_PROGRAM, geometry.row(1, 0, 0, 0), 1));
    controller.submit(op(FLASH_OP_READ, geometry.row(0, 0, 0, 0), 2));
    run_for(event_queue, microseconds(200));
    ASSERT_THAT(ended, SizeIs(2)) << "the read is over, the program is not";
    EXPECT_EQ(ended[1].tag, 2);
    EXPECT_EQ(*dram.tags(2 * 8192), (UnitTag{51, 1}));
    run_for(event_queue, microseconds(1000));
    ASSERT_THAT(ended, SizeIs(3));
    EXPECT_EQ(ended[2].status, FLASH_STATUS_OK);
    expect_clean();
}

TEST_F(WithErrors, ReadsAPageAtTheNextLevelAndGoesBackToTheFirst)
{
    const u32 row = geometry.row(1, 0, 0, 0);
    *dram.tags(0) = {71, 1};
    finish(op(FLASH_OP_PROGRAM, row, 0));
    for (u32 i = 1; i <= 2; ++i) { // the second read finds level 0 set again
        finish(op(FLASH_OP_READ, row, i));
        EXPECT_EQ(ended.back().retries, 1);
        EXPECT_GT(ended.back().corrected, 16u);
        EXPECT_LT(ended.back().corrected, 16u * 40);
        EXPECT_EQ(*dram.tags(i * 8192), (UnitTag{71, 1}));
    }
    EXPECT_EQ(port.channel_statistics(0).features, 3u) << "1, 0, 1";
    EXPECT_EQ(path.ecc_statistics().retries, 2u);
    EXPECT_EQ(path.ecc_statistics().uncorrectable_pages, 0u);
    EXPECT_EQ(path.ecc_statistics().codewords, 4u * 16);
    expect_clean();
}

TEST_F(TwoLuns, ResetsBothLuns)
{
    finish(op(FLASH_OP_RESET, geometry.row(1, 0, 0, 0), 0));
    // FFh: tCS 20 + 25; both LUNs are busy for tWB + 5 us
    EXPECT_EQ(times.back(), nanoseconds(45 + 100 + 5000));
    finish(op(FLASH_OP_PROGRAM, geometry.row(1, 0, 0, 0), 0));
    expect_clean();
}

} // namespace
} // namespace tlmssd::tb
