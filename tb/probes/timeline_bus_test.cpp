// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the timeline's names of bus segments, and which planes it shows busy with what.
#include "models/probes/timeline/timeline_bus.h"
#include "tb/support/geometry.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tlmssd::probes {
namespace {

using onfi::DataDirection;
using onfi::Segment;
using testing::ElementsAre;
using testing::IsEmpty;
namespace cmd = onfi::cmd;

/// One channel with one CE# of 2 LUNs of 2 planes, 8 blocks of 4 pages. Row: page 2 bits | plane 1 |
/// block 3 | LUN.
Geometry geometry()
{
    return tb::make_geometry().dies(2).planes(2).blocks(8).pages(4);
}

class TimelineBusTest : public testing::Test {
protected:
    TimelineBusTest()
        : path_(std::filesystem::temp_directory_path() /
                ("tlmssd_timeline_bus_" + std::to_string(getpid()) + ".json")),
          timeline_(path_.string(), {}), buses_(timeline_.add_process("channels")),
          planes_(timeline_.add_process("planes")), bus_(timeline_, geometry_, buses_, planes_)
    {
        timeline_.open();
    }
    ~TimelineBusTest() override { std::filesystem::remove(path_); }

    static u32 row(u32 lun, u32 plane, u32 block, u32 page)
    {
        return geometry().row(lun, plane, block, page);
    }
    static u64 column_row(u32 r) { return u64{r} << 16; }

    /// A segment of 100 ps that ends at `end`.
    template <class Build>
    void segment(u64 end, Build build)
    {
        Segment s;
        build(s);
        s.start = Picoseconds(end - 100);
        s.end = Picoseconds(end);
        bus_.on_started(0, s);
        bus_.on_observed(0, s);
    }
    /// What a target does: R/B# falls before the observer sees the segment's end.
    void confirm(u64 end, u32 lun, u8 first, u64 address, u32 cycles, u8 last)
    {
        bus_.on_ready_edge(0, 0, lun, false, Picoseconds(end));
        segment(end, [&](Segment& s) {
            s.sequence(first, address, cycles);
            s.command(last);
        });
    }
    void rise(u64 when, u32 lun = 0) { bus_.on_ready_edge(0, 0, lun, true, Picoseconds(when)); }
    void read(u64 end, u32 r, u8 last = cmd::kReadConfirm)
    {
        confirm(end, geometry_.row_lun(r), cmd::kRead, column_row(r), 5, last);
    }
    void program(u64 end, u32 r, u8 last = cmd::kProgramConfirm)
    {
        bus_.on_ready_edge(0, 0, geometry_.row_lun(r), false, Picoseconds(end));
        segment(end, [&](Segment& s) {
            s.sequence(cmd::kProgram, column_row(r), 5);
            s.burst(DataDirection::In, 4096, nullptr);
            s.command(last);
        });
    }
    void erase(u64 end, u32 r) { confirm(end, geometry_.row_lun(r), cmd::kErase, r, 3, cmd::kEraseConfirm); }

    /// Slices of a track in the order of the file: "READ [200, 300] {args}".
    std::vector<std::string> slices(const std::string& track)
    {
        timeline_.close();
        std::ifstream file(path_);
        const auto document = nlohmann::ordered_json::parse(file);
        std::vector<std::string> found;
        int id = -1;
        for (const auto& e : document["traceEvents"]) {
            if (e["name"] == "thread_name" && e["args"]["name"] == track) {
                id = e["tid"];
            } else if (e["ph"] == "X" && e["tid"] == id) {
                const auto ps = [&e](const char* key) {
                    return static_cast<u64>(e[key].get<double>() * 1e6 + 0.5);
                };
                found.push_back(e["name"].get<std::string>() + " [" + std::to_string(ps("ts")) +
                                ", " + std::to_string(ps("ts") + ps("dur")) + "] " +
                                (e.contains("args") ? e["args"].dump() : "{}"));
            }
        }
        EXPECT_NE(id, -1) << track;
        return found;
    }

    std::filesystem::path path_;
    Geometry geometry_ = geometry();
    observe::Timeline timeline_;
    u32 buses_, planes_;
    TimelineBus bus_;
};

TEST_F(TimelineBusTest, AReadIsOnItsPlaneWhileReadyIsLow)
{
    read(200, row(1, 1, 5, 3));
    rise(5200, 1);
    EXPECT_THAT(slices("plane 0/0/1/1"), ElementsAre(R"(READ [200, 5200] {"block":5,"page":3})"));
    EXPECT_THAT(slices("plane 0/0/1/0"), IsEmpty());
    EXPECT_THAT(slices("plane 0/0/0/1"), IsEmpty());
    EXPECT_THAT(slices("channel 0"),
                ElementsAre(R"(READ [100, 200] {"ce":0,"lun":1,"cycles":"00-30"})"));
}

TEST_F(TimelineBusTest, AQueuedPlaneWaitsAndThenWorksWithTheOthers)
{
    read(200, row(0, 0, 5, 3), cmd::kReadQueuePlane);
    rise(300);
    read(500, row(0, 1, 4, 3));
    rise(5500);
    read(6000, row(0, 1, 4, 2)); // alone again
    rise(7000);
    EXPECT_THAT(slices("plane 0/0/0/0"), ElementsAre(R"(QUEUE [200, 300] {"block":5,"page":3})",
                                                     R"(READ [500, 5500] {"block":5,"page":3})"));
    EXPECT_THAT(slices("plane 0/0/0/1"), ElementsAre(R"(READ [500, 5500] {"block":4,"page":3})",
                                                     R"(READ [6000, 7000] {"block":4,"page":2})"));
}

TEST_F(TimelineBusTest, ProgramAndEraseAreToldApart)
{
    program(1000, row(0, 1, 2, 0), cmd::kProgramQueuePlane);
    rise(1100);
    program(2000, row(0, 0, 2, 0));
    rise(3000);
    erase(4000, row(0, 1, 7, 0));
    rise(9000);
    EXPECT_THAT(slices("plane 0/0/0/1"), ElementsAre(R"(QUEUE [1000, 1100] {"block":2,"page":0})",
                                                     R"(PROGRAM [2000, 3000] {"block":2,"page":0})",
                                                     R"(ERASE [4000, 9000] {"block":7})"));
    EXPECT_THAT(slices("plane 0/0/0/0"), ElementsAre(R"(PROGRAM [2000, 3000] {"block":2,"page":0})"));
}

TEST_F(TimelineBusTest, LunsOverlap)
{
    read(200, row(0, 0, 1, 0));
    read(400, row(1, 0, 1, 0));
    segment(600, [](Segment& s) { // status of the first
        s.sequence(cmd::kReadStatusEnhanced, row(0, 0, 1, 0), 3);
        s.burst(DataDirection::Out, 1, nullptr);
    });
    rise(1000, 0);
    rise(1200, 1);
    EXPECT_THAT(slices("plane 0/0/0/0"), ElementsAre(R"(READ [200, 1000] {"block":1,"page":0})"));
    EXPECT_THAT(slices("plane 0/0/1/0"), ElementsAre(R"(READ [400, 1200] {"block":1,"page":0})"));
    EXPECT_THAT(slices("channel 0").back(),
                R"(STATUS [500, 600] {"ce":0,"lun":0,"cycles":"78","bytes":1})");
}

TEST_F(TimelineBusTest, AResetEndsWhatRanAndTakesAllPlanesOfTheTarget)
{
    program(1000, row(0, 1, 2, 0));
    for (const u32 lun : {0u, 1u}) { // the busy one falls once more
        bus_.on_ready_edge(0, 0, lun, false, Picoseconds(2000));
    }
    segment(2000, [](Segment& s) { s.command(cmd::kReset); });
    rise(2500, 0);
    rise(2600, 1);
    EXPECT_THAT(slices("plane 0/0/0/1"),
                ElementsAre(R"(PROGRAM [1000, 2000] {"block":2,"page":0})", "RESET [2000, 2500] {}"));
    EXPECT_THAT(slices("plane 0/0/0/0"), ElementsAre("RESET [2000, 2500] {}"));
    EXPECT_THAT(slices("plane 0/0/1/1"), ElementsAre("RESET [2000, 2600] {}"));
}

TEST_F(TimelineBusTest, ResetOfOneLunLeavesTheOther)
{
    bus_.on_ready_edge(0, 0, 1, false, Picoseconds(2000));
    segment(2000, [](Segment& s) { s.sequence(cmd::kResetLun, row(1, 0, 0, 0), 3); });
    rise(2500, 1);
    EXPECT_THAT(slices("plane 0/0/1/0"), ElementsAre("RESET [2000, 2500] {}"));
    EXPECT_THAT(slices("plane 0/0/0/0"), IsEmpty());
}

TEST_F(TimelineBusTest, ASuspendedEraseIsDrawnInTwoParts)
{
    erase(1000, row(0, 0, 6, 0));
    segment(2000, [](Segment& s) { s.sequence(cmd::kEraseSuspend, row(0, 0, 6, 0), 3); });
    rise(2100);
    read(3000, row(0, 1, 1, 1));
    rise(4000);
    read(4200, row(0, 0, 2, 3)); // another block of the erase's plane
    rise(4500);
    bus_.on_ready_edge(0, 0, 0, false, Picoseconds(5000));
    segment(5000, [](Segment& s) { s.sequence(cmd::kEraseResume, row(0, 0, 6, 0), 3); });
    rise(9000);
    EXPECT_THAT(slices("plane 0/0/0/0"),
                ElementsAre(R"(ERASE [1000, 2100] {"block":6})", R"(READ [4200, 4500] {"block":2,"page":3})",
                            R"(ERASE [5000, 9000] {"block":6})"));
    EXPECT_THAT(slices("plane 0/0/0/1"), ElementsAre(R"(READ [3000, 4000] {"block":1,"page":1})"));
}

TEST_F(TimelineBusTest, CacheCommandsAreMarked)
{
    program(1000, row(0, 0, 2, 0), cmd::kProgramCacheConfirm);
    rise(1010);
    read(2000, row(0, 1, 3, 1));
    rise(3000);
    bus_.on_ready_edge(0, 0, 0, false, Picoseconds(4000));
    segment(4000, [](Segment& s) { s.command(cmd::kReadCacheSequential); });
    rise(4010);
    EXPECT_THAT(slices("plane 0/0/0/0"), ElementsAre(R"(CACHE [1000, 1010] {"block":2,"page":0})"));
    EXPECT_THAT(slices("plane 0/0/0/1"), ElementsAre(R"(READ [2000, 3000] {"block":3,"page":1})",
                                                     R"(CACHE [4000, 4010] {"block":3,"page":1})"));
}

// 30h of page 1; 31h: page 2 is read while the bus moves page 1; 31h: page 3, once page 2 has been read; 3Fh.
TEST_F(TimelineBusTest, CacheReadsAreDrawnAsLongAsTheArrayReads)
{
    const auto fall = [this](u64 at, u8 byte) {
        bus_.on_ready_edge(0, 0, 0, false, Picoseconds(at));
        segment(at, [byte](Segment& s) { s.command(byte); });
    };
    const auto array = [this](u64 at, bool busy) { bus_.on_array_edge(0, 0, 0, busy, Picoseconds(at)); };
    read(2000, row(0, 1, 3, 1));
    rise(3000);
    fall(4000, cmd::kReadCacheSequential);
    rise(4010);
    array(4010, true);
    fall(4600, cmd::kReadCacheSequential);
    array(5010, false); // R/B# is low for the registers from here on
    rise(5020);
    array(5020, true);
    array(6020, false);
    fall(7000, cmd::kReadCacheEnd);
    rise(7010);
    EXPECT_THAT(slices("plane 0/0/0/1"),
                ElementsAre(R"(READ [2000, 3000] {"block":3,"page":1})", R"(CACHE [4000, 4010] {"block":3,"page":1})",
                            R"(READ [4010, 5010] {"block":3,"page":2})", R"(CACHE [5010, 5020] {"block":3,"page":1})",
                            R"(READ [5020, 6020] {"block":3,"page":3})", R"(CACHE [7000, 7010] {"block":3,"page":1})"));
}

// 15h; 15h, which waits for the first page; 10h, which waits for the second.
TEST_F(TimelineBusTest, CacheProgramsAreDrawnAsLongAsTheArrayPrograms)
{
    const auto array = [this](u64 at, bool busy) { bus_.on_array_edge(0, 0, 0, busy, Picoseconds(at)); };
    program(1000, row(0, 0, 2, 0), cmd::kProgramCacheConfirm);
    rise(1010);
    array(1010, true);
    program(1500, row(0, 0, 2, 1), cmd::kProgramCacheConfirm);
    array(2010, false);
    rise(2010);
    array(2010, true);
    program(2500, row(0, 0, 2, 2));
    array(3010, false);
    rise(4010);
    EXPECT_THAT(slices("plane 0/0/0/0"),
                ElementsAre(R"(CACHE [1000, 1010] {"block":2,"page":0})", R"(PROGRAM [1010, 2010] {"block":2,"page":0})",
                            R"(PROGRAM [2010, 3010] {"block":2,"page":1})",
                            R"(PROGRAM [3010, 4010] {"block":2,"page":2})"));
}

TEST_F(TimelineBusTest, WhatIsNotArrayWorkIsNotOnAPlane)
{
    read(200, row(0, 0, 1, 0));
    rise(300);
    bus_.on_ready_edge(0, 0, 0, false, Picoseconds(1000));
    segment(1000, [](Segment& s) {
        s.command(cmd::kSetFeatures);
        s.address(onfi::feature::kTimingMode);
        s.burst(DataDirection::In, 4, nullptr);
    });
    rise(2000);
    EXPECT_EQ(slices("plane 0/0/0/0").size(), 1u);
    EXPECT_THAT(slices("channel 0").back(),
                R"(SET FEATURES [900, 1000] {"ce":0,"lun":0,"cycles":"EF","bytes":4})");
}

TEST_F(TimelineBusTest, AnAddressInsideAProgramDoesNotMoveIt)
{
    bus_.on_ready_edge(0, 0, 0, false, Picoseconds(1000));
    segment(1000, [](Segment& s) {
        s.sequence(cmd::kProgram, column_row(row(0, 1, 3, 0)), 5);
        s.sequence(cmd::kChangeWriteColumn, 0x1234, 2);
        s.command(cmd::kProgramConfirm);
    });
    rise(2000);
    EXPECT_THAT(slices("plane 0/0/0/1"), ElementsAre(R"(PROGRAM [1000, 2000] {"block":3,"page":0})"));
}

TEST_F(TimelineBusTest, WhatIsUnderWayAtTheEndIsMarkedOpen)
{
    erase(1000, row(0, 0, 6, 0));
    Segment s;
    s.sequence(cmd::kRead, column_row(row(1, 0, 0, 0)), 5);
    s.command(cmd::kReadConfirm);
    s.start = Picoseconds(1500);
    s.end = Picoseconds(1600);
    bus_.on_started(0, s);
    bus_.close(Picoseconds(1550));
    EXPECT_THAT(slices("plane 0/0/0/0"), ElementsAre(R"(ERASE [1000, 1550] {"block":6,"open":1})"));
    EXPECT_THAT(slices("channel 0").back(), R"(READ [1500, 1550] {"open":1})");
}

TEST(SegmentName, SaysWhatTheCyclesMean)
{
    const auto name = [](u8 first, u8 last, DataDirection data = DataDirection::None) {
        Segment s;
        s.command(first);
        if (data != DataDirection::None) {
            s.burst(data, 16, nullptr);
        }
        if (last != 0) {
            s.command(last);
        }
        return std::string(segment_name(s));
    };
    EXPECT_EQ(name(0x00, 0x30), "READ");
    EXPECT_EQ(name(0x00, 0x32), "READ QUEUE");
    EXPECT_EQ(name(0x00, 0x31), "READ CACHE");
    EXPECT_EQ(name(0x00, 0x35), "COPYBACK READ");
    EXPECT_EQ(name(0x00, 0), "READ MODE");
    EXPECT_EQ(name(0x00, 0, DataDirection::Out), "DATA OUT");
    EXPECT_EQ(name(0x05, 0xe0, DataDirection::None), "DATA OUT");
    EXPECT_EQ(name(0x06, 0xe0), "DATA OUT");
    EXPECT_EQ(name(0x31, 0), "READ CACHE");
    EXPECT_EQ(name(0x3f, 0), "READ CACHE END");
    EXPECT_EQ(name(0x80, 0x10, DataDirection::In), "PROGRAM");
    EXPECT_EQ(name(0x80, 0x11, DataDirection::In), "PROGRAM QUEUE");
    EXPECT_EQ(name(0x80, 0x15, DataDirection::In), "PROGRAM CACHE");
    EXPECT_EQ(name(0x80, 0, DataDirection::In), "DATA IN");
    EXPECT_EQ(name(0x85, 0x10), "PROGRAM");
    EXPECT_EQ(name(0x60, 0xd0), "ERASE");
    EXPECT_EQ(name(0x60, 0xd1), "ERASE QUEUE");
    EXPECT_EQ(name(0x70, 0, DataDirection::Out), "STATUS");
    EXPECT_EQ(name(0x78, 0, DataDirection::Out), "STATUS");
    EXPECT_EQ(name(0xff, 0), "RESET");
    EXPECT_EQ(name(0xfc, 0), "RESET");
    EXPECT_EQ(name(0xfa, 0), "RESET");
    EXPECT_EQ(name(0xee, 0), "GET FEATURES");
    EXPECT_EQ(name(0xd4, 0), "GET FEATURES");
    EXPECT_EQ(name(0xef, 0), "SET FEATURES");
    EXPECT_EQ(name(0xd5, 0), "SET FEATURES");
    EXPECT_EQ(name(0x90, 0), "READ ID");
    EXPECT_EQ(name(0xec, 0), "PARAMETER PAGE");
    EXPECT_EQ(name(0xed, 0), "UNIQUE ID");
    EXPECT_EQ(name(0x84, 0), "SUSPEND");
    EXPECT_EQ(name(0x61, 0), "SUSPEND");
    EXPECT_EQ(name(0x13, 0), "RESUME");
    EXPECT_EQ(name(0xd2, 0), "RESUME");
    EXPECT_EQ(name(0x42, 0), "UNKNOWN");
    Segment burst;
    burst.burst(DataDirection::Out, 512, nullptr);
    EXPECT_EQ(segment_name(burst), std::string("DATA OUT"));
}

} // namespace
} // namespace tlmssd::probes
