// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: makes the source of requests that a configuration asks for.
#include "models/workload/factory.h"

#include "models/common/error.h"
#include "models/workload/detect/detect.h"
#include "models/workload/generator.h"
#include "models/workload/launch_source.h"
#include "models/workload/locality_source.h"
#include "models/workload/trace_source.h"

namespace tlmssd::workload {

std::unique_ptr<RequestSource> make_source(const config::Workload& w, u64 device_sectors, u64 seed,
                                           std::ostream* warnings)
{
    if (device_sectors == 0) {
        throw InputError("workload: the device has no sectors");
    }
    if (w.trace.empty()) {
        if (!w.format.empty()) {
            throw InputError("workload.format: given without workload.trace");
        }
        if (!w.trace_columns.empty()) {
            throw InputError("workload.trace_columns: given without workload.trace");
        }
        if (w.launch.launches != 0) {
            return std::make_unique<LaunchSource>(w, device_sectors, seed);
        }
        if (w.locality.footprint != 0) {
            return std::make_unique<LocalitySource>(w, device_sectors, seed);
        }
        return std::make_unique<Generator>(w, device_sectors, seed);
    }
    if (!(w.time_scale > 0 && w.time_scale <= 1e9)) {
        throw InputError("workload.time_scale: " + std::to_string(w.time_scale) +
                         " is not above 0 and up to 10^9");
    }
    return std::make_unique<TraceSource>(w, choose_format(w), device_sectors, seed,
                                         warnings);
}

} // namespace tlmssd::workload
