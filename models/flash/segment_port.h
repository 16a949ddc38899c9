// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the segment port of all channels: phases become ONFI bytes, bursts meet the data path.
#pragma once

#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/flash/controller_if.h"
#include "models/flash/data_path.h"
#include "models/onfi/channel.h"
#include "models/time/event_wheel.h"

namespace tlmssd::flash {

/// Driven alike by the TLM controller and the RTL. Decides nothing about order or time.
class SegmentPort final : public sc_core::sc_module, public SegmentPortIf, public onfi::BusMasterIf {
public:
    struct ChannelStatistics {
        u64 page_reads = 0;    ///< bursts out of pages
        u64 page_programs = 0; ///< bursts in
        u64 block_erases = 0;
    };
    struct DieStatistics {
        Picoseconds bus;   ///< segments addressed to the die
        Picoseconds array; ///< R/B# low
        Picoseconds busy;  ///< from the first cycle of an operation to its end (PAQ's definition)
    };

    SegmentPort(sc_core::sc_module_name name, time::EventWheel& wheel, const Geometry& geometry,
                DataPath& data_path);

    /// Connect channel `index`; all before the simulation starts, in ascending order.
    void bind_channel(onfi::Channel& channel);
    void bind(SegmentClientIf& client) override { client_ = &client; }

    void start(u32 channel, const SegmentRequest& request) override;

    void on_segment_end(u32 channel, onfi::Segment& segment) override;
    void on_ready(u32 channel, u32 ce, u32 lun, bool ready) override;

    const ChannelStatistics& channel_statistics(u32 channel) const { return ports_[channel].stats; }
    const DieStatistics& die_statistics(u32 die) const { return dies_[die].stats; }
    u64 dies() const { return dies_.size(); }

private:
    struct Port : public tlm::tlm_bw_transport_if<onfi::OnfiProtocol> {
        Port(time::EventWheel& wheel, SegmentPort& owner, u32 number);
        void on_delay();
        /// Not part of the protocol: the end of a segment comes through onfi::BusMasterIf.
        tlm::tlm_sync_enum nb_transport_bw(onfi::Segment&, tlm::tlm_phase&,
                                           sc_core::sc_time&) override
        {
            return tlm::TLM_COMPLETED;
        }
        void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
        SegmentPort& owner;
        u32 number;
        tlm::tlm_initiator_socket<8, onfi::OnfiProtocol> socket;
        onfi::Channel* channel = nullptr;
        time::Timer delay; ///< a burst in waits until DRAM can keep up
        onfi::Segment segment;
        onfi::DataCells cells;
        SegmentRequest request;
        bool busy = false;
        ChannelStatistics stats;
    };
    struct Die {
        DieStatistics stats;
        Picoseconds ready_fell;
        Picoseconds began;
        bool operating = false;
        bool last_plane = false; ///< the array operation that runs ends the operation
    };

    void build(Port& port);
    void transport(Port& port);
    u32 die_of(u32 channel, const SegmentRequest& r) const
    {
        return geometry_.die_index_ce(channel, r.ce, r.lun);
    }

    time::EventWheel& wheel_;
    const Geometry& geometry_;
    DataPath& data_path_;
    SegmentClientIf* client_ = nullptr;
    std::deque<Port> ports_;
    std::vector<Die> dies_;
    bool enhanced_; ///< choose LUN and plane by 06h-E0h and 78h
};

} // namespace tlmssd::flash
