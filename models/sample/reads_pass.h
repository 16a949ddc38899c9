// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a pass over reads alone, which take no simulated time between windows.
#pragma once

#include <memory>
#include <string>

#include "models/sample/pass.h"
#include "models/sample/window_source.h"

namespace tlmssd::sample {

/// A read changes nothing but what page buffers hold. So of the reads between two windows the last ones alone are
/// served, by the firmware in no simulated time: enough of them that no buffer remembers an earlier one. Each window begins and
/// ends with a device at rest.
class ReadsPass final : public Pass {
public:
    ReadsPass(const config::Config& config, const std::string& cache);

    void on_request(const host::RequestRecord& request) override;

private:
    std::unique_ptr<workload::RequestSource> prepare(std::unique_ptr<workload::RequestSource> source,
                                                     const config::LoopMode& mode) override;
    bool complete() const override { return windows_.size() == plan_.windows && !source_->is_open(); }
    void on_rest();
    void skip(u64 requests);

    WindowSource* source_ = nullptr; ///< of the only job
    time::Timer rest_;               ///< the next look whether the device rests
    Picoseconds started_;
    Picoseconds closed_at_;          ///< the last window
};

} // namespace tlmssd::sample
