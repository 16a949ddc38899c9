// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bus of one ONFI channel.
#include "models/onfi/bus/channel.h"

#include "models/common/error.h"

namespace tlmssd::onfi {

Channel::Channel(sc_core::sc_module_name module_name, time::EventQueue& event_queue, u32 index,
                 const Geometry& geometry, const BusTiming& timing, config::ReadySense ready)
    : sc_module(module_name), socket("socket"), event_queue_(event_queue), index_(index), ready_(ready),
      ways_(geometry.ces_per_channel()),
      end_timer_(event_queue, time::Priority::Bus, time::Timer::call<&Channel::on_end, Channel>, this),
      timing_(timing)
{
    for (Way& way : ways_) {
        way.timing = &timing_;
    }
    socket.bind(*this);
}

void Channel::bind_target(u32 ce, TargetIf& target) { ways_.at(ce).target = &target; }

void Channel::bind_master(BusMasterIf& master) { master_ = &master; }

void Channel::bind_observer(BusObserverIf& observer, bool starts)
{
    observers_.push_back(&observer);
    if (starts) {
        start_observers_.push_back(&observer);
    }
}

tlm::tlm_sync_enum Channel::nb_transport_fw(Segment& segment, tlm::tlm_phase&,
                                            sc_core::sc_time& delay)
{
    const Picoseconds now = event_queue_.now();
    begin_on_pins(segment, now + Picoseconds(delay.value()));
    delay = sc_core::sc_time::from_value((segment.end - now).value());
    end_timer_.arm(segment.end);
    return tlm::TLM_COMPLETED;
}

void Channel::begin_on_pins(Segment& segment, Picoseconds from)
{
    if (current_ != nullptr) {
        throw ModelError(std::string(name()) + ": a segment starts on a busy bus");
    }
    if (segment.ce >= ways_.size() || ways_[segment.ce].target == nullptr) {
        throw ModelError(std::string(name()) + ": no target on CE " + std::to_string(segment.ce));
    }
    const BusTiming& timing = *ways_[segment.ce].timing;
    const auto* target = reinterpret_cast<const char*>(ways_[segment.ce].target);
    __builtin_prefetch(target); // on_end() will need it: of many targets it has left the cache
    __builtin_prefetch(target + 64);
    segment.timing = &timing;
    segment.start = from;
    Picoseconds cs_low = segment.start;
    if (segment.lead > 0) { // the DQ lines turn round after a burst out
        const Picoseconds first_cycle = max(cs_low + timing.sheet.t_cs, command_from_);
        cs_low = first_cycle - timing.sheet.t_cs;
    }
    segment.end = cs_low + segment_time(segment, timing);
    current_ = &segment;
    for (BusObserverIf* observer : start_observers_) {
        observer->on_started(index_, segment);
    }
}

void Channel::on_end()
{
    ways_[current_->ce].target->on_segment(*current_);
    complete(*current_);
}

void Channel::end_on_pins(Segment& seen)
{
    current_->end = seen.end;
    complete(seen);
}

/// The target has had `segment`, which is the current one as it was on the bus.
void Channel::complete(Segment& segment)
{
    Way& way = ways_[segment.ce];
    const Picoseconds held = segment.end - segment.start;
    ++statistics_.segments;
    statistics_.busy += held;
    if (segment.direction == DataDirection::Out) {
        statistics_.bytes_out += segment.data_bytes;
        statistics_.bursts += segment.timing->burst_out(segment.data_bytes, segment.narrow);
        if (segment.trail == 0) {
            command_from_ = segment.end + segment.timing->sheet.t_rhw;
        }
    } else if (segment.direction == DataDirection::In) {
        statistics_.bytes_in += segment.data_bytes;
        statistics_.bursts += segment.timing->burst_in(segment.data_bytes, segment.narrow);
    }
    for (BusObserverIf* observer : observers_) {
        observer->on_observed(index_, segment);
    }
    way.busy += held; // busy_of() counts the current segment by itself
    Segment& asked = *current_;
    current_ = nullptr;
    if (master_ != nullptr) {
        master_->on_segment_end(index_, asked);
    }
}

void Channel::set_timing(u32 ce, const BusTiming& timing)
{
    Way& way = ways_.at(ce);
    if (current_ != nullptr && current_->ce == ce) {
        throw ModelError(std::string(name()) + ": new timing of CE " + std::to_string(ce) +
                         " in the middle of a segment");
    }
    more_timings_.push_back(std::make_unique<const BusTiming>(timing));
    way.timing = more_timings_.back().get();
}

void Channel::set_write_protect(u32 ce, bool protect)
{
    TargetIf* const target = ways_.at(ce).target;
    if (target == nullptr) {
        throw ModelError(std::string(name()) + ": no target on CE " + std::to_string(ce));
    }
    target->on_write_protect(protect);
}

void Channel::set_ready(u32 ce, u32 lun, bool ready)
{
    Way& way = ways_[ce];
    const bool line = way.low == 0;
    const u32 bit = 1u << lun;
    way.low = ready ? way.low & ~bit : way.low | bit;
    for (BusObserverIf* observer : observers_) {
        observer->on_ready_edge(index_, ce, lun, ready, event_queue_.now());
    }
    if (master_ == nullptr) {
        return;
    }
    if (ready_ == config::ReadySense::Lun) {
        master_->on_ready(index_, ce, lun, ready);
    } else if (ready_ == config::ReadySense::Target && line != (way.low == 0)) {
        master_->on_ready(index_, ce, BusMasterIf::kTargetLine, ready); // one line for all LUNs
    }
}

void Channel::show_array(u32 ce, u32 lun, bool busy)
{
    for (BusObserverIf* observer : start_observers_) {
        observer->on_array_edge(index_, ce, lun, busy, event_queue_.now());
    }
}

Picoseconds Channel::busy_of(u32 ce) const
{
    const Picoseconds now = event_queue_.now();
    Picoseconds total = ways_[ce].busy;
    if (current_ != nullptr && current_->ce == ce && current_->start < now) {
        total += now - current_->start;
    }
    return total;
}

void Channel::b_transport(Segment&, sc_core::sc_time&)
{
    throw ModelError(std::string(name()) + ": the ONFI protocol has no blocking transport");
}

bool Channel::get_direct_mem_ptr(Segment&, tlm::tlm_dmi&) { return false; }

unsigned int Channel::transport_dbg(Segment&) { return 0; }

} // namespace tlmssd::onfi
