// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NBD client as the host's workload: requests and bytes from shared memory.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "models/common/fifo.h"
#include "models/host/host_data_if.h"
#include "models/host/initiator.h"
#include "models/run/nbd_client_if.h"
#include "models/serve/serve_memory.h"
#include "models/time/event_queue.h"
#include "models/workload/jobs.h"

namespace tlmssd::serve {

/// Asks the ring for requests while the device works; while it has nothing to do it sleeps in wall time,
/// and simulated time stands still. A request arrives when it is found. Its end is reported when the device
/// has ended it. Keeps the map of pages that hold data.
class ServePort final : public run::NbdClientIf, public host::HostDataIf {
public:
    /// `control` is called now and then, and when a signal has come: it may stop(), or report.
    ServePort(ServeMemory& memory, std::function<void()> control);
    ~ServePort() override;

    /// The only job: its source is this.
    workload::Job job(u32 queue_depth) override;
    void attach(time::EventQueue& event_queue, host::Initiator& initiator) override;
    void detach() override;
    void learn(const host::ExpectedVersions& versions) override;
    void start() override;
    /// No request comes any more: the source ends when all requests have been handed out.
    void stop();

    void on_issued(const host::RequestRecord& request) override;
    void on_request(const host::RequestRecord& request) override;

    void give(u32 tag, u32 offset, u32 sectors, u8* bytes) override;
    void take(u32 tag, u32 offset, u32 sectors, const u8* bytes) override;

private:
    friend class ServeSource;
    bool next(workload::Request& request);
    void on_timer();
    bool collect();
    bool wait_awake();
    void sleep();
    void mark(const hal_host_command& command, bool data);

    ServeMemory& memory_;
    serve_ring& ring_;
    std::function<void()> control_;
    time::EventQueue* event_queue_ = nullptr;
    host::Initiator* initiator_ = nullptr;
    std::unique_ptr<time::Timer> timer_;
    Picoseconds origin_;
    Fifo<u32> found_{SERVE_SLOTS};  ///< slots whose requests the host has not taken
    Fifo<u32> taken_{SERVE_SLOTS};  ///< which have no tag yet, in order
    std::array<u32, HAL_HOST_TAGS> slot_of_{};
    u32 polls_ = 0;
    bool stopping_ = false;
};

} // namespace tlmssd::serve
