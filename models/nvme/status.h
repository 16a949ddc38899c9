// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: status codes of NVMe completions.
#pragma once

#include "models/common/types.h"

namespace tlmssd::nvme {

/// Status code type in bits 10:8, status code in 7:0 (NVM Express Base Specification 1.4, 4.6.1).
enum Status : u16 {
    kSuccess = 0x000,
    kInvalidOpcode = 0x001,
    kInvalidField = 0x002,
    kIdConflict = 0x003,
    kDataTransferError = 0x004,
    kInternalError = 0x006,
    kAbortRequested = 0x007,
    kInvalidNamespace = 0x00b,
    kSequenceError = 0x00c,
    kInvalidSglSegment = 0x00d,
    kInvalidSglCount = 0x00e,
    kInvalidSglLength = 0x00f,
    kInvalidSglType = 0x011,
    kInvalidPrpOffset = 0x013,
    kLbaOutOfRange = 0x080,
    kFormatInProgress = 0x084,

    kCompletionQueueInvalid = 0x100,
    kInvalidQueueId = 0x101,
    kInvalidQueueSize = 0x102,
    kEventLimitExceeded = 0x105,
    kInvalidVector = 0x108,
    kInvalidLogPage = 0x109,
    kInvalidFormat = 0x10a,
    kInvalidQueueDeletion = 0x10c,
    kNotSaveable = 0x10d,
    kNotNamespaceSpecific = 0x10f,
    kInvalidProtection = 0x181,
    kWriteToReadOnly = 0x182,

    kWriteFault = 0x280,
    kUnrecoveredRead = 0x281,
    kCompareFailure = 0x285,
};

/// A retry of the command may end well.
constexpr bool is_transient(u16 status)
{
    return status == kDataTransferError || status == kInternalError || status == kAbortRequested ||
           status == kFormatInProgress || status == kUnrecoveredRead || status == kWriteFault;
}

inline constexpr u16 kMore = 1u << 13;       ///< the error log has an entry
inline constexpr u16 kDoNotRetry = 1u << 14;

} // namespace tlmssd::nvme
