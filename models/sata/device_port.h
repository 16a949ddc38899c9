// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's end of the SATA link: NCQ, DMA setup, data FISes, completion.
#pragma once

#include <array>

#include "models/common/dram_if.h"
#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/common/host_port.h"
#include "models/sata/frame.h"
#include "models/time/event_wheel.h"

namespace tlmssd::sata {

/// Implements seam 1 over SATA. One host DMA at a time owns the link's data phase (a data FIS names
/// no tag), in the order of start_dma(); DRAM reads of those that wait are started at once.
/// Commands that are not queued (FLUSH, TRIM) have tag 0 inside the device.
/// The firmware gets commands in the order of the host, so those behind a queued TRIM wait here
/// until its range is known; the DMA of the range therefore goes before those that wait.
class DevicePort : public sc_core::sc_module, public HostPortIf, public LinkBwIf {
public:
    static constexpr u32 kMaxTags = 256;

    PortSocket socket;

    /// tags: commands that may be open at once; above 32 only with extended tags.
    /// queued_trim: SEND FPDMA QUEUED is a command of this device.
    DevicePort(sc_core::sc_module_name name, time::EventWheel& wheel, const Geometry& geometry,
               DramIf& dram, u32 tags, bool queued_trim = false);

    void bind(HostSinkIf& sink) { sink_ = &sink; }
    void observe(HostDmaObserverIf& observer) { observer_ = &observer; }
    void start_dma(const hal_host_dma& dma) override;
    void complete(u32 tag, u32 status) override;

private:
    struct Command {
        u64 lba = 0;
        u32 sectors = 0;
        u8 opcode = 0; ///< 0: the tag is free
    };
    struct DramWrite { ///< a data FIS on its way into DRAM
        Frame* frame = nullptr;
        hal_host_dma dma{};
        u32 first = 0; ///< sectors of the DMA before this frame
        bool last = false;
        Picoseconds end;
    };

    tlm::tlm_sync_enum nb_transport_bw(Frame& frame, FramePhase& phase,
                                       sc_core::sc_time& delay) override;
    void on_sent(Frame& frame);
    void on_command(const FisBytes& bytes);
    void hand_over(const hal_host_command& command);
    void on_trim_data(Frame& frame);
    void on_range_data(Frame& frame);
    void on_write_data(Frame& frame);
    void on_dram_written();
    void begin_next_dma();
    void send_setup();
    void send_read_data();
    void send_register(u8 status, u8 error);
    void send_activate();
    void finish_dma(const hal_host_dma& dma);
    void check(const hal_host_dma& dma) const;
    u32 unit_count(u32 sector, u32 sectors) const;
    UnitTag* cells(const hal_host_dma& dma, u32 first) const;
    u8* bytes(const hal_host_dma& dma, u32 first) const;

    time::EventWheel& wheel_;
    DramIf& dram_;
    HostSinkIf* sink_ = nullptr;
    HostDmaObserverIf* observer_ = nullptr;
    time::Timer dram_timer_;
    FramePool pool_;
    u32 unit_shift_; ///< log2 of sectors a unit
    u32 tags_;
    bool queued_trim_;
    std::array<Command, kMaxTags> commands_{};
    u32 open_ = 0;            ///< commands in the device
    bool not_queued_ = false; ///< the one open command is FLUSH or TRIM
    bool trim_data_ = false;  ///< its data FIS is awaited

    Fifo<hal_host_command> held_{64}; ///< first a queued TRIM without its range, then all behind it
    Fifo<u16> ranges_{64};            ///< tags of the TRIMs in held_ whose setup has not been sent
    bool range_data_ = false;         ///< the active DMA is the range of a queued TRIM

    Fifo<hal_host_dma> dmas_{64};       ///< wait for the link's data phase
    Fifo<Picoseconds> reads_ready_{64}; ///< DRAM read ends of the chunks, in order of sending
    bool active_ = false;               ///< a DMA owns the data phase
    hal_host_dma dma_{};                ///< that DMA
    u32 moved_ = 0;                     ///< sectors of it whose data FIS has passed
    Fifo<DramWrite> writes_{64};
    std::array<Frame*, kMaxTags / 32> set_device_bits_{}; ///< queued, not started; one a 32 tags
};

} // namespace tlmssd::sata
