// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the lists of buffer policy `cawr` (policy_cawr.c), oldest page first.
#pragma once

#include "firmware/buffer/policies/list.h"
#include "firmware/buffer/lines.h"

/* Where a page is. NOWHERE: on its way out, or a cold page that a request or a FLUSH has come for. */
enum { CAWR_NOWHERE = 0, CAWR_WORKING, CAWR_COLD_CLEAN, CAWR_COLD_DIRTY /* + channel */ };

struct cawr {
    struct line_list working; /* in order of use */
    struct line_list cold_clean;
    struct line_list *cold_dirty; /* by channel. All pages in cold_dirty and in cold_clean are idle */
    struct line_link *links;
    u8 *where;
    u8 *cold;   /* the cold-flag of pages in `working`: their second chance is used up */
    u32 filled; /* lists of cold_dirty that are not empty */
};
