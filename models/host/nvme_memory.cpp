// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host memory of an NVMe driver. Queues are bytes; PRP lists and ranges follow from the request of their tag;
// the data are the workload's.
#include <algorithm>
#include <cstring>
#include <string>

#include "models/common/error.h"
#include "models/host/nvme_port.h"
#include "models/nvme/bytes.h"
#include "models/nvme/register_map.h"

namespace tlmssd::host {

using namespace nvme;

namespace {

constexpr u32 kMaxSectors = 65536;                                    // NLB has 16 bits and counts from 0
constexpr u64 kQueues = u64{1} << 38;                                 // admin page, then queue pairs
constexpr u64 kLists = u64{1} << 39;                                  // PRP lists
constexpr u64 kListBytes = 32 * kMinPageBytes;                        // of a tag
constexpr u64 kBuffers = u64{1} << 40;                                // data
constexpr u64 kBufferBytes = u64{kMaxSectors} * 512 + kMinPageBytes; // of a tag, from the start of a page
constexpr u32 kAdminEntries = 16;
constexpr u32 kPointers = kMinPageBytes / 8; // in a page of a list

u64 whole_pages(u64 bytes) { return (bytes + kMinPageBytes - 1) / kMinPageBytes * kMinPageBytes; }

} // namespace

void NvmePort::place_queues()
{
    u64 next = kQueues + kMinPageBytes;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        Queue& q = queues_[i];
        q.entries = i == 0 ? kAdminEntries : config_.queue_entries;
        q.submissions = next;
        q.completions = next + whole_pages(u64{q.entries} * kSubmissionBytes);
        next = q.completions + whole_pages(u64{q.entries} * kCompletionBytes);
    }
    memory_.assign(next - kQueues, 0);
}

u64 NvmePort::buffer_of(u32 tag) { return kBuffers + tag * kBufferBytes; }
u64 NvmePort::list_of(u32 tag) { return kLists + tag * kListBytes; }

/// Of queues, and the page of admin commands.
u8* NvmePort::at(u64 address, u32 bytes)
{
    if (address < kQueues || address + bytes > kQueues + memory_.size()) {
        throw ModelError("nvme: the device uses host memory at " + std::to_string(address) + ", which is not its own");
    }
    return memory_.data() + (address - kQueues);
}

/// The n-th pointer of a list is that of page n + 1 of the data; the last one of a full page that of the next page of
/// the list.
void NvmePort::read_list(u64 address, u8* data, u32 bytes) const
{
    const u32 tag = static_cast<u32>((address - kLists) / kListBytes);
    const hal_host_command& c = requests_[tag].command;
    const u32 pages = (static_cast<u32>(c.lba % (kMinPageBytes / 512)) * 512 + c.sectors * 512 + kMinPageBytes - 1) / kMinPageBytes;
    for (u32 done = 0; done < bytes; done += 8) {
        const u32 place = static_cast<u32>((address - list_of(tag) + done) / 8);
        const u32 list = place / kPointers;
        const u32 page = place - list + 1; // each page before this one has one pointer less
        const bool chain = place % kPointers == kPointers - 1 && page + 1 < pages;
        put64(data + done, chain ? list_of(tag) + u64{list + 1} * kMinPageBytes : buffer_of(tag) + u64{page} * kMinPageBytes);
    }
}

void NvmePort::on_read(const Transfer& t)
{
    if (t.kind == Transfer::Kind::WriteData) {
        return; // provide() has them
    }
    if (t.address >= kBuffers) {
        const hal_host_command& c = requests_[static_cast<u32>((t.address - kBuffers) / kBufferBytes)].command;
        pack_range(c.lba, c.sectors, t.data);
    } else if (t.address >= kLists) {
        read_list(t.address, t.data, t.bytes);
    } else {
        std::memcpy(t.data, at(t.address, t.bytes), t.bytes);
    }
}

void NvmePort::on_arrival(const Transfer& t)
{
    if (t.kind == Transfer::Kind::Completion || t.kind == Transfer::Kind::AdminData) {
        std::memcpy(at(t.address, t.bytes), t.data, t.bytes);
    }
    link_->delivered(t); // data of reads: receive() has them
    if (t.interrupt || t.kind == Transfer::Kind::Interrupt) {
        on_interrupt(t.value);
    }
}

/// `offset`: in sectors from the start of the command.
u32 NvmePort::tag_of(u64 address, u32& offset) const
{
    const u32 tag = static_cast<u32>((address - kBuffers) / kBufferBytes);
    const u64 place = (address - buffer_of(tag)) / 512;
    offset = static_cast<u32>(place - requests_[tag].command.lba % (kMinPageBytes / 512));
    return tag;
}

void NvmePort::receive(u64 address, u32 sectors, const UnitTag* cells, const u8* bytes)
{
    u32 offset = 0;
    const u32 tag = tag_of(address, offset);
    client_->receive(tag, offset, sectors, cells, bytes);
}

void NvmePort::provide(u64 address, u32 sectors, UnitTag* cells, u8* bytes)
{
    u32 offset = 0;
    const u32 tag = tag_of(address, offset);
    client_->provide(tag, offset, sectors, cells, bytes);
}

} // namespace tlmssd::host
