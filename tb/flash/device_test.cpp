// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: controller, port, channel, dies, checker and DRAM together: times by hand, data.
#include <gmock/gmock.h>

#include "models/dram/dram.h"
#include "models/flash/segment_port.h"
#include "models/flash/tlm_controller.h"
#include "models/nand/target.h"
#include "models/onfi/checker.h"
#include "tb/flash/fake_dram.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

using testing::SizeIs;

constexpr u32 kOobBase = 0xf0000000u;

config::Nand part()
{
    config::Nand n;
    n.t_read = microseconds(50);
    n.t_program = microseconds(900);
    n.t_erase = microseconds(3000);
    n.t_plane_queue = nanoseconds(500);
    return n;
}
config::Dram memory()
{
    config::Dram c; // 312.5 ps a byte
    c.mb_per_s = 3200;
    c.access_time = nanoseconds(50);
    return c;
}

/// NV-DDR2 mode 6: tCS 20, a cycle 25, two bytes 6, tADL 70, tCCS 300, tWHR 80, tRR 20, tWB 100,
/// tRPRE + tDQSRE 30, tWPST + tWPSTH 21 ns. ECC takes 1 us.
class Device : public testing::Test,
               public sc_core::sc_module,
               public flash::CompletionSinkIf {
protected:
    explicit Device(u32 dies = 1, sc_core::sc_module_name module_name = "rig")
        : sc_module(module_name), geometry(flash_geometry(1, dies)), nand(part()),
          timing(onfi::bus_timing(config::BusInterface::NvDdr2, 6)),
          dram("dram", wheel, memory(), geometry, 16 * 8192),
          path(geometry, dram, microseconds(1), inject), port("port", wheel, geometry, path),
          channel("channel", wheel, 0, geometry, timing), store(geometry),
          chip{store, nand, log, 1}, target("target", wheel, channel, 0, chip),
          checker(geometry, timing.sheet, nand),
          controller("controller", wheel, controller_config, geometry, port)
    {
        dram.map_oob(kOobBase, oob.data(), oob.size());
        port.bind_channel(channel);
        channel.bind_target(0, target);
        channel.bind_observer(checker);
        controller.bind(*this);
    }
    void on_flash_completion(const flash_completion& c) override
    {
        ended.push_back(c);
        times.push_back(wheel.now());
    }
    void on_flash_space() override {}
    flash_op op(u8 opcode, u32 row, u32 page_buffer, u32 col = 0, u32 len = 16)
    {
        flash_op o{};
        o.tag = static_cast<u16>(submitted++);
        o.opcode = opcode;
        o.lun = static_cast<u8>(geometry.row_lun(row));
        o.nplanes = 1;
        o.row[0] = row;
        o.buf[0] = page_buffer * 8192;
        o.col[0] = static_cast<u8>(col);
        o.len[0] = static_cast<u8>(len);
        o.oob = FLASH_NO_OOB;
        return o;
    }
    void finish(const flash_op& o)
    {
        const std::size_t before = ended.size();
        controller.submit(o);
        for (u32 i = 0; i < 1000 && ended.size() == before; ++i) {
            run_for(wheel, microseconds(10));
        }
        ASSERT_THAT(ended, SizeIs(before + 1));
        ASSERT_EQ(ended.back().status, FLASH_STATUS_OK);
    }
    void expect_clean()
    {
        EXPECT_EQ(checker.violations(), 0u);
        EXPECT_EQ(log.count(), 0u);
    }

    Geometry geometry;
    config::Nand nand;
    config::Inject inject;
    config::Controller controller_config;
    onfi::BusTiming timing;
    EventWheel wheel{"wheel"};
    dram::Dram dram;
    flash::DataPath path;
    flash::SegmentPort port;
    onfi::Channel channel;
    nand::PageStore store;
    onfi::ViolationLog log;
    nand::Device chip;
    nand::Target target;
    onfi::Checker checker;
    flash::TlmController controller;
    std::array<u8, 1024> oob{};
    std::vector<flash_completion> ended;
    std::vector<Picoseconds> times;
    u32 submitted = 0;
};

class TwoLuns : public Device {
protected:
    TwoLuns() : Device(2) {}
};

TEST_F(Device, ReadsFourKibInTheSumOfItsParts)
{
    *dram.tags(0) = {5, 1};
    finish(op(FLASH_OP_PROGRAM, 0, 0));
    run_for(wheel, milliseconds(2) - wheel.now());
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
    EXPECT_EQ(port.die_statistics(0).array,
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
    run_for(wheel, microseconds(1000));
    ASSERT_THAT(ended, SizeIs(2));
    controller.submit(op(FLASH_OP_READ, geometry.row(0, 0, 0, 0), 2));
    controller.submit(op(FLASH_OP_READ, geometry.row(1, 0, 0, 0), 3));
    run_for(wheel, microseconds(110));
    ASSERT_THAT(ended, SizeIs(4));
    EXPECT_EQ(*dram.tags(2 * 8192), (UnitTag{51, 1}));
    EXPECT_EQ(*dram.tags(3 * 8192), (UnitTag{61, 1}));
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
