// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results.json of a guest as one table.
#pragma once

#include <string>

#include "models/guest/guest_end.h"
#include "models/observe/catalogue.h"
#include "models/run/device_statistics.h"
#include "models/ssd/device_requests.h"

namespace tlmssd::guest {

inline constexpr const char* kGuestSchema = "tlmssd-guest-1";

/// All that results.json of a guest is made from.
struct GuestReading : run::DeviceReading {
    std::string transport, time, controller, end;
    int kernel_status;
    GuestCounts counts;
    u64 dma_refused;
    const ssd::DeviceRequests& requests;
    double wall_seconds;
};

const observe::Table<GuestReading>& guest_statistics();
/// For its schema and its reference.
observe::Document guest_document();

} // namespace tlmssd::guest
