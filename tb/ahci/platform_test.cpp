// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SsdAhci as a part of a platform: several, other clocks, refused configurations, the base protocol.
#include <stdexcept>

#include "tb/ahci/ssd_rig.h"

namespace tlmssd::tb {
namespace {

using testing::HasSubstr;

struct AhciPlatform : KernelTest {};

TEST_F(AhciPlatform, TwoSsdsDoNotSeeEachOther)
{
    const std::vector<std::string> sets[2] = {{"seed=1"}, {"seed=2", "sata.gbps=3"}};
    Machine a("a", sets[0]);
    Machine b("b", sets[1]);
    u32 running = 2;
    const auto program = [&](Machine& m, u64 seed) {
        m.cpu.program = [&, seed](Cpu&) {
            m.driver.boot();
            for (u32 i = 0; i < 8; ++i) {
                fill(m.ram, m.driver.data, 16384, seed + i);
                m.driver.run(i, Driver::fis(0x35, i * 100, 32), {{m.driver.data, 16384}}, true);
            }
            for (u32 i = 0; i < 8; ++i) {
                m.driver.run(i, Driver::fis(0x25, i * 100, 32), {{m.driver.data, 16384}});
                EXPECT_EQ(first_wrong(m.ram, m.driver.data, 16384, seed + i), 16384u);
            }
            if (--running == 0) {
                sc_core::sc_stop();
            }
        };
    };
    program(a, 1000);
    program(b, 2000);
    sc_core::sc_start();
    expect_done(a);
    expect_done(b);
}

TEST_F(AhciPlatform, TheSameTimesWithAForeignClockAndBothTimerBackEnds)
{
    sc_core::sc_time ends[3];
    for (u32 i = 0; i < 3; ++i) {
        fresh_kernel();
        Machine m("m", {i == 1 ? "time.backend=kernel" : "time.backend=queue"});
        std::unique_ptr<sc_core::sc_clock> clock;
        if (i == 2) {
            clock = std::make_unique<sc_core::sc_clock>("clock", 7, sc_core::SC_NS);
        }
        m.cpu.program = [&](Cpu& cpu) {
            m.driver.boot();
            fill(m.ram, m.driver.data, 16384, 1);
            m.driver.run(0, Driver::fis(0x35, 0, 32), {{m.driver.data, 16384}}, true);
            m.driver.run(0, Driver::fis(0x25, 0, 32), {{m.driver.data, 16384}});
            ends[i] = sc_core::sc_time_stamp();
            static_cast<void>(cpu);
            sc_core::sc_stop();
        };
        sc_core::sc_start();
        expect_done(m);
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], ends[2]);
}

std::string error_of(const std::vector<std::string>& sets)
{
    try {
        SsdAhci ssd("ssd", SsdAhciConfig{"", tiny_ssd(), sets});
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

TEST_F(AhciPlatform, WhatAhciCannotCarryIsRefused)
{
    EXPECT_THAT(error_of({"host.kind=direct"}), HasSubstr("host.kind has to be sata"));
    EXPECT_THAT(error_of({"sata.extended_tags=true", "host.queue_depth=64"}), HasSubstr("32 command slots"));
    EXPECT_THAT(error_of({"data=tags"}), HasSubstr("data has to be full"));
    EXPECT_THAT(error_of({"no.such=key"}), HasSubstr("no"));
}

TEST_F(AhciPlatform, RegistersAreABaseProtocolTarget)
{
    Machine m("m");
    m.cpu.program = [&](Cpu& cpu) {
        u64 both = 0;
        EXPECT_EQ(cpu.access(false, 0x0c, &both, 8), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(both, 0x00010301'00000001u) << "PI and VS in one";
        u16 half = 0x5555;
        EXPECT_EQ(cpu.access(true, 0x106, &half, 2), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(cpu.read(0x104), 0x55550000u);
        EXPECT_EQ(cpu.access(false, 0x180, &both, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(cpu.access(false, 0x17c, &both, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);

        tlm::tlm_generic_payload p;
        u32 value = 0;
        u8 enables[4] = {0, 0xff, 0, 0};
        p.set_read();
        p.set_address(0x10);
        p.set_data_ptr(reinterpret_cast<u8*>(&value));
        p.set_data_length(4);
        p.set_streaming_width(4);
        p.set_byte_enable_ptr(enables);
        p.set_byte_enable_length(4);
        sc_core::sc_time delay(30, sc_core::SC_NS);
        const sc_core::sc_time before = sc_core::sc_time_stamp();
        cpu.socket->b_transport(p, delay);
        EXPECT_EQ(value, 0x0300u);
        EXPECT_EQ(sc_core::sc_time_stamp() + delay - before, sc_core::sc_time(30, sc_core::SC_NS));

        p.set_byte_enable_ptr(nullptr);
        p.set_streaming_width(2);
        p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        cpu.socket->b_transport(p, delay);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);

        p.set_streaming_width(4);
        value = 0;
        EXPECT_EQ(cpu.socket->transport_dbg(p), 4u);
        EXPECT_EQ(value, 0x00010301u);
        p.set_write();
        EXPECT_EQ(cpu.socket->transport_dbg(p), 0u) << "writes act: not for a debugger";

        p.set_read();
        p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        value = 0;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time zero;
        const tlm::tlm_sync_enum answer = cpu.socket->nb_transport_fw(p, phase, zero);
        EXPECT_NE(answer, tlm::TLM_COMPLETED);
        cpu.pause(1);
        EXPECT_EQ(value, 0x00010301u) << "four-phase initiators too";
        EXPECT_EQ(cpu.responses, 1u);
        sc_core::sc_stop();
    };
    sc_core::sc_start();
    expect_done(m);
}

} // namespace
} // namespace tlmssd::tb
