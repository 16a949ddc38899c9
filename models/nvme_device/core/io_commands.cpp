// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: checks of I/O commands (NVM Express Base Specification 1.4, 6).
#include "models/nvme_device/core/io_commands.h"

#include <array>

#include "models/nvme_device/protocol/shared.h"
#include "models/nvme_device/protocol/prp.h"
#include "models/nvme_device/protocol/sgl.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kSectorBytes = 512;
constexpr u32 kMostRanges = 256;
constexpr u32 kAllNamespaces = 0xffffffff;

bool is_known(u8 opcode)
{
    switch (opcode) {
    case kFlush:
    case kWrite:
    case kRead:
    case kCompare:
    case kWriteZeroes:
    case kDatasetManagement: return true;
    default: return false;
    }
}

bool inside(u64 lba, u64 blocks, const Namespace& n) { return lba < n.blocks() && blocks <= n.blocks() - lba; }

Status parse_blocks(const Submission& c, const Namespace& n, u32 most_bytes, IoCommand& out)
{
    const u32 blocks = (c.dw[12] & 0xffff) + 1;
    if ((c.dw[12] >> 26 & 15) != 0) { // PRINFO: the namespace has no protection information
        return kInvalidProtection;
    }
    if (!inside(c.lba(), blocks, n)) {
        return kLbaOutOfRange;
    }
    out.lba = c.lba() << n.shift();
    out.sectors = blocks << n.shift();
    out.fua = c.dw[12] >> 30 & 1;
    if (out.opcode == kWriteZeroes) {
        return kSuccess; // no data: of any length
    }
    if (out.sectors > most_bytes / kSectorBytes) {
        return kInvalidField;
    }
    out.bytes = out.sectors * kSectorBytes;
    return kSuccess;
}

} // namespace

Status parse_io(const Submission& c, const Namespace& n, u32 most_bytes, IoCommand& out)
{
    if (!is_known(c.opcode())) {
        return kInvalidOpcode;
    }
    out = IoCommand();
    out.opcode = static_cast<IoOpcode>(c.opcode());
    const bool all = out.opcode == kFlush && c.nsid() == kAllNamespaces;
    if ((c.nsid() == 0 || c.nsid() > kNamespaces) && !all) {
        return kInvalidNamespace;
    }
    if (c.fuse() != 0 || c.psdt() == 3) {
        return kInvalidField;
    }
    if (n.formatting) {
        return kFormatInProgress;
    }
    switch (out.opcode) {
    case kFlush: return kSuccess;
    case kDatasetManagement:
        out.bytes = ((c.dw[10] & 0xff) + 1) * kRangeBytes;
        out.deallocate = c.dw[11] >> 2 & 1;
        return kSuccess;
    default: return parse_blocks(c, n, most_bytes, out);
    }
}

Status find_data(HostMemoryIf& memory, const Submission& c, const IoCommand& io, u32 page_bytes, ScatterList& list)
{
    if (c.psdt() == 0) {
        return walk_prp(memory, c.prp1(), c.prp2(), io.bytes, page_bytes, list);
    }
    std::array<u8, kSglDescriptorBytes> descriptor;
    for (u32 i = 0; i < 4; ++i) {
        put32(descriptor.data() + 4 * i, c.dw[6 + i]);
    }
    return walk_sgl(memory, descriptor.data(), io.bytes, io.to_host(), list);
}

Status read_ranges(HostMemoryIf& memory, const ScatterList& list, const Namespace& n, std::vector<Range>& ranges)
{
    std::array<u8, kMostRanges * kRangeBytes> bytes;
    const auto read = [&](const Segment& s, u32 done) { return memory.read(s.address, bytes.data() + done, s.bytes); };
    if (!list.for_range(0, list.bytes(), read)) {
        return kDataTransferError;
    }
    ranges.clear();
    for (u32 at = 0; at < list.bytes(); at += kRangeBytes) {
        const u32 blocks = get32(bytes.data() + at + 4);
        const u64 lba = get64(bytes.data() + at + 8);
        if (blocks == 0) {
            continue;
        }
        if (!inside(lba, blocks, n)) {
            return kLbaOutOfRange;
        }
        ranges.push_back({lba << n.shift(), u64{blocks} << n.shift()});
    }
    return kSuccess;
}

} // namespace tlmssd::nvme_device
