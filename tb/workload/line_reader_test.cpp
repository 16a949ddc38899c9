// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of lines from plain and compressed files.
#include "models/workload/formats/line_reader.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> lines_of(const std::string& path)
{
    LineReader reader(path);
    std::vector<std::string> lines;
    std::string_view line;
    while (reader.next(line)) {
        lines.emplace_back(line);
        EXPECT_EQ(reader.number(), lines.size());
        EXPECT_FALSE(reader.too_long());
    }
    return lines;
}

TEST(LineReader, SplitsAtLfAndCrlfAndTakesALastLineWithoutEnd)
{
    const TraceFile file("one\ntwo\r\n\nfour\rstill\nlast");
    EXPECT_THAT(lines_of(file.path()), ElementsAre("one", "two", "", "four\rstill", "last"));
}

TEST(LineReader, AnEmptyFileHasNoLines)
{
    const TraceFile file("");
    EXPECT_THAT(lines_of(file.path()), IsEmpty());
}

TEST(LineReader, KeepsNulBytes)
{
    const TraceFile file(std::string("a\0b\nc", 5));
    EXPECT_THAT(lines_of(file.path()), ElementsAre(std::string("a\0b", 3), "c"));
}

class PackedLines : public testing::TestWithParam<Packing> {};

TEST_P(PackedLines, AreTheSameAsPlainOnesOverManyBlocks)
{
    std::string text;
    std::vector<std::string> expected;
    for (int i = 0; i < 400000; ++i) { // 2.7 MB: more than two blocks of 1 MiB
        expected.push_back(std::to_string(i));
        text += expected.back() + "\n";
    }
    const TraceFile file(text, GetParam());
    EXPECT_EQ(lines_of(file.path()), expected);
}

// Both copies of the process read on from where the copy was made, the child first.
TEST_P(PackedLines, AreTheSameInACopyOfTheProcess)
{
    // 3 MB packed, too: gzip halves random digits at best, and the file has to be more than two blocks.
    std::string text;
    std::vector<std::string> expected;
    for (u64 i = 0; i < 300'000; ++i) {
        expected.push_back(std::to_string(draw64(1, 2, i)));
        text += expected.back() + "\n";
    }
    const TraceFile file(text, GetParam());
    LineReader reader(file.path());
    const auto rest_is_right = [&] {
        std::string_view line;
        while (reader.next(line)) {
            if (line != expected[reader.number() - 1]) {
                return false;
            }
        }
        return reader.number() == expected.size();
    };
    std::string_view line;
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(reader.next(line));
    }
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::_exit(rest_is_right() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(rest_is_right());
}

TEST_P(PackedLines, ReportProgressFromZeroToOne)
{
    const TraceFile file(std::string(100, 'x') + "\ny\n", GetParam());
    LineReader reader(file.path());
    std::string_view line;
    while (reader.next(line)) {
        EXPECT_GE(reader.progress(), 0);
        EXPECT_LE(reader.progress(), 1);
    }
    EXPECT_EQ(reader.progress(), 1);
}

INSTANTIATE_TEST_SUITE_P(All, PackedLines,
                         testing::Values(Packing::Plain, Packing::Gzip, Packing::Xz, Packing::Zstd,
                                         Packing::Bzip2));

class CutFile : public testing::TestWithParam<Packing> {};

TEST_P(CutFile, IsAnErrorWithFileAndLine)
{
    std::string text;
    for (int i = 0; i < 20000; ++i) {
        text += std::to_string(i * 7919) + "\n";
    }
    std::string bytes = packed(text, GetParam());
    bytes.resize(bytes.size() / 2);
    const TraceFile file(bytes);
    try {
        lines_of(file.path());
        FAIL() << "a cut file was read to its end";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::MatchesRegex(".*\\.trace:[0-9]+: cannot read.*"));
    }
}

INSTANTIATE_TEST_SUITE_P(All, CutFile,
                         testing::Values(Packing::Gzip, Packing::Xz, Packing::Zstd,
                                         Packing::Bzip2));

TEST(LineReader, ProgressGrowsOverAPlainFile)
{
    const TraceFile file(std::string(4 << 20, '\n')); // four blocks
    LineReader reader(file.path());
    std::string_view line;
    for (int i = 0; i < 2 << 20; ++i) { // half of it; progress counts whole blocks
        ASSERT_TRUE(reader.next(line));
    }
    EXPECT_GE(reader.progress(), 0.25);
    EXPECT_LE(reader.progress(), 0.75);
}

TEST(LineReader, MarksALineAbove64KiBAndGoesOn)
{
    const std::string longest(LineReader::kMaxLine, 'a');
    const std::string more(LineReader::kMaxLine + 1, 'b');
    const std::string most(3 << 20, 'c'); // over several blocks
    const TraceFile file(longest + "\r\n" + more + "\n" + most + "\nend");
    LineReader reader(file.path());
    std::string_view line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_FALSE(reader.too_long());
    EXPECT_EQ(line, longest);
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(reader.too_long());
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(reader.too_long());
    EXPECT_EQ(reader.number(), 3u);
    ASSERT_TRUE(reader.next(line));
    EXPECT_FALSE(reader.too_long());
    EXPECT_EQ(line, "end");
    EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, LongestLineWithCrlfAcrossABlockBoundaryIsNotTooLong)
{
    const std::string filler((1 << 20) - 1000, '\n');
    const std::string longest(LineReader::kMaxLine, 'a');
    const TraceFile file(filler + longest + "\r\nend");
    LineReader reader(file.path());
    std::string_view line;
    for (std::size_t i = 0; i < filler.size(); ++i) {
        ASSERT_TRUE(reader.next(line));
    }
    ASSERT_TRUE(reader.next(line));
    EXPECT_FALSE(reader.too_long());
    EXPECT_EQ(line, longest);
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "end");
}

TEST(LineReader, NamesAFileThatIsMissingAndADirectory)
{
    const auto message = [](const std::string& path) -> std::string {
        try {
            LineReader reader(path);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(message("no/such.trace"), HasSubstr("no/such.trace:1: cannot open"));
    EXPECT_THAT(message(testing::TempDir()), HasSubstr("is a directory"));
}

} // namespace
} // namespace tlmssd::workload::test
