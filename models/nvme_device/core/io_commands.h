// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: I/O commands: their fields and what is wrong with them.
#pragma once

#include <vector>

#include "models/nvme_device/core/name_space.h"
#include "models/nvme_device/protocol/shared.h"
#include "models/nvme_device/protocol/host_memory_if.h"
#include "models/nvme_device/protocol/scatter_list.h"

namespace tlmssd::nvme_device {

/// A command whose fields are right.
struct IoCommand {
    IoOpcode opcode = kFlush;
    u64 lba = 0;     ///< sectors of 512 bytes
    u32 sectors = 0;
    u32 bytes = 0;   ///< of its data in host memory
    bool fua = false;
    bool deallocate = false; ///< of a dataset management command
    bool to_host() const { return opcode == kRead; }
    bool reads() const { return opcode == kRead || opcode == kCompare; }
    bool writes() const { return opcode == kWrite || opcode == kWriteZeroes; }
};

struct Range {
    u64 lba = 0; ///< sectors of 512 bytes
    u64 sectors = 0;
};

/// `most_bytes`: of data of a read, write or compare.
Status parse_io(const Submission& command, const Namespace& name_space, u32 most_bytes, IoCommand& out);

/// The places of the command's data, by PRPs or an SGL as PSDT says.
Status find_data(HostMemoryIf& memory, const Submission& command, const IoCommand& io, u32 page_bytes,
                 ScatterList& list);

/// The ranges of a dataset management command, empty ones left out.
Status read_ranges(HostMemoryIf& memory, const ScatterList& list, const Namespace& name_space,
                   std::vector<Range>& ranges);

} // namespace tlmssd::nvme_device
