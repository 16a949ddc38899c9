// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the fake flash's rules of aborts: which operations may end so, and when.
#include <gtest/gtest.h>

#include "tb/rtl/fake_flash.h"

namespace tlmssd::tb {

using flash::Phase;

void FakeFlash::abort_operation(u32 tag, bool on)
{
    if (tag >= abort_tags_.size()) {
        return; // finds none
    }
    abort_tags_[tag] = on;
    if (on && op_of_tag_[tag] >= 0) {
        ops_[static_cast<u32>(op_of_tag_[tag])].may_abort = true;
    }
}

void FakeFlash::abort_channels(u64 channels)
{
    abort_channels_ = channels;
    for (u32 i = oldest_; i < ops_.size(); ++i) {
        ops_[i].may_abort = ops_[i].may_abort || (channels >> ops_[i].op.channel & 1) != 0;
    }
}

/// Not on the bus, and no die works for it or waits for more of it: nothing of it has begun but a level of read retry,
/// or it is a read whose next segment is a burst, or the command of a plane that is read again.
bool FakeFlash::can_be_aborted(u32 index) const
{
    const Op& entry = ops_[index];
    if (!entry.may_abort || !entry.legal || entry.bus_over || entry.op.opcode == FLASH_OP_RESET ||
        bus_op_[entry.op.channel] == static_cast<int>(index)) {
        return false;
    }
    if (entry.seen.size() == entry.plan.size()) {
        return false; // until ECC's verdict
    }
    const Step& next = entry.plan[entry.seen.size()];
    const bool begins = (next.phase == Phase::Command || next.phase == Phase::DataIn) && (next.plane == 0 || next.level != 0);
    return (begins || next.phase == Phase::DataOut) && (entry.seen.empty() || ready_[rules_.lun_of(entry.op)]);
}

/// It ends so: its completion says it, or the LUN goes on to something else.
void FakeFlash::abort(u32 index)
{
    EXPECT_TRUE(can_be_aborted(index)) << "operation " << index << " is not to be aborted, or not now";
    Op& entry = ops_[index];
    entry.aborted = entry.bus_over = true;
    entry.over_at = now_;
    int& holder = holder_[rules_.lun_of(entry.op)];
    if (holder == static_cast<int>(index)) {
        holder = -1;
    }
    see("aborted before its first segment", entry.seen.empty());
    const Step& next = entry.plan[entry.seen.size()];
    see("aborted before its first burst", next.phase == Phase::DataOut && next.plane == 0 && next.level == 0);
    see("aborted between its bursts", next.phase == Phase::DataOut && next.plane != 0 && next.level == 0);
}

} // namespace tlmssd::tb
