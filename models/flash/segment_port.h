// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the segment port of all channels: phases become ONFI bytes, bursts meet the data path.
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/flash/data_path.h"
#include "models/interfaces/controller_if.h"
#include "models/onfi/bus/channel.h"
#include "models/time/event_queue.h"

namespace tlmssd::flash {

class PinPhy;

/// How the port finds out about its dies.
struct SegmentPortOptions {
    config::ReadySense ready = config::ReadySense::Lun;
    /// Programs and erases may fail, dies may die. The cells of a burst out are preset to "lost";
    /// after an operation of several planes 78h (which answers for one plane) only chooses the LUN
    /// and 70h answers for all. Off: neither, and one cycle less.
    bool operations_fail = false;

    static SegmentPortOptions of(const config::Config& config)
    {
        return {config.onfi.ready, config.operations_fail()};
    }
};

/// Driven alike by the TLM controller and the RTL. Decides nothing about order or time.
class SegmentPort final : public sc_core::sc_module, public SegmentPortIf, public onfi::BusMasterIf {
public:
    struct ChannelStatistics {
        u64 page_reads = 0;    ///< bursts out of pages, read again or not
        u64 page_programs = 0; ///< bursts in
        u64 copybacks = 0;     ///< pages that were programmed without one
        u64 block_erases = 0;
        u64 resets = 0;
        u64 features = 0;      ///< SET FEATURES
        u64 status_reads = 0;
        u64 polls = 0;         ///< of status_reads: those that found the LUN busy
        u64 suspends = 0;      ///< suspend commands
        u64 resumes = 0;       ///< resume commands; fewer, where an operation ended first
        u64 cache_reads = 0;    ///< 31h: reads of a LUN that began before the page before them had left it
        u64 cache_programs = 0; ///< 15h
    };
    struct DieStatistics {
        Picoseconds bus;   ///< segments addressed to the die, without status reads while R/B# is low
        Picoseconds array; ///< R/B# low (polled: until the controller knows better)
        Picoseconds busy;  ///< from the first cycle of an operation to its end (PAQ's definition)
        Picoseconds contention;   ///< waiting for the bus: another die of the package has it (PAQ)
        Picoseconds channel_wait; ///< waiting for the bus: another package has it
    };

    SegmentPort(sc_core::sc_module_name name, time::EventQueue& event_queue, const Geometry& geometry,
                DataPath& data_path, const SegmentPortOptions& options = {});

    /// Connect channel `index`; all before the simulation starts, in ascending order.
    void bind_channel(onfi::Channel& channel);
    /// The channel's segments go through a PHY's pins; after bind_channel().
    void bind_phy(u32 channel, PinPhy& phy) { ports_.at(channel)->phy = ports_.at(channel)->bound_phy = &phy; }
    /// Where a PHY is bound: segments go through its pins, from now on or no more. No segment runs.
    void use_pins(bool on)
    {
        for (const std::unique_ptr<Port>& port : ports_) {
            port->phy = on ? port->bound_phy : nullptr;
        }
    }
    void bind(SegmentClientIf& client) override { client_ = &client; }
    /// Gets on_phase(); none by default.
    void bind_observer(OperationObserverIf& observer) { observers_.push_back(&observer); }

    void start(u32 channel, const SegmentRequest& request) override;
    void wants(u32 channel, u32 ce, u32 lun) override;
    Picoseconds landing(u32 tag, Picoseconds at) override
    {
        return data_path_.revises() ? data_path_.landing(tag, at, event_queue_.now()) : at;
    }

    void on_segment_end(u32 channel, onfi::Segment& segment) override;
    void on_ready(u32 channel, u32 ce, u32 lun, bool ready) override;

    const ChannelStatistics& channel_statistics(u32 channel) const { return ports_[channel]->stats; }
    /// Up to `now`: of a running segment the part that has passed.
    DieStatistics die_statistics(u32 die, Picoseconds now) const;
    /// Bus time of a channel up to `now`.
    Picoseconds channel_busy(u32 channel, Picoseconds now) const;
    u32 channels() const { return static_cast<u32>(ports_.size()); }
    u32 dies() const { return static_cast<u32>(dies_.size()); }

private:
    /// A time that runs has been entered into `stats` with its beginning taken off; its end is still
    /// to be added. One cache line a die.
    struct alignas(64) Die {
        u32 tag = 0; ///< of the operation
        bool operating = false;  ///< stats.busy runs
        bool last_plane = false; ///< the array operation that runs ends the operation
        bool low = false;        ///< R/B# is low, or taken to be: stats.array runs
        bool wanting = false;    ///< stats.contention and stats.channel_wait run, in bus time
        DieStatistics stats;
    };
    struct Port : public tlm::tlm_bw_transport_if<onfi::OnfiProtocol> {
        Port(time::EventQueue& event_queue, SegmentPort& owner, u32 number);
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
        tlm::tlm_fw_transport_if<onfi::OnfiProtocol>* bus = nullptr; ///< what `socket` leads to
        PinPhy* phy = nullptr; ///< where pins take its place
        PinPhy* bound_phy = nullptr;
        time::Timer delay; ///< a burst in waits until DRAM can keep up
        DramEnd fetched;   ///< with DRAM arbitration: of that burst's bytes
        onfi::Segment segment;
        onfi::DataCells cells;
        std::vector<u8> page; ///< bytes of a page's burst; empty unless they travel
        SegmentRequest request;
        bool busy = false;
        bool on_bus = false;  ///< the segment has started
        bool while_busy = false; ///< it is a status read of a LUN that was busy
        u32 way = 0;          ///< package that it is for
        Die* die = nullptr;   ///< that it is for
        Picoseconds bus_used; ///< sum of all segments that have ended
        ChannelStatistics stats;
    };
    void build(Port& port);
    u8* page_of(Port& port) const { return port.page.empty() ? nullptr : port.page.data(); }
    void build_status(Port& port);
    void build_cache_read(Port& port);
    void transport(Port& port);
    void begin(Die& die, const SegmentRequest& request);
    /// Bus time of a package and of its channel.
    struct Used {
        Picoseconds way, channel;
    };
    Used used(const Port& port, u32 way, Picoseconds now) const;
    void end_wait(Die& die, const Port& port, u32 way);
    void follow(u32 channel, const SegmentRequest& request, u8 status, Picoseconds now);
    static void now_busy(Die& die, Picoseconds now);
    static void now_ready(Die& die, Picoseconds now);
    u32 die_of(u32 channel, const SegmentRequest& r) const
    {
        return die_number_(channel, r.ce, r.lun);
    }
    u32 way_of(u32 channel, u32 ce) const { return channel * geometry_.ways + way_of_ce_[ce]; }

    time::EventQueue& event_queue_;
    const Geometry& geometry_;
    DieNumbers die_number_;
    u32 codeword_bytes_;
    std::vector<u32> way_of_ce_;
    DataPath& data_path_;
    SegmentClientIf* client_ = nullptr;
    std::vector<OperationObserverIf*> observers_;
    std::vector<std::unique_ptr<Port>> ports_;
    std::vector<Die> dies_;
    std::vector<Picoseconds> way_used_; ///< bus time by package
    bool enhanced_;  ///< choose LUN and plane by 06h-E0h and 78h
    bool edges_;     ///< each LUN has a ready line
    bool operations_fail_;
};

} // namespace tlmssd::flash
