// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer: its memory and its messages.
#include "firmware/buffer/buffer.h"

#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"
#include "firmware/core/panic.h"

static const struct buffer_policy_ops *const policies[FW_BUFFER_COUNT] = {
#define BUFFER_POLICY(id, name, text) &buffer_policy_##name,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
};

const struct buffer_policy_ops *buffer_policy_of(u32 kind) { return policies[kind]; }

/* hil asks for at most 64 pages of a command at once (HIL_WINDOW), and for so many at all. */
static u32 request_pool(const struct fw_config *cfg)
{
    return fw_min_u32(cfg->host_tags * 64, FW_MAX_PAGE_REQUESTS);
}

static u32 hash_entries(const struct fw_config *cfg)
{
    u32 n = 64;
    while (n < 2 * cfg->lines) {
        n *= 2;
    }
    return n;
}

u32 fw_buffer_dram_bytes(const struct fw_config *cfg)
{
    return line_dram_bytes(cfg) + unit_packing_pages(cfg) * cfg->page_bytes;
}

static u64 set_bytes(const struct fw_config *cfg)
{
    return policies[cfg->buffer_policy]->victims ? cfg->channels * sizeof(struct buffer_leaving) + 64 : 0;
}

u64 fw_buffer_line_bytes(const struct fw_config *cfg)
{
    return (u64)cfg->lines * sizeof(struct cache_line) + (u64)hash_entries(cfg) * 4 + hit_manager_bytes(cfg) +
           policies[cfg->buffer_policy]->bytes(cfg);
}

u64 fw_buffer_prefetch_bytes(const struct fw_config *cfg) { return prefetch_bytes(cfg); }

/* A program or read of each line, or of the temporary that completes it. */
u32 fw_buffer_ops(const struct fw_config *cfg) { return cfg->lines + FW_BUFFER_TEMPS; }

u64 fw_buffer_bytes(const struct fw_config *cfg, u32 ops)
{
    (void)ops;
    return sizeof(struct fw_buffer) + fw_buffer_line_bytes(cfg) +
           (u64)request_pool(cfg) * sizeof(struct page_request) + lost_table_bytes(cfg) +
           read_ahead_bytes(cfg) + prefetch_bytes(cfg) + unit_packing_bytes(cfg) + set_bytes(cfg) +
           2 * LINE_FILTER + 512;
}

bool fw_buffer_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_buffer *b = fw->buffer = fw_fast_table(fw, 1, sizeof *b);
    if (!b) {
        return false;
    }
    b->policy = policies[cfg->buffer_policy];
    b->lines = fw_table(fw, cfg->lines, sizeof(struct cache_line));
    b->hash = fw_fast_table(fw, hash_entries(cfg), 4);
    b->requests = fw_fast_table(fw, request_pool(cfg), sizeof(struct page_request));
    b->alloc_wait_filter = fw_fast_table(fw, LINE_FILTER, 2);
    if (!b->lines || !b->hash || !b->requests || !b->alloc_wait_filter || !lost_boot(fw) ||
        !hit_manager_boot(fw) || !read_ahead_boot(fw) || !prefetch_boot(fw) || !unit_packing_boot(fw)) {
        return false;
    }
    b->hash_far = fw_is_far(fw, b->hash);
    b->requests_far = fw_is_far(fw, b->requests);
    b->hash_mask = hash_entries(cfg) - 1;
    b->sectors_per_page = fw_unit_bytes(cfg) / 512;
    b->full_mask = fw_mask(0, b->sectors_per_page);
    for (u32 i = 0; i < cfg->lines; ++i) {
        b->lines[i].free_next = i + 1 < cfg->lines ? i + 1 : FW_NONE;
    }
    for (u32 i = 0; i < request_pool(cfg); ++i) {
        b->requests[i].next = i + 1 < request_pool(cfg) ? i + 1 : FW_NONE;
    }
    /* A read of the last unit of a flash page puts it into its line by naming a page buffer that begins
       so many units before: the first lines are left out, so that it never begins before the memory. */
    b->free = fw_page_units(cfg) - 1;
    b->free_count = cfg->lines - b->free;
    b->retain = b->policy->retain && !cfg->reads_bypass;
    b->write_back = b->policy->write_back && !cfg->write_through;
    b->low_water = b->policy->retain && !cfg->evict_on_demand ? fw_min_u32(cfg->free_lines, cfg->lines / 8) : 0;
    b->queue_pages = b->low_water && b->write_back ? fw_min_u32(cfg->queue_pages, cfg->lines / 2) : 0;
    b->exact = b->policy->victims || cfg->evict_on_demand;
    if (b->policy->victims) {
        b->set = fw_fast_table(fw, cfg->channels, sizeof(struct buffer_leaving));
        if (!b->set) {
            return false;
        }
    }
    b->temp_free = (1u << FW_BUFFER_TEMPS) - 1;
    b->alloc_wait.head = b->alloc_wait.tail = FW_NONE;
    b->temp_wait.head = b->temp_wait.tail = FW_NONE;
    b->flush_tag = FW_NONE;
    return b->policy->boot(fw);
}

bool fw_buffer_idle(const struct fw *fw)
{
    const struct fw_buffer *b = fw->buffer;
    return fw_fifo_empty(&b->alloc_wait) && b->programming == 0 && b->fetching == 0 &&
           (!b->prefetch || !b->prefetch->looks) &&
           b->temp_free == (1u << FW_BUFFER_TEMPS) - 1;
}

void fw_buffer_message(struct fw *fw, const struct fw_message *message)
{
    struct fw_buffer *b = fw->buffer;
    switch (message->kind) {
    case FW_MSG_PAGE_READ:
    case FW_MSG_PAGE_WRITE:
    case FW_MSG_PAGE_TRIM:
        if (!b->power_fail) {
            request_arrived(fw, message);
        }
        break;
    case FW_MSG_PAGE_RELEASE:
        --b->lines[message->a].readers;
        buffer_settle(fw, message->a);
        break;
    case FW_MSG_PAGE_RECEIVED:
        request_received(fw, message->a, message->tag, message->b, message->c != 0);
        break;
    case FW_MSG_FLUSH:
        buffer_flush(fw, message->tag, message->a != 0);
        break;
    case FW_MSG_POWER_FAIL:
        buffer_power_fail(fw);
        break;
    case FW_MSG_PAGE_RETURN:
        b->lines[message->a].state = LINE_STABLE;
        buffer_settle(fw, message->a);
        break;
    case FW_MSG_FTL_FLUSHED:
        b->ftl_flushes = false;
        b->write_lost |= message->a != 0;
        buffer_flushed(fw);
        break;
    case FW_MSG_TIMER:
        b->timer_armed = false;
        b->background = true;
        b->flush_cursor = 0; /* a FLUSH that runs looks at all lines once more */
        buffer_flush_more(fw);
        break;
    case FW_MSG_PAGE_OP_DONE:
        buffer_op_done(fw, message->a, message->b);
        if (b->prefetch) {
            prefetch_wake(fw);
        }
        break;
    case FW_MSG_PREFETCH_LOOK:
        prefetch_look(fw);
        break;
    case FW_MSG_PACK_LOOK:
        unit_packing_look(fw);
        break;
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->kind);
    }
}
