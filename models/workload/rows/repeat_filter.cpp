// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: finds rows that repeat one shortly before them (workload.dedup_us).
#include "models/workload/rows/repeat_filter.h"

#include "models/common/hash.h"

namespace tlmssd::workload {

void RepeatFilter::forget_oldest()
{
    // The oldest entry is the last of its slot's list.
    u32* link = &slots_[ring_[first_].slot];
    while (*link != first_) {
        link = &ring_[*link].older;
    }
    *link = kNone;
    first_ = (first_ + 1) % kRows;
    --count_;
}

bool RepeatFilter::repeats(const Row& row)
{
    if (ring_.empty()) {
        ring_.resize(kRows);
        slots_.assign(kRows, kNone);
    }
    while (count_ > 0 && row.time - ring_[first_].time > window_) {
        forget_oldest();
    }
    Entry entry;
    entry.time = row.time;
    entry.device = row.device;
    entry.lba = row.lba;
    entry.sectors = row.sectors;
    entry.what = static_cast<u32>(row.kind) << 2 | (row.fua ? 2u : 0u) | (row.preflush ? 1u : 0u);
    entry.slot = static_cast<u32>(
        draw_below(draw64(entry.device, entry.lba, entry.sectors << 8 | entry.what), kRows));
    bool found = false;
    for (u32 at = slots_[entry.slot]; at != kNone && !found; at = ring_[at].older) {
        const Entry& old = ring_[at];
        found = old.lba == entry.lba && old.sectors == entry.sectors &&
                old.device == entry.device && old.what == entry.what;
    }
    if (count_ == kRows) {
        forget_oldest();
    }
    entry.older = slots_[entry.slot];
    const u32 place = (first_ + count_) % kRows;
    ring_[place] = entry;
    slots_[entry.slot] = place;
    ++count_;
    return found;
}

} // namespace tlmssd::workload
