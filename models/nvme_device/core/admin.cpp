// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: execution of admin commands (Base Specification 1.4, 5).
#include "models/nvme_device/core/admin.h"

#include <algorithm>

#include "models/nvme_device/protocol/prp.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kAllNamespaces = 0xffffffff;

AdminResult done(Status status, u32 result = 0)
{
    AdminResult r;
    r.status = status;
    r.result = result;
    return r;
}

bool is_known(u8 opcode)
{
    switch (opcode) {
    case kDeleteSq:
    case kCreateSq:
    case kGetLogPage:
    case kDeleteCq:
    case kCreateCq:
    case kIdentify:
    case kAbort:
    case kSetFeatures:
    case kGetFeatures:
    case kAsyncEvent:
    case kFormatNvm: return true;
    default: return false;
    }
}

} // namespace

AdminResult AdminCommands::execute(const Submission& c)
{
    if (!is_known(c.opcode())) {
        return done(kInvalidOpcode);
    }
    if (c.fuse() != 0 || c.psdt() != 0) {
        return done(kInvalidField);
    }
    switch (c.opcode()) {
    case kDeleteSq: return delete_sq(c);
    case kCreateSq: return create_sq(c);
    case kGetLogPage: return get_log_page(c);
    case kDeleteCq: return delete_cq(c);
    case kCreateCq:
        return done(p_.queues.create_cq(c, p_.registers.page_bytes(), p_.registers.entry_sizes_right()));
    case kIdentify: return identify_data(c);
    case kAbort: return abort(c);
    case kSetFeatures: return set_features(c);
    case kGetFeatures: {
        AdminResult r;
        r.status = p_.features.get(c, r.result);
        return r;
    }
    case kAsyncEvent: {
        AdminResult r = done(p_.events.request(c.id()) ? kSuccess : kEventLimitExceeded);
        r.next = r.status == kSuccess ? AdminResult::Next::Hold : AdminResult::Next::Complete;
        return r;
    }
    default: return format(c);
    }
}

AdminResult AdminCommands::create_sq(const Submission& c)
{
    const Status status = p_.queues.create_sq(c, p_.registers.page_bytes(), p_.registers.entry_sizes_right());
    if (status == kSuccess) {
        const u32 id = c.dw[10] & 0xffff;
        p_.arbitration.add(id - 1, p_.queues.sq(id).priority);
    }
    return done(status);
}

AdminResult AdminCommands::delete_sq(const Submission& c) const
{
    AdminResult r = done(p_.queues.check_delete_sq(c.dw[10] & 0xffff));
    if (r.status == kSuccess) {
        r.next = AdminResult::Next::DeleteSq;
        r.value = c.dw[10] & 0xffff;
    }
    return r;
}

AdminResult AdminCommands::delete_cq(const Submission& c)
{
    const u32 id = c.dw[10] & 0xffff;
    const CompletionQueue old = p_.queues.has_cq(id) ? p_.queues.cq(id) : CompletionQueue();
    const Status status = p_.queues.delete_cq(id);
    if (status == kSuccess && old.interrupts) {
        p_.interrupts.taken(old.vector, old.unread()); // nobody will
    }
    return done(status);
}

/// Into the places of PRP 1 and 2.
Status AdminCommands::send(const Submission& c, const u8* data, u32 bytes)
{
    const Status status = walk_prp(p_.memory, c.prp1(), c.prp2(), bytes, p_.registers.page_bytes(), list_);
    if (status != kSuccess) {
        return status;
    }
    const auto write = [&](const Segment& s, u32 at) { return p_.memory.write(s.address, data + at, s.bytes); };
    return list_.for_range(0, bytes, write) ? kSuccess : kDataTransferError;
}

AdminResult AdminCommands::get_log_page(const Submission& c)
{
    const u8 id = static_cast<u8>(c.dw[10]);
    const u64 bytes = (u64{c.dw[10] >> 16} + (u64{c.dw[11] & 0xffff} << 16) + 1) * 4;
    const u64 offset = u64{c.dw[12]} | u64{c.dw[13]} << 32;
    if (c.nsid() != 0 && c.nsid() != kAllNamespaces) {
        return done(kInvalidField); // LPA: no page of a namespace
    }
    const Status status = p_.logs.build(id, p_.usage, p_.backend, page_);
    if (status != kSuccess) {
        return done(status);
    }
    if (offset % 4 != 0 || offset > page_.size() || bytes > u64{p_.facts.transfer_pages} * kMinPageBytes) {
        return done(kInvalidField);
    }
    page_.resize(std::max<std::size_t>(page_.size(), offset + bytes), 0); // after its end there are zeros
    const Status sent = send(c, page_.data() + offset, static_cast<u32>(bytes));
    if (sent == kSuccess && (c.dw[10] >> 15 & 1) == 0) { // RAE
        p_.events.log_read(id);
    }
    return done(sent);
}

AdminResult AdminCommands::identify_data(const Submission& c)
{
    const Status status = identify(c, p_.facts, p_.name_space, identify_);
    return done(status == kSuccess ? send(c, identify_.data(), kIdentifyBytes) : status);
}

/// Commands are with the SSD as soon as they are fetched, which takes none back: asynchronous event requests alone
/// can be aborted.
AdminResult AdminCommands::abort(const Submission& c)
{
    AdminResult r = done(kSuccess, 1);
    r.aborted_id = static_cast<u16>(c.dw[10] >> 16);
    if ((c.dw[10] & 0xffff) == 0 && p_.events.abort(r.aborted_id)) {
        r.aborted = true;
        r.result = 0;
    }
    return r;
}

AdminResult AdminCommands::set_features(const Submission& c)
{
    AdminResult r;
    const bool cached = p_.features.value(Features::kWriteCache) != 0;
    r.status = p_.features.set(c, p_.queues.any_io(), r.result);
    if (r.status == kSuccess) {
        apply_features();
    }
    if (p_.facts.volatile_cache && cached && p_.features.value(Features::kWriteCache) == 0) {
        r.next = AdminResult::Next::Flush; // what is in the cache must not stay there
    }
    return r;
}

void AdminCommands::apply_features()
{
    p_.arbitration.set_up(p_.registers.arbitration() == 1, p_.features.value(Features::kArbitration));
    p_.interrupts.coalesce(p_.features.value(Features::kCoalescing));
    for (u32 i = 0; i < p_.interrupts.vectors(); ++i) {
        p_.interrupts.disable_coalescing(i, p_.features.coalescing_disabled(i));
    }
}

AdminResult AdminCommands::format(const Submission& c) const
{
    const u32 format = c.dw[10] & 15;
    const u32 protection = c.dw[10] >> 5 & 7;
    const u32 erase = c.dw[10] >> 9 & 7; // 0 none, 1 user data
    if (c.nsid() != 1 && c.nsid() != kAllNamespaces) {
        return done(kInvalidNamespace);
    }
    if (format >= Namespace::kFormats || protection != 0) {
        return done(kInvalidFormat);
    }
    if (erase > 1) {
        return done(kInvalidField);
    }
    if (p_.name_space.formatting) {
        return done(kFormatInProgress);
    }
    AdminResult r;
    r.next = AdminResult::Next::Format;
    r.value = format;
    return r;
}

} // namespace tlmssd::nvme_device
