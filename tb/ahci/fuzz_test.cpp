// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a driver that writes nonsense into registers, command lists, tables and PRDTs of a whole SSD behind AHCI:
// nothing breaks, and after each bout a reset brings a working device.
#include "tb/ahci/ssd_rig.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

struct AhciFuzz : KernelTest {
    u64 draws = 0;
    u64 draw(u64 below) { return draw_below(draw64(77, 1, draws++), below); }

    u64 address(const Driver& d)
    {
        switch (draw(8)) {
        case 0: return draw(1u << 31);           // not memory
        case 1: return kRam + kRamBytes - draw(64); // over its end
        default: return d.data + draw(1u << 20);
        }
    }
    std::vector<u8> fis(u32 slot)
    {
        static const u8 codes[] = {0x60, 0x61, 0x60, 0x61, 0x64, 0x25, 0x35, 0x3d,
                                   0xea, 0xe7, 0xec, 0xef, 0x2f, 0x47, 0x06};
        const u8 code = draw(10) == 0 ? static_cast<u8>(draw(256)) : codes[draw(sizeof codes)];
        const bool queued = code == 0x60 || code == 0x61 || code == 0x64;
        const u64 lba = draw(20) == 0 ? draw(u64{1} << 48) : draw(30000);
        const u32 sectors = static_cast<u32>(draw(4) == 0 ? draw(400) : 1 + draw(16));
        std::vector<u8> bytes = queued ? Driver::fis(code, lba, (draw(20) == 0 ? draw(32) : slot) << 3, sectors)
                                       : Driver::fis(code, lba, sectors, static_cast<u32>(draw(4)));
        if (draw(12) == 0) {
            bytes[draw(20)] = static_cast<u8>(draw(256));
        }
        return bytes;
    }
    void command(Driver& d, u32 slot)
    {
        std::vector<Piece> pieces;
        for (u64 left = draw(6); left != 0; --left) {
            pieces.push_back({address(d), static_cast<u32>(1 + draw(draw(4) == 0 ? 1u << 22 : 9000)), draw(9) == 0});
        }
        d.prepare(slot, fis(slot), pieces, draw(2));
        if (draw(30) == 0) {
            d.ram.put32(d.list + slot * 32 + 4 * draw(4), static_cast<u32>(draw(u64{1} << 32)));
        }
    }
    void bout(Driver& d)
    {
        for (u32 i = 0; i < 40; ++i) {
            const u32 slot = static_cast<u32>(draw(32));
            switch (draw(24)) {
            case 0: d.cpu.write(static_cast<u32>(draw(0x60)) * 4, static_cast<u32>(draw(u64{1} << 32))); break;
            case 1: d.cpu.write(reg::cmd, static_cast<u32>(draw(32))); break;
            case 2: d.cpu.write(reg::sctl, static_cast<u32>(draw(5))); break;
            case 3: d.stop(); d.start(); break;
            case 4: d.ram.bad_at = draw(3) == 0 ? kRam + draw(0x200000) : 0; break;
            case 5:
            case 6:
            case 7: d.cpu.pause(static_cast<double>(draw(3000))); break;
            case 8: d.cpu.write(reg::cmd, 0x17); break;
            default:
                command(d, slot);
                d.cpu.write(reg::sact, 1u << slot);
                d.cpu.write(reg::ci, 1u << slot);
                d.cpu.pause(static_cast<double>(draw(20)));
            }
        }
    }
};

TEST_F(AhciFuzz, NonsenseIsHealedByAReset)
{
    const u32 bouts = long_form() ? 20000 : 400;
    Machine m("m", {"scheduler=host", "controller.mode=ooo"});
    m.cpu.program = [&](Cpu&) {
        Driver& d = m.driver;
        for (u32 i = 0; i < bouts; ++i) {
            d.boot();
            bout(d);
            d.ram.bad_at = 0;
            d.cpu.write(reg::sctl, 0);
            d.boot();
            fill(d.ram, d.data, 8192, i);
            ASSERT_EQ(d.run(0, Driver::fis(0x35, i % 4000 * 16, 16), {{d.data, 8192}}, true), 0x50u) << "bout " << i;
            std::fill_n(d.ram.at(d.data), 8192, u8{0});
            ASSERT_EQ(d.run(1, Driver::fis(0x25, i % 4000 * 16, 16), {{d.data, 8192}}), 0x50u);
            ASSERT_EQ(first_wrong(d.ram, d.data, 8192, i), 8192u) << "bout " << i;
        }
    };
    m.cpu.program = [inner = m.cpu.program](Cpu& cpu) {
        inner(cpu);
        sc_core::sc_stop();
    };
    sc_core::sc_start();
    expect_done(m);
}

} // namespace
} // namespace tlmssd::tb
