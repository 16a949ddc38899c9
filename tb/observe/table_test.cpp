// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the terminal summary shows the figures of the document, and survives their absence.
#include <algorithm>
#include <gmock/gmock.h>
#include <sstream>

#include "tb/observe/sample_results.h"

namespace tlmssd::observe {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string line_of(const std::string& text, const std::string& start)
{
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind(start, 0) == 0) {
            return line;
        }
    }
    return "";
}

/// Words of a line without their spacing.
std::vector<std::string> words(const std::string& line)
{
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), {}};
}

TEST(Table, ShowsTheFigures)
{
    const std::string text = table(tb::sample_results().json());
    EXPECT_THAT(line_of(text, "run"), HasSubstr("sample, scheduler vaq, seed 7"));
    EXPECT_THAT(line_of(text, "run"), HasSubstr("done"));
    EXPECT_THAT(line_of(text, "time"), HasSubstr("1.000000 s simulated; 4 requests in 0.50 s"));
    // Reads of 100, 200, 400 us in 1 s. p50 has rank 2: 200,000,000 ps lies in [2^27, 2^28) with
    // buckets of 2^17 ps; 1525 * 2^17 + 2^16 = 199,950,336 ps. The higher ones have rank 3.
    EXPECT_EQ(words(line_of(text, "reads")),
              (std::vector<std::string>{"reads", "3", "0.0", "233.3", "200.0", "400.0", "400.0",
                                        "400.0", "400.0", "400.0"}));
    EXPECT_EQ(words(line_of(text, "writes")),
              (std::vector<std::string>{"writes", "1", "0.0", "50.0", "50.0", "50.0", "50.0",
                                        "50.0", "50.0", "50.0"}));
    EXPECT_THAT(line_of(text, "flash"),
                HasSubstr("WAF 1.250; pages written 4 by host, 5 to flash"));
    EXPECT_THAT(line_of(text, "buffer"), HasSubstr("hit ratio 25.0 %"));
    // Channels 25 % and 75 % of 1 s; CPU 12.5 %; link 12.5 %.
    EXPECT_THAT(line_of(text, "busy"), HasSubstr("link to host 12.5 %, to device 0.0 %"));
    EXPECT_THAT(line_of(text, "busy"), HasSubstr("channels 50.0 % (25.0 .. 75.0)"));
    EXPECT_THAT(text, HasSubstr("CPU 12.5 % (12.5 .. 12.5) at 800 MHz"));
    EXPECT_THAT(line_of(text, "bound"), HasSubstr("0.875000 s by channel; reached 87.5 % of it"));
    EXPECT_THAT(line_of(text, "checks"), HasSubstr("3 pages, 0 mismatches; 0 protocol violations"));
    EXPECT_THAT(line_of(text, "note"), HasSubstr("calibrated: false"));
}

/// Those with one reason share it; what acted is not named.
TEST(Table, NamesWhatDidNothingAndWhy)
{
    const std::string text = table(tb::sample_results().json());
    EXPECT_EQ(words(line_of(text, "inactive")),
              (std::vector<std::string>{"inactive", "write", "hits", "(buffer.write),", "padding", "of", "blocks",
                                        "(buffer.write):", "none", "of", "1", "page", "writes", "met", "its"}));
    EXPECT_THAT(text, HasSubstr(" met its\n         page in the buffer\n")); // 99 columns; "page" would make 104
    EXPECT_THAT(text, Not(HasSubstr("read hits (")));
    EXPECT_THAT(table(tb::sample_results(true).json()),
                HasSubstr("\ninactive read hits (buffer.reads): the host read nothing\n"));
}

TEST(Table, FitsOneScreen)
{
    const std::string text = table(tb::sample_results().json());
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        EXPECT_LE(line.size(), 100u) << line;
    }
}

TEST(Table, ShowsADashWhereNothingIsDefined)
{
    const std::string text = table(tb::sample_results(true).json());
    EXPECT_EQ(words(line_of(text, "reads")),
              (std::vector<std::string>{"reads", "-", "-", "-", "-", "-", "-", "-", "-", "-"}));
    EXPECT_THAT(line_of(text, "flash"), HasSubstr("WAF -"));
    EXPECT_THAT(line_of(text, "busy"), HasSubstr("link to host -"));
    EXPECT_THAT(line_of(table(Json::object()), "run"), HasSubstr("-, scheduler -"));
}

} // namespace
} // namespace tlmssd::observe
