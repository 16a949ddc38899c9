// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one CE# of a package: parses ONFI bytes for its LUNs and keeps their time.
#pragma once

#include <memory>
#include <vector>

#include "models/nand/lun.h"
#include "models/onfi/channel.h"
#include "models/time/event_wheel.h"

namespace tlmssd::nand {

/// What all targets of one device share; outlives them.
struct Device {
    PageStore& store;
    const config::Nand& nand;
    onfi::ViolationSink& violations;
    u64 seed = 1;
    u64 swap_at = 0; ///< config::Inject::swap_page_registers_at; 0: never
    u64 bursts = 0;  ///< page bursts out so far, over the device
    u64 swapped = 0; ///< swaps done (0 or 1)
};

/// A chip enable with Geometry::luns_per_ce() LUNs. Acts at the end of each segment only; a
/// broken rule is reported and the sequence that broke it has no effect (docs/nand.md).
class Target final : public sc_core::sc_module, public onfi::TargetIf {
public:
    /// The caller binds it: channel.bind_target(ce, target). tWB is the channel's.
    /// Throws InputError where a row address needs more than three cycles.
    Target(sc_core::sc_module_name name, time::EventWheel& wheel, onfi::Channel& channel, u32 ce,
           Device& device);

    void on_segment(onfi::Segment& segment) override;

    const Lun& lun(u32 index) const { return slots_[index]->lun; }
    u32 luns() const { return static_cast<u32>(slots_.size()); }
    void reset_statistics();

private:
    static constexpr u32 kNone = 0x100; ///< no sequence open (00h is a command)
    struct Slot {
        Slot(Target& owner, time::EventWheel& wheel, Device& device, u32 number, u32 die);
        void on_array_done();
        Target& target;
        Lun lun;
        Picoseconds ready_at; ///< of the last rising edge of R/B#
        time::Timer timer;
        u32 index;
    };

    /// A row address taken apart.
    struct Row {
        u32 lun;
        Place place; ///< die not set
    };

    void cycles(const onfi::Segment& segment, u32 from, u32 to);
    void command(u8 byte);
    void address(const u8* bytes, u32 count);
    void select_status();
    void open(u8 byte);
    bool closes(u32 first, u32 addresses);
    void confirm_read(bool queue);
    void confirm_program(bool queue);
    void confirm_erase(bool queue);
    void confirm_column();
    void reset();
    bool open_program();
    void burst_in(const onfi::Segment& segment);
    void burst_out(onfi::Segment& segment);
    void count_page_burst(onfi::DataCells& cells);
    Row split(u32 row) const;
    Slot* ready_slot(const Row& row);
    Slot* addressed(const Row& row);
    bool accessible(const Slot& slot);
    void start(Slot& slot, const Lun::Start& start);
    void violate(onfi::Rule rule, u32 lun);
    static Place place(const Slot& slot, const Row& row);
    u32 column() const { return static_cast<u32>(addresses_ & 0xffff); }
    Row row() const { return split(static_cast<u32>(addresses_ >> 16) & 0xffffff); }
    Row row_only() const { return split(static_cast<u32>(addresses_) & 0xffffff); }

    onfi::Channel& channel_;
    Device& device_;
    Geometry geometry_;
    u32 page_bits_; ///< of the row address, see Geometry::row()
    u32 plane_bits_;
    u32 block_bits_;
    u32 ce_;
    Picoseconds t_wb_;
    Picoseconds t_cs_;
    std::vector<std::unique_ptr<Slot>> slots_;

    // the sequence that is open, kept between segments
    u32 first_ = kNone;        ///< its first command byte
    u32 address_count_ = 0;
    u64 addresses_ = 0;        ///< address cycles, the first in the low byte
    bool dead_ = false;        ///< it broke a rule: its rest has no effect
    bool programming_ = false; ///< 80h and its address are accepted
    u32 selected_ = 0;         ///< LUN that the last row address named
    bool status_out_ = false;  ///< bursts out deliver the status register, not data
    u32 status_plane_ = Lun::kAllPlanes;
    Picoseconds first_cycle_; ///< of the segment at hand
    Picoseconds segment_end_;
};

} // namespace tlmssd::nand
