// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's NCQ protocol, seen from a scripted host and a firmware that does nothing
// by itself.
#include "models/common/error.h"
#include "tb/sata/device_rig.h"

namespace tlmssd::sata {
namespace {

using testing::ElementsAre;

using DeviceProtocol = DeviceRig<false>;
using QueuedTrim = DeviceRig<true>;

TEST_F(DeviceProtocol, ReadIsReleaseSetupDataBits)
{
    dram.tags(8192 + 4096)[0] = UnitTag{10, 7};
    firmware.react = [this](const hal_host_command& c) {
        port.start_dma(dma(c.tag, true, 0, 8192, 8, 8, 77));
    };
    host.send(command(HAL_HOST_READ, 72, 8, 3));
    run();
    // The DRAM read (3 us) starts with the command's end; the data FIS waits for it.
    const u64 t0 = kRegister;
    const u64 data = t0 + kDramTime + kData4k;
    EXPECT_THAT(host.log, ElementsAre(at("register", t0 + kRegister),
                                      at("setup tag 3 read 0+4096", t0 + kRegister + kSetup),
                                      at("data 8 v7", data), at("ended 8", data + kBits)));
    EXPECT_THAT(firmware.done, ElementsAre("3:77@" + std::to_string(data)));
    ASSERT_EQ(firmware.commands.size(), 1u);
    EXPECT_EQ(firmware.commands[0].lba, 72u);
    EXPECT_THAT(dram.accesses, ElementsAre(DramAccess{8192 + 4096, 4096, false}));
}

TEST_F(DeviceProtocol, WriteIsSetupDataThenActivateForEachFurtherData)
{
    firmware.react = [this](const hal_host_command& c) {
        port.start_dma(dma(c.tag, false, 0, 16384, 0, 32, 5));
    };
    host.next_tag = UnitTag{4, 9};
    host.send(command(HAL_HOST_WRITE, 0, 32, 0));
    run();
    const u64 setup = 2 * kRegister + kSetup;
    const u64 activate = setup + kData8k + kActivate;
    const u64 data2 = activate + kData8k;
    EXPECT_THAT(host.log, ElementsAre(at("register", 2 * kRegister),
                                      at("setup tag 0 write 0+16384 auto", setup),
                                      at("activate", activate),
                                      at("ended 1", data2 + kDramTime + kBits)));
    EXPECT_THAT(firmware.done, ElementsAre("0:5@" + std::to_string(data2 + kDramTime)));
    EXPECT_EQ(dram.tags(16384)[0], (UnitTag{4, 9}));
    EXPECT_EQ(dram.tags(16384)[3], (UnitTag{5, 9})); // second unit of the second data FIS
    EXPECT_THAT(dram.accesses, ElementsAre(DramAccess{16384, 8192, true}, DramAccess{16384 + 8192, 8192, true}));
}

TEST_F(DeviceProtocol, TheNextDmaSetupWaitsForTheLastDataOfTheOneBefore)
{
    firmware.react = [this](const hal_host_command& c) {
        port.start_dma(dma(c.tag, true, 0, 0, 0, 16, c.tag));
    };
    host.send(command(HAL_HOST_READ, 0, 16, 0));
    host.send(command(HAL_HOST_READ, 16, 16, 1));
    run();
    // Device FISes go first: the second command's FIS follows release and setup of the first, its
    // release the FIS. Its DRAM read has ended long before the first data FIS has. The first
    // command's end and the second's setup are sent in that order.
    const u64 first = kRegister + kDramTime + kData8k;
    const u64 setup2 = first + kBits + kSetup;
    const u64 second = setup2 + kData8k;
    EXPECT_THAT(host.log,
                ElementsAre(at("register", 2 * kRegister),
                            at("setup tag 0 read 0+8192", 2 * kRegister + kSetup),
                            at("register", 4 * kRegister + kSetup), at("data 16 v0", first),
                            at("ended 1", first + kBits),
                            at("setup tag 1 read 0+8192", setup2), at("data 16 v0", second),
                            at("ended 2", second + kBits)));
}

TEST_F(DeviceProtocol, EndsThatWaitTogetherShareOneFis)
{
    for (u16 tag = 0; tag < 4; ++tag) {
        host.send(command(HAL_HOST_WRITE, tag * 8u, 8, tag));
    }
    firmware.react = [this](const hal_host_command& c) {
        if (c.tag == 3) { // the link is idle for the first, the others wait behind the release
            for (u32 tag = 0; tag < 4; ++tag) {
                port.complete(tag, HAL_HOST_OK);
            }
        }
    };
    run();
    ASSERT_EQ(host.log.size(), 5u); // four releases, one SDB: bits 0 to 3
    EXPECT_THAT(host.log[4], testing::StartsWith("ended 15 "));
}

TEST_F(DeviceProtocol, AnEndThatHasStartedIsNotChanged)
{
    host.send(command(HAL_HOST_WRITE, 0, 8, 0));
    host.send(command(HAL_HOST_WRITE, 8, 8, 1));
    // After both releases the link is idle; one ends, the other 100 ns later, inside the frame.
    struct Ending {
        DevicePort& port;
        u32 tag;
        static void run(void* self)
        {
            auto& e = *static_cast<Ending*>(self);
            e.port.complete(e.tag, HAL_HOST_OK);
        }
    } ends[2] = {{port, 0}, {port, 1}};
    time::Timer first(event_queue, time::Priority::Output, Ending::run, &ends[0]);
    time::Timer second(event_queue, time::Priority::Output, Ending::run, &ends[1]);
    first.arm(Picoseconds(10000000));
    second.arm(Picoseconds(10100000));
    run();
    ASSERT_EQ(host.log.size(), 4u);
    EXPECT_EQ(host.log[2], at("ended 1", 10000000 + kBits));
    EXPECT_EQ(host.log[3], at("ended 2", 10000000 + 2 * kBits));
}

TEST_F(DeviceProtocol, FlushEndsWithARegisterFis)
{
    host.send(command(HAL_HOST_FLUSH, 0, 0, 0));
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    run();
    EXPECT_THAT(host.log, ElementsAre(at("register", 2 * kRegister)));
    ASSERT_EQ(firmware.commands.size(), 1u);
    EXPECT_EQ(firmware.commands[0].opcode, HAL_HOST_FLUSH);
}

TEST_F(DeviceProtocol, TrimFetchesItsRange)
{
    host.trim = {0x40, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0}; // LBA 64, 48 sectors
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    host.send(command(HAL_HOST_TRIM, 0, 0, 0));
    run();
    const u64 data = kRegister + kActivate + kData512;
    EXPECT_THAT(host.log, ElementsAre(at("activate", kRegister + kActivate),
                                      at("register", data + kRegister)));
    ASSERT_EQ(firmware.commands.size(), 1u);
    EXPECT_EQ(firmware.commands[0].opcode, HAL_HOST_TRIM);
    EXPECT_EQ(firmware.commands[0].lba, 64u);
    EXPECT_EQ(firmware.commands[0].sectors, 48u);
}

TEST_F(DeviceProtocol, RefusesATagInUseAndAFlushBesideOpenCommands)
{
    host.send(command(HAL_HOST_READ, 0, 8, 1));
    host.send(command(HAL_HOST_READ, 8, 8, 1));
    host.send(command(HAL_HOST_FLUSH, 0, 0, 0));
    run();
    ASSERT_EQ(host.log.size(), 3u);
    EXPECT_THAT(host.log[0], testing::StartsWith("register @"));
    EXPECT_THAT(host.log[1], testing::StartsWith("register error"));
    EXPECT_THAT(host.log[2], testing::StartsWith("register error"));
    EXPECT_EQ(firmware.commands.size(), 1u);
}

TEST_F(DeviceProtocol, RefusesATagBeyondTheQueue)
{
    host.send(command(HAL_HOST_READ, 0, 8, 32));
    run();
    ASSERT_EQ(host.log.size(), 1u);
    EXPECT_THAT(host.log[0], testing::StartsWith("register error"));
    EXPECT_TRUE(firmware.commands.empty());
}

TEST_F(DeviceProtocol, AFailedCommandEndsNoTag)
{
    host.send(command(HAL_HOST_READ, 0, 8, 2));
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_ERROR); };
    run();
    ASSERT_EQ(host.log.size(), 2u);
    EXPECT_THAT(host.log[1], testing::StartsWith("failed 0 "));
}

TEST_F(DeviceProtocol, FirmwareMayNotMoveDataThatNoCommandAskedFor)
{
    EXPECT_THROW(port.start_dma(dma(0, true, 0, 0, 0, 8, 0)), ModelError); // no such command
    host.send(command(HAL_HOST_READ, 0, 8, 0));
    run();
    EXPECT_THROW(port.start_dma(dma(0, false, 0, 0, 0, 8, 0)), ModelError); // wrong direction
    EXPECT_THROW(port.start_dma(dma(0, true, 4, 0, 4, 8, 0)), ModelError);  // beyond its end
    EXPECT_THROW(port.start_dma(dma(0, true, 0, 0, 1, 7, 0)), ModelError);  // units shifted
    EXPECT_THROW(port.complete(5, HAL_HOST_OK), ModelError);
}

const std::vector<u8> kLba64Sectors48 = {0x40, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0};

TEST_F(DeviceProtocol, RefusesAQueuedTrimUnlessItHasThem)
{
    host.send(command(HAL_HOST_TRIM, 0, 0, 5), true);
    run();
    EXPECT_THAT(host.log, ElementsAre(at("register error", 2 * kRegister)));
    EXPECT_TRUE(firmware.commands.empty());
}

TEST_F(QueuedTrim, IsReleaseSetupDataBits)
{
    host.trim = kLba64Sectors48;
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    host.send(command(HAL_HOST_TRIM, 0, 0, 5), true);
    run();
    const u64 setup = 2 * kRegister + kSetup;
    EXPECT_THAT(host.log, ElementsAre(at("register", 2 * kRegister),
                                      at("setup tag 5 write 0+512 auto", setup),
                                      at("ended 32", setup + kData512 + kBits)));
    ASSERT_EQ(firmware.commands.size(), 1u);
    EXPECT_EQ(firmware.commands[0].opcode, HAL_HOST_TRIM);
    EXPECT_EQ(firmware.commands[0].tag, 5u);
    EXPECT_EQ(firmware.commands[0].lba, 64u);
    EXPECT_EQ(firmware.commands[0].sectors, 48u);
    EXPECT_TRUE(dram.accesses.empty()); // the block stays in the port
}

TEST_F(QueuedTrim, CommandsBehindItReachTheFirmwareBehindIt)
{
    host.trim = kLba64Sectors48;
    std::vector<std::string> given;
    firmware.react = [&](const hal_host_command& c) {
        given.push_back(at(std::to_string(c.tag), event_queue.now().value()));
        if (c.opcode == HAL_HOST_TRIM) {
            port.complete(c.tag, HAL_HOST_OK);
        } else if (c.opcode == HAL_HOST_WRITE) {
            port.start_dma(dma(c.tag, false, 0, 0, 0, 16, c.tag));
        } else {
            port.start_dma(dma(c.tag, true, 0, 8192, 0, 8, c.tag));
        }
    };
    host.send(command(HAL_HOST_WRITE, 64, 16, 0));
    host.send(command(HAL_HOST_TRIM, 0, 0, 1), true);
    host.send(command(HAL_HOST_READ, 64, 8, 2));
    run();
    // The write's data wait for the three commands; its DMA owns the data phase, so the range's
    // setup follows its data. The read is released at once but given to the firmware with the range
    // only; its DRAM read then waits for the DRAM write (3 us), and takes 3 us.
    const u64 written = 6 * kRegister + kSetup + kData8k;
    const u64 range = written + kSetup + kData512;
    const u64 read = written + 2 * kDramTime + kData4k;
    EXPECT_THAT(given, ElementsAre(at("0", kRegister), at("1", range), at("2", range)));
    EXPECT_THAT(host.log,
                ElementsAre(at("register", 2 * kRegister),
                            at("setup tag 0 write 0+8192 auto", 2 * kRegister + kSetup),
                            at("register", 4 * kRegister + kSetup),
                            at("register", 6 * kRegister + kSetup),
                            at("setup tag 1 write 0+512 auto", written + kSetup),
                            at("ended 2", range + kBits),
                            at("setup tag 2 read 0+4096", range + kBits + kSetup),
                            at("ended 1", written + kDramTime + kBits), at("data 8 v0", read),
                            at("ended 4", read + kBits)));
}

TEST_F(QueuedTrim, ItsRangeGoesBeforeDataThatWait)
{
    host.trim = kLba64Sectors48;
    firmware.react = [this](const hal_host_command& c) {
        if (c.opcode == HAL_HOST_TRIM) {
            port.complete(c.tag, HAL_HOST_OK);
        } else {
            port.start_dma(dma(c.tag, true, 0, 0, 0, 16, c.tag));
        }
    };
    host.send(command(HAL_HOST_READ, 0, 16, 0));
    host.send(command(HAL_HOST_READ, 16, 16, 1));
    host.send(command(HAL_HOST_TRIM, 0, 0, 2), true);
    run();
    // As in TheNextDmaSetupWaitsForTheLastDataOfTheOneBefore, with the range between the reads.
    const u64 first = kRegister + kDramTime + kData8k;
    const u64 range = first + kBits + kSetup + kData512;
    const u64 second = range + kSetup + kBits + kData8k;
    EXPECT_THAT(host.log,
                ElementsAre(at("register", 2 * kRegister),
                            at("setup tag 0 read 0+8192", 2 * kRegister + kSetup),
                            at("register", 4 * kRegister + kSetup),
                            at("register", 6 * kRegister + kSetup), at("data 16 v0", first),
                            at("ended 1", first + kBits),
                            at("setup tag 2 write 0+512 auto", first + kBits + kSetup),
                            at("setup tag 1 read 0+8192", range + kSetup),
                            at("ended 4", range + kSetup + kBits), at("data 16 v0", second),
                            at("ended 2", second + kBits)));
}

TEST_F(QueuedTrim, TwoInARowKeepTheirOrderAndThatOfWhatIsBetween)
{
    host.trim = kLba64Sectors48;
    std::vector<u32> given;
    firmware.react = [&](const hal_host_command& c) {
        given.push_back(c.tag);
        port.complete(c.tag, HAL_HOST_OK);
    };
    host.send(command(HAL_HOST_TRIM, 0, 0, 9), true);
    host.send(command(HAL_HOST_WRITE, 64, 8, 4));
    host.send(command(HAL_HOST_TRIM, 0, 0, 7), true);
    host.send(command(HAL_HOST_READ, 64, 8, 2));
    run();
    EXPECT_THAT(given, ElementsAre(9, 4, 7, 2));
}

TEST_F(QueuedTrim, WithoutARangeItFailsAndWhatIsBehindItIsAborted)
{
    host.trim = std::vector<u8>(16); // no entry
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    host.send(command(HAL_HOST_TRIM, 0, 0, 3), true);
    host.send(command(HAL_HOST_READ, 0, 8, 4));
    run();
    // Both releases, one setup between them; the READ never reaches the firmware.
    const u64 range = 4 * kRegister + kSetup + kData512;
    EXPECT_THAT(host.log, ElementsAre(at("register", 2 * kRegister),
                                      at("setup tag 3 write 0+512 auto", 2 * kRegister + kSetup),
                                      at("register", 4 * kRegister + kSetup),
                                      at("failed 0", range + kBits)));
    EXPECT_TRUE(firmware.commands.empty());
    EXPECT_EQ(port.open(), 0u);
}

TEST_F(QueuedTrim, FailsInTheFirmwareLikeAnyQueuedCommand)
{
    host.trim = kLba64Sectors48;
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_ERROR); };
    host.send(command(HAL_HOST_TRIM, 0, 0, 0), true);
    run();
    ASSERT_EQ(host.log.size(), 3u);
    EXPECT_THAT(host.log[2], testing::StartsWith("failed 0 "));
}

TEST_F(QueuedTrim, NeedsAFreeTagAndBlocksWhatIsNotQueued)
{
    host.trim = kLba64Sectors48;
    host.send(command(HAL_HOST_TRIM, 0, 0, 1), true);
    host.send(command(HAL_HOST_TRIM, 0, 0, 1), true);
    host.send(command(HAL_HOST_TRIM, 0, 0, 0)); // 06h
    host.send(command(HAL_HOST_FLUSH, 0, 0, 0));
    run();
    ASSERT_EQ(host.log.size(), 5u); // release, setup, three refusals
    for (u32 i = 2; i < 5; ++i) {
        EXPECT_THAT(host.log[i], testing::StartsWith("register error"));
    }
    EXPECT_TRUE(firmware.commands.empty()); // the second one has aborted the first
}

TEST_F(QueuedTrim, TheOtherKindStillWorksAlone)
{
    host.trim = kLba64Sectors48;
    firmware.react = [this](const hal_host_command& c) { port.complete(c.tag, HAL_HOST_OK); };
    host.send(command(HAL_HOST_TRIM, 0, 0, 0));
    run();
    EXPECT_THAT(host.log, ElementsAre(at("activate", kRegister + kActivate),
                                      at("register", 2 * kRegister + kActivate + kData512)));
}

} // namespace
} // namespace tlmssd::sata
