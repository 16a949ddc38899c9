// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pins that a controller drives, read as command, address and data cycles of the dies.
#pragma once

#include <vector>

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/onfi/bus/bus_if.h"
#include "models/onfi/bus/timing.h"
#include "models/onfi/bus/violation.h"
#include "models/onfi/pins/pin_bytes.h"
#include "models/onfi/pins/pins.h"

namespace tlmssd::onfi {

/// Levels that the dies drive on DQ and DQS from `at` on. They replace all that was announced
/// for `at` or later.
struct DieDrive {
    Picoseconds at;
    u16 dq = 0;
    bool dq_driven = false;
    bool dqs = false;
    bool dqs_driven = false;
};

class PinOutputIf {
public:
    virtual ~PinOutputIf() = default;
    /// `drive.at` is not before the time of the pins that caused it.
    virtual void on_drive(const DieDrive& drive) = 0;
};

/// The die side of one channel's pins, without the kernel: recognises cycles and passes each to the
/// targets whose CE# is low, as a segment of one cycle (its time: the latching edge) or of one
/// strobe out. Bytes in are passed as one burst when the next cycle, CE# high or (SET FEATURES) the
/// fourth byte ends them, since nothing happens in a die before. A break of a pulse, set-up or
/// hold time is reported as Rule::PinTiming and read all the same; cycles that mean nothing are
/// Rule::PinState and are dropped. docs/explanation/onfi-pins.md lists the limits.
///
/// PinBytes defines the bytes of pages.
class PinReader final : public BusObserverIf {
public:
    /// The limit that was broken last.
    struct Broken {
        const char* limit = ""; ///< "tWP"
        Picoseconds was;
        Picoseconds least;
    };

    /// `timing` holds for all CE# until set_timing().
    PinReader(u32 channel, const Geometry& geometry, const BusTiming& timing, config::DataKind data,
              ViolationSink& violations, PinOutputIf& output);

    void bind_target(u32 ce, TargetIf& target);
    /// The CE# is read in this interface and held to this mode from now on (after SET FEATURES).
    void set_timing(u32 ce, const BusTiming& timing);

    /// The controller's lines from `now` on; `now` never goes back. They may or may not
    /// contain the levels that the dies themselves drive.
    void on_pins(Picoseconds now, const Pins& pins);

    /// R/B# of a CE#, wired AND of its LUNs. The reader learns it as an observer of the channel
    /// that the targets tell.
    bool ready(u32 ce) const { return ways_[ce].low == 0; }
    void on_observed(u32, const Segment&) override {}
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;

    /// Of the next byte of page data.
    u32 column(u32 ce) const { return ways_[ce].column; }

    const Broken& broken() const { return broken_; }

private:
    /// When something happened last; most limits count from such a point.
    struct Edge {
        Picoseconds at;
        CycleKind kind = CycleKind::None; ///< None: not yet
        u8 byte = 0;
        bool seen() const { return kind != CycleKind::None; }
    };
    enum class Source : u8 { Page, Register, Parameter }; ///< what bursts move, status aside
    struct Way {
        TargetIf* target = nullptr;
        BusTiming timing;
        u32 low = 0; ///< LUNs whose R/B# is low
        Edge ready; ///< last rising edge of the line
        Edge ce_rose;
        Edge latched; ///< last command or address cycle
        Source source = Source::Page;
        bool status = false; ///< 70h or 78h: bursts out are status
        u8 last = 0;         ///< last command byte
        u8 opener = 0;       ///< last command that takes a column
        u32 addresses = 0;   ///< cycles since `last`
        u32 column = 0;      ///< of the next byte
    };
    /// Set-up and hold times of command and address cycles, whatever the interface calls them.
    struct Limits {
        Picoseconds dq_setup, dq_hold, cle_setup, cle_hold, ale_setup, ale_hold;
        const char *dq_setup_name, *dq_hold_name, *cle_setup_name, *cle_hold_name;
        const char *ale_setup_name, *ale_hold_name;
    };

    static Limits limits_of(const DataSheet& sheet);
    // pins to edges: pin_reader.cpp
    void select(u32 selected, Picoseconds now);
    void follow_levels(const Pins& old, Picoseconds now);
    void asynchronous(const Pins& old, Picoseconds now);
    void clocked(const Pins& old, Picoseconds now);
    void write_strobe(Picoseconds now);
    void read_strobe_sdr(bool falls, Picoseconds now);
    void read_strobe_ddr(bool falls, Picoseconds now);
    void clock_rises(Picoseconds now);
    void data_strobe(Picoseconds now);
    void check_latch(CycleKind kind, Picoseconds now);
    void check_before_in(Picoseconds now);
    void check_before_out(Picoseconds now);
    void end_burst();
    void expect(const char* limit, const Edge& since, Picoseconds now, Picoseconds least,
                CycleKind kind);
    void misuse(CycleKind kind, Picoseconds now);
    void report(Rule rule, const Cycle& first, const Cycle& second);

    // edges to segments: pin_cycles.cpp
    void cycle(bool command, Picoseconds from, Picoseconds now);
    static void follow_command(Way& way, u8 byte);
    static void follow_address(Way& way, u8 byte);
    void take_in(Picoseconds now);
    void flush_in();
    void give_out(Picoseconds now, Picoseconds delay, bool dqs);
    u16 fetch(Picoseconds now);
    void gather(u32 column);
    bool narrow(const Way& way) const;
    void pass(u32 ce, Segment& segment, Picoseconds from, Picoseconds to);
    void release(Picoseconds at);

    Way& way() { return ways_[first_]; }
    const DataSheet& sheet() const { return ways_[first_].timing.sheet; }
    bool ddr() const { return sheet().interface != config::BusInterface::Sdr; }

    u32 channel_;
    PinBytes bytes_;
    ViolationSink& violations_;
    PinOutputIf& output_;
    std::vector<Way> ways_;
    Pins pins_;
    u32 selected_ = 0; ///< CE# that are low
    u32 first_ = 0;    ///< the lowest of them

    Edge ce_fell_, we_fell_, we_rose_, re_fell_, re_rose_, dqs_fell_, dqs_rose_;
    Edge dq_changed_, dq_released_, cle_changed_, ale_changed_, wp_changed_;
    Edge data_out_;   ///< last strobe out
    Edge held_;       ///< last edge that CE#, CLE and ALE are held after
    Edge dq_latched_; ///< last edge that DQ is held after, for hold_dq_
    Picoseconds hold_dq_;
    const char* hold_dq_name_ = "";
    bool we_low_ = false;    ///< a WE# pulse that began while selected
    bool out_ = false;       ///< a burst out goes on
    u32 pending_in_ = 0;     ///< NV-DDR: DQS edges that clock edges have announced
    u64 transfers_ = 0;      ///< of the burst that goes on
    u16 out_value_ = 0;
    std::vector<u8> in_;     ///< bytes of the burst in
    Picoseconds in_from_, in_to_;
    DataCells cells_;
    std::array<u8, 2> strobe_{}; ///< bytes of one strobe out
    Broken broken_;
};

} // namespace tlmssd::onfi
