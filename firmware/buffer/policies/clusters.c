// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: blocks on their way out, one list a channel (clusters.h). For the policy below a page that stands
// here is in use; one that is used goes back to it.
#include "firmware/buffer/policies/clusters.h"

u64 clusters_bytes(const struct fw_config *cfg, u32 over)
{
    return sizeof(struct clusters) + (u64)cfg->channels * (sizeof(struct line_list) + 1) +
           (u64)cfg->lines * (sizeof(struct line_link) + 1) + 5 * 64 + buffer_policy_of(over)->bytes(cfg);
}

bool clusters_boot(struct fw *fw, u32 over)
{
    const struct fw_config *cfg = &fw->cfg;
    struct clusters *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->over = buffer_policy_of(over);
    s->lists = fw_fast_table(fw, cfg->channels, sizeof(struct line_list));
    s->links = fw_fast_table(fw, cfg->lines, sizeof(struct line_link));
    s->where = fw_fast_table(fw, cfg->lines, 1);
    s->order = fw_fast_table(fw, cfg->channels, 1);
    if (!s->lists || !s->links || !s->where || !s->order || !s->over->by_block) {
        return false;
    }
    for (u32 i = 0; i < cfg->channels; ++i) {
        list_init(&s->lists[i]);
    }
    s->held = FW_NONE;
    fw->buffer->set_state = s;
    return s->over->boot(fw);
}

void clusters_enter(struct fw *fw, u32 line)
{
    const struct clusters *s = fw->buffer->set_state;
    if (s->over->enter) {
        s->over->enter(fw, line);
    }
}

void clusters_use(struct fw *fw, u32 line, bool write, bool hit)
{
    const struct clusters *s = fw->buffer->set_state;
    s->over->use(fw, line, write, hit);
}

/* True: it stood here; the other policy has been told already that it is busy. */
static bool take_back(struct fw *fw, struct clusters *s, u32 line)
{
    const u32 from = s->where[line];
    if (from == 0) {
        return false;
    }
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->where[line] = 0;
    if (from == CLUSTER_HELD) {
        s->held = FW_NONE;
        return true;
    }
    list_remove(&s->lists[from - 1], s->links, line);
    if (s->lists[from - 1].count == 0) {
        u32 at = 0;
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        while (s->order[at] != from - 1) {
            ++at;
        }
        for (--s->filled; at < s->filled; ++at) {
            s->order[at] = s->order[at + 1];
        }
    }
    return true;
}

void clusters_idle(struct fw *fw, u32 line)
{
    struct clusters *s = fw->buffer->set_state;
    if (take_back(fw, s, line)) { /* a request could not be served and has changed nothing */
        fw->buffer->lines[line].used &= (u8)~LINE_CHOSEN;
    }
    s->over->idle(fw, line);
}

void clusters_busy(struct fw *fw, u32 line)
{
    struct clusters *s = fw->buffer->set_state;
    if (!take_back(fw, s, line)) {
        s->over->busy(fw, line);
    }
}

void clusters_leave(struct fw *fw, u32 line)
{
    const struct clusters *s = fw->buffer->set_state;
    s->over->leave(fw, line);
}

static u32 block_of(const struct fw *fw, u32 line)
{
    return fw->buffer->lines[line].lpn / fw->cfg.block_pages;
}

/* Into the list of its block, else into the first empty one; false: there is none. */
static bool to_list(struct fw *fw, struct clusters *s, u32 line)
{
    u32 empty = FW_NONE;
    for (u32 i = 0; i < fw->cfg.channels; ++i) {
        const u32 newest = s->lists[i].newest;
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        if (newest == FW_NONE) {
            empty = empty == FW_NONE ? i : empty;
        } else if (block_of(fw, newest) == block_of(fw, line)) {
            list_append(&s->lists[i], s->links, line);
            s->where[line] = (u8)(i + 1);
            return true;
        }
    }
    if (empty == FW_NONE) {
        return false;
    }
    list_append(&s->lists[empty], s->links, line);
    s->where[line] = (u8)(empty + 1);
    s->order[s->filled++] = (u8)empty;
    return true;
}

bool clusters_fill(struct fw *fw, struct buffer_leaving *set)
{
    struct clusters *s = fw->buffer->set_state;
    for (;;) {
        if (s->held != FW_NONE) {
            if (!to_list(fw, s, s->held)) {
                return false;
            }
            s->held = FW_NONE;
        }
        const u32 line = s->over->victim(fw);
        if (line == FW_NONE) {
            return false;
        }
        struct cache_line *page = &fw->buffer->lines[line];
        if (!page->dirty) {
            set[0] = (struct buffer_leaving){line, FW_NONE};
            return true;
        }
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        fw->buffer->idle_count -= page->idle;
        page->idle = 0;
        page->used |= LINE_CHOSEN;
        s->over->busy(fw, line);
        s->where[line] = CLUSTER_HELD;
        s->held = line;
    }
}

bool clusters_ready(struct fw *fw, bool must)
{
    const struct clusters *s = fw->buffer->set_state;
    const bool full = s->filled == fw->cfg.channels;
    if (s->filled == 0 || (!full && !must)) {
        return false;
    }
    ++*(full ? &fw->stats.evicted_sets : &fw->stats.partial_sets);
    return true;
}
