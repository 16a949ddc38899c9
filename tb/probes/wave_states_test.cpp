// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what waves show of buses, dies and planes, from segments made by hand. All times in ps,
// added up from the numbers of NV-DDR mode 5 (docs/explanation/onfi.md): tCS 15, tCAD 45, tCK 10, tADL 400,
// tWPRE and tWPST 15, tRR 20, tWHR 80, tCCS 500, tWRCK + tDQSCK 45, tDQSHZ 20 ns.
#include <gmock/gmock.h>

#include <filesystem>
#include <unistd.h>

#include "models/onfi/bus/timing.h"
#include "models/probes/waves/wave_tap.h"
#include "tb/observe/fst_reader.h"

namespace tlmssd::probes {
namespace {

using onfi::DataDirection;
using onfi::Segment;
using testing::ElementsAre;
using testing::Pair;
namespace cmd = onfi::cmd;

constexpr u64 ns = 1000, us = 1000 * ns;
constexpr u32 kColumn = 0x1234;

/// One channel with one CE#, two LUNs of two planes; pages of 16 bytes on the bus.
class WaveStates : public testing::Test {
protected:
    using Changes = std::vector<std::pair<u64, u64>>;

    WaveStates()
        : path_((std::filesystem::temp_directory_path() /
                 ("tlmssd_states_" + std::to_string(getpid()) + ".fst")).string()),
          waves_(path_), names_(waves_)
    {
        geometry_.dies = 2;
        geometry_.planes = 2;
        geometry_.blocks = 16;
        geometry_.pages = 16;
        owners_.resize(4);
        timing_ = onfi::bus_timing(config::BusInterface::NvDdr, 5);
        tap_ = std::make_unique<WaveTap>(
            std::make_unique<WaveBus>(waves_, names_, "c.bus", owners_),
            std::make_unique<WaveDies>(waves_, names_, "c", geometry_), nullptr);
        waves_.open();
    }
    ~WaveStates() override { std::filesystem::remove(path_); }

    u64 address(u32 lun, u32 plane, u32 page = 3) const
    {
        return kColumn | u64{geometry_.row(lun, plane, 5, page)} << 16;
    }
    u64 row(u32 lun, u32 plane) const { return geometry_.row(lun, plane, 5, 3); }

    void begin(Segment& segment, u64 start, u64 waited = 0)
    {
        segment.timing = &timing_;
        segment.data = &cells_;
        segment.start = Picoseconds(start);
        segment.end = segment.start + Picoseconds(waited) + onfi::segment_time(segment, timing_);
        tap_->on_started(0, segment);
    }
    /// The segment takes the bus at `start`; R/B# of `lun` falls at its end where `falls`.
    u64 run(Segment& segment, u64 start, u32 lun, bool falls, u64 waited = 0)
    {
        begin(segment, start, waited);
        if (falls) {
            tap_->on_ready_edge(0, 0, lun, false, segment.end);
        }
        tap_->on_observed(0, segment);
        return segment.end.value();
    }
    u64 command(u8 byte, u64 start, u32 lun = 0, bool falls = true)
    {
        Segment s;
        s.command(byte);
        return run(s, start, lun, falls);
    }
    u64 read(u32 lun, u32 plane, u8 confirm, u64 start)
    {
        Segment s;
        s.sequence(cmd::kRead, address(lun, plane), 5);
        s.command(confirm);
        return run(s, start, lun, true);
    }
    u64 program(u32 lun, u32 plane, u8 confirm, u64 start)
    {
        Segment s;
        s.sequence(cmd::kProgram, address(lun, plane), 5);
        s.burst(DataDirection::In, 16, &cells_);
        s.command(confirm);
        return run(s, start, lun, true);
    }
    u64 rows(u8 byte, u32 lun, u32 plane, u64 start, bool falls)
    {
        Segment s;
        s.sequence(byte, row(lun, plane), 3);
        return run(s, start, lun, falls);
    }
    u64 status(u8 value, u64 start)
    {
        Segment s;
        s.command(cmd::kReadStatus);
        s.burst(DataDirection::Out, 1, &cells_);
        s.narrow = true;
        cells_.bytes[0] = value;
        return run(s, start, 0, false);
    }
    void ready(u32 lun, u64 when) { tap_->on_ready_edge(0, 0, lun, true, Picoseconds(when)); }

    /// Ends the file; then the changes of a signal as numbers.
    Changes changes(const std::string& signal)
    {
        waves_.close();
        if (file_.paths.empty()) {
            file_ = tb::read_waves(path_);
        }
        Changes numbers;
        for (const auto& [time, digits] : file_.changes.at("c." + signal)) {
            numbers.emplace_back(time, std::stoull(digits, nullptr, 2));
        }
        return numbers;
    }
    static auto at(u64 time, DieState state) { return Pair(time, static_cast<u64>(state)); }
    static auto at(u64 time, PlaneState state) { return Pair(time, static_cast<u64>(state)); }
    static auto at(u64 time, BusPhase phase) { return Pair(time, static_cast<u64>(phase)); }

    std::string path_;
    observe::Waves waves_;
    WaveNames names_;
    Geometry geometry_;
    WaveOwners owners_;
    onfi::BusTiming timing_;
    onfi::DataCells cells_;
    std::unique_ptr<WaveTap> tap_;
    tb::WaveFile file_;
};

TEST_F(WaveStates, ProgramPassesEachPhaseAtItsTime)
{
    // tCS 15; 80h 45; 5 addresses 225; tADL + tWPRE 415; 8 pairs 80; tWPST 15; 10h 45
    EXPECT_EQ(program(0, 0, cmd::kProgramConfirm, 100 * ns), 940 * ns);
    EXPECT_THAT(changes("bus.phase"),
                ElementsAre(at(0, BusPhase::Idle), at(100 * ns, BusPhase::Select),
                            at(115 * ns, BusPhase::Command), at(160 * ns, BusPhase::Address),
                            at(385 * ns, BusPhase::Wait), at(800 * ns, BusPhase::DataIn),
                            at(880 * ns, BusPhase::Wait), at(895 * ns, BusPhase::Command),
                            at(940 * ns, BusPhase::Idle)));
    EXPECT_THAT(changes("bus.opcode"),
                ElementsAre(Pair(0, kNoOpcode), Pair(115 * ns, 0x80u), Pair(895 * ns, 0x10u),
                            Pair(940 * ns, kNoOpcode)));
    EXPECT_THAT(changes("bus.direction"),
                ElementsAre(Pair(0, 0u), Pair(100 * ns, 1u), Pair(940 * ns, 0u)));
    // Column with the second address cycle at the latest, here with the last, as the row is.
    EXPECT_THAT(changes("bus.column"), ElementsAre(Pair(0, 0u), Pair(340 * ns, kColumn)));
    EXPECT_THAT(changes("bus.row"), ElementsAre(Pair(0, 0u), Pair(340 * ns, row(0, 0))));
}

TEST_F(WaveStates, BurstOutHasItsPreambleAndPostambleOutside)
{
    // tCS 15; tRR + tWRCK + tDQSCK 65; 8 pairs 80; tDQSHZ 20
    Segment s;
    s.burst(DataDirection::Out, 16, &cells_);
    EXPECT_EQ(run(s, 1 * us, 0, false), 1180 * ns);
    EXPECT_THAT(changes("bus.phase"),
                ElementsAre(at(0, BusPhase::Idle), at(1000 * ns, BusPhase::Select),
                            at(1015 * ns, BusPhase::Wait), at(1080 * ns, BusPhase::DataOut),
                            at(1160 * ns, BusPhase::Wait), at(1180 * ns, BusPhase::Idle)));
}

TEST_F(WaveStates, WaitAfterAnEarlierBurstBelongsToSelect)
{
    Segment s;
    s.command(cmd::kReset);
    EXPECT_EQ(run(s, 1 * us, 0, true, 70 * ns), 1130 * ns); // tCS 15, tRHW's rest 70, FFh 45
    EXPECT_THAT(changes("bus.phase"),
                ElementsAre(at(0, BusPhase::Idle), at(1000 * ns, BusPhase::Select),
                            at(1085 * ns, BusPhase::Command), at(1130 * ns, BusPhase::Idle)));
}

TEST_F(WaveStates, StatusByteShowsWhenItsSegmentHasEnded)
{
    // tCS 15; 70h 45; tWHR + tWRCK + tDQSCK 125; one strobe of 10; tDQSHZ 20
    EXPECT_EQ(status(0xe0, 0), 215 * ns);
    EXPECT_THAT(changes("bus.status"), ElementsAre(Pair(0, 0u), Pair(215 * ns, 0xe0u)));
}

TEST_F(WaveStates, OwnerOperationAndRequestStandWhileTheSegmentHoldsTheBus)
{
    owners_[3] = WaveOwner{2, 1, 77};
    Segment s;
    s.command(cmd::kReset);
    s.owner = 3;
    run(s, 1 * us, 0, false); // 15 + 45 ns
    EXPECT_THAT(changes("bus.owner"),
                ElementsAre(Pair(0, kNoOwner), Pair(1000 * ns, 3u), Pair(1060 * ns, kNoOwner)));
    EXPECT_THAT(changes("bus.operation"),
                ElementsAre(Pair(0, 0u), Pair(1000 * ns, 2u), Pair(1060 * ns, 0u)));
    EXPECT_THAT(changes("bus.stream"),
                ElementsAre(Pair(0, kNoStream), Pair(1000 * ns, 1u), Pair(1060 * ns, kNoStream)));
    EXPECT_THAT(changes("bus.request"),
                ElementsAre(Pair(0, 0u), Pair(1000 * ns, 77u), Pair(1060 * ns, 0u)));
}

TEST_F(WaveStates, MultiPlaneProgramGathersOnePlaneAndProgramsBoth)
{
    // The first byte comes 700 ns after CE# falls, the end after 840 ns (first test).
    EXPECT_EQ(program(0, 0, cmd::kProgramQueuePlane, 0), 840 * ns);
    ready(0, 1440 * ns); // tWB + tDBSY
    EXPECT_EQ(program(0, 1, cmd::kProgramConfirm, 2000 * ns), 2840 * ns);
    ready(0, 902940 * ns); // tWB + tPROG
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(840 * ns, DieState::Queue),
                            at(1440 * ns, DieState::Idle), at(2840 * ns, DieState::Program),
                            at(902940 * ns, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane0.state"),
                ElementsAre(at(0, PlaneState::Idle), at(700 * ns, PlaneState::DataIn),
                            at(840 * ns, PlaneState::Gathered), at(2840 * ns, PlaneState::Program),
                            at(902940 * ns, PlaneState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane1.state"),
                ElementsAre(at(0, PlaneState::Idle), at(2700 * ns, PlaneState::DataIn),
                            at(2840 * ns, PlaneState::Program), at(902940 * ns, PlaneState::Idle)));
    EXPECT_THAT(changes("ce0.lun1.state"), ElementsAre(at(0, DieState::Idle)));
    EXPECT_THAT(changes("ce0.rb_n"),
                ElementsAre(Pair(0, 1u), Pair(840 * ns, 0u), Pair(1440 * ns, 1u),
                            Pair(2840 * ns, 0u), Pair(902940 * ns, 1u)));
}

TEST_F(WaveStates, ReadWaitsInItsRegisterUntilItIsFetched)
{
    // tCS 15 + 7 cycles of 45
    EXPECT_EQ(read(1, 1, cmd::kReadConfirm, 0), 330 * ns);
    ready(1, 50430 * ns);
    Segment fetch; // 06h, 5 addresses, E0h: 330; tCCS + tWRCK + tDQSCK 545; 80; tDQSHZ 20
    fetch.sequence(cmd::kChangeReadColumnEnhanced, address(1, 1), 5);
    fetch.command(cmd::kChangeReadColumnConfirm);
    fetch.burst(DataDirection::Out, 16, &cells_);
    EXPECT_EQ(run(fetch, 60000 * ns, 1, false), 60975 * ns);
    EXPECT_THAT(changes("ce0.lun1.plane1.state"),
                ElementsAre(at(0, PlaneState::Idle), at(330 * ns, PlaneState::Read),
                            at(50430 * ns, PlaneState::Loaded), at(60875 * ns, PlaneState::DataOut),
                            at(60955 * ns, PlaneState::Idle)));
    EXPECT_THAT(changes("ce0.lun1.plane0.state"), ElementsAre(at(0, PlaneState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.rb_n"), ElementsAre(Pair(0, 1u)));
}

TEST_F(WaveStates, EraseOfTwoPlanesGathersTheFirst)
{
    const auto erase = [this](u32 plane, u8 confirm, u64 start) {
        Segment s; // 15 + 5 * 45
        s.sequence(cmd::kErase, row(0, plane), 3);
        s.command(confirm);
        return run(s, start, 0, true);
    };
    EXPECT_EQ(erase(1, cmd::kEraseQueuePlane, 0), 240 * ns);
    ready(0, 840 * ns);
    EXPECT_EQ(erase(0, cmd::kEraseConfirm, 1000 * ns), 1240 * ns);
    ready(0, 4 * 1000 * us);
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(240 * ns, DieState::Queue),
                            at(840 * ns, DieState::Idle), at(1240 * ns, DieState::Erase),
                            at(4000 * us, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane1.state"),
                ElementsAre(at(0, PlaneState::Idle), at(240 * ns, PlaneState::Gathered),
                            at(1240 * ns, PlaneState::Erase), at(4000 * us, PlaneState::Idle)));
}

TEST_F(WaveStates, CacheReadStaysOpenUntilItsEnd)
{
    read(0, 0, cmd::kReadConfirm, 0); // 330 ns
    ready(0, 50 * us);
    EXPECT_EQ(command(cmd::kReadCacheSequential, 51 * us), 51060 * ns); // 15 + 45
    ready(0, 54 * us); // tRCBSY: R/B# is high while the array reads on
    Segment fetch;     // no command: 15 + 65 to the first byte, 80 of data, 20
    fetch.burst(DataDirection::Out, 16, &cells_);
    run(fetch, 55 * us, 0, false);
    EXPECT_EQ(command(cmd::kReadCacheEnd, 110 * us), 110060 * ns);
    ready(0, 113 * us);
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(330 * ns, DieState::Read),
                            at(50 * us, DieState::Idle), at(51060 * ns, DieState::Cache),
                            at(113 * us, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane0.state"),
                ElementsAre(at(0, PlaneState::Idle), at(330 * ns, PlaneState::Read),
                            at(50 * us, PlaneState::Loaded), at(51060 * ns, PlaneState::Read),
                            at(55080 * ns, PlaneState::DataOut), at(55160 * ns, PlaneState::Read),
                            at(113 * us, PlaneState::Loaded)));
}

// The die says when its array rests: in the middle of the burst, whose end shows what the plane has then.
TEST_F(WaveStates, ACacheReadEndsWithItsArray)
{
    read(0, 0, cmd::kReadConfirm, 0); // 330 ns
    ready(0, 50 * us);
    command(cmd::kReadCacheSequential, 51 * us); // 51060 ns
    ready(0, 54 * us);
    Segment fetch;
    fetch.burst(DataDirection::Out, 16, &cells_);
    begin(fetch, 55 * us); // data from 55080 to 55160 ns
    tap_->on_array_edge(0, 0, 0, false, Picoseconds(55100 * ns));
    tap_->on_observed(0, fetch);
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(330 * ns, DieState::Read), at(50 * us, DieState::Idle),
                            at(51060 * ns, DieState::Cache), at(55100 * ns, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane0.state"),
                ElementsAre(at(0, PlaneState::Idle), at(330 * ns, PlaneState::Read), at(50 * us, PlaneState::Loaded),
                            at(51060 * ns, PlaneState::Read), at(55080 * ns, PlaneState::DataOut),
                            at(55160 * ns, PlaneState::Loaded)));
}

TEST_F(WaveStates, StatusTellsThatACacheProgramHasEnded)
{
    program(0, 0, cmd::kProgramCacheConfirm, 0); // 840 ns
    ready(0, 4 * us);
    status(onfi::status::kReady, 10 * us); // the array is busy still: 215 ns
    status(onfi::status::kReady | onfi::status::kArrayReady, 990 * us);
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(840 * ns, DieState::Cache),
                            at(990215 * ns, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane0.state"),
                ElementsAre(at(0, PlaneState::Idle), at(700 * ns, PlaneState::DataIn),
                            at(840 * ns, PlaneState::Program), at(990215 * ns, PlaneState::Idle)));
}

TEST_F(WaveStates, SuspendedProgramGoesOnAfterARead)
{
    program(0, 1, cmd::kProgramConfirm, 0); // 840 ns
    rows(cmd::kProgramSuspend, 0, 1, 100 * us, false);
    ready(0, 200 * us);
    read(0, 0, cmd::kReadConfirm, 300 * us); // 330 ns
    ready(0, 350 * us);
    EXPECT_EQ(rows(cmd::kProgramResume, 0, 1, 400 * us, true), 400195 * ns); // 15 + 4 * 45
    ready(0, 1300 * us);
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(840 * ns, DieState::Program),
                            at(200 * us, DieState::Suspended), at(300330 * ns, DieState::Read),
                            at(350 * us, DieState::Suspended), at(400195 * ns, DieState::Program),
                            at(1300 * us, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane1.state"),
                ElementsAre(at(0, PlaneState::Idle), at(700 * ns, PlaneState::DataIn),
                            at(840 * ns, PlaneState::Program), at(200 * us, PlaneState::Suspended),
                            at(400195 * ns, PlaneState::Program), at(1300 * us, PlaneState::Idle)));
}

TEST_F(WaveStates, StatusTellsThatASuspendCameTooLate)
{
    program(0, 1, cmd::kProgramConfirm, 0);
    rows(cmd::kProgramSuspend, 0, 1, 899 * us, false);
    ready(0, 900 * us);
    status(onfi::status::kReady | onfi::status::kArrayReady, 901 * us); // kSuspended is not set
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(840 * ns, DieState::Program),
                            at(900 * us, DieState::Suspended), at(901215 * ns, DieState::Idle)));
}

TEST_F(WaveStates, ResetTakesBusyAndIdleLuns)
{
    program(0, 1, cmd::kProgramConfirm, 0);
    EXPECT_EQ(command(cmd::kReset, 100 * us, 1), 100060 * ns); // LUN 0 is busy: no edge of its own
    ready(0, 110 * us);
    ready(1, 105 * us + 10 * us);
    EXPECT_THAT(changes("ce0.lun0.state"),
                ElementsAre(at(0, DieState::Idle), at(840 * ns, DieState::Program),
                            at(100060 * ns, DieState::Reset), at(110 * us, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun1.state"),
                ElementsAre(at(0, DieState::Idle), at(100060 * ns, DieState::Reset),
                            at(115 * us, DieState::Idle)));
    EXPECT_THAT(changes("ce0.lun0.plane1.state"),
                ElementsAre(at(0, PlaneState::Idle), at(700 * ns, PlaneState::DataIn),
                            at(840 * ns, PlaneState::Program), at(100060 * ns, PlaneState::Idle)));
}

TEST_F(WaveStates, FeaturesMakeTheirLunBusyAndMoveNoPage)
{
    Segment s; // D5h, LUN 1, 89h; four bytes, one a strobe
    s.sequence(cmd::kLunSetFeatures, 1 | 0x89 << 8, 2);
    s.burst(DataDirection::In, 4, &cells_);
    s.narrow = true;
    const u64 end = run(s, 0, 1, true);
    EXPECT_EQ(end, 620 * ns); // 15 + 3 * 45 + tADL 400 + 15 + 4 * 10 + 15
    ready(1, 2 * us);
    EXPECT_THAT(changes("ce0.lun1.state"),
                ElementsAre(at(0, DieState::Idle), at(620 * ns, DieState::Feature),
                            at(2 * us, DieState::Idle)));
    for (const char* plane : {"ce0.lun0.plane0.state", "ce0.lun1.plane0.state"}) {
        EXPECT_THAT(changes(plane), ElementsAre(at(0, PlaneState::Idle))) << plane;
    }
}

TEST_F(WaveStates, RowsBeyondTheDeviceAreLeftToTheChecker)
{
    Segment s;
    s.sequence(cmd::kErase, 0xffffff, 3);
    run(s, 0, 0, false);
    EXPECT_THAT(changes("ce0.lun0.state"), ElementsAre(at(0, DieState::Idle)));
}

} // namespace
} // namespace tlmssd::probes
