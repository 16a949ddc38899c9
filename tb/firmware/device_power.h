// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the test device with a power switch, and what a read may bring after power was cut.
#pragma once

#include "tb/firmware/device.h"

namespace tlmssd::tb {

/// A small device that recovers: 8 planes of `blocks` blocks of 4 pages of 1 KiB, three table pages for
/// trims and one for retired blocks.
fw_config power_config(u32 scheduler, u32 policy, u32 cores = 1, u32 blocks = 11);
/// The same with journal pages: 3 pages of a block have data.
fw_config journal_config(u32 scheduler, u32 policy, u32 cores = 1, u32 blocks = 13);

/// Power goes when cut() is called: DRAM, the firmware's memory and every command are gone, operations
/// in the flash have been done, partly done or not begun. The next device has the flash of the one
/// before and nothing else.
///
/// Reference: of each sector, the versions since the newest that must survive. A write must survive once
/// it is acknowledged with FUA or without a write cache; everything before a FLUSH that has ended must. With
/// capacitors every write and TRIM that was acknowledged before the supply went must.
class PowerDevice : public Device {
public:
    using Device::Device;
    /// The device after the cut: same flash, same reference. mount() comes next.
    std::unique_ptr<PowerDevice> cut(u64 seed);
    /// With capacitors: the supply goes, and the device saves what it has; at most `ticks`. True: it has done so.
    bool save(u64 ticks = ~u64{0});
    /// Let the firmware find out what is in flash; at most `ticks`. True: it has ended.
    bool mount(u64 ticks = ~u64{0});
    /// After mount(): with journal pages the map is what a full scan of this flash finds, but for equal copies.
    /// No erase count is above the true one.
    void expect_as_scanned() const;
    /// Random commands and whatever happens, for so many ticks.
    void work(u64 ticks);
    /// Read every sector; each must be a version that is allowed, and is the only one from now on.
    void read_all();

    /// Before mount(): a page as a program would have left it, version 0 of all its sectors.
    void plant(u32 ppn, u32 lpn, u32 sequence);
    /// The same: the journal page of a block (index in the FTL's table) with LPN and sequence of its pages and
    /// its erase count. The layout is that of docs/explanation/recovery-journal.md.
    void plant_journal(u32 block, const std::vector<std::pair<u32, u32>>& pages, u32 erased, bool damaged = false);

    u64 torn_programs = 0, torn_erases = 0; ///< by the cut that made this device, and those before
    u64 survivors = 0; ///< sectors whose version was not acknowledged as durable, but was found
    u32 trims_of_100 = 8;

    bool flash_submit(const flash_op& op) override;
    u32 issue(u8 opcode, u64 lba, u32 sectors, u8 flags = 0) override;

protected:
    bool may_read(u64 lba, u64 wanted, u64 found) override;
    void end(u32 tag) override;
    bool may_run(std::size_t index) override;

private:
    void check_erase(u32 ppn) const;
    void tear(const Flight& flight, PowerDevice& next);

    struct History {
        std::vector<u64> versions; ///< [0] is the newest that must survive
        u64 dropped = 0;           ///< older ones
    };
    std::vector<History> history_ = std::vector<History>(host_.size(), History{{0}, 0});
    std::vector<std::vector<u64>> until_ = std::vector<std::vector<u64>>(config_.host_tags);
    bool learning_ = false;
    bool power_failed_ = false;
    bool slow_ = false; ///< one operation in eight takes long, so that much happens beside it
    std::map<u64, u32> passed_over_;
};

} // namespace tlmssd::tb
