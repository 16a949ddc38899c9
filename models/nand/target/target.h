// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one CE# of a package: what the channel sees of its LUNs.
#pragma once

#include "models/nand/target/command_decoder.h"
#include "models/nand/target/fault_player.h"
#include "models/nand/target/features.h"
#include "models/nand/target/target_luns.h"
#include "models/onfi/bus/channel.h"
#include "models/time/event_queue.h"

namespace tlmssd::nand {

/// A target (CE#) with Geometry::luns_per_ce() LUNs. Acts at the end of each segment only; a
/// broken rule is reported and the sequence that broke it has no effect (docs/explanation/nand.md).
/// The front of Features, TargetLuns, CommandDecoder and FaultPlayer.
class Target final : public sc_core::sc_module, public onfi::TargetIf {
public:
    /// The caller binds it: channel.bind_target(ce, target).
    /// Throws InputError where a row address needs more than three cycles.
    Target(sc_core::sc_module_name name, time::EventQueue& event_queue, onfi::Channel& channel, u32 ce,
           Device& device);

    void on_segment(onfi::Segment& segment) override;
    void on_write_protect(bool protect) override { luns_.set_protected(protect); }

    const Lun& lun(u32 index) const { return luns_.all()[index].lun; }
    u32 luns() const { return static_cast<u32>(luns_.all().size()); }
    const Features& features() const { return features_; }
    /// A fault has stopped the LUN.
    bool silent(u32 lun) const { return luns_.all()[lun].silent(); }
    void reset_statistics();
    /// The supply is cut and returns at `now`: Lun::power_off() for each LUN, no command open, R/B# high.
    /// The timing mode stays that of the channel.
    void power_off(Picoseconds now);

private:
    void start_of_simulation() override { faults_.start(); }
    bool spoken_to(const onfi::Segment& segment);

    const onfi::Channel& channel_;
    Features features_;
    TargetLuns luns_;
    CommandDecoder decoder_;
    FaultPlayer faults_;
};

} // namespace tlmssd::nand
