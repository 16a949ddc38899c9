// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: controller, port, channel, dies, checker and DRAM together, for tests that work out times by hand.
#pragma once

#include <gmock/gmock.h>

#include "models/dram/dram.h"
#include "models/flash/segment_port.h"
#include "models/flash/tlm/tlm_controller.h"
#include "models/nand/target/target.h"
#include "models/onfi/checker/checker.h"
#include "tb/flash/fake_dram.h"
#include "tb/support/part.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {

inline constexpr u32 kOobBase = 0xf0000000u;

inline config::Nand part()
{
    config::Nand n = make_part(50, 900, 3000);
    n.t_plane_queue = nanoseconds(500);
    n.t_feature = microseconds(1);
    n.t_reset_idle = microseconds(5);
    return n;
}
inline config::Config device_config(u32 dies, void (*tweak)(config::Config&))
{
    config::Config c;
    c.geometry = flash_geometry(1, dies);
    c.nand = part();
    c.controller.ecc_latency = microseconds(1);
    c.onfi.interface = config::BusInterface::NvDdr2;
    c.onfi.mode = 6;
    c.onfi.poll_interval = microseconds(5);
    tweak(c);
    return c;
}
inline config::Dram memory()
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
    using Tweak = void (*)(config::Config&);
    explicit Device(u32 dies = 1, Tweak tweak = [](config::Config&) {},
                    const std::vector<nand::Fault>& faults = {}, sc_core::sc_module_name module_name = "rig")
        : sc_module(module_name), config(device_config(dies, tweak)), geometry(config.geometry),
          nand(config.nand),
          timing(onfi::bus_timing(config::BusInterface::NvDdr2, 6)),
          dram("dram", event_queue, memory(), geometry, 16 * 8192),
          path(geometry, dram, config.controller, config.inject),
          port("port", event_queue, geometry, path, flash::SegmentPortOptions::of(config)),
          channel("channel", event_queue, 0, geometry, timing, config.onfi.ready), store(geometry),
          chip{store, nand, log, 1}, faulty(set_faults(chip, faults)), target("target", event_queue, channel, 0, chip),
          checker(geometry, timing.sheet, nand, faulty),
          controller("controller", event_queue, config.controller, config.geometry, config.onfi, config.nand, port)
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
        times.push_back(event_queue.now());
    }
    void on_flash_space() override {}
    static bool set_faults(nand::Device& chip, const std::vector<nand::Fault>& faults)
    {
        chip.faults = faults; // before the targets are made
        return !faults.empty();
    }
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
            run_for(event_queue, microseconds(10));
        }
        ASSERT_THAT(ended, testing::SizeIs(before + 1));
        ASSERT_EQ(ended.back().status, FLASH_STATUS_OK);
    }
    void expect_clean()
    {
        EXPECT_EQ(checker.violations(), 0u);
        EXPECT_EQ(log.count(), 0u);
    }

    const config::Config config;
    const Geometry& geometry;
    const config::Nand& nand;
    onfi::BusTiming timing;
    EventQueue event_queue{"event_queue"};
    dram::Dram dram;
    flash::DataPath path;
    flash::SegmentPort port;
    onfi::Channel channel;
    nand::PageStore store;
    onfi::ViolationLog log;
    nand::Device chip;
    bool faulty;
    nand::Target target;
    onfi::Checker checker;
    flash::TlmController controller;
    std::array<u8, 1024> oob{};
    std::vector<flash_completion> ended;
    std::vector<Picoseconds> times;
    u32 submitted = 0;
};

/// One bit in a hundred is wrong at level 0: 43 of a codeword's 4312, more than the 40 of the ECC in
/// some of 16 codewords; 4 of them at level 1.
class WithErrors : public Device {
protected:
    WithErrors()
        : Device(2, [](config::Config& c) {
              c.nand.errors.enabled = true;
              c.nand.errors.e = 0.01;
              c.nand.errors.retry_gain = 0.1;
              c.nand.errors.retry_levels = 3;
              c.controller.read_retries = 3;
          })
    {
    }
};

} // namespace tlmssd::tb
