// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: queue pairs in host memory.
#include "models/host/nvme_port.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::host {

using namespace nvme;

namespace {

constexpr u64 kBufferBytes = u64{kMaxSectors} * 512 + kPageBytes; // of a tag, in host memory
constexpr u64 kBuffers = u64{1} << 40;                            // first of them
constexpr u64 kLists = u64{1} << 39;                              // PRP lists: 128 pages a tag
constexpr u64 kListBytes = 128 * kPageBytes;

} // namespace

NvmePort::NvmePort(sc_core::sc_module_name name, const config::Nvme& config, u32 sectors_per_unit, u32 tags)
    : sc_module(name), unit_(sectors_per_unit), steer_(config.steer), queues_(config.queues), requests_(tags),
      begin_(tags, 0), end_(tags, 0), changes_(tags, 0)
{
    for (Queue& queue : queues_) {
        queue.submissions.resize(config.queue_entries);
        queue.completions.resize(config.queue_entries);
    }
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
    const u32 queues = static_cast<u32>(queues_.size());
    r.command = command;
    r.queue = steer_ == config::NvmeSteer::Job ? job % queues : turn_++ % queues;
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

/// Into its queue, where there is room. A queue holds one entry less than its size.
void NvmePort::put(u32 tag)
{
    Queue& q = queues_[requests_[tag].queue];
    if (q.open + 1 < q.submissions.size() && q.waiting.empty()) {
        write_entry(tag);
    } else {
        q.waiting.push(static_cast<u16>(tag));
    }
}

void NvmePort::write_entry(u32 tag)
{
    const hal_host_command& c = requests_[tag].command;
    const u32 number = requests_[tag].queue;
    Queue& q = queues_[number];
    Command entry;
    entry.opcode = c.opcode == HAL_HOST_READ    ? kRead
                   : c.opcode == HAL_HOST_WRITE ? kWrite
                   : c.opcode == HAL_HOST_TRIM  ? kDatasetManagement
                                                : kFlush;
    entry.id = static_cast<u16>(tag);
    if (c.opcode != HAL_HOST_FLUSH) {
        const u32 first = c.opcode == HAL_HOST_TRIM ? 0 : static_cast<u32>(c.lba % kPageSectors) * 512;
        const u32 bytes = c.opcode == HAL_HOST_TRIM ? kRangeBytes : c.sectors * 512;
        const u64 buffer = kBuffers + tag * kBufferBytes;
        entry.prp1 = buffer + first;
        entry.prp2 = pages_of(first, bytes) <= 1    ? 0
                     : pages_of(first, bytes) == 2  ? buffer + kPageBytes
                                                    : kLists + tag * kListBytes;
    }
    entry.lba = c.lba;
    entry.sectors = c.sectors;
    entry.fua = c.flags & HAL_HOST_FUA;
    entry.deallocate = c.opcode == HAL_HOST_TRIM;
    q.submissions[q.tail] = encode(entry);
    q.tail = (q.tail + 1) % static_cast<u32>(q.submissions.size());
    ++q.open;
    Transfer bell;
    bell.kind = Transfer::Kind::SubmissionBell;
    bell.queue = static_cast<u16>(number);
    bell.value = q.tail;
    link_->ring(bell);
}

void NvmePort::on_arrival(const Transfer& transfer)
{
    if (transfer.kind == Transfer::Kind::ReadData) {
        return; // the port hands them over with their tags
    }
    if (transfer.kind != Transfer::Kind::Completion) {
        throw ModelError("nvme: the host got a transfer that is for the device");
    }
    const u32 number = transfer.queue;
    Queue& q = queues_[number];
    const Completion c = decode(q.completions[q.head]);
    if (c.phase != q.phase || c.queue != number || c.id >= requests_.size() ||
        requests_[c.id].command.opcode == 0) {
        throw ModelError("nvme: an interrupt without a new entry in completion queue " + std::to_string(number));
    }
    if (++q.head == q.completions.size()) {
        q.head = 0;
        q.phase = !q.phase;
    }
    --q.open;
    Transfer bell;
    bell.kind = Transfer::Kind::CompletionBell;
    bell.queue = static_cast<u16>(number);
    bell.value = q.head;
    link_->ring(bell);
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
