// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: commands that are not queued, and those that the port answers itself.
#include "tb/sata/device_rig.h"

namespace tlmssd::sata {
namespace {

using testing::ElementsAre;
using Commands = DeviceRig<false>;

constexpr u64 kPio = 188125; // 5 + 23 dwords, as a register FIS

RegisterH2D own(u8 code, u16 features = 0, u16 count = 0, u64 lba = 0)
{
    RegisterH2D fis;
    fis.command = code;
    fis.features = features;
    fis.count = count;
    fis.lba = lba;
    fis.device = ata::kDeviceLba;
    return fis;
}
RegisterH2D plain(const hal_host_command& c) { return encode_command(c, {false, false}); }
u32 word(const Block& block, u32 number) { return block[number * 2] | u32{block[number * 2 + 1]} << 8; }

TEST_F(Commands, ReadDmaExtIsDataAndARegisterFis)
{
    firmware.react = [this](const hal_host_command& c) {
        EXPECT_EQ(c.tag, 0u);
        port.start_dma(dma(0, true, 0, 0, 0, 16, 0));
    };
    host.send(plain(command(HAL_HOST_READ, 16, 16, 0)));
    run();
    const u64 data = kRegister + kDramTime + kData8k;
    EXPECT_THAT(host.log, ElementsAre(at("data 16 v0", data), at("register", data + kRegister)));
    EXPECT_EQ(port.open(), 0u);
}

TEST_F(Commands, WriteDmaExtActivatesEachDataFis)
{
    firmware.react = [this](const hal_host_command& c) {
        EXPECT_EQ(c.flags, HAL_HOST_FUA);
        port.start_dma(dma(0, false, 0, 0, 0, 32, 0));
    };
    host.send(plain([] {
        hal_host_command c = command(HAL_HOST_WRITE, 0, 32, 0);
        c.flags = HAL_HOST_FUA;
        return c;
    }()));
    run();
    const u64 one = kActivate + kData8k;
    EXPECT_THAT(host.log, ElementsAre(at("activate", kRegister + kActivate),
                                      at("activate", kRegister + one + kActivate),
                                      at("register", 2 * kRegister + 2 * one + kDramTime)));
}

TEST_F(Commands, FlushCacheIsFlushCacheExt)
{
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    host.send(own(ata::kFlushCache));
    run();
    EXPECT_THAT(host.log, ElementsAre(at("register", 2 * kRegister)));
    ASSERT_EQ(firmware.commands.size(), 1u);
    EXPECT_EQ(firmware.commands[0].opcode, HAL_HOST_FLUSH);
}

TEST_F(Commands, StandbyImmediateWritesTheCacheOut)
{
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    host.send(own(ata::kStandbyImmediate));
    run();
    EXPECT_THAT(host.log, ElementsAre(at("register", 2 * kRegister)));
    ASSERT_EQ(firmware.commands.size(), 1u);
    EXPECT_EQ(firmware.commands[0].opcode, HAL_HOST_FLUSH);
}

TEST_F(Commands, IdentifyDeviceIsPioSetupAndABlock)
{
    host.send(own(ata::kIdentifyDevice));
    run();
    EXPECT_THAT(host.log, ElementsAre(at("pio 512", kRegister + kPio),
                                      at("block", kRegister + kPio + kData512)));
    ASSERT_EQ(host.blocks.size(), 1u);
    Block expected;
    make_identity(facts(false), DeviceSettings(), expected);
    EXPECT_EQ(host.blocks[0], expected);
    EXPECT_TRUE(firmware.commands.empty());
}

TEST_F(Commands, SetFeaturesShowInTheIdentity)
{
    host.send(own(ata::kSetFeatures, ata::kSetWriteCacheOff));
    run();
    host.send(own(ata::kSetFeatures, ata::kSetReadAheadOff));
    run();
    host.send(own(ata::kSetFeatures, ata::kSetSataOff, ata::kSataAutoActivate));
    run();
    host.send(own(ata::kSetFeatures, ata::kSetTransferMode, 0x46));
    run();
    host.send(own(ata::kIdentifyDevice));
    run();
    ASSERT_EQ(host.log.size(), 6u);
    for (u32 i = 0; i < 4; ++i) {
        EXPECT_THAT(host.log[i], testing::StartsWith("register @"));
    }
    EXPECT_EQ(word(host.blocks[0], 85), 0u);
    EXPECT_EQ(word(host.blocks[0], 79), 2u); // offsets only
    host.send(own(ata::kSetFeatures, ata::kSetWriteCacheOn));
    run();
    host.send(own(ata::kIdentifyDevice));
    run();
    EXPECT_EQ(word(host.blocks[1], 85), 0x20u);
}

TEST_F(Commands, WithoutWriteCacheWritesAreFuaAndWithoutAutoActivateTheyAreActivated)
{
    host.send(own(ata::kSetFeatures, ata::kSetWriteCacheOff));
    run();
    host.send(own(ata::kSetFeatures, ata::kSetSataOff, ata::kSataAutoActivate));
    run();
    host.log.clear();
    firmware.react = [this](const hal_host_command& c) {
        EXPECT_EQ(c.flags, HAL_HOST_FUA);
        port.start_dma(dma(c.tag, false, 0, 0, 0, 16, 0));
    };
    host.send(command(HAL_HOST_WRITE, 0, 16, 2));
    run();
    ASSERT_EQ(host.log.size(), 4u);
    EXPECT_THAT(host.log[1], testing::StartsWith("setup tag 2 write 0+8192 @"));
    EXPECT_THAT(host.log[2], testing::StartsWith("activate @"));
    EXPECT_THAT(host.log[3], testing::StartsWith("ended 4 @"));
}

TEST_F(Commands, FeaturesItDoesNotHaveAreRefused)
{
    for (const RegisterH2D& fis :
         {own(ata::kSetFeatures, 0x05), own(ata::kSetFeatures, ata::kSetTransferMode, 0x47),
          own(ata::kSetFeatures, ata::kSetSataOff, ata::kSataOffsets), // the firmware needs them
          own(ata::kSetFeatures, ata::kSetSataOn, 0x03)}) {
        host.send(fis);
        run();
    }
    ASSERT_EQ(host.log.size(), 4u);
    for (const std::string& answer : host.log) {
        EXPECT_THAT(answer, testing::StartsWith("register error @"));
    }
}

TEST_F(Commands, LogsAreReadPageByPage)
{
    host.send(own(ata::kReadLogExt, 0, 2, kLogStatistics)); // pages 0 and 1
    run();
    EXPECT_THAT(host.log, ElementsAre(at("pio 512", kRegister + kPio),
                                      at("block", kRegister + kPio + kData512),
                                      at("pio 512", kRegister + 2 * kPio + kData512),
                                      at("block", kRegister + 2 * kPio + 2 * kData512)));
    host.log.clear();
    host.send(own(ata::kReadLogDmaExt, 0, 1, 7u << 8 | kLogStatistics));
    run();
    ASSERT_EQ(host.log.size(), 2u); // no PIO setup; the end is a register FIS
    EXPECT_THAT(host.log[0], testing::StartsWith("block"));
    EXPECT_THAT(host.log[1], testing::StartsWith("register @"));
    ASSERT_EQ(host.blocks.size(), 3u);
    EXPECT_EQ(host.blocks[0][2], 0);
    EXPECT_EQ(host.blocks[1][2], 1);
    EXPECT_EQ(host.blocks[2][2], 7);
}

TEST_F(Commands, StatisticsCountCommandsAndSectors)
{
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    host.send(command(HAL_HOST_WRITE, 0, 300, 0));
    host.send(command(HAL_HOST_READ, 0, 8, 1));
    host.send(command(HAL_HOST_READ, 0, 8, 2));
    run();
    host.send(own(ata::kReadLogExt, 0, 1, 1u << 8 | kLogStatistics));
    run();
    ASSERT_EQ(host.blocks.size(), 1u);
    const Block& b = host.blocks[0];
    EXPECT_EQ(b[24] | b[25] << 8, 300);
    EXPECT_EQ(b[32], 1);
    EXPECT_EQ(b[40], 16);
    EXPECT_EQ(b[48], 2);
}

TEST_F(Commands, LogsItDoesNotHaveAndPagesBehindTheEndAreRefused)
{
    for (const RegisterH2D& fis :
         {own(ata::kReadLogExt, 0, 1, 0x11), own(ata::kReadLogExt, 0, 0, kLogStatistics),
          own(ata::kReadLogExt, 0, 2, kLogDirectory), own(ata::kReadLogExt, 0, 2, 7u << 8 | 4),
          own(ata::kReadLogExt, 0, 1, u64{1} << 32 | 4), own(0xc4), own(0x00)}) {
        host.send(fis);
        run();
    }
    ASSERT_EQ(host.log.size(), 7u);
    for (const std::string& answer : host.log) {
        EXPECT_THAT(answer, testing::StartsWith("register error @"));
    }
}

TEST_F(Commands, AddressesBehindTheEndAreNotFound)
{
    // 100,000 sectors; IDNF is 10h.
    host.send(plain(command(HAL_HOST_READ, 99999, 2, 0)));
    run();
    host.send(plain(command(HAL_HOST_WRITE, 0xffffffffffffull, 1, 0)));
    run();
    EXPECT_THAT(host.log[0], testing::StartsWith("register error 16 @"));
    EXPECT_THAT(host.log[1], testing::StartsWith("register error 16 @"));
    EXPECT_TRUE(firmware.commands.empty());
    host.send(plain(command(HAL_HOST_READ, 99999, 1, 0)));
    run();
    EXPECT_EQ(firmware.commands.size(), 1u);
}

TEST_F(Commands, AnUnreadableSectorIsUncorrectable)
{
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_ERROR); };
    host.send(plain(command(HAL_HOST_READ, 0, 8, 0)));
    run();
    EXPECT_THAT(host.log, ElementsAre(at("register error 64", 2 * kRegister))); // UNC: 40h
    host.send(plain(command(HAL_HOST_WRITE, 0, 8, 0)));
    run();
    EXPECT_THAT(host.log[1], testing::StartsWith("register error @")); // ABRT
}

TEST_F(Commands, TrimOfMoreThanOneBlockIsRefused)
{
    RegisterH2D fis = plain(command(HAL_HOST_TRIM, 0, 0, 0));
    fis.count = 2;
    host.send(fis);
    run();
    fis.count = 0;
    host.send(fis);
    run();
    EXPECT_THAT(host.log, testing::Each(testing::StartsWith("register error @")));
    EXPECT_EQ(host.log.size(), 2u);
}

} // namespace
} // namespace tlmssd::sata
