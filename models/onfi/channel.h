// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one ONFI channel: carries segments to the dies, one at a time, and ready edges back.
#pragma once

#include <tlm>
#include <vector>

#include "models/common/geometry.h"
#include "models/onfi/bus_if.h"
#include "models/onfi/timing.h"
#include "models/time/event_wheel.h"

namespace tlmssd::onfi {

/// A segment occupies the bus from nb_transport_fw() to its end; one timer event at the end tells
/// the die, then the observer, then the master. Only nb_transport_fw() exists in this protocol.
class Channel final : public sc_core::sc_module, public tlm::tlm_fw_transport_if<OnfiProtocol> {
public:
    struct Statistics {
        Picoseconds busy; ///< sum of all segments
        u64 segments = 0;
        u64 bytes_in = 0;  ///< data to the dies, parity and OOB included
        u64 bytes_out = 0; ///< data and status from the dies
    };

    tlm::tlm_target_socket<8, OnfiProtocol> socket;

    /// `index` is the channel's number; `timing` is copied.
    Channel(sc_core::sc_module_name name, time::EventWheel& wheel, u32 index,
            const Geometry& geometry, const BusTiming& timing);

    void bind_target(u32 ce, TargetIf& target);
    void bind_master(BusMasterIf& master);
    void bind_observer(BusObserverIf& observer);

    /// Takes the bus for `segment` at now + `delay`, sets segment.start and segment.end, answers
    /// TLM_COMPLETED with `delay` from now to the end. The segment stays alive until
    /// BusMasterIf::on_segment_end(). Throws ModelError where the bus is busy.
    tlm::tlm_sync_enum nb_transport_fw(Segment& segment, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;

    /// R/B# of one LUN; called by targets, at model time now.
    void set_ready(u32 ce, u32 lun, bool ready);

    bool busy() const { return current_ != nullptr; }
    u32 index() const { return index_; }
    const BusTiming& timing() const { return timing_; }
    const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = Statistics{}; }

private:
    void b_transport(Segment& segment, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Segment& segment, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(Segment& segment) override;
    void on_end();

    time::EventWheel& wheel_;
    u32 index_;
    BusTiming timing_;
    std::vector<TargetIf*> targets_; ///< by CE#
    BusMasterIf* master_ = nullptr;
    BusObserverIf* observer_ = nullptr;
    Segment* current_ = nullptr;
    Picoseconds command_from_; ///< end of the last burst out + tRHW: no command cycle before
    Statistics statistics_;
    time::Timer end_timer_;
};

} // namespace tlmssd::onfi
