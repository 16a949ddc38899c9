// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device made of nothing but DRAM behind the host ports, and a list as a workload.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "models/common/fifo.h"
#include "models/host/direct_port.h"
#include "models/host/initiator.h"
#include "models/host/sata_port.h"
#include "models/sata/device_port.h"
#include "models/sata/link.h"
#include "tb/sata/kernel.h"

namespace tlmssd::tb {

using workload::Kind;
using workload::Request;

inline Request request(Kind kind, u64 lba, u32 sectors, Picoseconds arrival = Picoseconds())
{
    Request r;
    r.kind = kind;
    r.lba = lba;
    r.sectors = sectors;
    r.arrival = arrival;
    return r;
}

class ListSource : public workload::RequestSource {
public:
    bool next(Request& out) override
    {
        if (counts_.requests == list.size()) {
            return false;
        }
        out = list[counts_.requests++];
        return true;
    }
    const workload::SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return list.size(); }
    double progress() const override { return -1; }
    std::vector<Request> list;

private:
    workload::SourceCounts counts_;
};

/// Keeps all data in DRAM at the logical address: a command starts its transfers (one a page of
/// 8 KiB) a time after it came that `latency` gives, in order, and takes effect in that order.
class RamFirmware : public HostSinkIf {
public:
    RamFirmware(time::EventQueue& event_queue, DramIf& dram, HostPortIf& port)
        : event_queue_(event_queue), dram_(dram), port_(port),
          timer_(event_queue, time::Priority::Array,
                 time::Timer::call<&RamFirmware::on_timer, RamFirmware>, this)
    {
    }
    std::function<Picoseconds(u64 nth)> latency = [](u64) { return Picoseconds(); };
    bool drop_partial_trims = false; ///< a broken device
    bool ignore_trims = false;       ///< a device that keeps trimmed data
    bool lose_last_page = false;     ///< a broken device: ends a command one transfer early
    /// The nth read or write (from 0) ends with an error: a write brings nothing, a read lacks its first
    /// page.
    std::function<bool(u64 nth)> fails = [](u64) { return false; };
    u32 most_open = 0;
    u64 commands = 0;
    std::vector<std::string> log;
    bool logging = false;

    void on_host_command(const hal_host_command& command) override
    {
        most_open = std::max(most_open, ++open_);
        if (logging) {
            log.push_back("op " + std::to_string(command.opcode) + " tag " +
                          std::to_string(command.tag) + " open " + std::to_string(open_) + " @" +
                          std::to_string(event_queue_.now().value()));
        }
        waiting_.push({command, event_queue_.now() + latency(commands++)});
        if (!timer_.armed()) {
            timer_.arm(waiting_.front().at);
        }
    }
    void on_host_dma_done(u32 tag, u32 cookie) override
    {
        cookie &= ~HAL_HOST_DMA_ABORTED;
        open_ -= cookie != kGoesOn;
        if (cookie == kFails) {
            port_.complete(tag, HAL_HOST_ERROR);
        }
    }

private:
    enum Cookie : u32 { kGoesOn, kEnds, kFails }; ///< what the end of a transfer does to its command
    struct Waiting {
        hal_host_command command{};
        Picoseconds at;
    };
    void on_timer()
    {
        while (!waiting_.empty() && waiting_.front().at <= event_queue_.now()) {
            serve(waiting_.pop().command);
        }
        if (!waiting_.empty() && !timer_.armed()) {
            timer_.arm(waiting_.front().at);
        }
    }
    void serve(const hal_host_command& command)
    {
        if (command.opcode == HAL_HOST_TRIM && !ignore_trims) {
            const u64 first = (command.lba + (drop_partial_trims ? 0 : 7)) / 8;
            const u64 end = (command.lba + command.sectors + (drop_partial_trims ? 7 : 0)) / 8;
            for (u64 unit = first; unit < end; ++unit) {
                *dram_.tags(static_cast<u32>(unit * 4096)) = UnitTag{};
                if (u8* const bytes = dram_.bytes(static_cast<u32>(unit * 4096))) {
                    std::fill_n(bytes, 4096, u8{0});
                }
            }
        }
        if (command.opcode == HAL_HOST_TRIM || command.opcode == HAL_HOST_FLUSH) {
            --open_;
            port_.complete(command.tag, HAL_HOST_OK);
            return;
        }
        u32 end = command.sectors;
        if (lose_last_page) {
            end -= 16;
        }
        u32 begin = 0;
        const bool failing = fails(served_++);
        if (failing) {
            begin = command.opcode == HAL_HOST_READ ? 16 - static_cast<u32>(command.lba % 16) : end;
            if (begin >= end) {
                --open_;
                port_.complete(command.tag, HAL_HOST_ERROR);
                return;
            }
        }
        for (u32 offset = begin; offset < end;) {
            const u64 lba = command.lba + offset;
            const u32 in_page = static_cast<u32>(lba % 16);
            const u32 sectors = std::min(16 - in_page, end - offset);
            hal_host_dma dma{};
            dma.tag = command.tag;
            dma.to_host = command.opcode == HAL_HOST_READ;
            dma.offset = offset;
            dma.buf = static_cast<u32>((lba - in_page) * 512);
            dma.sector = static_cast<u16>(in_page);
            dma.sectors = static_cast<u16>(sectors);
            const bool last = offset + sectors == end;
            dma.complete = last && !failing;
            dma.cookie = !last ? kGoesOn : failing ? kFails : kEnds;
            port_.start_dma(dma);
            offset += sectors;
        }
    }
    time::EventQueue& event_queue_;
    DramIf& dram_;
    HostPortIf& port_;
    time::Timer timer_;
    Fifo<Waiting> waiting_{64};
    u32 open_ = 0;
    u64 served_ = 0; ///< reads and writes
};

inline config::Config small_config(u32 depth, config::LoopMode mode)
{
    config::Config c;
    c.geometry.page_bytes = 8192;
    c.host.queue_depth = depth;
    c.workload.mode = mode;
    return c;
}

/// Initiator, link and RamFirmware of 8 MiB; `sata` chooses the link.
struct Rig : public host::RunListenerIf {
    static constexpr u64 kBytes = 8 << 20;

    Rig(const config::Config& config, bool sata, Picoseconds dram_time = Picoseconds())
        : dram(kBytes, 4096, dram_time, config.data == config::DataKind::Full),
          versions(kBytes / 4096), direct("direct", event_queue, config.geometry, dram),
          hba("hba", event_queue, config.data, config.sata),
          link("link", event_queue, config.sata, config.seed),
          device("device", event_queue, config.geometry, dram, facts(config), config.sata.fifo_kib * 1024),
          port(sata ? static_cast<HostPortIf&>(device) : direct),
          firmware(event_queue, dram, port),
          initiator("host", event_queue, host::InitiatorOptions::of(config),
                    sata ? static_cast<host::DeviceLinkIf&>(hba) : direct, versions)
    {
        hba.socket.bind(link.host_socket);
        device.socket.bind(link.device_socket);
        device.bind(firmware);
        direct.bind(static_cast<HostSinkIf&>(firmware));
        if (config.data == config::DataKind::Full) {
            versions.carry_bytes(8, config.seed);
        }
    }
    static sata::DeviceFacts facts(const config::Config& config)
    {
        sata::DeviceFacts f;
        f.sectors = kBytes / 512;
        f.tags = config.host.queue_depth;
        f.gbps_tenths = config.sata.gbps_tenths;
        f.ncq = config.sata.ncq;
        f.queued_trim = config.sata.queued_trim;
        return f;
    }
    void on_workload_done() override { ended_at = event_queue.now(); ++done; }
    void on_failure(const host::Failure& failure) override { failures.push_back(failure); }
    void on_source_error() override { ++source_errors; }
    /// Runs to the end, at most `limit`; the workload must end.
    void run(Picoseconds limit = milliseconds(1000))
    {
        initiator.start(source, *this);
        sc_core::sc_start(sc_core::sc_time::from_value(limit.value()));
        EXPECT_EQ(done, 1);
    }

    time::EventQueue event_queue{"event_queue"};
    FixedDram dram;
    host::ExpectedVersions versions;
    host::DirectPort direct;
    host::SataPort hba;
    sata::Link link;
    sata::DevicePort device;
    HostPortIf& port;
    RamFirmware firmware;
    host::Initiator initiator;
    ListSource source;
    std::vector<host::Failure> failures;
    Picoseconds ended_at;
    int done = 0;
    int source_errors = 0;
};

} // namespace tlmssd::tb
