// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RTL PHY with a pin reader and a recording target at its pins, and every segment that it knows.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/config/config.h"
#include "models/flash/pins/phy_model.h"
#include "models/flash/pins/phy_pins.h"
#include "models/flash/pins/phy_registers.h"
#include "tb/onfi/pin_bench.h"

namespace tlmssd::tb {

using config::BusInterface;
using flash::Phase;
using flash::PhyRegister;
using flash::PhySetup;
using flash::SegmentRequest;
using onfi::Segment;

inline constexpr u32 kCe = 1;

struct PhyBus {
    BusInterface interface;
    u32 mode;
    u32 width;
};

inline config::Config config_of(const PhyBus& bus)
{
    config::Config c;
    c.geometry = {1, 2, 1, 1, 2, 16, 16, 1024, 48}; // 2 sectors of 512 + 16, OOB 16
    c.data = config::DataKind::Full;
    c.onfi.interface = bus.interface;
    c.onfi.mode = bus.mode;
    c.onfi.width = bus.width;
    c.controller.kind = config::ControllerKind::RtlPins;
    c.controller.clock_mhz = 200; // 5 ns, which divides what the tables have
    return c;
}

struct PhyRun {
    Picoseconds start, end;
    Picoseconds fell; ///< CE#
    std::vector<u8> out;
    std::vector<std::string> cycles; ///< as tb::RecordingTarget writes them
    u32 dqs_driven = 0; ///< clocks with each of these: the PHY drives DQS,
    u32 dqs_high = 0;   ///< and it is high,
    u32 both_high = 0;  ///< CLE and ALE are high,
    u32 we_high = 0;    ///< WE# is; NV-DDR: CLK
    Picoseconds time() const { return end - start; }
};

class PhyBench {
public:
    explicit PhyBench(const config::Config& config)
        : config_(config), timing(onfi::bus_timing(config.onfi, config.nand)),
          setup(flash::phy_setup(config.controller, config.geometry, config.onfi.ready, config.operations_fail(),
                                 timing)),
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

    PhyRun run(const SegmentRequest& request, const std::vector<u8>& in = {})
    {
        target.restart();
        PhyRun ran;
        ran.start = now_;
        const u32 word_bytes = request.phase == Phase::Feature ? 1 : config_.onfi.width / 8;
        std::size_t at = 0;
        const auto word = [&](std::size_t i) { return i < in.size() ? in[i] : u8{0xff}; };
        const auto offer = [&] {
            const u32 upper = word_bytes == 2 ? word(at + 1) : 0;
            model_->offer(!in.empty(), static_cast<u16>(word(at) | upper << 8));
        };
        model_->request(&request);
        offer();
        model_->settle();
        EXPECT_EQ(flash::onfi_pins(model_->pins()), pins_) << "a pin follows an input without an edge";
        for (u32 i = 0; i < 600000; ++i) {
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
            if (ran.fell == Picoseconds() && model_->pins().ce_n != ~u32{0}) {
                ran.fell = now_;
            }
            const flash::PhyPins pins = model_->pins();
            ran.dqs_driven += pins.dqs_driven;
            ran.dqs_high += pins.dqs;
            ran.both_high += pins.cle && pins.ale;
            ran.we_high += pins.we_n;
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
    DieLines lines_;

public:
    onfi::BusTiming timing;
    PhySetup setup;
    onfi::ViolationLog violations;
    RecordingTarget target;
    onfi::PinReader reader;

private:
    std::unique_ptr<flash::PhyModelIf> model_;
    onfi::Pins pins_;
    Picoseconds now_;
    std::set<std::string> broken_;
};

inline SegmentRequest request_of(Phase phase, u8 opcode, u8 nplanes = 1, u8 plane = 0)
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

/// One request, what it is in ONFI bytes, and its segment, all by hand (docs/explanation/onfi.md, segment_port.h).
struct PhyCase {
    std::string name;
    SegmentRequest request;
    Segment segment;
    std::vector<std::string> cycles; ///< without the burst
};

inline constexpr u32 kBurst = 528 + 16; ///< sector 1 of 2 with its parity, and the OOB bytes behind it
inline const std::vector<std::string> kColumnRow = {"a 10", "a 02", "a 12", "a 34", "a 56"}; // 528 = 0210h
inline const std::vector<std::string> kRow = {"a 12", "a 34", "a 56"};

inline std::vector<std::string> joined(std::vector<std::string> head, const std::vector<std::string>& middle,
                                const std::vector<std::string>& tail = {})
{
    head.insert(head.end(), middle.begin(), middle.end());
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
}

inline std::vector<PhyCase> phy_cases(bool ddr)
{
    using onfi::DataDirection;
    static onfi::DataCells cells;
    std::vector<PhyCase> all;
    const auto add = [&](const char* name, const SegmentRequest& r, std::vector<std::string> lead,
                         DataDirection direction = DataDirection::None, u32 bytes = 0, bool narrow = false,
                         std::vector<std::string> trail = {}) {
        PhyCase c{name, r, {}, joined(lead, {}, trail)};
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
    add("READ, plane queued", request_of(Phase::Command, FLASH_OP_READ, 2),
        joined({"c 00"}, kColumnRow, {"c 32"}));
    add("ERASE", request_of(Phase::Command, FLASH_OP_ERASE), joined({"c 60"}, kRow, {"c d0"}));
    add("ERASE, plane queued", request_of(Phase::Command, FLASH_OP_ERASE, 2),
        joined({"c 60"}, kRow, {"c d1"}));
    add("RESET", request_of(Phase::Command, FLASH_OP_RESET), {ddr ? "c fc" : "c ff"});
    add("data out", request_of(Phase::DataOut, FLASH_OP_READ), {}, DataDirection::Out, kBurst);
    add("data out of a plane", request_of(Phase::DataOut, FLASH_OP_READ, 2),
        joined({"c 06"}, kColumnRow, {"c e0"}), DataDirection::Out, kBurst);
    add("PROGRAM", request_of(Phase::DataIn, FLASH_OP_PROGRAM), joined({"c 80"}, kColumnRow),
        DataDirection::In, kBurst, false, {"c 10"});
    add("PROGRAM, plane queued", request_of(Phase::DataIn, FLASH_OP_PROGRAM, 2), joined({"c 80"}, kColumnRow),
        DataDirection::In, kBurst, false, {"c 11"});
    add("status", request_of(Phase::Status, FLASH_OP_PROGRAM), {"c 70"}, DataDirection::Out, 1, true);
    add("erase suspend", request_of(Phase::Suspend, FLASH_OP_ERASE), joined({"c 61"}, kRow));
    add("program suspend", request_of(Phase::Suspend, FLASH_OP_PROGRAM), joined({"c 84"}, kRow));
    add("erase resume", request_of(Phase::Resume, FLASH_OP_ERASE), joined({"c d2"}, kRow));
    SegmentRequest level = request_of(Phase::Feature, FLASH_OP_READ); // feature 89h of LUN 3: four register bytes
    level.lun = 3;
    add("program resume", request_of(Phase::Resume, FLASH_OP_PROGRAM), joined({"c 13"}, kRow));
    add("read-retry level", level, {"c d5", "a 03", "a 89"}, DataDirection::In, 4, true);
    return all;
}

inline u8 pattern(u32 i) { return static_cast<u8>(i * 37 + (i >> 8) + 1); }

} // namespace tlmssd::tb
