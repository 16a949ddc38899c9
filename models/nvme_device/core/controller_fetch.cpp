// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: from submission entries to commands in the back-end.
#include <algorithm>

#include "models/nvme_device/core/controller.h"

namespace tlmssd::nvme_device {

namespace {
constexpr u32 kMostFetched = 16; ///< entries in one read of host memory
} // namespace

u64 Controller::ready_queues() const
{
    u64 ready = 0;
    for (u32 id = 1; id <= facts_.queue_pairs; ++id) {
        ready |= u64{queues_.fetchable(id)} << (id - 1);
    }
    return ready;
}

/// The admin queue first, one entry at a time; then I/O queues, while there are tags. The last tag is for admin commands.
Controller::Batch Controller::next_batch()
{
    const u32 tags = static_cast<u32>(free_tags_.size());
    if (queues_.fetchable(0)) {
        return {0, tags == 0 ? 0u : 1u};
    }
    if (tags <= 1) {
        return {};
    }
    const Arbitration::Turn turn = arbitration_.next(ready_queues());
    if (turn.queue == Arbitration::kNone) {
        return {};
    }
    const SubmissionQueue& q = queues_.sq(turn.queue + 1);
    const u32 count = std::min({turn.most, q.waiting(), q.entries - q.head, kMostFetched, tags - 1});
    arbitration_.took(count);
    return {turn.queue + 1, count};
}

bool Controller::fetch()
{
    if (!running() || registers_.shut_down()) {
        return false;
    }
    const Batch batch = next_batch();
    if (batch.count == 0) {
        return false;
    }
    const Inside inside(*this);
    const u32 generation = generation_;
    SubmissionQueue& q = queues_.sq(batch.sq);
    u8 bytes[kMostFetched * kSubmissionBytes];
    const bool good = memory_.read(q.base + u64{q.head} * kSubmissionBytes, bytes, batch.count * kSubmissionBytes);
    if (generation != generation_) {
        return true;
    }
    if (!good) {
        kill_sq(batch.sq);
        return true;
    }
    for (u32 i = 0; i < batch.count && generation == generation_; ++i) {
        q.head = (q.head + 1) % q.entries;
        ++q.outstanding;
        execute(batch.sq, unpack_submission(bytes + i * kSubmissionBytes));
    }
    return true;
}

void Controller::execute(u32 sq, const Submission& c)
{
    SubmissionQueue& q = queues_.sq(sq);
    if (q.uses(c.id())) {
        queue_completion(sq, c.id(), kIdConflict, 0, 0); // the identifier stays with the command that has it
        after_command(sq);
        return;
    }
    q.use(c.id());
    if (sq == 0) {
        execute_admin(c);
    } else {
        execute_io(sq, c);
    }
}

void Controller::execute_admin(const Submission& c)
{
    const u32 generation = generation_;
    const AdminResult r = admin_.execute(c);
    if (generation != generation_) {
        return;
    }
    if (r.aborted) {
        complete(0, r.aborted_id, kAbortRequested);
    }
    switch (r.next) {
    case AdminResult::Next::Complete: complete(0, c.id(), r.status, r.result); break;
    case AdminResult::Next::Hold: break;
    case AdminResult::Next::DeleteSq: {
        SubmissionQueue& q = queues_.sq(r.value);
        arbitration_.remove(r.value - 1);
        q.deleting = true;
        q.deleted_by = c.id();
        try_delete(r.value);
        break;
    }
    case AdminResult::Next::Format:
        name_space_.formatting = format_waits_ = true; // settle() begins it
        format_ = r.value;
        format_id_ = c.id();
        break;
    case AdminResult::Next::Flush: advance(take_tag(Kind::Flush, 0, c.id())); break;
    }
    if (c.opcode() == kGetLogPage || c.opcode() == kAsyncEvent) {
        check_health();
    }
    deliver_events();
}

/// Trims everything; all commands before it have ended.
void Controller::begin_format()
{
    const u32 tag = take_tag(Kind::Format, 0, format_id_);
    open_[tag].sectors = name_space_.sectors;
    advance(tag);
}

void Controller::execute_io(u32 sq, const Submission& c)
{
    IoCommand io;
    Status status = parse_io(c, name_space_, facts_.transfer_pages * kMinPageBytes, io);
    if (status == kSuccess && (io.writes() || io.deallocate) && backend_.read_only()) {
        status = kWriteToReadOnly;
    }
    const bool cached = facts_.volatile_cache && features_.value(Features::kWriteCache) != 0;
    const bool nothing = (io.opcode == kFlush && !facts_.volatile_cache) || (io.opcode == kDatasetManagement && !io.deallocate);
    if (status != kSuccess || nothing) {
        complete(sq, c.id(), status, 0, io.lba);
        return;
    }
    static constexpr Kind kKinds[] = {Kind::Flush, Kind::Write,  Kind::Read, Kind::None,  Kind::None,
                                      Kind::Compare, Kind::None, Kind::None, Kind::Zeroes, Kind::Trim};
    const u32 tag = take_tag(kKinds[io.opcode], sq, c.id());
    Open& o = open_[tag];
    const u32 urgency = queues_.sq(sq).priority; // 0 urgent to 3 low
    o.priority = static_cast<u8>(arbitration_.weighted() ? 3 - urgency : 0);
    o.fua = io.reads() ? io.fua && facts_.volatile_cache : io.fua || !cached;
    const u32 generation = generation_;
    status = prepare(o, c, io);
    if (generation != generation_ || status != kSuccess) {
        const bool reset = generation != generation_;
        free_tag(tag);
        if (!reset) {
            complete(sq, c.id(), status, 0, io.lba);
        }
        return;
    }
    advance(tag);
}

/// Everything that has to be read from host memory before the command begins.
Status Controller::prepare(Open& o, const Submission& c, const IoCommand& io)
{
    const u32 generation = generation_;
    if (io.bytes != 0) {
        const Status status = find_data(memory_, c, io, registers_.page_bytes(), o.list);
        if (status != kSuccess || generation != generation_) {
            return status;
        }
    }
    if (io.opcode == kDatasetManagement) {
        const Status status = read_ranges(memory_, o.list, name_space_, o.ranges);
        std::reverse(o.ranges.begin(), o.ranges.end());
        return status;
    }
    o.first = o.lba = io.lba;
    o.sectors = io.sectors;
    return kSuccess;
}

u32 Controller::take_tag(Kind kind, u32 sq, u16 id)
{
    const u32 tag = free_tags_.back();
    free_tags_.pop_back();
    Open& o = open_[tag];
    o.kind = kind;
    o.sq = static_cast<u16>(sq);
    o.id = id;
    o.status = kSuccess;
    o.step = o.priority = 0;
    o.fua = o.orphan = o.submitting = o.again = false;
    o.first = o.lba = o.sectors = 0;
    o.list.clear();
    o.ranges.clear();
    if (open_count_++ == 0) {
        busy_since_ = backend_.now();
    }
    return tag;
}

void Controller::free_tag(u32 tag)
{
    open_[tag].kind = Kind::None;
    free_tags_.push_back(tag);
    if (--open_count_ == 0) {
        usage_.busy += backend_.now() - busy_since_;
    }
}

} // namespace tlmssd::nvme_device
