// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host memory of NVMe tests.
#pragma once

#include <functional>
#include <vector>

#include "models/nvme_device/protocol/shared.h"
#include "models/nvme_device/protocol/host_memory_if.h"

namespace tlmssd::nvme_device {

inline constexpr u64 kRam = 0x100000;
inline constexpr u32 kRamBytes = 4u << 20;

/// Memory from kRam on; everything else is an error.
struct FakeMemory final : HostMemoryIf {
    std::vector<u8> bytes = std::vector<u8>(kRamBytes);
    u32 reads = 0;
    u32 writes = 0;
    std::function<void(u64 address)> during; ///< before an access: what others do meanwhile

    bool has(u64 address, u32 count) const
    {
        return address >= kRam && address - kRam <= kRamBytes && count <= kRamBytes - (address - kRam);
    }
    bool read(u64 address, u8* data, u32 count) override
    {
        ++reads;
        if (during) {
            during(address);
        }
        if (!has(address, count)) {
            return false;
        }
        std::memcpy(data, at(address), count);
        return true;
    }
    bool write(u64 address, const u8* data, u32 count) override
    {
        ++writes;
        if (during) {
            during(address);
        }
        if (!has(address, count)) {
            return false;
        }
        std::memcpy(at(address), data, count);
        return true;
    }
    u8* at(u64 address) { return bytes.data() + (address - kRam); }
};

} // namespace tlmssd::nvme_device
