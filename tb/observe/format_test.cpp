// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: numbers as people read them.
#include "models/observe/output/format.h"

#include <gtest/gtest.h>

namespace tlmssd::observe {
namespace {

TEST(Grouped, SetsACommaAtEachThousand)
{
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(grouped(~u64{0}), "18,446,744,073,709,551,615");
}

TEST(Fixed, HasThatManyDecimals)
{
    EXPECT_EQ(fixed(2.25, 2), "2.25");
    EXPECT_EQ(fixed(1234.5678, 1), "1234.6");
    EXPECT_EQ(fixed(7, 0), "7");
    EXPECT_EQ(fixed(1e300, 0).size(), 301u);
}

} // namespace
TEST(Printable, EscapesAllButPrintableAscii)
{
    EXPECT_EQ(printable("a ~b"), "a ~b");
    EXPECT_EQ(printable("\x1b[2J\n"), "\\x1b[2J\\x0a");
    EXPECT_EQ(printable("\xe2\x80\xae\x7f"), "\\xe2\\x80\\xae\\x7f");
}

TEST(AppendLines, PutsEachLineBehindThoseBefore)
{
    std::vector<std::string> lines{"first"};
    append_lines("second\n\nthird", lines);
    EXPECT_EQ(lines, (std::vector<std::string>{"first", "second", "", "third"}));
    append_lines("", lines);
    EXPECT_EQ(lines.size(), 4u);
}

} // namespace tlmssd::observe
