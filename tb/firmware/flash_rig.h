// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DRAM and NAND around native firmware, without time. The test, or a seed, decides what ends next.
#pragma once

#include <map>
#include <set>

#include "tb/firmware/hal_log.h"
#include "tb/firmware/table_cells.h"

namespace tlmssd::tb {

/// What goes wrong, in 1/10000 of all pages and blocks; drawn from the device's seed.
struct Faults {
    u32 program = 0, erase = 0, read = 0;
    u32 blocks = ~0u; ///< programs and erases fail until this number of blocks is affected
};

/// Data are one number per sector: the version that the host wrote, 0 for none. A page programmed out of
/// order, a read of an erased page, a buffer that changes while it is programmed: std::runtime_error.
class FlashRig : public HalLog {
public:
    FlashRig(const fw_config& config, u64 seed);

    struct Flight {
        flash_op op;
        u64 number; ///< in order of submission, from 1
        std::vector<std::vector<u64>> data; ///< program: the buffers when it was submitted
        std::vector<std::array<u8, 16>> oob;
    };

    /// In flight, in order of submission.
    const std::vector<Flight>& flights() const { return flights_; }
    /// The operation with this index in flights() ends; the firmware does not run yet.
    virtual void finish(std::size_t index);
    bool flash_submit(const flash_op& op) override;

    u32 draw(u32 below);

    /// Operations that the controller takes before it refuses.
    u32 capacity = 1u << 30;
    u64 programs = 0, erases = 0, reads = 0; ///< pages, blocks, pages
    u64 copybacks = 0;                       ///< programs that were copybacks
    u64 checked_copies = 0;                  ///< of them, those whose page was read for ECC
    u64 failed_programs = 0, failed_erases = 0, failed_reads = 0; ///< counted in `programs`, `erases`, `reads`
    /// Programs submitted to a block after one on it had failed.
    u64 programs_on_failed = 0;
    Faults faults;
    /// Fails whatever `faults` says: programs of a block, reads of a page, all of a die.
    std::set<u32> failing_blocks; ///< index in the FTL's table
    std::set<u32> unreadable;     ///< PPN, until it is erased
    std::map<u32, u32> erases_of; ///< by block: begun and not failed
    std::set<u32> dead_dies;      ///< nothing is answered: TIMEOUT
    /// Bad from the factory: fw_mark_bad(), and any operation on it throws.
    void mark_bad(u32 die, u32 plane, u32 block);

    u32 die_of(const flash_op& op) const
    {
        return (op.channel * config_.ways * config_.chip_enables + op.ce) *
                   (config_.dies / config_.chip_enables) +
               op.lun;
    }
    /// OOB record of a programmed page, by PPN; null where the page is erased.
    const fw_oob* oob_of(u32 ppn) const;
    /// The newest version of each sector among all copies in flash, mapped or not; by LBA.
    std::vector<u64> newest_in_flash() const;
    /// Die of the copy in flash of a page that was written once; FW_NONE: it has none.
    u32 die_of_page(u32 lpn) const;
    u32 spp() const { return spp_; }
    u64 host_sectors() const { return u64{config_.logical_pages} * spp_; }

protected:
    struct Page {
        std::vector<u64> data;
        fw_oob oob{};
        bool broken = false; ///< its program failed: reads of it bring anything, or an error
    };

    [[noreturn]] void fail(const std::string& what) const;
    u32 ppn_of(const flash_op& op, u32 i) const;
    virtual bool may_run(std::size_t index);
    bool one_copy(u32 choice);
    bool one_flash(u32 choice);

    u32 spp_;       ///< sectors of a logical page
    u32 flash_spp_; ///< of a page in flash
    bool reads_erased_ = false; ///< reads of erased pages bring ones
    u64 seed_;
    std::vector<u64> dram_;
    std::map<u32, Page> nand_;      ///< by PPN
    std::map<u32, u32> generation_; ///< by PPN: copybacks since ECC has seen the page
    std::map<u32, u32> next_page_;  ///< by block index: pages submitted for programming
    std::vector<Flight> flights_;
    u64 fault_draws_ = 0;
    std::set<u32> bad_blocks_;    ///< from the factory, or an erase failed: must not be touched
    std::set<u32> faulty_blocks_; ///< by `faults`
    /// LBA and version of every sector whose copy in flash could not be read.
    std::set<std::pair<u64, u64>> unread_;
    TableCells tables_; ///< sectors of the firmware's own pages

private:
    bool host_read(const flash_op& op) const;
    void check(const flash_op& op);
    void check_copyback(const flash_op& op);
    bool chance(u32 of_10000);
    bool block_fails(u32 block, u32 of_10000);
    bool program_page(const Flight& flight, u32 i, u32 ppn);
    u8 copy_page(const Flight& flight);
    bool read_page_of(const flash_op& op, u32 i, u32 ppn);
    bool erase_block(u32 ppn);
    void to_cells(const flash_op& op);
    void from_cells(const flash_op& op);
    bool is_table(u32 buf) const { return buf >= fw_table_base(&config_); }
    u8* oob_at(u32 offset) { return f()->oob + (offset - config_.oob_base); }

    u64 draws_ = 0;
    u64 number_ = 0;
    bool owe_space_ = false;
    std::set<u32> failed_blocks_; ///< a program failed: must not be erased, by index
};

} // namespace tlmssd::tb
