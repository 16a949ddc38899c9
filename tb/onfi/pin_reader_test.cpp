// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the pins mean beside their limits: ready lines, levels without meaning, selection, new timing.
#include <gtest/gtest.h>

#include "tb/onfi/pin_waves.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

/// 30h, R/B# low and high at `ready_ns`, RE# low at `read_ps`.
void read_after_ready(Bench& bench, u64 ready_ns, u64 read_ps)
{
    Wave wave{{"ce fall", ns(1000), select}, {"cle rise", ns(1100), cle_1},
              {"dq on", ns(1100), dq<0x30>}, {"we fall", ns(1200), we_0},
              {"we rise", ns(1300), we_1},   {"dq off", ns(1400), dq_off},
              {"cle fall", ns(1400), cle_0}};
    bench.play(wave);
    bench.reader.on_ready_edge(0, 0, 0, false, nanoseconds(1400));
    bench.reader.on_ready_edge(0, 0, 0, true, nanoseconds(ready_ns));
    Pins pins;
    select(pins);
    re_0(pins);
    bench.reader.on_pins(Picoseconds(read_ps), pins);
}

TEST(PinReady, DataMayBeReadFromReadyToReadOn)
{
    Bench kept(kSdr, 5);
    read_after_ready(kept, 9000, ns(9020)); // tRR 20
    EXPECT_EQ(kept.log.count(), 0u);
    Bench broken(kSdr, 5);
    read_after_ready(broken, 9000, ns(9020) - 1);
    ASSERT_EQ(broken.log.count(), 1u);
    EXPECT_STREQ(broken.reader.broken().limit, "tRR");
    EXPECT_EQ(broken.log.first()[0].first.kind, onfi::CycleKind::Ready);
}

TEST(PinReady, LineIsTheWiredAndOfTheLuns)
{
    Bench bench(kSdr, 5);
    EXPECT_TRUE(bench.reader.ready(0));
    bench.reader.on_ready_edge(0, 0, 0, false, nanoseconds(1));
    bench.reader.on_ready_edge(0, 0, 1, false, nanoseconds(2));
    bench.reader.on_ready_edge(0, 0, 0, true, nanoseconds(3));
    EXPECT_FALSE(bench.reader.ready(0));
    bench.reader.on_ready_edge(0, 0, 1, true, nanoseconds(4));
    EXPECT_TRUE(bench.reader.ready(0));
}

/// One WE# pulse with these levels on a selected, otherwise quiet bus.
u64 broken_by_pulse(BusInterface interface, void (*levels)(Pins&))
{
    Bench bench(interface, 5);
    Wave wave{{"ce", ns(1000), select}, {"levels", ns(1100), levels}, {"fall", ns(1300), we_0},
              {"rise", ns(1400), we_1}};
    bench.play(wave);
    EXPECT_TRUE(bench.target.cycles.empty());
    for (const onfi::Violation& v : bench.log.first()) {
        EXPECT_EQ(v.rule, onfi::Rule::PinState);
    }
    return bench.log.count();
}

TEST(PinState, CyclesWithoutMeaningAreReportedAndDropped)
{
    const auto both = [](Pins& p) { p.cle = p.ale = p.dq_driven = true; };
    const auto floating = [](Pins& p) { p.cle = true; };
    const auto neither = [](Pins& p) { p.dq_driven = true; };
    EXPECT_EQ(broken_by_pulse(kSdr, both), 1u);
    EXPECT_EQ(broken_by_pulse(kSdr, floating), 1u); // a command that nobody drives
    EXPECT_EQ(broken_by_pulse(kTog, neither), 1u);  // data in come with DQS
}

TEST(PinState, NothingHappensWithoutChipEnable)
{
    Bench bench(kSdr, 5);
    Pins pins;
    cle_1(pins);
    dq<0xff>(pins);
    we_0(pins);
    bench.reader.on_pins(nanoseconds(100), pins);
    we_1(pins);
    bench.reader.on_pins(nanoseconds(101), pins);
    EXPECT_TRUE(bench.target.cycles.empty());
    EXPECT_EQ(bench.log.count(), 0u);
}

TEST(PinState, TwoSelectedTargetsTakeTheSameCommandButCannotBothDriveData)
{
    const Geometry geometry = make_geometry().ways(2);
    onfi::ViolationLog log;
    DieLines lines;
    RecordingTarget targets[2];
    onfi::PinReader reader(0, geometry, onfi::bus_timing(kSdr, 5), config::DataKind::Full, log,
                           lines);
    reader.bind_target(0, targets[0]);
    reader.bind_target(1, targets[1]);
    Wave wave{{"ce", ns(1000), [](Pins& p) { p.ce_n = ~3u; }},
              {"cle", ns(1100), cle_1},
              {"dq", ns(1100), dq<0xff>},
              {"fall", ns(1200), we_0},
              {"rise", ns(1300), we_1},
              {"off", ns(1400), dq_off},
              {"cle off", ns(1400), cle_0}};
    Pins pins;
    for (const Edge& e : wave) {
        e.set(pins);
        reader.on_pins(Picoseconds(e.ps), pins);
    }
    EXPECT_EQ(targets[0].cycles, (std::vector<std::string>{"c ff"}));
    EXPECT_EQ(targets[1].cycles, (std::vector<std::string>{"c ff"}));
    EXPECT_EQ(log.count(), 0u);
    re_0(pins);
    reader.on_pins(nanoseconds(2000), pins);
    ASSERT_EQ(log.count(), 1u);
    EXPECT_EQ(log.first()[0].rule, onfi::Rule::PinState);
}

TEST(PinWriteProtect, EveryEdgeReachesTheTargets)
{
    Bench bench(kSdr, 5);
    Pins pins;
    pins.wp_n = false;
    bench.reader.on_pins(nanoseconds(1), pins);
    pins.wp_n = true;
    bench.reader.on_pins(nanoseconds(2), pins);
    EXPECT_EQ(bench.target.cycles, (std::vector<std::string>{"wp 1", "wp 0"}));
}

TEST(PinTiming, NewTimingHoldsFromThenOn)
{
    Bench bench(kSdr, 0); // tWP 50
    bench.play(read_status_wave());
    const u64 slow = bench.log.count();
    EXPECT_EQ(slow, 0u);
    bench.reader.set_timing(0, onfi::bus_timing(kSdr, 5));
    Wave wave = read_status_wave();
    edge(wave, "we fall").ps = edge(wave, "we rise").ps - ns(10);
    for (Edge& e : wave) {
        e.ps += ns(10000);
    }
    bench.play(wave);
    EXPECT_EQ(bench.log.count(), 0u);
    bench.reader.set_timing(0, onfi::bus_timing(kSdr, 4)); // tWP 12
    for (Edge& e : wave) {
        e.ps += ns(10000);
    }
    bench.play(wave);
    ASSERT_EQ(bench.log.count(), 1u);
    EXPECT_STREQ(bench.reader.broken().limit, "tWP");
}

} // namespace
} // namespace tlmssd::tb
