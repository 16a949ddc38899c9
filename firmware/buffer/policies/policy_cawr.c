// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `cawr`: channel-aware write reordering over pages (Wang et al., "CAWR: Buffer
// Replacement with Channel-Aware Write Reordering Mechanism for SSDs", ETRI Journal 37 (1), 2015, Algorithms
// 1 and 2). Cold dirty pages stand in one list a channel, consecutive ones in the same; the heads of all
// lists leave together, each to its channel, so that a run lies in one block. Cold clean pages leave first.
#include "firmware/buffer/policies/cawr.h"

static u64 bytes(const struct fw_config *cfg)
{
    return sizeof(struct cawr) + (u64)cfg->lines * (sizeof(struct line_link) + 2) +
           (u64)cfg->channels * sizeof(struct line_list) + 320;
}

static bool boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct cawr *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->cold_dirty = fw_fast_table(fw, cfg->channels, sizeof(struct line_list));
    s->links = fw_fast_table(fw, cfg->lines, sizeof(struct line_link));
    s->where = fw_fast_table(fw, cfg->lines, 1);
    s->cold = fw_fast_table(fw, cfg->lines, 1);
    if (!s->cold_dirty || !s->links || !s->where || !s->cold) {
        return false;
    }
    list_init(&s->working);
    list_init(&s->cold_clean);
    for (u32 i = 0; i < cfg->channels; ++i) {
        list_init(&s->cold_dirty[i]);
    }
    fw->buffer->policy_state = s;
    return true;
}

static void put(struct cawr *s, u32 line, u8 where)
{
    const u8 from = s->where[line];
    s->where[line] = where;
    if (from >= CAWR_COLD_DIRTY) {
        list_remove(&s->cold_dirty[from - CAWR_COLD_DIRTY], s->links, line);
        s->filled -= s->cold_dirty[from - CAWR_COLD_DIRTY].count == 0;
    } else if (from != CAWR_NOWHERE) {
        list_remove(from == CAWR_WORKING ? &s->working : &s->cold_clean, s->links, line);
    }
    if (where >= CAWR_COLD_DIRTY) {
        s->filled += s->cold_dirty[where - CAWR_COLD_DIRTY].count == 0;
        list_append(&s->cold_dirty[where - CAWR_COLD_DIRTY], s->links, line);
    } else if (where != CAWR_NOWHERE) {
        list_append(where == CAWR_WORKING ? &s->working : &s->cold_clean, s->links, line);
    }
}

static void work(struct fw *fw, u32 line, u8 cold)
{
    struct cawr *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->cold[line] = cold;
    put(s, line, CAWR_WORKING);
}

static void enter(struct fw *fw, u32 line) { work(fw, line, 0); }

static void use(struct fw *fw, u32 line, bool write, bool hit)
{
    (void)write;
    (void)hit;
    work(fw, line, 0);
}

/* A cold page that stayed without being used: a FLUSH has made it clean, or it was not written after all. */
static void idle(struct fw *fw, u32 line)
{
    struct cawr *s = fw->buffer->policy_state;
    if (s->where[line] != CAWR_NOWHERE) {
        return;
    }
    if (fw->buffer->lines[line].dirty) {
        work(fw, line, 0);
    } else {
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        put(s, line, CAWR_COLD_CLEAN);
    }
}

static void busy(struct fw *fw, u32 line)
{
    struct cawr *s = fw->buffer->policy_state;
    if (s->where[line] != CAWR_WORKING) {
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        put(s, line, CAWR_NOWHERE);
    }
}

static void leave(struct fw *fw, u32 line)
{
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    put(fw->buffer->policy_state, line, CAWR_NOWHERE);
}

/* Whether the page goes on where the list ends; with any_neighbour, whether it lies beside any of its pages. */
static bool is_sequence(struct fw *fw, u32 line, const struct line_list *list)
{
    const struct cawr *s = fw->buffer->policy_state;
    const struct cache_line *lines = fw->buffer->lines;
    const u32 lpn = lines[line].lpn;
    if (!fw->cfg.cawr_any_neighbour) {
        return lines[list->newest].lpn + 1 == lpn;
    }
    for (u32 i = list->oldest; i != FW_NONE; i = s->links[i].newer) {
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        if (lines[i].lpn + 1 == lpn || lines[i].lpn == lpn + 1) {
            return true;
        }
    }
    return false;
}

/* Algorithm 1, toCDLs. */
static bool to_cold_dirty(struct fw *fw, u32 line)
{
    struct cawr *s = fw->buffer->policy_state;
    u32 empty = FW_NONE;
    for (u32 i = 0; i < fw->cfg.channels; ++i) {
        const struct line_list *list = &s->cold_dirty[i];
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        if (list->count == 0) {
            empty = empty == FW_NONE ? i : empty;
        } else if (list->count < fw->cfg.cawr_list && is_sequence(fw, line, list)) {
            put(s, line, (u8)(CAWR_COLD_DIRTY + i));
            return true;
        }
    }
    if (empty != FW_NONE) {
        put(s, line, (u8)(CAWR_COLD_DIRTY + empty));
    }
    return empty != FW_NONE;
}

/* Algorithm 2's lines 14 to 29: from the end of the working list on, until a clean page is met or a cold
   dirty one that has no list. Pages in use are passed over. */
static void retire(struct fw *fw)
{
    struct cawr *s = fw->buffer->policy_state;
    u32 line = list_first_idle(fw, s->links, s->working.oldest);
    while (line != FW_NONE && fw->buffer->lines[line].dirty) {
        u32 next = s->links[line].newer;
        if (!s->cold[line]) {
            work(fw, line, 1);
            next = next == FW_NONE ? line : next;
        } else if (!to_cold_dirty(fw, line)) {
            return;
        }
        line = list_first_idle(fw, s->links, next);
    }
    if (line != FW_NONE) {
        put(s, line, CAWR_COLD_CLEAN);
    }
}

/* Algorithm 2. As printed it finds nothing where the working list runs empty before all lists have a page:
   then those that have one give theirs (a partial set), but only if somebody waits. */
static u32 victims(struct fw *fw, struct buffer_leaving *set, bool must)
{
    struct cawr *s = fw->buffer->policy_state;
    const u32 channels = fw->cfg.channels;
    u32 count = 0;
    if (s->cold_clean.count == 0 && s->filled < channels) {
        retire(fw);
    }
    if (s->cold_clean.count != 0) {
        set[0] = (struct buffer_leaving){s->cold_clean.oldest, FW_NONE};
        return 1;
    }
    if (s->filled == 0 || (s->filled < channels && !must)) {
        return 0;
    }
    for (u32 i = 0; i < channels; ++i) {
        if (s->cold_dirty[i].count != 0) {
            set[count++] = (struct buffer_leaving){s->cold_dirty[i].oldest, i};
        }
    }
    ++*(count == channels ? &fw->stats.evicted_sets : &fw->stats.partial_sets);
    return count;
}

const struct buffer_policy_ops buffer_policy_cawr = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .idle = idle,
    .busy = busy,
    .leave = leave,
    .victims = victims,
};
