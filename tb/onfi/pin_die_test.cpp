// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a real die behind SystemC signals: programmed, read and configured by pins alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/nand/target/target.h"
#include "models/onfi/pins/pin_transactor.h"
#include "tb/onfi/bytes.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using onfi::BusTiming;
using onfi::bus_timing;
using onfi::PinEvent;
using onfi::Pins;

constexpr u32 kColumns = 2112;   // of a physical page: 4 x (512 + 12 parity), 16 OOB
constexpr u32 kOobColumn = 2096; // the page is one unit of 2 KiB

config::Nand small_part()
{
    config::Nand n = make_part(50, 900, 3000);
    n.t_feature = microseconds(1);
    n.jedec_id = "2c88";
    return n;
}

template <class T>
using Signal = sc_core::sc_signal<T>;

/// A controller that plays waveforms on the signals, and the die at the other end.
struct Board : sc_core::sc_module {
    BusTiming timing;
    time::EventQueue event_queue{"event_queue", time::Backend::Kernel};
    Geometry geometry = make_geometry().blocks(4).pages(4).page(2048, 64);
    config::Nand part = small_part();
    onfi::ViolationLog log;
    onfi::Channel channel; ///< only the dies' way to R/B#
    nand::PageStore store{geometry};
    nand::Device device{store, part, log};
    nand::Target target;
    onfi::PinTransactor pins;
    Signal<bool> ce_n{"ce_n", true}, cle{"cle"}, ale{"ale"}, we_n{"we_n", true};
    Signal<bool> re_n{"re_n", true}, wp_n{"wp_n", true}, dq_oe_i{"dq_oe_i"}, dqs_i{"dqs_i"};
    Signal<bool> dqs_oe_i{"dqs_oe_i"}, dq_oe_o{"dq_oe_o"}, dqs_o{"dqs_o"}, dqs_oe_o{"dqs_oe_o"};
    Signal<bool> rb_n{"rb_n"};
    Signal<u16> dq_i{"dq_i"}, dq_o{"dq_o"};
    Picoseconds ready_rose, ready_fell;
    DataCells cells;

    SC_HAS_PROCESS(Board);
    explicit Board(BusInterface interface, u32 mode, sc_core::sc_module_name n = "board")
        : sc_module(n), timing(bus_timing(interface, mode)),
          channel("channel", event_queue, 0, geometry, timing),
          target("target", event_queue, channel, 0, device),
          pins("pins", 0, geometry, timing, config::DataKind::Tags, log)
    {
        pins.reader().bind_target(0, target);
        channel.bind_target(0, target);
        pins.attach(channel);
        pins.ce_n[0](ce_n);
        pins.rb_n[0](rb_n);
        pins.cle(cle);
        pins.ale(ale);
        pins.we_n(we_n);
        pins.re_n(re_n);
        pins.wp_n(wp_n);
        pins.dq_i(dq_i);
        pins.dq_oe_i(dq_oe_i);
        pins.dqs_i(dqs_i);
        pins.dqs_oe_i(dqs_oe_i);
        pins.dq_o(dq_o);
        pins.dq_oe_o(dq_oe_o);
        pins.dqs_o(dqs_o);
        pins.dqs_oe_o(dqs_oe_o);
        SC_METHOD(on_ready);
        sensitive << rb_n;
        dont_initialize();
    }
    void on_ready() { (rb_n.read() ? ready_rose : ready_fell) = now(); }

    static Picoseconds now() { return Picoseconds(sc_core::sc_time_stamp().value()); }
    static void run_to(Picoseconds t)
    {
        if (t > now()) {
            sc_core::sc_start(sc_core::sc_time::from_value((t - now()).value()));
        }
    }
    static void run_for(Picoseconds t) { run_to(now() + t); }

    void drive(const Pins& p)
    {
        ce_n.write((p.ce_n & 1) != 0);
        cle.write(p.cle);
        ale.write(p.ale);
        we_n.write(p.we_n);
        re_n.write(p.re_n);
        dq_i.write(p.dq);
        dq_oe_i.write(p.dq_driven);
        dqs_i.write(p.dqs);
        dqs_oe_i.write(p.dqs_driven);
    }

    /// Plays the controller's part of a segment; its data come from `in`. Answers what the die
    /// drove, sampled 600 ps after the data sheet promises it.
    std::vector<u8> send(Segment s, const std::vector<u8>& in = {})
    {
        constexpr Picoseconds kLater{600};
        const bool out = s.direction == DataDirection::Out;
        const bool ddr = timing.sheet.interface != BusInterface::Sdr;
        s.timing = &timing;
        s.start = now() + nanoseconds(200);
        s.end = s.start + segment_time(s, timing);
        std::vector<PinEvent> events;
        draw_pins(s, [&](u32 i) { return out ? u8{0} : in.at(i); }, events);
        std::vector<Picoseconds> samples;
        Pins before = events.front().pins;
        for (PinEvent& e : events) {
            const bool burst = e.pins.cle == e.pins.ale;
            if (out && burst && !ddr && before.re_n && !e.pins.re_n) {
                samples.push_back(e.at + timing.sheet.t_rea + kLater);
            }
            if (out && burst && ddr && before.dqs_driven && e.pins.dqs_driven &&
                before.dqs != e.pins.dqs) {
                samples.push_back(e.at + kLater);
            }
            before = e.pins;
            if (out && burst) {
                e.pins.dq_driven = e.pins.dqs_driven = false; // the die's business
            }
        }
        std::vector<u8> bytes;
        auto sample = samples.begin();
        for (const PinEvent& e : events) {
            for (; sample != samples.end() && *sample < e.at; ++sample) {
                run_to(*sample);
                EXPECT_TRUE(dq_oe_o.read()) << "byte " << bytes.size();
                EXPECT_EQ(dqs_oe_o.read(), ddr);
                if (ddr) {
                    EXPECT_EQ(dqs_o.read(), bytes.size() % 2 == 0);
                }
                bytes.push_back(static_cast<u8>(dq_o.read()));
            }
            run_to(e.at);
            drive(e.pins);
        }
        run_for(nanoseconds(200));
        return bytes;
    }
    void wait_ready()
    {
        ASSERT_FALSE(rb_n.read());
        for (u32 i = 0; i < 100000 && !rb_n.read(); ++i) {
            run_for(nanoseconds(100));
        }
        ASSERT_TRUE(rb_n.read());
    }
    void expect_clean() const
    {
        EXPECT_EQ(log.count(), 0u) << onfi::to_string(log.first()[0]);
    }
};

Segment narrow(Segment s)
{
    s.narrow = true;
    return s;
}

/// A page whose bytes carry `tag` over and over, then OOB.
std::vector<u8> page_of(UnitTag tag)
{
    std::vector<u8> bytes(kColumns);
    for (u32 i = 0; i < kColumns; ++i) {
        const u32 word = i % 8 < 4 ? tag.unit : tag.version;
        bytes[i] = static_cast<u8>(word >> (8 * (i % 4)));
    }
    for (u32 i = kOobColumn; i < kColumns; ++i) {
        bytes[i] = static_cast<u8>(0xc0 + i - kOobColumn);
    }
    return bytes;
}

class PinDie : public testing::TestWithParam<std::pair<BusInterface, u32>> {};

TEST_P(PinDie, ProgramsReportsAndReadsAPageByPinsAlone)
{
    Board board(GetParam().first, GetParam().second);
    const onfi::DataSheet& sheet = board.timing.sheet;
    const UnitTag tag{0x04030201, 0x0d0c0b0a};
    const std::vector<u8> page = page_of(tag);
    const u32 row = board.geometry.row(0, 0, 2, 0);
    board.send(program(row, 0, kColumns, board.cells), page);
    EXPECT_FALSE(board.rb_n.read());
    const u8 ready = onfi::status::kReady | onfi::status::kArrayReady;
    EXPECT_EQ(board.send(narrow(read_status(board.cells))).at(0) & ready, 0);
    board.wait_ready();
    // R/B# falls with the edge that latches 10h, and rises tWB and tPROG later.
    EXPECT_EQ(board.ready_rose - board.ready_fell, sheet.t_wb + board.part.t_program);
    EXPECT_EQ(board.send(narrow(read_status(board.cells))).at(0),
              ready | onfi::status::kNotProtected);
    const nand::PageView stored = board.store.read({0, 0, 2, 0});
    EXPECT_EQ(stored.tags[0], tag);
    EXPECT_EQ(stored.oob[15], 0xcf);

    board.send(read_command(row));
    board.wait_ready();
    EXPECT_EQ(board.ready_rose - board.ready_fell, sheet.t_wb + board.part.t_read);
    EXPECT_EQ(board.send(direct_out(kColumns, board.cells)), page);
    EXPECT_FALSE(board.dq_oe_o.read()) << "the die lets go of DQ after CE#";
    // From the middle: the same bytes.
    EXPECT_EQ(board.send(column_out(2000, 100, board.cells)),
              std::vector<u8>(page.begin() + 2000, page.begin() + 2100));
    board.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Interfaces, PinDie,
                         testing::Values(std::pair{BusInterface::Sdr, 0u},
                                         std::pair{BusInterface::Sdr, 5u},
                                         std::pair{BusInterface::NvDdr, 5u},
                                         std::pair{BusInterface::NvDdr2, 6u},
                                         std::pair{BusInterface::NvDdr3, 10u}));

TEST(PinDieRegisters, SignatureIsReadByteByByte)
{
    Board board(BusInterface::Sdr, 5);
    Segment s;
    s.command(0x90);
    s.address(0x20);
    s.burst(DataDirection::Out, 4, &board.cells);
    EXPECT_EQ(board.send(narrow(s)), (std::vector<u8>{'O', 'N', 'F', 'I'}));
    board.expect_clean();
}

Segment set_timing_mode(DataCells& cells)
{
    Segment s;
    s.command(0xef);
    s.address(0x01);
    s.burst(DataDirection::In, 4, &cells);
    return narrow(s);
}

TEST(PinDieRegisters, SetFeaturesSwitchesTheModeAndOldTimingIsThenRefused)
{
    Board board(BusInterface::Sdr, 5);
    board.send(set_timing_mode(board.cells), {0x04, 0, 0, 0});
    board.wait_ready();
    EXPECT_EQ(board.target.features().mode(), 4u);
    board.expect_clean();
    board.send(narrow(read_status(board.cells))); // still as mode 5
    ASSERT_GE(board.log.count(), 1u);
    EXPECT_EQ(board.log.first()[0].rule, onfi::Rule::WrongInterface);
    const u64 before = board.log.count();
    board.timing = bus_timing(BusInterface::Sdr, 4);
    board.pins.reader().set_timing(0, board.timing);
    EXPECT_EQ(board.send(narrow(read_status(board.cells))).at(0) & 0x60, 0x60);
    EXPECT_EQ(board.log.count(), before);
}

TEST(PinDieRegisters, WriteProtectPinStopsAProgram)
{
    Board board(BusInterface::Sdr, 5);
    board.wp_n.write(false);
    board.run_for(microseconds(1));
    board.send(program(0, 0, kColumns, board.cells), page_of({1, 1}));
    ASSERT_GE(board.log.count(), 1u);
    EXPECT_EQ(board.log.first()[0].rule, onfi::Rule::WriteProtected);
    EXPECT_EQ(board.store.next_page({0, 0, 0, 0}), 0u);
}

} // namespace
} // namespace tlmssd::tb
