// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: controller.kind rtl_pins: the RTL PHY of one channel, the dies behind its pins, data through it.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "models/flash/pins/phy_model.h"
#include "models/flash/pins/phy_registers.h"
#include "models/onfi/bus/channel.h"
#include "models/onfi/pins/pin_reader.h"
#include "models/onfi/pins/pin_target.h"
#include "models/time/event_queue.h"

namespace tlmssd::flash {

/// Levels and words between the PHY and what is around it; decides nothing. Segments are asked for on the
/// PHY's segment port; pin readers and targets meet nothing but pins; what came out of the PHY as words is
/// what the data path gets. Bit errors and the tags of real bytes, which have no pins, travel beside.
///
/// The PHY's clock has edges at n * period and stands while the PHY is idle, unless `gated` is false; results
/// are the same. Segments of several channels that end at one picosecond are reported in the order in which they
/// began, as Channel does by itself: in that order they get DRAM. A segment that does not take the time that
/// the channel's equations say, or carries other bytes than the controller's phase means, is a ModelError.
class PinPhy final : public sc_core::sc_module, private onfi::PinOutputIf {
public:
    /// `channel` and the targets outlive it.
    PinPhy(sc_core::sc_module_name name, time::EventQueue& event_queue, onfi::Channel& channel,
           const Geometry& geometry, const PhySetup& setup, const onfi::BusTiming& timing,
           config::DataKind data, bool gated, onfi::ViolationSink& violations,
           std::unique_ptr<PhyModelIf> model);

    /// Before the simulation starts; all CE#.
    void bind_target(u32 ce, onfi::TargetIf& target);
    /// Gets every change of the pins; none by default.
    void bind_observer(onfi::PinObserverIf& observer) { observer_ = &observer; }

    /// Run `segment`, which is what `request` means; its data hold a burst in, and get a burst out. The
    /// channel's master hears the end.
    void start(const SegmentRequest& request, onfi::Segment& segment);

    u64 edges() const { return edges_; } ///< run so far
    const onfi::PinReader& reader() const { return reader_; }

private:
    void start_of_simulation() override;
    void on_drive(const onfi::DieDrive& drive) override;
    void on_clock();
    void on_end();
    void on_die();
    void present();
    void show(Picoseconds now);
    void tell(Picoseconds at);
    void take_drives(Picoseconds now);
    void offer();
    void finish(Picoseconds now);
    void compare(const onfi::Segment& seen) const;
    void take_out(const onfi::Segment& seen);
    u32 word_bytes() const { return asked_->narrow ? 1 : word_bytes_; }
    void arm(Picoseconds at);

    time::EventQueue& event_queue_;
    onfi::Channel& channel_;
    u64 period_;
    bool gated_;
    u32 codeword_bytes_;
    u32 word_bytes_; ///< of a page; register bytes go one a word
    Picoseconds t_ceh_; ///< in whole clocks
    onfi::PinBytes bytes_;
    std::unique_ptr<PhyModelIf> model_;
    onfi::PinReader reader_;
    std::vector<std::unique_ptr<onfi::PinTarget>> targets_; ///< by CE#
    onfi::PinObserverIf* observer_ = nullptr;
    time::Timer clock_;
    time::Timer end_; ///< of the segment: keeps its place among those that end at the same picosecond
    time::Timer die_; ///< the dies' next change of DQ, where somebody watches
    std::deque<onfi::DieDrive> drives_; ///< announced by the reader, by time
    onfi::DieDrive driven_;             ///< what the dies drive
    onfi::Pins pins_;                   ///< what the PHY drives
    u8 run_ = 0;
    SegmentRequest request_;
    onfi::Segment* asked_ = nullptr;
    bool waits_ = false;       ///< asked_ is to be presented at or after from_
    Picoseconds from_;
    std::vector<u8> in_;       ///< bytes of the burst in
    u32 next_in_ = 0;
    std::vector<u8> out_;      ///< bytes that have come out
    Picoseconds last_edge_;
    bool edge_run_ = false;    ///< last_edge_ is valid
    Picoseconds rose_;         ///< CE# of last_ce_
    u32 last_ce_ = ~u32{0};
    u64 edges_ = 0;
};

} // namespace tlmssd::flash
