// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: clocks, pins and words of the RTL PHY.
#include "models/flash/pins/pin_phy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/common/error.h"
#include "models/flash/pins/phy_pins.h"

namespace tlmssd::flash {

using onfi::DataDirection;
using onfi::Segment;

PinPhy::PinPhy(sc_core::sc_module_name name, time::EventQueue& event_queue, onfi::Channel& channel,
               const Geometry& geometry, const PhySetup& setup, const onfi::BusTiming& timing,
               config::DataKind data, bool gated, onfi::ViolationSink& violations,
               std::unique_ptr<PhyModelIf> model)
    : sc_module(name), event_queue_(event_queue), channel_(channel), period_(setup.period.value()), gated_(gated),
      codeword_bytes_(geometry.codeword_bytes()), word_bytes_(timing.width / 8),
      t_ceh_(u64{setup[PhyRegister::Ceh]} * setup.period), bytes_(geometry, data), model_(std::move(model)),
      reader_(channel.index(), geometry, timing, data, violations, *this),
      targets_(geometry.ces_per_channel()),
      clock_(event_queue, time::Priority::Bus, time::Timer::call<&PinPhy::on_clock, PinPhy>, this),
      end_(event_queue, time::Priority::Bus, time::Timer::call<&PinPhy::on_end, PinPhy>, this),
      die_(event_queue, time::Priority::Bus, time::Timer::call<&PinPhy::on_die, PinPhy>, this)
{
    model_->reset();
    for (u32 i = 0; i < kPhyRegisters; ++i) { // what boot software would do, in no simulated time
        model_->write_register(i, setup.registers[i]);
    }
    pins_ = onfi_pins(model_->pins());
    reader_.on_pins(Picoseconds(), pins_);
    channel.bind_observer(reader_, false);
    in_.reserve(geometry.physical_bytes());
    out_.reserve(geometry.physical_bytes() + 4);
}

void PinPhy::bind_target(u32 ce, onfi::TargetIf& target)
{
    targets_.at(ce) = std::make_unique<onfi::PinTarget>(ce, reader_, target, bytes_);
    reader_.bind_target(ce, *targets_[ce]);
}

void PinPhy::start_of_simulation()
{
    tell(Picoseconds());
    if (!gated_) {
        arm(Picoseconds(period_));
    }
}

void PinPhy::start(const SegmentRequest& request, Segment& segment)
{
    const Picoseconds now = event_queue_.now();
    from_ = Picoseconds((now.value() + period_ - 1) / period_ * period_);
    const bool again = last_ce_ == request.ce && edge_run_;
    const Picoseconds first = again ? max(from_, rose_ + t_ceh_) : from_;
    asked_ = &segment;
    request_ = request;
    channel_.begin_on_pins(segment, first);
    end_.arm(segment.end);
    targets_[request.ce]->announce(segment);
    out_.clear();
    in_.clear();
    next_in_ = 0;
    if (segment.direction == DataDirection::In) {
        const u32 column = request.col * codeword_bytes_;
        if (segment.narrow) { // register bytes
            in_.assign(segment.data->bytes.begin(), segment.data->bytes.begin() + segment.data_bytes);
        } else if (segment.data->page != nullptr) {
            in_.assign(segment.data->page, segment.data->page + segment.data_bytes);
        } else {
            for (u32 i = 0; i < segment.data_bytes; ++i) {
                in_.push_back(bytes_.page_byte(*segment.data, column, column + i));
            }
        }
    }
    const bool edge_to_come = clock_.armed() && clock_.at() == from_;
    if (from_ == now && !edge_to_come) {
        present();
    } else { // behind the edge at that time: a registered request appears after it
        waits_ = true;
        arm(from_);
    }
}

/// The request appears on the segment port now; the PHY sees it at the next edge.
void PinPhy::present()
{
    waits_ = false;
    model_->request(&request_);
    offer();
    arm(Picoseconds(from_.value() + period_));
}

void PinPhy::offer()
{
    if (next_in_ >= in_.size()) {
        model_->offer(!in_.empty(), 0xffff); // the filler of a last strobe
        return;
    }
    u16 word = in_[next_in_];
    if (word_bytes() == 2) {
        const u8 upper = next_in_ + 1 < in_.size() ? in_[next_in_ + 1] : u8{0xff};
        word = static_cast<u16>(word | upper << 8);
    }
    model_->offer(true, word);
}

void PinPhy::on_drive(const onfi::DieDrive& drive)
{
    while (!drives_.empty() && drives_.back().at >= drive.at) {
        drives_.pop_back();
    }
    drives_.push_back(drive);
    if (observer_ != nullptr) {
        die_.arm(drives_.front().at);
    }
}

void PinPhy::on_die()
{
    take_drives(event_queue_.now());
    if (!drives_.empty()) {
        die_.arm(drives_.front().at);
    }
}

void PinPhy::take_drives(Picoseconds now)
{
    if (drives_.empty() || drives_.front().at > now) {
        return;
    }
    while (!drives_.empty() && drives_.front().at <= now) {
        driven_ = drives_.front();
        drives_.pop_front();
        tell(driven_.at);
    }
    // Lines that nobody drives are pulled up; DQS rests low.
    model_->die(driven_.dq_driven ? driven_.dq : u16{0xffff}, driven_.dqs_driven && driven_.dqs);
}

void PinPhy::on_clock()
{
    const Picoseconds now = event_queue_.now();
    take_drives(now);
    const bool takes = model_->takes_word();
    model_->edge();
    last_edge_ = now;
    edge_run_ = true;
    ++edges_;
    if (takes) {
        next_in_ += word_bytes();
        offer();
    }
    if (model_->word_out()) {
        const u16 word = model_->word();
        out_.push_back(static_cast<u8>(word));
        if (asked_ != nullptr && word_bytes() == 2) {
            out_.push_back(static_cast<u8>(word >> 8));
        }
    }
    show(now);
    if (model_->done()) {
        finish(now);
    }
    if (waits_ && from_ <= now) {
        from_ = now;
        present();
    }
    if (!gated_ || !model_->idle() || waits_) {
        arm(now + Picoseconds(period_));
    }
}

/// The edge at which the segment ends, before that of any PHY whose segment began later. Where there is none
/// the clock is at fault, and finish() will say so.
void PinPhy::on_end()
{
    if (clock_.armed() && clock_.at() == event_queue_.now()) {
        clock_.cancel();
        on_clock();
    }
}

void PinPhy::arm(Picoseconds at)
{
    if (!(clock_.armed() && clock_.at() <= at)) {
        clock_.arm(at);
    }
}

/// Who looks at the pins sees them where they change.
void PinPhy::show(Picoseconds now)
{
    const onfi::Pins pins = onfi_pins(model_->pins());
    const bool same = pins == pins_;
    if (!same) {
        pins_ = pins;
        reader_.on_pins(now, pins);
    }
    if (observer_ != nullptr && (!same || run_ != model_->run())) {
        run_ = model_->run();
        tell(now);
    }
}

void PinPhy::tell(Picoseconds at)
{
    if (observer_ == nullptr) {
        return;
    }
    onfi::Pins lines = pins_;
    if (!lines.dq_driven && driven_.dq_driven) {
        lines.dq = driven_.dq;
        lines.dq_driven = true;
    }
    if (!lines.dqs_driven && driven_.dqs_driven) {
        lines.dqs = driven_.dqs;
        lines.dqs_driven = true;
    }
    observer_->on_pins(at, lines, run_);
}

void PinPhy::finish(Picoseconds now)
{
    Segment& asked = *asked_;
    asked_ = nullptr;
    model_->request(nullptr);
    model_->offer(false, 0);
    const u32 ce = request_.ce;
    if (now != asked.end) {
        throw ModelError(std::string(name()) + ": a segment to CE " + std::to_string(ce) + " ended at " +
                         std::to_string(now.value()) + " ps, by the equations of the bus it is " +
                         std::to_string(asked.end.value()));
    }
    Segment& seen = targets_[ce]->finish(now);
    seen.owner = asked.owner;
    seen.start = asked.start;
    asked_ = &asked;
    compare(seen);
    if (asked.direction == DataDirection::Out) {
        take_out(seen);
    }
    asked_ = nullptr;
    last_ce_ = ce;
    rose_ = now;
    channel_.end_on_pins(seen);
}

void PinPhy::compare(const Segment& seen) const
{
    const Segment& asked = *asked_;
    const u32 cycles = u32{asked.lead} + asked.trail;
    const bool same = seen.lead == asked.lead && seen.trail == asked.trail &&
                      seen.command_mask == asked.command_mask && seen.direction == asked.direction &&
                      seen.data_bytes == asked.data_bytes && seen.narrow == asked.narrow &&
                      std::equal(seen.bytes.begin(), seen.bytes.begin() + cycles, asked.bytes.begin());
    if (!same) {
        throw ModelError(std::string(name()) + ": the pins to CE " + std::to_string(asked.ce) +
                         " have carried another segment than the controller has asked for");
    }
}

/// The words that came through the PHY become what the data path gets.
void PinPhy::take_out(const Segment& seen)
{
    Segment& asked = *asked_;
    onfi::DataCells& cells = *asked.data;
    if (out_.size() < asked.data_bytes) {
        throw ModelError(std::string(name()) + ": a burst out of " + std::to_string(asked.data_bytes) +
                         " bytes brought " + std::to_string(out_.size()));
    }
    if (asked.narrow) {
        cells.bytes[0] = model_->status();
        return;
    }
    bytes_.gather(out_.data(), asked.data_bytes, request_.col * codeword_bytes_, cells);
    if (cells.page != nullptr) {
        std::copy_n(out_.begin(), asked.data_bytes, cells.page);
        cells.tags = seen.data->tags;
    }
    cells.codewords = seen.data->codewords;
    std::copy_n(seen.data->bit_errors.begin(), cells.codewords, cells.bit_errors.begin());
}

} // namespace tlmssd::flash
