// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what happens on a channel goes to each part of its waves.
#include "models/probes/waves/wave_tap.h"

#include <utility>

namespace tlmssd::probes {

WaveTap::WaveTap(std::unique_ptr<WaveBus> bus, std::unique_ptr<WaveDies> dies,
                 std::unique_ptr<WavePins> pins)
    : bus_(std::move(bus)), dies_(std::move(dies)), pins_(std::move(pins))
{
}

void WaveTap::on_started(u32, const onfi::Segment& segment)
{
    const SegmentTimes times = times_of(segment);
    if (pins_) {
        pins_->started(segment); // first: it may hold the file
    }
    if (bus_) {
        bus_->started(segment, times);
    }
    if (dies_) {
        dies_->started(segment, times);
    }
}

void WaveTap::on_observed(u32, const onfi::Segment& segment)
{
    if (pins_) {
        pins_->ended(segment);
    }
    if (bus_) {
        bus_->ended(segment);
    }
    if (dies_) {
        dies_->ended(segment);
    }
}

void WaveTap::on_ready_edge(u32, u32 ce, u32 lun, bool ready, Picoseconds when)
{
    if (pins_) {
        pins_->ready_edge(ce, lun, ready, when);
    }
    if (dies_) {
        dies_->ready_edge(ce, lun, ready, when);
    }
}

void WaveTap::on_array_edge(u32, u32 ce, u32 lun, bool busy, Picoseconds when)
{
    if (dies_ && !busy) {
        dies_->array_rests(ce, lun, when);
    }
}

} // namespace tlmssd::probes
