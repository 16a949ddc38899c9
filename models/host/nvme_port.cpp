// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests as entries of submission queues, and what completion queues say of them.
#include "models/host/nvme_port.h"

#include <string>

#include "models/common/error.h"
#include "models/nvme/register_map.h"

namespace tlmssd::host {

using namespace nvme;
using Kind = Transfer::Kind;

namespace {

constexpr u32 kPageSectors = kMinPageBytes / 512;
constexpr u32 kNamespace = 1;
constexpr u32 kFuaBit = 30;       // of dword 12
constexpr u32 kDeallocateBit = 2; // of dword 11

u8 opcode_of(const hal_host_command& c)
{
    switch (c.opcode) {
    case HAL_HOST_READ: return kRead;
    case HAL_HOST_WRITE: return kWrite;
    case HAL_HOST_TRIM: return kDatasetManagement;
    default: return kFlush;
    }
}

} // namespace

NvmePort::NvmePort(sc_core::sc_module_name name, const config::Nvme& config, u32 sectors_per_unit, u32 tags)
    : sc_module(name), config_(config), unit_(sectors_per_unit), queues_(config.queues + 1), requests_(tags),
      begin_(tags, 0), end_(tags, 0), changes_(tags, 0)
{
    place_queues();
    blocked_.reserve(tags);
}

/// Open requests that must end before this one begins.
u32 NvmePort::count_overlaps(u32 tag) const
{
    const u64 begin = begin_[tag];
    const u64 end = end_[tag];
    const u32 changes = changes_[tag];
    u32 count = 0;
    for (std::size_t i = 0; i < begin_.size(); ++i) {
        count += (begin_[i] < end) & (begin < end_[i]) & ((changes | changes_[i]) != 0);
    }
    return count - (changes != 0 && begin < end ? 1 : 0); // itself
}

void NvmePort::submit_for_job(u32 job, const hal_host_command& command)
{
    const u32 tag = command.tag;
    Request& r = requests_[tag];
    r.command = command;
    r.queue = 1 + (config_.steer == config::NvmeSteer::Job ? job : turn_++) % config_.queues;
    begin_[tag] = command.lba / unit_ * unit_;
    end_[tag] = command.sectors == 0 ? begin_[tag] : (command.lba + command.sectors + unit_ - 1) / unit_ * unit_;
    changes_[tag] = command.opcode != HAL_HOST_READ;
    r.blockers = count_overlaps(tag);
    if (r.blockers != 0) {
        blocked_.push_back(static_cast<u16>(tag));
    } else {
        put(tag);
    }
}

/// Into its queue, where an entry is free. A queue holds one entry less than its size.
void NvmePort::put(u32 tag)
{
    Queue& q = queues_[requests_[tag].queue];
    if (q.open + 1 < q.entries && q.waiting.empty()) {
        write_entry(tag);
    } else {
        q.waiting.push(static_cast<u16>(tag));
    }
}

void NvmePort::write_entry(u32 tag)
{
    const hal_host_command& c = requests_[tag].command;
    Submission s;
    s.dw[0] = opcode_of(c) | tag << 16;
    s.dw[1] = kNamespace;
    if (c.opcode != HAL_HOST_FLUSH) {
        const bool trim = c.opcode == HAL_HOST_TRIM;
        const u32 first = trim ? 0 : static_cast<u32>(c.lba % kPageSectors) * 512;
        const u32 bytes = trim ? kRangeBytes : c.sectors * 512;
        const u64 buffer = buffer_of(tag);
        const u64 second = first + bytes <= kMinPageBytes       ? 0
                           : first + bytes <= 2 * kMinPageBytes ? buffer + kMinPageBytes
                                                                : list_of(tag);
        s.set_prp(buffer + first, second);
        if (trim) {
            s.dw[11] = 1u << kDeallocateBit; // of one range
        } else {
            s.dw[10] = static_cast<u32>(c.lba);
            s.dw[11] = static_cast<u32>(c.lba >> 32);
            const bool fua = c.opcode == HAL_HOST_WRITE && (c.flags & HAL_HOST_FUA); // a read's would flush before it
            s.dw[12] = (c.sectors - 1) | u32{fua} << kFuaBit;
        }
    }
    submit_entry(requests_[tag].queue, s);
}

void NvmePort::submit_entry(u32 number, const Submission& entry)
{
    Queue& q = queues_[number];
    pack(entry, at(q.submissions + u64{q.tail} * kSubmissionBytes, kSubmissionBytes));
    q.tail = q.tail + 1 == q.entries ? 0 : q.tail + 1;
    ++q.open;
    ring(Kind::SubmissionBell, submission_bell(number), q.tail);
}

void NvmePort::ring(Kind kind, u32 offset, u32 value)
{
    Transfer t;
    t.kind = kind;
    t.address = offset;
    t.value = value;
    t.bytes = 4;
    link_->ring(t);
}

/// Vector n announces completion queue n: all new entries in it, then one doorbell.
void NvmePort::on_interrupt(u32 number)
{
    Queue& q = queues_[number];
    Completion c;
    bool found = false;
    while (unpack(at(q.completions + u64{q.head} * kCompletionBytes, kCompletionBytes), c) == q.phase) {
        found = true;
        if (++q.head == q.entries) {
            q.head = 0;
            q.phase = !q.phase;
        }
        --q.open;
        ring(Kind::CompletionBell, completion_bell(number), q.head);
        if (number == 0) {
            admin_ = c;
            admin_ended_ = true;
        } else {
            on_completion(c);
        }
    }
    if (!found) {
        throw ModelError("nvme: an interrupt without a new entry in completion queue " + std::to_string(number));
    }
}

void NvmePort::on_completion(const Completion& c)
{
    if (c.id >= requests_.size() || requests_[c.id].command.opcode == 0 || requests_[c.id].queue != c.sq) {
        throw ModelError("nvme: a completion without a request in queue " + std::to_string(c.sq));
    }
    Queue& q = queues_[c.sq];
    if (!q.waiting.empty()) {
        write_entry(q.waiting.pop());
    }
    ended(c.id);
    client_->on_completed(c.id, c.status == kSuccess ? HAL_HOST_OK : HAL_HOST_ERROR);
}

/// Requests that it has held back may go.
void NvmePort::ended(u32 tag)
{
    const u64 begin = begin_[tag];
    const u64 end = end_[tag];
    const bool changes = changes_[tag] != 0;
    requests_[tag].command.opcode = 0;
    begin_[tag] = end_[tag] = 0;
    changes_[tag] = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < blocked_.size(); ++i) {
        const u16 other = blocked_[i];
        if (begin_[other] < end && begin < end_[other] && (changes || changes_[other] != 0) &&
            --requests_[other].blockers == 0) {
            put(other);
        } else {
            blocked_[kept++] = other;
        }
    }
    blocked_.resize(kept);
}

} // namespace tlmssd::host
