// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mutated traces end cleanly: read to the end, or an error that names file and line.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

struct Sample {
    const char* format;
    const char* text;
};

const Sample kSamples[] = {
    {"spc", "0,303567,3584,w,0.000000\r\n1,55590,3072,w,0.000000\n0,303574,3584,R,0.026214\n"
            "2,612639,4096,r,28.324659,7,x\n4,837815,0,w,28.442623"},
    {"msr", "128166391024154329,prxy,0,Write,1105182720,1024,1514\n"
            "128166391024310068,prxy,0,Read,1105183744,1000,2024\n"
            "128166391024779632,prxy,1,Write,1105184768,1024,1203\n"},
    {"ssdsim", "0 0 303567 7 0\n0 1 55590 6 0\r\n26214000 0 303574 7 1\n26214001 1 240840 6 0 9\n"},
    {"disksim", "7961.833 0 20228336 8 0\n8346.206 0 6397360 496 1\n8348.644\t0\t6397856 472 0\n"},
    {"disksim-pages",
     "26.214000\t0\t303574\t1\t0\n78.643000\t0\t55596\t1\t1\n117.9e0\t0\t3\t1\t0\n"},
    {"mqsim", "938513000 4 264719034 16 0\n938828000 3 197570570 16 1\n938944000 13 93230992 32 0"},
    {"blkparse",
     "  8,16   3        4     0.000011950  3645  I   R 4938888 + 256 [java]\n"
     "  8,16   3        5     0.000026421  3645  D   R 4938888 + 256 [java]\n"
     "  8,16   2        0     0.000012990     0  m   N cfq18615S / insert_request\n"
     "  8,16   2        4     0.002025461  3643  D WFS 4931672 + 8 [java]\n"
     "  8,16   2        6     0.002025400  3643  D FWS [java]\n"
     "  8,16   2        7     0.002025500  3643  D   D 4096 + 65536 [java]\n"
     "CPU0 (8,16):\n Reads Queued:           0,        0KiB\n"},
    {"blkreplay", "Copyright\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n"
                  "      0.000000000 ;     37766853 ;   64 ; W ; 0.0 ; 0.0\r\n"
                  "      0.449518165 ;     37766917 ;   14 ;RA ; 0.0 ; 0.0\n"
                  "      0.449618165 ;     37766917 ;   14 ; R ; 0.0 ; 0.0\n"},
    {"fio-iolog", "fio version 3 iolog\n30 /dev/sda add\n10731 /dev/sda open\n"
                  "10736 /dev/sda trim 0 2147483648\n10752 /dev/sda write 0 4096\n"
                  "10753 /dev/sdb datasync\n10754 /dev/sdb read 512 1000\n10892 /dev/sda close\n"},
    {"fio-iolog-manual", "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n"
                         "/dev/sda write 0 4096\n/dev/sda wait 3 0\n/dev/sda read 4096 512\n"
                         "/dev/sda wait 2\n/dev/sda sync 0 0\n/dev/sda close\n"},
    {"fiu", "89966527950584 4253 nfsd 508516672 8 W 6 0 88b93b628d84082186026d9da044f173\n"
            "89966527996712 4253 my job 508516680 8 R 6 0 b5e9f4e5ab62a4fff5313a606b0ad4e3\n"},
    {"hfplayer", "#CMD.S,ELAPSED_USECS.D,LUN_SSID.I,OP.I,LBA.I,NBLKS.I\n"
                 "WR_IN,0.000,5,1,2254431928,8\nRD_IN,145.714,5,0,3147137064,96\n"
                 "RD_OUT,145.800,5,0,3147137064,96\n"},
    {"tencent", "1515772800,1048978712,8,1,QRRTVUQXRQQQSUS\n1515772800,306786320,8,0,17\n"},
    {"alibaba", "419,W,126703644672,4096,1577808144360767\n725,R,513,512,1577808144360789\n"},
    {"systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n"
                 "1455592260.000001000,0.000123,W,3,4096,8192\n1455592260.000013000,,R,0,0,512\n"
                 "1455592260.000014000,,,0,0,512\n"},
    {"cloudphysics", "version,time,op,size,lbn\n1,33898,2a,512,42932745\n"
                     "1,33899,28,6144,31954535\n1,33899,35,0,0\n"},
    {"ioda", "3.410 0 4096 1024 1\n6.204 0 512 8192 0\n"},
    {"columns", "10,0,100,4096,R\n12.5,0,8,513,Write\r\n13,sda,8,512,T\n14,0,,,flush\n"},
};

/// One mutant after another, each from (seed, number).
class Mutator {
public:
    explicit Mutator(u64 number) : number_(number) {}

    u64 below(u64 n) { return draw_below(draw64(2024, number_, draws_++), n); }

    std::string mutate(std::string text)
    {
        for (u64 rounds = 1 + below(4); rounds > 0 && !text.empty(); --rounds) {
            switch (below(7)) {
            case 0:
                text[below(text.size())] ^= static_cast<char>(1u << below(8));
                break;
            case 1:
                text[below(text.size())] = static_cast<char>(below(256));
                break;
            case 2:
                text.resize(below(text.size()));
                break;
            case 3:
                swap_fields(text);
                break;
            case 4:
                text.insert(below(text.size()), number());
                break;
            case 5:
                text.insert(below(text.size()), std::string(below(70000), "0 \n,x"[below(5)]));
                break;
            default:
                text += text.substr(below(text.size()));
                break;
            }
        }
        return text;
    }

private:
    std::string number()
    {
        static const char* const kNumbers[] = {
            "18446744073709551615", "18446744073709551616", "9223372036854775808",
            "99999999999999999999999999", "-1", "1e308", "1e-400", "0x10", "nan", "inf",
            "4294967296", "36028797018963967", "1266874889.708440925", ".", "", "\r", "\t\t"};
        return kNumbers[below(std::size(kNumbers))];
    }

    void swap_fields(std::string& text)
    {
        const char* separators = ", \t";
        const auto a = text.find_first_of(separators, below(text.size()));
        const auto b = a == std::string::npos ? a : text.find_first_of(separators, a + 1);
        const auto c = b == std::string::npos ? b : text.find_first_of(separators, b + 1);
        if (c != std::string::npos) {
            text = text.substr(0, a) + text.substr(b, c - b) + text.substr(a, b - a) +
                   text.substr(c);
        }
    }

    u64 number_;
    u64 draws_ = 0;
};

/// Reads all of a file under options drawn from `mutator`; true when it came to its end.
bool ends_cleanly(const std::string& path, const std::string& format, Mutator& mutator)
{
    auto workload = trace_workload(path, mutator.below(4) == 0 ? "" : format);
    workload.lenient = mutator.below(2) == 0;
    workload.beyond = mutator.below(2) == 0 ? config::Beyond::Fold : config::Beyond::Drop;
    workload.devices = mutator.below(2) == 0 ? config::Devices::Concat : config::Devices::Overlay;
    workload.sort = mutator.below(3) == 0;
    workload.dedup = Picoseconds(mutator.below(3) == 0 ? 1000000 : 0);
    const u64 device = 70000 + mutator.below(u64{1} << 20);
    try {
        const auto source = make_source(workload, device, 1, nullptr);
        Request request;
        Picoseconds last;
        while (source->next(request)) {
            EXPECT_LE(request.lba + request.sectors, device);
            EXPECT_LE(request.sectors, 65536u);
            EXPECT_EQ(request.sectors == 0, request.kind == Kind::Flush);
            EXPECT_LE(last, request.arrival);
            last = request.arrival;
        }
        return true;
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_EQ(message.find(path + ":"), 0u) << message;
        const std::size_t digits = path.size() + 1;
        const std::size_t end = message.find_first_not_of("0123456789", digits);
        EXPECT_TRUE(end != std::string::npos && end > digits && message[end] == ':') << message;
        EXPECT_EQ(message.find_first_of(std::string("\n\r\0", 3)), std::string::npos) << message;
        return false;
    }
}

class Fuzz : public testing::TestWithParam<Sample> {};

TEST_P(Fuzz, TextMutantsEndCleanly)
{
    u64 read = 0;
    u64 refused = 0;
    for (u64 i = 0; i < 1000; ++i) {
        SCOPED_TRACE("mutant " + std::to_string(i));
        Mutator mutator(i);
        const TraceFile file(mutator.mutate(GetParam().text));
        ++(ends_cleanly(file.path(), GetParam().format, mutator) ? read : refused);
        if (HasFailure()) {
            return;
        }
    }
    // Both ways must occur, or the mutants test nothing.
    EXPECT_GT(read, 100u);
    EXPECT_GT(refused, 100u);
}

TEST_P(Fuzz, PackedMutantsEndCleanly)
{
    const Packing packings[] = {Packing::Gzip, Packing::Xz, Packing::Zstd, Packing::Bzip2};
    std::string text;
    for (int i = 0; i < 20; ++i) {
        text += GetParam().text;
    }
    u64 refused = 0;
    for (u64 i = 0; i < 400; ++i) {
        SCOPED_TRACE("mutant " + std::to_string(i));
        Mutator mutator(100000 + i);
        std::string bytes = packed(text, packings[i % 4]);
        if (i % 3 == 0) {
            bytes.resize(mutator.below(bytes.size())); // a download that stopped
        } else if (i % 3 == 1) {
            bytes = bytes.substr(0, 6 + mutator.below(10)); // a good beginning, then noise
            for (u64 n = mutator.below(3000); n > 0; --n) {
                bytes += static_cast<char>(mutator.below(256));
            }
        } else {
            bytes = mutator.mutate(bytes);
        }
        const TraceFile file(bytes);
        refused += ends_cleanly(file.path(), GetParam().format, mutator) ? 0 : 1;
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(refused, 100u);
}

const char* const kDescriptions[] = {
    "time:us,device,-,lba:sectors,size:bytes,op",
    "time:100ns,lba:pages4k:hex,size:kib,op:1=read:0=write,...,skip=1",
    "lba:bytes,op:28=read:2a=write:35=flush:42=trim:12=ignore,size=4096,delimiter=semicolon",
    "device;lba:sectors,size:sectors,op=trim,comment=#,delimiter=|",
};

TEST(FuzzColumns, MutantsOfDescriptionsEndCleanly)
{
    const TraceFile file("1,2,3,4,5,r\n2,2,3,4,5,w\n");
    u64 accepted = 0;
    u64 refused = 0;
    for (u64 i = 0; i < 4000; ++i) {
        SCOPED_TRACE("mutant " + std::to_string(i));
        Mutator mutator(200000 + i);
        auto workload = trace_workload(file.path(), "");
        workload.trace_columns = mutator.mutate(kDescriptions[i % std::size(kDescriptions)]);
        if (workload.trace_columns.empty()) {
            continue; // that is an unnamed trace
        }
        try {
            make_source(workload, 1 << 20, 1, nullptr);
            ++accepted;
        } catch (const InputError& error) {
            const std::string message = error.what();
            EXPECT_EQ(message.find("workload.trace_columns: "), 0u) << message;
            EXPECT_EQ(message.find_first_of(std::string("\n\r\0", 3)), std::string::npos)
                << message;
            EXPECT_LT(message.size(), 1000u);
            ++refused;
        }
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(accepted, 100u);
    EXPECT_GT(refused, 100u);
}

INSTANTIATE_TEST_SUITE_P(Formats, Fuzz, testing::ValuesIn(kSamples), [](const auto& test) {
    std::string name = test.param.format;
    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
    return name;
});

} // namespace
} // namespace tlmssd::workload::test
