// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI bytes of each phase, and the statistics that every controller shares.
#include "models/flash/segment_port.h"

#include "models/common/error.h"
#include "models/onfi/timing.h"

namespace tlmssd::flash {

using onfi::DataDirection;
namespace cmd = onfi::cmd;

SegmentPort::Port::Port(time::EventWheel& wheel, SegmentPort& o, u32 n)
    : owner(o), number(n), socket(sc_core::sc_gen_unique_name("bus")),
      delay(wheel, time::Priority::Bus, time::Timer::call<&Port::on_delay, Port>, this)
{
    socket.bind(*this);
}

void SegmentPort::Port::on_delay() { owner.transport(*this); }

SegmentPort::SegmentPort(sc_core::sc_module_name name, time::EventWheel& wheel,
                         const Geometry& geometry, DataPath& data_path)
    : sc_module(name), wheel_(wheel), geometry_(geometry), data_path_(data_path),
      dies_(geometry.total_dies()), enhanced_(geometry.luns_per_ce() > 1)
{
}

void SegmentPort::bind_channel(onfi::Channel& channel)
{
    Port& port = ports_.emplace_back(wheel_, *this, static_cast<u32>(ports_.size()));
    port.channel = &channel;
    port.socket.bind(channel.socket);
    channel.bind_master(*this);
}

namespace {

/// Five address cycles: column, row.
u64 column_row(u32 column, u32 row) { return column | u64{row} << 16; }

} // namespace

void SegmentPort::build(Port& port)
{
    const SegmentRequest& r = port.request;
    onfi::Segment& s = port.segment;
    const bool last = r.plane + 1 == r.nplanes;
    const u32 column = geometry_.column_of_sector(r.col);
    s.clear();
    s.ce = r.ce;
    switch (r.phase) {
    case Phase::Command:
        if (r.opcode == FLASH_OP_READ) {
            s.sequence(cmd::kRead, column_row(column, r.row), 5);
            s.command(last ? cmd::kReadConfirm : cmd::kReadQueuePlane);
        } else if (r.opcode == FLASH_OP_ERASE) {
            s.sequence(cmd::kErase, r.row, 3);
            s.command(last ? cmd::kEraseConfirm : cmd::kEraseQueuePlane);
        } else {
            s.command(cmd::kReset);
        }
        break;
    case Phase::DataOut:
        if (enhanced_ || r.nplanes > 1) {
            s.sequence(cmd::kChangeReadColumnEnhanced, column_row(column, r.row), 5);
            s.command(cmd::kChangeReadColumnConfirm);
        }
        s.burst(DataDirection::Out, data_path_.burst_bytes(r), &port.cells);
        break;
    case Phase::DataIn:
        s.sequence(cmd::kProgram, column_row(column, r.row), 5);
        s.burst(DataDirection::In, data_path_.burst_bytes(r), &port.cells);
        s.command(last ? cmd::kProgramConfirm : cmd::kProgramQueuePlane);
        break;
    case Phase::Status:
        if (enhanced_) {
            s.sequence(cmd::kReadStatusEnhanced, r.row, 3);
        } else {
            s.command(cmd::kReadStatus);
        }
        s.burst(DataDirection::Out, 1, &port.cells);
        break;
    }
}

void SegmentPort::start(u32 channel, const SegmentRequest& request)
{
    Port& port = ports_[channel];
    if (port.busy) {
        throw ModelError("segment port: channel " + std::to_string(channel) +
                         " was given a segment while it was busy");
    }
    port.busy = true;
    port.request = request;
    build(port);
    Die& die = dies_[die_of(channel, request)];
    if (!die.operating) {
        die.operating = true;
        die.began = wheel_.now();
    }
    if (request.phase == Phase::DataIn) {
        const Picoseconds now = wheel_.now();
        const Picoseconds fetched = data_path_.fetch(request, port.cells, now);
        const Picoseconds nominal = now + segment_time(port.segment, port.channel->timing());
        if (fetched > nominal) { /* DRAM is behind: start so late that the burst never waits */
            port.delay.arm(now + (fetched - nominal));
            return;
        }
    }
    transport(port);
}

void SegmentPort::transport(Port& port)
{
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    port.socket->nb_transport_fw(port.segment, phase, delay);
}

void SegmentPort::on_segment_end(u32 channel, onfi::Segment& segment)
{
    Port& port = ports_[channel];
    const SegmentRequest& r = port.request;
    const Picoseconds now = segment.end;
    const bool last = r.plane + 1 == r.nplanes;
    Die& die = dies_[die_of(channel, r)];
    die.stats.bus += segment.end - segment.start;
    port.busy = false;
    Picoseconds data_at = now;
    u8 status = 0;
    switch (r.phase) {
    case Phase::DataOut:
        data_at = data_path_.store(r, port.cells, now);
        ++port.stats.page_reads;
        if (last) {
            die.operating = false;
            die.stats.busy += now - die.began;
        }
        break;
    case Phase::DataIn:
        ++port.stats.page_programs;
        die.last_plane = last;
        break;
    case Phase::Command:
        port.stats.block_erases += r.opcode == FLASH_OP_ERASE;
        die.last_plane = last && r.opcode != FLASH_OP_READ;
        break;
    case Phase::Status:
        status = port.cells.bytes[0];
        if (die.operating && !die.last_plane) { /* a status read outside any operation */
            die.operating = false;
        }
        break;
    }
    client_->on_segment_done(channel, status, data_at);
}

void SegmentPort::on_ready(u32 channel, u32 ce, u32 lun, bool ready)
{
    Die& die = dies_[geometry_.die_index_ce(channel, ce, lun)];
    const Picoseconds now = wheel_.now();
    if (!ready) {
        die.ready_fell = now;
    } else {
        die.stats.array += now - die.ready_fell;
        if (die.operating && die.last_plane) {
            die.operating = false;
            die.last_plane = false;
            die.stats.busy += now - die.began;
        }
    }
    client_->on_ready(channel, ce, lun, ready);
}

} // namespace tlmssd::flash
