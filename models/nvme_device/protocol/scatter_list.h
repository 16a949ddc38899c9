// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where in host memory the data of a command lie.
#pragma once

#include <algorithm>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::nvme_device {

/// Consecutive bytes; `bucket`: data for the host that it does not want.
struct Segment {
    u64 address = 0;
    u32 bytes = 0;
    bool bucket = false;
};

/// Segments in the order of the data. Neighbours in memory are one segment.
class ScatterList {
public:
    void clear()
    {
        segments_.clear();
        bytes_ = 0;
    }
    void add(u64 address, u32 bytes)
    {
        bytes_ += bytes;
        if (!segments_.empty() && !segments_.back().bucket &&
            segments_.back().address + segments_.back().bytes == address) {
            segments_.back().bytes += bytes;
        } else if (bytes != 0) {
            segments_.push_back({address, bytes, false});
        }
    }
    void add_bucket(u32 bytes)
    {
        bytes_ += bytes;
        segments_.push_back({0, bytes, true});
    }
    u32 bytes() const { return bytes_; }
    const std::vector<Segment>& segments() const { return segments_; }

    /// use(segment, done) for each part of [offset, offset + bytes), `done` bytes after its start, until one
    /// returns false. Requires offset + bytes <= bytes().
    template <class Use>
    bool for_range(u32 offset, u32 bytes, Use use) const
    {
        u32 before = 0;
        u32 done = 0;
        for (std::size_t i = 0; i < segments_.size() && done < bytes; ++i) {
            const Segment s = segments_[i];
            const u32 at = offset + done - before;
            before += s.bytes;
            if (at >= s.bytes) {
                continue;
            }
            const u32 part = std::min(s.bytes - at, bytes - done);
            if (!use(Segment{s.address + at, part, s.bucket}, done)) {
                return false;
            }
            done += part;
        }
        return true;
    }

private:
    std::vector<Segment> segments_;
    u32 bytes_ = 0;
};

} // namespace tlmssd::nvme_device
