// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: edges of the pins, and the limits that they must keep.
#include "models/onfi/pins/pin_reader.h"

#include <string>

#include "models/common/error.h"

namespace tlmssd::onfi {

using config::BusInterface;

PinReader::PinReader(u32 channel, const Geometry& geometry, const BusTiming& timing,
                     config::DataKind data, ViolationSink& violations, PinOutputIf& output)
    : channel_(channel), bytes_(geometry, data), violations_(violations), output_(output),
      ways_(geometry.ces_per_channel())
{
    if (ways_.size() > 32) {
        throw ModelError("pins: more than 32 CE# on a channel");
    }
    for (Way& way : ways_) {
        way.timing = timing;
    }
    pins_ = idle_pins(timing.sheet.interface);
    in_.reserve(geometry.page_bytes + geometry.spare_bytes + 1);
}

void PinReader::bind_target(u32 ce, TargetIf& target) { ways_.at(ce).target = &target; }

void PinReader::set_timing(u32 ce, const BusTiming& timing) { ways_.at(ce).timing = timing; }

void PinReader::on_ready_edge(u32, u32 ce, u32 lun, bool ready, Picoseconds when)
{
    Way& way = ways_.at(ce);
    const bool line = way.low == 0;
    const u32 bit = 1u << lun;
    way.low = ready ? way.low & ~bit : way.low | bit;
    if (!line && way.low == 0) {
        way.ready = {when, CycleKind::Ready, 0};
    }
}

PinReader::Limits PinReader::limits_of(const DataSheet& sheet)
{
    const DataSheet& d = sheet;
    if (d.interface == BusInterface::Sdr) {
        return {d.t_ds, d.t_dh, d.t_cls, d.t_clh, d.t_als, d.t_alh,
                "tDS",  "tDH",  "tCLS",  "tCLH",  "tALS",  "tALH"};
    }
    return {d.t_cas, d.t_cah, d.t_cals, d.t_calh, d.t_cals, d.t_calh,
            "tCAS",  "tCAH",  "tCALS",  "tCALH",  "tCALS",  "tCALH"};
}

void PinReader::report(Rule rule, const Cycle& first, const Cycle& second)
{
    violations_.on_violation({second.at, channel_, first_, 0, rule, first, second});
}

/// `least` must have passed since `since`.
void PinReader::expect(const char* limit, const Edge& since, Picoseconds now, Picoseconds least,
                       CycleKind kind)
{
    if (since.seen() && now < since.at + least) {
        broken_ = {limit, now - since.at, least};
        report(Rule::PinTiming, {since.kind, since.byte, since.at},
               {kind, static_cast<u8>(pins_.dq), now});
    }
}

void PinReader::misuse(CycleKind kind, Picoseconds now)
{
    report(Rule::PinState, {}, {kind, static_cast<u8>(pins_.dq), now});
}

void PinReader::on_pins(Picoseconds now, const Pins& pins)
{
    const Pins old = pins_;
    pins_ = pins;
    follow_levels(old, now);
    if (selected_ == 0) {
        return;
    }
    if (sheet().interface == BusInterface::NvDdr) {
        clocked(old, now);
    } else {
        asynchronous(old, now);
    }
}

/// Everything that is not a strobe.
void PinReader::follow_levels(const Pins& old, Picoseconds now)
{
    if (pins_.wp_n != old.wp_n) {
        wp_changed_ = {now, CycleKind::Pin, 0};
        for (Way& way : ways_) {
            if (way.target != nullptr) {
                way.target->on_write_protect(!pins_.wp_n);
            }
        }
    }
    const u64 all = (u64{1} << ways_.size()) - 1;
    const u32 selected = ~pins_.ce_n & static_cast<u32>(all);
    const bool same = selected == selected_;
    if (!same) {
        select(selected, now);
    }
    if (pins_.dq != old.dq || pins_.dq_driven != old.dq_driven) {
        if (same && selected_ != 0) {
            expect(hold_dq_name_, dq_latched_, now, hold_dq_, CycleKind::Pin);
        }
        dq_changed_ = {now, CycleKind::Pin, 0};
        if (!pins_.dq_driven) {
            dq_released_ = dq_changed_;
        }
    }
    if (pins_.cle != old.cle) {
        if (same && selected_ != 0) {
            const Limits limits = limits_of(sheet());
            expect(limits.cle_hold_name, held_, now, limits.cle_hold, CycleKind::Pin);
        }
        cle_changed_ = {now, CycleKind::Pin, 0};
    }
    if (pins_.ale != old.ale) {
        if (same && selected_ != 0) {
            const Limits limits = limits_of(sheet());
            expect(limits.ale_hold_name, held_, now, limits.ale_hold, CycleKind::Pin);
        }
        ale_changed_ = {now, CycleKind::Pin, 0};
    }
}

/// CE# lines have changed: bursts end, pulses begin anew.
void PinReader::select(u32 selected, Picoseconds now)
{
    if (selected_ != 0) {
        expect("tCH", held_, now, sheet().t_ch, CycleKind::Select);
        end_burst();
        release(now + sheet().t_chz);
    }
    for (u32 ce = 0; ce < ways_.size(); ++ce) {
        if (((selected_ & ~selected) >> ce & 1) != 0) {
            ways_[ce].ce_rose = {now, CycleKind::Select, 0};
        }
    }
    const u32 fell = selected & ~selected_;
    selected_ = selected;
    if (selected == 0) {
        return;
    }
    first_ = static_cast<u32>(__builtin_ctz(selected));
    for (u32 ce = 0; ce < ways_.size(); ++ce) {
        // High for no time at all: a controller that has the next segment ready never raises it.
        if ((fell >> ce & 1) != 0 && ways_[ce].ce_rose.at != now) {
            expect("tCEH", ways_[ce].ce_rose, now, ways_[ce].timing.sheet.t_ceh, CycleKind::Select);
        }
    }
    ce_fell_ = {now, CycleKind::Select, 0};
    we_fell_ = we_rose_ = re_fell_ = re_rose_ = held_ = dq_latched_ = Edge{};
    we_low_ = false;
}

void PinReader::end_burst()
{
    flush_in();
    out_ = false;
    transfers_ = 0;
    pending_in_ = 0;
    dqs_rose_ = dqs_fell_ = Edge{};
}

void PinReader::check_latch(CycleKind kind, Picoseconds now)
{
    const Limits limits = limits_of(sheet());
    expect("tCS", ce_fell_, now, sheet().t_cs, kind);
    expect(limits.cle_setup_name, cle_changed_, now, limits.cle_setup, kind);
    expect(limits.ale_setup_name, ale_changed_, now, limits.ale_setup, kind);
    expect(limits.dq_setup_name, dq_changed_, now, limits.dq_setup, kind);
    expect("tWW", wp_changed_, now, sheet().t_ww, kind);
    held_ = dq_latched_ = {now, kind, static_cast<u8>(pins_.dq)};
    hold_dq_ = limits.dq_hold;
    hold_dq_name_ = limits.dq_hold_name;
}

void PinReader::check_before_in(Picoseconds now)
{
    if (transfers_ == 0 && way().latched.kind == CycleKind::Address) {
        const bool change = way().last == cmd::kChangeWriteColumn;
        expect(change ? "tCCS" : "tADL", way().latched, now, change ? sheet().t_ccs : sheet().t_adl,
               CycleKind::DataIn);
    }
}

void PinReader::check_before_out(Picoseconds now)
{
    const u8 last = way().last;
    if (last == cmd::kChangeReadColumnConfirm) {
        expect("tCCS", way().latched, now, sheet().t_ccs, CycleKind::DataOut);
    } else {
        expect("tWHR", way().latched, now, sheet().t_whr, CycleKind::DataOut);
    }
    if (last != cmd::kChangeReadColumnConfirm && !way().status && way().latched.at <= way().ready.at) {
        expect("tRR", way().ready, now, sheet().t_rr, CycleKind::DataOut);
    }
}

/// SDR, and command and address cycles of NV-DDR2 and 3.
void PinReader::asynchronous(const Pins& old, Picoseconds now)
{
    if (ddr() && out_ && (pins_.cle || pins_.ale)) {
        end_burst();
        release(now + sheet().t_chz);
    }
    if (old.we_n && !pins_.we_n) {
        expect("tWH", we_rose_, now, sheet().t_wh, CycleKind::Pin);
        expect("tRHW", data_out_, now, sheet().t_rhw, CycleKind::Pin);
        we_fell_ = {now, CycleKind::Pin, 0};
        we_low_ = true;
    } else if (!old.we_n && pins_.we_n && we_low_) {
        write_strobe(now);
    }
    if (old.re_n != pins_.re_n) {
        ddr() ? read_strobe_ddr(!pins_.re_n, now) : read_strobe_sdr(!pins_.re_n, now);
    }
    const bool strobe = old.dqs != pins_.dqs && old.dqs_driven && pins_.dqs_driven;
    if (ddr() && strobe && !out_ && !pins_.cle && !pins_.ale) {
        data_strobe(now);
    }
}

void PinReader::write_strobe(Picoseconds now)
{
    we_low_ = false;
    const bool data = !pins_.cle && !pins_.ale;
    const CycleKind kind = pins_.cle   ? CycleKind::Command
                           : pins_.ale ? CycleKind::Address
                                       : CycleKind::DataIn;
    expect("tWP", we_fell_, now, sheet().t_wp, kind);
    expect("tWC", we_rose_, now, sheet().t_wc, kind);
    check_latch(kind, now);
    we_rose_ = {now, kind, static_cast<u8>(pins_.dq)};
    if ((pins_.cle && pins_.ale) || (data && ddr()) || !pins_.dq_driven) {
        misuse(kind, now);
    } else if (data) {
        check_before_in(now);
        take_in(now);
    } else {
        cycle(pins_.cle, we_fell_.at, now);
    }
}

void PinReader::read_strobe_sdr(bool falls, Picoseconds now)
{
    const DataSheet& d = sheet();
    if (!falls) {
        if (re_fell_.seen()) {
            expect("tRP", re_fell_, now, d.t_rp, CycleKind::DataOut);
            re_rose_ = data_out_ = {now, CycleKind::DataOut, 0};
            release(now + d.t_rhz);
        }
        return;
    }
    if (pins_.cle || pins_.ale) {
        misuse(CycleKind::DataOut, now);
        return;
    }
    expect("tREH", re_rose_, now, d.t_reh, CycleKind::DataOut);
    expect("tRC", re_fell_, now, d.t_rc, CycleKind::DataOut);
    expect("tCLR", cle_changed_, now, d.t_clr, CycleKind::DataOut);
    expect("tAR", ale_changed_, now, d.t_ar, CycleKind::DataOut);
    if (!out_) {
        expect("tIR", dq_released_, now, d.t_ir, CycleKind::DataOut);
        check_before_out(now);
        end_burst();
        out_ = true;
    }
    re_fell_ = {now, CycleKind::DataOut, 0};
    give_out(now, d.t_rea, false);
}

/// The first falling edge is the preamble; from then on each edge moves a byte.
void PinReader::read_strobe_ddr(bool falls, Picoseconds now)
{
    const DataSheet& d = sheet();
    Edge& same = falls ? re_fell_ : re_rose_;
    if (!out_) {
        if (!falls) {
            return; // back to rest
        }
        if (pins_.cle || pins_.ale) {
            misuse(CycleKind::DataOut, now);
            return;
        }
        check_before_out(now);
        end_burst();
        out_ = true;
        re_rose_ = Edge{};
        re_fell_ = {now, CycleKind::DataOut, 0};
        output_.on_drive({now, 0, false, false, true});
        return;
    }
    if (transfers_ == 0) {
        expect("tRPRE", re_fell_, now, d.t_rpre, CycleKind::DataOut);
        re_fell_ = Edge{};
    }
    expect("tRC", same, now, d.t_dsc, CycleKind::DataOut);
    same = {now, CycleKind::DataOut, 0};
    data_out_ = same;
    give_out(now, d.t_dqsre, !falls);
}

/// NV-DDR: `we_n` is CLK, `re_n` is W/R#.
void PinReader::clocked(const Pins& old, Picoseconds now)
{
    if (old.re_n && !pins_.re_n) {
        check_before_out(now);
        end_burst();
        re_fell_ = {now, CycleKind::DataOut, 0};
        output_.on_drive({now + sheet().t_dqsd, 0, false, false, true});
    } else if (!old.re_n && pins_.re_n) {
        end_burst();
        release(now + sheet().t_dqshz);
    }
    if (!old.we_n && pins_.we_n) {
        clock_rises(now);
    } else if (old.we_n && !pins_.we_n && out_ && transfers_ % 2 == 1) {
        give_out(now, sheet().t_dqsck, false);
    }
    const bool strobe = old.dqs != pins_.dqs && old.dqs_driven && pins_.dqs_driven;
    if (strobe && pending_in_ > 0 && pins_.re_n) {
        data_strobe(now);
    }
}

void PinReader::clock_rises(Picoseconds now)
{
    const DataSheet& d = sheet();
    const Edge before = we_rose_;
    we_rose_ = {now, CycleKind::Pin, 0};
    if (pins_.cle != pins_.ale) { // a command or address cycle
        const CycleKind kind = pins_.cle ? CycleKind::Command : CycleKind::Address;
        if (held_.seen()) {
            expect("tCAD", way().latched, now, d.t_cad, kind);
        }
        expect("tRHW", data_out_, now, d.t_rhw, kind);
        check_latch(kind, now);
        if (!pins_.re_n || !pins_.dq_driven) {
            misuse(kind, now);
        } else {
            cycle(pins_.cle, now, now);
        }
        return;
    }
    expect("tCK", before, now, d.t_ck, CycleKind::Pin);
    if (!pins_.cle) {
        return; // idle
    }
    if (pins_.re_n) {
        pending_in_ += 2;
        return;
    }
    expect("tWRCK", re_fell_, now, d.t_wrck, CycleKind::DataOut);
    out_ = true;
    data_out_ = {now, CycleKind::DataOut, 0};
    give_out(now, d.t_dqsck, true);
}

/// An edge of DQS that the controller drives.
void PinReader::data_strobe(Picoseconds now)
{
    const DataSheet& d = sheet();
    Edge& same = pins_.dqs ? dqs_rose_ : dqs_fell_;
    check_before_in(now);
    expect("tDSC", same, now, d.t_dsc, CycleKind::DataIn);
    expect("tDS", dq_changed_, now, d.t_ds, CycleKind::DataIn);
    same = dq_latched_ = {now, CycleKind::DataIn, static_cast<u8>(pins_.dq)};
    hold_dq_ = d.t_dh;
    hold_dq_name_ = "tDH";
    pending_in_ -= pending_in_ > 0 ? 1 : 0;
    if (!pins_.dq_driven) {
        misuse(CycleKind::DataIn, now);
        return;
    }
    take_in(now);
}

} // namespace tlmssd::onfi
