// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads and age of blocks.
#include "models/nand/store/block_history.h"

namespace tlmssd::nand {

namespace {

constexpr double kSecondsPerDay = 86400.0;
constexpr u32 kMostReads = ~u32{0};

} // namespace

BlockHistory::BlockHistory(const Geometry& geometry)
    : geometry_(geometry), reads_(u64{geometry.total_planes()} * geometry.blocks),
      programmed_(reads_.size()), first_(reads_.size())
{
}

void BlockHistory::on_read(const Place& place)
{
    u32& count = reads_[index(place)];
    count += count != kMostReads;
}

void BlockHistory::on_program(const Place& place, Picoseconds now)
{
    u64& when = programmed_[index(place)];
    if (when == 0) {
        when = now.value() + 1;
        first_[index(place)] = static_cast<u16>(place.page);
    }
}

void BlockHistory::on_erase(const Place& place)
{
    const u64 block = index(place);
    reads_[block] = 0;
    programmed_[block] = 0;
}

double BlockHistory::days(const Place& place, Picoseconds now, double retention_days) const
{
    const u64 block = index(place);
    const u64 when = programmed_[block];
    if (when == 0 || place.page < first_[block]) {
        return retention_days + now.seconds() / kSecondsPerDay;
    }
    return (now - Picoseconds(when - 1)).seconds() / kSecondsPerDay;
}

} // namespace tlmssd::nand
