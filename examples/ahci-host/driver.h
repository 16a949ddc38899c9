// SPDX-License-Identifier: BSD-3-Clause
// What the examples with SsdAhci share: memory, and the least of an AHCI driver.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

/// Answers each access after 50 ns; any number of initiators.
struct Memory : sc_core::sc_module {
    tlm_utils::multi_passthrough_target_socket<Memory> socket{"socket"};
    std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(1 << 20);

    explicit Memory(sc_core::sc_module_name name) : sc_module(name)
    {
        socket.register_b_transport(this, &Memory::b_transport);
    }
    void b_transport(int, tlm::tlm_generic_payload& p, sc_core::sc_time& delay)
    {
        if (p.get_address() + p.get_data_length() > bytes.size()) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (p.is_write()) {
            std::memcpy(&bytes[p.get_address()], p.get_data_ptr(), p.get_data_length());
        } else {
            std::memcpy(p.get_data_ptr(), &bytes[p.get_address()], p.get_data_length());
        }
        delay += sc_core::sc_time(50, sc_core::SC_NS);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void put32(std::uint32_t at, std::uint32_t value) { std::memcpy(&bytes[at], &value, 4); }
};

/// The least of a driver: slot 0, commands one after the other. Its functions wait: call them from a thread.
/// It uses 16 KiB of the memory, from `base` on; data stand at data().
struct Driver : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Driver> socket{"socket"};
    sc_core::sc_in<bool> irq{"irq"};
    Memory& memory;
    const std::uint32_t base;

    Driver(sc_core::sc_module_name name, Memory& m, std::uint32_t memory_base)
        : sc_module(name), memory(m), base(memory_base)
    {
    }
    static constexpr std::uint32_t kFises = 0x400, kTable = 0x800, kData = 0x1000, kDataBytes = 0x3000;
    std::uint8_t* data() { return &memory.bytes[base + kData]; }

    std::uint32_t access(bool write, std::uint32_t at, std::uint32_t value)
    {
        tlm::tlm_generic_payload p;
        p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        p.set_address(at);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(4);
        p.set_streaming_width(4);
        sc_core::sc_time delay;
        socket->b_transport(p, delay);
        wait(delay);
        return value;
    }
    std::uint32_t read(std::uint32_t at) { return access(false, at, 0); }
    void write(std::uint32_t at, std::uint32_t value) { access(true, at, value); }
    void until(std::uint32_t at, std::uint32_t mask, std::uint32_t value)
    {
        while ((read(at) & mask) != value) {
            wait(10, sc_core::SC_US);
        }
    }

    /// The signature of the device.
    std::uint32_t boot()
    {
        write(0x04, 0x80000002); // GHC: AE, IE
        write(0x100, base);
        write(0x108, base + kFises);
        write(0x118, 0x12);       // PxCMD: FRE, SUD
        until(0x128, 0xf, 3);     // PxSSTS: the PHY is up
        until(0x120, 0x88, 0);    // PxTFD: the device has answered
        write(0x130, ~0u);        // PxSERR
        write(0x114, 0x7d40002f); // PxIE
        write(0x118, 0x13);       // ST
        return read(0x124);
    }

    /// False: PxTFD tells an error. At most kDataBytes of data.
    bool command(std::uint8_t code, std::uint64_t lba, std::uint32_t sectors, bool to_device)
    {
        const auto byte = [&](std::uint32_t i) { return static_cast<std::uint8_t>(lba >> (8 * i)); };
        const std::uint8_t fis[20] = {0x27, 0x80, code, 0, byte(0), byte(1), byte(2), 0x40, byte(3), byte(4),
                                      byte(5), 0, static_cast<std::uint8_t>(sectors),
                                      static_cast<std::uint8_t>(sectors >> 8)};
        const std::uint32_t table = base + kTable;
        std::memcpy(&memory.bytes[table], fis, sizeof fis);
        memory.put32(table + 0x80, base + kData);
        memory.put32(table + 0x84, 0);
        memory.put32(table + 0x8c, (sectors == 0 ? 1 : sectors) * 512 - 1);
        memory.put32(base, 1u << 16 | (to_device ? 1u << 6 : 0u) | 5);
        memory.put32(base + 8, table);
        memory.put32(base + 12, 0);
        write(0x138, 1); // PxCI
        do {
            if (!irq.read()) {
                wait(irq.posedge_event());
            }
            write(0x110, read(0x110)); // PxIS
            write(0x08, 1);            // IS
            wait(1, sc_core::SC_NS);
        } while ((read(0x138) & 1) != 0 && (read(0x120) & 1) == 0);
        return (read(0x120) & 0x89) == 0;
    }
    bool write_dma(std::uint64_t lba, std::uint32_t sectors) { return command(0x35, lba, sectors, true); }
    bool read_dma(std::uint64_t lba, std::uint32_t sectors) { return command(0x25, lba, sectors, false); }
    bool flush() { return command(0xea, 0, 0, false); }

    /// Words 27 to 46 of IDENTIFY DEVICE.
    std::string model()
    {
        std::string text;
        if (command(0xec, 0, 0, false)) {
            for (std::uint32_t i = 54; i < 94; ++i) {
                text += static_cast<char>(data()[i ^ 1]);
            }
        }
        return text.substr(0, text.find_last_not_of(' ') + 1);
    }
};
