// SPDX-License-Identifier: BSD-3-Clause
// A platform with memory, a CPU in C++ and one SSD behind AHCI: reads the identity, writes and reads a sector.
#include <cstdio>
#include <stdexcept>
#include <tlmssd/ssd_ahci.h>

#include "driver.h"

namespace {

struct Cpu : sc_core::sc_module {
    SC_HAS_PROCESS(Cpu);
    Driver driver;
    bool good = false;

    Cpu(sc_core::sc_module_name name, Memory& memory) : sc_module(name), driver("driver", memory, 0)
    {
        SC_THREAD(run);
    }

    void run()
    {
        std::printf("%s: signature %08x\n", now().c_str(), driver.boot());
        std::printf("%s: model %s\n", now().c_str(), driver.model().c_str());
        const std::string text = "through AHCI to the flash and back";
        std::memcpy(driver.data(), text.data(), text.size());
        bool ok = driver.write_dma(1000, 1);
        ok = driver.flush() && ok;
        std::memset(driver.data(), 0, 512);
        ok = driver.read_dma(1000, 1) && ok;
        const std::string back(reinterpret_cast<char*>(driver.data()), text.size());
        std::printf("%s: read \"%s\"\n", now().c_str(), back.c_str());
        good = ok && back == text;
        sc_core::sc_stop();
    }
    static std::string now() { return sc_core::sc_time_stamp().to_string(); }
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
        cpu.driver.socket.bind(ssd.registers);
        ssd.memory.bind(memory.socket);
        ssd.interrupt(irq);
        cpu.driver.irq(irq);
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
