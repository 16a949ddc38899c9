// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host adapter alone, against a device that sends what a test gives it, rightly or not.
#pragma once

#include <gmock/gmock.h>

#include "models/ahci/ahci_hba.h"
#include "models/sata/link.h"
#include "tb/ahci/machine.h"
#include "tb/sata/kernel.h"

namespace tlmssd::tb {

/// Keeps what the host has sent, and sends FISes of any bytes.
struct FakeDevice final : sc_core::sc_module, sata::LinkBwIf {
    sata::PortSocket socket{"socket"};
    sata::FramePool pool{sata::Side::Device, true};
    std::vector<std::vector<u8>> got; ///< FISes, payloads included
    std::vector<std::array<UnitTag, 3>> tags; ///< of data FISes, the first ones
    u32 resets = 0;

    explicit FakeDevice(sc_core::sc_module_name name) : sc_module(name) { socket.bind(*this); }
    tlm::tlm_sync_enum nb_transport_bw(sata::Frame& frame, sata::FramePhase& phase,
                                       sc_core::sc_time&) override
    {
        if (phase == sata::FramePhase::Reset) {
            ++resets;
        } else if (phase == sata::FramePhase::Arrived) {
            std::vector<u8> bytes(frame.dwords * 4);
            std::copy_n(frame.fis.begin(), frame.is_data ? 4 : bytes.size(), bytes.begin());
            if (frame.is_data) {
                std::copy_n(frame.bytes.get(), bytes.size() - 4, bytes.begin() + 4);
                tags.push_back({frame.tags[0], frame.tags[1], frame.tags[2]});
            }
            got.push_back(bytes);
            frame.release();
        }
        return tlm::TLM_COMPLETED;
    }
    void send(const std::vector<u8>& bytes)
    {
        sata::Frame& frame = pool.take(static_cast<u32>(bytes.size()) / 4);
        std::copy(bytes.begin(), bytes.end(), frame.fis.begin());
        queue_frame(socket, frame);
    }
    void lose_link()
    {
        sata::Frame nothing;
        sata::FramePhase phase = sata::FramePhase::Reset;
        sc_core::sc_time zero;
        socket->nb_transport_fw(nothing, phase, zero);
    }
    void send_data(u32 sectors, u8 value)
    {
        sata::Frame& frame = pool.take_data(sectors);
        std::fill_n(frame.bytes.get(), sectors * 512, value);
        queue_frame(socket, frame);
    }
};

struct AhciHbaTest : KernelTest {
    time::EventQueue event_queue{"event_queue"};
    config::Sata line;
    Ram ram{"ram"};
    Cpu cpu{"cpu"};
    sc_core::sc_signal<bool> irq{"irq"};
    sata::Link link{"link", event_queue, line};
    FakeDevice device{"device"};
    ahci::AhciHba hba{"hba", event_queue, line, 3, sc_core::SC_ZERO_TIME};
    Driver d{cpu, ram};

    AhciHbaTest()
    {
        cpu.socket.bind(hba.registers);
        hba.memory.bind(ram.socket);
        hba.interrupt(irq);
        cpu.irq(irq);
        hba.link.bind(link.host_socket);
        device.socket.bind(link.device_socket);
    }
    /// `program` begins with ST set.
    void run(const std::function<void()>& program)
    {
        cpu.program = [&](Cpu&) {
            d.set_up();
            EXPECT_TRUE(cpu.until(reg::ssts, 0xf, 3));
            device.send({0x34, 0, 0x50, 0x01, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
            EXPECT_TRUE(cpu.until(reg::tfd, 0x88, 0));
            d.clear();
            cpu.write(reg::px_ie, 0x7d40007f);
            cpu.write(reg::ghc, 0x80000002);
            d.start();
            program();
            sc_core::sc_stop();
        };
        sc_core::sc_start();
        EXPECT_TRUE(cpu.ended);
        EXPECT_FALSE(event_queue.failure());
    }
    void expect_posted(u64 at, const std::vector<u8>& bytes)
    {
        EXPECT_EQ(std::vector<u8>(ram.at(at), ram.at(at) + bytes.size()), bytes);
    }
    /// The device takes a queued command into `slot`.
    void queue(u32 slot, u8 command, u64 lba, const std::vector<Piece>& pieces)
    {
        d.prepare(slot, Driver::fis(command, lba, slot << 3, 16), pieces, command == 0x61);
        cpu.write(reg::sact, 1u << slot);
        cpu.write(reg::ci, 1u << slot);
        cpu.pause(5);
        device.send({0x34, 0, 0x50, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        cpu.pause(5);
        EXPECT_EQ(cpu.read(reg::ci), 0u) << "released";
    }
    static std::vector<u8> setup(u8 flags, u8 tag, u32 offset, u32 count)
    {
        const auto byte = [](u32 value, u32 i) { return static_cast<u8>(value >> (8 * i)); };
        std::vector<u8> fis(28);
        fis[0] = 0x41;
        fis[1] = flags;
        fis[4] = tag;
        for (u32 i = 0; i < 4; ++i) {
            fis[16 + i] = byte(offset, i);
            fis[20 + i] = byte(count, i);
        }
        return fis;
    }
    static std::vector<u8> bits(u8 status, u8 error, u32 sactive)
    {
        return {0xa1, 0x40, status, error, static_cast<u8>(sactive), static_cast<u8>(sactive >> 8),
                static_cast<u8>(sactive >> 16), static_cast<u8>(sactive >> 24)};
    }
};

} // namespace tlmssd::tb
