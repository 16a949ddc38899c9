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
        Register,       ///< a write of `value` to the register at `address`
        SubmissionBell, ///< the same for a doorbell
        CompletionBell,
        Entries,   ///< answer: submission entries
        List,      ///< answer: PRP list, SGL segments, ranges
        WriteData, ///< answer: piece of a DMA
        // to the host
        ReadData,   ///< piece of a DMA
        Completion, ///< a completion entry; `interrupt`: and the message of vector `value`
        Interrupt,  ///< the message of vector `value` alone
        Level,      ///< the pin is to rise; no packet
        AdminData   ///< of an admin command
    };
    Kind kind = Kind::Register;
    bool interrupt = false;
    bool failed = false; ///< host memory has not given or taken it
    u32 slot = 0;        ///< of its owner
    u16 tag = 0;         ///< of the command that data belong to
    u32 value = 0;
    u32 bytes = 0;
    u64 address = 0;
    u8* data = nullptr; ///< in the device: where the bytes come from or go to; null: tags stand for them
};

/// The device's end of the link.
class PcieDeviceIf {
public:
    virtual ~PcieDeviceIf() = default;
    /// All of the transfer has arrived.
    virtual void on_arrival(const Transfer& transfer) = 0;
    /// A write of the device is in host memory, or has `failed`.
    virtual void on_delivered(const Transfer& transfer) = 0;
    /// A read of a register, in no time.
    virtual u32 on_register_read(u32 offset) = 0;
};

/// The host's end of the link.
class PcieHostIf {
public:
    virtual ~PcieHostIf() = default;
    /// All of the transfer has arrived. PcieLink::delivered() has to follow.
    virtual void on_arrival(const Transfer& transfer) = 0;
    /// A read of host memory: the bytes go to `data`. A host with a time of its own has to call PcieLink::answer(); for
    /// others the link does.
    virtual void on_read(const Transfer& transfer) = 0;
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

    /// `answers`: the host's memory has a time of its own and calls answer(); else it is that of pcie.host_memory_ns.
    void bind_host(PcieHostIf& host, bool answers = false)
    {
        host_ = &host;
        answers_ = answers;
    }
    void bind_device(PcieDeviceIf& device) { device_ = &device; }
    void observe(PcieObserverIf* observer) { observer_ = observer; }

    /// The host writes a register of the device.
    void ring(const Transfer& transfer);
    /// The host reads a register of the device, in no time.
    u32 read_register(u32 offset) { return device_->on_register_read(offset); }
    /// The device writes something small to host memory, or asks for an interrupt.
    void post(const Transfer& transfer);
    /// The device writes a piece of data to host memory.
    void write(const Transfer& transfer);
    /// The host has, or has not, taken what has arrived.
    void delivered(const Transfer& transfer) { device_->on_delivered(transfer); }
    /// The device reads host memory; `transfer` arrives at the device. `data`: a piece of a request's
    /// data, which waits for its turn, else something small.
    void read(const Transfer& transfer, bool data);
    /// The data of a read are with the host's end.
    void answer(const Transfer& transfer);

    /// From here on transfers pass at once and are not counted: for a driver that brings the device up before the
    /// simulation starts.
    void set_timeless(bool on) { timeless_ = on; }
    bool timeless() const { return timeless_; }

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
    void on_arrival(const Lane& lane, const Transfer& transfer);
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
    PcieHostIf* host_ = nullptr;
    PcieDeviceIf* device_ = nullptr;
    bool answers_ = false;
    bool timeless_ = false;
    Lane up_;   ///< to the host
    Lane down_; ///< to the device
    Fifo<Transfer> reads_{64};   ///< of data, wait for read tags
    u32 tags_;                   ///< free ones
    Fifo<Queued> memory_{64};    ///< reads that host memory answers, in order of time
    time::Timer memory_timer_;
};

} // namespace tlmssd::nvme
