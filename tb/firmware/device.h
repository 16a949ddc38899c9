// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a whole device around native firmware, without time: memory, NAND and host data. The
// test, or a seed, decides what happens next.
#pragma once

#include "tb/firmware/flash_rig.h"

namespace tlmssd::tb {

/// FlashRig with a host, which knows what each read must bring: a wrong one is a std::runtime_error.
class Device : public FlashRig {
public:
    explicit Device(const fw_config& config, u64 seed = 1);

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
    /// run(), then end operations in the order of submission until none is left. Throws where
    /// commands are left over.
    void drain();

    /// One thing drawn from the seed happens; false: nothing can happen.
    bool tick();
    /// tick() until at most `n` commands are inside; throws where they hang.
    void tick_until(u32 n);

    /// The time between two steps is drawn below this, in us; 0: none passes.
    u32 us_between_steps = 0;
    /// A command takes any free tag, drawn from the seed; else the lowest.
    bool any_tag = false;
    u64 read_errors = 0, write_errors = 0; ///< commands that ended with an error
    u64 flush_errors = 0;                  ///< counted in `write_errors` too
    void host_complete(u32 tag, u32 status) override;
    void host_dma(const struct ::hal_host_dma& dma) override;

    /// Every write that was acknowledged is in flash (after a FLUSH).
    void expect_all_in_flash() const;
    /// Where the firmware would find the page now: map, or cached entry, or translation page in flash.
    u32 map_entry(u32 lpn) const;
    /// The entry that the translation page in flash has for the page.
    u32 entry_in_flash(u32 lpn) const;
    /// What a read would have to find now, by LBA.
    const std::vector<u64>& expected() const { return host_; }

protected:
    struct Command {
        bool active = false;
        bool failed = false;
        hal_host_command command{};
        u32 moved = 0;
        std::vector<u64> data; ///< read: what must come; write: what is sent
        std::deque<struct ::hal_host_dma> dmas;
    };

    /// What a read brings; false: it is wrong.
    virtual bool may_read(u64 lba, u64 wanted, u64 found)
    {
        (void)lba;
        return wanted == found;
    }
    virtual void end(u32 tag);
    u32 free_tag();

    std::vector<Command> commands_;
    u32 inside_ = 0;
    u64 version_ = 0;
    std::vector<u64> host_;

private:
    bool error_is_explained(const Command& c) const;
    bool may_be_older(u64 lba) const;
    bool is_lost(u64 lba) const;
    bool one_dma(u32 choice);
    bool one_step(u32 choice);
    bool one_timer(u32 choice);

    /// Writes and trims that ended with an error on a read-only device: older versions may be read.
    std::set<u64> refused_;
};

/// Walk map, valid bits, counters, free lists and the NAND of an idle device; gtest failures.
void check_map(const Device& device);

} // namespace tlmssd::tb
