// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's end of NVMe: queue pairs in host memory, doorbells, completions.
#pragma once

#include <vector>

#include "models/common/fifo.h"
#include "models/config/nvme.h"
#include "models/interfaces/device_link_if.h"
#include "models/nvme/host_memory_if.h"
#include "models/nvme/pcie_link.h"

namespace tlmssd::host {

/// A request that shares a unit of data (UnitTag) with an open one waits here until that has ended, unless both read; and one whose
/// queue is full until an entry is free (docs/explanation/nvme.md).
class NvmePort : public sc_core::sc_module, public DeviceLinkIf, public nvme::PcieEndIf, public nvme::HostMemoryIf {
public:
    /// `sectors_per_unit`: of a UnitTag; `tags`: of the host.
    NvmePort(sc_core::sc_module_name name, const config::Nvme& config, u32 sectors_per_unit, u32 tags);

    void bind(LinkClientIf& client) override { client_ = &client; }
    void bind(nvme::PcieLink& link) { link_ = &link; }

    void submit(const hal_host_command& command) override { submit_for_job(0, command); }
    void submit_for_job(u32 job, const hal_host_command& command) override;
    bool queues_trim() const override { return true; }
    bool queues_flush() const override { return true; }

    void on_arrival(const nvme::Transfer& transfer) override;

    const nvme::SubmissionEntry& submission(u32 queue, u32 slot) const override
    {
        return queues_[queue].submissions[slot];
    }
    void post(u32 queue, u32 slot, const nvme::CompletionEntry& entry) override
    {
        queues_[queue].completions[slot] = entry;
    }
    nvme::RangeEntry range(u32 tag) const override
    {
        return nvme::encode(nvme::Range{requests_[tag].command.lba, requests_[tag].command.sectors});
    }
    void receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8* bytes) override
    {
        client_->receive(tag, offset, sectors, cells, bytes);
    }
    void provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes) override
    {
        client_->provide(tag, offset, sectors, cells, bytes);
    }

private:
    struct Request {
        hal_host_command command{}; ///< opcode 0: the tag is free
        u32 queue = 0;
        u32 blockers = 0; ///< earlier ones that overlap it
    };
    struct Queue {
        std::vector<nvme::SubmissionEntry> submissions;
        std::vector<nvme::CompletionEntry> completions;
        u32 tail = 0; ///< next free submission entry
        u32 head = 0; ///< next completion entry
        bool phase = true;
        u32 open = 0; ///< commands in the device
        Fifo<u16> waiting{16}; ///< tags, for a free entry
    };

    u32 count_overlaps(u32 tag) const;
    void put(u32 tag);
    void write_entry(u32 tag);
    void ended(u32 tag);

    LinkClientIf* client_ = nullptr;
    nvme::PcieLink* link_ = nullptr;
    u32 unit_; ///< sectors that have one version: reads are checked by it
    config::NvmeSteer steer_;
    u32 turn_ = 0; ///< next queue of round robin
    std::vector<Queue> queues_;
    std::vector<Request> requests_; ///< by tag
    std::vector<u64> begin_, end_;  ///< of open requests by tag, in whole units; nothing for others
    std::vector<u8> changes_;       ///< they do not only read
    std::vector<u16> blocked_;      ///< tags with blockers, in the order of their coming
};

} // namespace tlmssd::host
