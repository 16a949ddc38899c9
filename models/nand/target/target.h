// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one CE# of a package: parses ONFI bytes for its LUNs and keeps their time.
#pragma once

#include <memory>
#include <vector>

#include "models/common/fixed_array.h"
#include "models/nand/lun/lun.h"
#include "models/nand/target/features.h"
#include "models/onfi/bus/channel.h"
#include "models/time/event_wheel.h"

namespace tlmssd::nand {

/// A chip enable with Geometry::luns_per_ce() LUNs. Acts at the end of each segment only; a
/// broken rule is reported and the sequence that broke it has no effect (docs/nand.md).
class Target final : public sc_core::sc_module, public onfi::TargetIf {
public:
    /// The caller binds it: channel.bind_target(ce, target).
    /// Throws InputError where a row address needs more than three cycles.
    Target(sc_core::sc_module_name name, time::EventWheel& wheel, onfi::Channel& channel, u32 ce,
           Device& device);

    void on_segment(onfi::Segment& segment) override;
    void on_write_protect(bool protect) override;

    const Lun& lun(u32 index) const { return slots_[index].lun; }
    u32 luns() const { return static_cast<u32>(slots_.size()); }
    const Features& features() const { return features_; }
    /// A fault has stopped the LUN.
    bool silent(u32 lun) const { return slots_[lun].silent; }
    void reset_statistics();
    /// The supply is cut and returns at `now`: Lun::power_off() for each LUN, no command open, R/B# high.
    /// The timing mode stays that of the channel.
    void power_off(Picoseconds now);

private:
    static constexpr u32 kNone = 0x100; ///< no sequence open (00h is a command)
    static constexpr u32 kRowCycles = 3;
    static constexpr u32 kColumnCycles = 2;
    static constexpr u32 kMaxAddresses = kColumnCycles + kRowCycles;

    struct Slot {
        Slot(Target& owner, time::EventWheel& wheel, u32 number, u32 die);
        void on_due();
        static constexpr u32 kNoRetry = 0xffffffff;
        Target& target;
        u32 index;
        u32 retry_due = kNoRetry; ///< read-retry level that comes with the end of tFEAT
        bool silent = false;
        Lun lun;
        time::Timer timer;
    };

    /// A row address taken apart.
    struct Row {
        u32 lun;
        Place place; ///< die not set
    };
    /// What bursts out deliver.
    enum class Output : u8 { Page, Bytes };

    // target.cpp: cycles, sequences, rows
    bool spoken_to(const onfi::Segment& segment);
    void cycles(const onfi::Segment& segment, u32 from, u32 to);
    void command(u8 byte);
    void address(u64 value, u32 count);
    void open(u8 byte);
    void end_sequence();
    bool closes(u32 first, u32 addresses);
    bool bare_read() const { return first_ == onfi::cmd::kRead && address_count_ == 0; }
    Row split(u32 row) const
    {
        const auto take = [&row](u32 bits) {
            const u32 field = row & ((1u << bits) - 1);
            row >>= bits;
            return field;
        };
        Row parts{};
        parts.place.page = take(page_bits_);
        parts.place.plane = take(plane_bits_);
        parts.place.block = take(block_bits_);
        parts.lun = row;
        return parts;
    }
    Slot* addressed(const Row& row);
    bool accessible(const Slot& slot, Access access);
    Slot* ready_slot(const Row& row, Access access);
    void start(Slot& slot, const Lun::Start& start);
    void violate(onfi::Rule rule, u32 lun);
    static Place place(const Slot& slot, const Row& row);
    u32 column() const { return static_cast<u32>(addresses_ & 0xffff); }
    Row row() const { return split(static_cast<u32>(addresses_ >> 16) & 0xffffff); }
    Row row_only() const { return split(static_cast<u32>(addresses_) & 0xffffff); }
    Picoseconds begin_at() const { return segment_end_ + timing_->sheet.t_wb; }

    // target_commands.cpp: reads, programs, erases and what stops them
    void confirm_read(ReadEnd end);
    void confirm_cache_read(bool last);
    void confirm_program(ProgramEnd end);
    void confirm_erase(bool queue);
    void confirm_column();
    bool resolve_program();
    bool open_program();
    bool open_copyback();
    bool change_write_address();
    bool protected_from(Slot& slot, u32 plane);
    void change_write();
    void row_complete(u8 first);
    void suspend(Slot& slot, ArrayOp kind);
    void reset(bool interface_too);
    void reset_slot(Slot& slot);

    // target_data.cpp: bursts
    void burst_in(const onfi::Segment& segment);
    void burst_out(onfi::Segment& segment);
    void bytes_out(onfi::Segment& segment);
    void silence_out(onfi::Segment& segment) const;
    void count_page_burst(onfi::DataCells& cells);

    // target_registers.cpp: ID, parameter page, features
    void read_register(u8 first);
    void get_features(bool of_lun);
    void set_features(bool of_lun, const onfi::Segment& segment);
    bool feature_addressed(bool of_lun, Slot*& slot);
    bool all_ready();
    void occupy(Slot* slot, ArrayOp kind, Picoseconds time);
    void apply_feature(Slot& slot);

    // target_faults.cpp
    void start_of_simulation() override;
    void on_fault();
    void apply(const Fault& fault, Slot& slot);

    // What every segment touches comes first.
    // The sequence that is open, kept between segments:
    u32 first_ = kNone;        ///< its first command byte
    u32 address_count_ = 0;
    u64 addresses_ = 0;        ///< address cycles, the first in the low byte
    bool dead_ = false;        ///< it broke a rule: its rest has no effect
    bool programming_ = false; ///< 80h or 85h and its address are accepted
    bool changing_ = false;    ///< 85h inside a program: its address is still to come
    bool status_out_ = false;  ///< bursts out deliver the status register, not data
    Output output_ = Output::Page;
    bool protect_ = false;
    u32 selected_ = 0;         ///< LUN that the last row address named
    const onfi::BusTiming* timing_ = nullptr;     ///< how the last segment was driven
    const onfi::BusTiming* understood_ = nullptr; ///< the same, where the next need not be judged
    Picoseconds first_cycle_;  ///< of the segment at hand
    Picoseconds segment_end_;
    FixedArray<Slot> slots_;   ///< by LUN
    u32 blocks_;               ///< Geometry, for row addresses
    u32 pages_;
    u8 planes_;
    u8 page_bits_;             ///< of the row address, see Geometry::row()
    u8 plane_bits_;
    u8 block_bits_;
    u32 ce_;
    onfi::Channel& channel_;
    Device& device_;
    Features features_;
    Geometry geometry_;

    u32 status_plane_ = Lun::kAllPlanes;
    std::vector<u8> register_; ///< Output::Bytes: ID, parameter page, unique ID, features
    u32 register_at_ = 0;

    // a feature that is being set
    bool feature_due_ = false;
    u8 feature_address_ = 0;
    FeatureBytes feature_bytes_{};

    std::vector<Fault> faults_; ///< of this target's LUNs
    std::size_t next_fault_ = 0;
    std::unique_ptr<time::Timer> fault_timer_; ///< null without faults
};

} // namespace tlmssd::nand
