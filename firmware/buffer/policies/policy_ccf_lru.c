// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `ccf_lru`: write-back; cold clean pages first (Li et al. 2009): they have a list
// of their own; a hot page at the end of the mixed list becomes cold before it leaves.
#include "firmware/buffer/policies/list.h"

struct fw_policy_state {
    struct list_state mixed;     /* dirty pages, and clean ones that are hot; in order of use */
    struct line_list cold_clean; /* in order of becoming that; links and marks are those of `mixed` */
};

enum { HOT = 1, IN_COLD_CLEAN = 2 }; /* marks */

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = list_state_boot_as(fw, sizeof *s);
    if (!s) {
        return false;
    }
    list_init(&s->cold_clean);
    return true;
}

static struct line_list *list_of(struct fw_policy_state *s, u32 line)
{
    return s->mixed.marks[line] & IN_COLD_CLEAN ? &s->cold_clean : &s->mixed.pages;
}

static void put(struct fw *fw, u32 line, u8 flags)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(list_of(s, line), s->mixed.links, line);
    s->mixed.marks[line] = flags;
    list_append(list_of(s, line), s->mixed.links, line);
}

static void enter(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->mixed.marks[line] = IN_COLD_CLEAN;
    list_append(&s->cold_clean, s->mixed.links, line);
}

/* A new page is cold. One that was there before is hot from now on, and a dirty one is in the mixed
   list. */
static void use(struct fw *fw, u32 line, bool write, bool hit)
{
    if (hit) {
        put(fw, line, HOT);
    } else if (write) {
        put(fw, line, 0);
    }
}

static void leave(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(list_of(s, line), s->mixed.links, line);
}

static u32 victim(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    u32 line = list_first_idle(fw, s->mixed.links, s->cold_clean.oldest);
    if (line != FW_NONE) {
        return line;
    }
    line = list_first_idle(fw, s->mixed.links, s->mixed.pages.oldest);
    while (line != FW_NONE && (s->mixed.marks[line] & HOT)) {
        const u32 next = s->mixed.links[line].newer;
        if (!fw->buffer->lines[line].dirty) {
            return line; /* cold and clean now, the only one that is idle */
        }
        put(fw, line, 0);
        line = list_first_idle(fw, s->mixed.links, next == FW_NONE ? s->mixed.pages.oldest : next);
    }
    return line;
}

const struct buffer_policy_ops buffer_policy_ccf_lru = {
    .retain = true,
    .write_back = true,
    .bytes = list_state_bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .leave = leave,
    .victim = victim,
};
