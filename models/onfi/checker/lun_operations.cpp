// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads, programs and erases of a LUN, and the bursts of its page data.
#include <algorithm>

#include "models/onfi/checker/lun_sequence.h"

namespace tlmssd::onfi {

void LunSequence::read(ObservedSegment& seen, const RowAddress& row, u8 byte)
{
    const Array through = byte == 0x31 || byte == 0x32 ? Array::Reading : Array::Idle;
    if (!usable(seen, through)) {
        return;
    }
    seen.sequence.deliver_page();
    if (barred(seen, Busy::Read, row)) {
        return;
    }
    if (byte == 0x31 && registers_.loaded() == 0 && !unknown_) {
        seen.report(Rule::CacheState, by_);
        return;
    }
    gather(seen, Busy::Read, row);
    registers_.select(row.plane);
    if (byte == 0x31) {
        start_cache_read(seen, planes_ & ~bad_, row.page);
        return;
    }
    registers_.drop(row.plane);
    registers_.set_column(seen.sequence.column());
    if (byte == 0x32) {
        start_queue(seen);
        return;
    }
    const bool copyback = byte == 0x35;
    array_ = Array::Idle;
    registers_.begin_read(copyback);
    start(seen, Busy::Read, seen.end + limits_.array.read);
    if (copyback) {
        registers_.set_copy_by(by_);
    }
}

void LunSequence::cache_read(ObservedSegment& seen, u8 byte)
{
    if (!usable(seen, Array::Reading)) {
        return;
    }
    seen.sequence.deliver_page();
    const u32 next_page = registers_.read_page() + 1;
    const bool possible = byte == 0x3f ? registers_.caching()
                                       : registers_.loaded() != 0 && planes_ == 0 &&
                                             next_page < limits_.pages;
    if (!possible && !unknown_) {
        seen.report(Rule::CacheState, by_);
        return;
    }
    if (byte == 0x31) {
        for (u32 left = registers_.loaded(); left != 0; left &= left - 1) {
            const u32 plane = static_cast<u32>(__builtin_ctz(left));
            if (touches(plane, block_[plane], next_page)) {
                seen.report(Rule::SuspendState, waiting_.by);
                return;
            }
        }
        start_cache_read(seen, registers_.loaded(), next_page);
        return;
    }
    const u64 fetched = array_ == Array::Reading ? array_until_ : 0;
    array_ = Array::Idle;
    registers_.begin_cache_end();
    start(seen, Busy::CacheEnd, std::max(seen.end + limits_.array.read_cache, fetched));
}

/// The page registers move to the cache registers when the array has filled them; then it goes on
/// with page `page` of the planes `next`.
void LunSequence::start_cache_read(ObservedSegment& seen, u32 next, u32 page)
{
    const u64 fetched = array_ == Array::Reading ? array_until_ : 0;
    registers_.begin_cache_read(next, page);
    array_ = Array::Reading;
    array_until_ = std::max(seen.end, fetched) + limits_.array.read;
    start(seen, Busy::CacheRead, std::max(seen.end + limits_.array.read_cache, fetched));
}

/// 11h, 32h, D1h: tDBSY.
void LunSequence::start_queue(ObservedSegment& seen)
{
    start(seen, Busy::Queue, seen.end + limits_.array.queue);
    queued_ = by_;
}

/// Add a plane to a (multi-plane) operation: same kind, same page offset, each plane once; the
/// same block where the part asks for it.
bool LunSequence::gather(ObservedSegment& seen, Busy kind, const RowAddress& row)
{
    const u32 bit = 1u << row.plane;
    const u32 page = kind == Busy::Erase ? 0 : row.page;
    bool legal = true;
    if (planes_ == 0) {
        bad_ = 0;
        page_ = page;
    } else {
        const u32 other = static_cast<u32>(__builtin_ctz(planes_));
        legal = gathered_ == kind && page_ == page && (planes_ & bit) == 0 &&
                (!limits_.block_restriction || block_[other] == row.block);
    }
    if (!legal) {
        seen.report(Rule::MultiPlane, queued_);
        bad_ |= planes_ | bit;
    }
    gathered_ = kind;
    planes_ |= bit;
    block_[row.plane] = row.block;
    return legal;
}

bool LunSequence::begin_program(const ObservedSegment& seen, u32 plane)
{
    registers_.set_cleared(seen.sequence.opened);
    if (planes_ != 0 && gathered_ == Busy::Program) {
        registers_.drop(plane);
        return false;
    }
    registers_.drop_all();
    return true;
}

void LunSequence::lose_registers(const Cycle& by)
{
    registers_.set_cleared(by);
    registers_.drop_with_loading();
    bad_ |= gathered_ == Busy::Read ? planes_ : 0;
}

void LunSequence::mark_programmed()
{
    for (u32 left = planes_ & ~bad_; left != 0; left &= left - 1) {
        const u32 plane = static_cast<u32>(__builtin_ctz(left));
        pages_.program(pages_.block_at(place_.die, plane, block_[plane]), page_);
    }
}

/// Does a suspended operation need this page? An erase needs its whole block.
bool LunSequence::touches(u32 plane, u32 block, u32 page) const
{
    if (suspended_ == Busy::No) {
        return false;
    }
    return ((waiting_.planes >> plane) & 1) != 0 && waiting_.block[plane] == block &&
           (suspended_ == Busy::Erase || waiting_.page == page);
}

bool LunSequence::barred(ObservedSegment& seen, Busy kind, const RowAddress& row)
{
    if (suspended_ == Busy::No) {
        return false;
    }
    const u32 page = kind == Busy::Program ? waiting_.page : row.page;
    if (kind != Busy::Erase && !(kind == Busy::Program && suspended_ == Busy::Program) &&
        !touches(row.plane, row.block, page)) {
        return false;
    }
    seen.report(Rule::SuspendState, waiting_.by);
    return true;
}

void LunSequence::program(ObservedSegment& seen, const RowAddress& row, u8 byte)
{
    const CommandSequence& sequence = seen.sequence;
    if (byte == 0x15 && sequence.opener == 0x85) {
        seen.report(Rule::CacheState, sequence.opened);
        return;
    }
    seen.sequence.status = false;
    gather(seen, Busy::Program, row);
    const u64 block = pages_.block_at(place_.die, row.plane, row.block);
    if (relearn_) {
        pages_.believe(block, row.page);
    } else if (const Rule rule = pages_.judge(block, row.page); rule != Rule::None) {
        seen.report(rule, sequence.opened);
        bad_ |= 1u << row.plane;
    }
    registers_.drop(row.plane);
    registers_.end_caching();
    if (byte == 0x11) {
        start_queue(seen);
        return;
    }
    mark_programmed();
    const u64 free_at = array_ == Array::Programming ? array_until_ : 0;
    const u64 done_at = std::max(seen.end, free_at) + limits_.array.program;
    if (byte == 0x10) {
        array_ = Array::Idle;
        start(seen, Busy::Program, done_at);
    } else {
        array_ = Array::Programming;
        array_until_ = done_at;
        start(seen, Busy::CacheProgram,
              std::max(seen.end + limits_.array.program_cache, free_at));
    }
}

void LunSequence::erase(ObservedSegment& seen, const RowAddress& row, bool queue)
{
    if (!usable(seen, Array::Idle) || barred(seen, Busy::Erase, row)) {
        return;
    }
    seen.sequence.deliver_page();
    gather(seen, Busy::Erase, row);
    registers_.drop(row.plane);
    registers_.end_caching();
    if (queue) {
        start_queue(seen);
    } else {
        start(seen, Busy::Erase, seen.end + limits_.array.erase);
    }
}

void LunSequence::burst_out(ObservedSegment& seen)
{
    if (!usable(seen, seen.first_cycle, array_)) {
        refuse(seen, seen.burst());
        return;
    }
    if (unknown_ || seen.sequence.registers) {
        return;
    }
    if (!registers_.readable()) {
        const Cycle& cleared = registers_.cleared();
        const bool after = cleared.kind != CycleKind::None && cleared.at > by_.at;
        seen.report(Rule::NoData, after ? cleared : by_);
        return;
    }
    if (registers_.column() + seen.segment.data_bytes > limits_.physical_bytes) {
        seen.report(Rule::BurstLength, seen.sequence.opened);
        return;
    }
    registers_.move_column(seen.segment.data_bytes);
}

} // namespace tlmssd::onfi
