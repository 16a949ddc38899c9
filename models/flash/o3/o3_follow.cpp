// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: O3Core with cache operations: which operation gets the LUN behind the one that still has it.
#include "models/flash/o3/o3_core.h"

namespace tlmssd::flash {

bool O3Core::after(u32 tag, Picoseconds now, u32& next) const
{
    const u32 lun = entries_[tag].first_lun;
    if (ooo_) {
        const Lun& l = luns_[lun];
        const u32 station = l.pending == kNoStation ? pick(l, now) : kNoStation;
        next = station == kNoStation ? kNone : l.tag[station];
        return station != kNoStation && !details_[next].suspendable;
    }
    if (serial_ || waiting_.empty()) {
        return false;
    }
    next = waiting_.front();
    const Entry& e = entries_[next];
    return e.first_lun == lun && e.luns == 1 && (!e.fence || in_stream_[e.stream] == 0);
}

void O3Core::follow(u32 next)
{
    const Entry& e = entries_[next];
    const u8 all = static_cast<u8>(busy_[e.first_lun] + 1);
    if (ooo_) {
        leave_station(luns_[e.first_lun], details_[next].station);
        issued(next);
        work_ |= 1u << details_[next].channel; // the intake may go on
    } else {
        leave_queue(e);
    }
    busy_[e.first_lun] = all;
}

} // namespace tlmssd::flash
