// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a PCI Express link between a device and the host's memory: two directions, with time.
#pragma once

#include <systemc>

#include "models/common/fifo.h"
#include "models/config/config.h"
#include "models/nvme/pcie.h"
#include "models/time/event_queue.h"

namespace tlmssd::nvme {

/// A transfer on the link; the two ends give it its meaning.
struct Transfer {
    enum class Kind : u8 {
        // to the device
        SubmissionBell, ///< queue, value: new tail
        CompletionBell, ///< queue, value: new head
        Entries,        ///< answer to a fetch: queue, value: first slot, count
        PrpList,        ///< answer: tag
        WriteData,      ///< answer: tag, piece of a DMA
        Range,          ///< answer: tag
        // to the host
        ReadData,   ///< tag, piece of a DMA
        Completion, ///< tag; the entry and its interrupt have arrived
    };
    Kind kind = Kind::SubmissionBell;
    bool last = false; ///< piece that ends its DMA
    u16 queue = 0;
    u16 tag = 0;
    u16 count = 0;
    u32 value = 0;
    u32 offset = 0;  ///< of a piece: sectors from the start of its DMA
    u32 sectors = 0; ///< of a piece
    u32 bytes = 0;
};

/// One end of the link.
class PcieEndIf {
public:
    virtual ~PcieEndIf() = default;
    /// All of the transfer has arrived.
    virtual void on_arrival(const Transfer& transfer) = 0;
    /// To the device's end: a piece of data that it has written has arrived in host memory.
    virtual void on_delivered(const Transfer& transfer) { static_cast<void>(transfer); }
};

/// Sees every transfer as it passes (waves, timeline). May be absent.
class PcieObserverIf {
public:
    virtual ~PcieObserverIf() = default;
    /// `start` to `end`: when it occupied the direction; with reads of host memory, the answer.
    virtual void on_transfer(const Transfer& transfer, bool to_host, Picoseconds start, Picoseconds end) = 0;
};

/// Counted for each direction.
struct PcieStats {
    struct Direction {
        u64 packets = 0;
        u64 bytes = 0;         ///< with framing, headers and link-layer packets
        u64 payload_bytes = 0; ///< data of requests
    };
    Direction to_host;
    Direction to_device;

    PcieStats since(const PcieStats& before) const;
};

/// Small transfers go one after the other, as they come. Data wait in a queue a direction and go in
/// pieces, one at a time, so that small ones pass between two pieces (docs/explanation/nvme.md).
class PcieLink : public sc_core::sc_module {
public:
    PcieLink(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Pcie& config);

    void bind_host(PcieEndIf& host) { up_.end = &host; }
    void bind_device(PcieEndIf& device) { down_.end = &device; }
    void observe(PcieObserverIf* observer) { observer_ = observer; }

    /// The host writes a register of the device.
    void ring(const Transfer& transfer) { send(down_, transfer, write_packets(config_, 4)); }
    /// The device writes host memory: `bytes`, then an interrupt.
    void post(const Transfer& transfer);
    /// The device writes a piece of data to host memory; it gets the arrival.
    void write(const Transfer& transfer);
    /// The device reads host memory; `transfer` arrives at the device. `data`: a piece of a request's
    /// data, which waits for its turn, else something small.
    void read(const Transfer& transfer, bool data);

    const PcieStats& stats() const { return stats_; }
    /// Time for which a direction has been busy until `now`.
    Picoseconds busy_to_host(Picoseconds now) const { return up_.busy(now); }
    Picoseconds busy_to_device(Picoseconds now) const { return down_.busy(now); }

private:
    struct Queued {
        Transfer transfer;
        Picoseconds at;
    };
    struct Lane {
        Lane(PcieLink& link, time::Timer::Callback on_arrival, time::Timer::Callback on_data);

        PcieLink& link;
        PcieEndIf* end = nullptr;
        PcieStats::Direction* stats = nullptr;
        Picoseconds free;              ///< end of what has been begun
        Picoseconds booked;            ///< sum of times
        u32 owed = 0;                  ///< bytes of link-layer packets, sent with the next transfer
        u32 unanswered = 0;            ///< the other direction's packets since its last answer
        bool sending = false;          ///< a piece of data is on its way until data_timer
        Fifo<Transfer> data{64};
        Fifo<Queued> arrivals{64};     ///< in order of time
        time::Timer arrival_timer;
        time::Timer data_timer;

        Picoseconds busy(Picoseconds now) const { return free > now ? booked - (free - now) : booked; }
    };

    void send(Lane& lane, const Transfer& transfer, Packets packets);
    void occupy(Lane& lane, Packets packets, const Transfer* arrives);
    void next_data(Lane& lane);
    void arrive(Lane& lane);
    void request(const Transfer& transfer, Packets packets);
    void ask();
    void on_memory();
    u32 requests_of(u32 bytes) const { return read_packets(config_, bytes).count; }

    static void up_arrives(void* link);
    static void down_arrives(void* link);
    static void up_data(void* link);
    static void down_data(void* link);

    const config::Pcie config_;
    time::EventQueue& event_queue_;
    double byte_ps_;
    PcieStats stats_;
    PcieObserverIf* observer_ = nullptr;
    Lane up_;   ///< to the host
    Lane down_; ///< to the device
    Fifo<Transfer> reads_{64};   ///< of data, wait for read tags
    u32 tags_;                   ///< free ones
    Fifo<Queued> memory_{64};    ///< reads that host memory answers, in order of time
    time::Timer memory_timer_;
};

} // namespace tlmssd::nvme
