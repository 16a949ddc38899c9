// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one ONFI channel: carries segments to the dies, one at a time, and ready edges back.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

#include "models/common/geometry.h"
#include "models/onfi/bus/bus_if.h"
#include "models/onfi/bus/timing.h"
#include "models/time/event_queue.h"

namespace tlmssd::onfi {

/// A segment occupies the bus from nb_transport_fw() to its end; one timer event at the end calls
/// the die, then the observers, then the master. Only nb_transport_fw() exists in this protocol.
class Channel final : public sc_core::sc_module, public tlm::tlm_fw_transport_if<OnfiProtocol> {
public:
    struct Statistics {
        Picoseconds busy;   ///< sum of all segments
        Picoseconds bursts; ///< of it: bytes move
        u64 segments = 0;
        u64 bytes_in = 0;  ///< data to the dies, parity and OOB included
        u64 bytes_out = 0; ///< data and status from the dies
    };

    tlm::tlm_target_socket<8, OnfiProtocol> socket;

    /// `index` is the channel's number; `timing` is copied and holds for all CE# until
    /// set_timing(); `ready` says how R/B# is wired to the master.
    Channel(sc_core::sc_module_name name, time::EventQueue& event_queue, u32 index,
            const Geometry& geometry, const BusTiming& timing,
            config::ReadySense ready = config::ReadySense::Lun);

    void bind_target(u32 ce, TargetIf& target);
    void bind_master(BusMasterIf& master);
    /// Observers are called in the order of binding; on_started() and on_array_edge() only with `starts`.
    void bind_observer(BusObserverIf& observer, bool starts = true);

    /// Takes the bus for `segment` at now + `delay`, sets segment.start, segment.end and
    /// segment.timing, answers TLM_COMPLETED with `delay` from now to the end. The segment stays
    /// alive until BusMasterIf::on_segment_end(). Throws ModelError where the bus is busy.
    tlm::tlm_sync_enum nb_transport_fw(Segment& segment, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;

    /// The same for a master that drives pins itself: `segment`, which it has asked of them, has the bus from
    /// `from` on, which is not before now, or from the first command cycle's tRHW on. Sets start, the end
    /// that they are to reach, and timing.
    void begin_on_pins(Segment& segment, Picoseconds from);
    /// It has ended now, and `seen` is what the pins have carried and the target knows. The master hears the
    /// end of the segment that it has asked for.
    void end_on_pins(Segment& seen);

    /// The master drives this CE# in another way from its next segment on: what it does after SET
    /// FEATURES. Whether the target agrees is for the die and the checker to say.
    /// Throws ModelError while a segment to this CE# is on the bus.
    void set_timing(u32 ce, const BusTiming& timing);
    /// WP# of one target; low where `protect`.
    void set_write_protect(u32 ce, bool protect);

    /// R/B# of one LUN; called by targets, at model time now.
    void set_ready(u32 ce, u32 lun, bool ready);
    /// The array of one LUN behind a cache operation; called by targets, at model time now.
    void show_array(u32 ce, u32 lun, bool busy);
    /// R/B# of a CE#, the wired AND of its LUNs.
    bool ready(u32 ce) const { return ways_[ce].low == 0; }

    bool busy() const { return current_ != nullptr; }
    u32 index() const { return index_; }
    const BusTiming& timing() const { return timing_; } ///< as built
    const BusTiming& timing(u32 ce) const { return *ways_[ce].timing; }
    const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = Statistics{}; }
    /// How long segments of this CE# have held the bus since time 0, up to now. Two readings tell
    /// the time between them; reset_statistics() leaves it alone.
    Picoseconds busy_of(u32 ce) const;

private:
    struct Way { ///< one CE#
        TargetIf* target = nullptr;
        const BusTiming* timing = nullptr;
        Picoseconds busy;
        u32 low = 0; ///< LUNs whose R/B# is low
    };

    void complete(Segment& segment);
    void b_transport(Segment& segment, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Segment& segment, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(Segment& segment) override;
    void on_end();

    // Members that every segment touches come first.
    time::EventQueue& event_queue_;
    u32 index_;
    config::ReadySense ready_;
    std::vector<Way> ways_; ///< by CE#
    BusMasterIf* master_ = nullptr;
    Segment* current_ = nullptr;
    Picoseconds command_from_; ///< end of the last burst out + tRHW: no command cycle before
    Statistics statistics_;
    std::vector<BusObserverIf*> observers_;
    std::vector<BusObserverIf*> start_observers_;
    time::Timer end_timer_;
    BusTiming timing_;
    /// Made by set_timing() and kept: a pointer to a timing keeps its meaning.
    std::vector<std::unique_ptr<const BusTiming>> more_timings_;
};

} // namespace tlmssd::onfi
