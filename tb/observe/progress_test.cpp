// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the progress line: its text, its pace, and silence without a terminal.
#include "models/observe/output/progress.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tlmssd::observe {
namespace {

u64 fake_ns = 0;
u64 fake_clock() { return fake_ns; }

std::string text_in(std::FILE* file)
{
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
        text += static_cast<char>(c);
    }
    return text;
}

TEST(ProgressText, KnownTotalGivesShareRateAndEta)
{
    // 250,000 of 1,000,000 in 5 s: 25 %, 50,000 a second, 15 s left.
    EXPECT_EQ(Progress::text(250000, 1000000, -1, 5.0),
              "25.0 %  250,000 requests  50,000/s  ETA 0:15");
}

TEST(ProgressText, FractionServesWhereTheTotalIsUnknown)
{
    // Half of the input in 3725 s: as long again, 1:02:05.
    EXPECT_EQ(Progress::text(7450, 0, 0.5, 3725.0), "50.0 %  7,450 requests  2/s  ETA 1:02:05");
}

TEST(ProgressText, UnknownTotalGivesNoEta)
{
    EXPECT_EQ(Progress::text(1000, 0, -1, 2.0), "1,000 requests  500/s");
}

TEST(ProgressText, MoreThanExpectedIsAllOfIt)
{
    EXPECT_EQ(Progress::text(1100, 1000, 0.2, 1.0), "100.0 %  1,100 requests  1,100/s  ETA 0:00");
}

TEST(ProgressText, NothingDoneYetHasNoEta)
{
    EXPECT_EQ(Progress::text(0, 1000, 0, 1.0), "0.0 %  0 requests  0/s");
}

TEST(Progress, SilentWithoutTerminal)
{
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    fake_ns = 0;
    {
        Progress progress(file, false, fake_clock);
        fake_ns = 10000000000;
        progress.update(5, 10, -1);
    }
    EXPECT_EQ(text_in(file), "");
    std::fclose(file);
}

TEST(Progress, AtMostFiveUpdatesASecondAndCleanLineAtTheEnd)
{
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    fake_ns = 1000;
    {
        Progress progress(file, true, fake_clock);
        for (u64 ms = 1; ms <= 1000; ++ms) {
            fake_ns = 1000 + ms * 1000000;
            progress.update(ms, 1000, -1);
        }
    }
    const std::string text = text_in(file);
    // At 200, 400, 600, 800 and 1000 ms, and once more to erase.
    EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 6);
    EXPECT_NE(text.find("\r20.0 %  200 requests  1,000/s  ETA 0:01\x1b[K"), std::string::npos);
    EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
    std::fclose(file);
}

} // namespace
} // namespace tlmssd::observe
