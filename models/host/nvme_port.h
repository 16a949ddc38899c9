// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a driver of an NVMe controller, and the host memory that it uses: queue pairs, PRP lists, data.
#pragma once

#include <array>
#include <vector>

#include "models/common/fifo.h"
#include "models/config/nvme.h"
#include "models/interfaces/device_link_if.h"
#include "models/nvme/command_data_if.h"
#include "models/nvme/entries.h"
#include "models/nvme/pcie_link.h"

namespace tlmssd::host {

/// A request that shares a unit of data (UnitTag) with an open one waits here until that has ended, unless both read;
/// and one whose queue is full until an entry is free (docs/explanation/nvme.md).
class NvmePort : public sc_core::sc_module, public DeviceLinkIf, public nvme::PcieHostIf, public nvme::CommandDataIf {
public:
    /// `sectors_per_unit`: of a UnitTag; `tags`: of the host.
    NvmePort(sc_core::sc_module_name name, const config::Nvme& config, u32 sectors_per_unit, u32 tags);

    void bind(LinkClientIf& client) override { client_ = &client; }
    void bind(nvme::PcieLink& link) { link_ = &link; }
    /// As a driver does: admin queues, features, I/O queues; in no simulated time. Before the simulation starts.
    /// ModelError: the controller refuses something.
    void bring_up();

    void submit(const hal_host_command& command) override { submit_for_job(0, command); }
    void submit_for_job(u32 job, const hal_host_command& command) override;
    bool queues_trim() const override { return true; }
    bool queues_flush() const override { return true; }

    void on_arrival(const nvme::Transfer& transfer) override;
    void on_read(const nvme::Transfer& transfer) override;
    void receive(u64 address, u32 sectors, const UnitTag* cells, const u8* bytes) override;
    void provide(u64 address, u32 sectors, UnitTag* cells, u8* bytes) override;

private:
    struct Request {
        hal_host_command command{}; ///< opcode 0: the tag is free
        u32 queue = 0;
        u32 blockers = 0; ///< earlier ones that overlap it
    };
    /// A queue pair.
    struct Queue {
        u64 submissions = 0; ///< addresses
        u64 completions = 0;
        u32 entries = 0;
        u32 tail = 0; ///< next free submission entry
        u32 head = 0; ///< next completion entry
        bool phase = true;
        u32 open = 0; ///< commands in the device
        Fifo<u16> waiting{16}; ///< tags, for a free entry
    };

    // nvme_port.cpp
    u32 count_overlaps(u32 tag) const;
    void put(u32 tag);
    void write_entry(u32 tag);
    void submit_entry(u32 number, const nvme::Submission& entry);
    void ring(nvme::Transfer::Kind kind, u32 offset, u32 value);
    void on_interrupt(u32 vector);
    void on_completion(const nvme::Completion& completion);
    void ended(u32 tag);

    // nvme_memory.cpp
    u8* at(u64 address, u32 bytes);
    void place_queues();
    static u64 buffer_of(u32 tag);
    static u64 list_of(u32 tag);
    void read_list(u64 address, u8* data, u32 bytes) const;
    u32 tag_of(u64 address, u32& offset) const;

    // nvme_bring_up.cpp
    void write_register(u32 offset, u32 value);
    u32 admin(nvme::Submission command);
    void create_queues();

    LinkClientIf* client_ = nullptr;
    nvme::PcieLink* link_ = nullptr;
    const config::Nvme config_;
    u32 unit_; ///< sectors that have one version: reads are checked by it
    u32 turn_ = 0; ///< next queue of round robin
    std::vector<Queue> queues_; ///< 0: admin
    std::vector<u8> memory_;    ///< queues and a page for admin commands
    nvme::Completion admin_{};  ///< the last completion of an admin command
    bool admin_ended_ = false;
    std::vector<Request> requests_; ///< by tag
    std::vector<u64> begin_, end_;  ///< of open requests by tag, in whole units; nothing for others
    std::vector<u8> changes_;       ///< they do not only read
    std::vector<u16> blocked_;      ///< tags with blockers, in the order of their coming
};

} // namespace tlmssd::host
