// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a workload in parts: the host gets requests while a window is open, and waits otherwise.
#pragma once

#include <memory>

#include "models/interfaces/request.h"

namespace tlmssd::sample {

/// Between two windows take() reads on past the host. In open loop the first request of a window arrives when the
/// window opens, and the others at their distance to it.
class WindowSource final : public workload::RequestSource {
public:
    WindowSource(std::unique_ptr<workload::RequestSource> source, bool open_loop)
        : source_(std::move(source)), open_loop_(open_loop)
    {
    }

    /// From now on requests go to the host. `elapsed`: since the start of the job.
    void open(Picoseconds elapsed)
    {
        open_ = first_ = true;
        opened_ = elapsed;
    }
    void close() { open_ = false; }
    bool is_open() const { return open_; }
    /// The next request, which the host does not get. False: the workload has ended.
    bool take(workload::Request& request)
    {
        over_ = over_ || !source_->next(request);
        taken_ += over_ ? 0 : 1;
        return !over_;
    }
    u64 taken() const { return taken_; } ///< requests so far, the host's too
    bool over() const { return over_; }

    bool next(workload::Request& request) override
    {
        if (!open_ || !take(request)) {
            return false;
        }
        if (open_loop_) {
            if (first_) {
                arrival_ = request.arrival;
                first_ = false;
            }
            request.arrival = opened_ + (request.arrival - arrival_);
        }
        return true;
    }
    bool waits() const override { return !over_; }
    const workload::SourceCounts& counts() const override { return source_->counts(); }
    u64 expected() const override { return source_->expected(); }
    double progress() const override { return source_->progress(); }

private:
    std::unique_ptr<workload::RequestSource> source_;
    bool open_loop_;
    bool open_ = false;
    bool first_ = false; ///< the next request is the first of the window
    bool over_ = false;
    u64 taken_ = 0;
    Picoseconds opened_;
    Picoseconds arrival_; ///< of the first request, as the workload has it
};

} // namespace tlmssd::sample
