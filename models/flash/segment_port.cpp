// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI bytes of each phase, and the statistics that every controller shares.
#include "models/flash/segment_port.h"

#include "models/common/error.h"
#include "models/flash/pins/pin_phy.h"
#include "models/onfi/bus/timing.h"

namespace tlmssd::flash {

using onfi::DataDirection;
namespace cmd = onfi::cmd;

SegmentPort::Port::Port(time::EventQueue& event_queue, SegmentPort& o, u32 n)
    : owner(o), number(n), socket(sc_core::sc_gen_unique_name("bus")),
      delay(event_queue, time::Priority::Bus, time::Timer::call<&Port::on_delay, Port>, this)
{
    socket.bind(*this);
}

void SegmentPort::Port::on_delay()
{
    if (owner.data_path_.revises() && !owner.data_path_.over(fetched, owner.event_queue_.now())) {
        delay.arm(fetched.at);
        return;
    }
    owner.transport(*this);
}

SegmentPort::SegmentPort(sc_core::sc_module_name name, time::EventQueue& event_queue,
                         const Geometry& geometry, DataPath& data_path,
                         const SegmentPortOptions& options)
    : sc_module(name), event_queue_(event_queue), geometry_(geometry), die_number_(geometry),
      codeword_bytes_(geometry.codeword_bytes()), data_path_(data_path),
      dies_(geometry.total_dies()), way_used_(geometry.channels * geometry.ways),
      enhanced_(geometry.luns_per_ce() > 1), edges_(options.ready == config::ReadySense::Lun),
      operations_fail_(options.operations_fail)
{
    for (u32 ce = 0; ce < geometry.ces_per_channel(); ++ce) {
        way_of_ce_.push_back(ce / geometry.chip_enables);
    }
}

void SegmentPort::bind_channel(onfi::Channel& channel)
{
    ports_.push_back(std::make_unique<Port>(event_queue_, *this, static_cast<u32>(ports_.size())));
    Port& port = *ports_.back();
    port.channel = &channel;
    if (data_path_.carries_bytes()) {
        port.page.resize(geometry_.physical_bytes());
    }
    port.socket.bind(channel.socket);
    channel.bind_master(*this);
}

namespace {

/// Five address cycles: column, row.
u64 column_row(u32 column, u32 row) { return column | u64{row} << 16; }

constexpr u32 kFeatureBytes = 4;

} // namespace

void SegmentPort::build(Port& port)
{
    const SegmentRequest& r = port.request;
    onfi::Segment& s = port.segment;
    const bool last = r.plane + 1 == r.nplanes;
    const u32 column = r.col * codeword_bytes_;
    s.clear();
    s.ce = r.ce;
    s.owner = r.tag;
    port.cells.page = nullptr; // register bytes go without
    switch (r.phase) {
    case Phase::Command:
        if (r.cache != CacheStep::None) {
            build_cache_read(port);
        } else if (r.opcode == FLASH_OP_READ) {
            s.sequence(cmd::kRead, column_row(column, r.row), 5);
            s.command(last ? cmd::kReadConfirm : cmd::kReadQueuePlane);
        } else if (r.opcode == FLASH_OP_COPYBACK) {
            s.sequence(cmd::kRead, column_row(column, r.row), 5);
            s.command(cmd::kCopybackReadConfirm);
        } else if (r.opcode == FLASH_OP_ERASE) {
            s.sequence(cmd::kErase, r.row, 3);
            s.command(last ? cmd::kEraseConfirm : cmd::kEraseQueuePlane);
        } else {
            const bool sdr = port.channel->timing().sheet.interface == config::BusInterface::Sdr;
            s.command(sdr ? cmd::kReset : cmd::kSynchronousReset); // FFh falls back to SDR
        }
        break;
    case Phase::DataOut:
        if (enhanced_ || r.nplanes > 1 || r.mixed) {
            s.sequence(cmd::kChangeReadColumnEnhanced, column_row(column, r.row), 5);
            s.command(cmd::kChangeReadColumnConfirm);
        } else if (r.cache != CacheStep::None && column != 0) { // 31h and 3Fh go back to column 0
            s.sequence(cmd::kChangeReadColumn, column, 2);
            s.command(cmd::kChangeReadColumnConfirm);
        } else if (r.after_status) {
            s.command(cmd::kRead); // from status back to data
        }
        port.cells.page = page_of(port);
        if (operations_fail_) { // a dead die would leave the cells as they are
            data_path_.undriven(r, port.cells);
        }
        s.burst(DataDirection::Out, data_path_.burst_bytes(r), &port.cells);
        break;
    case Phase::DataIn:
        if (r.opcode == FLASH_OP_COPYBACK) {
            s.sequence(cmd::kChangeWriteColumn, column_row(0, r.row), 5);
            if (r.len == 0) { // as the cells have it
                s.command(cmd::kProgramConfirm);
                break;
            }
        } else {
            s.sequence(cmd::kProgram, column_row(column, r.row), 5);
        }
        port.cells.page = page_of(port);
        s.burst(DataDirection::In, data_path_.burst_bytes(r), &port.cells);
        s.command(!last                          ? cmd::kProgramQueuePlane
                  : r.cache == CacheStep::Next ? cmd::kProgramCacheConfirm
                                                 : cmd::kProgramConfirm);
        break;
    case Phase::Status:
        build_status(port);
        break;
    case Phase::Suspend:
        s.sequence(r.opcode == FLASH_OP_ERASE ? cmd::kEraseSuspend : cmd::kProgramSuspend, r.row, 3);
        break;
    case Phase::Resume:
        s.sequence(r.opcode == FLASH_OP_ERASE ? cmd::kEraseResume : cmd::kProgramResume, r.row, 3);
        break;
    case Phase::Feature:
        s.sequence(cmd::kLunSetFeatures, r.lun | u64{onfi::feature::kReadRetry} << 8, 2);
        s.burst(DataDirection::In, kFeatureBytes, &port.cells);
        s.narrow = true;
        port.cells.bytes.fill(0);
        port.cells.bytes[0] = r.level;
        break;
    }
}

/// 3Fh has no address, and a lone 31h neither: they go to the LUN that 78h or a read has chosen.
void SegmentPort::build_cache_read(Port& port)
{
    const SegmentRequest& r = port.request;
    onfi::Segment& s = port.segment;
    if (r.cache == CacheStep::End) {
        if (enhanced_) {
            s.sequence(cmd::kReadStatusEnhanced, r.row, 3);
        }
        s.command(cmd::kReadCacheEnd);
    } else if (r.cache == CacheStep::Sequential && !enhanced_) {
        s.command(cmd::kReadCacheSequential);
    } else {
        s.sequence(cmd::kRead, column_row(0, r.row), 5);
        s.command(cmd::kReadCacheRandom);
    }
}

void SegmentPort::build_status(Port& port)
{
    const SegmentRequest& r = port.request;
    onfi::Segment& s = port.segment;
    if (!enhanced_) {
        s.command(cmd::kReadStatus);
    } else {
        s.sequence(cmd::kReadStatusEnhanced, r.row, 3);
        if (operations_fail_ && r.nplanes > 1) {
            s.command(cmd::kReadStatus);
        }
    }
    s.burst(DataDirection::Out, 1, &port.cells);
    s.narrow = true;
    port.cells.bytes[0] = kUndrivenByte;
}

void SegmentPort::start(u32 channel, const SegmentRequest& request)
{
    Port& port = *ports_[channel];
    if (port.busy) {
        throw ModelError("segment port: channel " + std::to_string(channel) +
                         " was given a segment while it was busy");
    }
    port.busy = true;
    port.request = request;
    build(port);
    Die& die = dies_[die_of(channel, request)];
    port.die = &die;
    port.way = way_of(channel, request.ce);
    port.while_busy = request.phase == Phase::Status && die.low;
    if (die.wanting) {
        end_wait(die, port, port.way);
    }
    begin(die, request);
    if (request.phase == Phase::DataIn && request.len != 0) {
        const Picoseconds now = event_queue_.now();
        const DramEnd end = data_path_.fetch(request, port.cells, now);
        if (data_path_.revises()) { /* store and forward: nobody knows when DRAM will be done */
            port.fetched = end;
            port.delay.arm(end.at);
            return;
        }
        const Picoseconds fetched = end.at;
        const Picoseconds nominal = now + segment_time(port.segment, port.channel->timing());
        if (fetched > nominal) { /* DRAM is behind: start so late that the burst never waits */
            port.delay.arm(now + (fetched - nominal));
            return;
        }
    }
    transport(port);
}

/// The first segment of an operation, or the next after one that was given up on this die.
void SegmentPort::begin(Die& die, const SegmentRequest& request)
{
    if (request.phase == Phase::Status || request.phase == Phase::Suspend || (die.operating && die.tag == request.tag)) {
        return;
    }
    if (!die.operating) {
        die.operating = true;
        die.stats.busy = die.stats.busy - event_queue_.now();
    }
    die.last_plane = false;
    die.tag = request.tag;
}

void SegmentPort::transport(Port& port)
{
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    port.on_bus = true;
    if (port.phy != nullptr) {
        port.phy->start(port.request, port.segment);
    } else {
        if (port.bus == nullptr) {
            port.bus = port.socket.operator->(); // bound by now; the socket asks each time
        }
        port.bus->nb_transport_fw(port.segment, phase, delay);
    }
    for (OperationObserverIf* const observer : observers_) {
        if (event_queue_.now() < port.segment.start) { // after a burst out the first command waits
            observer->on_wait(port.request.tag, event_queue_.now());
        }
        observer->on_bus(port.request.tag, port.number, port.segment.start);
    }
}

/// The die itself has nothing on the bus while it waits.
void SegmentPort::wants(u32 channel, u32 ce, u32 lun)
{
    Die& die = dies_[die_number_(channel, ce, lun)];
    if (die.wanting) {
        return;
    }
    const Used before = used(*ports_[channel], way_of(channel, ce), event_queue_.now());
    die.wanting = true;
    die.stats.contention = die.stats.contention - before.way;
    die.stats.channel_wait = die.stats.channel_wait - (before.channel - before.way);
}

/// Of the segment on the bus the part that has passed.
SegmentPort::Used SegmentPort::used(const Port& port, u32 way, Picoseconds now) const
{
    Used u{way_used_[way], port.bus_used};
    if (port.on_bus && now > port.segment.start) {
        const Picoseconds passed = now - port.segment.start;
        u.channel += passed;
        if (port.way == way) {
            u.way += passed;
        }
    }
    return u;
}

/// Nothing is on the bus, so the sums are complete.
void SegmentPort::end_wait(Die& die, const Port& port, u32 way)
{
    const Picoseconds in_package = way_used_[way];
    die.wanting = false;
    die.stats.contention += in_package;
    die.stats.channel_wait += port.bus_used - in_package;
}

void SegmentPort::on_segment_end(u32 channel, onfi::Segment& segment)
{
    Port& port = *ports_[channel];
    const SegmentRequest& r = port.request;
    const Picoseconds now = segment.end;
    const Picoseconds used = segment.end - segment.start;
    const bool last = r.plane + 1 == r.nplanes;
    Die& die = *port.die;
    if (!port.while_busy) {
        die.stats.bus += used;
    }
    port.bus_used += used;
    way_used_[port.way] += used;
    port.busy = false;
    port.on_bus = false;
    SegmentResult result;
    result.data_at = now;
    switch (r.phase) {
    case Phase::DataOut:
        result = data_path_.store(r, port.cells, now);
        port.stats.page_reads += r.len != 0;
        if (last && r.opcode != FLASH_OP_COPYBACK && r.cache != CacheStep::Next) {
            die.operating = false;
            die.stats.busy += now;
        }
        break;
    case Phase::DataIn:
        ++(r.len == 0 ? port.stats.copybacks : port.stats.page_programs);
        port.stats.cache_programs += r.cache == CacheStep::Next;
        die.last_plane = last && r.cache != CacheStep::Next;
        break;
    case Phase::Command:
        port.stats.cache_reads += r.cache == CacheStep::Next || r.cache == CacheStep::Sequential;
        port.stats.block_erases += r.opcode == FLASH_OP_ERASE;
        port.stats.resets += r.opcode == FLASH_OP_RESET;
        die.last_plane = last && r.opcode != FLASH_OP_READ && r.opcode != FLASH_OP_COPYBACK;
        break;
    case Phase::Status:
        result.status = port.cells.bytes[0];
        ++port.stats.status_reads;
        port.stats.polls += !status_ready(result.status);
        break;
    case Phase::Feature:
        ++port.stats.features;
        die.last_plane = false;
        break;
    case Phase::Suspend:
        ++port.stats.suspends;
        break;
    case Phase::Resume:
        ++port.stats.resumes;
        die.last_plane = true;
        break;
    }
    if (!edges_) {
        follow(channel, r, result.status, now);
    }
    for (OperationObserverIf* const observer : observers_) {
        observer->on_phase(r.tag, channel, r.phase, segment.start, segment.end);
    }
    client_->on_segment_done(channel, result);
}

/// Without a line for each LUN: busy from the confirm on, until a status read tells otherwise.
void SegmentPort::follow(u32 channel, const SegmentRequest& r, u8 status, Picoseconds now)
{
    if (r.phase == Phase::Status) {
        if (status_ready(status)) {
            now_ready(dies_[die_of(channel, r)], now);
        }
    } else if (r.phase != Phase::DataOut && r.phase != Phase::Suspend) {
        const bool all = r.phase == Phase::Command && r.opcode == FLASH_OP_RESET;
        const u32 first = die_number_(channel, r.ce, all ? 0 : r.lun);
        for (u32 i = 0; i < (all ? die_number_.luns_per_ce() : 1); ++i) {
            now_busy(dies_[first + i], now);
        }
    }
}

void SegmentPort::now_busy(Die& die, Picoseconds now)
{
    if (!die.low) {
        die.low = true;
        die.stats.array = die.stats.array - now;
    }
}

void SegmentPort::now_ready(Die& die, Picoseconds now)
{
    if (!die.low) {
        return;
    }
    die.low = false;
    die.stats.array += now;
    if (die.operating && die.last_plane) {
        die.operating = false;
        die.last_plane = false;
        die.stats.busy += now;
    }
}

Picoseconds SegmentPort::channel_busy(u32 channel, Picoseconds now) const
{
    const Port& port = *ports_[channel];
    const bool part = port.on_bus && port.segment.start < now;
    return part ? port.bus_used + (now - port.segment.start) : port.bus_used;
}

SegmentPort::DieStatistics SegmentPort::die_statistics(u32 index, Picoseconds now) const
{
    const Die& die = dies_[index];
    DieStatistics s = die.stats;
    if (die.low) {
        s.array += now;
    }
    if (die.operating) {
        s.busy += now;
    }
    const Port& port = *ports_[index / geometry_.dies_per_channel()];
    if (die.wanting) {
        const Used until = used(port, index / geometry_.dies, now);
        s.contention += until.way;
        s.channel_wait += until.channel - until.way;
    }
    if (port.on_bus && die_of(port.number, port.request) == index && port.segment.start < now &&
        !port.while_busy) {
        s.bus += now - port.segment.start;
    }
    return s;
}

void SegmentPort::on_ready(u32 channel, u32 ce, u32 lun, bool ready)
{
    const Picoseconds now = event_queue_.now();
    if (lun == SegmentClientIf::kTargetLine) {
        const u32 first = die_number_(channel, ce, 0);
        for (u32 i = 0; ready && i < die_number_.luns_per_ce(); ++i) {
            now_ready(dies_[first + i], now);
        }
    } else if (Die& die = dies_[die_number_(channel, ce, lun)]; ready) {
        now_ready(die, now);
    } else {
        now_busy(die, now);
    }
    client_->on_ready(channel, ce, lun, ready);
}

} // namespace tlmssd::flash
