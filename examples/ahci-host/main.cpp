// SPDX-License-Identifier: BSD-3-Clause
// A platform with memory, a CPU in C++ and one SSD behind AHCI: reads the identity, writes and reads a sector.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlmssd/ssd_ahci.h>
#include <vector>

namespace {

struct Memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<Memory> socket{"socket"};
    std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(1 << 20);

    explicit Memory(sc_core::sc_module_name name) : sc_module(name)
    {
        socket.register_b_transport(this, &Memory::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay)
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

/// The least of a driver: slot 0, commands one after the other.
struct Cpu : sc_core::sc_module {
    SC_HAS_PROCESS(Cpu);
    tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};
    sc_core::sc_in<bool> irq{"irq"};
    Memory& memory;
    bool good = false;

    static constexpr std::uint32_t kList = 0x0000, kFises = 0x0400, kTable = 0x0800, kData = 0x1000;

    Cpu(sc_core::sc_module_name name, Memory& m) : sc_module(name), memory(m) { SC_THREAD(run); }

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

    /// False: PxTFD tells an error.
    bool command(std::uint8_t code, std::uint64_t lba, std::uint32_t sectors, bool to_device)
    {
        const auto byte = [&](std::uint32_t i) { return static_cast<std::uint8_t>(lba >> (8 * i)); };
        const std::uint8_t fis[20] = {0x27, 0x80, code, 0, byte(0), byte(1), byte(2), 0x40, byte(3), byte(4),
                                      byte(5), 0, static_cast<std::uint8_t>(sectors),
                                      static_cast<std::uint8_t>(sectors >> 8)};
        std::memcpy(&memory.bytes[kTable], fis, sizeof fis);
        memory.put32(kTable + 0x80, kData);
        memory.put32(kTable + 0x8c, (sectors == 0 ? 1 : sectors) * 512 - 1);
        memory.put32(kList, 1u << 16 | (to_device ? 1u << 6 : 0u) | 5);
        memory.put32(kList + 8, kTable);
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

    void run()
    {
        write(0x04, 0x80000002); // GHC: AE, IE
        write(0x100, kList);
        write(0x108, kFises);
        write(0x118, 0x12);     // PxCMD: FRE, SUD
        until(0x128, 0xf, 3);   // PxSSTS: the PHY is up
        until(0x120, 0x88, 0);  // PxTFD: the device has answered
        write(0x130, ~0u);      // PxSERR
        write(0x114, 0x7d40002f); // PxIE
        write(0x118, 0x13);     // ST
        std::printf("%s: signature %08x\n", sc_core::sc_time_stamp().to_string().c_str(), read(0x124));

        bool ok = command(0xec, 0, 0, false); // IDENTIFY DEVICE
        std::string model;
        for (std::uint32_t i = 54; i < 94; ++i) {
            model += static_cast<char>(memory.bytes[kData + (i ^ 1)]);
        }
        std::printf("%s: model %s\n", sc_core::sc_time_stamp().to_string().c_str(), model.c_str());

        const std::string text = "through AHCI to the flash and back";
        std::memcpy(&memory.bytes[kData], text.data(), text.size());
        ok = command(0x35, 1000, 1, true) && ok; // WRITE DMA EXT
        ok = command(0xea, 0, 0, false) && ok;   // FLUSH CACHE EXT
        std::memset(&memory.bytes[kData], 0, 512);
        ok = command(0x25, 1000, 1, false) && ok; // READ DMA EXT
        const std::string back(reinterpret_cast<char*>(&memory.bytes[kData]), text.size());
        std::printf("%s: read \"%s\"\n", sc_core::sc_time_stamp().to_string().c_str(), back.c_str());
        good = ok && back == text;
        sc_core::sc_stop();
    }
};

} // namespace

int sc_main(int argc, char** argv)
{
    try {
        tlmssd::SsdAhciConfig config;
        config.file = argc > 1 ? argv[1] : "configs/ssd/default.yaml";
        config.sets = {"precondition.fill=0", "geometry.blocks=64"};
        Memory memory("memory");
        Cpu cpu("cpu", memory);
        tlmssd::SsdAhci ssd("ssd", config);
        sc_core::sc_signal<bool> irq("irq");
        cpu.socket.bind(ssd.registers);
        ssd.memory.bind(memory.socket);
        ssd.interrupt(irq);
        cpu.irq(irq);
        sc_core::sc_start();
        for (const std::string& failure : ssd.failures()) {
            std::fprintf(stderr, "error: %s\n", failure.c_str());
        }
        return cpu.good && ssd.failures().empty() ? 0 : 3;
    } catch (const std::runtime_error& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 2;
    }
}
