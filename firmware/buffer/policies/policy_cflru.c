// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `cflru`: write-back; clean-first LRU (Park et al. 2006): of the
// `buffer.clean_window` oldest pages the clean ones leave first, the least recently used among them.
#include "firmware/buffer/policies/list.h"
#include "firmware/buffer/policies/oldest.h"
#include "firmware/buffer/lines.h"

struct fw_policy_state {
    struct line_list pages; /* in order of use */
    struct line_link *links;
    u64 *stamps; /* ascending along the list */
    u64 stamp;
    u32 edge;    /* the youngest page of the window, which holds the `clean_window` oldest */
    struct line_oldest clean; /* and idle */
};

static u64 bytes(const struct fw_config *cfg)
{
    return sizeof(struct fw_policy_state) + (u64)cfg->lines * (sizeof(struct line_link) + 8) +
           oldest_bytes(cfg->lines) + 192;
}

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->links = fw_fast_table(fw, fw->cfg.lines, sizeof(struct line_link));
    s->stamps = fw_fast_table(fw, fw->cfg.lines, 8);
    list_init(&s->pages);
    s->edge = FW_NONE;
    fw->buffer->policy_state = s;
    return s->links && s->stamps && oldest_boot(fw, &s->clean, s->stamps, fw->cfg.lines);
}

static bool in_window(const struct fw_policy_state *s, u32 line)
{
    return s->edge != FW_NONE && s->stamps[line] <= s->stamps[s->edge];
}

static void enter(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->stamps[line] = ++s->stamp;
    list_append(&s->pages, s->links, line);
    if (s->pages.count <= fw->cfg.clean_window) {
        s->edge = line;
    }
}

static void leave(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    if (in_window(s, line)) {
        const u32 next = s->links[s->edge].newer;
        if (next != FW_NONE) {
            s->edge = next;
        } else if (s->edge == line) {
            s->edge = s->links[line].older;
        }
    }
    list_remove(&s->pages, s->links, line);
}

static void use(struct fw *fw, u32 line, bool write, bool hit)
{
    (void)write;
    (void)hit;
    leave(fw, line);
    enter(fw, line);
}

static void idle(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (!fw->buffer->lines[line].dirty) {
        oldest_change(fw, &s->clean, line, true);
    }
}

static void busy(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (s->clean.members[line]) {
        oldest_change(fw, &s->clean, line, false);
    }
}

static u32 victim(struct fw *fw)
{
    const struct fw_policy_state *s = fw->buffer->policy_state;
    const u32 clean = oldest_first(&s->clean);
    return clean != FW_NONE && in_window(s, clean) ? clean
                                                   : list_first_idle(fw, s->links, s->pages.oldest);
}

const struct buffer_policy_ops buffer_policy_cflru = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .idle = idle,
    .busy = busy,
    .leave = leave,
    .victim = victim,
};
