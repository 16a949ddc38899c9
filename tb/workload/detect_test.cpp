// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of how the format of an unnamed trace is found.
#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include "models/common/error.h"
#include "models/workload/detect/detect.h"
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
                                "mqsim all accept the first lines; name"),
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

// ---- several accept: what they make of the lines ----

/// Lines "time 0 lba size op" with these steps; `size` in turn.
struct Rows {
    u64 count = 40;
    double gap = 1; ///< of the times
    bool integer = true;
    std::vector<u64> sizes{8};
    u64 step = 0; ///< the next address is so much times the size further; 0: addresses that follow nothing

    std::string text() const
    {
        std::string out;
        u64 lba = 1001;
        for (u64 i = 0; i < count; ++i) {
            const u64 size = sizes[i % sizes.size()];
            char line[120];
            std::snprintf(line, sizeof line, integer ? "%.0f 0 %llu %llu 1\n" : "%.3f 0 %llu %llu 1\n",
                          gap * static_cast<double>(i), static_cast<unsigned long long>(lba),
                          static_cast<unsigned long long>(size));
            out += line;
            lba = step != 0 ? lba + step * size : 1001 + i * 7919 % 5003 * 1000;
        }
        return out;
    }
};

/// The format found in a file of this name, or the names of the ambiguity, or the whole message.
std::string found(const std::string& text, const std::string& name = "t", bool lenient = false)
{
    const std::string path = testing::TempDir() + name;
    std::ofstream(path) << text;
    config::Workload workload = trace_workload(path, "");
    workload.lenient = lenient;
    std::string result;
    try {
        result = detect_format(workload).format;
    } catch (const InputError& error) {
        result = error.what();
        const std::string head = "the format is ambiguous: ";
        if (const std::size_t at = result.find(head); at != std::string::npos) {
            result = result.substr(at + head.size(), result.find(" all accept") - at - head.size());
        }
    }
    std::remove(path.c_str());
    return result;
}

TEST(Detect, TheMeanGapTellsMillisecondsFromNanoseconds)
{
    const auto gap = [](double raw, u64 count = 40) { return found(Rows{count, raw}.text()); };
    EXPECT_EQ(gap(2500000), "ssdsim");                                // 2.5 ms, or 42 min; mqsim reads the same
    EXPECT_EQ(gap(10001), "ssdsim");                                  // 10 us, or more than 10 s
    EXPECT_EQ(gap(9999), "ssdsim, disksim, disksim-pages, mqsim");    // 10 us, or just below 10 s
    EXPECT_EQ(gap(101), "ssdsim, disksim, disksim-pages, mqsim");     // 101 ns, or 101 ms
    EXPECT_EQ(gap(99), "disksim, disksim-pages");                     // 99 ns, or 99 ms
    EXPECT_EQ(gap(0), "ssdsim, disksim, disksim-pages, mqsim");       // no times
    EXPECT_EQ(gap(2500000, 15), "ssdsim, disksim, disksim-pages, mqsim"); // too few to judge by
    EXPECT_EQ(gap(2500000, 16), "ssdsim");
}

TEST(Detect, RequestsThatFollowTellSectorsFromPages)
{
    const auto step = [](u64 times, std::vector<u64> sizes, u64 count = 40) {
        return found(Rows{count, 1.5, false, std::move(sizes), times}.text());
    };
    EXPECT_EQ(step(1, {8, 16}), "disksim");
    EXPECT_EQ(step(8, {2, 4}), "disksim-pages");
    EXPECT_EQ(step(0, {8, 16}), "disksim, disksim-pages");
    EXPECT_EQ(step(8, {2, 4}, 17), "disksim-pages");          // 16 follow
    EXPECT_EQ(step(8, {2, 4}, 16), "disksim, disksim-pages"); // 15
    // Sequential writes of 512 bytes, rounded up to pages: not sectors.
    EXPECT_EQ(step(1, {1}), "disksim, disksim-pages");
}

TEST(Detect, BytesAreToldBySizesThatNoSectorsHave)
{
    Rows rows{40, 1.5, false, {4096, 8192}, 1};
    const auto aligned = [&rows] { // from address 0: whole sectors
        std::string text = rows.text();
        std::string out;
        u64 lba = 0;
        for (u64 i = 0; i < rows.count; ++i) {
            const u64 size = rows.sizes[i % rows.sizes.size()];
            out += std::to_string(i) + ".5 0 " + std::to_string(lba) + " " + std::to_string(size) + " 1\n";
            lba += size;
        }
        return out;
    };
    EXPECT_EQ(found(aligned()), "ioda"); // as sectors no request is below 2 MiB
    rows.sizes = {512, 4096};            // as sectors 256 KiB
    EXPECT_EQ(found(aligned()), "disksim, ioda");
    rows.sizes = {4096}; // a benchmark of one size
    EXPECT_EQ(found(aligned()), "disksim, ioda");
}

TEST(Detect, TheNameOfTheFileDecidesAmongThoseThatRemain)
{
    const std::string integers = Rows{40, 2500000}.text();
    EXPECT_EQ(found(integers, "a.mqsim.trace"), "mqsim");
    EXPECT_EQ(found(integers, "MQSim_a.txt"), "mqsim");
    EXPECT_EQ(found(integers, "amqsim.trace"), "ssdsim"); // part of a word
    const std::string decimals = Rows{40, 1.5, false}.text();
    EXPECT_EQ(found(decimals, "a.disksim-pages"), "disksim-pages");
    EXPECT_EQ(found(decimals, "a.disksim_pages.trace"), "disksim-pages");
    EXPECT_EQ(found(decimals, "a.disksim.trace"), "disksim");
    EXPECT_EQ(found(decimals, "a.msr.trace"), "disksim, disksim-pages"); // does not accept the lines
}

TEST(Detect, NoNameSaysWhatAWaitOfFioMeans)
{
    std::string text = "fio version 2 iolog\n/dev/x add\n/dev/x open\n";
    for (int i = 0; i < 20; ++i) {
        text += "/dev/x read " + std::to_string(i * 4096) + " 4096\n/dev/x wait " + std::to_string(i * 10) + " 0\n";
    }
    EXPECT_EQ(found(text, "a.iolog"), "fio-iolog, fio-iolog-manual");
    EXPECT_EQ(found(text, "a.fio_iolog"), "fio-iolog, fio-iolog-manual");
    EXPECT_EQ(found(text, "a.fio-iolog-manual"), "fio-iolog-manual");
}

TEST(Detect, ANameAgainstWhatIsPlausibleAsks)
{
    EXPECT_EQ(found(Rows{40, 1.5, false, {2, 4}, 8}.text(), "a.disksim.trace"), "disksim-pages, disksim");
    EXPECT_EQ(found(Rows{40, 2500000}.text(), "a.disksim.trace"), "ssdsim, mqsim, disksim");
}

TEST(Detect, SaysWhyAndTheMessageNamesWhatRemains)
{
    const TraceFile file(Rows{40, 2500000}.text());
    EXPECT_EQ(detect_format(trace_workload(file.path(), "")).why,
              "one of 4 that fit its 40 lines: disksim, disksim-pages would have 41.7 min between arrivals on average; "
              "mqsim would read the same requests");
    const TraceFile only("0,1,512,R,0.0\n");
    EXPECT_EQ(detect_format(trace_workload(only.path(), "")).why, "the only one that fits its only line");
    EXPECT_THAT(detect_error(Rows{40, 50}.text()),
                AllOf(HasSubstr("ambiguous: disksim, disksim-pages all accept the first lines (ssdsim, mqsim would have 50 "
                                "ns between arrivals on average); name one with --format (workload.format)")));
}

TEST(Detect, NameFormatSetsTheFormatOnce)
{
    const TraceFile file("0,1,512,R,0.0\n");
    config::Workload workload = trace_workload(file.path(), "");
    EXPECT_EQ(name_format(workload), file.path() + ": format spc: the only one that fits its only line");
    EXPECT_EQ(workload.format, "spc");
    EXPECT_EQ(name_format(workload), "");
    std::vector<config::Workload> all{trace_workload(file.path(), ""), config::Workload(), workload};
    EXPECT_EQ(name_formats(all).size(), 1u);
}

// ---- lenient ----

std::string spc_with(u64 good, u64 broken)
{
    std::string text;
    for (u64 i = 0; i < good; ++i) {
        text += "0," + std::to_string(i) + ",512,R," + std::to_string(i) + ".0\n";
        text += i < broken ? "0,1,51\n" : "";
    }
    return text;
}

TEST(Lenient, IsNamedInTheMessageAndObeyed)
{
    const std::string text = spc_with(38, 2);
    EXPECT_THAT(found(text), AllOf(HasSubstr(":2: spc: the"), HasSubstr("no reader accepts the trace; nearest is spc"),
                                   HasSubstr("; --lenient (workload.lenient) leaves broken rows out"),
                                   Not(HasSubstr("--format"))));
    EXPECT_EQ(found(text, "t", true), "spc");
    const TraceFile file(text);
    config::Workload workload = trace_workload(file.path(), "");
    workload.lenient = true;
    EXPECT_EQ(read_all(workload).size(), 38u);
    EXPECT_EQ(detect_format(workload).why, "the only one that fits its 40 lines, 2 of them broken");
}

TEST(Lenient, TakesMoreLinesThanItLeavesOut)
{
    EXPECT_EQ(found(spc_with(3, 2), "t", true), "spc");
    EXPECT_THAT(found(spc_with(3, 2)), HasSubstr("; --lenient (workload.lenient)"));
    for (const bool lenient : {false, true}) {
        EXPECT_THAT(found(spc_with(2, 2), "t", lenient), AllOf(HasSubstr("nearest is spc"), Not(HasSubstr("--lenient"))));
    }
}

TEST(Lenient, BrokenRowsDoNotBringAnotherFormat)
{
    std::string text = Rows{100, 2500000}.text();
    text += "247500000.5 0 8 8 1\n"; // of disksim, in a file of ssdsim
    EXPECT_EQ(found(text, "t", true), "ssdsim");
    EXPECT_EQ(found(Rows{100, 2500000}.text() + "x\n", "t", true), "ssdsim");
}

} // namespace
} // namespace tlmssd::workload::test
