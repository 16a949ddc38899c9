// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a PCI function for QEMU, message by message; the test is QEMU's device.
#include "models/guest/proxy_pci.h"

#include "models/common/error.h"
#include "models/common/hash.h"
#include "tb/guest/fake_proxy.h"

namespace tlmssd::tb {
namespace {

class ProxyPciTest : public testing::Test {
protected:
    ProxyPciTest() : device(mapped, port, std::move(pair.device), 50), proxy(pair.guest) {}

    /// The answer to a message.
    u64 ask(u32 command, const std::vector<u8>& data)
    {
        proxy.send(command, data);
        EXPECT_TRUE(device.serve());
        return proxy.answer();
    }
    /// The words of the error that a message causes.
    std::string error_of(u32 command, const std::vector<u8>& data, std::vector<int> fds = {})
    {
        proxy.send(command, data, std::move(fds));
        return error();
    }
    std::string error()
    {
        try {
            device.serve();
        } catch (const ModelError& e) {
            return e.what();
        }
        return "none";
    }

    Pair pair;
    FakeMemory memory;
    guest::GuestMemory mapped;
    FakePort port;
    guest::ProxyPci device;
    FakeProxy proxy;
};

TEST_F(ProxyPciTest, ConfigurationSpaceIsReadAndWrittenByItsLength)
{
    EXPECT_EQ(ask(FakeProxy::kConfigWrite, config_access(0x10, 0xa1b2c3d4, 4)), 0u);
    EXPECT_EQ(ask(FakeProxy::kConfigWrite, config_access(0x04, 0xffff0006, 2)), 0u);
    EXPECT_EQ(ask(FakeProxy::kConfigRead, config_access(0x10, 0, 4)), 0xa1b2c3d4u);
    EXPECT_EQ(ask(FakeProxy::kConfigRead, config_access(0x11, 0, 1)), 0xc3u);
    EXPECT_EQ(ask(FakeProxy::kConfigRead, config_access(0x04, 0, 4)), 0x0006u) << "two bytes were written";
    EXPECT_EQ(device.accesses(), 5u);
}

TEST_F(ProxyPciTest, OutsideOfItsConfigurationSpaceReadsGiveOnes)
{
    EXPECT_EQ(ask(FakeProxy::kConfigRead, config_access(0x100, 0, 4)), 0xffff'ffffu);
    EXPECT_EQ(ask(FakeProxy::kConfigRead, config_access(0xff, 0, 2)), 0xffffu) << "one byte of it is outside";
    EXPECT_EQ(ask(FakeProxy::kConfigRead, config_access(0xffff'ffff, 0, 1)), 0xffu);
    EXPECT_EQ(ask(FakeProxy::kConfigWrite, config_access(0xffff'fffe, 1, 4)), 0u);
    EXPECT_EQ(port.reads + port.writes, 0u);
}

TEST_F(ProxyPciTest, BarsAreAccessedByMemoryAddress)
{
    EXPECT_EQ(ask(FakeProxy::kBarWrite, bar_access(0xfebd1000, 0x1122334455667788, 8)), 0u);
    EXPECT_EQ(ask(FakeProxy::kBarRead, bar_access(0xfebd1004, 0, 4)), 0x11223344u);
    EXPECT_EQ(ask(FakeProxy::kBarRead, bar_access(0xfebd1001, 0, 1)), 0x77u);
    EXPECT_EQ(ask(FakeProxy::kBarRead, bar_access(0xfebd1000, 0, 8)), 0x1122334455667788u);
    EXPECT_EQ(ask(FakeProxy::kBarRead, bar_access(0xc000, 0, 2, false)), 0xffffu) << "I/O space has no BAR";
    EXPECT_EQ(ask(FakeProxy::kBarWrite, bar_access(0xc000, 5, 2, false)), 0u);
    EXPECT_EQ(port.writes, 1u);
}

TEST_F(ProxyPciTest, AMemoryMapReplacesTheOneBefore)
{
    // Two regions: pages 0 and 2 of the file, at 0 and at 1 MiB.
    proxy.send(FakeProxy::kMemoryMap, memory_map({{0, 0x1000, 0}, {0x100000, 0x2000, 0x2000}}),
               {memory.file.get(), memory.file.get()});
    ASSERT_TRUE(device.serve());
    ASSERT_NE(mapped.at(0x101fff, 1), nullptr);
    EXPECT_EQ(mapped.at(0x1000, 1), nullptr);
    EXPECT_EQ(mapped.at(0x102000, 1), nullptr);
    *mapped.at(0x100010, 1) = 77;
    u8 byte = 0;
    EXPECT_EQ(pread(memory.file.get(), &byte, 1, 0x2010), 1);
    EXPECT_EQ(byte, 77u);
    proxy.send(FakeProxy::kMemoryMap, memory_map({{0x4000, 0x1000, 0}}), {memory.file.get()});
    ASSERT_TRUE(device.serve());
    EXPECT_EQ(mapped.at(0x100010, 1), nullptr);
    EXPECT_NE(mapped.at(0x4000, 0x1000), nullptr);
    EXPECT_EQ(device.accesses(), 0u);
}

TEST_F(ProxyPciTest, AResetIsAnsweredWithoutAValueAndInterruptFilesNotAtAll)
{
    proxy.send(FakeProxy::kReset, {});
    ASSERT_TRUE(device.serve());
    EXPECT_EQ(port.resets, 1u);
    EXPECT_EQ(proxy.answer_bytes(), 0u);
    proxy.send(FakeProxy::kInterruptFiles, {}, {memory.file.get(), memory.file.get()});
    ASSERT_TRUE(device.serve());
    EXPECT_FALSE(proxy.has_answer());
}

TEST_F(ProxyPciTest, MessagesThatAreNoneOfTheProtocolAreNamed)
{
    EXPECT_EQ(error_of(8, {}), "guest: QEMU's command 8 is not known here");
    EXPECT_EQ(error_of(1, std::vector<u8>(8)), "guest: QEMU's command 1 is not known here") << "answers are ours";
}

TEST_F(ProxyPciTest, MessagesOfAnotherSizeAreNamed)
{
    EXPECT_EQ(error_of(FakeProxy::kBarRead, std::vector<u8>(23)),
              "guest: QEMU's message BAR_READ has 23 bytes, not 24");
}

TEST_F(ProxyPciTest, ASizeBeyondAllMemoryIsNotAllocated)
{
    proxy.send_header(FakeProxy::kConfigRead, ~u64{0});
    EXPECT_EQ(error(), "guest: QEMU's message PCI_CFGREAD has 18446744073709551615 bytes, not 12");
}

TEST_F(ProxyPciTest, AccessesOfImpossibleSizesAreNamed)
{
    EXPECT_EQ(error_of(FakeProxy::kConfigRead, config_access(0, 0, 0xffff'ffff)),
              "guest: an access of -1 bytes to configuration space");
    EXPECT_EQ(error_of(FakeProxy::kConfigWrite, config_access(0, 0, 5)),
              "guest: an access of 5 bytes to configuration space");
    EXPECT_EQ(error_of(FakeProxy::kBarRead, bar_access(0, 0, 9)), "guest: an access of 9 bytes to a BAR");
    EXPECT_EQ(error_of(FakeProxy::kBarWrite, bar_access(0, 0, 0)), "guest: an access of 0 bytes to a BAR");
}

TEST_F(ProxyPciTest, AMapWithoutItsFilesOrBeyondTheirEndIsNamed)
{
    EXPECT_EQ(error_of(FakeProxy::kMemoryMap, memory_map({{0, 0x1000, 0}})),
              "guest: QEMU's memory map has 0 files, not 1 to 8");
    const u64 end = FakeMemory::kBase + FakeMemory::kBytes; // of the file
    EXPECT_EQ(error_of(FakeProxy::kMemoryMap, memory_map({{0, 0x1001, end - 0x1000}}), {memory.file.get()}),
              "guest: 4097 bytes of memory from " + std::to_string(end - 0x1000) + " are not in their file");
    EXPECT_NE(error_of(FakeProxy::kMemoryMap, memory_map({{0, ~u64{0}, 0x1000}}), {memory.file.get()}), "none");
    EXPECT_NE(error_of(FakeProxy::kMemoryMap, memory_map({{0, 0x1000, ~u64{0}}}), {memory.file.get()}), "none");
    EXPECT_NE(error_of(FakeProxy::kMemoryMap, memory_map({{0, 0x1000, 5}}), {memory.file.get()}), "none")
        << "not at a page";
    EXPECT_NE(error_of(FakeProxy::kMemoryMap, memory_map({{0, 0x1000, 0}}), {pair.guest.get()}), "none") << "a socket";
}

TEST_F(ProxyPciTest, AMessageThatStopsIsNotWaitedForWithoutEnd)
{
    proxy.send_bytes(std::vector<u8>(7));
    EXPECT_EQ(error(), "guest: the rest of a message does not come");
    proxy.send_header(FakeProxy::kConfigRead, 12);
}

TEST_F(ProxyPciTest, AMessageThatIsCutOffByTheEndIsAnErrorAndTheEndIsNone)
{
    proxy.send_header(FakeProxy::kConfigRead, 12);
    proxy.send_bytes(std::vector<u8>(11));
    pair.guest = guest::FileDescriptor();
    EXPECT_EQ(error(), "guest: the connection ended inside of a message");
    EXPECT_FALSE(device.serve());
}

TEST_F(ProxyPciTest, AnAnswerThatNobodyTakesIsAnError)
{
    proxy.send(FakeProxy::kConfigRead, config_access(0, 0, 4));
    pair.guest = guest::FileDescriptor();
    EXPECT_NE(error(), "none");
}

/// Messages at random: each is carried out, or an error; nothing else happens.
TEST_F(ProxyPciTest, MessagesAtRandomAreAnsweredOrErrors)
{
    u64 draws = 0, errors = 0;
    const auto draw = [&](u64 below) { return draw_below(draw64(34, 7, draws++), below); };
    constexpr u32 kBytes[] = {192, 8, 12, 12, 24, 24, 0, 0};
    for (u32 i = 0; i < 20'000; ++i) {
        Pair ends;
        guest::ProxyPci fresh(mapped, port, std::move(ends.device), 1);
        FakeProxy peer(ends.guest);
        const u32 command = static_cast<u32>(draw(9));
        std::vector<u8> data(draw(8) == 0 || command > 7 ? draw(300) : kBytes[command]);
        const u64 values = draw(2) == 0 ? 2 : 256; // many small numbers, so that some messages are right
        for (u8& byte : data) {
            byte = static_cast<u8>(draw(values));
        }
        peer.send(command, data, std::vector<int>(draw(3), memory.file.get()));
        ends.guest = draw(4) == 0 ? guest::FileDescriptor() : std::move(ends.guest);
        try {
            EXPECT_TRUE(fresh.serve());
        } catch (const ModelError&) {
            ++errors;
        }
    }
    EXPECT_GT(errors, 1000u);
    EXPECT_GT(port.reads, 10u);
}

} // namespace
} // namespace tlmssd::tb
