// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ECC block beside an RTL controller.
#include "models/flash/rtl/rtl_ecc.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::flash {

void RtlEcc::segment_starts(const SegmentRequest& request)
{
    if (request.phase == Phase::Command && request.level != 0) {
        ++reads_[request.tag].retries;
    }
}

RtlEcc::Next RtlEcc::burst_over(const SegmentRequest& request, const SegmentResult& result)
{
    Read& read = reads_[request.tag];
    read.data_at = max(read.data_at, result.data_at);
    u32 plane = request.plane;
    if (request.level != 0) { // lost planes are read again one by one, each as plane 0 of 1
        if (read.again == 0) {
            throw ModelError("rtl: a plane is read again although ECC has corrected it");
        }
        plane = static_cast<u32>(__builtin_ctz(read.again));
        read.again = static_cast<u8>(read.again & (read.again - 1));
    }
    if (result.uncorrectable) {
        read.lost_planes = static_cast<u8>(read.lost_planes | 1u << plane);
    } else {
        read.corrected += result.corrected;
    }
    if (request.level != 0 ? read.again != 0 : request.plane + 1 < request.nplanes) {
        return Next::Burst;
    }
    if (read.lost_planes == 0 || request.level >= levels_) {
        return Next::Landed;
    }
    read.again = read.lost_planes;
    read.lost_planes = 0;
    return Next::Retry;
}

flash_completion RtlEcc::judged(flash_completion completion) const
{
    if (completion.status == FLASH_STATUS_ILLEGAL) {
        return completion; // its tag may be any
    }
    const Read& read = reads_[completion.tag];
    completion.retries = read.retries;
    completion.corrected = static_cast<u16>(std::min<u32>(read.corrected, 0xffff));
    if (completion.status == FLASH_STATUS_OK) {
        completion.failed_planes = read.lost_planes;
        if (read.lost_planes != 0) {
            completion.status = FLASH_STATUS_UNCORRECTABLE;
        }
    }
    return completion;
}

} // namespace tlmssd::flash
