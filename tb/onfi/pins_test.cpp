// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: segments drawn as pins: hand-made waveforms, and the way there and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/onfi/pins/pin_reader.h"
#include "models/onfi/pins/pins.h"
#include "tb/onfi/pin_bench.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using onfi::BusTiming;
using onfi::bus_timing;
using onfi::PinEvent;
using onfi::Pins;

/// A segment as the channel would set it: from `start_ns`, in `timing`.
Segment timed(Segment s, u64 start_ns, const BusTiming& timing)
{
    s.timing = &timing;
    s.start = nanoseconds(start_ns);
    s.end = s.start + segment_time(s, timing);
    return s;
}

std::vector<PinEvent> drawn(const Segment& s, const std::function<u8(u32)>& byte)
{
    std::vector<PinEvent> events;
    draw_pins(s, byte, events);
    return events;
}

/// Times (ps) at which `level` of a line becomes true, within the events.
std::vector<u64> rises(const std::vector<PinEvent>& events, bool (*level)(const Pins&))
{
    std::vector<u64> times;
    bool before = level(events.front().pins);
    for (const PinEvent& e : events) {
        if (level(e.pins) && !before) {
            times.push_back(e.at.value());
        }
        before = level(e.pins);
    }
    return times;
}

using Times = std::vector<u64>;

// SDR 5: tCS 15, tWC 20, tWP 10, holds 5, tDS 7, tDH 5, tWHR 80, tRP 10, tREA 16, tRC 20.
// 70h: cycle 1015 to 1035, WE# rises 5 before its end; RE# falls at 1035 + 80.
TEST(DrawnPins, ReadStatusOfSdrIsDrawnEdgeByEdge)
{
    const BusTiming t = bus_timing(BusInterface::Sdr, 5);
    DataCells cells;
    const Segment s = timed(read_status(cells), 1000, t);
    const std::vector<PinEvent> events = drawn(s, [](u32) { return u8{0xe0}; });
    struct Line {
        u64 at;
        bool ce_n, cle, we_n, re_n;
        int dq; ///< -1: floats
    };
    const Line expected[] = {
        {1000, false, false, true, true, -1},  {1015, false, true, true, true, -1},
        {1020, false, true, false, true, -1},  {1023, false, true, false, true, 0x70},
        {1030, false, true, true, true, 0x70}, {1035, false, false, true, true, -1},
        {1115, false, false, true, false, -1}, {1125, false, false, true, true, -1},
        {1131, false, false, true, true, 0xe0}, {1135, true, false, true, true, -1},
    };
    ASSERT_EQ(events.size(), std::size(expected));
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Line& e = expected[i];
        const Pins& p = events[i].pins;
        EXPECT_EQ(events[i].at, nanoseconds(e.at)) << i;
        EXPECT_EQ((p.ce_n & 1) != 0, e.ce_n) << i;
        EXPECT_EQ(p.ce_n | 1, 0xffffffff) << i;
        EXPECT_EQ(p.cle, e.cle) << i;
        EXPECT_FALSE(p.ale) << i;
        EXPECT_EQ(p.we_n, e.we_n) << i;
        EXPECT_EQ(p.re_n, e.re_n) << i;
        EXPECT_EQ(p.dq_driven ? static_cast<int>(p.dq) : -1, e.dq) << i;
        EXPECT_FALSE(p.dqs_driven) << i;
    }
}

// NV-DDR 5: tCS 15, tCAD 45, tADL 400, preamble 15, tCK 10. EFh 01h and one register byte twice:
// cycles end at 1105; data from 1105 + 400 + 15 = 1520; DQS at a quarter period, CLK one before.
TEST(DrawnPins, NvDdrBurstInHasDqsInTheMiddleOfItsBits)
{
    const BusTiming t = bus_timing(BusInterface::NvDdr, 5);
    DataCells cells;
    Segment s;
    s.command(0xef);
    s.address(0x01);
    s.burst(DataDirection::In, 2, &cells);
    s.narrow = true;
    const std::vector<PinEvent> events =
        drawn(timed(s, 1000, t), [](u32 i) { return static_cast<u8>(0xa0 + i); });
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.we_n; }),
              (Times{1015000 + 22500, 1060000 + 22500, 1512500, 1522500})); // CLK
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.dqs; }), (Times{1522500, 1532500}));
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.dqs_driven && !p.dqs; }),
              (Times{1505000, 1527500, 1537500})); // preamble, then falling edges
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.cle && p.ale; }), (Times{1505000}));
    // tDS 0.9 before the first edge; the second byte comes 0.9 before its first edge.
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.dq_driven && p.dq == 0xa0; }),
              (Times{1521600}));
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.dq_driven && p.dq == 0xa1; }),
              (Times{1531600}));
    EXPECT_EQ(events.back().at, nanoseconds(1520 + 20 + 15));
    EXPECT_TRUE(std::all_of(events.begin(), events.end(), [](auto& e) { return e.pins.re_n; }));
}

// NV-DDR 5, direct: W/R# low at 1000 + tCS 15 + tRR 20; tWRCK 20 to the clock, tDQSCK 25 to DQS.
TEST(DrawnPins, NvDdrBurstOutFollowsTheClock)
{
    const BusTiming t = bus_timing(BusInterface::NvDdr, 5);
    DataCells cells;
    const std::vector<PinEvent> events = drawn(timed(direct_out(4, cells), 1000, t), [](u32 i) {
        return static_cast<u8>(1 << i);
    });
    EXPECT_EQ(rises(events, [](const Pins& p) { return !p.re_n; }), (Times{1035000}));
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.we_n; }), (Times{1055000, 1065000}));
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.dqs; }), (Times{1080000, 1090000}));
    for (u32 i = 0; i < 4; ++i) {
        std::vector<u64> at;
        for (const PinEvent& e : events) {
            if (e.pins.dq_driven && e.pins.dq == 1u << i) {
                at.push_back(e.at.value());
            }
        }
        ASSERT_FALSE(at.empty());
        EXPECT_EQ(at.front(), 1080000u + 5000 * i);
    }
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.re_n; }), (Times{1100000})); // data end
    EXPECT_EQ(events.back().at, nanoseconds(1120));                                   // + tDQSHZ
}

// NV-DDR2 6, direct: RE# falls at 1000 + tCS 20 + tRR 20, rises after tRPRE 15, DQS 15 later.
TEST(DrawnPins, NvDdr2BurstOutTogglesReadEnable)
{
    const BusTiming t = bus_timing(BusInterface::NvDdr2, 6);
    DataCells cells;
    const std::vector<PinEvent> events =
        drawn(timed(direct_out(4, cells), 1000, t), [](u32) { return u8{0x5a}; });
    EXPECT_EQ(rises(events, [](const Pins& p) { return !p.re_n; }),
              (Times{1040000, 1058000, 1064000}));
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.re_n; }),
              (Times{1055000, 1061000, 1082000})); // the last one with CE#
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.dqs; }), (Times{1070000, 1076000}));
    EXPECT_EQ(rises(events, [](const Pins& p) { return (p.ce_n & 1) != 0; }), (Times{1082000}));
}

TEST(DrawnPins, SixteenLinesCarryTwoBytesLowFirst)
{
    config::Onfi onfi;
    onfi.mode = 5;
    onfi.width = 16;
    const BusTiming t = bus_timing(onfi, config::Nand{});
    DataCells cells;
    const std::vector<PinEvent> events = drawn(timed(direct_out(4, cells), 0, t), [](u32 i) {
        return static_cast<u8>(0x11 * (i + 1));
    });
    std::vector<u16> words;
    for (const PinEvent& e : events) {
        if (e.pins.dq_driven && (words.empty() || words.back() != e.pins.dq)) {
            words.push_back(e.pins.dq);
        }
    }
    EXPECT_EQ(words, (std::vector<u16>{0x2211, 0x4433}));
}

TEST(DrawnPins, SegmentThatWaitedIsDrawnAtItsEnd)
{
    const BusTiming t = bus_timing(BusInterface::Sdr, 5);
    Segment s = timed(lone_command(0xff), 1000, t); // ends at 1035
    s.end += nanoseconds(85);                       // turn-round of the bus
    const std::vector<PinEvent> events = drawn(s, [](u32) { return u8{0}; });
    EXPECT_EQ(events.front().at, nanoseconds(1000));
    EXPECT_EQ(rises(events, [](const Pins& p) { return p.cle; }), (Times{1100000}));
    s.end = s.start + segment_time(s, t) - Picoseconds(1);
    EXPECT_THROW(drawn(s, [](u32) { return u8{0}; }), ModelError);
}

TEST(DrawnByte, TakesRealBytesThenRegistersThenTags)
{
    DataCells cells;
    Segment s = direct_out(20, cells);
    cells.tags[0] = {0x04030201, 0x08070605};
    cells.tags[1] = {0x0c0b0a09, 0x100f0e0d};
    for (u32 i = 0; i < 16; ++i) {
        EXPECT_EQ(drawn_byte(s, i), i + 1);
    }
    EXPECT_EQ(drawn_byte(s, 128), 1); // over and over
    s.narrow = true;
    cells.bytes[3] = 0x77;
    EXPECT_EQ(drawn_byte(s, 3), 0x77);
    u8 page[20] = {};
    page[19] = 0x99;
    cells.page = page;
    EXPECT_EQ(drawn_byte(s, 19), 0x99);
}

struct BusCase {
    BusInterface interface;
    u32 mode;
    u32 width = 8;
    u64 cycle_ps = 0;
};

/// Random legal segments of every command kind, drawn, read back and compared.
class RoundTrip : public testing::TestWithParam<BusCase> {
protected:
    static constexpr u64 kSeed = 7;

    u32 draw(u32 n) { return static_cast<u32>(draw_below(draw64(kSeed, 1, counter_++), n)); }
    u8 any() { return static_cast<u8>(draw(256)); }
    /// Bytes of a burst: whole strobes.
    u32 some()
    {
        const u32 grain = timing_.width / 8 * (ddr() ? 2 : 1);
        return grain * (1 + draw(24));
    }
    bool ddr() const { return timing_.sheet.interface != BusInterface::Sdr; }
    void open(Segment& s, u32 command, u32 addresses)
    {
        s.command(static_cast<u8>(command));
        for (u32 i = 0; i < addresses; ++i) {
            s.address(any());
        }
    }
    Segment only(u32 command, u32 addresses, int confirm = -1)
    {
        Segment s;
        open(s, command, addresses);
        if (confirm >= 0) {
            s.command(static_cast<u8>(confirm));
        }
        return s;
    }
    Segment out(Segment s, u32 bytes, bool narrow)
    {
        s.burst(DataDirection::Out, bytes, &cells_);
        s.narrow = narrow;
        return s;
    }
    Segment in(u32 command, u32 addresses, u32 bytes, bool narrow, int confirm)
    {
        Segment s;
        if (command != 0) {
            open(s, command, addresses);
        }
        s.burst(DataDirection::In, bytes, &cells_);
        s.narrow = narrow;
        if (confirm >= 0) {
            s.command(static_cast<u8>(confirm));
        }
        return s;
    }

    static constexpr u32 kKinds = 34;
    std::vector<Segment> kind(u32 n)
    {
        const bool parameter = timing_.width == 16 && !ddr(); // on the lower lines
        const u32 set = parameter ? 256 : some();
        switch (n) {
        case 0: return {only(0x00, 5, 0x30), out({}, some(), false)};
        case 1: return {only(0x00, 5, 0x32), only(0x00, 5, 0x30)};
        case 2: return {only(0x00, 5, 0x31), out({}, some(), false)};
        case 3: return {only(0x31, 0), out({}, some(), false)};
        case 4: return {only(0x3f, 0), out({}, some(), false)};
        case 5: return {only(0x00, 5, 0x35), only(0x85, 5, 0x10)};
        case 6: return {out(only(0x05, 2, 0xe0), some(), false)};
        case 7: return {out(only(0x06, 5, 0xe0), some(), false)};
        case 8: return {in(0x80, 5, some(), false, 0x10)};
        case 9: return {in(0x80, 5, some(), false, 0x11)};
        case 10: return {in(0x80, 5, some(), false, 0x15)};
        case 11: return {in(0x80, 5, some(), false, -1), in(0x85, 2, some(), false, 0x10)};
        case 12: return {in(0x80, 5, some(), false, -1), in(0, 0, some(), false, 0x10)};
        case 13: return {in(0x85, 5, some(), false, 0x11)};
        case 14: return {only(0x80, 5, 0x10)};
        case 15: return {only(0x60, 3, 0xd0)};
        case 16: return {only(0x60, 3, 0xd1), only(0x60, 3, 0xd0)};
        case 17: return {out(only(0x70, 0), 1, true)};
        case 18: return {out(only(0x78, 3), 1, true)};
        case 19: return {out(only(0x70, 0), 1, true), out(only(0x00, 0), some(), false)};
        case 20: return {out(only(0x90, 1), 5, true)};
        case 21: return {only(0xec, 1), out({}, set, parameter)};
        case 22: return {only(0xed, 1), out({}, set, parameter)};
        case 23: return {only(0xee, 1), out({}, 4, true)};
        case 24: return {only(0xd4, 2), out({}, 4, true)};
        case 25: return {in(0xef, 1, 4, true, -1)};
        case 26: return {in(0xd5, 2, 4, true, -1)};
        case 27: return {only(0xff, 0)};
        case 28: return {only(0xfc, 0)};
        case 29: return {only(0xfa, 3)};
        case 30: return {only(0x84, 3), only(0x13, 3)};
        case 31: return {only(0x61, 3), only(0xd2, 3)};
        case 32: // features are polled, then read
            return {only(0xee, 1), out(only(0x70, 0), 1, true), out(only(0x00, 0), 4, true)};
        default: return {out(only(0x00, 5, 0x30), some(), false)};
        }
    }

    /// What the target must see of `s`.
    std::vector<std::string> expected(const Segment& s, const std::function<u8(u32)>& byte)
    {
        std::vector<std::string> cycles;
        const auto take = [&](u32 from, u32 to) {
            for (u32 i = from; i < to; ++i) {
                cycles.push_back(cycle_name(s.is_command(i) ? "c" : "a", s.bytes[i]));
            }
        };
        take(0, s.lead);
        for (u32 i = 0; i < s.data_bytes && s.direction != DataDirection::None; ++i) {
            cycles.push_back(s.direction == DataDirection::In ? cycle_name("in", byte(i)) : "out");
        }
        take(s.lead, u32{s.lead} + s.trail);
        return cycles;
    }

    void play(Segment s, u64 number)
    {
        const auto byte = [number](u32 i) {
            return static_cast<u8>(draw64(kSeed, 2, number << 20 | i));
        };
        RecordingTarget& target = targets_[s.ce];
        target.restart();
        target.byte = byte;
        s.timing = &timing_;
        s.start = now_;
        s.end = s.start + segment_time(s, timing_);
        const bool strip = draw(2) == 0; // the controller's own lines, or everything
        const bool is_out = s.direction == DataDirection::Out;
        u32 compared = 0;
        for (const PinEvent& e : drawn(s, byte)) {
            ASSERT_LE(e.at, s.end);
            const bool dies = is_out && e.pins.cle == e.pins.ale;
            Pins pins = e.pins;
            if (strip && dies) {
                pins.dq_driven = pins.dqs_driven = false;
            }
            reader_.on_pins(e.at, pins);
            const onfi::DieDrive& line = lines_.at(e.at);
            if (dies && e.pins.dq_driven) {
                ASSERT_TRUE(line.dq_driven) << e.at.value();
                ASSERT_EQ(line.dq, e.pins.dq) << e.at.value();
                ++compared;
            }
            if (dies && e.pins.dqs_driven) {
                ASSERT_TRUE(line.dqs_driven) << e.at.value();
                ASSERT_EQ(line.dqs, e.pins.dqs) << e.at.value();
            }
        }
        if (is_out) {
            EXPECT_GE(compared, timing_.strobes(s.data_bytes, s.narrow));
        }
        ASSERT_EQ(target.cycles, expected(s, byte)) << "segment " << number;
        ASSERT_EQ(log_.count(), 0u) << reader_.broken().limit << ": "
                                    << onfi::to_string(log_.first()[0]);
        now_ = s.end;
    }

    static Geometry two_ces()
    {
        return make_geometry().ways(2);
    }
    static BusTiming timing_of(const BusCase& c)
    {
        config::Onfi onfi;
        onfi.interface = c.interface;
        onfi.mode = c.mode;
        onfi.width = c.width;
        onfi.cycle = Picoseconds(c.cycle_ps);
        return bus_timing(onfi, config::Nand{});
    }

    BusTiming timing_ = timing_of(GetParam());
    onfi::ViolationLog log_;
    DieLines lines_;
    onfi::PinReader reader_{0, two_ces(), timing_, config::DataKind::Full, log_, lines_};
    RecordingTarget targets_[2];
    DataCells cells_;
    u64 counter_ = 0;
    Picoseconds now_ = microseconds(1);
};

TEST_P(RoundTrip, TargetSeesTheCyclesThatWereDrawnAndNoLimitBreaks)
{
    reader_.bind_target(0, targets_[0]);
    reader_.bind_target(1, targets_[1]);
    u64 number = 0;
    for (u32 round = 0; round < 6 * kKinds; ++round) {
        const u32 ce = draw(2);
        for (Segment s : kind(round % kKinds)) {
            s.ce = ce;
            if (s.lead == 0 && s.direction == DataDirection::Out) {
                now_ += microseconds(1); // the array has worked
            }
            play(s, number++);
            if (HasFatalFailure()) {
                return;
            }
            now_ += s.direction == DataDirection::Out ? timing_.sheet.t_rhw : Picoseconds();
            now_ += draw(2) * (timing_.sheet.t_ceh + Picoseconds(draw(100000)));
        }
    }
    EXPECT_GT(number, 6 * kKinds);
}

std::vector<BusCase> all_buses()
{
    std::vector<BusCase> cases;
    const std::pair<BusInterface, u32> modes[] = {
        {BusInterface::Sdr, 6}, {BusInterface::NvDdr, 6}, {BusInterface::NvDdr2, 9},
        {BusInterface::NvDdr3, 11}};
    for (const auto& [interface, n] : modes) {
        for (u32 mode = 0; mode < n; ++mode) {
            cases.push_back({interface, mode});
        }
    }
    cases.push_back({BusInterface::Sdr, 5, 16});
    cases.push_back({BusInterface::Sdr, 1, 16});
    cases.push_back({BusInterface::NvDdr2, 7, 16});
    cases.push_back({BusInterface::Sdr, 5, 8, 30000});
    cases.push_back({BusInterface::NvDdr, 5, 8, 33000});
    cases.push_back({BusInterface::NvDdr, 5, 8, 70000});
    cases.push_back({BusInterface::NvDdr3, 10, 8, 3333});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Buses, RoundTrip, testing::ValuesIn(all_buses()));

} // namespace
} // namespace tlmssd::tb
