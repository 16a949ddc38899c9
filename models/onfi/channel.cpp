// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bus of one ONFI channel.
#include "models/onfi/channel.h"

#include "models/common/error.h"

namespace tlmssd::onfi {

Channel::Channel(sc_core::sc_module_name module_name, time::EventWheel& wheel, u32 index,
                 const Geometry& geometry, const BusTiming& timing)
    : sc_module(module_name), socket("socket"), wheel_(wheel), index_(index), timing_(timing),
      targets_(geometry.ces_per_channel(), nullptr),
      end_timer_(wheel, time::Priority::Bus, time::Timer::call<&Channel::on_end, Channel>, this)
{
    socket.bind(*this);
}

void Channel::bind_target(u32 ce, TargetIf& target) { targets_.at(ce) = &target; }

void Channel::bind_master(BusMasterIf& master) { master_ = &master; }

void Channel::bind_observer(BusObserverIf& observer) { observer_ = &observer; }

tlm::tlm_sync_enum Channel::nb_transport_fw(Segment& segment, tlm::tlm_phase&,
                                            sc_core::sc_time& delay)
{
    if (current_ != nullptr) {
        throw ModelError(std::string(name()) + ": a segment starts on a busy bus");
    }
    if (segment.ce >= targets_.size() || targets_[segment.ce] == nullptr) {
        throw ModelError(std::string(name()) + ": no target on CE " + std::to_string(segment.ce));
    }
    const Picoseconds now = wheel_.now();
    segment.start = now + Picoseconds(delay.value());
    Picoseconds cs_low = segment.start;
    if (segment.lead > 0) { // the DQ lines turn round after a burst out
        const Picoseconds first_cycle = max(cs_low + timing_.sheet.t_cs, command_from_);
        cs_low = first_cycle - timing_.sheet.t_cs;
    }
    segment.end = cs_low + segment_time(segment, timing_);
    current_ = &segment;
    delay = sc_core::sc_time::from_value((segment.end - now).value());
    end_timer_.arm(segment.end);
    return tlm::TLM_COMPLETED;
}

void Channel::on_end()
{
    Segment& segment = *current_;
    ++statistics_.segments;
    statistics_.busy += segment.end - segment.start;
    targets_[segment.ce]->on_segment(segment);
    if (segment.direction == DataDirection::Out) {
        statistics_.bytes_out += segment.data_bytes;
        if (segment.trail == 0) {
            command_from_ = segment.end + timing_.sheet.t_rhw;
        }
    } else if (segment.direction == DataDirection::In) {
        statistics_.bytes_in += segment.data_bytes;
    }
    if (observer_ != nullptr) {
        observer_->on_observed(index_, segment);
    }
    current_ = nullptr;
    if (master_ != nullptr) {
        master_->on_segment_end(index_, segment);
    }
}

void Channel::set_ready(u32 ce, u32 lun, bool ready)
{
    if (observer_ != nullptr) {
        observer_->on_ready_edge(index_, ce, lun, ready, wheel_.now());
    }
    if (master_ != nullptr) {
        master_->on_ready(index_, ce, lun, ready);
    }
}

void Channel::b_transport(Segment&, sc_core::sc_time&)
{
    throw ModelError(std::string(name()) + ": the ONFI protocol has no blocking transport");
}

bool Channel::get_direct_mem_ptr(Segment&, tlm::tlm_dmi&) { return false; }

unsigned int Channel::transport_dbg(Segment&) { return 0; }

} // namespace tlmssd::onfi
