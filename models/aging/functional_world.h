// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware at work in no simulated time, on the real page store.
#pragma once

#include <vector>

#include "firmware/core/fw.h"
#include "models/common/fifo.h"
#include "models/cpu/executor_if.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/steps/steps.h"
#include "models/dram/dram.h"
#include "models/host/expected_versions.h"
#include "models/nand/store/page_store.h"

namespace tlmssd::aging {

/// The world that the firmware sees while it is preconditioned: every flash operation, transfer and
/// copy ends at once, on the real page store and the real DRAM cells, bytes included where they are
/// kept. No time passes.
class FunctionalWorld final : public cpu::HalIf {
public:
    /// The executor's HAL is this from now on.
    FunctionalWorld(cpu::ExecutorIf& executor, const Geometry& geometry, nand::PageStore& store,
                    dram::Dram& dram, host::ExpectedVersions& versions);

    /// The time that has passed since the beginning.
    struct Counts {
        u64 written = 0;  ///< pages by the host
        u64 programs = 0; ///< pages in all
        u64 erases = 0;   ///< blocks
    };

    /// Write whole pages [first, first + count) as one host command and wait for its end.
    void write_pages(u32 first, u32 count);
    /// Read sectors [lba, lba + sectors) as one host command, and check what comes. ModelError: the device has lost data,
    /// or ends it with an error. Not where bytes are kept.
    void read(u64 lba, u32 sectors);
    /// The time since boot, as the firmware reads it; 0 at first. It never goes back.
    void set_clock(u64 us) { now_us_ = us; }
    /// All timers that the firmware has armed are due, and those that it arms then.
    void expire_timers();
    /// As if commands of `command_pages` pages each had written the pages [0, pages), by arithmetic: the firmware's
    /// tables, the cells and the versions (sequential_fill.h). `pages`: a multiple of the planes. Before the first
    /// command; the buffer holds none of the pages. False, and nothing has changed: this device has to be written.
    bool fill(u64 pages, u32 command_pages);
    /// False: fill() would be as well, whatever the firmware is.
    bool can_fill() const { return !store_.keeps_bytes() && recorder_ == nullptr && counts_.written == 0; }
    /// The host will soon write page `page`: fetch what that needs. Changes no result.
    void prefetch(u64 page) const
    {
        const u64 unit = page * geometry_.units_per_page();
        versions_.prefetch(unit);
        executor_.hint(page * geometry_.sectors_per_page());
    }
    const Counts& counts() const { return counts_; }
    const fw_config& firmware() const { return cfg_; }
    /// Tell the firmware of a factory bad block: an event like all others, so that a recording of the
    /// steps has it. Before the first command.
    void mark_bad(u32 die, u32 plane, u32 block);
    /// FLUSH, then run until nothing is left inside the firmware.
    void flush();
    /// Let the firmware find out what is in flash (ftl.recovery), then collect until it is idle. Before
    /// the first command, behind mark_bad().
    void mount();
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
    void copy_back(const nand::Place& from, const nand::Place& to, u32 oob);
    void program(const nand::Place& place, u32 buf, u32 oob);
    bool read(const nand::Place& place, u32 col, u32 len, u32 buf, u32 oob);
    const u8* encoded(const u8* table, u32 buf, const u8* oob);
    void decode(const u8* page, u32 first, u32 end, u32 buf);
    void run();
    void tell_ftl(const fw_message& message);
    void settle(const char* after);
    void take_units(const hal_host_dma& dma, u64 first_unit);
    void check_units(const hal_host_dma& dma, u64 first_unit) const;

    cpu::ExecutorIf& executor_;
    const fw_config& cfg_;
    const Geometry& geometry_;
    nand::PageStore& store_;
    dram::Dram& dram_;
    host::ExpectedVersions& versions_;
    std::vector<Fifo<hal_event>> events_; ///< by core
    u64 command_lba_ = 0;
    u64 now_us_ = 0;
    u32 timers_ = 0; ///< bit a timer: armed
    bool completed_ = false;
    Counts counts_;
    std::vector<u8> page_; ///< a physical page on its way; empty where tags stand for the data
    cpu::StepRecorder* recorder_ = nullptr;
};

} // namespace tlmssd::aging
