// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a client from outside as the host's workload, as a run sees it.
#pragma once

#include "models/host/initiator.h"
#include "models/time/event_queue.h"
#include "models/workload/jobs.h"

namespace tlmssd::run {

/// Brings requests while the device works. `tlmssd serve` has one for its NBD clients.
class NbdClientIf {
public:
    virtual ~NbdClientIf() = default;
    /// The only job of the run. Its source waits for requests.
    virtual workload::Job job(u32 queue_depth) = 0;
    virtual void attach(time::EventQueue& event_queue, host::Initiator& initiator) = 0;
    /// The run ends, and with it what attach() gave.
    virtual void detach() = 0;
    /// Which pages hold data; called before start().
    virtual void learn(const host::ExpectedVersions& versions) = 0;
    virtual void start() = 0;
    /// The host has sent the request to the device.
    virtual void on_issued(const host::RequestRecord& request) = 0;
    /// The device has ended the request.
    virtual void on_request(const host::RequestRecord& request) = 0;
};

} // namespace tlmssd::run
