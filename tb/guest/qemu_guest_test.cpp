// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU's two connections beside a device with events; the test is QEMU.
#include "models/guest/qemu_guest.h"

#include <sys/un.h>

#include <string>
#include <thread>

#include "models/common/error.h"
#include "tb/guest/fake_proxy.h"

namespace tlmssd::tb {
namespace {

std::string line_of(const guest::FileDescriptor& from)
{
    std::string line;
    for (char c = 0; guest::receive_whole(from, &c, 1) && c != '\n';) {
        line += c;
    }
    return line;
}

void say(const guest::FileDescriptor& to, const std::string& text) { guest::send_whole(to, text.data(), text.size()); }

class Qemu : public testing::Test {
protected:
    Qemu()
    {
        EXPECT_NE(mkdtemp(folder.data()), nullptr);
        path = folder + "/qtest";
        listener = guest::listen_at(path);
    }
    ~Qemu() override
    {
        unlink(path.c_str());
        rmdir(folder.c_str());
    }
    guest::FileDescriptor connected()
    {
        guest::FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        return fd;
    }
    /// `script` is QEMU; its end closes both connections.
    guest::GuestEnd play(const std::function<void(FakeProxy&)>& script, u64 cut_at = kNever)
    {
        std::thread qemu([&] {
            const guest::FileDescriptor registers = std::move(pair.guest);
            FakeProxy proxy(registers);
            script(proxy);
        });
        struct Joined {
            std::thread& thread;
            ~Joined() { thread.join(); }
        } joined{qemu};
        guest::QemuGuest run(mapped, port, pace, std::move(pair.device), std::move(listener), cut_at);
        const guest::GuestEnd end = run.run();
        counts = run.counts();
        return end;
    }
    static constexpr u64 kNever = guest::kNever;

    std::string folder = testing::TempDir() + "tlmssd-qemu-test-XXXXXX", path;
    guest::FileDescriptor listener;
    Pair pair;
    guest::GuestMemory mapped;
    FakePort port;
    guest::FreePace pace;
    guest::GuestCounts counts;
};

TEST_F(Qemu, AnInterruptIsALineOfText)
{
    port.on_write = [this](u32, u64) { port.interrupts.insert({port.time + 5'000'000'000, 0x4021}); };
    EXPECT_EQ(play([this](FakeProxy& proxy) {
                  const guest::FileDescriptor qtest = connected();
                  proxy.send(FakeProxy::kBarWrite, bar_access(0xfebd1000, 1, 4));
                  EXPECT_EQ(proxy.answer(), 0u);
                  EXPECT_EQ(line_of(qtest), "writel 0xa0000 0x4021");
                  say(qtest, "OK\n");
              }),
              guest::GuestEnd::PoweredOff);
    EXPECT_EQ(counts.accesses, 1u);
    EXPECT_EQ(counts.interrupts, 1u);
    EXPECT_EQ(counts.time_ns, 5'000'000'000u) << "five seconds of simulated time cost none";
}

TEST_F(Qemu, EqualMessagesWaitForAnAnswerAndAreOne)
{
    port.on_write = [this](u32, u64) {
        for (u64 i = 1; i <= 300; ++i) { // more than are carried out without a look at the guest
            port.interrupts.insert({port.time + i, 0x4021});
        }
        port.interrupts.insert({port.time + 300, 0x4022});
    };
    EXPECT_EQ(play([this](FakeProxy& proxy) {
                  const guest::FileDescriptor qtest = connected();
                  proxy.send(FakeProxy::kBarWrite, bar_access(0xfebd1000, 1, 4));
                  proxy.answer();
                  EXPECT_EQ(line_of(qtest), "writel 0xa0000 0x4021");
                  EXPECT_EQ(line_of(qtest), "writel 0xa0000 0x4022") << "another vector does not wait";
                  say(qtest, "OK\nO");
                  EXPECT_EQ(line_of(qtest), "writel 0xa0000 0x4021") << "of what came after the first";
                  say(qtest, "K\nOK\n");
                  proxy.send(FakeProxy::kConfigRead, config_access(0, 0, 4));
                  proxy.answer();
              }),
              guest::GuestEnd::PoweredOff);
    EXPECT_EQ(counts.interrupts, 3u);
}

TEST_F(Qemu, AnInterruptBeforeTheConnectionIsKept)
{
    port.pending.push_back({0xfee00000, 7});
    EXPECT_EQ(play([this](FakeProxy& proxy) {
                  proxy.send(FakeProxy::kConfigRead, config_access(0, 0, 4));
                  proxy.answer();
                  const guest::FileDescriptor qtest = connected();
                  EXPECT_EQ(line_of(qtest), "writel 0xfee00000 0x7");
              }),
              guest::GuestEnd::PoweredOff);
}

TEST_F(Qemu, CodeThatQemuMayHaveTranslatedIsForgottenBeforeTheDeviceWritesThere)
{
    FakeMemory memory;
    std::string seen;
    port.on_write = [&](u32, u64) {
        mapped.announce_write(0x100000, 512); // above real mode
        mapped.announce_write(0x7c00, 512);
        seen = "cleared"; // only after the answer
    };
    EXPECT_EQ(play([&](FakeProxy& proxy) {
                  const guest::FileDescriptor qtest = connected();
                  proxy.send(FakeProxy::kConfigRead, config_access(0, 0, 4));
                  proxy.answer();
                  proxy.send(FakeProxy::kConfigRead, config_access(0, 0, 4)); // the connection has been taken
                  proxy.answer();
                  proxy.send(FakeProxy::kBarWrite, bar_access(0xfebd1000, 1, 4));
                  EXPECT_EQ(line_of(qtest), "memset 0x7c00 0x200 0x0");
                  EXPECT_FALSE(proxy.has_answer());
                  EXPECT_EQ(seen, "");
                  say(qtest, "OK\n");
                  proxy.answer();
                  EXPECT_EQ(seen, "cleared");
              }),
              guest::GuestEnd::PoweredOff);
    mapped.announce_write(0x7c00, 512); // nobody is asked after the end
}

TEST_F(Qemu, AProcessThatEndsWithoutAMessageWasAbsent)
{
    EXPECT_EQ(play([](FakeProxy&) {}), guest::GuestEnd::Absent);
}

TEST_F(Qemu, TheSupplyIsCutAtItsTime)
{
    port.interrupts = {{100, 1}, {300, 2}};
    EXPECT_EQ(play([](FakeProxy&) {}, 200), guest::GuestEnd::Cut);
    EXPECT_EQ(port.cut_at, 200u);
}

TEST_F(Qemu, AnAnswerThatIsNoneIsAnError)
{
    for (const std::string text : {"FAIL Unknown command\n", "OK\n"}) {
        listener = guest::listen_at(path);
        pair = Pair();
        EXPECT_THROW(play([&](FakeProxy&) {
                         const guest::FileDescriptor qtest = connected();
                         say(qtest, text);
                         char c;
                         guest::receive_whole(qtest, &c, 1); // until the other side has ended
                     }),
                     ModelError)
            << text;
    }
}

TEST_F(Qemu, AnAnswerWithoutAnEndIsAnError)
{
    EXPECT_THROW(play([&](FakeProxy&) {
                     const guest::FileDescriptor qtest = connected();
                     say(qtest, std::string(1000, 'O'));
                     char c;
                     guest::receive_whole(qtest, &c, 1);
                 }),
                 ModelError);
}

} // namespace
} // namespace tlmssd::tb
