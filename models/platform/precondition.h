// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bring the device to a used state in zero simulated time, through the same firmware.
#pragma once

#include <vector>

#include "firmware/core/fw.h"
#include "models/common/fifo.h"
#include "models/config/config.h"
#include "models/cpu/executor_if.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/steps.h"
#include "models/dram/dram.h"
#include "models/host/expected_versions.h"
#include "models/nand/page_store.h"

namespace tlmssd::platform {

/// The world that the firmware sees while it is preconditioned: every flash operation, transfer and
/// copy ends at once, on the real page store and the real DRAM cells, bytes included where they are
/// kept. No time passes.
class FunctionalWorld final : public cpu::HalIf {
public:
    /// The executor's HAL is this from now on.
    FunctionalWorld(cpu::ExecutorIf& executor, const Geometry& geometry, nand::PageStore& store,
                    dram::Dram& dram, host::ExpectedVersions& versions);

    /// Write whole pages [first, first + count) as one host command and wait for its end.
    void write_pages(u32 first, u32 count);
    /// Tell the firmware of a factory bad block: an event like all others, so that a recording of the
    /// steps has it. Before the first command.
    void mark_bad(u32 die, u32 plane, u32 block);
    /// FLUSH, then run until nothing is left inside the firmware.
    void flush();
    /// The firmware's counters to zero, but for factory_bad.
    void clear_stats() { executor_.clear_stats(); }
    /// Told where steps begin and end.
    void set_recorder(cpu::StepRecorder* recorder) { recorder_ = recorder; }

    bool next_event(u32 core, hal_event& event) override;
    bool flash_submit(const flash_op& op) override;
    void host_dma(const hal_host_dma& dma) override;
    void host_complete(u32 tag, u32 status) override;
    void copy(u32 dst, u32 src, u64 sectors, u32 cookie) override;
    void timer_arm(u32 id, u64 at_us) override;
    void send(u32 core, const hal_message& message) override;
    void probe(u32 id, u32 value) override;
    void panic(u32 code, u32 detail) override;

private:
    void command(const hal_host_command& command);
    const u8* encoded(u32 buf, const u8* oob);
    void decode(const u8* page, u32 first, u32 end, u32 buf);
    void run();

    cpu::ExecutorIf& executor_;
    const fw_config& cfg_;
    const Geometry& geometry_;
    nand::PageStore& store_;
    dram::Dram& dram_;
    host::ExpectedVersions& versions_;
    std::vector<Fifo<hal_event>> events_; ///< by core
    u64 command_lba_ = 0;
    u32 timers_ = 0; ///< bit a timer: armed
    bool completed_ = false;
    std::vector<u8> page_; ///< a physical page on its way; empty where tags stand for the data
    cpu::StepRecorder* recorder_ = nullptr;
};

/// The scan for factory bad blocks that a device does when it is first switched on: the firmware is
/// told of each. InputError where a plane has too few good blocks left for its logical pages.
void scan_factory_bad(const config::Config& config, FunctionalWorld& world);

/// scan_factory_bad(), then run config.precondition: `fill` first, then `overwrite`, then a FLUSH. Afterwards the firmware's
/// statistics are zero, but for its count of factory bad blocks, and it is idle. Deterministic in config.seed.
void precondition(const config::Config& config, FunctionalWorld& world);

} // namespace tlmssd::platform
