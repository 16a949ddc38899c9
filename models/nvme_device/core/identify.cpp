// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Identify Controller, Identify Namespace, lists and identifiers (Base Specification 1.4, 5.15).
#include "models/nvme_device/core/identify.h"

#include "models/common/hash.h"
#include "models/nvme_device/core/events.h"
#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kVersion = 0x00010400;
constexpr u32 kAllNamespaces = 0xffffffff;

u32 log2_of(u32 value) { return 31u - static_cast<u32>(__builtin_clz(value)); }

/// Of the serial number: two devices with one number are one to a host.
u64 identity(const Facts& f, u64 purpose)
{
    u64 word = f.seed;
    for (const char letter : f.serial) {
        word = mix64(word ^ static_cast<u8>(letter));
    }
    return draw64(word, purpose, 0);
}

void put_nguid(u8* at, const Facts& f)
{
    put64(at, identity(f, 1));
    put64(at + 8, identity(f, 2));
}

void put_eui64(u8* at, const Facts& f)
{
    put64(at, identity(f, 3));
    at[0] = static_cast<u8>((at[0] & ~3u) | 2u); // locally administered, one device
}

void put_controller(u8* d, const Facts& f)
{
    put_text(d + 4, f.serial.c_str(), 20);
    put_text(d + 24, f.model.c_str(), 40);
    put_text(d + 64, f.firmware.c_str(), kFirmwareBytes);
    d[77] = static_cast<u8>(log2_of(f.transfer_pages)); // MDTS
    put32(d + 80, kVersion);
    d[111] = 1;             // CNTRLTYPE: I/O
    put16(d + 256, 1u << 1); // OACS: format
    d[258] = 3;             // ACL: aborts at once
    d[259] = static_cast<u8>(Events::kMostRequests - 1); // AERL
    d[260] = 1u << 1 | 1;   // FRMW: one slot, read-only
    d[261] = 1u << 2;       // LPA: offset and long lengths
    d[262] = static_cast<u8>(kErrorLogEntries - 1); // ELPE
    d[512] = 0x66;          // SQES: 64 bytes
    d[513] = 0x44;          // CQES: 16 bytes
    put32(d + 516, kNamespaces);
    put16(d + 520, 1u << 4 | 1u << 3 | 1u << 2 | 1); // ONCS: save and select, write zeroes, DSM, compare
    d[525] = static_cast<u8>((f.volatile_cache ? 1 : 0) | 3u << 1); // VWC: flush takes all namespaces
    put32(d + 536, 1u << 18 | 1u << 16 | 1); // SGLS: any alignment, bit buckets, longer than the data
    const std::string name = "nqn.2014-08.org.nvmexpress:tlmssd:" + f.serial;
    std::memcpy(d + 768, name.data(), std::min<std::size_t>(name.size(), 255));
    put16(d + 2048, 1); // PSD0: 0.01 W, as there is no model of power here
}

void put_namespace(u8* d, const Facts& f, const Namespace& n)
{
    put64(d, n.blocks());
    put64(d + 8, n.blocks());
    put64(d + 16, n.blocks());
    d[25] = static_cast<u8>(Namespace::kFormats - 1);
    d[26] = static_cast<u8>(n.format);
    put_nguid(d + 104, f);
    put_eui64(d + 120, f);
    for (u32 i = 0; i < Namespace::kFormats; ++i) {
        d[128 + 4 * i + 2] = static_cast<u8>(9 + Namespace::shift_of(i)); // LBADS
    }
}

/// Descriptors: type, length, two reserved bytes, identifier; zeros end the list.
void put_descriptors(u8* d, const Facts& f)
{
    d[0] = 1;
    d[1] = 8;
    put_eui64(d + 4, f);
    d[12] = 2;
    d[13] = 16;
    put_nguid(d + 16, f);
}

} // namespace

Status identify(const Submission& c, const Facts& facts, const Namespace& name_space, IdentifyData& data)
{
    enum Structure : u32 { kNamespace = 0, kController = 1, kActiveList = 2, kDescriptors = 3 };
    data.fill(0);
    const u32 id = c.nsid();
    switch (c.dw[10] & 0xff) {
    case kNamespace:
        if (id == 0 || id > kNamespaces) {
            return kInvalidNamespace;
        }
        put_namespace(data.data(), facts, name_space);
        return kSuccess;
    case kController: put_controller(data.data(), facts); return kSuccess;
    case kActiveList:
        if (id >= kAllNamespaces - 1) {
            return kInvalidNamespace;
        }
        if (id < kNamespaces) {
            put32(data.data(), 1);
        }
        return kSuccess;
    case kDescriptors:
        if (id == 0 || id > kNamespaces) {
            return kInvalidNamespace;
        }
        put_descriptors(data.data(), facts);
        return kSuccess;
    default: return kInvalidField;
    }
}

} // namespace tlmssd::nvme_device
