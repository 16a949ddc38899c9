// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: recorded flash operations come back as they went, and broken lines are named.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/common/error.h"
#include "models/probes/ops/op_stream.h"
#include "tb/support/geometry.h"

namespace tlmssd::probes {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// 2 channels x 2 CE# x 2 LUNs x 2 planes, 8 blocks of 4 pages of 8 KiB (16 sectors).
Geometry geometry()
{
    return tb::make_geometry().channels(2).ways(2).dies(2).planes(2).blocks(8).pages(4).page(8192);
}

class OpStream : public testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    std::string written(const std::string& rows) const
    {
        std::ofstream(path("ops.csv"))
            << "arrival_ns,tag,op,priority,flags,channel,ce,lun,stream,seq,cookie,oob,rows,buffers,"
               "columns,lengths\n"
            << rows;
        return path("ops.csv");
    }
    std::string error_of(const std::string& file) const
    {
        try {
            read_ops(file, geometry());
        } catch (const InputError& e) {
            return e.what();
        }
        return "none";
    }

private:
    std::string folder_ = testing::TempDir() + "tlmssd_op_stream_" + std::to_string(getpid());
};

RecordedOp two_planes()
{
    const Geometry g = geometry();
    RecordedOp r{Picoseconds(1234567), {}};
    r.op.tag = 77;
    r.op.opcode = FLASH_OP_PROGRAM;
    r.op.flags = 2 | FLASH_FLAG_FENCE | FLASH_FLAG_RAW;
    r.op.channel = 1;
    r.op.ce = 1;
    r.op.lun = 1;
    r.op.nplanes = 2;
    r.op.stream = FLASH_NO_STREAM;
    r.op.seq = 65535;
    r.op.row[0] = g.row(1, 1, 7, 3);
    r.op.row[1] = g.row(1, 0, 6, 3);
    r.op.buf[0] = 8192;
    r.op.buf[1] = 0;
    r.op.oob = 4096;
    r.op.len[0] = r.op.len[1] = 16;
    r.op.cookie = 0xffffffff;
    return r;
}

RecordedOp read_of_a_part()
{
    RecordedOp r{Picoseconds(1234568), {}};
    r.op.opcode = FLASH_OP_READ;
    r.op.nplanes = 1;
    r.op.stream = 5;
    r.op.oob = FLASH_NO_OOB;
    r.op.col[0] = 8;
    r.op.len[0] = 8;
    return r;
}

TEST_F(OpStream, ComesBackAsItWasWritten)
{
    for (const char* const name : {"a.csv", "a.csv.gz", "a.csv.xz", "a.csv.zst"}) {
        OpFile file(path(name));
        file.add(two_planes());
        file.add(read_of_a_part());
        file.close();
        const std::vector<RecordedOp> back = read_ops(path(name), geometry());
        ASSERT_EQ(back.size(), 2u) << name;
        EXPECT_EQ(back[0].at, two_planes().at);
        EXPECT_EQ(back[1].at, read_of_a_part().at);
        const flash_op first = two_planes().op, second = read_of_a_part().op;
        EXPECT_EQ(std::memcmp(&back[0].op, &first, sizeof first), 0) << name;
        EXPECT_EQ(std::memcmp(&back[1].op, &second, sizeof second), 0) << name;
    }
}

/// Rows by hand: ((LUN 1 * 8 + block 7) * 2 + plane 1) * 4 + page 3 = 127, ((8 + 6) * 2 + 0) * 4 + 3 = 115.
TEST_F(OpStream, IsReadableText)
{
    OpFile file(path("a.csv"));
    file.add(two_planes());
    file.close();
    std::ifstream in(path("a.csv"));
    std::string header, row;
    std::getline(in, header);
    std::getline(in, row);
    EXPECT_EQ(row, "1234.567,77,program,2,fence+raw,1,1,1,none,65535,4294967295,4096,127/115,8192/0,"
                   "0/0,16/16");
}

TEST_F(OpStream, ThereIsNoFileWithoutClose)
{
    {
        OpFile file(path("a.csv"));
        file.add(two_planes());
    }
    EXPECT_TRUE(std::filesystem::is_empty(path("")));
}

TEST_F(OpStream, NamesFileLineFieldAndTheNearestChoice)
{
    const std::string good = "1.000,0,read,0,-,0,0,0,none,0,0,none,0,0,0,16\n";
    const auto error = [&](const std::string& line) { return error_of(written(good + line)); };
    const auto names = [](const char* field, const char* what) {
        return AllOf(HasSubstr("ops.csv:3: field `" + std::string(field) + "`: "), HasSubstr(what));
    };
    EXPECT_EQ(error(good), "none");
    EXPECT_THAT(error("2,0,raed,0,-,0,0,0,none,0,0,none,0,0,0,16\n"),
                names("op", "did you mean read?"));
    EXPECT_THAT(error("2,0,read,0,fense,0,0,0,none,0,0,none,0,0,0,16\n"),
                names("flags", "did you mean fence?"));
    EXPECT_THAT(error("2,0,read,4,-,0,0,0,none,0,0,none,0,0,0,16\n"),
                names("priority", "0 to 3; nearest: 3"));
    EXPECT_THAT(error("2,0,read,0,-,2,0,0,none,0,0,none,0,0,0,16\n"),
                names("channel", "0 to 1; nearest: 1"));
    EXPECT_THAT(error("2.0001,0,read,0,-,0,0,0,none,0,0,none,0,0,0,16\n"),
                names("arrival_ns", "three decimals"));
    EXPECT_THAT(error("0.5,0,read,0,-,0,0,0,none,0,0,none,0,0,0,16\n"),
                names("arrival_ns", "earlier than in the line before"));
    EXPECT_THAT(error("2,0,read,0,-,0,0,0,none,0,0,none,x,0,0,16\n"),
                names("rows", "not a whole number"));
    EXPECT_THAT(error("2,0,read,0,-,0,0,0,none,0,0,none,0/1,0/0,0/0,16/16\n"),
                names("rows", "plane 0 comes twice"));
    EXPECT_THAT(error("2,0,read,0,-,0,0,1,none,0,0,none,0,0,0,16\n"), names("rows", "LUN 0"));
    EXPECT_THAT(error("2,0,read,0,-,0,0,0,none,0,0,none,0/4,0,0/0,16/16\n"),
                names("buffers", "1 planes, and `rows` has 2"));
    EXPECT_THAT(error("2,0,read,0,-,0,0,0,none,0,0,none,0,0,8,16\n"),
                names("lengths", "nearest: 1 to 8"));
    EXPECT_THAT(error("2,0,read\n"), HasSubstr("ops.csv:3: 3 fields instead of 16"));
}

TEST_F(OpStream, NamesWhatIsWrongWithTheWholeFile)
{
    EXPECT_THAT(error_of(path("none.csv")), HasSubstr("none.csv:1: cannot open the operations"));
    EXPECT_THAT(error_of(written("")), HasSubstr("no operation behind the header"));
    std::ofstream(path("b.csv")) << "arrival_ns,tags\n";
    EXPECT_THAT(error_of(path("b.csv")), HasSubstr("b.csv:1: column 2 is 'tags' and must be tag"));
    std::ofstream(path("c.csv")) << "";
    EXPECT_THAT(error_of(path("c.csv")), HasSubstr("the file is empty"));
}

} // namespace
} // namespace tlmssd::probes
