// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the back-end's side of an NVMe controller: data, ends, completion entries.
#include <algorithm>
#include <array>
#include <cstring>

#include "models/nvme_device/core/controller.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kMostSectors = 65536; ///< of a command of the back-end

u16 failure_of(Op op)
{
    return op == Op::Read ? kUnrecoveredRead : op == Op::Write ? kWriteFault : kInternalError;
}

} // namespace

/// The next command of the back-end; false: there is none, or it makes no sense any more.
bool Controller::next_step(Open& o, BackendCommand& c) const
{
    if (o.status != kSuccess || o.orphan) {
        return false;
    }
    c.priority = o.priority;
    switch (o.kind) {
    case Kind::Flush:
    case Kind::Shutdown:
        c.op = Op::Flush;
        return o.step == 0;
    case Kind::Read:
    case Kind::Compare:
        if (o.fua && o.step == 0) { // from the flash: it has to be there
            c.op = Op::Flush;
            return true;
        }
        c.op = Op::Read;
        break;
    case Kind::Write:
    case Kind::Zeroes:
        c.op = Op::Write;
        c.fua = o.fua;
        break;
    default:
        c.op = Op::Trim;
        if (o.sectors == 0 && !o.ranges.empty()) {
            o.lba = o.ranges.back().lba;
            o.sectors = o.ranges.back().sectors;
            o.ranges.pop_back();
        }
        break;
    }
    if (o.sectors == 0) {
        return false;
    }
    c.lba = o.lba;
    c.sectors = static_cast<u32>(std::min<u64>(o.sectors, kMostSectors));
    o.lba += c.sectors;
    o.sectors -= c.sectors;
    return true;
}

void Controller::advance(u32 tag)
{
    Open& o = open_[tag];
    do {
        BackendCommand command;
        command.tag = tag;
        if (!next_step(o, command)) {
            finish(tag);
            return;
        }
        ++o.step;
        o.op = command.op;
        o.again = false;
        o.submitting = true;
        backend_.submit(command);
        o.submitting = false;
    } while (o.again);
}

void Controller::ended(u32 tag, bool good)
{
    Open& o = open_[tag];
    if (!good && o.status == kSuccess) {
        o.status = failure_of(o.op);
    }
    if (o.submitting) {
        o.again = true;
    } else {
        advance(tag);
    }
}

void Controller::finish(u32 tag)
{
    const Open& o = open_[tag];
    const Kind kind = o.kind;
    const bool orphan = o.orphan;
    const u16 status = o.status;
    const u32 sq = o.sq;
    const u16 id = o.id;
    const u64 lba = o.first;
    if (status == kSuccess && !orphan) {
        count(o);
    }
    free_tag(tag);
    if (!orphan && kind == Kind::Shutdown) {
        registers_.end_shutdown();
    } else if (!orphan) {
        if (kind == Kind::Format) {
            name_space_.formatting = false;
            name_space_.format = status == kSuccess ? format_ : name_space_.format;
        }
        complete(sq, id, status, 0, lba);
        if (status != kSuccess) {
            check_health();
        }
    }
    settle();
}

void Controller::count(const Open& o)
{
    if (o.kind == Kind::Read || o.kind == Kind::Compare) {
        ++usage_.reads;
        usage_.read_sectors += o.list.bytes() / 512;
    } else if (o.kind == Kind::Write) {
        ++usage_.writes;
        usage_.written_sectors += o.list.bytes() / 512;
    }
}

void Controller::complete(u32 sq, u16 id, u16 status, u32 result, u64 lba)
{
    queues_.sq(sq).free(id);
    queue_completion(sq, id, status, result, lba);
    after_command(sq);
}

void Controller::queue_completion(u32 sq, u16 id, u16 status, u32 result, u64 lba)
{
    Completion c;
    c.result = result;
    c.sq = static_cast<u16>(sq);
    c.id = id;
    c.status = status;
    if (status != kSuccess) {
        const bool final = !is_transient(status) && status != kCompareFailure;
        c.status = static_cast<u16>(c.status | (final ? kDoNotRetry : 0));
        if (status != kAbortRequested && status != kCompareFailure) {
            c.status |= kMore;
            ErrorEntry entry;
            entry.sq = c.sq;
            entry.id = id;
            entry.status = c.status;
            entry.lba = lba >> name_space_.shift();
            entry.nsid = sq == 0 ? 0 : 1;
            logs_.add_error(entry);
        }
    }
    CompletionQueue& cq = queues_.cq(queues_.sq(sq).cq);
    if (!cq.dead) {
        cq.pending.push(c);
        ++pending_;
    }
}

void Controller::after_command(u32 sq)
{
    --queues_.sq(sq).outstanding;
    try_delete(sq);
}

/// The last command of a queue that is being deleted has ended: its completion comes first, then that of the deletion.
void Controller::try_delete(u32 sq)
{
    const SubmissionQueue& q = queues_.sq(sq);
    if (q.deleting && q.outstanding == 0) {
        const u16 id = q.deleted_by;
        queues_.delete_sq(sq);
        complete(0, id, kSuccess);
    }
}

/// Its entries cannot be read. It stands still until it is deleted, the others go on; without the admin queue nothing
/// goes on.
void Controller::kill_sq(u32 sq)
{
    queues_.sq(sq).dead = true;
    if (sq == 0) {
        registers_.set_failed();
        return;
    }
    ErrorEntry entry;
    entry.sq = static_cast<u16>(sq);
    entry.status = kDataTransferError;
    report(event::kPersistentError, entry);
}

void Controller::kill_cq(u32 id)
{
    CompletionQueue& q = queues_.cq(id);
    q.dead = true;
    q.pending = Fifo<Completion>(8);
    if (id == 0) {
        registers_.set_failed();
        return;
    }
    ErrorEntry entry;
    entry.status = kDataTransferError;
    report(event::kPersistentError, entry);
}

void Controller::check_health()
{
    const u8 warning = LogPages::critical_warning(backend_.health(), backend_.read_only());
    const u8 fresh = static_cast<u8>(warning & ~warned_ & features_.value(Features::kAsyncEvents));
    warned_ |= fresh;
    if (fresh & 1) {
        events_.report(event::kSpare);
    }
    if (fresh & ~1) {
        events_.report(event::kReliability);
    }
    if (fresh != 0) {
        deliver_events();
    }
}

CompletionQueue* Controller::next_posting(u32& id)
{
    const u32 queues = facts_.queue_pairs + 1;
    for (u32 i = 0; i < queues; ++i) {
        id = (post_turn_ + i) % queues;
        CompletionQueue& q = queues_.cq(id);
        if (q.exists && !q.pending.empty() && !q.full()) {
            post_turn_ = id + 1;
            return &q;
        }
    }
    return nullptr;
}

bool Controller::begin_post(Post& p)
{
    if (pending_ == 0 || !running()) {
        return false;
    }
    CompletionQueue* const q = next_posting(p.cq);
    if (q == nullptr) {
        return false;
    }
    --pending_;
    Completion c = q->pending.pop();
    c.sq_head = static_cast<u16>(queues_.sq(c.sq).head); // 0 where the queue has been deleted
    pack(c, q->phase, p.bytes.data());
    p.address = q->base + u64{q->tail} * kCompletionBytes;
    p.generation = generation_;
    p.creation = q->generation;
    if (++q->tail == q->entries) {
        q->tail = 0;
        q->phase = !q->phase;
    }
    counts_.completions += p.cq != 0;
    ++inside_;
    return true;
}

void Controller::announce(const Post& p)
{
    const CompletionQueue& q = queues_.cq(p.cq);
    if (q.interrupts) {
        interrupts_.posted(q.vector, p.cq == 0, backend_.now());
    }
}

void Controller::end_post(const Post& p, bool good)
{
    const CompletionQueue& q = queues_.cq(p.cq);
    if (!good && p.generation == generation_ && q.exists && q.generation == p.creation) {
        kill_cq(p.cq);
    }
    leave();
}

Controller::Move Controller::begin_data(u32 tag)
{
    ++inside_;
    const Open& o = open_[tag];
    if (o.status != kSuccess || o.orphan) {
        return Move::Nothing;
    }
    switch (o.kind) {
    case Kind::Read: return Move::ToHost;
    case Kind::Compare: return Move::Compare;
    case Kind::Zeroes: return Move::Zeroes;
    default: return Move::FromHost;
    }
}

void Controller::compare(u32 tag, u32 offset, const u8* data, u32 bytes)
{
    Open& o = open_[tag];
    const auto differs = [&](const Segment& s, u32 done) {
        std::array<u8, kMinPageBytes> part;
        for (u32 at = 0; at < s.bytes && !o.orphan; at += kMinPageBytes) {
            const u32 now = std::min(s.bytes - at, kMinPageBytes);
            if (!memory_.read(s.address + at, part.data(), now)) {
                return false;
            }
            if (std::memcmp(part.data(), data + done + at, now) != 0) {
                o.status = kCompareFailure;
                return true;
            }
        }
        return true;
    };
    if (o.status == kSuccess && !o.list.for_range(offset, bytes, differs)) {
        o.status = kDataTransferError;
    }
}

bool Controller::end_data(u32 tag, bool good)
{
    Open& o = open_[tag];
    if (!good && o.status == kSuccess) {
        o.status = kDataTransferError;
    }
    const bool use = o.status == kSuccess && !o.orphan;
    leave();
    return use;
}

} // namespace tlmssd::nvme_device
