// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of each trace format on hand-written lines with results worked out by hand.
#include <gmock/gmock.h>

#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr bool kFua = true;

Request at_ps(u64 ps, Kind kind, u64 lba, u32 sectors, bool fua = false)
{
    return Request{Picoseconds(ps), lba, sectors, kind, fua};
}

std::vector<Request> read(const std::string& format, const std::string& text)
{
    const TraceFile file(text);
    return read_all(trace_workload(file.path(), format));
}

std::string error_in(const std::string& format, const std::string& text)
{
    const TraceFile file(text);
    std::string message = error_of(trace_workload(file.path(), format));
    const std::size_t at = message.find(file.path());
    return at == 0 ? "FILE" + message.substr(file.path().size()) : message;
}

TEST(Spc, ReadsSecondsBytesAndBothCases)
{
    // 3584 B = 7 sectors; 3073 B touch 7; 26.214 ms = 26,214,000,000 ps; LBA is in sectors.
    EXPECT_THAT(read("spc", "0,303567,3584,w,1.000000\r\n"
                            "1,55590,3073,R,1.026214\r\n"
                            "0, 8, 512, W, 2.5, 17,extra\r\n"
                            "2,0,1,r,3"),
                ElementsAre(at_ps(0, Kind::Write, 303567, 7),
                            at_ps(26214000000, Kind::Read, 55590, 7),
                            at_ps(1500000000000, Kind::Write, 8, 1),
                            at_ps(2000000000000, Kind::Read, 0, 1)));
}

TEST(Spc, LeavesOutSizeZeroAndCountsIt)
{
    const TraceFile file("0,1,0,R,0.5\n0,2,512,R,1.0\n0,3,0,W,1.5\n");
    const auto source =
        make_source(trace_workload(file.path(), "spc"), kBigDevice, 1, nullptr);
    EXPECT_THAT(drain(*source), ElementsAre(at_ps(0, Kind::Read, 2, 1)));
    EXPECT_EQ(source->counts().skipped, 2u);
    EXPECT_EQ(source->counts().requests, 1u);
}

TEST(Spc, RoundsMoreThanNineDecimalsHalfUpAndTakesExponents)
{
    // 0.0000000015 s rounds to 2 ns; 1.5e-3 s = 1.5 ms.
    EXPECT_THAT(read("spc", "0,0,512,R,0.0000000000\n0,0,512,R,0.0000000015\n0,0,512,R,1.5e-3\n"),
                ElementsAre(at_ps(0, Kind::Read, 0, 1), at_ps(2000, Kind::Read, 0, 1),
                            at_ps(1500000000, Kind::Read, 0, 1)));
}

TEST(Spc, NamesTheBrokenField)
{
    const std::string good = "0,1,512,R,0.0\n";
    EXPECT_THAT(error_in("spc", good + "x,1,512,R,0.1\n"),
                AllOf(HasSubstr("FILE:2: spc: the ASU is not a number"),
                      HasSubstr("expected ASU,LBA,bytes,R|W,seconds")));
    EXPECT_THAT(error_in("spc", good + "0,-1,512,R,0.1\n"), HasSubstr("FILE:2: spc: the LBA"));
    EXPECT_THAT(error_in("spc", good + "0,1,5x,R,0.1\n"), HasSubstr("FILE:2: spc: the opcode"));
    EXPECT_THAT(error_in("spc", good + "0,1,512,X,0.1\n"), HasSubstr("neither R nor W"));
    EXPECT_THAT(error_in("spc", good + "0,1,512,R,-0.1\n"), HasSubstr("the time"));
    EXPECT_THAT(error_in("spc", good + "0,1,512,R,0.1 x\n"), HasSubstr("text follows"));
    EXPECT_THAT(error_in("spc", good + "0,99999999999999999999,512,R,0.1\n"),
                HasSubstr("FILE:2: spc: the LBA"));
    EXPECT_THAT(error_in("spc", good + "0,18446744073709551615,512,R,0.1\n"),
                HasSubstr("beyond 2^64 bytes"));
    EXPECT_THAT(error_in("spc", good + "0,1,18446744073709551615,R,0.1\n"),
                HasSubstr("above 2 TiB"));
    EXPECT_THAT(error_in("spc", good + std::string("0,1,512,R,0.1\0", 14)),
                HasSubstr("\\x00"));
    EXPECT_THAT(error_in("spc", good + std::string(70000, '1') + "\n"),
                HasSubstr("FILE:2: spc: line longer than 64 KiB"));
}

TEST(Msr, ReadsFiletimeAndRoundsUnalignedBytesOutwards)
{
    // 155,914 ticks of 100 ns = 15,591,400,000 ps. Bytes 1000..2023 touch sectors 1..3.
    // The times differ below 2^53 precision: one tick is 100,000 ps.
    EXPECT_THAT(read("msr", "128166391024154329,prxy,0,Write,1105182720,1024,1514\n"
                            "128166391024310243,prxy,1,Read,1000,1024,2024\n"
                            "128166391024310244,prxy,1,Read,511,2,2024"),
                ElementsAre(at_ps(0, Kind::Write, 2158560, 2),
                            at_ps(15591400000, Kind::Read, 1, 3),
                            at_ps(15591500000, Kind::Read, 0, 2)));
}

TEST(Msr, NamesTheBrokenField)
{
    EXPECT_THAT(error_in("msr", "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n"),
                HasSubstr("FILE:1: msr: the time"));
    EXPECT_THAT(error_in("msr", "1,h,0,write,0,512,1\n"), HasSubstr("neither Read nor Write"));
    EXPECT_THAT(error_in("msr", "1,h,0,Read,0,512\n"), HasSubstr("the response time"));
    EXPECT_THAT(error_in("msr", "1,h,0,Read,0,512,1,1\n"), HasSubstr("text follows"));
    EXPECT_THAT(error_in("msr", "1,h,0,Read,18446744073709551615,512,1\n"),
                HasSubstr("beyond 2^64 bytes"));
    EXPECT_THAT(error_in("msr", "1,h,0,Read,0,18446744073709551615,1\n"), HasSubstr("above 2 TiB"));
}

TEST(Ssdsim, ReadsIntegerNanosecondsWhereOneIsARead)
{
    EXPECT_THAT(read("ssdsim", "100 0 303567 7 0\r\n\r\n26214100\t1  55590 6 1 6\r\n"),
                ElementsAre(at_ps(0, Kind::Write, 303567, 7),
                            at_ps(26214000000, Kind::Read, 55590, 6)));
    EXPECT_THAT(error_in("ssdsim", "1 0 1 1 2\n"), HasSubstr("neither 0 nor 1"));
    EXPECT_THAT(error_in("ssdsim", "1.5 0 1 1 1\n"), HasSubstr("FILE:1: ssdsim: the device"));
    EXPECT_THAT(error_in("ssdsim", "1 0 1 1 1 6 7\n"), HasSubstr("text follows"));
}

TEST(Disksim, ReadsMillisecondsAndHexadecimalFlags)
{
    // 384.373 ms = 384,373,000,000 ps. Flag bit 0: b = 1011 is a read, 2 is a write.
    EXPECT_THAT(read("disksim", "7961.833 0 20228336 8 0\n8346.206\t0\t6397360\t496\tb\n"
                                "9000 0 5 1 2\n"),
                ElementsAre(at_ps(0, Kind::Write, 20228336, 8),
                            at_ps(384373000000, Kind::Read, 6397360, 496),
                            at_ps(1038167000000, Kind::Write, 5, 1)));
    EXPECT_THAT(error_in("disksim", "1.0 0 1 1 g\n"), HasSubstr("the flags"));
    EXPECT_THAT(error_in("disksim", "1.0 0 1 1 1 1\n"), HasSubstr("text follows"));
}

TEST(DisksimPages, SizesArePagesOf4KiB)
{
    EXPECT_THAT(read("disksim-pages", "26.214000\t0\t303574\t1\t0\n27.214\t0\t8\t277\t1\n"),
                ElementsAre(at_ps(0, Kind::Write, 303574, 8),
                            at_ps(1000000000, Kind::Read, 8, 2216)));
    EXPECT_THAT(error_in("disksim-pages", "1 0 0 2305843009213693952 1\n"), // 2^61 * 8 = 0
                HasSubstr("above 2 TiB"));
}

TEST(Mqsim, WantsExactlyFiveItemsWithOneBlank)
{
    EXPECT_THAT(read("mqsim", "938513000 4 264719034 16 0\n938828000 3 197570570 120 1"),
                ElementsAre(at_ps(0, Kind::Write, 264719034, 16),
                            at_ps(315000000, Kind::Read, 197570570, 120)));
    EXPECT_THAT(error_in("mqsim", "1  0 1 1 1\n"), HasSubstr("the device"));
    EXPECT_THAT(error_in("mqsim", "1\t0\t1\t1\t1\n"), HasSubstr("the device"));
    EXPECT_THAT(error_in("mqsim", "1 0 1 1 1 1\n"), HasSubstr("text follows"));
    EXPECT_THAT(error_in("mqsim", "1 0 1 1 2\n"), HasSubstr("neither 0 nor 1"));
}

const char* const kBlkparse =
    "  8,16   3        1     1.000000000  3645  Q   R 100 + 8 [java]\n"
    "  8,16   3        2     1.000000500  3645  D   R 4938888 + 256 [java]\n"
    "  8,16   3        0     1.000001000     0  m   N cfq18615S / insert_request\n"
    "  8,16   3        3     1.000001500  3645  D  WS 800 + 8 [two words]\n"
    "  8,16   3        4     1.000002500  3645  D WFSM 808 + 16 [x]\n"
    "  8,16   3        5     1.000003500  3645  D  FN [kworker/0:1]\n"
    "  8,16   3        6     1.000004500  3645  D FWS 900 [jbd2/sda1-8]\n"
    "  8,16   3        7     1.000005500  3645  D   D 4096 + 100000 [discard]\n"
    "  8,16   3        8     1.000006500  3645  D FWFS 912 + 8 [y]\n"
    "  8,16   3        9     1.000007500  3645  D   R 36 (12 00 00 00 24 00) [hald]\n"
    "  8,16   3       10     1.000008500  3645  D   N [swapper]\n"
    "  8,16   3       11     1.000009500  3645 UT   N [swapper] 1\n"
    "  8,16   3       12     1.000010500  3645  C   R 4938888 + 256 [0]\n"
    "CPU0 (8,16):\n"
    " Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB\n"
    "any text at all\n";

TEST(Blkparse, TakesOneActionWithFlushFuaAndDiscard)
{
    // FN and FWS without a count are flushes; FWFS is a flush and then a FUA write; the discard of
    // 100,000 sectors is cut at 65,536; a packet command (36 bytes) and N hold no request.
    EXPECT_THAT(read("blkparse", kBlkparse),
                ElementsAre(at_ps(0, Kind::Read, 4938888, 256),
                            at_ps(1000000, Kind::Write, 800, 8),
                            at_ps(2000000, Kind::Write, 808, 16, kFua),
                            at_ps(3000000, Kind::Flush, 0, 0), at_ps(4000000, Kind::Flush, 0, 0),
                            at_ps(5000000, Kind::Trim, 4096, 65536),
                            at_ps(5000000, Kind::Trim, 69632, 34464),
                            at_ps(6000000, Kind::Flush, 0, 0),
                            at_ps(6000000, Kind::Write, 912, 8, kFua)));
}

TEST(Blkparse, TakesQueuedRequestsWhenAsked)
{
    const TraceFile file(kBlkparse);
    auto workload = trace_workload(file.path(), "blkparse");
    workload.blkparse_action = "Q";
    EXPECT_THAT(read_all(workload), ElementsAre(at_ps(0, Kind::Read, 100, 8)));
    workload.blkparse_action = "C";
    EXPECT_THAT(error_of(workload), HasSubstr("workload.blkparse_action: unknown action \"C\""));
}

TEST(Blkparse, SaysWhenTheActionDoesNotOccur)
{
    EXPECT_THAT(error_in("blkparse", "8,0 1 1 0.5 7 Q R 100 + 8 [x]\n"),
                AllOf(HasSubstr("FILE:1: blkparse: the trace holds no request"),
                      HasSubstr("no event of action D")));
}

TEST(Blkparse, NamesTheBrokenField)
{
    const std::string good = "8,0 1 1 0.5 7 D R 100 + 8 [x]\n";
    EXPECT_THAT(error_in("blkparse", good + "8 1 2 0.6 7 D R 100 + 8 [x]\n"),
                HasSubstr("FILE:2: blkparse: the device"));
    EXPECT_THAT(error_in("blkparse", good + "8,0 1 2 0,6 7 D R 100 + 8 [x]\n"),
                HasSubstr("the process"));
    EXPECT_THAT(error_in("blkparse", good + "8,0 1 2 0.6 7 D R 100 * 8 [x]\n"),
                HasSubstr("no + before"));
    EXPECT_THAT(error_in("blkparse", good + "8,0 1 2 0.6 7 D R 100 + x\n"),
                HasSubstr("the count"));
    EXPECT_THAT(error_in("blkparse", good + "8,0 1 2 0.6 7 D X 100 + 8\n"),
                HasSubstr("rwbs has none of"));
    EXPECT_THAT(error_in("blkparse", good + "8,0 1 2 0.6 7 1 R 100 + 8\n"),
                HasSubstr("the action"));
}

TEST(AnyFormat, WithoutARequestIsAnError)
{
    for (const std::string& format : format_names()) {
        EXPECT_THAT(error_in(format, ""), HasSubstr("FILE:1: " + format + ": the trace holds no"));
        EXPECT_THAT(error_in(format, "\n \n"), HasSubstr("FILE:2: " + format + ": the trace"));
    }
}

TEST(AnyFormat, UnknownNamesGetTheNearest)
{
    EXPECT_THAT(error_in("disksim-page", ""),
                AllOf(HasSubstr("workload.format: unknown trace format \"disksim-page\""),
                      HasSubstr("did you mean \"disksim-pages\"?")));
}

} // namespace
} // namespace tlmssd::workload::test
