// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of traces that workload.trace_columns describes.
#include <gmock/gmock.h>

#include <sstream>

#include "models/common/error.h"
#include "models/workload/formats/trace_columns.h"
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

config::Workload described(const std::string& path, const std::string& columns)
{
    auto workload = trace_workload(path, "");
    workload.trace_columns = columns;
    return workload;
}

std::vector<Request> read(const std::string& columns, const std::string& text)
{
    const TraceFile file(text);
    return read_all(described(file.path(), columns));
}

/// The reader's complaint, with the file's path as FILE.
std::string error_in(const std::string& columns, const std::string& text)
{
    const TraceFile file(text);
    const std::string message = error_of(described(file.path(), columns));
    return message.rfind(file.path(), 0) == 0 ? "FILE" + message.substr(file.path().size())
                                              : message;
}

/// The complaint about a description.
std::string refusal(const std::string& columns)
{
    try {
        TraceColumns::parse(columns);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(TraceColumns, ReadsWhatIsDescribed)
{
    EXPECT_THAT(read("time:us,device,-,lba:sectors,size:bytes,op",
                     "10,0,x,100,4096,R\n12.5,0,y,8,513,Write\r\n13,0,,8,512,T\n"),
                ElementsAre(at_ps(0, Kind::Read, 100, 8), at_ps(2500000, Kind::Write, 8, 2),
                            at_ps(3000000, Kind::Trim, 8, 1)));
}

TEST(TraceColumns, UnitsOfTime)
{
    // One and two units: the step is 1 s, 1 ms, 1 us, 1 ns or 100 ns.
    const struct {
        const char* unit;
        u64 ps;
    } units[] = {{"s", 1000000000000}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000},
                 {"100ns", 100000}};
    for (const auto& unit : units) {
        EXPECT_THAT(read(std::string("time:") + unit.unit + ",lba:sectors,size:sectors,op",
                         "1,0,1,r\n2,0,1,r\n"),
                    ElementsAre(at_ps(0, Kind::Read, 0, 1), at_ps(unit.ps, Kind::Read, 0, 1)))
            << unit.unit;
    }
    // FILETIME keeps all its 64 bits: one tick of 100 ns apart.
    EXPECT_EQ(read("time:100ns,lba:sectors,size:sectors,op",
                   "128166391024310243,0,1,r\n128166391024310244,0,1,r\n")[1]
                  .arrival.value(),
              100000u);
}

TEST(TraceColumns, UnitsOfAddressAndSize)
{
    // Bytes 1000..1999 touch sectors 1..3; page 3 of 4 KiB is sector 24; 5 KiB are 10 sectors;
    // hexadecimal 1f is 31.
    EXPECT_THAT(read("lba:bytes,size:bytes,op", "1000,1000,r\n"),
                ElementsAre(at_ps(0, Kind::Read, 1, 3)));
    EXPECT_THAT(read("lba:pages4k,size:kib,op", "3,5,r\n"),
                ElementsAre(at_ps(0, Kind::Read, 24, 10)));
    EXPECT_THAT(read("lba:sectors:hex,size:sectors:hex,op", "0x1f,0A,r\n1f,1,w\n"),
                ElementsAre(at_ps(0, Kind::Read, 31, 10), at_ps(0, Kind::Write, 31, 1)));
    EXPECT_THAT(read("lba:sectors,size=4096,op=write", "5\n7\n"),
                ElementsAre(at_ps(0, Kind::Write, 5, 8), at_ps(0, Kind::Write, 7, 8)));
}

TEST(TraceColumns, ValuesOfTheOperation)
{
    // One of 0 and 1 settles the other.
    EXPECT_THAT(read("lba:sectors,size:sectors,op:1=read", "1,1,1\n2,1,0\n"),
                ElementsAre(at_ps(0, Kind::Read, 1, 1), at_ps(0, Kind::Write, 2, 1)));
    EXPECT_THAT(read("lba:sectors,size:sectors,op:1=write", "1,1,1\n2,1,0\n"),
                ElementsAre(at_ps(0, Kind::Write, 1, 1), at_ps(0, Kind::Read, 2, 1)));
    EXPECT_THAT(read("lba:sectors,size:sectors,op:2A=write:28=read:35=flush:42=trim",
                     "1,1,2a\n2,1,28\n,,35\n3,1,42\n"),
                ElementsAre(at_ps(0, Kind::Write, 1, 1), at_ps(0, Kind::Read, 2, 1),
                            at_ps(0, Kind::Flush, 0, 0), at_ps(0, Kind::Trim, 3, 1)));
    const TraceFile file("1,1,r\n2,1,open\n");
    const auto source = make_source(
        described(file.path(), "lba:sectors,size:sectors,op:r=read:open=ignore"), kBigDevice, 1,
        nullptr);
    EXPECT_EQ(drain(*source).size(), 1u);
    EXPECT_EQ(source->counts().skipped, 1u);
}

TEST(TraceColumns, TheDelimiterIsFoundOrGiven)
{
    const std::string columns = "lba:sectors,size:sectors,op";
    const auto expected = ElementsAre(at_ps(0, Kind::Read, 5, 1), at_ps(0, Kind::Write, 6, 2));
    EXPECT_THAT(read(columns, "5,1,r\n6 , 2,\tw\n"), expected);
    EXPECT_THAT(read(columns, "5;1;r\n6; 2;w\n"), expected);
    EXPECT_THAT(read(columns, "5\t1\tr\n6\t2\tw\n"), expected);
    EXPECT_THAT(read(columns, "  5 1   r\n6\t2 w  \n"), expected);
    EXPECT_THAT(read(columns + ",delimiter=|", "5|1|r\n6|2|w\n"), expected);
    EXPECT_THAT(read(columns + ",delimiter=comma", "\"5\",\"1\",\"r\"\n6,2,w\n"), expected);
    // Found once, it stays.
    EXPECT_THAT(error_in(columns, "5,1,r\n6;2;w\n"),
                AllOf(HasSubstr("FILE:2: columns: fewer than the 3 columns of "
                                "workload.trace_columns"),
                      HasSubstr("expected the columns lba:sectors,size:sectors,op")));
    EXPECT_THAT(error_in(columns, "5:1:r\n"), HasSubstr("neither commas, semicolons, tabs nor"));
}

TEST(TraceColumns, HeaderLinesCommentsAndFurtherColumns)
{
    EXPECT_THAT(read("lba:sectors,size:sectors,op,...,skip=2,comment=#",
                     "lba,size,op\n\n# a word\n5,1,r,x,y\n#\n6,2,w\n"),
                ElementsAre(at_ps(0, Kind::Read, 5, 1), at_ps(0, Kind::Write, 6, 2)));
    EXPECT_THAT(error_in("lba:sectors,size:sectors,op", "5,1,r\n5,1,r,x\n"),
                AllOf(HasSubstr("FILE:2: columns: more than the 3 columns"),
                      HasSubstr("end them with ... if")));
}

TEST(TraceColumns, DevicesMayBeWords)
{
    const TraceFile file("sda,5,r\nsdb,5,r\nsda,6,r\n");
    auto workload = described(file.path(), "device,lba:sectors,op,size=512");
    workload.devices = config::Devices::Concat;
    const std::vector<Request> requests = read_all(workload);
    ASSERT_EQ(requests.size(), 3u);
    EXPECT_EQ(requests[2].lba, requests[0].lba + 1);
    EXPECT_EQ(requests[0].lba + requests[1].lba, 5u + 5u + 2048u);
}

TEST(TraceColumns, ABrokenFieldNamesItsColumn)
{
    const std::string columns = "time:ms,device,lba:sectors,size:pages4k,op";
    const std::string good = "1,2,3,4,r\n";
    EXPECT_THAT(error_in(columns, good + "x,2,3,4,r\n"),
                HasSubstr("FILE:2: columns: column 1 (time): not a number of ms: \"x,2,3,4,r\""));
    EXPECT_THAT(error_in(columns, good + "1,,3,4,r\n"), HasSubstr("column 2 (device): empty"));
    EXPECT_THAT(error_in(columns, good + "1,2,3.5,4,r\n"),
                HasSubstr("column 3 (lba): not a number of sectors"));
    EXPECT_THAT(error_in(columns, good + "1,2,3,-4,r\n"),
                HasSubstr("column 4 (size): not a number of pages4k"));
    EXPECT_THAT(error_in(columns, good + "1,2,3,4611686018427387904,r\n"), HasSubstr("column 4"));
    EXPECT_THAT(error_in(columns, good + "1,2,3,4,1\n"),
                HasSubstr("column 5 (op): not an operation; name its values like op:0=read"));
    EXPECT_THAT(error_in(columns, good + "1,2,3,99999999999,r\n"), HasSubstr("size above 2 TiB"));
}

TEST(TraceColumns, AWrongDescriptionNamesTheColumnAndTheNearestChoice)
{
    EXPECT_THAT(refusal("time:us,lbaa:sectors"),
                AllOf(HasSubstr("workload.trace_columns: column 2: unknown name \"lbaa\""),
                      HasSubstr("did you mean \"lba\"? (-, time, device, lba, size, op)")));
    EXPECT_THAT(refusal("time,lba:sectors"), HasSubstr("column 1: time needs a unit: time:s"));
    EXPECT_THAT(refusal("time:usec"), HasSubstr("column 1: unknown unit of time \"usec\"; did you "
                                                "mean \"us\"?"));
    EXPECT_THAT(refusal("time:us:ms"), HasSubstr("column 1: time takes one unit"));
    EXPECT_THAT(refusal("lba"), HasSubstr("column 1: lba needs a unit: lba:bytes"));
    EXPECT_THAT(refusal("-,size:pages4"), HasSubstr("column 2: unknown unit \"pages4\"; did you "
                                                    "mean \"pages4k\"?"));
    EXPECT_THAT(refusal("lba:sectors:oct"), HasSubstr("column 1: \"oct\" behind the unit"));
    EXPECT_THAT(refusal("lba:sectors:hex:hex"), HasSubstr("column 1: \"hex\" behind the unit"));
    EXPECT_THAT(refusal("op:1"), HasSubstr("column 1: \"1\" is not like 1=read"));
    EXPECT_THAT(refusal("op:1=reed"),
                HasSubstr("\"reed\" is no operation; did you mean \"read\"?"));
    EXPECT_THAT(refusal("op:R=read:r=write"), HasSubstr("a second meaning for \"r\""));
    EXPECT_THAT(refusal("device:x"), HasSubstr("device takes nothing behind a colon"));
    EXPECT_THAT(refusal("device,device"), HasSubstr("column 2: a second column device"));
    EXPECT_THAT(refusal("...,lba:sectors"), HasSubstr("column 1: follows \"...\""));
    EXPECT_THAT(refusal(""), HasSubstr("the description is empty"));
    EXPECT_THAT(refusal("lba:bytes\n"),
                HasSubstr("a character that does not print: \"lba:bytes\\x0a\""));
}

TEST(TraceColumns, AWrongOptionIsNamed)
{
    EXPECT_THAT(refusal("skipp=1"), HasSubstr("unknown option \"skipp\"; did you mean \"skip\"?"));
    EXPECT_THAT(refusal("skip=x"), HasSubstr("skip: \"x\" is not a number from 0 to 1000000"));
    EXPECT_THAT(refusal("delimiter=komma"), HasSubstr("did you mean \"comma\"?"));
    EXPECT_THAT(refusal("comment=//"), HasSubstr("comment: \"//\" is not one character"));
    EXPECT_THAT(refusal("op=flush"), HasSubstr("op: all rows can be read, write or trim"));
    EXPECT_THAT(refusal("size=0"), HasSubstr("size: 0 bytes"));
}

TEST(TraceColumns, AddressSizeAndOperationMustBeKnownOnce)
{
    EXPECT_THAT(refusal("size:bytes,op"), HasSubstr("no column lba"));
    EXPECT_THAT(refusal("lba:bytes,op"), HasSubstr("neither a column size nor size="));
    EXPECT_THAT(refusal("lba:bytes,size:bytes,op,size=1"), HasSubstr("both a column size"));
    EXPECT_THAT(refusal("lba:bytes,size:bytes"), HasSubstr("neither a column op nor op="));
    EXPECT_THAT(refusal("lba:bytes,size:bytes,op,op=read"), HasSubstr("both a column op"));
    EXPECT_EQ(refusal("lba:bytes,size:bytes,op"), "accepted");
    std::string many = "lba:bytes,size:bytes,op";
    for (int i = 0; i < 61; ++i) {
        many += ",-";
    }
    EXPECT_EQ(refusal(many), "accepted"); // 64 columns
    EXPECT_THAT(refusal(many + ",-"), HasSubstr("column 65: more than 64 columns"));
}

TEST(TraceColumns, GoesWithNoOtherFormat)
{
    const TraceFile file("5,1,r\n");
    auto workload = described(file.path(), "lba:sectors,size:sectors,op");
    workload.format = "columns";
    EXPECT_EQ(read_all(workload).size(), 1u);
    workload.format = "spc";
    EXPECT_THAT(error_of(workload), HasSubstr("workload.trace_columns: has no effect because "
                                              "workload.format is spc"));
    workload.format = "columns";
    workload.trace_columns = "";
    EXPECT_THAT(error_of(workload),
                HasSubstr("workload.format: columns needs workload.trace_columns"));
}

} // namespace
} // namespace tlmssd::workload::test
