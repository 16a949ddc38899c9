// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what replacement policies with one list of all pages have in common.
#include "firmware/buffer/policies/list.h"

enum { STATE_BYTES = 320 }; /* no policy's own state is larger, alignment of three tables included */

u64 list_state_bytes(const struct fw_config *cfg)
{
    return STATE_BYTES + (u64)cfg->lines * (sizeof(struct line_link) + 1);
}

void *list_state_boot_as(struct fw *fw, u32 state_bytes)
{
    struct list_state *s = fw_fast_table(fw, 1, state_bytes);
    if (!s) {
        return 0;
    }
    s->links = fw_fast_table(fw, fw->cfg.lines, sizeof(struct line_link));
    s->marks = fw_fast_table(fw, fw->cfg.lines, 1);
    list_init(&s->pages);
    fw->buffer->policy_state = s;
    return s->links && s->marks ? s : 0;
}

bool list_state_boot(struct fw *fw) { return list_state_boot_as(fw, sizeof(struct list_state)) != 0; }

void list_state_enter(struct fw *fw, u32 line)
{
    struct list_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->marks[line] = 0;
    list_append(&s->pages, s->links, line);
}

void list_state_leave(struct fw *fw, u32 line)
{
    struct list_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(&s->pages, s->links, line);
}
