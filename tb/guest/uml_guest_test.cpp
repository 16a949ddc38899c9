// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: who runs when: a guest in a thread beside a device with events.
#include "models/guest/uml_guest.h"

#include <sys/un.h>

#include <string>
#include <thread>

#include "tb/guest/fake_driver.h"

namespace tlmssd::tb {
namespace {

struct Message {
    u32 op, sequence;
    u64 time;
};
enum : u32 { kAck, kStart, kRequest, kWait, kGet, kUpdate, kRun, kFreeUntil };

guest::FileDescriptor connected(const std::string& path)
{
    guest::FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
}

/// The guest's calendar side: acknowledges what comes, and remembers the last leave.
class Clock {
public:
    explicit Clock(const std::string& path) : fd_(connected(path)) {}

    u64 say(u32 op, u64 time = 0)
    {
        const Message message{op, ++sequence_, time};
        guest::send_whole(fd_, &message, sizeof message);
        for (;;) {
            const Message answer = hear();
            if (answer.op == kAck) {
                EXPECT_EQ(answer.sequence, sequence_);
                return answer.time;
            }
            take(answer);
        }
    }
    /// Until it runs; the time then. Calls of the device are answered as Linux does: it wants to run at once.
    u64 wait(const guest::FileDescriptor& back)
    {
        say(kWait);
        for (;;) {
            if (!ran_) {
                fd_set set;
                FD_ZERO(&set);
                FD_SET(fd_.get(), &set);
                FD_SET(back.get(), &set);
                EXPECT_GT(select(std::max(fd_.get(), back.get()) + 1, &set, nullptr, nullptr, nullptr), 0);
                if (FD_ISSET(back.get(), &set)) {
                    u32 words[5];
                    EXPECT_TRUE(guest::receive_whole(back, words, sizeof words));
                    calls.push_back(say(kGet));
                    say(kRequest, calls.back());
                    const u32 answer[5] = {4, 5, 8, 0, 0};
                    guest::send_whole(back, answer, sizeof answer);
                    continue;
                }
                take(hear());
                continue;
            }
            ran_ = false;
            return now_;
        }
    }
    void serve_one() { take(hear()); }

    u64 leave = 0;
    std::vector<u64> calls; ///< times

private:
    Message hear()
    {
        Message message{};
        EXPECT_TRUE(guest::receive_whole(fd_, &message, sizeof message));
        return message;
    }
    void take(const Message& message)
    {
        if (message.op == kRun) {
            ran_ = true;
            now_ = message.time;
        } else if (message.op == kFreeUntil) {
            leave = message.time;
        } else {
            ADD_FAILURE() << message.op;
        }
        const Message answer{kAck, message.sequence, 0};
        guest::send_whole(fd_, &answer, sizeof answer);
    }

    guest::FileDescriptor fd_;
    u32 sequence_ = 0;
    bool ran_ = false;
    u64 now_ = 0;
};

class Uml : public testing::Test {
protected:
    /// `script` is the guest; its end closes both connections.
    guest::GuestEnd play(const std::function<void(Clock&, FakeDriver&, const guest::FileDescriptor& back)>& script,
                         u64 cut_at = guest::kNever)
    {
        std::string folder = testing::TempDir() + "tlmssd-guest-test-XXXXXX";
        EXPECT_NE(mkdtemp(folder.data()), nullptr);
        const std::string time = folder + "/time", registers = folder + "/device";
        guest::FileDescriptor calendar = guest::listen_at(time), device = guest::listen_at(registers);
        std::thread guest([&] {
            Clock clock(time);
            clock.say(kStart);
            const guest::FileDescriptor socket = connected(registers);
            Pair back;
            FakeDriver driver(memory, socket);
            driver.set_up(back.device.get());
            script(clock, driver, back.guest);
        });
        guest::UmlGuest uml(mapped, port, cut_at);
        const guest::GuestEnd end = uml.run(std::move(calendar), std::move(device), [] { return false; });
        guest.join();
        counts = uml.counts();
        unlink(time.c_str());
        unlink(registers.c_str());
        rmdir(folder.c_str());
        return end;
    }

    FakeMemory memory;
    guest::GuestMemory mapped;
    FakePort port;
    guest::GuestCounts counts;
};

TEST_F(Uml, AnIdleDeviceLetsTheGuestGoOnAlone)
{
    EXPECT_EQ(play([](Clock& clock, FakeDriver&, const guest::FileDescriptor& back) {
                  clock.say(kRequest, 1000);
                  EXPECT_EQ(clock.wait(back), 1000u);
                  EXPECT_EQ(clock.leave, guest::kNever);
                  clock.say(kUpdate, 123'456);
              }),
              guest::GuestEnd::PoweredOff);
    EXPECT_EQ(counts.time_ns, 123'456u);
    EXPECT_EQ(counts.runs, 1u);
}

TEST_F(Uml, AccessesHappenAtTheGuestsTime)
{
    play([this](Clock& clock, FakeDriver& driver, const guest::FileDescriptor& back) {
        clock.say(kRequest, 1000);
        clock.wait(back);
        clock.say(kUpdate, 5000);
        driver.access(3, 0, 0x1c, 4);
        EXPECT_EQ(port.read_at, 5000u);
    });
}

TEST_F(Uml, AnInterruptComesAtItsTimeBeforeTheGuestsOwnWish)
{
    play([this](Clock& clock, FakeDriver& driver, const guest::FileDescriptor& back) {
        port.on_write = [this](u32, u64 offset) {
            if (offset == 0x1000) {
                port.interrupts.emplace(port.time + 700, 65); // the write starts something
            }
        };
        clock.say(kRequest, 1000);
        clock.wait(back);
        std::thread answers([&] { clock.serve_one(); }); // the new leave, before the notification's reply
        driver.access(4, 0, 0x1000, 4, 1);
        answers.join();
        EXPECT_EQ(clock.leave, 1700u) << "no further alone than to the interrupt";
        clock.say(kRequest, 50'000);
        EXPECT_EQ(clock.wait(back), 1700u);
        ASSERT_EQ(clock.calls, std::vector<u64>{1700});
        EXPECT_EQ(driver.message_word(0, 4), 65u);
        EXPECT_EQ(clock.leave, guest::kNever);
    });
    EXPECT_EQ(counts.interrupts, 1u);
}

TEST_F(Uml, AllThatEndsAtOneInstantIsInOneTurnOfTheGuest)
{
    port.interrupts = {{2000, 65}, {2000, 66}, {3000, 67}};
    play([](Clock& clock, FakeDriver& driver, const guest::FileDescriptor& back) {
        clock.say(kRequest, 2000); // the device goes first
        EXPECT_EQ(clock.wait(back), 2000u);
        EXPECT_EQ(driver.given_back(1), 2);
        EXPECT_EQ(clock.leave, 3000u);
        EXPECT_EQ(clock.wait(back), 3000u);
        EXPECT_EQ(clock.calls, (std::vector<u64>{2000, 3000}));
    });
}

TEST_F(Uml, TheSupplyIsCutAtItsTimeAndNothingFollows)
{
    port.interrupts = {{2000, 65}, {3000, 66}};
    EXPECT_EQ(play(
                  [](Clock& clock, FakeDriver&, const guest::FileDescriptor& back) {
                      clock.say(kRequest, 1000);
                      EXPECT_EQ(clock.wait(back), 1000u);
                      EXPECT_EQ(clock.leave, 2000u);
                      EXPECT_EQ(clock.wait(back), 2000u);
                      EXPECT_EQ(clock.leave, 2500u) << "not beyond the cut";
                      clock.say(kRequest, 9000);
                      clock.say(kWait);
                  },
                  2500),
              guest::GuestEnd::Cut);
    EXPECT_EQ(port.cut_at, 2500u);
    EXPECT_EQ(port.interrupts.size(), 1u);
}

TEST_F(Uml, AGuestThatNeverConnectsIsAbsent)
{
    guest::UmlGuest uml(mapped, port);
    const std::string name = testing::TempDir() + "tlmssd-absent-" + std::to_string(getpid());
    EXPECT_EQ(uml.run(guest::listen_at(name), guest::FileDescriptor(), [] { return true; }), guest::GuestEnd::Absent);
    unlink(name.c_str());
}

TEST_F(Uml, TheSupplyOfAGuestThatWaitsForNothingIsCutToo)
{
    EXPECT_EQ(play([](Clock& clock, FakeDriver&, const guest::FileDescriptor&) { clock.say(kWait); }, 2500),
              guest::GuestEnd::Cut);
    EXPECT_EQ(port.cut_at, 2500u);
}

TEST_F(Uml, WhereNothingWillEverHappenTheRunEnds)
{
    EXPECT_EQ(play([](Clock& clock, FakeDriver&, const guest::FileDescriptor&) { clock.say(kWait); }),
              guest::GuestEnd::Halted);
}

} // namespace
} // namespace tlmssd::tb
