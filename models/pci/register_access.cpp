// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: byte lanes of transactions on registers.
#include "models/pci/register_access.h"

#include <algorithm>

namespace tlmssd::pci {

namespace {

constexpr u32 dword_of(u64 byte) { return static_cast<u32>(byte) & ~3u; }
constexpr u32 shift_of(u64 byte) { return static_cast<u32>(byte) % 4 * 8; }

} // namespace

bool access(const RegisterBlock& block, tlm::tlm_generic_payload& payload)
{
    const u64 at = payload.get_address();
    const u32 bytes = payload.get_data_length();
    if (at >= block.bytes || bytes > block.bytes - at) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    if (bytes == 0 || payload.get_streaming_width() < bytes) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return false;
    }
    const u8* const enables = payload.get_byte_enable_ptr();
    const u32 enable_length = payload.get_byte_enable_length();
    if (enables != nullptr && enable_length == 0) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return false;
    }
    u8* const data = payload.get_data_ptr();
    for (u32 i = 0; i < bytes;) {
        const u32 offset = dword_of(at + i);
        const u32 word = payload.is_read() ? block.read(offset) : 0;
        u32 value = 0;
        u32 mask = 0;
        for (; i < bytes && dword_of(at + i) == offset; ++i) {
            if (enables != nullptr && enables[i % enable_length] != TLM_BYTE_ENABLED) {
                continue;
            }
            if (payload.is_read()) {
                data[i] = static_cast<u8>(word >> shift_of(at + i));
            }
            value |= u32{data[i]} << shift_of(at + i);
            mask |= 0xffu << shift_of(at + i);
        }
        if (payload.is_write() && mask != 0) {
            block.write(offset, value, mask);
        }
    }
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

u32 peek(const RegisterBlock& block, tlm::tlm_generic_payload& payload)
{
    if (!payload.is_read() || payload.get_address() >= block.bytes) {
        return 0;
    }
    const u32 at = static_cast<u32>(payload.get_address());
    const u32 bytes = std::min(payload.get_data_length(), block.bytes - at);
    for (u32 i = 0; i < bytes; ++i) {
        payload.get_data_ptr()[i] = static_cast<u8>(block.read(dword_of(at + i)) >> shift_of(at + i));
    }
    return bytes;
}

} // namespace tlmssd::pci
