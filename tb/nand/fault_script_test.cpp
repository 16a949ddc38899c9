// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fault scripts and what is said about broken ones.
#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include <unistd.h>

#include "models/common/error.h"
#include "models/nand/errors/fault_script.h"
#include "tb/support/geometry.h"

namespace tlmssd::nand {
namespace {

using testing::HasSubstr;

Geometry geometry()
{
    return tb::make_geometry().channels(4).ways(2).dies(3).planes(2).blocks(100);
}

class FaultScript : public testing::Test {
protected:
    FaultScript()
    {
        const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
        path_ = testing::TempDir() + "tlmssd_" + std::to_string(getpid()) + "_" + info->name();
    }
    ~FaultScript() override { std::remove(path_.c_str()); }

    std::vector<Fault> read(const std::string& text)
    {
        std::ofstream(path_) << text;
        return read_fault_script(path_, geometry());
    }
    /// The message, without the file's name at its front (checked).
    std::string message(const std::string& text)
    {
        try {
            read(text);
        } catch (const InputError& error) {
            const std::string what = error.what();
            EXPECT_EQ(what.compare(0, path_.size() + 1, path_ + ":"), 0) << what;
            EXPECT_EQ(what.find('\n'), std::string::npos);
            return what.substr(path_.size() + 1);
        }
        ADD_FAILURE() << "no error: " << text;
        return "";
    }

    std::string path_;
};

// Die 3/1/2 is (3 * 2 + 1) * 3 + 2 = 23.
TEST_F(FaultScript, ReadsEachKindOfFault)
{
    const std::vector<Fault> faults = read("at 1 ns: die 0/0/0 stops answering\n"
                                           "at 2 us: die 3/1/2 answers again\n"
                                           "at 3 ms: die 0/1/0 fails programs\n"
                                           "at 4 ms: die 0/0/1 fails erases\n"
                                           "at 5 s: die 1/0/0 block 1/99 goes bad\n");
    ASSERT_EQ(faults.size(), 5u);
    EXPECT_EQ(faults[0].at, nanoseconds(1));
    EXPECT_EQ(faults[0].kind, FaultKind::StopsAnswering);
    EXPECT_EQ(faults[0].die, 0u);
    EXPECT_EQ(faults[1].at, microseconds(2));
    EXPECT_EQ(faults[1].kind, FaultKind::AnswersAgain);
    EXPECT_EQ(faults[1].die, 23u);
    EXPECT_EQ(faults[2].kind, FaultKind::FailsPrograms);
    EXPECT_EQ(faults[2].die, 3u);
    EXPECT_EQ(faults[3].kind, FaultKind::FailsErases);
    EXPECT_EQ(faults[3].die, 1u);
    EXPECT_EQ(faults[4].at, milliseconds(5000));
    EXPECT_EQ(faults[4].kind, FaultKind::BlockGoesBad);
    EXPECT_EQ(faults[4].die, 6u);
    EXPECT_EQ(faults[4].plane, 1u);
    EXPECT_EQ(faults[4].block, 99u);
}

TEST_F(FaultScript, SortsByTimeAndKeepsTheOrderOfTheFileForOneTime)
{
    const std::vector<Fault> faults = read("at 2 ms: die 0/0/0 stops answering\n"
                                           "at 1 ms: die 1/0/0 stops answering\n"
                                           "at 2000 us: die 2/0/0 stops answering\n");
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].die, 6u);
    EXPECT_EQ(faults[1].die, 0u);
    EXPECT_EQ(faults[2].die, 12u);
}

TEST_F(FaultScript, TakesCommentsBlankLinesAndFractionsOfTime)
{
    const std::vector<Fault> faults = read("# a device that loses a die\r\n"
                                           "\n"
                                           "   at 1.5 ms: die 0/0/0 stops answering  # here\r\n"
                                           "at 12us: die 0/0/0 stops answering\n"
                                           "at 0.001 ns : die 0/0/0 answers again");
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].at, Picoseconds(1));
    EXPECT_EQ(faults[1].at, microseconds(12));
    EXPECT_EQ(faults[2].at, microseconds(1500));
    EXPECT_TRUE(read("").empty());
}

TEST_F(FaultScript, NamesTheNearestValidWord)
{
    EXPECT_THAT(message("\n# x\nat 12 ms: die 3/1/0 stop answering\n"), HasSubstr("3: "));
    EXPECT_EQ(message("at 12 ms: die 3/1/0 stop answering"),
              "1: 'stop answering' does not happen to a die; did you mean 'stops answering'?");
    EXPECT_THAT(message("at 12 ms: die 3/1/0 fails erase"), HasSubstr("'fails erases'?"));
    EXPECT_THAT(message("at 12 ms: die 3/1/0 block 0/1 goes good"), HasSubstr("'goes bad'?"));
    EXPECT_EQ(message("at 12 mss: die 3/1/0 answers again"),
              "1: 'mss' is no unit of time; did you mean 'ms'? (ns, us, ms, s)");
    EXPECT_THAT(message("after 12 ms: die 0/0/0 answers again"), HasSubstr("'after' is not 'at'"));
    EXPECT_THAT(message("at 12 ms: dye 0/0/0 answers again"), HasSubstr("'dye' is not 'die'"));
    EXPECT_THAT(message("at 12 ms die 0/0/0 answers again"), HasSubstr("'die' is not ':'"));
}

TEST_F(FaultScript, NamesWhatIsOutsideTheDevice)
{
    EXPECT_EQ(message("at 1 ms: die 4/0/0 answers again"), "1: there is no channel 4 (0 to 3)");
    EXPECT_EQ(message("at 1 ms: die 0/2/0 answers again"), "1: there is no way 2 (0 to 1)");
    EXPECT_EQ(message("at 1 ms: die 0/0/3 answers again"), "1: there is no die 3 (0 to 2)");
    EXPECT_EQ(message("at 1 ms: die 0/0/0 block 2/0 goes bad"), "1: there is no plane 2 (0 to 1)");
    EXPECT_EQ(message("at 1 ms: die 0/0/0 block 0/100 goes bad"),
              "1: there is no block 100 (0 to 99)");
}

TEST_F(FaultScript, RefusesBrokenNumbersAndLines)
{
    EXPECT_THAT(message("at"), HasSubstr("the line ends where the time is missing"));
    EXPECT_THAT(message("at 12"), HasSubstr("the unit of the time is missing"));
    EXPECT_THAT(message("at 12 ms:"), HasSubstr("die is missing"));
    EXPECT_THAT(message("at 12 ms: die"), HasSubstr("channel/way/die is missing"));
    EXPECT_THAT(message("at 12 ms: die 0/0"), HasSubstr("'0/0' is not channel/way/die"));
    EXPECT_THAT(message("at 12 ms: die 0/0/0/0"), HasSubstr("'0/0/0/0' is not channel/way/die"));
    EXPECT_THAT(message("at 12 ms: die 0//0 x"), HasSubstr("is no number"));
    EXPECT_THAT(message("at 12 ms: die -1/0/0 x"), HasSubstr("is no number"));
    EXPECT_THAT(message("at 12 ms: die 0/0/0"), HasSubstr("did you mean"));
    EXPECT_THAT(message("at 1.2.3 ms: die 0/0/0 answers again"), HasSubstr("is no number"));
    EXPECT_THAT(message("at . ms: die 0/0/0 answers again"), HasSubstr("is no number"));
    EXPECT_THAT(message("at -1 ms: die 0/0/0 answers again"), HasSubstr("'-1' is no time"));
    EXPECT_THAT(message("at 0.0001 ns: die 0/0/0 answers again"), HasSubstr("picosecond"));
    EXPECT_THAT(message("at 99999999 s: die 0/0/0 answers again"), HasSubstr("213 days"));
    EXPECT_THAT(message("at 1 ms: die 0/0/0 answers again now"), HasSubstr("'answers again now'"));
    EXPECT_THAT(message(std::string("at \x01\x02 ms")), HasSubstr("'?\?' is no time"));
}

TEST_F(FaultScript, MissingFileIsAnInputError)
{
    EXPECT_THROW(read_fault_script(path_ + "_none", geometry()), InputError);
}

} // namespace
} // namespace tlmssd::nand
