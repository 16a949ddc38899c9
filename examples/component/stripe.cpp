// SPDX-License-Identifier: BSD-3-Clause
// Two SSDs behind one striped disk: writes 64 stripes of 8 KiB, reads them back, first with one SSD, then with two.
#include <cstdio>
#include <stdexcept>
#include <tlmssd/ssd_ahci.h>

#include "../ahci-host/driver.h"

namespace {

constexpr std::uint32_t kStripes = 64;
constexpr std::uint32_t kStripeSectors = 16;

/// One SSD's part of the disk: every `of`-th stripe, from `first` on, in a thread of its own.
struct Half : sc_core::sc_module {
    SC_HAS_PROCESS(Half);
    Driver driver;
    std::uint32_t first = 0, of = 1, stripes = 0;
    bool writes = false, good = true;
    sc_core::sc_event go, done;

    Half(sc_core::sc_module_name name, Memory& memory, std::uint32_t base)
        : sc_module(name), driver("driver", memory, base)
    {
        SC_THREAD(run);
    }

    void run()
    {
        for (bool booted = false;; booted = true) {
            wait(go);
            if (!booted) {
                good = driver.boot() == 0x00000101;
            }
            for (std::uint32_t stripe = first; stripe < stripes && good; stripe += of) {
                const std::uint64_t lba = stripe / of * kStripeSectors;
                fill(stripe);
                good = writes ? driver.write_dma(lba, kStripeSectors) : checked(stripe, lba);
            }
            good = good && driver.flush();
            done.notify(sc_core::SC_ZERO_TIME);
        }
    }
    static std::uint8_t byte(std::uint32_t stripe, std::uint32_t at)
    {
        return static_cast<std::uint8_t>(stripe * 37 + at * 11 + (at >> 8));
    }
    void fill(std::uint32_t stripe)
    {
        for (std::uint32_t i = 0; i < kStripeSectors * 512; ++i) {
            driver.data()[i] = writes ? byte(stripe, i) : 0;
        }
    }
    bool checked(std::uint32_t stripe, std::uint64_t lba)
    {
        bool same = driver.read_dma(lba, kStripeSectors);
        for (std::uint32_t i = 0; i < kStripeSectors * 512; ++i) {
            same = same && driver.data()[i] == byte(stripe, i);
        }
        return same;
    }
};

struct Disk : sc_core::sc_module {
    SC_HAS_PROCESS(Disk);
    Half &a, &b;
    bool good = false;
    sc_core::sc_time one, two;

    Disk(sc_core::sc_module_name name, Half& first, Half& second) : sc_module(name), a(first), b(second)
    {
        SC_THREAD(run);
    }

    /// Simulated time for all stripes, read or written, over one SSD or both.
    sc_core::sc_time all(bool writes, bool both, std::uint32_t stripes = kStripes)
    {
        const sc_core::sc_time begin = sc_core::sc_time_stamp();
        a.writes = b.writes = writes;
        a.of = b.of = both ? 2 : 1;
        b.first = 1;
        a.stripes = b.stripes = stripes;
        a.go.notify();
        if (both) {
            b.go.notify();
            wait(a.done & b.done);
        } else {
            wait(a.done);
        }
        return sc_core::sc_time_stamp() - begin;
    }

    void run()
    {
        wait(1, sc_core::SC_NS);
        all(true, true, 0); // both boot
        all(true, false);
        one = all(false, false);
        all(true, true);
        two = all(false, true);
        good = a.good && b.good;
        std::printf("%u stripes of %u bytes read back: %s from one SSD, %s from two\n", kStripes,
                    kStripeSectors * 512, one.to_string().c_str(), two.to_string().c_str());
        sc_core::sc_stop();
    }
};

} // namespace

int sc_main(int argc, char** argv)
{
    try {
        tlmssd::SsdAhciConfig config;
        config.file = argc > 1 ? argv[1] : "configs/ssd/default.yaml";
        config.sets = {"precondition.fill=0", "geometry.blocks=64", "buffer.policy=none"};
        Memory memory("memory");
        Half a("a", memory, 0), b("b", memory, 0x10000);
        tlmssd::SsdAhci first("first", config), second("second", config);
        sc_core::sc_signal<bool> irq_a("irq_a"), irq_b("irq_b");
        a.driver.socket.bind(first.registers);
        b.driver.socket.bind(second.registers);
        first.memory.bind(memory.socket);
        second.memory.bind(memory.socket);
        first.interrupt(irq_a);
        second.interrupt(irq_b);
        a.driver.irq(irq_a);
        b.driver.irq(irq_b);
        Disk disk("disk", a, b);
        sc_core::sc_start();
        for (const tlmssd::SsdAhci* const ssd : {&first, &second}) {
            for (const std::string& failure : ssd->failures()) {
                std::fprintf(stderr, "error: %s\n", failure.c_str());
            }
        }
        const bool sound = first.failures().empty() && second.failures().empty();
        return disk.good && sound && disk.two < 0.6 * disk.one ? 0 : 3;
    } catch (const std::runtime_error& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 2;
    }
}
