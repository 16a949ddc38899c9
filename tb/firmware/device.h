// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a whole device around native firmware, without time: memory, NAND and host data. The
// test, or a seed, decides what happens next.
#pragma once

#include <map>
#include <set>

#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {

/// What goes wrong, in 1/10000 of all pages and blocks; drawn from the device's seed.
struct Faults {
    u32 program = 0, erase = 0, read = 0;
    u32 blocks = ~0u; ///< programs and erases fail until so many blocks are affected
};

/// Data are one number a sector: the version that the host wrote, 0 for none. A wrong read, a page
/// programmed out of order, a buffer that changes while it is programmed: std::runtime_error.
class Device : public HalLog {
public:
    explicit Device(const fw_config& config, u64 seed = 1);

    struct Flight {
        flash_op op;
        u64 number; ///< in order of submission, from 1
        std::vector<std::vector<u64>> data; ///< program: the buffers when it was submitted
        std::vector<std::array<u8, 16>> oob;
    };

    /// Hand a command to hil's core; run() or tick() lets the firmware see it. Returns its tag.
    virtual u32 issue(u8 opcode, u64 lba, u32 sectors, u8 flags = 0);
    u32 write_page(u32 lpn, u8 flags = 0) { return issue(HAL_HOST_WRITE, lpn * spp_, spp_, flags); }
    u32 read_page(u32 lpn) { return issue(HAL_HOST_READ, lpn * spp_, spp_); }
    u32 flush() { return issue(HAL_HOST_FLUSH, 0, 0); }
    bool inside(u32 tag) const { return commands_[tag].active; }
    u32 inside() const { return inside_; }
    bool tag_free() const { return inside_ < config_.host_tags; }

    /// Let the firmware run and DRAM move data until only the flash can go on.
    void run();
    /// As if `lpn` had been written (version 0) to `ppn`, whose block is full from now on. Only
    /// before the first command, and only for block 0 of each plane.
    void preload(u32 lpn, u32 ppn);
    /// In flight, in order of submission.
    const std::vector<Flight>& flights() const { return flights_; }
    /// The operation with this index in flights() ends; the firmware does not run yet.
    virtual void finish(std::size_t index);
    /// run(), then end operations in the order of submission until none is left. Throws where
    /// commands are left over.
    void drain();

    /// One thing drawn from the seed happens; false: nothing can happen.
    bool tick();
    /// tick() until at most `n` commands are inside; throws where they hang.
    void tick_until(u32 n);
    u32 draw(u32 below);

    /// Operations that the controller takes before it refuses.
    u32 capacity = 1u << 30;
    u64 programs = 0, erases = 0, reads = 0; ///< pages, blocks, pages
    u64 copybacks = 0; ///< of the programs
    u64 failed_programs = 0, failed_erases = 0, failed_reads = 0; ///< of these; by `faults` only
    u64 read_errors = 0, write_errors = 0; ///< commands that ended with an error
    u64 flush_errors = 0;                  ///< of the writes, which count these too
    Faults faults;
    /// Fails whatever `faults` says: programs of a block, reads of a page, all of a die.
    std::set<u32> failing_blocks; ///< index in the FTL's table
    std::set<u32> unreadable;     ///< PPN, until it is erased
    std::map<u32, u32> erases_of; ///< by block: begun and not failed
    std::set<u32> dead_dies;      ///< nothing is answered: TIMEOUT
    /// Bad from the factory: fw_mark_bad(), and any operation on it throws.
    void mark_bad(u32 die, u32 plane, u32 block);
    /// Programs submitted to a block after one on it had failed.
    u64 programs_on_failed = 0;
    bool flash_submit(const flash_op& op) override;
    void host_complete(u32 tag, u32 status) override;
    void host_dma(const struct ::hal_host_dma& dma) override;

    u32 die_of(const flash_op& op) const
    {
        return (op.channel * config_.ways * config_.chip_enables + op.ce) *
                   (config_.dies / config_.chip_enables) +
               op.lun;
    }
    /// OOB record of a programmed page, by PPN; null where the page is erased.
    const fw_oob* oob_of(u32 ppn) const;
    /// Every write that was acknowledged is in flash (after a FLUSH).
    void expect_all_in_flash() const;
    /// The newest version of each sector among all copies in flash, mapped or not; by LBA.
    std::vector<u64> newest_in_flash() const;
    /// Die of the copy in flash of a page that was written once; FW_NONE: there is none.
    u32 die_of_page(u32 lpn) const;
    /// Where the firmware would find the page now: map, or cached entry, or translation page in flash.
    u32 map_entry(u32 lpn) const;
    /// The same of the translation page in flash alone.
    u32 entry_in_flash(u32 lpn) const;
    /// What a read would have to find now, by LBA.
    const std::vector<u64>& expected() const { return host_; }
    u32 spp() const { return spp_; }
    u64 host_sectors() const { return host_.size(); }

protected:
    struct Command {
        bool active = false;
        bool failed = false;
        hal_host_command command{};
        u32 moved = 0;
        std::vector<u64> data; ///< read: what must come; write: what is sent
        std::deque<struct ::hal_host_dma> dmas;
    };
    struct Page {
        std::vector<u64> data;
        fw_oob oob{};
        bool broken = false; ///< its program failed: reads of it bring anything, or an error
    };

    /// What a read brings; false: it is wrong.
    virtual bool may_read(u64 lba, u64 wanted, u64 found)
    {
        (void)lba;
        return wanted == found;
    }
    virtual void end(u32 tag);
    [[noreturn]] void fail(const std::string& what) const;
    u32 ppn_of(const flash_op& op, u32 i) const;
    void check(const flash_op& op);
    virtual bool may_run(std::size_t index);
    bool chance(u32 of_10000);
    bool block_fails(u32 block, u32 of_10000);
    bool program_page(const Flight& flight, u32 i, u32 ppn);
    bool copy_page(const Flight& flight);
    void check_copyback(const flash_op& op);
    bool read_page_of(const flash_op& op, u32 i, u32 ppn);
    bool erase_block(u32 ppn);
    bool error_is_explained(const Command& c) const;
    bool may_be_older(u64 lba) const;
    bool is_lost(u64 lba) const;
    u64 table_cell(const std::vector<u8>& sector); ///< what stands for it in DRAM and flash
    void to_cells(const flash_op& op);
    void from_cells(const flash_op& op);
    bool is_table(u32 buf) const { return buf >= fw_table_base(&config_); }
    bool one_dma(u32 choice);
    bool one_copy(u32 choice);
    bool one_flash(u32 choice);
    bool one_step(u32 choice);
    bool one_timer(u32 choice);
    u8* oob_at(u32 offset) { return f()->oob + (offset - config_.oob_base); }

    u32 spp_;       ///< sectors of a logical page
    u32 flash_spp_; ///< of a page in flash
    bool reads_erased_ = false; ///< reads of erased pages bring ones
    u64 seed_;
    u64 draws_ = 0;
    std::vector<Command> commands_;
    u32 inside_ = 0;
    u64 version_ = 0;
    std::vector<u64> host_;
    std::vector<u64> dram_;
    std::map<u32, Page> nand_;      ///< by PPN
    std::map<u32, u32> generation_; ///< by PPN: copybacks since ECC has seen the page
    std::map<u32, u32> next_page_;  ///< by block index: pages submitted for programming
    std::vector<Flight> flights_;
    u64 number_ = 0;
    bool owe_space_ = false;
    u64 fault_draws_ = 0;
    std::set<u32> failed_blocks_; ///< a program failed: must not be erased, by index
    std::set<u32> bad_blocks_;    ///< from the factory, or an erase failed: must not be touched
    std::set<u32> faulty_blocks_; ///< by `faults`
    /// LBA and version of every sector whose copy in flash could not be read.
    std::set<std::pair<u64, u64>> unread_;
    /// Of writes and trims that ended with an error on a read-only device: older versions may be read.
    std::set<u64> refused_;
    std::map<std::vector<u8>, u64> number_of_; ///< contents of sectors of the firmware's own pages
    std::vector<std::vector<u8>> contents_;
};

/// Walk map, valid bits, counters, free lists and the NAND of an idle device; gtest failures.
void check_map(const Device& device);

} // namespace tlmssd::tb
