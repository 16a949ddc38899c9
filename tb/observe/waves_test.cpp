// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wave files hold the values that were set, at the times when they were set.
#include "models/observe/fst/waves.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/common/error.h"
#include "tb/observe/fst_reader.h"

namespace tlmssd::observe {
namespace {

using tb::WaveFile;
using testing::ElementsAre;
using testing::Pair;

class WavesTest : public testing::Test {
protected:
    WavesTest()
        : folder_(std::filesystem::temp_directory_path() /
                  ("tlmssd_waves_" + std::to_string(getpid())))
    {
    }
    ~WavesTest() override { std::filesystem::remove_all(folder_); }
    std::string path() const { return (folder_ / "sub" / "w.fst").string(); }

    std::filesystem::path folder_;
};

TEST_F(WavesTest, HoldsChangesOfAllWidthsAtTheirTimes)
{
    Waves waves(path());
    const u32 bit = waves.add("ssd.busy", 1);
    const u32 byte = waves.add("ssd.ch0.count", 8);
    const u32 word = waves.add("ssd.ch0.row", 32);
    const u32 wide = waves.add("ssd.stamp", 64);
    waves.open();
    waves.set(bit, 1, Picoseconds(5));
    waves.set(byte, 0xa5, Picoseconds(5));
    waves.set(wide, ~u64{0}, Picoseconds(7));
    waves.set(bit, 0, Picoseconds(1000000000001));
    waves.set(word, 0x80000001, Picoseconds(1000000000001));
    waves.close();

    const WaveFile file = tb::read_waves(path());
    EXPECT_EQ(file.timescale_exponent, -12);
    EXPECT_EQ(file.end, 1000000000001u);
    // Signals of a scope before its inner scopes.
    EXPECT_THAT(file.paths, ElementsAre("ssd.busy", "ssd.stamp", "ssd.ch0.count", "ssd.ch0.row"));
    EXPECT_EQ(file.bits.at("ssd.busy"), 1u);
    EXPECT_EQ(file.bits.at("ssd.ch0.count"), 8u);
    EXPECT_EQ(file.bits.at("ssd.ch0.row"), 32u);
    EXPECT_EQ(file.bits.at("ssd.stamp"), 64u);
    EXPECT_THAT(file.changes.at("ssd.busy"),
                ElementsAre(Pair(0, "0"), Pair(5, "1"), Pair(1000000000001, "0")));
    EXPECT_THAT(file.changes.at("ssd.ch0.count"),
                ElementsAre(Pair(0, "00000000"), Pair(5, "10100101")));
    EXPECT_THAT(file.changes.at("ssd.ch0.row"),
                ElementsAre(Pair(0, std::string(32, '0')),
                            Pair(1000000000001, "1" + std::string(30, '0') + "1")));
    EXPECT_THAT(file.changes.at("ssd.stamp"),
                ElementsAre(Pair(0, std::string(64, '0')), Pair(7, std::string(64, '1'))));
}

TEST_F(WavesTest, LastValueOfATimeIsKeptAndGlitchesLeaveNoTrace)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    const u32 b = waves.add("b", 4);
    waves.open();
    waves.set(a, 3, Picoseconds(0)); // before anything is written: the value at 0
    waves.set(b, 1, Picoseconds(10));
    waves.set(b, 2, Picoseconds(10));
    waves.set(a, 7, Picoseconds(20));
    waves.set(a, 3, Picoseconds(20));
    waves.set(b, 4, Picoseconds(30));
    waves.close(Picoseconds(50));

    const WaveFile file = tb::read_waves(path());
    EXPECT_THAT(file.changes.at("a"), ElementsAre(Pair(0, "0011")));
    EXPECT_THAT(file.changes.at("b"),
                ElementsAre(Pair(0, "0000"), Pair(10, "0010"), Pair(30, "0100")));
    EXPECT_EQ(file.end, 50u);
}

TEST_F(WavesTest, EnumNamesStandInTheFileAtTheSignalsWidth)
{
    Waves waves(path());
    const u32 state = waves.add_enum("die_state", {"Idle", "Read", "Program"});
    waves.add("die0.state", 3, state);
    waves.add("die0.plain", 3);
    waves.open();
    waves.close();

    const WaveFile file = tb::read_waves(path());
    // Format of the FST attribute: name, number of values, names, values.
    EXPECT_EQ(file.enums.at("die0.state"), "die_state 3 Idle Read Program 000 001 010");
    EXPECT_EQ(file.enums.count("die0.plain"), 0u);
}

TEST_F(WavesTest, ValuesBeforeOpenAreTheInitialState)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    waves.set(a, 9, Picoseconds(0));
    waves.open();
    waves.close();
    EXPECT_THAT(tb::read_waves(path()).changes.at("a"), ElementsAre(Pair(0, "1001")));
}

TEST_F(WavesTest, TimeMayNotGoBack)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    waves.open();
    waves.set(a, 1, Picoseconds(10));
    EXPECT_THROW(waves.set(a, 2, Picoseconds(9)), ModelError);
    EXPECT_THROW(waves.touch(Picoseconds(9)), ModelError);
}

TEST_F(WavesTest, ValueMustFit)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    waves.open();
    EXPECT_THROW(waves.set(a, 16, Picoseconds(1)), ModelError);
    waves.set(a, 15, Picoseconds(1));
}

TEST_F(WavesTest, ScheduledChangesComeAtTheirTimesBeforeSets)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    const u32 b = waves.add("b", 4);
    waves.open();
    waves.schedule(a, 3, Picoseconds(30));
    waves.schedule(a, 1, Picoseconds(10));
    waves.schedule(a, 2, Picoseconds(20));
    waves.schedule(b, 5, Picoseconds(20));
    waves.set(b, 4, Picoseconds(15)); // a is 1 by now
    waves.set(b, 6, Picoseconds(20)); // after the scheduled 5
    waves.set(a, 0, Picoseconds(25)); // a is 2, and 0 is what it was when all was scheduled
    waves.close(Picoseconds(40));

    const WaveFile file = tb::read_waves(path());
    EXPECT_THAT(file.changes.at("a"),
                ElementsAre(Pair(0, "0000"), Pair(10, "0001"), Pair(20, "0010"), Pair(25, "0000"),
                            Pair(30, "0011")));
    EXPECT_THAT(file.changes.at("b"),
                ElementsAre(Pair(0, "0000"), Pair(15, "0100"), Pair(20, "0110")));
    EXPECT_EQ(file.end, 40u);
}

TEST_F(WavesTest, ScheduledChangesOfOneTimeKeepTheirOrder)
{
    Waves waves(path());
    const u32 a = waves.add("a", 8);
    waves.open();
    for (u64 value = 1; value <= 100; ++value) { // more than a heap keeps in order by chance
        waves.schedule(a, value, Picoseconds(10));
    }
    waves.schedule(a, 7, Picoseconds(5));
    waves.close(Picoseconds(10));
    EXPECT_THAT(tb::read_waves(path()).changes.at("a"),
                ElementsAre(Pair(0, "00000000"), Pair(5, "00000111"), Pair(10, "01100100")));
}

TEST_F(WavesTest, WhatIsScheduledBehindTheEndIsLeftOut)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    waves.open();
    waves.schedule(a, 1, Picoseconds(10));
    waves.schedule(a, 2, Picoseconds(11));
    waves.close(Picoseconds(10));
    const WaveFile file = tb::read_waves(path());
    EXPECT_THAT(file.changes.at("a"), ElementsAre(Pair(0, "0000"), Pair(10, "0001")));
    EXPECT_EQ(file.end, 10u);
}

TEST_F(WavesTest, ScheduleNeedsAnOpenFileAndATimeThatIsNotWritten)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    EXPECT_THROW(waves.schedule(a, 1, Picoseconds(1)), ModelError);
    waves.open();
    waves.set(a, 1, Picoseconds(10));
    EXPECT_THROW(waves.schedule(a, 2, Picoseconds(9)), ModelError);
    EXPECT_THROW(waves.schedule(a, 16, Picoseconds(20)), ModelError);
    waves.schedule(a, 2, Picoseconds(10));
    waves.close();
    EXPECT_THAT(tb::read_waves(path()).changes.at("a"),
                ElementsAre(Pair(0, "0000"), Pair(10, "0010")));
}

TEST_F(WavesTest, WindowKeepsTheStateAtItsStartAndNothingOutside)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    const u32 b = waves.add("b", 4);
    waves.window(Picoseconds(100), Picoseconds(200));
    waves.open();
    waves.set(a, 1, Picoseconds(50));
    waves.schedule(b, 2, Picoseconds(60));
    waves.schedule(b, 3, Picoseconds(150));
    waves.set(a, 4, Picoseconds(120));
    waves.set(a, 5, Picoseconds(200)); // the window's last
    waves.schedule(b, 6, Picoseconds(201));
    waves.set(a, 7, Picoseconds(300));
    waves.set(a, 8, Picoseconds(400));
    waves.touch(Picoseconds(500));
    waves.close(Picoseconds(600));

    const WaveFile file = tb::read_waves(path());
    EXPECT_THAT(file.changes.at("a"),
                ElementsAre(Pair(100, "0001"), Pair(120, "0100"), Pair(200, "0101")));
    EXPECT_THAT(file.changes.at("b"), ElementsAre(Pair(100, "0010"), Pair(150, "0011")));
    EXPECT_EQ(file.end, 200u);
}

TEST_F(WavesTest, WindowReachesToItsEndWhereNothingChanges)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    waves.window(Picoseconds(100), Picoseconds(200));
    waves.open();
    waves.set(a, 1, Picoseconds(100)); // belongs to the state at the start
    waves.set(a, 2, Picoseconds(900));
    waves.close(Picoseconds(900));
    const WaveFile file = tb::read_waves(path());
    EXPECT_THAT(file.changes.at("a"), ElementsAre(Pair(100, "0001")));
    EXPECT_EQ(file.end, 200u);
}

TEST_F(WavesTest, RunThatEndsBeforeTheWindowLeavesItsLastState)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    waves.window(Picoseconds(100), kTimeNever);
    waves.open();
    waves.set(a, 1, Picoseconds(50));
    waves.close(Picoseconds(70));
    EXPECT_THAT(tb::read_waves(path()).changes.at("a"), ElementsAre(Pair(70, "0001")));
}

TEST_F(WavesTest, HoldLetsLateNewsBeWrittenAtTheirTimes)
{
    Waves waves(path());
    const u32 a = waves.add("a", 4);
    const u32 b = waves.add("b", 4);
    const u32 one = waves.add_hold();
    const u32 other = waves.add_hold();
    waves.open();
    ASSERT_TRUE(waves.lags());
    waves.hold(one, Picoseconds(10));
    waves.set(a, 1, Picoseconds(5));
    waves.set(a, 2, Picoseconds(15));
    waves.hold(other, Picoseconds(18));
    waves.set(a, 3, Picoseconds(30));
    waves.schedule(b, 1, Picoseconds(10)); // news of `one`
    waves.release(one);
    waves.set(a, 4, Picoseconds(40));
    waves.schedule(b, 2, Picoseconds(20)); // news of `other`: 18 is still held
    waves.release(other);
    waves.set(a, 5, Picoseconds(50));
    EXPECT_THROW(waves.schedule(b, 3, Picoseconds(20)), ModelError); // nobody holds it any more
    waves.close();

    const WaveFile file = tb::read_waves(path());
    EXPECT_THAT(file.changes.at("a"),
                ElementsAre(Pair(0, "0000"), Pair(5, "0001"), Pair(15, "0010"), Pair(30, "0011"),
                            Pair(40, "0100"), Pair(50, "0101")));
    EXPECT_THAT(file.changes.at("b"),
                ElementsAre(Pair(0, "0000"), Pair(10, "0001"), Pair(20, "0010")));
}

TEST_F(WavesTest, DoesNotLagWithRtlOrWithoutHolds)
{
    Waves plain(path());
    plain.add("a", 1);
    plain.open();
    EXPECT_FALSE(plain.lags());

    Waves with_model((folder_ / "m.fst").string());
    const u32 a = with_model.add("a", 1);
    const u32 slot = with_model.add_hold();
    with_model.attach([](VerilatedFstC&) {});
    with_model.open();
    EXPECT_FALSE(with_model.lags());
    with_model.hold(slot, Picoseconds(1));
    with_model.set(a, 1, Picoseconds(10));
    EXPECT_THROW(with_model.schedule(a, 0, Picoseconds(5)), ModelError);
}

TEST_F(WavesTest, SparseEnumNamesSomeValues)
{
    Waves waves(path());
    const u32 opcode = waves.add_sparse_enum("opcode", {{0x30, "Read"}, {0x100, "-"}});
    waves.add_enum("unused", {"X"});
    waves.add("op", 9, opcode);
    waves.open();
    waves.close();
    EXPECT_EQ(tb::read_waves(path()).enums.at("op"), "opcode 2 Read - 000110000 100000000");
}

TEST_F(WavesTest, RejectsBadDeclarations)
{
    Waves waves(path());
    waves.add("a.b", 1);
    EXPECT_THROW(waves.add("a.b", 1), ModelError);
    EXPECT_THROW(waves.add("a..c", 1), ModelError);
    EXPECT_THROW(waves.add("", 1), ModelError);
    EXPECT_THROW(waves.add("a c", 1), ModelError);
    EXPECT_THROW(waves.add("c", 0), ModelError);
    EXPECT_THROW(waves.add("d", 65), ModelError);
    EXPECT_THROW(waves.add("e", 1, 1), ModelError); // no enum 1
    EXPECT_THROW(waves.add_enum("empty", {}), ModelError);
    EXPECT_THROW(waves.add_enum("blank", {"A B"}), ModelError);
    EXPECT_THROW(waves.window(Picoseconds(5), Picoseconds(5)), ModelError);
    waves.open();
    EXPECT_THROW(waves.add("f", 1), ModelError);
    EXPECT_THROW(waves.add_hold(), ModelError);
    EXPECT_THROW(waves.window(Picoseconds(1), Picoseconds(2)), ModelError);
    EXPECT_THROW(waves.open(), ModelError);
}

TEST_F(WavesTest, UnwritableFileIsTheUsersError)
{
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "file") << "x";
    Waves below_a_file((folder_ / "file" / "w.fst").string());
    EXPECT_THROW(below_a_file.open(), InputError);
    Waves a_folder(folder_.string());
    EXPECT_THROW(a_folder.open(), InputError);
    // Opening a pipe would block, and the FST writer would unlink a device.
    const std::string pipe = (folder_ / "pipe").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    Waves a_pipe(pipe);
    EXPECT_THROW(a_pipe.open(), InputError);
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(WavesTest, FileThatMayNotGrowIsTheUsersErrorAndLeavesTheOldOne)
{
    std::filesystem::create_directories(folder_ / "sub");
    std::ofstream(path()) << "before";
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 4096; // the header of a file is 330 bytes; this is all there is room for
    std::string what;
    {
        Waves waves(path());
        const u32 a = waves.add("a", 64);
        waves.open();
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
        try {
            u64 value = 1;
            for (u64 i = 1; i <= 100000; ++i) { // 800 kB of values that cannot be packed
                value = value * 6364136223846793005ull + 1442695040888963407ull;
                waves.set(a, value, Picoseconds(i));
            }
            waves.close();
        } catch (const InputError& error) {
            what = error.what();
        }
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, signal_before);
    EXPECT_EQ(what, path() + ": cannot write: File too large");
    std::ifstream file(path());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "before");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "sub"), {}), 1) << "nothing is left beside it";
}

TEST_F(WavesTest, FileHasItsNameWhenItIsWhole)
{
    Waves waves(path());
    const u32 a = waves.add("a", 1);
    waves.open();
    waves.set(a, 1, Picoseconds(5));
    EXPECT_FALSE(std::filesystem::exists(path()));
    waves.close();
    EXPECT_TRUE(std::filesystem::exists(path()));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "sub"), {}), 1);
}

TEST_F(WavesTest, ManyChangesSurviveBlockBoundaries)
{
    // More than one FST block of time: value at step i is i modulo 2^20.
    constexpr u64 kSteps = 300000;
    Waves waves(path());
    const u32 a = waves.add("a", 20);
    waves.open();
    for (u64 i = 1; i <= kSteps; ++i) {
        waves.set(a, i % (1u << 20), Picoseconds(i * 1000));
    }
    waves.close();
    const auto changes = tb::read_waves(path()).changes.at("a");
    ASSERT_EQ(changes.size(), kSteps + 1);
    for (u64 i = 0; i <= kSteps; ++i) {
        ASSERT_EQ(changes[i].first, i * 1000);
        ASSERT_EQ(std::stoull(changes[i].second, nullptr, 2), i % (1u << 20));
    }
}

} // namespace
} // namespace tlmssd::observe
