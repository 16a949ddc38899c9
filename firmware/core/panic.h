// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: codes with which the firmware stops when it finds itself inconsistent.
#pragma once

#include "firmware/core/fw.h"

enum fw_panic_code {
    FW_PANIC_RING_FULL = 1,
    FW_PANIC_BAD_MESSAGE,
    FW_PANIC_BAD_EVENT,
    FW_PANIC_OPS_EXHAUSTED,
    FW_PANIC_BAD_TAG,       /* a completion or transfer for a tag that is not in use */
    FW_PANIC_LINE_STATE,    /* a page buffer in a state that the event does not allow */
    FW_PANIC_MAP,           /* map and valid bits disagree */
    FW_PANIC_OOB,           /* a page's metadata do not match the map */
    FW_PANIC_FLASH_FAILED,  /* the flash refused an operation as impossible */
    FW_PANIC_MOUNT          /* the FTL's tables in flash cannot be read, or are of another device */
};

#ifdef __cplusplus
extern "C" {
#endif

void fw_panic(struct fw *fw, u32 code, u32 detail);

#ifdef __cplusplus
}
#endif
