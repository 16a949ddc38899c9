// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of what happens to rows between the file and the host: order, time, split, place.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "models/common/error.h"
#include "models/workload/arrivals.h"
#include "models/workload/rows/placement.h"
#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

using config::Beyond;
using config::Devices;
using config::LoopMode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Arrival, IsScaledFromTheFirstRowWithoutAddedError)
{
    const TraceFile file("7 0 0 1 1\n10 0 0 1 1\n1000000007 0 0 1 1\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    EXPECT_THAT(arrivals(read_all(workload)), ElementsAre(0, 3000, 1000000000000));
    workload.time_scale = 0.1;
    EXPECT_THAT(arrivals(read_all(workload)), ElementsAre(0, 300, 100000000000));
    workload.time_scale = 2;
    EXPECT_THAT(arrivals(read_all(workload)), ElementsAre(0, 6000, 2000000000000));
    workload.mode = LoopMode::Closed;
    EXPECT_THAT(arrivals(read_all(workload)), ElementsAre(0, 0, 0));
    workload.time_scale = 0;
    EXPECT_THAT(error_of(workload), HasSubstr("workload.time_scale"));
}

TEST(Arrival, ARateReplacesTheTimesOfTheTrace)
{
    // 3 a second: 333333333333.3 ps apart, whatever the file says, and repeats take no place.
    const TraceFile file("7 0 0 8 1\n10 0 8 8 1\n10 0 8 8 1\n1000000007 0 16 8 1\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.rate_iops = 3;
    EXPECT_THAT(arrivals(read_all(workload)),
                ElementsAre(0, 333333333333, 666666666667, 1000000000000));
    workload.dedup = Picoseconds(1000000);
    EXPECT_THAT(arrivals(read_all(workload)), ElementsAre(0, 333333333333, 666666666667));
    workload.mode = LoopMode::Closed;
    EXPECT_THAT(arrivals(read_all(workload)), ElementsAre(0, 0, 0));
}

TEST(Arrival, PoissonDrawsOfATraceAreThoseOfTheGenerator)
{
    const TraceFile file("7 0 0 8 1\n10 0 8 8 1\n10 0 16 8 1\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.rate_iops = 1000;
    workload.rate_process = config::RateProcess::Poisson;
    Arrivals expected(1000, config::RateProcess::Poisson, 1); // the seed of read_all()
    std::vector<u64> times;
    for (int i = 0; i < 3; ++i) {
        times.push_back(expected.next().value());
    }
    EXPECT_THAT(arrivals(read_all(workload)), testing::ElementsAreArray(times));
    EXPECT_GT(times[0], 0u);
}

TEST(Arrival, BeyondHalfThePicosecondRangeIsAnError)
{
    // 2^63 ps = 9,223,372.036854775808 s.
    const TraceFile file("0 0 0 1 1\n9223372036854775 0 0 1 1\n9223372036854776 0 0 1 1\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    EXPECT_THAT(error_of(workload), HasSubstr(":3: ssdsim: the time, scaled, is more than 106"));
    workload.time_scale = 1.1;
    EXPECT_THAT(error_of(workload), HasSubstr(":2: ssdsim: the time, scaled"));
    workload.time_scale = 0.5;
    EXPECT_EQ(read_all(workload).size(), 3u);
}

TEST(Order, TimeThatGoesBackIsAnErrorOrClamped)
{
    const TraceFile file("0,1,512,R,0.000\n0,2,512,R,0.003\n0,3,512,R,0.002\n0,4,512,R,0.004\n");
    auto workload = trace_workload(file.path(), "spc");
    EXPECT_THAT(error_of(workload), HasSubstr(":3: spc: the time goes back"));
    workload.lenient = true;
    std::ostringstream warnings;
    const auto source = make_source(workload, kBigDevice, 1, &warnings);
    const auto requests = drain(*source);
    EXPECT_THAT(arrivals(requests), ElementsAre(0, 3000000000, 3000000000, 4000000000));
    EXPECT_THAT(lbas(requests), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(source->counts().skipped, 0u);
    EXPECT_THAT(warnings.str(), AllOf(HasSubstr(":3: spc: the time goes back"),
                                      HasSubstr(": 1 rows had a time before")));
}

std::string blkparse_row(const std::string& time, int lba)
{
    return "8,0 1 1 " + time + " 7 D R " + std::to_string(lba) + " + 8 [x]\n";
}

TEST(Order, BlkparseIsSortedStablyWithinTheWindow)
{
    const TraceFile file(blkparse_row("0.5", 1) + blkparse_row("0.2", 2) +
                         blkparse_row("0.5", 3) + blkparse_row("0.1", 4) +
                         blkparse_row("1.2", 5) + blkparse_row("0.5", 6));
    const auto requests = read_all(trace_workload(file.path(), "blkparse"));
    // The earliest row, not the first line, is time 0.
    EXPECT_THAT(lbas(requests), ElementsAre(4, 2, 1, 3, 6, 5));
    EXPECT_THAT(arrivals(requests), ElementsAre(0, 100000000000, 400000000000, 400000000000,
                                                400000000000, 1100000000000));
}

TEST(Order, BlkparseRowsMoreThanASecondLateAreAnErrorOrClamped)
{
    // When 3.5 has been read, 2.0 leaves; 1.9 comes after that.
    const TraceFile file(blkparse_row("2.0", 1) + blkparse_row("3.5", 2) +
                         blkparse_row("1.9", 3) + blkparse_row("3.6", 4));
    auto workload = trace_workload(file.path(), "blkparse");
    EXPECT_THAT(error_of(workload), HasSubstr(":3: blkparse: the time goes back by more than 1 s"));
    workload.lenient = true;
    const auto requests = read_all(workload);
    EXPECT_THAT(lbas(requests), ElementsAre(1, 3, 2, 4));
    EXPECT_THAT(arrivals(requests), ElementsAre(0, 0, 1500000000000, 1600000000000));
}

TEST(Order, BlkparseRowsWithABrokenTimeStampAreLeftOutAndCounted)
{
    const TraceFile file(blkparse_row("0.1", 1) + blkparse_row("1266874889.7", 2) +
                         blkparse_row("0.2", 3));
    std::ostringstream warnings;
    const auto source = make_source(trace_workload(file.path(), "blkparse"), kBigDevice, 1,
                                    &warnings);
    EXPECT_THAT(lbas(drain(*source)), ElementsAre(1, 3));
    EXPECT_EQ(source->counts().skipped, 1u);
    EXPECT_THAT(warnings.str(), HasSubstr(":2: blkparse: broken time stamp; left out"));
}

TEST(Order, TheWindowHoldsAtMost65536Rows)
{
    // 65,536 rows at one time fill the window; the row of time 0 behind them is too late.
    std::string text;
    for (int i = 0; i < 65536; ++i) {
        text += blkparse_row("0.5", i);
    }
    const TraceFile fits(text.substr(blkparse_row("0.5", 0).size()) + blkparse_row("0.0", 9));
    const auto requests = read_all(trace_workload(fits.path(), "blkparse"));
    EXPECT_EQ(requests.size(), 65536u);
    EXPECT_EQ(requests.front().lba, 9u);
    const TraceFile late(text + blkparse_row("0.0", 9));
    EXPECT_THAT(error_of(trace_workload(late.path(), "blkparse")),
                HasSubstr(":65537: blkparse: the time goes back"));
}

TEST(Sort, OrdersTheWholeTraceByTimeStably)
{
    const TraceFile file("50 0 1 1 1\n20 0 2 1 1\n50 0 3 1 1\n10 0 4 1 1\n20 0 5 1 0\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    EXPECT_THAT(error_of(workload),
                HasSubstr(":2: ssdsim: the time goes back; workload.sort sorts the trace"));
    workload.sort = true;
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    const auto requests = drain(*source);
    EXPECT_THAT(lbas(requests), ElementsAre(4, 2, 5, 1, 3));
    EXPECT_THAT(arrivals(requests), ElementsAre(0, 10000, 10000, 40000, 40000));
    EXPECT_EQ(source->progress(), 1);
    workload.requests = 2; // of the sorted ones
    EXPECT_THAT(lbas(read_all(workload)), ElementsAre(4, 2));
    workload.mode = LoopMode::Closed;
    EXPECT_THAT(lbas(read_all(workload)), ElementsAre(4, 2));
}

TEST(Sort, ReplacesTheWindowOfBlkparse)
{
    const TraceFile file(blkparse_row("2.0", 1) + blkparse_row("9.5", 2) +
                         blkparse_row("1.9", 3));
    auto workload = trace_workload(file.path(), "blkparse");
    EXPECT_THAT(error_of(workload), HasSubstr("goes back by more than 1 s"));
    workload.sort = true;
    EXPECT_THAT(lbas(read_all(workload)), ElementsAre(3, 1, 2));
}

TEST(Sort, ProgressTellsHowManyOfTheRowsWereGiven)
{
    const TraceFile file("4 0 1 1 1\n3 0 2 1 1\n2 0 3 1 1\n1 0 4 1 1\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.sort = true;
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    Request request;
    ASSERT_TRUE(source->next(request));
    EXPECT_DOUBLE_EQ(source->progress(), 0.25);
}

TEST(Dedup, LeavesOutRepeatsWithinTheTimeAndCountsThem)
{
    // 0 ns; 400 ns later the same; then another address, another length, a write; 900 ns after 0
    // it is 500 ns after the last one seen; 1,401 ns is 501 ns after that.
    const TraceFile file("0 0 8 8 1\n400 0 8 8 1\n400 0 9 8 1\n400 0 8 9 1\n400 0 8 8 0\n"
                         "900 0 8 8 1\n1401 0 8 8 1\n1401 1 8 8 1\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.dedup = Picoseconds(500000);
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    EXPECT_THAT(arrivals(drain(*source)),
                ElementsAre(0, 400000, 400000, 400000, 1401000, 1401000));
    EXPECT_EQ(source->counts().deduplicated, 2u);
    EXPECT_EQ(source->counts().requests, 6u);
    EXPECT_EQ(source->counts().skipped, 0u);
    workload.dedup = Picoseconds(0);
    EXPECT_EQ(read_all(workload).size(), 8u);
    workload.mode = LoopMode::Closed; // recorded times count there too
    workload.dedup = Picoseconds(500000);
    EXPECT_EQ(read_all(workload).size(), 6u);
}

TEST(Lenient, BrokenLinesAreLeftOutCountedAndNamed)
{
    const TraceFile file("0,1,512,R,0.0\nbroken\n0,2,512,R,0.1\n0,3,512,Q,0.2\n");
    auto workload = trace_workload(file.path(), "spc");
    workload.lenient = true;
    std::ostringstream warnings;
    const auto source = make_source(workload, kBigDevice, 1, &warnings);
    EXPECT_THAT(lbas(drain(*source)), ElementsAre(1, 2));
    EXPECT_EQ(source->counts().skipped, 2u);
    EXPECT_EQ(source->counts().requests, 2u);
    EXPECT_THAT(warnings.str(), AllOf(HasSubstr(":2: spc: the ASU is not a number; left out"),
                                      HasSubstr(":4: spc: the opcode is neither R nor W")));
}

TEST(Lenient, WarnsTenTimesAtMost)
{
    std::string text = "0,1,512,R,0.0\n";
    for (int i = 0; i < 100; ++i) {
        text += "broken\n";
    }
    const TraceFile file(text + std::string(70000, 'x') + "\n");
    auto workload = trace_workload(file.path(), "spc");
    workload.lenient = true;
    std::ostringstream warnings;
    const auto source = make_source(workload, kBigDevice, 1, &warnings);
    EXPECT_EQ(drain(*source).size(), 1u);
    EXPECT_EQ(source->counts().skipped, 101u);
    const std::string shown = warnings.str();
    EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 11);
    EXPECT_THAT(shown, HasSubstr("further warnings are not shown"));
}

TEST(Lenient, AFileOfBrokenLinesOnlyIsStillAnError)
{
    const TraceFile file("a\nb\n");
    auto workload = trace_workload(file.path(), "spc");
    workload.lenient = true;
    EXPECT_THAT(error_of(workload), HasSubstr(":2: spc: the trace holds no request"));
}

TEST(Split, LongRowsBecomeConsecutiveRequestsOfTheSameArrival)
{
    const TraceFile file("0 0 8 1 1\n5 0 100 131073 0\n");
    const auto requests = read_all(trace_workload(file.path(), "ssdsim"));
    EXPECT_THAT(requests,
                ElementsAre(Request{Picoseconds(0), 8, 1, Kind::Read, false},
                            Request{Picoseconds(5000), 100, 65536, Kind::Write, false},
                            Request{Picoseconds(5000), 65636, 65536, Kind::Write, false},
                            Request{Picoseconds(5000), 131172, 1, Kind::Write, false}));
}

// Device of 1,000 sectors: 990+10 fits; 995+8 is moved to 992; 1005 folds to 5; 2999+2 to 998.
const char* const kBeyond = "0 0 990 10 1\n0 0 995 8 1\n0 0 1005 8 1\n0 0 2999 2 1\n";

TEST(Beyond, FoldKeepsEachRequestInOnePieceInsideTheDevice)
{
    const TraceFile file(kBeyond);
    const auto source = make_source(trace_workload(file.path(), "ssdsim"), 1000, 1, nullptr);
    EXPECT_THAT(lbas(drain(*source)), ElementsAre(990, 992, 5, 998));
    EXPECT_EQ(source->counts().folded, 3u);
    EXPECT_EQ(source->counts().dropped, 0u);
    EXPECT_EQ(source->counts().requests, 4u);
}

TEST(Beyond, DropLeavesThemOut)
{
    const TraceFile file(kBeyond);
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.beyond = Beyond::Drop;
    const auto source = make_source(workload, 1000, 1, nullptr);
    EXPECT_THAT(lbas(drain(*source)), ElementsAre(990));
    EXPECT_EQ(source->counts().folded, 0u);
    EXPECT_EQ(source->counts().dropped, 3u);
    EXPECT_EQ(source->counts().requests, 1u);
}

TEST(Beyond, FoldCutsARequestLongerThanTheDevice)
{
    const TraceFile file("0 0 3 25 1\n");
    const auto source = make_source(trace_workload(file.path(), "ssdsim"), 10, 1, nullptr);
    const auto requests = drain(*source);
    ASSERT_EQ(requests.size(), 3u); // 10 + 10 + 5 sectors
    EXPECT_THAT(lbas(requests), ElementsAre(0, 0, 3));
    EXPECT_EQ(requests[2].sectors, 5u);
}

const char* const kDevices = "0 7 100 8 1\n1 3 10 8 1\n2 7 5000 8 0\n3 3 0 8 0\n4 9 1 8 1\n";

TEST(SeveralDevices, OverlayIgnoresTheDeviceNumber)
{
    const TraceFile file(kDevices);
    EXPECT_THAT(lbas(read_all(trace_workload(file.path(), "ssdsim"))),
                ElementsAre(100, 10, 5000, 0, 1));
}

TEST(SeveralDevices, ConcatLaysThemEndToEndInOrderOfNumber)
{
    // Device 3 ends at 18: one region of 2,048. Device 7 ends at 5,008: three, from 2,048 to 8,192.
    const TraceFile file(kDevices);
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.devices = Devices::Concat;
    EXPECT_THAT(lbas(read_all(workload)), ElementsAre(2148, 10, 7048, 0, 8193));
}

TEST(SeveralDevices, ConcatReportsABrokenLineBeforeItStarts)
{
    const TraceFile file(std::string(kDevices) + "x\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.devices = Devices::Concat;
    EXPECT_THROW(make_source(workload, 1000, 1, nullptr), InputError);
    workload.lenient = true;
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    EXPECT_EQ(drain(*source).size(), 5u);
    EXPECT_EQ(source->counts().skipped, 1u); // counted once, not in both passes
}

TEST(SeveralDevices, ConcatLimitsTheirNumberAndSize)
{
    std::string text;
    for (int i = 0; i <= 65536; ++i) {
        text += "0 " + std::to_string(i) + " 0 1 1\n";
    }
    const TraceFile many(text);
    auto workload = trace_workload(many.path(), "ssdsim");
    workload.devices = Devices::Concat;
    EXPECT_THAT(error_of(workload), HasSubstr(":65537: ssdsim: more than 65536 devices"));
    const TraceFile large("0 0 36028797018963900 8 1\n0 1 36028797018963900 8 1\n");
    workload.trace = large.path();
    EXPECT_THAT(error_of(workload), HasSubstr("beyond 2^64 bytes"));
}

TEST(Cap, StopsAfterTheRequestsAskedFor)
{
    const TraceFile file(kDevices);
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.requests = 3;
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    EXPECT_EQ(source->expected(), 3u);
    EXPECT_THAT(lbas(drain(*source)), ElementsAre(100, 10, 5000));
    EXPECT_EQ(source->counts().requests, 3u);
    EXPECT_EQ(source->progress(), 1);
    Request request;
    EXPECT_FALSE(source->next(request));
}

TEST(Cap, DoesNotReadBeyondIt)
{
    const TraceFile file(std::string(kDevices) + "broken\n");
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.requests = 5;
    EXPECT_EQ(read_all(workload).size(), 5u);
    workload.requests = 6;
    EXPECT_THAT(error_of(workload), HasSubstr(":6: ssdsim:"));
}

} // namespace
} // namespace tlmssd::workload::test
