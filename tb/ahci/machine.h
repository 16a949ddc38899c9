// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a machine around AHCI host adapters: memory, a bus, a CPU that runs a function, a small driver.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::tb {

inline constexpr u64 kRam = 0x80000000;
inline constexpr u32 kRamBytes = 4u << 20;

/// Memory from kRam on; a place that answers with errors may be set.
struct Ram final : sc_core::sc_module {
    tlm_utils::simple_target_socket<Ram> socket{"socket"};
    std::vector<u8> bytes = std::vector<u8>(kRamBytes);
    sc_core::sc_time latency{50, sc_core::SC_NS};
    u64 bad_at = 0; ///< 0: none
    tlm::tlm_response_status bad = tlm::TLM_GENERIC_ERROR_RESPONSE;

    explicit Ram(sc_core::sc_module_name name) : sc_module(name)
    {
        socket.register_b_transport(this, &Ram::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay)
    {
        delay += latency;
        const u64 at = p.get_address();
        const u32 length = p.get_data_length();
        EXPECT_GE(p.get_streaming_width(), length);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        if (at < kRam || at + length > kRam + kRamBytes) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (bad_at != 0 && at <= bad_at && bad_at < at + length) {
            p.set_response_status(bad);
            return;
        }
        if (p.is_write()) {
            std::memcpy(&bytes[at - kRam], p.get_data_ptr(), length);
        } else {
            std::memcpy(p.get_data_ptr(), &bytes[at - kRam], length);
        }
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    u8* at(u64 address) { return &bytes.at(address - kRam); }
    void put32(u64 address, u32 value)
    {
        for (u32 i = 0; i < 4; ++i) {
            *at(address + i) = static_cast<u8>(value >> (8 * i));
        }
    }
    u32 get32(u64 address)
    {
        return u32{*at(address)} | u32{*at(address + 1)} << 8 | u32{*at(address + 2)} << 16 |
               u32{*at(address + 3)} << 24;
    }
};

/// Runs a function in a process of its own.
struct Cpu final : sc_core::sc_module {
    SC_HAS_PROCESS(Cpu);
    tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};
    sc_core::sc_in<bool> irq{"irq"};
    std::function<void(Cpu&)> program;
    bool ended = false;

    u32 responses = 0; ///< of four-phase transactions

    explicit Cpu(sc_core::sc_module_name name) : sc_module(name)
    {
        SC_THREAD(run);
        socket.register_nb_transport_bw(this, &Cpu::nb_transport_bw);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&)
    {
        responses += phase == tlm::BEGIN_RESP;
        return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    }
    void run()
    {
        program(*this);
        ended = true;
        finished.notify();
    }
    sc_core::sc_event finished;

    tlm::tlm_response_status access(bool write, u64 at, void* data, u32 length)
    {
        tlm::tlm_generic_payload p;
        p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        p.set_address(at);
        p.set_data_ptr(static_cast<u8*>(data));
        p.set_data_length(length);
        p.set_streaming_width(length);
        sc_core::sc_time delay;
        socket->b_transport(p, delay);
        if (delay != sc_core::SC_ZERO_TIME) {
            wait(delay);
        }
        return p.get_response_status();
    }
    u32 read(u32 at)
    {
        u32 value = 0;
        EXPECT_EQ(access(false, at, &value, 4), tlm::TLM_OK_RESPONSE);
        return value;
    }
    void write(u32 at, u32 value) { EXPECT_EQ(access(true, at, &value, 4), tlm::TLM_OK_RESPONSE); }
    void pause(double us) { wait(us, sc_core::SC_US); }
    /// Until (register & mask) == value.
    bool until(u32 at, u32 mask, u32 value, double limit_us = 1e6)
    {
        const sc_core::sc_time end = sc_core::sc_time_stamp() + sc_core::sc_time(limit_us, sc_core::SC_US);
        while ((read(at) & mask) != value) {
            if (sc_core::sc_time_stamp() >= end) {
                return false;
            }
            wait(1, sc_core::SC_US);
        }
        return true;
    }
    /// Until the interrupt line is up.
    bool interrupted(double limit_us = 1e6)
    {
        wait(10, sc_core::SC_NS); // the line falls a few delta cycles after the register that was written
        if (!irq.read()) {
            wait(sc_core::sc_time(limit_us, sc_core::SC_US), irq.posedge_event());
        }
        return irq.read();
    }
};

/// Registers by the numbers of the standard, not by the model's names.
namespace reg {
inline constexpr u32 ghc = 0x04, is = 0x08, clb = 0x100, clbu = 0x104, fb = 0x108, fbu = 0x10c,
                     px_is = 0x110, px_ie = 0x114, cmd = 0x118, tfd = 0x120, sig = 0x124,
                     ssts = 0x128, sctl = 0x12c, serr = 0x130, sact = 0x134, ci = 0x138;
}

struct Piece {
    u64 address;
    u32 bytes;
    bool interrupt = false;
};

/// The little that a driver needs. Its memory: command list, received FISes, 32 tables of 4 KiB.
struct Driver {
    Cpu& cpu;
    Ram& ram;
    u64 list = kRam + 0x1000;
    u64 fises = kRam + 0x2000;
    u64 tables = kRam + 0x10000;
    u64 data = kRam + 0x100000;

    u64 table(u32 slot) const { return tables + slot * 0x1000; }

    void start()
    {
        cpu.write(reg::cmd, 0x16); // FRE, SUD, POD
        cpu.write(reg::cmd, 0x17); // and ST
    }
    void stop()
    {
        cpu.write(reg::cmd, 0x16);
        EXPECT_TRUE(cpu.until(reg::cmd, 0x8000, 0)) << "CR";
    }
    void clear()
    {
        cpu.write(reg::serr, 0xffffffff);
        cpu.write(reg::px_is, 0xffffffff);
        cpu.write(reg::is, 1);
    }
    void set_up()
    {
        cpu.write(reg::ghc, 0x80000001); // HR
        EXPECT_TRUE(cpu.until(reg::ghc, 1, 0));
        cpu.write(reg::ghc, 0x80000000); // AE
        cpu.write(reg::clb, static_cast<u32>(list));
        cpu.write(reg::clbu, static_cast<u32>(list >> 32));
        cpu.write(reg::fb, static_cast<u32>(fises));
        cpu.write(reg::fbu, static_cast<u32>(fises >> 32));
        cpu.write(reg::cmd, 0x12); // FRE, SUD: spin up
    }
    void boot()
    {
        set_up();
        EXPECT_TRUE(cpu.until(reg::ssts, 0xf, 3)) << "PHY";
        EXPECT_TRUE(cpu.until(reg::tfd, 0x88, 0)) << "BSY";
        EXPECT_EQ(cpu.read(reg::sig), 0x00000101u);
        clear();
        cpu.write(reg::px_ie, 0x7d40007f);
        cpu.write(reg::ghc, 0x80000002); // IE
        start();
    }
    /// COMRESET, after which nothing runs.
    void comreset()
    {
        cpu.write(reg::sctl, 0x301);
        cpu.pause(1000);
        cpu.write(reg::sctl, 0x300);
        EXPECT_TRUE(cpu.until(reg::ssts, 0xf, 3));
        EXPECT_TRUE(cpu.until(reg::tfd, 0x88, 0));
        clear();
    }

    /// A register FIS, host to device: 20 bytes.
    static std::vector<u8> fis(u8 command, u64 lba, u32 count, u32 features = 0, u8 device = 0x40)
    {
        const auto byte = [](u64 value, u32 i) { return static_cast<u8>(value >> (8 * i)); };
        return {0x27, 0x80, command, byte(features, 0), byte(lba, 0), byte(lba, 1), byte(lba, 2), device,
                byte(lba, 3), byte(lba, 4), byte(lba, 5), byte(features, 1), byte(count, 0), byte(count, 1),
                0, 0, 0, 0, 0, 0};
    }
    void prepare(u32 slot, const std::vector<u8>& cfis, const std::vector<Piece>& pieces, bool to_device,
                 u32 flags = 0)
    {
        const u64 header = list + slot * 32;
        ram.put32(header, 5u | (to_device ? 1u << 6 : 0u) | flags |
                              static_cast<u32>(pieces.size()) << 16);
        ram.put32(header + 4, 0);
        ram.put32(header + 8, static_cast<u32>(table(slot)));
        ram.put32(header + 12, static_cast<u32>(table(slot) >> 32));
        std::copy(cfis.begin(), cfis.end(), ram.at(table(slot)));
        for (u32 i = 0; i < pieces.size(); ++i) {
            const u64 prd = table(slot) + 0x80 + i * 16;
            ram.put32(prd, static_cast<u32>(pieces[i].address));
            ram.put32(prd + 4, static_cast<u32>(pieces[i].address >> 32));
            ram.put32(prd + 8, 0);
            ram.put32(prd + 12, (pieces[i].bytes - 1) | (pieces[i].interrupt ? 1u << 31 : 0u));
        }
    }
    u32 moved(u32 slot) { return ram.get32(list + slot * 32 + 4); }
    /// Issue one command that is not queued and wait for its end; PxTFD.
    u32 run(u32 slot, const std::vector<u8>& cfis, const std::vector<Piece>& pieces = {},
            bool to_device = false)
    {
        prepare(slot, cfis, pieces, to_device);
        cpu.write(reg::ci, 1u << slot);
        for (;;) { // set device bits may come first
            if (!cpu.interrupted()) {
                ADD_FAILURE() << "no end of the command";
                return 0;
            }
            const u32 why = cpu.read(reg::px_is);
            const bool error = (why & 0x7d000000) != 0;
            const bool open = cpu.read(reg::ci) >> slot & 1;
            const u32 tfd = cpu.read(reg::tfd);
            cpu.write(reg::px_is, why & ~0x7d000000u);
            cpu.write(reg::is, 1);
            if (error || !open) {
                EXPECT_EQ(error, open) << std::hex << why;
                return tfd;
            }
        }
    }
};

} // namespace tlmssd::tb
