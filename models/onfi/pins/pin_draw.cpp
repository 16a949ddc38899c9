// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the waveform of a segment.
#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/onfi/pins/pins.h"

namespace tlmssd::onfi {

namespace {

using config::BusInterface;

enum class Line : u8 { Ce, Cle, Ale, We, Re, Dq, Dqs };

constexpr u32 kDriven = 1u << 16; ///< bit of a Dq or Dqs change; without it the line floats
constexpr u8 kFiller = 0xff;      ///< beyond the last byte, where a strobe moves more

struct Change {
    Picoseconds at;
    Line line;
    u32 value;
};

void apply(Pins& pins, const Change& change)
{
    const bool level = (change.value & 1) != 0;
    switch (change.line) {
    case Line::Ce:
        pins.ce_n = change.value;
        break;
    case Line::Cle:
        pins.cle = level;
        break;
    case Line::Ale:
        pins.ale = level;
        break;
    case Line::We:
        pins.we_n = level;
        break;
    case Line::Re:
        pins.re_n = level;
        break;
    case Line::Dq:
        pins.dq_driven = (change.value & kDriven) != 0;
        pins.dq = static_cast<u16>(change.value);
        break;
    case Line::Dqs:
        pins.dqs_driven = (change.value & kDriven) != 0;
        pins.dqs = level;
        break;
    }
}

class Drawing {
public:
    Drawing(const Segment& segment, const std::function<u8(u32)>& byte)
        : s_(segment), t_(*segment.timing), d_(segment.timing->sheet), byte_(byte),
          interface_(d_.interface)
    {
    }

    void draw(std::vector<PinEvent>& out)
    {
        const Picoseconds time = segment_time(s_, t_);
        if (s_.end < s_.start + time) {
            throw ModelError("pins: a segment to CE " + std::to_string(s_.ce) +
                             " is shorter than its cycles");
        }
        set(s_.start, Line::Ce, ~(1u << s_.ce));
        now_ = s_.end - time + d_.t_cs;
        cycles(0, s_.lead);
        burst();
        cycles(s_.lead, u32{s_.lead} + s_.trail);
        collect(out);
    }

private:
    void set(Picoseconds at, Line line, u32 value) { changes_.push_back({at, line, value}); }

    /// A line is high from `from` to `to`.
    void pulse(Line line, Picoseconds from, Picoseconds to)
    {
        set(from, line, 1);
        set(to, line, 0);
    }
    void drive(Picoseconds from, Picoseconds to, u16 value)
    {
        set(from, Line::Dq, kDriven | value);
        set(to, Line::Dq, 0);
    }

    void cycles(u32 from, u32 to)
    {
        for (u32 i = from; i < to; ++i) {
            const Picoseconds end = now_ + t_.cycle;
            pulse(s_.is_command(i) ? Line::Cle : Line::Ale, now_, end);
            if (interface_ == BusInterface::NvDdr) {
                clocked(now_, end, s_.bytes[i]);
            } else if (interface_ == BusInterface::Sdr) {
                strobed(end - max(max(d_.t_clh, d_.t_alh), max(d_.t_dh, d_.t_ch)), d_.t_ds, d_.t_dh,
                        s_.bytes[i]);
            } else {
                strobed(end - max(max(d_.t_calh, d_.t_cah), d_.t_ch), d_.t_cas, d_.t_cah,
                        s_.bytes[i]);
            }
            now_ = end;
        }
    }

    /// WE# rises at `edge`, DQ is valid around it.
    void strobed(Picoseconds edge, Picoseconds setup, Picoseconds hold, u16 value)
    {
        set(edge - d_.t_wp, Line::We, 0);
        set(edge, Line::We, 1);
        drive(edge - setup, edge + hold, value);
    }

    /// NV-DDR: CLK rises in the middle of a command or address cycle.
    void clocked(Picoseconds from, Picoseconds end, u16 value)
    {
        const Picoseconds edge(from.value() + (end - from).value() / 2);
        pulse(Line::We, edge, min(edge + Picoseconds(d_.t_dsc.value() / 2), end));
        drive(edge - d_.t_cas, edge + d_.t_cah, value);
    }

    u8 byte(u64 i) const { return i < s_.data_bytes ? byte_(static_cast<u32>(i)) : kFiller; }

    /// What DQ carries in transfer `k`: an edge of DQS, a strobe of SDR.
    u16 value(u64 k) const
    {
        if (s_.narrow) {
            return byte(interface_ == BusInterface::Sdr ? k : k / 2);
        }
        if (t_.width == 16) {
            return static_cast<u16>(byte(2 * k) | byte(2 * k + 1) << 8);
        }
        return byte(k);
    }

    void burst()
    {
        if (s_.direction == DataDirection::None) {
            return;
        }
        const Picoseconds before = now_;
        now_ += gap_before_burst(s_, d_);
        strobes_ = t_.strobes(s_.data_bytes, s_.narrow);
        const bool out = s_.direction == DataDirection::Out;
        switch (interface_) {
        case BusInterface::Sdr:
            out ? sdr_out() : sdr_in();
            break;
        case BusInterface::NvDdr:
            out ? nv_ddr_out() : nv_ddr_in();
            break;
        case BusInterface::NvDdr2:
        case BusInterface::NvDdr3:
            out ? nv_ddr2_out() : nv_ddr2_in(before);
            break;
        }
        if (out && s_.trail > 0) {
            now_ += d_.t_rhw;
            if (interface_ != BusInterface::Sdr) {
                set(now_, Line::Re, 1);
            }
        }
    }

    void sdr_in()
    {
        const Picoseconds hold = max(max(d_.t_clh, d_.t_alh), max(d_.t_dh, d_.t_ch));
        for (u64 k = 0; k < strobes_; ++k) {
            now_ += t_.strobe_in;
            strobed(now_ - hold, d_.t_ds, d_.t_dh, value(k));
        }
    }

    void sdr_out()
    {
        for (u64 k = 0; k < strobes_; ++k) {
            set(now_, Line::Re, 0);
            set(now_ + d_.t_rp, Line::Re, 1);
            set(now_ + d_.t_rea, Line::Dq, kDriven | value(k));
            now_ += t_.strobe_out;
        }
        set(now_, Line::Dq, 0);
    }

    /// Edges of DQS in the middle of their bit times, the first one rising.
    void dqs_in(Picoseconds data)
    {
        const Picoseconds half(t_.strobe_in.value() / 2);
        const Picoseconds quarter(half.value() / 2);
        Picoseconds edge;
        for (u64 k = 0; k < 2 * strobes_; ++k) {
            edge = data + (k / 2) * t_.strobe_in + (k % 2) * half + quarter;
            set(edge - d_.t_ds, Line::Dq, kDriven | value(k));
            set(edge, Line::Dqs, kDriven | (k % 2 == 0 ? 1u : 0u));
        }
        set(edge + d_.t_dh, Line::Dq, 0);
    }

    /// The die's edges, in step with its data.
    void dqs_out(Picoseconds data)
    {
        const Picoseconds half(t_.strobe_out.value() / 2);
        for (u64 k = 0; k < 2 * strobes_; ++k) {
            const Picoseconds at = data + (k / 2) * t_.strobe_out + (k % 2) * half;
            set(at, Line::Dq, kDriven | value(k));
            set(at, Line::Dqs, kDriven | (k % 2 == 0 ? 1u : 0u));
        }
    }

    void nv_ddr_in()
    {
        const Picoseconds begin = now_;
        const Picoseconds data = now_ + t_.preamble_in;
        const Picoseconds half(t_.strobe_in.value() / 2);
        now_ = data + strobes_ * t_.strobe_in + t_.postamble_in;
        pulse(Line::Cle, begin, now_);
        pulse(Line::Ale, begin, now_);
        set(begin, Line::Dqs, kDriven);
        for (u64 k = 0; k < strobes_; ++k) { // DQS follows its clock edge by one period
            const Picoseconds edge =
                data + k * t_.strobe_in + Picoseconds(half.value() / 2) - t_.strobe_in;
            pulse(Line::We, edge, edge + half);
        }
        dqs_in(data);
        set(now_, Line::Dqs, 0);
    }

    void nv_ddr_out()
    {
        const Picoseconds begin = now_;
        const Picoseconds half(t_.strobe_out.value() / 2);
        const Picoseconds data = now_ + t_.preamble_out;
        const Picoseconds end = data + strobes_ * t_.strobe_out;
        set(begin, Line::Re, 0);
        pulse(Line::Cle, begin, end);
        pulse(Line::Ale, begin, end);
        set(begin + min(d_.t_dqsd, d_.t_wrck), Line::Dqs, kDriven);
        for (u64 k = 0; k < strobes_; ++k) {
            const Picoseconds edge = begin + d_.t_wrck + k * t_.strobe_out;
            pulse(Line::We, edge, edge + half);
        }
        dqs_out(data);
        set(end, Line::Re, 1);
        now_ = end + t_.postamble_out;
        set(now_, Line::Dq, 0);
        set(now_, Line::Dqs, 0);
    }

    void nv_ddr2_in(Picoseconds before)
    {
        const Picoseconds begin = now_;
        const Picoseconds room = begin - (s_.lead > 0 ? before : s_.start);
        set(begin - min(room, d_.t_rpre), Line::Dqs, kDriven);
        dqs_in(begin);
        now_ = begin + strobes_ * t_.strobe_in + t_.postamble_in;
        set(now_ - d_.t_wpsth, Line::Dqs, 0);
    }

    void nv_ddr2_out()
    {
        const Picoseconds begin = now_;
        const Picoseconds half(t_.strobe_out.value() / 2);
        const Picoseconds data = now_ + t_.preamble_out;
        set(begin, Line::Re, 0);
        set(begin, Line::Dqs, kDriven);
        for (u64 k = 0; k < 2 * strobes_; ++k) {
            set(begin + d_.t_rpre + (k / 2) * t_.strobe_out + (k % 2) * half, Line::Re,
                k % 2 == 0 ? 1 : 0);
        }
        dqs_out(data);
        now_ = data + strobes_ * t_.strobe_out;
        set(now_, Line::Dq, 0);
        set(now_, Line::Dqs, 0);
    }

    void collect(std::vector<PinEvent>& out)
    {
        std::stable_sort(changes_.begin(), changes_.end(),
                         [](const Change& a, const Change& b) { return a.at < b.at; });
        Pins pins = idle_pins(interface_);
        const std::size_t before = out.size();
        for (const Change& change : changes_) {
            apply(pins, change);
            if (out.size() > before && out.back().at == change.at) {
                out.back().pins = pins;
            } else {
                out.push_back({change.at, pins});
            }
        }
        const PinEvent last{s_.end, idle_pins(interface_)};
        if (out.size() > before && out.back().at == last.at) {
            out.back() = last;
        } else {
            out.push_back(last);
        }
    }

    const Segment& s_;
    const BusTiming& t_;
    const DataSheet& d_;
    const std::function<u8(u32)>& byte_;
    BusInterface interface_;
    Picoseconds now_;
    u64 strobes_ = 0;
    std::vector<Change> changes_;
};

} // namespace

bool operator==(const Pins& a, const Pins& b)
{
    return a.dq == b.dq && a.dq_driven == b.dq_driven && a.ce_n == b.ce_n && a.cle == b.cle &&
           a.ale == b.ale && a.we_n == b.we_n && a.re_n == b.re_n && a.dqs == b.dqs &&
           a.dqs_driven == b.dqs_driven && a.wp_n == b.wp_n;
}

Pins idle_pins(BusInterface interface)
{
    Pins pins;
    pins.we_n = interface != BusInterface::NvDdr;
    return pins;
}

void draw_pins(const Segment& segment, const std::function<u8(u32)>& byte,
               std::vector<PinEvent>& out)
{
    Drawing(segment, byte).draw(out);
}

u8 drawn_byte(const Segment& segment, u32 i)
{
    const DataCells* const cells = segment.data;
    if (cells == nullptr) {
        return kFiller;
    }
    if (cells->page != nullptr) {
        return cells->page[i];
    }
    if (segment.narrow) {
        return cells->bytes[i % cells->bytes.size()];
    }
    const UnitTag& tag = cells->tags[i / 8 % cells->tags.size()];
    const u32 word = i % 8 < 4 ? tag.unit : tag.version;
    return static_cast<u8>(word >> (8 * (i % 4)));
}

} // namespace tlmssd::onfi
