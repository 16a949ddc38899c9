// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the LUNs of a CE# together: ready, occupied, protected.
#include "models/nand/target/target_luns.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/nand/target/command_sequence.h"

namespace tlmssd::nand {

TargetLuns::TargetLuns(time::EventQueue& event_queue, onfi::Channel& channel, u32 ce, Device& device,
                       Features& features)
    : layout_(device.store.geometry()), ce_(ce), channel_(channel), device_(device)
{
    const Geometry& geometry = device.store.geometry();
    const u32 luns = geometry.luns_per_ce();
    const u32 row_bits = geometry.lun_shift() + bits_for(luns);
    if (row_bits > 8 * CommandSequence::kRowCycles) {
        throw InputError("geometry: a row address needs " + std::to_string(row_bits) +
                         " bits, ONFI's three row cycles carry 24");
    }
    const u32 first_die = geometry.die_index_ce(channel.index(), ce, 0);
    luns_ = FixedArray<TimedLun>(luns, [&](void* place, std::size_t i) {
        const auto number = static_cast<u32>(i);
        new (place) TimedLun(event_queue, channel, ce, number, device, first_die + number, features);
    });
}

void TargetLuns::violate(onfi::Rule rule, u32 lun)
{
    device_.violations.on_violation({segment_end_, channel_.index(), ce_, lun, rule, {}, {}});
}

bool TargetLuns::all_ready()
{
    return std::all_of(luns_.begin(), luns_.end(), [this](const TimedLun& lun) {
        return lun.silent() || accessible(lun, Access::Array);
    });
}

void TargetLuns::occupy(const TimedLun* one, ArrayOp kind, Picoseconds time)
{
    for (TimedLun& each : luns_) {
        if (!each.silent() && (one == nullptr || one == &each)) {
            start(each, each.lun.occupy(kind, time, begin_at()));
        }
    }
}

bool TargetLuns::protected_from(TimedLun& lun, u32 plane)
{
    if (!protect_) {
        return false;
    }
    lun.lun.refuse(plane);
    violate(onfi::Rule::WriteProtected, lun.index());
    return true;
}

void TargetLuns::set_protected(bool protect)
{
    protect_ = protect;
    for (TimedLun& each : luns_) {
        each.lun.set_protected(protect);
    }
}

} // namespace tlmssd::nand
