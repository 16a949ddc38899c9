// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: another source's requests, moved by an LBA offset.
#pragma once

#include <memory>

#include "models/interfaces/request.h"
#include "models/workload/rows/placement.h"

namespace tlmssd::workload {

/// Adds `offset` sectors to each address; what then reaches beyond the device is folded or dropped
/// as a trace's row would be (Placement), and counted. Flushes have no address.
class OffsetSource final : public RequestSource {
public:
    OffsetSource(std::unique_ptr<RequestSource> source, u64 offset, config::Beyond beyond,
                 u64 device_sectors)
        : source_(std::move(source)), offset_(offset), placement_(beyond, device_sectors)
    {
    }

    bool next(Request& request) override
    {
        const bool found = place_next(request);
        counts_ = source_->counts();
        counts_.requests -= moved_.dropped;
        counts_.folded += moved_.folded;
        counts_.dropped += moved_.dropped;
        return found;
    }
    const SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return source_->expected(); }
    double progress() const override { return source_->progress(); }

private:
    bool place_next(Request& request)
    {
        while (source_->next(request)) {
            if (request.kind == Kind::Flush) {
                return true;
            }
            request.lba += offset_;
            if (placement_.place(request, moved_)) {
                return true;
            }
        }
        return false;
    }

    std::unique_ptr<RequestSource> source_;
    u64 offset_;
    Placement placement_;
    SourceCounts moved_;
    SourceCounts counts_;
};

} // namespace tlmssd::workload
