// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's end of the SATA link: NCQ, DMA setup, data FISes, completion.
#pragma once

#include <array>

#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/interfaces/dram_if.h"
#include "models/interfaces/host_port.h"
#include "models/sata/frame.h"
#include "models/sata/logs.h"
#include "models/time/event_queue.h"

namespace tlmssd::sata {

/// Source of the rest of the statistics log.
class StatisticsIf {
public:
    virtual ~StatisticsIf() = default;
    /// Of the flash's endurance, in %.
    virtual u32 percentage_used() const = 0;
};

/// FISes that no host should send; they are dropped.
struct PortStats {
    u64 illegal_fises = 0; ///< unknown, of the wrong length, or not a host's
    u64 stray_data = 0;    ///< data that nothing asked for, or too many
    u64 aborts = 0;        ///< of the queue, for an error in it
    u64 resets = 0;        ///< COMRESET or SRST
};

/// Implements the host side of the HAL over SATA. One host DMA at a time owns the link's data phase
/// (a data FIS names no tag), in the order of start_dma(); DRAM reads of those that wait are
/// started at once. Commands that are not queued (FLUSH, TRIM) have tag 0 inside the device. The
/// firmware gets commands in the order of the host, so those after a queued TRIM wait here until
/// its range is known; the DMA of the range therefore goes before those that wait. Errors
/// (docs/explanation/sata-errors.md): an error of a queued command aborts the queue once the DMA on
/// the link has ended. The firmware gets no notice: aborted commands run to their end in it without
/// data, and READ LOG EXT, or the signature after a reset, waits until they have.
class DevicePort : public sc_core::sc_module, public HostPortIf, public LinkBwIf {
public:
    static constexpr u32 kMaxTags = 256;
    static constexpr u8 kIdentity = 0xff; ///< in place of a log

    PortSocket socket;

    /// facts.tags above 32 only with extended tags. fifo_bytes: data on their way to DRAM, at most;
    /// 0: no limit.
    DevicePort(sc_core::sc_module_name name, time::EventQueue& event_queue, const Geometry& geometry,
               DramIf& dram, const DeviceFacts& facts, u32 fifo_bytes = 0);

    void bind(HostSinkIf& sink) { sink_ = &sink; }
    void observe(HostDmaObserverIf& observer) { observer_ = &observer; }
    void bind(const StatisticsIf& statistics) { statistics_ = &statistics; }
    const PortStats& stats() const { return stats_; }
    u32 open() const { return open_; } ///< commands in the device, aborted ones included
    void start_dma(const hal_host_dma& dma) override;
    void complete(u32 tag, u32 status) override;

private:
    struct Command {
        u64 lba = 0;
        u32 sectors = 0;
        u8 opcode = 0; ///< 0: the tag is free
        u8 error = 0;  ///< it will end with this; its transfers do not take place
        bool aborted = false; ///< for the host it has ended
    };
    /// Answers that wait until the firmware has no command any more.
    enum class AfterDrain : u8 { Nothing, Log, Signature };
    enum class Queue : u8 {
        Good,
        Failing, ///< an error is known, the DMA on the link goes on
        Aborted  ///< reported; only READ LOG EXT is taken
    };
    struct DramWrite { ///< a data FIS, or a part of one, on its way into DRAM
        Frame* frame = nullptr;
        hal_host_dma dma{};
        u32 first = 0; ///< sectors of the DMA before it
        u32 from = 0;  ///< sectors of the frame before it
        u32 tag = 0;   ///< units of the frame before it
        u32 sectors = 0;
        bool release = true; ///< nothing of the frame follows it
        bool last = false;
        bool aborted = false; ///< `last`, but the DMA lacks data
        DramEnd end;
    };

    tlm::tlm_sync_enum nb_transport_bw(Frame& frame, FramePhase& phase,
                                       sc_core::sc_time& delay) override;
    void on_sent(Frame& frame);
    void fill(Frame& frame) const;
    void on_arriving(Frame& frame);
    void on_data(Frame& frame);
    void wrong_data();
    void on_register(const RegisterH2D& fis);
    void on_command(const RegisterH2D& fis);
    void on_known(const RegisterH2D& fis, hal_host_command command);
    void on_own_command(const RegisterH2D& fis);
    void on_set_features(const RegisterH2D& fis);
    void on_read_log(const RegisterH2D& fis);
    void send_log_page();
    void send_pio_setup();
    void make_log_page(Block& block);
    bool in_range(u64 lba, u32 sectors) const;
    void count(const hal_host_command& command);
    void hand_over(const hal_host_command& command);
    void on_trim_data(Frame& frame);
    void release_held();
    static bool range_of(const Frame& frame, hal_host_command& command);
    void on_range_data(Frame& frame);
    void on_write_data(Frame& frame);
    bool fits(const Frame& frame) const;
    void write_to_dram(Frame& frame, u32 from, u32 sectors);
    void feed_staged();
    void drop_staged();
    void on_dram_written();
    void begin_next_dma();
    void send_setup();
    void send_read_data();
    enum class Told : u8 { End, Release, Signature }; ///< only an end interrupts
    void send_register(u8 status, u8 error, Told what = Told::End);
    void send_set_device_bits(u8 status, u8 error, u32 sactive);
    void send_activate();
    void finish_dma(const hal_host_dma& dma);
    void drop_dma(const hal_host_dma& dma);
    void drop_active_write();
    void drop_command(u32 tag);
    void queue_error(const NcqError& error, bool in_register);
    void report_error();
    void abort_all();
    void reset(bool link_too);
    void free_tag(u32 tag);
    void after_drain();
    void check(const hal_host_dma& dma) const;
    u32 unit_count(u32 sector, u32 sectors) const;
    UnitTag* cells(const hal_host_dma& dma, u32 first) const;
    u8* bytes(const hal_host_dma& dma, u32 first) const;

    time::EventQueue& event_queue_;
    DramIf& dram_;
    HostSinkIf* sink_ = nullptr;
    HostDmaObserverIf* observer_ = nullptr;
    time::Timer dram_timer_;
    time::Timer read_timer_; ///< with arbitration: when to ask whether the next chunk has left DRAM
    FramePool pool_;
    u32 unit_shift_; ///< log2 of sectors per unit
    DeviceFacts facts_;
    DeviceSettings settings_;
    DeviceStatistics counters_;
    const StatisticsIf* statistics_ = nullptr;
    PortStats stats_;
    u32 tags_;
    u32 fifo_bytes_;
    std::array<Command, kMaxTags> commands_{};
    u32 open_ = 0;            ///< commands in the device
    bool not_queued_ = false; ///< the one open command is FLUSH or TRIM
    bool trim_data_ = false;  ///< its data FIS is awaited

    Queue queue_ = Queue::Good;
    NcqError error_;          ///< log 10h
    u32 owed_ = 0;            ///< commands to be refused once the error has been reported
    bool in_register_ = false; ///< it is reported by a register FIS, else with set device bits
    AfterDrain after_drain_ = AfterDrain::Nothing;
    bool resetting_ = false;  ///< from SRST or COMRESET to the signature
    bool soft_reset_ = false; ///< SRST is set
    bool reset_waits_ = false; ///< for the data FIS on the link
    struct {
        u8 log = 0;
        u32 page = 0;
        u32 left = 0; ///< pages to be sent, the one on the link included; 0: none
        bool dma = false;
        bool sent = false; ///< a page is on the link
    } reading_; ///< IDENTIFY DEVICE, READ LOG EXT

    Fifo<hal_host_command> held_{64}; ///< first a queued TRIM without its range, then all after it
    Fifo<u16> ranges_{64};            ///< tags of the TRIMs in held_ whose setup has not been sent
    bool range_data_ = false;         ///< the active DMA is the range of a queued TRIM

    Fifo<hal_host_dma> dmas_{64};       ///< wait for the link's data phase
    Fifo<hal_host_dma> failed_{64};     ///< inside drop_command()
    Fifo<DramEnd> reads_ready_{64};     ///< DRAM read ends of the chunks, in order of sending
    bool active_ = false;               ///< a DMA owns the data phase
    hal_host_dma dma_{};                ///< that DMA
    u32 moved_ = 0;                     ///< sectors of it whose data FIS has passed
    Fifo<DramWrite> writes_{64};
    Frame* staged_ = nullptr; ///< of a write that is not queued: its data FISes know no DMA
    u32 staged_used_ = 0;     ///< sectors of it
    u32 received_ = 0;        ///< sectors of that write, the staged frame included
    std::array<Frame*, kMaxTags / 32> set_device_bits_{}; ///< queued, not started; one a 32 tags
};

} // namespace tlmssd::sata
