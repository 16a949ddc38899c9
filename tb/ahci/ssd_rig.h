// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: machines with whole SSDs behind AHCI, for tests.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/common/hash.h"
#include "models/ssd/include/tlmssd/ssd_ahci.h"
#include "tb/ahci/machine.h"
#include "tb/sata/kernel.h"
#include "tb/support/devices.h"

namespace tlmssd::tb {

inline std::string tiny_ssd()
{
    return tiny_flash() + R"(host: {kind: sata, queue_depth: 32}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 0}
)";
}

/// A CPU, memory, and an SSD.
struct Machine {
    explicit Machine(const std::string& name, const std::vector<std::string>& sets = {})
        : ram((name + "_ram").c_str()), cpu((name + "_cpu").c_str()), irq((name + "_irq").c_str()),
          ssd((name + "_ssd").c_str(), SsdAhciConfig{"", tiny_ssd(), sets}), driver{cpu, ram}
    {
        cpu.socket.bind(ssd.registers);
        ssd.memory.bind(ram.socket);
        ssd.interrupt(irq);
        cpu.irq(irq);
    }
    Ram ram;
    Cpu cpu;
    sc_core::sc_signal<bool> irq;
    SsdAhci ssd;
    Driver driver;
};

inline void expect_done(const Machine& m)
{
    EXPECT_TRUE(m.cpu.ended) << "the driver waits for ever";
    EXPECT_THAT(m.ssd.failures(), testing::IsEmpty());
}

using Controller = std::vector<std::string>;

struct AhciSsd : testing::TestWithParam<Controller> {
    AhciSsd() { fresh_kernel(); }
    void run(const std::function<void(Driver&)>& program, Controller more = {})
    {
        const Controller& base = GetParam();
        more.insert(more.begin(), base.begin(), base.end());
        Machine m("m", more);
        m.cpu.program = [&](Cpu&) {
            program(m.driver);
            sc_core::sc_stop();
        };
        sc_core::sc_start();
        expect_done(m);
    }
};

inline u8 pattern(u64 seed, u64 i) { return static_cast<u8>(draw64(seed, 7, i / 8) >> (8 * (i % 8))); }

inline void fill(Ram& ram, u64 at, u32 bytes, u64 seed)
{
    for (u32 i = 0; i < bytes; ++i) {
        *ram.at(at + i) = pattern(seed, i);
    }
}

/// The first byte from `at` on that is not the pattern's; `bytes`: none.
inline u32 first_wrong(Ram& ram, u64 at, u32 bytes, u64 seed)
{
    u32 i = 0;
    while (i < bytes && *ram.at(at + i) == pattern(seed, i)) {
        ++i;
    }
    return i;
}

/// The flash controllers that a driver has to find alike.
inline std::vector<Controller> controllers()
{
    std::vector<Controller> all{{"controller.kind=tlm", "controller.mode=ooo", "scheduler=host"}};
#ifdef TLMSSD_HAVE_RTL
    all.push_back({"controller.kind=rtl", "controller.mode=ooo", "scheduler=host"});
#endif
    return all;
}

inline std::string controller_name(const testing::TestParamInfo<Controller>& it)
{
    return it.param[0].substr(sizeof("controller.kind=") - 1);
}

/// Queue `slots` commands, one a bit, and wait until SActive is empty.
inline void run_queue(Driver& d, u32 slots)
{
    d.cpu.write(reg::sact, slots);
    d.cpu.write(reg::ci, slots);
    u32 interrupts = 0;
    while (d.cpu.read(reg::sact) != 0 && d.cpu.interrupted()) {
        ++interrupts;
        const u32 why = d.cpu.read(reg::px_is);
        ASSERT_EQ(why & ~0x28u, 0u) << "SDBS and DPS; a release does not interrupt";
        d.cpu.write(reg::px_is, why);
        d.cpu.write(reg::is, 1);
    }
    EXPECT_GT(interrupts, 0u);
    EXPECT_EQ(d.cpu.read(reg::sact), 0u);
    EXPECT_EQ(d.cpu.read(reg::ci), 0u);
}

} // namespace tlmssd::tb
