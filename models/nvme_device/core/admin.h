// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: admin commands.
#pragma once

#include "models/nvme_device/core/arbitration.h"
#include "models/nvme_device/core/events.h"
#include "models/nvme_device/core/features.h"
#include "models/nvme_device/core/interrupts.h"
#include "models/nvme_device/core/log_pages.h"
#include "models/nvme_device/core/queues.h"
#include "models/nvme_device/core/registers.h"
#include "models/nvme_device/protocol/host_memory_if.h"
#include "models/nvme_device/protocol/scatter_list.h"

namespace tlmssd::nvme_device {

/// The parts of a controller that admin commands look at or change.
struct Parts {
    const Facts& facts;
    const Registers& registers;
    HostMemoryIf& memory;
    BackendIf& backend;
    Queues& queues;
    Arbitration& arbitration;
    Interrupts& interrupts;
    Features& features;
    LogPages& logs;
    Events& events;
    const Namespace& name_space;
    const Usage& usage;
};

struct AdminResult {
    enum class Next : u8 {
        Complete, ///< now, with `status` and `result`
        Hold,     ///< an asynchronous event request: when there is an event
        DeleteSq, ///< when the commands of queue `value` have ended
        Format,   ///< with format `value`, when all commands have ended
        Flush     ///< completes when the write cache is empty
    };
    Next next = Next::Complete;
    Status status = kSuccess;
    u32 result = 0; ///< dword 0 of the completion
    u32 value = 0;
    bool aborted = false; ///< the asynchronous event request `aborted_id` ends
    u16 aborted_id = 0;
};

class AdminCommands {
public:
    explicit AdminCommands(const Parts& parts) : p_(parts) {}

    /// May take simulated time in host memory.
    AdminResult execute(const Submission& command);
    /// Bring values of features to where they count.
    void apply_features();

private:
    AdminResult create_sq(const Submission& command);
    AdminResult delete_sq(const Submission& command) const;
    AdminResult delete_cq(const Submission& command);
    AdminResult get_log_page(const Submission& command);
    AdminResult identify_data(const Submission& command);
    AdminResult abort(const Submission& command);
    AdminResult set_features(const Submission& command);
    AdminResult format(const Submission& command) const;
    Status send(const Submission& command, const u8* data, u32 bytes);

    Parts p_;
    ScatterList list_;
    std::vector<u8> page_;
    IdentifyData identify_{};
};

} // namespace tlmssd::nvme_device
