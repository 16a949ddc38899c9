// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: creation and deletion of NVMe queues.
#include "models/nvme_device/core/queues.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kIds = 65536;

SubmissionQueue new_sq(u64 base, u32 entries)
{
    SubmissionQueue q;
    q.exists = true;
    q.base = base;
    q.entries = entries;
    q.ids.assign(kIds / 64, 0);
    return q;
}

CompletionQueue new_cq(u64 base, u32 entries, u32 generation)
{
    CompletionQueue q;
    q.exists = true;
    q.base = base;
    q.entries = entries;
    q.generation = generation;
    return q;
}

} // namespace

void Queues::clear()
{
    for (u32 i = 0; i < kQueues; ++i) {
        sqs_[i] = SubmissionQueue();
        cqs_[i] = CompletionQueue();
    }
    waiting_ = 0;
}

void Queues::create_admin(u64 sq, u32 sq_entries, u64 cq, u32 cq_entries)
{
    sqs_[0] = new_sq(sq, sq_entries);
    cqs_[0] = new_cq(cq, cq_entries, ++generation_);
    cqs_[0].interrupts = true;
    cqs_[0].submissions = 1;
}

/// The fields that both commands share.
Status Queues::check_new(const Submission& c, u32 page_bytes, bool entry_sizes_right) const
{
    const u32 size = c.dw[10] >> 16; // counts from 0
    if (!is_io(c.dw[10] & 0xffff)) {
        return kInvalidQueueId;
    }
    if (size == 0 || size >= most_entries_ || !entry_sizes_right) {
        return kInvalidQueueSize;
    }
    if ((c.dw[11] & 1) == 0) { // CAP.CQR: contiguous only
        return kInvalidField;
    }
    return c.prp1() % page_bytes != 0 ? kInvalidPrpOffset : kSuccess;
}

Status Queues::create_cq(const Submission& c, u32 page_bytes, bool entry_sizes_right)
{
    const u32 id = c.dw[10] & 0xffff;
    if (is_io(id) && cqs_[id].exists) {
        return kInvalidQueueId;
    }
    if (const Status status = check_new(c, page_bytes, entry_sizes_right); status != kSuccess) {
        return status;
    }
    const u32 vector = c.dw[11] >> 16;
    if (vector >= vectors_) {
        return kInvalidVector;
    }
    cqs_[id] = new_cq(c.prp1(), (c.dw[10] >> 16) + 1, ++generation_);
    cqs_[id].interrupts = c.dw[11] >> 1 & 1;
    cqs_[id].vector = static_cast<u16>(vector);
    return kSuccess;
}

Status Queues::create_sq(const Submission& c, u32 page_bytes, bool entry_sizes_right)
{
    const u32 id = c.dw[10] & 0xffff;
    if (is_io(id) && sqs_[id].exists) {
        return kInvalidQueueId;
    }
    if (const Status status = check_new(c, page_bytes, entry_sizes_right); status != kSuccess) {
        return status;
    }
    const u32 cq = c.dw[11] >> 16;
    if (!is_io(cq)) {
        return kInvalidQueueId;
    }
    if (!cqs_[cq].exists) {
        return kCompletionQueueInvalid;
    }
    sqs_[id] = new_sq(c.prp1(), (c.dw[10] >> 16) + 1);
    sqs_[id].cq = static_cast<u16>(cq);
    sqs_[id].priority = static_cast<u8>(c.dw[11] >> 1 & 3);
    ++cqs_[cq].submissions;
    return kSuccess;
}

Status Queues::check_delete_sq(u32 id) const
{
    return is_io(id) && sqs_[id].exists && !sqs_[id].deleting ? kSuccess : kInvalidQueueId;
}

void Queues::delete_sq(u32 id)
{
    --cqs_[sqs_[id].cq].submissions;
    waiting_ -= sqs_[id].waiting(); // id is not 0
    sqs_[id] = SubmissionQueue();
}

Status Queues::delete_cq(u32 id)
{
    if (!is_io(id) || !cqs_[id].exists) {
        return kInvalidQueueId;
    }
    if (cqs_[id].submissions != 0) {
        return kInvalidQueueDeletion;
    }
    cqs_[id] = CompletionQueue();
    return kSuccess;
}

bool Queues::any_io() const
{
    for (u32 i = 1; i < kQueues; ++i) {
        if (sqs_[i].exists || cqs_[i].exists) {
            return true;
        }
    }
    return false;
}

Bell Queues::ring_sq(u32 id, u32 tail)
{
    if (!has_sq(id)) {
        return Bell::NoQueue;
    }
    if (tail >= sqs_[id].entries) {
        return Bell::BadValue;
    }
    SubmissionQueue& q = sqs_[id];
    const u32 before = q.waiting();
    q.tail = tail;
    if (id != 0) {
        waiting_ += q.waiting() - before;
    }
    return Bell::Good;
}

void Queues::ask(u32 id, u32 count)
{
    SubmissionQueue& q = sqs_[id];
    q.asked = q.asked + count == q.entries ? 0 : q.asked + count; // no read passes the end
    if (id != 0) {
        waiting_ -= count;
    }
}

Bell Queues::ring_cq(u32 id, u32 head)
{
    if (!has_cq(id)) {
        return Bell::NoQueue;
    }
    CompletionQueue& q = cqs_[id];
    if (head >= q.entries || (head + q.entries - q.head) % q.entries > q.unread()) {
        return Bell::BadValue;
    }
    q.head = head;
    return Bell::Good;
}

bool Queues::fetchable(u32 id) const
{
    const SubmissionQueue& q = sqs_[id];
    if (!q.exists || q.dead || q.deleting || q.asked == q.tail) {
        return false;
    }
    const CompletionQueue& c = cqs_[q.cq];
    return !c.dead && (c.pending.empty() || !c.full());
}

} // namespace tlmssd::nvme_device
