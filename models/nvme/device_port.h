// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's end of NVMe: fetches commands, moves data, posts completions.
#pragma once

#include <vector>

#include "models/common/fifo.h"
#include "models/interfaces/dram_if.h"
#include "models/interfaces/host_port.h"
#include "models/nvme/arbiter.h"
#include "models/nvme/host_memory_if.h"
#include "models/nvme/pcie_link.h"

namespace tlmssd::nvme {

/// The device, as the port needs it.
struct DeviceFacts {
    u64 sectors = 0;
    u32 sectors_per_unit = 0; ///< of a UnitTag
    u32 tags = 0;             ///< commands in the firmware at most
};

/// Counted since the start.
struct PortStats {
    u64 submission_bells = 0;
    u64 completion_bells = 0;
    u64 fetches = 0;  ///< reads of submission queues
    u64 commands = 0; ///< entries fetched
    u64 prp_lists = 0;
    u64 completions = 0;
    u32 most_waiting = 0; ///< entries in all submission queues that had not been fetched

    /// Counts since `before`; most_waiting stays.
    PortStats since(const PortStats& before) const;
};

/// Implements the host side of the HAL over NVMe (docs/explanation/nvme.md). Commands are fetched
/// while fewer than nvme.command_limit are inside. A page buffer is the port's until its last piece
/// of data has arrived at the other end.
class DevicePort : public sc_core::sc_module, public HostPortIf, public PcieEndIf {
public:
    DevicePort(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Nvme& config,
               const DeviceFacts& facts, DramIf& dram);

    void bind(HostSinkIf& sink) { sink_ = &sink; }
    void bind(PcieLink& link) { link_ = &link; }
    void bind(HostMemoryIf& memory) { memory_ = &memory; }
    void observe(HostDmaObserverIf& observer) { observer_ = &observer; }
    const PortStats& stats() const { return stats_; }

    void start_dma(const hal_host_dma& dma) override;
    void complete(u32 tag, u32 status) override;

    void on_arrival(const Transfer& transfer) override;
    void on_delivered(const Transfer& transfer) override;

private:
    struct Open {
        u64 lba = 0;
        u32 sectors = 0;
        u32 first = 0; ///< offset of the data in their first memory page
        u16 queue = 0;
        u8 opcode = 0; ///< hal_host_opcode; 0: the tag is free
        u8 flags = 0;
        bool list = false; ///< the PRP list is on its way
    };
    struct Queue {
        u32 head = 0; ///< next entry to fetch
        u32 tail = 0; ///< after the last entry, as far as doorbells have shown
        u32 completion = 0;
        bool phase = true;
    };
    struct Dma {
        hal_host_dma dma{};
        DramEnd end; ///< in DRAM
    };

    void on_submission_bell(u32 queue, u32 tail);
    void fetch();
    void on_entries(u32 queue, u32 slot, u32 count);
    void accept(u32 queue, const Command& command);
    void hand_over(u32 tag);
    void refuse(u32 queue, u32 id, u16 status);
    void post(u32 queue, u32 id, u16 status);
    void on_list(u32 tag);
    void on_range(u32 tag);
    bool needs_list(const hal_host_dma& dma) const;
    void move(const hal_host_dma& dma);
    void check(const hal_host_dma& dma) const;
    template <class Use>
    void for_pieces(const hal_host_dma& dma, Use use) const;
    DramEnd dram(u32 at, u32 bytes, bool write);
    void on_dram_read();
    void on_write_data(const Transfer& transfer);
    void on_dram_written();
    void finish(const hal_host_dma& dma);

    time::EventQueue& event_queue_;
    DramIf& dram_;
    const config::Nvme config_;
    HostSinkIf* sink_ = nullptr;
    PcieLink* link_ = nullptr;
    HostMemoryIf* memory_ = nullptr;
    HostDmaObserverIf* observer_ = nullptr;
    u64 capacity_;  ///< sectors
    u32 unit_mask_; ///< sectors per unit - 1
    Arbiter arbiter_;
    std::vector<Queue> queues_;
    std::vector<Open> open_; ///< by tag
    u32 outstanding_ = 0;         ///< commands fetched, or being fetched, that have not ended
    Fifo<hal_host_dma> deferred_{64}; ///< need a PRP list that is on its way
    Fifo<Dma> reading_{64};           ///< leave DRAM, in the order of their ends
    Fifo<hal_host_dma> to_host_{64};  ///< on the link
    Fifo<hal_host_dma> to_device_{64};
    Fifo<Dma> writing_{64}; ///< go into DRAM
    time::Timer read_timer_;
    time::Timer write_timer_;
    PortStats stats_;
};

} // namespace tlmssd::nvme
