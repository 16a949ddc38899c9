// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: from submission entries to commands in the back-end.
#include <algorithm>

#include "models/nvme_device/core/controller.h"

namespace tlmssd::nvme_device {

u64 Controller::ready_queues() const
{
    u64 ready = 0;
    for (u32 id = 1; id <= facts_.queue_pairs; ++id) {
        ready |= u64{queues_.fetchable(id)} << (id - 1);
    }
    return ready;
}

/// The admin queue first, one entry at a time; then I/O queues, while there are tags.
bool Controller::next_batch(Fetch& f)
{
    const u32 outstanding = open_count_ + claimed_;
    if (queues_.fetchable(0)) {
        f.sq = 0;
        f.count = outstanding < facts_.tags ? 1 : 0;
        return f.count != 0;
    }
    const u32 most = facts_.io_commands != 0 ? facts_.io_commands : facts_.tags - 1;
    if (outstanding >= most) {
        return false;
    }
    const Arbitration::Turn turn = arbitration_.next(ready_queues());
    if (turn.queue == Arbitration::kNone) {
        return false;
    }
    f.sq = turn.queue + 1;
    const SubmissionQueue& q = queues_.sq(f.sq);
    f.count = std::min({turn.most, q.waiting(), q.entries - q.asked, kMostFetched, most - outstanding});
    arbitration_.took(f.count);
    return true;
}

bool Controller::begin_fetch(Fetch& f)
{
    if (queues_.idle() || !running() || registers_.shut_down() || !next_batch(f)) {
        return false;
    }
    SubmissionQueue& q = queues_.sq(f.sq);
    f.address = q.base + u64{q.asked} * kSubmissionBytes;
    f.generation = generation_;
    queues_.ask(f.sq, f.count);
    q.outstanding += f.count;
    claimed_ += f.count;
    ++inside_;
    if (f.sq != 0) {
        ++counts_.fetches;
        counts_.commands += f.count;
    }
    return true;
}

void Controller::end_fetch(const Fetch& f, const u8* bytes, bool good)
{
    if (f.generation == generation_) {
        SubmissionQueue& q = queues_.sq(f.sq);
        if (good) {
            for (u32 i = 0; i < f.count; ++i) {
                q.head = q.head + 1 == q.entries ? 0 : q.head + 1;
                Entry& e = entries_.append();
                e.sq = f.sq;
                e.command = unpack_submission(bytes + i * kSubmissionBytes);
            }
        } else {
            claimed_ -= f.count;
            q.outstanding -= f.count;
            kill_sq(f.sq);
            try_delete(f.sq);
        }
    }
    leave();
}

bool Controller::reads_memory() const
{
    const Entry& e = entries_.front();
    if (e.sq == 0 || e.command.psdt() != 0 || e.command.opcode() == kDatasetManagement) {
        return true;
    }
    if (e.command.opcode() != kRead && e.command.opcode() != kWrite && e.command.opcode() != kCompare) {
        return false;
    }
    const u32 bytes = ((e.command.dw[12] & 0xffff) + 1) << name_space_.shift() << 9;
    return has_list(e.command, bytes);
}

/// The places of the data are not all in the command.
bool Controller::has_list(const Submission& c, u32 bytes) const
{
    if (c.psdt() != 0) {
        const u32 type = c.dw[9] >> 28;
        return type == 2 || type == 3; // a segment, the last one
    }
    const u32 page = registers_.page_bytes();
    return c.prp1() % page + bytes > 2 * page;
}

void Controller::execute()
{
    const Inside inside(*this);
    const Entry e = entries_.front(); // a reset inside drops them
    entries_.drop();
    --claimed_;
    SubmissionQueue& q = queues_.sq(e.sq);
    const Submission& c = e.command;
    if (q.uses(c.id())) {
        queue_completion(e.sq, c.id(), kIdConflict, 0, 0); // the identifier stays with the command that has it
        after_command(e.sq);
        return;
    }
    q.use(c.id());
    if (e.sq == 0) {
        execute_admin(c);
    } else {
        execute_io(e.sq, c);
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
    const bool nothing =
        (io.opcode == kFlush && !facts_.volatile_cache) || (io.opcode == kDatasetManagement && !io.deallocate);
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
        counts_.lists += has_list(c, io.bytes) ? 1 : 0;
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

/// The tag at this place of free_tags_ is free no longer.
void Controller::claim(u32 place)
{
    const u32 last = free_tags_.back();
    free_tags_[place] = last;
    place_[last] = place;
    free_tags_.pop_back();
}

/// With tags_by_id that of the command's identifier where it is free, so that a host with few identifiers finds its
/// own.
u32 Controller::take_tag(Kind kind, u32 sq, u16 id)
{
    const bool own = facts_.tags_by_id && sq != 0 && id < open_.size() && open_[id].kind == Kind::None;
    const u32 tag = own ? id : free_tags_.back();
    claim(place_[tag]);
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
    place_[tag] = static_cast<u32>(free_tags_.size());
    free_tags_.push_back(tag);
    if (--open_count_ == 0) {
        usage_.busy += backend_.now() - busy_since_;
    }
}

} // namespace tlmssd::nvme_device
