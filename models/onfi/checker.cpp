// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's view of time: bus occupancy, minimum durations, R/B# edges.
#include "models/onfi/checker.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::onfi {

namespace {

/// Smallest array time of a part whose times spread by +-fraction; one ps for rounding.
Picoseconds least(Picoseconds mean, double fraction)
{
    const double low = static_cast<double>(mean.value()) * (1.0 - fraction);
    return Picoseconds(low < 1.0 ? 0 : static_cast<u64>(low) - 1);
}

} // namespace

Checker::Checker(const Geometry& geometry, const DataSheet& sheet, const config::Nand& nand)
    : geometry_(geometry), sheet_(sheet), plane_shift_(bits_for(geometry.pages)),
      block_shift_(plane_shift_ + bits_for(geometry.planes)),
      lun_shift_(block_shift_ + bits_for(geometry.blocks)), luns_of_ce_(geometry.luns_per_ce()),
      ces_of_channel_(geometry.ces_per_channel()),
      per_cycle_(sheet.interface == config::BusInterface::NvDdr ? sheet.t_cad : sheet.t_wc),
      ddr_(sheet.interface != config::BusInterface::Sdr),
      least_read_(least(nand.t_read, nand.array_variation)),
      least_program_(least(nand.t_program, nand.array_variation)), least_erase_(nand.t_erase),
      least_queue_(nand.t_plane_queue),
      physical_bytes_(std::max(geometry.page_bytes + geometry.spare_bytes,
                               geometry.oob_column() + kOobBytes)),
      channels_(geometry.channels), ces_(u64{geometry.channels} * geometry.ces_per_channel()),
      luns_(geometry.total_dies()), next_page_(u64{geometry.total_planes()} * geometry.blocks)
{
    if (geometry.planes > kMaxPlanes) {
        throw ModelError("checker: more than 16 planes");
    }
    switch (sheet.interface) {
    case config::BusInterface::Sdr:
        break;
    case config::BusInterface::NvDdr:
        frame_out_ = sheet.t_wrck + sheet.t_dqsck + sheet.t_dqshz;
        frame_in_ = sheet.t_wpre + sheet.t_wpst;
        break;
    case config::BusInterface::NvDdr2:
        frame_out_ = sheet.t_rpre + sheet.t_dqsre;
        frame_in_ = sheet.t_wpst + sheet.t_wpsth;
        break;
    }
}

u64 Checker::block_at(u32 die, u32 plane, u32 block) const
{
    return (u64{die} * geometry_.planes + plane) * geometry_.blocks + block;
}

void Checker::learn(u32 die, u32 plane, u32 block, u32 next_page)
{
    next_page_[block_at(die, plane, block)] = static_cast<u16>(next_page);
}

void Checker::report(Rule rule, u32 channel, u32 ce, u32 lun, Picoseconds when)
{
    log_.on_violation({when, channel, ce, lun, rule});
}

void Checker::report(const View& view, Rule rule)
{
    report(rule, view.channel, view.segment.ce, view.ce.lun, view.segment.end);
}

/// Least time from CE# low to the last edge, cycle by cycle from the data sheet.
Picoseconds Checker::minimum(const Segment& segment) const
{
    u64 ps = sheet_.t_cs.value() + u64{segment.lead} * per_cycle_.value();
    const u64 pairs = (u64{segment.data_bytes} + 1) / 2;
    if (segment.direction == DataDirection::Out) {
        Picoseconds wait = sheet_.t_rr; // nothing asked for on the bus: the ready edge was the cue
        for (u32 i = segment.lead; i-- > 0;) {
            if (segment.is_command(i)) {
                wait = segment.bytes[i] == 0xe0 ? sheet_.t_ccs : sheet_.t_whr;
                break;
            }
        }
        const u64 data = ddr_ ? pairs * sheet_.t_dsc.value()
                              : u64{segment.data_bytes} * sheet_.t_rc.value();
        ps += wait.value() + frame_out_.value() + data;
        ps += segment.trail != 0 ? sheet_.t_rhw.value() : 0;
    } else if (segment.direction == DataDirection::In) {
        const bool after_address = segment.lead != 0 && !segment.is_command(segment.lead - 1u);
        const u64 data = ddr_ ? pairs * sheet_.t_dsc.value()
                              : u64{segment.data_bytes} * sheet_.t_wc.value();
        ps += (after_address ? sheet_.t_adl.value() : 0) + frame_in_.value() + data;
    }
    return Picoseconds(ps + u64{segment.trail} * per_cycle_.value());
}

void Checker::check_bus(ChannelState& bus, u32 channel, const Segment& segment)
{
    if (segment.start < bus.free_at) {
        report(Rule::BusOverlap, channel, segment.ce, 0, segment.start);
    }
    // A command cycle waits for tRHW after a burst out; CE# may fall before.
    Picoseconds from = segment.start;
    if (segment.lead != 0 && from + sheet_.t_cs < bus.command_from) {
        from = bus.command_from - sheet_.t_cs;
    }
    if (segment.end < from + minimum(segment)) {
        report(Rule::SegmentTooShort, channel, segment.ce, 0, segment.end);
    }
    bus.free_at = segment.end;
    if (segment.direction == DataDirection::Out && segment.trail == 0) {
        bus.command_from = segment.end + sheet_.t_rhw;
    }
}

void Checker::on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when)
{
    const u32 die = (channel * ces_of_channel_ + ce) * luns_of_ce_ + lun;
    LunState& state = luns_[die];
    if (!ready) {
        if (state.low) {
            report(Rule::ReadyEdge, channel, ce, lun, when);
        }
        state.low = true;
        state.low_at = when;
        return;
    }
    if (!state.low || state.busy == Busy::No) {
        report(Rule::ReadyEdge, channel, ce, lun, when);
    } else if (when < state.may_rise_at) {
        report(Rule::ReadyTooEarly, channel, ce, lun, when);
    }
    if (state.busy == Busy::Read) {
        state.valid |= state.planes & ~state.bad;
    } else if (state.busy == Busy::Erase) {
        for (u32 plane = 0; plane < geometry_.planes; ++plane) {
            if (((state.planes & ~state.bad) >> plane) & 1) {
                next_page_[block_at(die, plane, state.block[plane])] = 0;
            }
        }
    }
    if (state.busy != Busy::Queue) {
        state.planes = 0;
    }
    state.low = false;
    state.busy = Busy::No;
    state.ready_at = when;
}

} // namespace tlmssd::onfi
