// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ECC block beside an RTL controller: its verdict on each read, over all read-retry levels.
#pragma once

#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/common/picoseconds.h"
#include "models/interfaces/controller_if.h"

namespace tlmssd::flash {

/// Follows the bursts out of each read: planes that are lost, bits that were corrected, pages that were read again.
/// By tag; an operation's tag stands for it from begin() to its completion.
class RtlEcc {
public:
    /// The word of the data path at the landing of a read.
    enum class Next {
        Burst,  ///< nothing: others of this level are to come
        Landed, ///< the read has landed, and ends
        Retry   ///< planes are lost and levels left: it goes on at the next level
    };

    /// `levels`: read-retry levels that the controller tries.
    RtlEcc(u32 tags, u32 levels) : levels_(levels), reads_(tags) {}

    /// A new operation has this tag.
    void begin(u32 tag) { reads_[tag] = Read{}; }
    /// A segment begins.
    void segment_starts(const SegmentRequest& request);
    /// A burst out has ended. ModelError: of a plane that ECC had corrected at the level before.
    Next burst_over(const SegmentRequest& request, const SegmentResult& result);
    /// Latest landing of its bursts.
    Picoseconds data_at(u32 tag) const { return reads_[tag].data_at; }
    /// The completion of the RTL with the verdict in it.
    flash_completion judged(flash_completion completion) const;

private:
    struct Read {
        Picoseconds data_at;
        u32 corrected = 0;
        u16 retries = 0;
        u8 lost_planes = 0; ///< at this level
        u8 again = 0;       ///< still to be read again at this level
    };

    u32 levels_;
    std::vector<Read> reads_; ///< by tag
};

} // namespace tlmssd::flash
