// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of trace formats with headers, words or clocks, on hand-written lines.
#include <gmock/gmock.h>

#include <sstream>

#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Request at_ps(u64 ps, Kind kind, u64 lba, u32 sectors)
{
    return Request{Picoseconds(ps), lba, sectors, kind, false};
}

struct Reading {
    std::vector<Request> requests;
    u64 skipped = 0;
    std::string warnings;
};

Reading read(const std::string& format, const std::string& text)
{
    const TraceFile file(text);
    std::ostringstream warnings;
    const auto source = make_source(trace_workload(file.path(), format), kBigDevice, 1, &warnings);
    Reading reading;
    reading.requests = drain(*source);
    reading.skipped = source->counts().skipped;
    reading.warnings = warnings.str();
    return reading;
}

std::string error_in(const std::string& format, const std::string& text)
{
    const TraceFile file(text);
    std::string message = error_of(trace_workload(file.path(), format));
    const std::size_t at = message.find(file.path());
    return at == 0 ? "FILE" + message.substr(file.path().size()) : message;
}

const std::string kMd5 = "88b93b628d84082186026d9da044f173";
const std::string kNul(3, '\0');

TEST(Fiu, ReadsNanosecondsSectorsAndTheDevice)
{
    EXPECT_THAT(read("fiu", "89966527950584 4253 nfsd 508516672 8 W 6 0 " + kMd5 + "\r\n" +
                                "89966527996712 4253 nfsd 508516680 8 R 6 0 " + kMd5)
                    .requests,
                ElementsAre(at_ps(0, Kind::Write, 508516672, 8),
                            at_ps(46128000, Kind::Read, 508516680, 8))); // 46,128 ns
}

TEST(Fiu, AProcessNameMayHoldBlanksAndNumbers)
{
    EXPECT_THAT(read("fiu", "1 2 my job 7 100 8 W 6 0 " + kMd5 + "\n").requests,
                ElementsAre(at_ps(0, Kind::Write, 100, 8)));
    EXPECT_THAT(read("fiu", "1 2 job 5 6 100 8 W 6 0 " + kMd5 + "\n").requests,
                ElementsAre(at_ps(0, Kind::Write, 100, 8)));
}

TEST(Fiu, TarHeaderAndPaddingAreLeftOut)
{
    // As published: a pax header whose first record shares its line, one more record, then the
    // file's header with the file's first line behind it; padding without a line end closes.
    const std::string row = "5 1 p 8 8 W 6 0 " + kMd5 + "\n";
    const Reading reading =
        read("fiu", "./PaxHeaders/x" + kNul + "ustar" + kNul + "30 atime=1410563628.27\n" +
                        "28 ctime=1410563671.72\n" + kNul + "x.blkparse" + kNul + "ustar" + kNul +
                        "4 1 p 0 8 W 6 0 " + kMd5 + "\n" + row + kNul + kNul);
    EXPECT_THAT(reading.requests, ElementsAre(at_ps(0, Kind::Write, 8, 8)));
    EXPECT_EQ(reading.skipped, 1u);
    EXPECT_THAT(reading.warnings,
                HasSubstr(":3: fiu: the row shares its line with a tar header; left out"));
    EXPECT_THAT(error_in("fiu", "28 ctime=1410563671.72\n" + row),
                HasSubstr("FILE:1: fiu: the pid is not a number"));
    EXPECT_THAT(error_in("fiu", row + "x" + kNul + "y\n"),
                HasSubstr("FILE:2: fiu: the line holds NUL characters, but is no tar header"));
    EXPECT_THAT(error_in("fiu", row + kNul + "ustar" + kNul + "5 1 p 8 8 X\n"),
                HasSubstr("FILE:2: fiu: the operation is neither R nor W"));
}

TEST(Fiu, NamesTheBrokenField)
{
    EXPECT_THAT(error_in("fiu", "x 1 p 8 8 W 6 0 " + kMd5), HasSubstr("the time"));
    EXPECT_THAT(error_in("fiu", "1 1 p -8 8 W 6 0 " + kMd5), HasSubstr("the LBA"));
    EXPECT_THAT(error_in("fiu", "1 1 p 8 x W 6 0 " + kMd5), HasSubstr("the size"));
    EXPECT_THAT(error_in("fiu", "1 1 p 8 8 X 6 0 " + kMd5), HasSubstr("neither R nor W"));
    EXPECT_THAT(error_in("fiu", "1 1 p 8 8 W x 0 " + kMd5), HasSubstr("the major"));
    EXPECT_THAT(error_in("fiu", "1 1 p 8 8 W 6 x " + kMd5), HasSubstr("the minor"));
    EXPECT_THAT(error_in("fiu", "1 1 p 8 8 W 6 0 " + kMd5.substr(1)), HasSubstr("32 hexadecimal"));
    EXPECT_THAT(error_in("fiu", "1 1 p 8 8 W 6 0 " + kMd5 + " 9"), HasSubstr("text follows"));
}

const std::string kPreamble = "Copyright somebody\n\nstarted; 5 times\nstart ; sector; length ; "
                              "op ;  replay_delay=0 ; replay_duration=0\n";

TEST(Blkreplay, ReadsRowsBehindTheStartLine)
{
    // 0.449518165 s = 449,518,165,000 ps.
    const Reading reading = read("blkreplay", kPreamble +
                                 "      0.000000000 ;     37766853 ;   64 ; W ; 0.0 ; 0.0\n"
                                 "      0.449518165 ;     37766917 ;   14 ; R ; 0.0 ; 0.0\r\n"
                                 "      0.449600000 ;     37766917 ;   14 ;RA ; 0.0 ; 0.0\n"
                                 "1.5;8;0;W\n1.5;8;16;W");
    EXPECT_THAT(reading.requests, ElementsAre(at_ps(0, Kind::Write, 37766853, 64),
                                              at_ps(449518165000, Kind::Read, 37766917, 14),
                                              at_ps(1500000000000, Kind::Write, 8, 16)));
    EXPECT_EQ(reading.skipped, 2u); // RA and the size 0
    EXPECT_THAT(reading.warnings, HasSubstr(":7: blkreplay: the operation is neither R nor W"));
}

TEST(Blkreplay, NamesTheBrokenFieldAndWantsTheStartLine)
{
    EXPECT_THAT(error_in("blkreplay", "0.0 ; 8 ; 8 ; W ; 0.0 ; 0.0\n"),
                AllOf(HasSubstr("FILE:1: blkreplay: the trace holds no request"),
                      HasSubstr("begins \"start ;\"")));
    EXPECT_THAT(error_in("blkreplay", kPreamble + "x ; 8 ; 8 ; W\n"),
                HasSubstr("FILE:5: blkreplay: the start is not a number of seconds"));
    EXPECT_THAT(error_in("blkreplay", kPreamble + "0 ; x ; 8 ; W\n"), HasSubstr("the sector"));
    EXPECT_THAT(error_in("blkreplay", kPreamble + "0 ; 8 , 8 ; W\n"), HasSubstr("the length"));
    EXPECT_THAT(error_in("blkreplay", kPreamble + "0 ; 8 ; 8 ; 1\n"), HasSubstr("not a word"));
    EXPECT_THAT(error_in("blkreplay", kPreamble + "0 ; 8 ; 8 ; W x\n"), HasSubstr("text follows"));
}

TEST(FioIolog, ReadsVersion3InMicroseconds)
{
    // Bytes 512..1535 are sectors 1 and 2; bytes 1000..1999 touch sectors 1..3.
    EXPECT_THAT(read("fio-iolog", "fio version 3 iolog\n"
                                  "30 /dev/sda add\n107 /dev/sda open\n"
                                  "1000 /dev/sda write 512 1024\n"
                                  "1005 /dev/sda read 1000 1000\n"
                                  "1006 /dev/sda sync 0 0\n"
                                  "1007 /dev/sda datasync\n"
                                  "2000 /dev/sdb trim 0 4096\n2001 /dev/sda close\n")
                    .requests,
                ElementsAre(at_ps(0, Kind::Write, 1, 2), at_ps(5000000, Kind::Read, 1, 3),
                            at_ps(6000000, Kind::Flush, 0, 0), at_ps(7000000, Kind::Flush, 0, 0),
                            at_ps(1000000000, Kind::Trim, 0, 8)));
}

TEST(FioIolog, EachFileNameIsADevice)
{
    const TraceFile file("fio version 3 iolog\n1 /a write 0 4096\n2 /b write 0 4096\n"
                         "3 /a read 0 4096\n");
    auto workload = trace_workload(file.path(), "fio-iolog");
    workload.devices = config::Devices::Concat;
    const std::vector<Request> requests = read_all(workload);
    ASSERT_EQ(requests.size(), 3u);
    // One device at 0, the other behind it at 1 MiB = 2,048 sectors; which is which a hash says.
    EXPECT_EQ(requests[0].lba + requests[1].lba, 2048u);
    EXPECT_EQ(requests[2].lba, requests[0].lba);
}

const std::string kVersion2 = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n"
                              "/dev/sda write 0 4096\n/dev/sda wait 3 0\n"
                              "/dev/sda read 4096 512\n/dev/sda wait 2\n/dev/sda read 0 512\n"
                              "/dev/sda close\n";

TEST(FioIolog, WaitsOfVersion2AreReadAsFiosCodeOrAsItsManual)
{
    // Code: at least 3 ms, then at least 2 ms after the start, which has passed.
    EXPECT_THAT(read("fio-iolog", kVersion2).requests,
                ElementsAre(at_ps(0, Kind::Write, 0, 8), at_ps(3000000000, Kind::Read, 8, 1),
                            at_ps(3000000000, Kind::Read, 0, 1)));
    // Manual: 3 us, then 2 us more.
    EXPECT_THAT(read("fio-iolog-manual", kVersion2).requests,
                ElementsAre(at_ps(0, Kind::Write, 0, 8), at_ps(3000000, Kind::Read, 8, 1),
                            at_ps(5000000, Kind::Read, 0, 1)));
    EXPECT_THAT(error_in("", kVersion2),
                HasSubstr("FILE:1: the format is ambiguous: fio-iolog, fio-iolog-manual all"));
}

TEST(FioIolog, VersionsWithoutWaitsAreFoundUnnamed)
{
    EXPECT_EQ(read("", "fio version 2 iolog\n/x write 0 512\n").requests.size(), 1u);
    EXPECT_EQ(read("", "fio version 3 iolog\n5 /x write 0 512\n").requests.size(), 1u);
}

TEST(FioIolog, NamesTheBrokenField)
{
    const std::string v2 = "fio version 2 iolog\n";
    const std::string v3 = "fio version 3 iolog\n";
    EXPECT_THAT(error_in("fio-iolog", "5 /x write 0 512\n"),
                HasSubstr("FILE:1: fio-iolog: the first"));
    EXPECT_THAT(error_in("fio-iolog", "fio version 1 iolog\n"), HasSubstr("only versions 2 and 3"));
    EXPECT_THAT(error_in("fio-iolog", "fio version 3 iolog x\n"), HasSubstr("only versions"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "/x write 0 512\n"),
                HasSubstr("FILE:2: fio-iolog: the time"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5\n"), HasSubstr("the file name"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5 /x\n"), HasSubstr("the action is missing"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5 /x wait 7 0\n"), HasSubstr("version 3 has no wait"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5 /x erase 7 0\n"), HasSubstr("unknown action"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5 /x open 7\n"), HasSubstr("text follows the action"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5 /x read\n"), HasSubstr("the offset"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5 /x read 0\n"), HasSubstr("the length"));
    EXPECT_THAT(error_in("fio-iolog", v3 + "5 /x read 0 512 1\n"),
                HasSubstr("text follows the length"));
    EXPECT_THAT(error_in("fio-iolog", v2 + "/x wait y\n"), HasSubstr("the wait is not a number"));
    EXPECT_THAT(error_in("fio-iolog", v2 + "/x wait 9999999999999999\n"), HasSubstr("too long"));
}

const std::string kHfHeader =
    "#DUMP_OFFSET.I,ELAPSED_USECS.D,ELAPSED_TICKS.I,CMD.S,INFLIGHT_IOS.I,TS.I,SEQID.I,LUN_SSID.I,"
    "OP.I,PHASE.I,LBA.I,NBLKS.I,LATENCY_TICKS.I,HOST_ID.I,HOST_LUN.I,LATENCY_USECS.D\n";

TEST(Hfplayer, FindsItsColumnsByTheHeader)
{
    // 145.714 us = 145,714,000 ps.
    EXPECT_THAT(read("hfplayer", kHfHeader +
                                     "0,0.000,0,RD_IN,0,26,82,5,0,0,1170210688,8,85256,7,5,39.9\n"
                                     "7,100.0,1,RD_OUT,0,26,82,5,0,0,1,8,85256,7,5,39.964\n"
                                     "56,145.714,310856,WR_IN,0,26,82,5,1,0,3312,16,4,7,5,19.896\n")
                    .requests,
                ElementsAre(at_ps(0, Kind::Read, 1170210688, 8),
                            at_ps(145714000, Kind::Write, 3312, 16)));
    EXPECT_THAT(read("hfplayer", "LBA.I,NBLKS.I,CMD.S,ELAPSED_USECS.D,LUN_SSID.I\n"
                                 "8,2,WR_IN,1.5,0\n")
                    .requests,
                ElementsAre(at_ps(0, Kind::Write, 8, 2)));
}

TEST(Hfplayer, NamesTheBrokenField)
{
    const std::string header = "LBA.I,NBLKS.I,CMD.S,ELAPSED_USECS.D,LUN_SSID.I\n";
    EXPECT_THAT(error_in("hfplayer", "8,2,WR_IN,1.5,0\n"),
                HasSubstr("FILE:1: hfplayer: the first"));
    EXPECT_THAT(error_in("hfplayer", header + "x,2,WR_IN,1.5,0\n"),
                HasSubstr("FILE:2: hfplayer: the LBA"));
    EXPECT_THAT(error_in("hfplayer", header + "8,2x,WR_IN,1.5,0\n"),
                HasSubstr("the number of blocks"));
    EXPECT_THAT(error_in("hfplayer", header + "8,2,,1.5,0\n"), HasSubstr("the command"));
    EXPECT_THAT(error_in("hfplayer", header + "8,2,WR_IN,1.5s,0\n"), HasSubstr("the time"));
    EXPECT_THAT(error_in("hfplayer", header + "8,2,WR_IN,1.5,\n"), HasSubstr("the LUN"));
    EXPECT_THAT(error_in("hfplayer", header + "8,2,WR_IN,1.5\n"), HasSubstr("fewer columns"));
    EXPECT_THAT(error_in("hfplayer", header + "8,2,WR_IN,1.5,0,1\n"), HasSubstr("more columns"));
}

TEST(Tencent, OneIsAWriteAndVolumesMayBeWords)
{
    EXPECT_THAT(read("tencent", "1515772800,1048978712,8,1,QRRTVUQXRQQQSUS\n"
                                "1515772801,306786320,16,0,1283\n")
                    .requests,
                ElementsAre(at_ps(0, Kind::Write, 1048978712, 8),
                            at_ps(1000000000000, Kind::Read, 306786320, 16)));
    EXPECT_THAT(error_in("tencent", "1.5,8,8,1,v\n"), HasSubstr("FILE:1: tencent: the offset"));
    EXPECT_THAT(error_in("tencent", "99999999999999,8,8,1,v\n"), HasSubstr("the time"));
    EXPECT_THAT(error_in("tencent", "1,8,x,1,v\n"), HasSubstr("the size"));
    EXPECT_THAT(error_in("tencent", "1,8,8,2,v\n"), HasSubstr("neither 0 nor 1"));
    EXPECT_THAT(error_in("tencent", "1,8,8,1\n"), HasSubstr("the volume"));
    EXPECT_THAT(error_in("tencent", "1,8,8,1,v,w\n"), HasSubstr("the volume"));
    EXPECT_THAT(error_in("tencent", "1,8,8,1,v w\n"), HasSubstr("text follows"));
}

TEST(Alibaba, ReadsBytesAndMicroseconds)
{
    // 126,703,644,672 / 512 = 247,468,056.
    EXPECT_THAT(read("alibaba", "419,W,126703644672,4096,1577808144360767\n"
                                "725,R,513,512,1577808144360789\n")
                    .requests,
                ElementsAre(at_ps(0, Kind::Write, 247468056, 8),
                            at_ps(22000000, Kind::Read, 1, 2)));
    EXPECT_THAT(error_in("alibaba", "x,W,0,4096,1\n"), HasSubstr("FILE:1: alibaba: the device"));
    EXPECT_THAT(error_in("alibaba", "1,X,0,4096,1\n"), HasSubstr("neither R nor W"));
    EXPECT_THAT(error_in("alibaba", "1,W,0,4096\n"), HasSubstr("the time"));
    EXPECT_THAT(error_in("alibaba", "1,W,0,4096,1,2\n"), HasSubstr("text follows"));
}

TEST(Systor17, ResponseMayBeEmptyAndRowsWithoutATypeAreLeftOut)
{
    // 0.000012 s later = 12,000,000 ps.
    const Reading reading = read("systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n"
                                             "1455592260.000001000,0.000123,W,3,4096,8192\n"
                                             "1455592260.000013000,,R,0,0,512\n"
                                             "1455592260.000014000,,,0,0,512\n");
    EXPECT_THAT(reading.requests, ElementsAre(at_ps(0, Kind::Write, 8, 16),
                                              at_ps(12000000, Kind::Read, 0, 1)));
    EXPECT_EQ(reading.skipped, 1u);
    EXPECT_THAT(reading.warnings, HasSubstr(":4: systor17: the type is blank; left out"));
    EXPECT_THAT(error_in("systor17", "1,x,R,0,0,512\n"), HasSubstr("the response"));
    EXPECT_THAT(error_in("systor17", "1,,X,0,0,512\n"), HasSubstr("neither R nor W"));
    EXPECT_THAT(error_in("systor17", "1,,R,x,0,512\n"), HasSubstr("the LUN"));
    EXPECT_THAT(error_in("systor17", "1,,R,0,0,512\nTimestamp,Response,IOType,LUN,Offset,Size\n"),
                HasSubstr("FILE:2: systor17: the time"));
}

TEST(CloudPhysics, ReadsScsiCodes)
{
    const Reading reading = read("cloudphysics", "version,time,op,size,lbn\n"
                                                 "1,33898,2a,512,42932745\n"
                                                 "1,33899,28,6144,31954535\n"
                                                 "2,33899,88,4096,8\n"
                                                 "2,33900,35,0,0\n"
                                                 "2,33901,12,36,0\n");
    EXPECT_THAT(reading.requests, ElementsAre(at_ps(0, Kind::Write, 42932745, 1),
                                              at_ps(1000000, Kind::Read, 31954535, 12),
                                              at_ps(1000000, Kind::Read, 8, 8),
                                              at_ps(2000000, Kind::Flush, 0, 0)));
    EXPECT_EQ(reading.skipped, 1u); // INQUIRY
    EXPECT_EQ(read("cloudphysics", "1,33898,2a,512,42932745\n").requests.size(), 1u);
    EXPECT_THAT(error_in("cloudphysics", "1,2,2g,512,0\n"), HasSubstr("the size"));
    EXPECT_THAT(error_in("cloudphysics", "1,2,12a,512,0\n"), HasSubstr("not a byte"));
    EXPECT_THAT(error_in("cloudphysics", "1,2,28,512,0,1\n"), HasSubstr("text follows"));
}

TEST(Ioda, ReadsMillisecondsAndWholeSectorsInBytes)
{
    EXPECT_THAT(read("ioda", "3.410 0 4096 1024 1\n6.204 0 512 8192 0\n").requests,
                ElementsAre(at_ps(0, Kind::Read, 8, 2), at_ps(2794000000, Kind::Write, 1, 16)));
    EXPECT_THAT(error_in("ioda", "3.410 0 100 1024 1\n"),
                HasSubstr("the offset is not a multiple"));
    EXPECT_THAT(error_in("ioda", "3.410 0 512 100 1\n"), HasSubstr("the size is not a multiple"));
    EXPECT_THAT(error_in("ioda", "3.410 0 512 512 2\n"), HasSubstr("neither 0 nor 1"));
    EXPECT_THAT(error_in("", "3.410 0 4096 1024 1\n"),
                HasSubstr("disksim, disksim-pages, ioda all"));
}

} // namespace
} // namespace tlmssd::workload::test
