// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host adapter alone, as a PCI function sees it: its observer, its interrupt messages, its reset.
#include "tb/ahci/hba_rig.h"

namespace tlmssd::tb {
namespace {

/// What the adapter reports of commands.
struct Heard final : ahci::CommandObserverIf {
    std::vector<std::string> log;
    void on_issued(u32 slot, const sata::RegisterH2D& fis, Picoseconds) override
    {
        log.push_back("issued " + std::to_string(slot) + " " + std::to_string(fis.command));
    }
    void on_ended(u32 slot, End end) override
    {
        const char* const kWords[] = {"good", "error", "given up"};
        log.push_back(std::string(kWords[static_cast<u32>(end)]) + " " + std::to_string(slot));
    }
};

TEST_F(AhciHbaTest, AnObserverHearsOfEachCommandOnce)
{
    Heard heard;
    hba.observe(heard);
    run([&] {
        queue(7, 0x60, 0, {});
        device.send(bits(0x40, 0, 1u << 7));
        cpu.pause(5);
        d.prepare(3, Driver::fis(0xe7, 0, 0), {}, false);
        cpu.write(reg::ci, 1u << 3);
        cpu.pause(5);
        device.send({0x34, 0x40, 0x51, 0x04, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}); // ABRT
        cpu.pause(5);
        d.stop();
        d.clear();
        d.start();
        queue(2, 0x61, 0, {});
        d.stop();
        EXPECT_THAT(heard.log, testing::ElementsAre("issued 7 96", "good 7", "issued 3 231", "error 3", "issued 2 97",
                                                    "given up 2"));
    });
}

TEST_F(AhciHbaTest, AMessageComesAgainWhereACauseStandsAfterIsIsCleared)
{
    run([&] {
        u32 messages = 0;
        const auto count = [&] {
            while (true) {
                sc_core::wait(sc_core::sc_time(5, sc_core::SC_US), hba.message);
                if (!hba.message.triggered()) {
                    return messages;
                }
                ++messages;
            }
        };
        queue(1, 0x60, 0, {});
        device.send(bits(0x40, 0, 1u << 1));
        EXPECT_EQ(count(), 1u);
        cpu.write(reg::is, 1); // PxIS stands
        EXPECT_EQ(count(), 2u);
        cpu.write(reg::px_is, 0xffffffff);
        cpu.write(reg::is, 1);
        EXPECT_EQ(count(), 2u);
    });
}

TEST_F(AhciHbaTest, APowerOnResetForgetsTheBasesToo)
{
    run([&] {
        hba.power_on_reset();
        EXPECT_EQ(cpu.read(reg::clb), 0u);
        EXPECT_EQ(cpu.read(reg::fb), 0u);
        EXPECT_EQ(cpu.read(reg::ghc), 0x80000000u);
        EXPECT_EQ(cpu.read(reg::ssts), 0u);
    });
}

} // namespace
} // namespace tlmssd::tb
