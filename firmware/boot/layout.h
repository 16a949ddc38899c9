// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what lies where in DRAM, by byte offset.
//
//   0                      page buffers of the buffer module
//   fw_gc_base()           page buffers of garbage collection (GC), one for each plane
//   fw_config.oob_base     OOB records of all flash tags; the boot code chooses where
//   fw_table_base()        the FTL's own pages: table pages of recovery, or buffers of translation pages
#pragma once

#include "firmware/core/fw.h"

#ifdef __cplusplus
extern "C" {
#endif

u32 fw_gc_base(const struct fw_config *cfg);
u64 fw_page_buffer_bytes(const struct fw_config *cfg); /* of all page buffers: oob_base is not below */

/* The FTL's own pages (fw_table_base() is in core/fw.h): their bytes, 0 where there are none; their
   address in the arena; where that address is kept, null where there are none. */
u32 fw_table_bytes(const struct fw_config *cfg);
u8 *fw_table_pages(const struct fw *fw);
u8 **fw_table_place(const struct fw *fw);

#ifdef __cplusplus
}
#endif
