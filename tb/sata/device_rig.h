// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's end of the link between a scripted host and a firmware that does nothing by
// itself.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "models/sata/device_port.h"
#include "models/sata/link.h"
#include "tb/sata/kernel.h"
#include "tb/support/geometry.h"

namespace tlmssd::sata {

// 8 KiB pages, 4 KiB units; 6 Gb/s, h = 20: d dwords take (d + 23) * 6718.75 ps, rounded up.
inline constexpr u64 kRegister = 188125;   // 28
inline constexpr u64 kSetup = 201563;      // 30
inline constexpr u64 kActivate = 161250;   // 24
inline constexpr u64 kBits = 167969;       // 25
inline constexpr u64 kData4k = 7041250;    // 1048
inline constexpr u64 kData8k = 13921250;   // 2072
inline constexpr u64 kData512 = 1021250;   // 152
inline constexpr u64 kDramTime = 3000000;

inline Geometry geometry()
{
    return tb::make_geometry().page(8192);
}

inline DeviceFacts facts(bool queued_trim)
{
    DeviceFacts f;
    f.sectors = 100000;
    f.queued_trim = queued_trim;
    return f;
}

/// Logs each FIS of the device with its fields and time; sends what the test tells it to.
class ScriptedHost : public sc_core::sc_module, public LinkBwIf {
public:
    ScriptedHost(sc_core::sc_module_name name, time::EventQueue& event_queue)
        : sc_module(name), socket("socket"), event_queue_(event_queue)
    {
        socket.bind(*this);
    }
    void send(const hal_host_command& command, bool queued_trim = false)
    {
        Frame& frame = pool.take(kRegisterDwords);
        pack(encode_command(command, {queued_trim, true}), frame.fis);
        queue_frame(socket, frame);
    }
    void send(const RegisterH2D& fis)
    {
        Frame& frame = pool.take(kRegisterDwords);
        pack(fis, frame.fis);
        queue_frame(socket, frame);
    }
    void send_data(u32 sectors, UnitTag first)
    {
        Frame& frame = pool.take_data(sectors);
        frame.tags[0] = first;
        frame.tags[1] = UnitTag{first.unit + 1, first.version};
        queue_frame(socket, frame);
    }
    tlm::tlm_sync_enum nb_transport_bw(Frame& frame, FramePhase& phase, sc_core::sc_time&) override
    {
        if (phase == FramePhase::Reset) {
            return tlm::TLM_COMPLETED;
        }
        log.push_back(describe(frame) + " @" + std::to_string(event_queue_.now().value()));
        if (frame.is_block) {
            blocks.push_back(*frame.block);
        }
        const FisType type = fis_type(frame.fis);
        DmaSetup setup;
        if (type == FisType::DmaSetup) {
            unpack(frame.fis, setup);
        }
        if (type == FisType::DmaActivate || (type == FisType::DmaSetup && setup.auto_activate)) {
            if (!trim.empty() && (type == FisType::DmaActivate || setup.count == 512)) {
                Frame& data = pool.take_block();
                data.block->fill(0);
                std::copy(trim.begin(), trim.end(), data.block->begin());
                queue_frame(socket, data);
            } else {
                send_data(next_sectors, next_tag);
            }
        }
        frame.release();
        return tlm::TLM_COMPLETED;
    }

    PortSocket socket;
    FramePool pool{Side::Host};
    std::vector<std::string> log;
    std::vector<Block> blocks;
    std::vector<u8> trim;
    u32 next_sectors = 16;
    UnitTag next_tag;

private:
    static std::string describe(const Frame& frame)
    {
        switch (fis_type(frame.fis)) {
        case FisType::RegisterD2H: {
            RegisterD2H f;
            unpack(frame.fis, f);
            return f.status & 1 ? "register error" + (f.error == ata::kErrorAbort ? "" : " " + std::to_string(f.error))
                   : f.error != 0 ? "signature"
                                  : "register";
        }
        case FisType::DmaSetup: {
            DmaSetup f;
            unpack(frame.fis, f);
            return "setup tag " + std::to_string(f.tag) + (f.to_host ? " read " : " write ") +
                   std::to_string(f.offset) + "+" + std::to_string(f.count) +
                   (f.auto_activate ? " auto" : "");
        }
        case FisType::DmaActivate: return "activate";
        case FisType::Data:
            return frame.is_block ? "block"
                   : "data " + std::to_string(frame.sectors) + " v" +
                   std::to_string(frame.tags[0].version);
        case FisType::SetDeviceBits: {
            SetDeviceBits f;
            unpack(frame.fis, f);
            return (f.status & 1 ? "failed " : "ended ") + std::to_string(f.sactive);
        }
        case FisType::PioSetup: {
            PioSetup f;
            unpack(frame.fis, f);
            return "pio " + std::to_string(f.bytes);
        }
        default: return "unexpected";
        }
    }
    time::EventQueue& event_queue_;
};

struct Firmware : public HostSinkIf {
    void on_host_command(const hal_host_command& command) override
    {
        commands.push_back(command);
        if (react) {
            react(command);
        }
    }
    void on_host_dma_done(u32 tag, u32 cookie) override
    {
        done.push_back(std::to_string(tag) + ":" + std::to_string(cookie) + "@" +
                       std::to_string(event_queue.now().value()));
    }
    explicit Firmware(time::EventQueue& w) : event_queue(w) {}
    time::EventQueue& event_queue;
    std::vector<hal_host_command> commands;
    std::vector<std::string> done;
    std::function<void(const hal_host_command&)> react;
};

inline hal_host_command command(u8 opcode, u64 lba, u32 sectors, u16 tag)
{
    hal_host_command c{};
    c.opcode = opcode;
    c.lba = lba;
    c.sectors = sectors;
    c.tag = tag;
    return c;
}

inline hal_host_dma dma(u16 tag, bool to_host, u32 offset, u32 buf, u16 sector, u16 sectors, u32 cookie)
{
    hal_host_dma d{};
    d.tag = tag;
    d.to_host = to_host;
    d.complete = 1;
    d.offset = offset;
    d.buf = buf;
    d.sector = sector;
    d.sectors = sectors;
    d.cookie = cookie;
    return d;
}

template <bool QueuedTrim>
class DeviceRig : public tb::KernelTest {
protected:
    time::EventQueue event_queue{"event_queue"};
    config::Sata line;
    Link link{"link", event_queue, line};
    tb::FixedDram dram{1 << 20, 4096, Picoseconds(kDramTime)};
    DevicePort port{"port", event_queue, geometry(), dram, facts(QueuedTrim)};
    ScriptedHost host{"host", event_queue};
    Firmware firmware{event_queue};

    DeviceRig()
    {
        host.socket.bind(link.host_socket);
        port.socket.bind(link.device_socket);
        port.bind(firmware);
    }
    void run() { sc_core::sc_start(1, sc_core::SC_MS); }
    static std::string at(const std::string& what, u64 ps)
    {
        return what + " @" + std::to_string(ps);
    }
};

} // namespace tlmssd::sata
