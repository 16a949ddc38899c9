// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of workload.loops on a trace: its rows come again from memory, with arrivals moved by the span.
#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

#include "models/workload/arrivals.h"
#include "models/workload/jobs.h"
#include "models/workload/rows/row_loop.h"
#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

using config::Beyond;
using config::LoopMode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr u32 kEndless = std::numeric_limits<u32>::max();
constexpr u64 kSecond = 1000000000000; // in ps

/// An ssdsim trace: time in ns, device, sector, sectors, 1 for a read. Span: 10 ns + 10 ns / 2 = 15 ns.
const char* const kThree = "7 0 1 1 1\n10 0 2 1 0\n17 0 3 1 1\n";

config::Workload looped(const TraceFile& file, u32 loops, const std::string& format = "ssdsim")
{
    auto workload = trace_workload(file.path(), format);
    workload.loops = loops;
    return workload;
}

TEST(TraceLoops, GiveTheRequestsAgainInOrder)
{
    const TraceFile file(kThree);
    auto workload = looped(file, 2);
    workload.mode = LoopMode::Closed;
    EXPECT_THAT(read_all(workload), ElementsAre(Request{Picoseconds(0), 1, 1, Kind::Read, false},
                                                Request{Picoseconds(0), 2, 1, Kind::Write, false},
                                                Request{Picoseconds(0), 3, 1, Kind::Read, false},
                                                Request{Picoseconds(0), 1, 1, Kind::Read, false},
                                                Request{Picoseconds(0), 2, 1, Kind::Write, false},
                                                Request{Picoseconds(0), 3, 1, Kind::Read, false}));
}

TEST(TraceLoops, NoneAndOneAreTheTraceOnce)
{
    const TraceFile file(kThree);
    EXPECT_THAT(arrivals(read_all(looped(file, 0))), ElementsAre(0, 3000, 10000));
    EXPECT_THAT(arrivals(read_all(looped(file, 1))), ElementsAre(0, 3000, 10000));
}

TEST(TraceLoops, ArrivalsMoveByTheTimeOfTheTraceAndAMeanDistance)
{
    const TraceFile file(kThree);
    auto workload = looped(file, 3);
    EXPECT_THAT(arrivals(read_all(workload)),
                ElementsAre(0, 3000, 10000, 15000, 18000, 25000, 30000, 33000, 40000));
    workload.time_scale = 0.1;
    EXPECT_THAT(arrivals(read_all(workload)), ElementsAre(0, 300, 1000, 1500, 1800, 2500, 3000, 3300, 4000));
}

TEST(TraceLoops, TheSpanIsAWholeNumberOfPicoseconds)
{
    // 11,000 ps / 3 = 3,666.7: 3,667. Span 14,667.
    const TraceFile file("0 0 1 1 1\n1 0 2 1 1\n2 0 3 1 1\n11 0 4 1 1\n");
    const auto times = arrivals(read_all(looped(file, 3)));
    ASSERT_EQ(times.size(), 12u);
    EXPECT_EQ(times[4], 14667u);
    EXPECT_EQ(times[5], 15667u);
    EXPECT_EQ(times[8], 29334u);
    EXPECT_EQ(times[11], 40334u);
}

TEST(TraceLoops, RowsOfOneInstantHaveNoSpan)
{
    const TraceFile one("9 0 1 1 1\n");
    EXPECT_THAT(arrivals(read_all(looped(one, 3))), ElementsAre(0, 0, 0));
    const TraceFile two("9 0 1 1 1\n9 0 2 1 1\n");
    EXPECT_THAT(arrivals(read_all(looped(two, 2))), ElementsAre(0, 0, 0, 0));
}

TEST(TraceLoops, LongRowsAndFlushesCountAsOneRowOfTheSpan)
{
    // 2 rows, 10 ns apart: span 20 ns.
    const TraceFile file("0 0 8 1 1\n10 0 100 65537 0\n");
    EXPECT_THAT(read_all(looped(file, 2)),
                ElementsAre(Request{Picoseconds(0), 8, 1, Kind::Read, false},
                            Request{Picoseconds(10000), 100, 65536, Kind::Write, false},
                            Request{Picoseconds(10000), 65636, 1, Kind::Write, false},
                            Request{Picoseconds(20000), 8, 1, Kind::Read, false},
                            Request{Picoseconds(30000), 100, 65536, Kind::Write, false},
                            Request{Picoseconds(30000), 65636, 1, Kind::Write, false}));
    // A flush and a write with FUA, a flush alone.
    const TraceFile flushes("8,0 1 1 0.1 7 D FWFS 16 + 8 [x]\n8,0 1 1 0.3 7 D FN 0 + 0 [x]\n");
    EXPECT_THAT(read_all(looped(flushes, 2, "blkparse")),
                ElementsAre(Request{Picoseconds(0), 0, 0, Kind::Flush, false},
                            Request{Picoseconds(0), 16, 8, Kind::Write, true},
                            Request{Picoseconds(kSecond / 5), 0, 0, Kind::Flush, false},
                            Request{Picoseconds(kSecond * 2 / 5), 0, 0, Kind::Flush, false},
                            Request{Picoseconds(kSecond * 2 / 5), 16, 8, Kind::Write, true},
                            Request{Picoseconds(kSecond * 3 / 5), 0, 0, Kind::Flush, false}));
}

TEST(TraceLoops, ArrivalsAtARateGoOn)
{
    // 3 a second. The row beyond the device takes its place in each loop.
    const TraceFile file("7 0 1 1 1\n8 0 5000 1 1\n9 0 2 1 1\n");
    auto workload = looped(file, 2);
    workload.rate_iops = 3;
    workload.beyond = Beyond::Drop;
    EXPECT_THAT(arrivals(read_all(workload, 1000)),
                ElementsAre(0, 666666666667, 1000000000000, 1666666666667));
    workload.rate_process = config::RateProcess::Poisson;
    Arrivals expected(3, config::RateProcess::Poisson, 1); // the seed of read_all()
    std::vector<u64> times;
    for (int i = 0; i < 6; ++i) {
        times.push_back(expected.next().value());
    }
    EXPECT_THAT(arrivals(read_all(workload)), testing::ElementsAreArray(times));
}

TEST(TraceLoops, EndInTheMiddleAtTheRequestsAskedFor)
{
    const TraceFile file(kThree);
    auto workload = looped(file, 4);
    workload.requests = 5;
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    EXPECT_EQ(source->expected(), 5u);
    EXPECT_THAT(lbas(drain(*source)), ElementsAre(1, 2, 3, 1, 2));
    EXPECT_EQ(source->counts().requests, 5u);
    EXPECT_EQ(source->progress(), 1);
    Request request;
    EXPECT_FALSE(source->next(request));
    workload.requests = 2;
    EXPECT_THAT(lbas(read_all(workload)), ElementsAre(1, 2));
    workload.requests = 100;
    EXPECT_EQ(read_all(workload).size(), 12u);
    workload.loops = kEndless;
    EXPECT_EQ(read_all(workload).size(), 100u);
}

TEST(TraceLoops, DoNotReadBeyondTheRequestsAskedFor)
{
    const TraceFile file(std::string(kThree) + "broken\n");
    auto workload = looped(file, 2);
    workload.requests = 3;
    EXPECT_EQ(read_all(workload).size(), 3u);
    workload.requests = 4;
    EXPECT_THAT(error_of(workload), HasSubstr(":4: ssdsim:"));
}

TEST(TraceLoops, ATraceWithoutARequestIsAnError)
{
    const TraceFile file("7 0 1 0 1\n");
    EXPECT_THAT(error_of(looped(file, 5)), HasSubstr(":1: ssdsim: the trace holds no request"));
}

TEST(TraceLoops, AnArrivalBeyondHalfThePicosecondRangeNamesTheLoop)
{
    // 2^63 ps = 9,223,372 s. Rows 10^6 s apart: span 4 x 10^6 s, so row 3 of loop 3 arrives at 10^7 s, row 2 before.
    const TraceFile file("0 0 1 1 1\n1000000000000000 0 2 1 1\n2000000000000000 0 3 1 1\n3000000000000000 0 4 1 1\n");
    auto workload = looped(file, 3);
    EXPECT_THAT(error_of(workload),
                HasSubstr(":3: ssdsim: workload.loops: loop 3: the time, scaled, is more than 106 days"));
    workload.requests = 10;
    EXPECT_EQ(arrivals(read_all(workload)).back(), 9000000 * kSecond);
    workload.requests = 0;
    workload.time_scale = 0.5; // the last row at 5.5 x 10^6 s
    EXPECT_EQ(arrivals(read_all(workload)).back(), 5500000 * kSecond);
    workload.time_scale = 4; // row 4 already in the file
    EXPECT_THAT(error_of(workload), AllOf(HasSubstr(":4: ssdsim: the time, scaled"), Not(HasSubstr("loop"))));
    workload.time_scale = 1;
    workload.mode = LoopMode::Closed;
    EXPECT_EQ(read_all(workload).size(), 12u);
}

TEST(TraceLoops, ARowIsNoRepeatOfTheLoopBefore)
{
    // 4 rows in 1,200 ns: span 1,600 ns. The first row comes again 400 ns after the last one, its like.
    const TraceFile file("0 0 8 8 1\n600 0 16 8 1\n610 0 24 8 1\n1200 0 8 8 1\n");
    auto workload = looped(file, 2);
    workload.dedup = nanoseconds(500);
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    const auto requests = drain(*source);
    EXPECT_THAT(lbas(requests), ElementsAre(8, 16, 24, 8, 8, 16, 24, 8));
    EXPECT_EQ(requests[4].arrival, nanoseconds(1600));
    EXPECT_EQ(source->counts().deduplicated, 0u);
}

TEST(TraceLoops, RepeatsInTheFileAreCountedOnceAndHaveNoPartInTheSpan)
{
    // Without them 2 rows, 300 ns apart: span 600 ns.
    const TraceFile file("0 0 8 8 1\n100 0 8 8 1\n300 0 16 8 1\n400 0 16 8 1\n");
    auto workload = looped(file, 3);
    workload.dedup = nanoseconds(500);
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    EXPECT_THAT(arrivals(drain(*source)), ElementsAre(0, 300000, 600000, 900000, 1200000, 1500000));
    EXPECT_EQ(source->counts().deduplicated, 2u);
    EXPECT_EQ(source->counts().requests, 6u);
}

TEST(TraceLoops, BrokenLinesAreNamedAndCountedOnce)
{
    const TraceFile file("0,1,512,R,0.0\nbroken\n0,2,512,R,0.2\n0,3,512,R,0.1\n");
    auto workload = looped(file, 3, "spc");
    workload.lenient = true;
    std::ostringstream warnings;
    const auto source = make_source(workload, kBigDevice, 1, &warnings);
    // 3 rows in 0.2 s: span 0.3 s. Row 3 gets the time of row 2.
    EXPECT_THAT(arrivals(drain(*source)),
                ElementsAre(0, kSecond / 5, kSecond / 5, kSecond * 3 / 10, kSecond / 2, kSecond / 2,
                            kSecond * 3 / 5, kSecond * 4 / 5, kSecond * 4 / 5));
    EXPECT_EQ(source->counts().skipped, 1u);
    const std::string shown = warnings.str();
    EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 3) << shown;
    EXPECT_THAT(shown, AllOf(HasSubstr(":2: spc: the ASU is not a number; left out"),
                             HasSubstr(":4: spc: the time goes back"), HasSubstr(": 1 rows had a time before")));
}

// Device of 1,000 sectors: one row inside, two beyond.
const char* const kBeyond = "0 0 990 10 1\n0 0 1005 8 1\n0 0 2999 2 1\n";

TEST(TraceLoops, RequestsBeyondTheDeviceAreCountedInEachLoop)
{
    const TraceFile file(kBeyond);
    auto workload = looped(file, 3);
    const auto folded = make_source(workload, 1000, 1, nullptr);
    EXPECT_THAT(lbas(drain(*folded)), ElementsAre(990, 5, 998, 990, 5, 998, 990, 5, 998));
    EXPECT_EQ(folded->counts().folded, 6u);
    workload.beyond = Beyond::Drop;
    const auto dropped = make_source(workload, 1000, 1, nullptr);
    EXPECT_THAT(lbas(drain(*dropped)), ElementsAre(990, 990, 990));
    EXPECT_EQ(dropped->counts().dropped, 6u);
    EXPECT_EQ(dropped->counts().requests, 3u);
}

TEST(TraceLoops, EndWhereTheDeviceHoldsNoRequest)
{
    const TraceFile file("0 0 1005 8 1\n0 0 2999 2 1\n");
    auto workload = looped(file, kEndless);
    workload.beyond = Beyond::Drop;
    const auto source = make_source(workload, 1000, 1, nullptr);
    EXPECT_TRUE(drain(*source).empty());
    EXPECT_EQ(source->counts().dropped, 2 * u64{kEndless});
    EXPECT_EQ(source->progress(), 1);
}

TEST(TraceLoops, KeepTheOrderOfTheSorterAndOfTheWindow)
{
    const TraceFile file("30 0 1 1 1\n20 0 2 1 1\n10 0 3 1 1\n");
    auto workload = looped(file, 2);
    workload.sort = true;
    const auto requests = read_all(workload); // 3 rows in 20 ns: span 30 ns
    EXPECT_THAT(lbas(requests), ElementsAre(3, 2, 1, 3, 2, 1));
    EXPECT_THAT(arrivals(requests), ElementsAre(0, 10000, 20000, 30000, 40000, 50000));
    const TraceFile merged("8,0 1 1 0.5 7 D R 1 + 8 [x]\n8,0 1 1 0.2 7 D R 2 + 8 [x]\n");
    EXPECT_THAT(lbas(read_all(looped(merged, 2, "blkparse"))), ElementsAre(2, 1, 2, 1));
}

TEST(TraceLoops, KeepThePlacesOfSeveralDevices)
{
    // Device 3 comes first and takes one region of 2,048 sectors.
    const TraceFile file("0 7 100 8 1\n1 3 10 8 1\n");
    auto workload = looped(file, 2);
    workload.devices = config::Devices::Concat;
    EXPECT_THAT(lbas(read_all(workload)), ElementsAre(2148, 10, 2148, 10));
}

TEST(TraceLoops, ProgressIsOverAllLoops)
{
    const TraceFile file("4 0 1 1 1\n3 0 2 1 1\n2 0 3 1 1\n1 0 4 1 1\n");
    auto workload = looped(file, 2);
    workload.sort = true; // counts its rows exactly
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    Request request;
    for (int i = 1; i <= 8; ++i) {
        ASSERT_TRUE(source->next(request));
        EXPECT_DOUBLE_EQ(source->progress(), i / 8.0);
    }
    EXPECT_EQ(source->expected(), 0u); // no number is given
    EXPECT_FALSE(source->next(request));
    EXPECT_EQ(source->progress(), 1);
}

TEST(TraceLoops, ReadAPipeOnce)
{
    const std::string path = testing::TempDir() + "trace_loops_test_" + std::to_string(getpid()) + ".fifo";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&path] { std::ofstream(path) << kThree; });
    auto workload = trace_workload(path, "ssdsim");
    workload.loops = 3;
    const auto source = make_source(workload, kBigDevice, 1, nullptr);
    Request request;
    ASSERT_TRUE(source->next(request));
    EXPECT_LT(source->progress(), 0); // how much is left to read is unknown
    EXPECT_THAT(lbas(drain(*source)), ElementsAre(2, 3, 1, 2, 3, 1, 2, 3));
    writer.join();
    unlink(path.c_str());
}

TEST(TraceLoops, OfSeveralJobsAreIndependentAndMoved)
{
    // Moved by 8 sectors; 16 sectors hold 3 + 8 = 11, and 9 + 8 = 17 folds to 1.
    const TraceFile file("0 0 3 1 1\n10 0 9 1 1\n");
    auto moved = looped(file, 2);
    moved.name = "moved";
    moved.lba_offset = 8 * 512;
    auto plain = looped(file, 3);
    plain.name = "plain";
    plain.numjobs = 2;
    const auto jobs = make_jobs({moved, plain}, 1, 16, nullptr);
    ASSERT_EQ(jobs.size(), 3u);
    Request request;
    ASSERT_TRUE(jobs[1].source->next(request));
    EXPECT_THAT(lbas(drain(*jobs[0].source)), ElementsAre(11, 1, 11, 1));
    EXPECT_THAT(lbas(drain(*jobs[1].source)), ElementsAre(9, 3, 9, 3, 9));
    EXPECT_THAT(lbas(drain(*jobs[2].source)), ElementsAre(3, 9, 3, 9, 3, 9));
    EXPECT_EQ(total_counts(jobs).requests, 16u);
    EXPECT_EQ(total_counts(jobs).folded, 2u);
    EXPECT_EQ(total_progress(jobs), 1);
}

Row row_of(u64 lba, u64 line)
{
    Row row;
    row.lba = lba;
    row.sectors = 1;
    row.line = line;
    return row;
}

TEST(RowLoop, KeepsTheLargestValuesOfARow)
{
    RowLoop loop(2);
    Row row = row_of(kMaxRowLba, RowLoop::kLines);
    row.sectors = kMaxRowSectors;
    row.kind = Kind::Trim;
    row.fua = true;
    row.preflush = true;
    ASSERT_TRUE(loop.keep(row, Picoseconds(0)));
    ASSERT_TRUE(loop.keep(row_of(1, 2), Picoseconds(kMaxArrival - 1)));
    Row again;
    ASSERT_TRUE(loop.next(again));
    EXPECT_EQ(again.lba, kMaxRowLba);
    EXPECT_EQ(again.sectors, kMaxRowSectors);
    EXPECT_EQ(again.line, RowLoop::kLines);
    EXPECT_EQ(again.kind, Kind::Trim);
    EXPECT_TRUE(again.fua);
    EXPECT_TRUE(again.preflush);
    EXPECT_FALSE(loop.arrival().has_value()); // the span, 2 (2^63 - 1) ps
    ASSERT_TRUE(loop.next(again));
    EXPECT_FALSE(again.fua);
    EXPECT_FALSE(again.preflush);
    EXPECT_FALSE(loop.next(again));
}

TEST(RowLoop, TheLastArrivalIsThatBefore2To63)
{
    // Span 2 x 2^62: loop 2 begins at 2^63 exactly, or one picosecond pair before.
    for (const u64 less : {0, 1}) {
        RowLoop loop(2);
        ASSERT_TRUE(loop.keep(row_of(1, 1), Picoseconds(0)));
        ASSERT_TRUE(loop.keep(row_of(2, 2), Picoseconds(kMaxArrival / 2 - less)));
        Row row;
        ASSERT_TRUE(loop.next(row));
        EXPECT_EQ(loop.arrival().has_value(), less == 1);
        EXPECT_EQ(loop.arrival().value_or(Picoseconds(0)).value(), less == 1 ? kMaxArrival - 2 : 0);
    }
}

TEST(RowLoop, RefusesMoreRowsAndLaterLines)
{
    RowLoop loop(2, 3);
    EXPECT_FALSE(loop.keep(row_of(1, RowLoop::kLines + 1), Picoseconds(0)));
    for (u64 i = 0; i < 3; ++i) {
        EXPECT_TRUE(loop.keep(row_of(i, i), Picoseconds(0)));
    }
    EXPECT_FALSE(loop.keep(row_of(3, 3), Picoseconds(0)));
}

TEST(RowLoop, KeepsTheOrderOfMoreThanABlockOfRows)
{
    constexpr u64 kRows = 140000; // 65,536 per block
    RowLoop loop(3);
    for (u64 i = 0; i < kRows; ++i) {
        ASSERT_TRUE(loop.keep(row_of(i, i), Picoseconds(i)));
    }
    Row row;
    for (u64 k = 1; k < 3; ++k) {
        for (u64 i = 0; i < kRows; ++i) {
            ASSERT_TRUE(loop.next(row));
            ASSERT_EQ(loop.loop(), k + 1);
            ASSERT_EQ(row.lba, i);
            ASSERT_EQ(loop.arrival()->value(), k * kRows + i); // a distance of 1 ps: span = rows
        }
    }
    EXPECT_FALSE(loop.next(row));
}

} // namespace
} // namespace tlmssd::workload::test
