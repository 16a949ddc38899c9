// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of how the format of an unnamed trace is found.
#include <gmock/gmock.h>

#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string detect_error(const std::string& text)
{
    const TraceFile file(text);
    return error_of(trace_workload(file.path(), ""));
}

std::size_t requests_of(const std::string& text, Packing packing = Packing::Plain)
{
    const TraceFile file(text, packing);
    return read_all(trace_workload(file.path(), "")).size();
}

TEST(Detect, TakesTheOnlyReaderThatAccepts)
{
    EXPECT_EQ(requests_of("0,1,512,R,0.0\n0,1,512,W,0.1\n"), 2u);
    EXPECT_EQ(requests_of("128166391024154329,prxy,0,Write,512,1024,1514\n"), 1u);
    EXPECT_EQ(requests_of("8,0 1 1 0.5 7 Q R 100 + 8 [x]\n8,0 1 1 0.5 7 D R 100 + 8 [x]\n"), 1u);
    EXPECT_EQ(requests_of("0,1,512,R,0.0\n", Packing::Xz), 1u);
    EXPECT_EQ(requests_of("1 0 1 8 1 6\n"), 1u); // the sixth field is SSDsim's alone
}

TEST(Detect, IntegerTimesInFiveColumnsAreAmbiguous)
{
    EXPECT_THAT(detect_error("100 0 8 8 1\n200 0 8 8 0\n"),
                AllOf(HasSubstr(":1: the format is ambiguous: ssdsim, disksim, disksim-pages, "
                                "mqsim all accept"),
                      HasSubstr("workload.format")));
    // A tab or two blanks rule MQSim out.
    EXPECT_THAT(detect_error("100\t0 8 8 1\n"),
                AllOf(HasSubstr("ssdsim, disksim, disksim-pages all"), Not(HasSubstr("mqsim"))));
}

TEST(Detect, DecimalTimesLeaveSectorsAndPagesAmbiguous)
{
    EXPECT_THAT(detect_error("1.5 0 8 8 1\n"), HasSubstr("ambiguous: disksim, disksim-pages all"));
}

TEST(Detect, LooksAtTheFirstThousandLinesOnly)
{
    std::string text;
    for (int i = 0; i < 1000; ++i) {
        text += "0,1,512,R,0.0\n";
    }
    // Line 1,001 is beyond the trial and so the reader's own error.
    EXPECT_THAT(detect_error(text + "nonsense\n"),
                AllOf(HasSubstr(":1001: spc: the ASU"), Not(HasSubstr("no reader"))));
    text.resize(text.size() - 14); // one line less
    EXPECT_THAT(detect_error(text + "nonsense\n"),
                AllOf(HasSubstr(":1000: spc: the ASU"), HasSubstr("no reader accepts")));
}

TEST(Detect, NamesTheNearestFormatAndItsFirstBadLine)
{
    EXPECT_THAT(detect_error("1,h,0,Read,0,512,1\n1,h,0,Reed,0,512,1\n"),
                AllOf(HasSubstr(":2: msr: the type is neither Read nor Write"),
                      HasSubstr("(no reader accepts the trace; nearest is msr)")));
    EXPECT_THAT(detect_error("0,303567,3584,x,0.0\n"), HasSubstr(":1: spc: the opcode"));
}

TEST(Detect, AnEmptyTraceIsAnError)
{
    EXPECT_THAT(detect_error(""), HasSubstr(":1: the trace is empty"));
    EXPECT_THAT(detect_error("CPU0 (8,0):\n"), HasSubstr(":1: "));
}

} // namespace
} // namespace tlmssd::workload::test
