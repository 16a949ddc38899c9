// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RTL PHY alone, a pin reader and the checker at its pins: every primitive in every mode takes the
// time of docs/onfi.md to the picosecond, with no limit broken; a register below the minimum is found.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/config/config.h"
#include "models/flash/phy_model.h"
#include "models/flash/phy_pins.h"
#include "models/flash/phy_registers.h"
#include "models/onfi/checker.h"
#include "tb/onfi/pin_bench.h"

namespace tlmssd {
namespace {

using config::BusInterface;
using flash::Phase;
using flash::PhyRegister;
using flash::PhySetup;
using flash::SegmentRequest;
using onfi::Segment;

constexpr u32 kCe = 1;

struct Bus {
    BusInterface interface;
    u32 mode;
    u32 width;
};

config::Config config_of(const Bus& bus)
{
    config::Config c;
    c.geometry = {1, 2, 1, 1, 2, 16, 16, 1024, 48}; // 2 sectors of 512 + 16, OOB 16
    c.data = config::DataKind::Full;
    c.onfi.interface = bus.interface;
    c.onfi.mode = bus.mode;
    c.onfi.width = bus.width;
    c.controller.kind = config::ControllerKind::RtlPins;
    return c;
}

struct Ran {
    Picoseconds start, end;
    std::vector<u8> out;
    std::vector<std::string> cycles; ///< as tb::RecordingTarget writes them
    Picoseconds time() const { return end - start; }
};

class Bench {
public:
    explicit Bench(const config::Config& config)
        : config_(config), timing(onfi::bus_timing(config.onfi, config.nand)), setup(flash::phy_setup(config, timing)),
          reader(0, config_.geometry, timing, config.data, violations, lines_), model_(flash::make_phy())
    {
        reader.bind_target(kCe, target);
    }

    /// Write the registers; before the first run().
    void boot()
    {
        model_->reset();
        for (u32 i = 0; i < flash::kPhyRegisters; ++i) {
            model_->write_register(i, setup.registers[i]);
        }
        pins_ = flash::onfi_pins(model_->pins());
        reader.on_pins(now_, pins_);
        now_ = now_ + 100000 * setup.period; // nothing is left of earlier days
    }

    Ran run(const SegmentRequest& request, const std::vector<u8>& in = {})
    {
        target.restart();
        Ran ran;
        ran.start = now_;
        const u32 word_bytes = config_.onfi.width / 8;
        std::size_t at = 0;
        const auto word = [&](std::size_t i) { return i < in.size() ? in[i] : u8{0xff}; };
        const auto offer = [&] {
            const u32 upper = word_bytes == 2 ? word(at + 1) : 0;
            model_->offer(!in.empty(), static_cast<u16>(word(at) | upper << 8));
        };
        model_->request(&request);
        offer();
        model_->settle();
        show();
        for (u32 i = 0; i < 200000; ++i) {
            now_ += setup.period;
            const onfi::DieDrive& die = lines_.at(now_);
            model_->die(die.dq_driven ? die.dq : u16{0xffff}, die.dqs_driven && die.dqs);
            const bool takes = model_->takes_word();
            model_->edge();
            if (takes) {
                at += word_bytes;
                offer();
            }
            if (model_->word_out()) {
                ran.out.push_back(static_cast<u8>(model_->word()));
                if (word_bytes == 2 && request.phase != Phase::Status) {
                    ran.out.push_back(static_cast<u8>(model_->word() >> 8));
                }
            }
            show();
            if (model_->done()) {
                ran.end = now_;
                ran.cycles = target.cycles;
                model_->request(nullptr);
                model_->offer(false, 0);
                return ran;
            }
        }
        ADD_FAILURE() << "the segment never ends";
        return ran;
    }

    /// Run the clock until the PHY is idle, in edges; then let time pass.
    u32 rest()
    {
        u32 edges = 0;
        while (!model_->idle() && edges < 100000) {
            step();
            ++edges;
        }
        now_ += 1000 * setup.period; // as long as a die is busy
        return edges;
    }

    /// One clock without a segment.
    void step()
    {
        now_ += setup.period;
        model_->edge();
        show();
    }

    flash::PhyModelIf& model() { return *model_; }
    /// Limits that the pin reader has named.
    const std::set<std::string>& broken() const { return broken_; }

private:
    void show()
    {
        const onfi::Pins pins = flash::onfi_pins(model_->pins());
        if (pins != pins_) {
            pins_ = pins;
            const u64 before = violations.count();
            reader.on_pins(now_, pins);
            if (violations.count() != before) {
                broken_.insert(reader.broken().limit);
            }
        }
    }

    config::Config config_;
    tb::DieLines lines_;

public:
    onfi::BusTiming timing;
    PhySetup setup;
    onfi::ViolationLog violations;
    tb::RecordingTarget target;
    onfi::PinReader reader;

private:
    std::unique_ptr<flash::PhyModelIf> model_;
    onfi::Pins pins_;
    Picoseconds now_;
    std::set<std::string> broken_;
};

SegmentRequest request_of(Phase phase, u8 opcode, u8 nplanes = 1, u8 plane = 0)
{
    SegmentRequest r;
    r.ce = kCe;
    r.phase = phase;
    r.opcode = opcode;
    r.nplanes = nplanes;
    r.plane = plane;
    r.col = 1;
    r.len = 1;
    r.row = 0x563412;
    r.oob = 0;
    return r;
}

/// One request, what it is in ONFI bytes, and its segment, all by hand (docs/onfi.md, segment_port.h).
struct Case {
    std::string name;
    SegmentRequest request;
    Segment segment;
    std::vector<std::string> cycles; ///< without the burst
};

constexpr u32 kBurst = 528 + 16; ///< sector 1 of 2 with its parity, and the OOB bytes behind it
const std::vector<std::string> kColumnRow = {"a 10", "a 02", "a 12", "a 34", "a 56"}; // 528 = 0210h
const std::vector<std::string> kRow = {"a 12", "a 34", "a 56"};

std::vector<std::string> joined(std::vector<std::string> head, const std::vector<std::string>& middle,
                                const std::vector<std::string>& tail = {})
{
    head.insert(head.end(), middle.begin(), middle.end());
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
}

std::vector<Case> cases(bool ddr)
{
    using onfi::DataDirection;
    static onfi::DataCells cells;
    std::vector<Case> all;
    const auto add = [&](const char* name, const SegmentRequest& r, std::vector<std::string> lead,
                         DataDirection direction = DataDirection::None, u32 bytes = 0, bool narrow = false,
                         std::vector<std::string> trail = {}) {
        Case c{name, r, {}, joined(lead, {}, trail)};
        c.segment.ce = kCe;
        const auto put = [&c](const std::string& cycle) {
            const u8 byte = static_cast<u8>(std::stoul(cycle.substr(2), nullptr, 16));
            cycle[0] == 'c' ? c.segment.command(byte) : c.segment.address(byte);
        };
        for (const std::string& cycle : lead) {
            put(cycle);
        }
        if (direction != DataDirection::None) {
            c.segment.burst(direction, bytes, &cells);
            c.segment.narrow = narrow;
        }
        for (const std::string& cycle : trail) {
            put(cycle);
        }
        all.push_back(c);
    };
    add("READ", request_of(Phase::Command, FLASH_OP_READ), joined({"c 00"}, kColumnRow, {"c 30"}));
    add("READ, plane queued", request_of(Phase::Command, FLASH_OP_READ, 2), joined({"c 00"}, kColumnRow, {"c 32"}));
    add("ERASE", request_of(Phase::Command, FLASH_OP_ERASE), joined({"c 60"}, kRow, {"c d0"}));
    add("ERASE, plane queued", request_of(Phase::Command, FLASH_OP_ERASE, 2), joined({"c 60"}, kRow, {"c d1"}));
    add("RESET", request_of(Phase::Command, FLASH_OP_RESET), {ddr ? "c fc" : "c ff"});
    add("data out", request_of(Phase::DataOut, FLASH_OP_READ), {}, DataDirection::Out, kBurst);
    add("data out of a plane", request_of(Phase::DataOut, FLASH_OP_READ, 2), joined({"c 06"}, kColumnRow, {"c e0"}),
        DataDirection::Out, kBurst);
    add("PROGRAM", request_of(Phase::DataIn, FLASH_OP_PROGRAM), joined({"c 80"}, kColumnRow), DataDirection::In,
        kBurst, false, {"c 10"});
    add("PROGRAM, plane queued", request_of(Phase::DataIn, FLASH_OP_PROGRAM, 2), joined({"c 80"}, kColumnRow),
        DataDirection::In, kBurst, false, {"c 11"});
    add("status", request_of(Phase::Status, FLASH_OP_PROGRAM), {"c 70"}, DataDirection::Out, 1, true);
    add("erase suspend", request_of(Phase::Suspend, FLASH_OP_ERASE), joined({"c 61"}, kRow));
    add("program suspend", request_of(Phase::Suspend, FLASH_OP_PROGRAM), joined({"c 84"}, kRow));
    add("erase resume", request_of(Phase::Resume, FLASH_OP_ERASE), joined({"c d2"}, kRow));
    add("program resume", request_of(Phase::Resume, FLASH_OP_PROGRAM), joined({"c 13"}, kRow));
    return all;
}

u8 pattern(u32 i) { return static_cast<u8>(i * 37 + (i >> 8) + 1); }

class OnfiPhy : public testing::TestWithParam<Bus> {};

/// tCS, cycles, gap, burst, ... add up as segment_time() says; the bytes are right; nothing is too short.
TEST_P(OnfiPhy, EachPrimitiveTakesTheTimeOfTheTablesAndBreaksNoLimit)
{
    const Bus bus = GetParam();
    Bench bench(config_of(bus));
    bench.boot();
    bench.target.byte = pattern;
    std::vector<u8> data(kBurst);
    for (u32 i = 0; i < kBurst; ++i) {
        data[i] = pattern(i + 5);
    }
    for (const Case& c : cases(bus.interface != BusInterface::Sdr)) {
        const bool in = c.segment.direction == onfi::DataDirection::In;
        const Ran ran = bench.run(c.request, in ? data : std::vector<u8>{});
        EXPECT_EQ(ran.time().value(), onfi::segment_time(c.segment, bench.timing).value()) << c.name;
        std::vector<std::string> cycles, bytes;
        for (const std::string& cycle : ran.cycles) {
            (cycle[0] == 'c' || cycle[0] == 'a' ? cycles : bytes).push_back(cycle);
        }
        EXPECT_EQ(cycles, c.cycles) << c.name;
        if (in) {
            ASSERT_EQ(bytes.size(), kBurst) << c.name;
            for (u32 i = 0; i < kBurst; ++i) {
                ASSERT_EQ(bytes[i], tb::cycle_name("in", data[i])) << c.name << ", byte " << i;
            }
        } else {
            ASSERT_EQ(ran.out.size(), c.segment.data_bytes) << c.name;
            for (u32 i = 0; i < ran.out.size(); ++i) {
                ASSERT_EQ(ran.out[i], pattern(i)) << c.name << ", byte " << i;
            }
        }
        EXPECT_EQ(bench.violations.count(), 0u) << c.name << ": " << bench.reader.broken().limit;
        bench.rest();
    }
}

/// Behind a burst out the next command waits until tRHW has passed, and no clock longer.
TEST_P(OnfiPhy, ACommandAfterABurstOutWaitsForTrhw)
{
    Bench bench(config_of(GetParam()));
    bench.boot();
    const onfi::DataSheet& d = bench.timing.sheet;
    const SegmentRequest status = request_of(Phase::Status, FLASH_OP_PROGRAM);
    SegmentRequest other = status;
    other.ce = 0; // no tCEH
    const Ran first = bench.run(status);
    bench.step();
    const Ran second = bench.run(other);
    EXPECT_EQ(first.time(), onfi::segment_time(cases(false)[9].segment, bench.timing));
    // The first cycle, tCS after CE#, is tRHW behind the first segment's end; it was asked for one clock behind it.
    EXPECT_EQ((second.end - first.end).value(),
              (first.time() + max(bench.setup.period, d.t_rhw - d.t_cs)).value());
    EXPECT_EQ(bench.violations.count(), 0u) << bench.reader.broken().limit;
}

/// The same CE# stays high for tCEH, another falls at once.
TEST_P(OnfiPhy, TheSameCeStaysHighForTceh)
{
    for (const u32 ce : {kCe, u32{0}}) {
        Bench bench(config_of(GetParam()));
        bench.boot();
        const SegmentRequest reset = request_of(Phase::Command, FLASH_OP_RESET);
        SegmentRequest next = reset;
        next.ce = static_cast<u8>(ce);
        const Ran first = bench.run(reset);
        bench.step();
        const Ran second = bench.run(next);
        const Picoseconds least = ce == kCe ? bench.timing.sheet.t_ceh : bench.setup.period;
        EXPECT_EQ((second.end - first.end).value(), (first.time() + max(least, bench.setup.period)).value());
        EXPECT_EQ(bench.violations.count(), 0u) << bench.reader.broken().limit;
    }
}

/// One clock less in a sum is a segment that is too short for the checker.
TEST_P(OnfiPhy, AClockLessIsFoundByTheChecker)
{
    for (const PhyRegister r : {PhyRegister::Cs, PhyRegister::Cycle, PhyRegister::Whr, PhyRegister::Out}) {
        const config::Config config = config_of(GetParam());
        Bench bench(config);
        const auto judge = [&](Picoseconds start, Picoseconds end) {
            onfi::Checker checker(config.geometry, onfi::data_sheet(GetParam().interface, GetParam().mode), config.nand);
            Segment segment = cases(false)[9].segment; // 70h and its byte
            onfi::DataCells cells;
            cells.bytes[0] = 0xe0;
            segment.data = &cells;
            segment.timing = &bench.timing;
            segment.start = start;
            segment.end = end;
            checker.on_observed(0, segment);
            return checker.violations();
        };
        bench.boot();
        const Ran legal = bench.run(request_of(Phase::Status, FLASH_OP_PROGRAM));
        EXPECT_EQ(judge(legal.start, legal.end), 0u);
        bench.rest();
        if (bench.setup[r] < 4) {
            continue; // three clocks are the PHY's own least
        }
        --bench.setup[r];
        bench.boot();
        const Ran fast = bench.run(request_of(Phase::Status, FLASH_OP_PROGRAM));
        EXPECT_EQ(legal.time() - fast.time(), bench.setup.period);
        EXPECT_EQ(judge(fast.start, fast.end), 1u) << "register " << static_cast<int>(r);
    }
}

struct Wrong {
    PhyRegister reg;
    u16 value;
    const char* limit; ///< that the pin reader names
};

void expect_found(const Bus& bus, const std::vector<Wrong>& all)
{
    for (const Wrong& wrong : all) {
        Bench bench(config_of(bus));
        bench.setup[wrong.reg] = wrong.value;
        bench.boot();
        const std::vector<u8> data(kBurst, 0x5a);
        for (const Case& c : cases(bus.interface != BusInterface::Sdr)) {
            bench.run(c.request, c.segment.direction == onfi::DataDirection::In ? data : std::vector<u8>{});
            bench.rest();
        }
        EXPECT_EQ(bench.broken().count(wrong.limit), 1u) << wrong.limit << " of register " << static_cast<int>(wrong.reg);
    }
}

/// SDR mode 5 with 5 ns: tWC 4 clocks, WE# falls at 1 and rises at 3, RE# low 2, tWHR 16, tADL 80, tCCS 100.
TEST(OnfiPhyRegisters, TooSmallOnesAreFoundAtThePinsSdr)
{
    expect_found({BusInterface::Sdr, 5, 8},
                 {{PhyRegister::Cycle, 3, "tWH"}, // high for one clock of 5 ns, 7 ns are asked for
                  {PhyRegister::WeFall, 2, "tWP"},
                  {PhyRegister::WeRise, 4, "tDS"}, // DQ changes with the edge
                  {PhyRegister::ReRise, 1, "tRP"},
                  {PhyRegister::ReRise, 3, "tREH"},
                  {PhyRegister::Out, 3, "tRC"},
                  {PhyRegister::Whr, 14, "tWHR"},
                  {PhyRegister::Ccs, 98, "tCCS"},
                  {PhyRegister::Adl, 75, "tADL"}});
}

/// NV-DDR mode 5 with 2.5 ns: tCAD 18 clocks, tCK 4, tWRCK 8.
TEST(OnfiPhyRegisters, TooSmallOnesAreFoundAtThePinsNvDdr)
{
    expect_found({BusInterface::NvDdr, 5, 8},
                 {{PhyRegister::Cycle, 17, "tCAD"},
                  {PhyRegister::WeFall, 0, "tCAS"}, // DQ, CLE and ALE change with CLK
                  {PhyRegister::Wrck, 7, "tWRCK"},
                  {PhyRegister::Whr, 20, "tWHR"},
                  {PhyRegister::Ccs, 180, "tCCS"}});
}

/// The longest clock that divides everything: by hand from the tables of timing_tables.cpp.
TEST(OnfiPhyRegisters, TheClockIsTheLongestThatDividesTheTables)
{
    const auto period = [](BusInterface interface, u32 mode) {
        config::Config c = config_of({interface, mode, 8});
        return flash::phy_setup(c, onfi::bus_timing(c.onfi, c.nand)).period.value();
    };
    // Controller: 200 MHz, 5 ns. Everything of SDR is a multiple of 5 ns.
    for (u32 mode = 0; mode < 6; ++mode) {
        EXPECT_EQ(period(BusInterface::Sdr, mode), 5000u) << mode;
    }
    // NV-DDR: half a tCK is 25, 15, 10, 7.5, 6, 5 ns and takes two clocks or more; tCAD is 45 ns.
    const u64 nvddr[] = {5000, 5000, 5000, 2500, 1000, 2500};
    for (u32 mode = 0; mode < 6; ++mode) {
        EXPECT_EQ(period(BusInterface::NvDdr, mode), nvddr[mode]) << mode;
    }
}

std::string error_of(const config::Config& c)
{
    try {
        flash::phy_setup(c, onfi::bus_timing(c.onfi, c.nand));
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

TEST(OnfiPhyRegisters, AClockThatDoesNotFitIsRefusedWithTheNearest)
{
    config::Config c = config_of({BusInterface::NvDdr, 5, 8});
    c.controller.phy_mhz = 400;
    EXPECT_EQ(error_of(c), "");
    c.controller.phy_mhz = 333;
    EXPECT_NE(error_of(c).find("controller.phy_mhz: with 333"), std::string::npos) << error_of(c);
    EXPECT_NE(error_of(c).find("nearest is 400"), std::string::npos) << error_of(c);
    c.controller.phy_mhz = 0;
    c.onfi.cycle = Picoseconds(10007); // half of it is no whole picosecond
    EXPECT_NE(error_of(c).find("onfi.cycle_ns"), std::string::npos) << error_of(c);
    c = config_of({BusInterface::NvDdr2, 0, 8});
    EXPECT_NE(error_of(c).find("onfi.interface"), std::string::npos) << error_of(c);
}

TEST(OnfiPhyRegisters, CanBeReadBack)
{
    Bench bench(config_of({BusInterface::Sdr, 0, 8}));
    bench.boot();
    for (u32 i = 0; i < flash::kPhyRegisters; ++i) {
        EXPECT_EQ(bench.model().read_register(i), bench.setup.registers[i]) << i;
    }
}

std::vector<Bus> buses()
{
    std::vector<Bus> all;
    for (const BusInterface interface : {BusInterface::Sdr, BusInterface::NvDdr}) {
        for (u32 mode = 0; mode < 6; ++mode) {
            all.push_back({interface, mode, 8});
            all.push_back({interface, mode, 16});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(AllModes, OnfiPhy, testing::ValuesIn(buses()), [](const auto& bench_of) {
    const Bus& bus = bench_of.param;
    return std::string(bus.interface == BusInterface::Sdr ? "Sdr" : "NvDdr") + std::to_string(bus.mode) + "x" +
           std::to_string(bus.width);
});

} // namespace
} // namespace tlmssd
