// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the driver of host.kind nvme, its link and its controller, with a firmware that does what a test tells it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "models/host/nvme_port.h"
#include "models/nvme_device/nvme_front.h"
#include "tb/sata/kernel.h"

namespace tlmssd::nvme_device {

inline constexpr u32 kSectors = 1 << 16;

/// Pages of 4 KiB; generation 1 x1, 4 ns a byte; packets and reads of 4 KiB and 512 bytes, 100 ns to the
/// other end, 50 ns in host memory. Over-provisioning 0: 65536 sectors.
inline config::Config configuration()
{
    config::Config c;
    c.geometry.blocks = kSectors / 8;
    c.ftl.over_provisioning = 0;
    c.host.kind = config::HostKind::Nvme;
    c.host.queue_depth = 32;
    c.pcie.generation = 1;
    c.pcie.lanes = 1;
    c.pcie.max_payload = 4096;
    c.pcie.packets_per_dllp = 100000;
    c.pcie.latency = Picoseconds(100000);
    c.pcie.host_memory = Picoseconds(50000);
    return c;
}

struct Client : public host::LinkClientIf {
    explicit Client(const time::EventQueue& w) : event_queue(w) {}
    void receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8*) override
    {
        log("received", tag, offset, sectors);
        versions.push_back(cells[0].version);
    }
    void provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8*) override
    {
        log("provided", tag, offset, sectors);
        cells[0].version = 77;
    }
    void on_completed(u32 tag, u32 status) override
    {
        events.push_back((status == HAL_HOST_OK ? "ended " : "failed ") + std::to_string(tag) + " @" + now());
        order.push_back(tag);
        if (on_end) {
            on_end(tag);
        }
    }
    void on_repeated(u32) override { ADD_FAILURE() << "NVMe repeats nothing"; }
    void log(const char* what, u32 tag, u32 offset, u32 sectors)
    {
        events.push_back(std::string(what) + " " + std::to_string(tag) + " " + std::to_string(offset) + "+" +
                         std::to_string(sectors) + " @" + now());
    }
    std::string now() const { return std::to_string(event_queue.now().value()); }

    const time::EventQueue& event_queue;
    std::vector<std::string> events;
    std::vector<u32> versions;
    std::vector<u32> order;
    std::function<void(u32)> on_end;
};

/// Completes what `at_once` says; keeps the rest for the test.
struct Firmware : public HostSinkIf {
    Firmware(const time::EventQueue& w, NvmeFront& p) : event_queue(w), port(p) {}
    void on_host_command(const hal_host_command& command) override
    {
        commands.push_back(command);
        times.push_back(event_queue.now().value());
        if (react) {
            react(command);
        }
    }
    void on_host_dma_done(u32 tag, u32 cookie) override { done.push_back(tag * 100 + cookie); }
    std::vector<u32> tags() const
    {
        std::vector<u32> all;
        for (const hal_host_command& c : commands) {
            all.push_back(c.tag);
        }
        return all;
    }
    void read_all(const hal_host_command& c)
    {
        for (u32 page = 0; page * 8 < c.sectors; ++page) {
            hal_host_dma dma = transfer(c, page * 8, std::min(8u, c.sectors - page * 8), page);
            dma.to_host = 1;
            dma.complete = page * 8 + 8 >= c.sectors;
            port.start_dma(dma);
        }
    }
    /// Sectors from `offset` of the command on, which lie in page buffer `page`.
    static hal_host_dma transfer(const hal_host_command& c, u32 offset, u32 sectors, u32 page)
    {
        hal_host_dma dma{};
        dma.tag = c.tag;
        dma.offset = offset;
        dma.buf = page * 4096;
        dma.sector = static_cast<u16>((c.lba + offset) % 8);
        dma.sectors = static_cast<u16>(sectors);
        dma.cookie = page;
        return dma;
    }

    const time::EventQueue& event_queue;
    NvmeFront& port;
    std::vector<hal_host_command> commands;
    std::vector<u64> times;
    std::vector<u32> done;
    std::function<void(const hal_host_command&)> react;
};

class NvmePortTest : public tb::KernelTest {
protected:
    void build(const config::Config& config)
    {
        event_queue = std::make_unique<time::EventQueue>("event_queue");
        dram = std::make_unique<tb::FixedDram>(1 << 20, 4096);
        link = std::make_unique<PcieLink>("link", *event_queue, config.pcie);
        device = std::make_unique<NvmeFront>("device", *event_queue, *link, front_options(config), *dram);
        host = std::make_unique<host::NvmePort>("host", config.nvme, config.geometry.sectors_per_unit(),
                                                config.host.queue_depth);
        client = std::make_unique<Client>(*event_queue);
        firmware = std::make_unique<Firmware>(*event_queue, *device);
        link->bind_host(*host);
        host->bind(*link);
        host->bind(*client);
        device->bind(static_cast<CommandDataIf&>(*host));
        device->bind(static_cast<HostSinkIf&>(*firmware));
        host->bring_up();
    }
    const PortStats& counts() const { return device->controller().counts(); }
    static hal_host_command command(u8 opcode, u64 lba, u32 sectors, u16 tag, u8 flags = 0)
    {
        hal_host_command c{};
        c.opcode = opcode;
        c.lba = lba;
        c.sectors = sectors;
        c.tag = tag;
        c.flags = flags;
        return c;
    }
    void run() { sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS)); }

    std::unique_ptr<time::EventQueue> event_queue;
    std::unique_ptr<tb::FixedDram> dram;
    std::unique_ptr<PcieLink> link;
    std::unique_ptr<NvmeFront> device;
    std::unique_ptr<host::NvmePort> host;
    std::unique_ptr<Client> client;
    std::unique_ptr<Firmware> firmware;
};

} // namespace tlmssd::nvme_device
