// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: boot, the event loop of a core, and the message rings.
#include "firmware/core/panic.h"

#include "firmware/buffer/buffer.h"
#include "firmware/core/op.h"
#include "firmware/ftl/ftl.h"
#include "firmware/hil/hil.h"
#include "firmware/sched/sched.h"

static void *take(u8 **from, const u8 *end, u64 count, u32 entry_bytes)
{
    const u64 bytes = (count * entry_bytes + 63) & ~(u64)63;
    if ((u64)(end - *from) < bytes) {
        return 0;
    }
    void *table = *from;
    *from += bytes;
    return table;
}

void *fw_table(struct fw *fw, u64 count, u32 entry_bytes)
{
    return take(&fw->arena, fw->arena_end, count, entry_bytes);
}

void *fw_fast_table(struct fw *fw, u64 count, u32 entry_bytes)
{
    const u64 left = (u64)(fw->fast_end - fw->fast);
    void *table = count * entry_bytes <= left / 2 ? take(&fw->fast, fw->fast_end, count, entry_bytes) : 0;
    return table ? table : fw_table(fw, count, entry_bytes);
}

/* Ops in the pool: each owner has at most its share of them at once. */
static u32 op_pool_size(const struct fw_config *cfg)
{
    return fw_hil_ops(cfg) + fw_buffer_ops(cfg) + fw_ftl_ops(cfg) + fw_sched_ops(cfg);
}

u64 fw_arena_bytes(const struct fw_config *cfg)
{
    const u32 ops = op_pool_size(cfg);
    u64 bytes = FW_FAST_BYTES + 4096; /* rounding of each table to 64 bytes */
    bytes += cfg->cores * (sizeof(struct fw_core) + (u64)FW_RING_ENTRIES * sizeof(struct fw_message));
    bytes += (u64)ops * sizeof(struct fw_op);
    bytes += (u64)cfg->flash_tags * 64;
    bytes += cfg->unit_bits == 0 ? 0 : (u64)ops * 4 << cfg->unit_bits;
    return bytes + fw_hil_bytes(cfg, ops) + fw_buffer_bytes(cfg, ops) + fw_ftl_bytes(cfg, ops) +
           fw_sched_bytes(cfg, ops);
}

u64 fw_page_buffer_bytes(const struct fw_config *cfg)
{
    return (u64)fw_buffer_end(cfg) + fw_ftl_buffer_bytes(cfg);
}

static bool boot_rings(struct fw *fw)
{
    fw->cores = fw_fast_table(fw, fw->cfg.cores, sizeof(struct fw_core));
    if (!fw->cores) {
        return false;
    }
    for (u32 i = 0; i < fw->cfg.cores; ++i) {
        struct fw_core *core = &fw->cores[i];
        core->ring = fw_table(fw, FW_RING_ENTRIES, sizeof(struct fw_message));
        core->fast = take(&fw->fast, fw->fast_end, FW_RING_FAST, sizeof(struct fw_message));
        if (!core->ring) {
            return false;
        }
        if (!core->fast) {
            core->fast = core->ring;
        }
    }
    return true;
}

bool fw_boot(struct fw *fw, const struct fw_config *cfg, struct hal *hal, void *arena, u64 bytes)
{
#ifdef FW_NATIVE
    /* All memory is alike here, but what an access costs depends on where its table would be. */
    if (bytes < FW_FAST_BYTES) {
        return false;
    }
    return fw_boot_with(fw, cfg, hal, (u8 *)arena + FW_FAST_BYTES, bytes - FW_FAST_BYTES, arena,
                        FW_FAST_BYTES);
#else
    return fw_boot_with(fw, cfg, hal, arena, bytes, arena, 0);
#endif
}

FW_COLD bool fw_boot_with(struct fw *fw, const struct fw_config *cfg, struct hal *hal, void *arena, u64 bytes,
                  void *fast, u64 fast_bytes)
{
    memset(fw, 0, sizeof *fw);
    fw->cfg = *cfg;
    fw->hal = hal;
    fw->arena = arena;
    fw->arena_end = fw->arena + bytes;
    fw->fast = fast;
    fw->fast_end = fw->fast + fast_bytes;
    fw->room = FW_ROOM_CORE;
    if (!boot_rings(fw)) {
        return false;
    }
    fw->here = fw->cores;
    fw->op_count = op_pool_size(cfg);
    fw->ops = fw_table(fw, fw->op_count, sizeof(struct fw_op));
    fw->oob = fw_table(fw, cfg->flash_tags, 64);
    if (!fw->ops || !fw->oob) {
        return false;
    }
    if (cfg->unit_bits != 0) {
        fw->units = fw_table(fw, (u64)fw->op_count << cfg->unit_bits, 4);
        if (!fw->units) {
            return false;
        }
    }
    for (u32 i = 0; i < fw->op_count; ++i) {
        fw->ops[i].next = i + 1 < fw->op_count ? i + 1 : FW_NONE;
    }
    fw->op_free = 0;
    return fw_hil_boot(fw) && fw_buffer_boot(fw) && fw_ftl_boot(fw) && fw_sched_boot(fw);
}

void fw_send_remote(struct fw *fw, const struct fw_message *message)
{
    fw_charge(fw, FW_COST_MESSAGE_REMOTE, 1);
    struct hal_message out;
    memcpy(&out, message, sizeof out);
    hal_send(fw->hal, fw->cfg.core_of[message->room], &out);
    fw_charge(fw, FW_COST_MESSAGE_SENT, 1);
}

void fw_ring_overflow(struct fw *fw, u32 room) { fw_panic(fw, FW_PANIC_RING_FULL, room); }

static void dispatch(struct fw *fw, const struct fw_message *message)
{
    fw_enter(fw, message->room);
    switch (message->room) {
    case FW_ROOM_HIL:
        fw_hil_message(fw, message);
        break;
    case FW_ROOM_BUFFER:
        fw_buffer_message(fw, message);
        break;
    case FW_ROOM_FTL:
        fw_ftl_message(fw, message);
        break;
    case FW_ROOM_SCHED:
        fw_sched_message(fw, message);
        break;
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->room);
    }
}

/* A message that comes as an event: the ring is empty, so that it is the next. */
static struct fw_message *next_message(struct fw *fw) { return fw_ring_at(fw->here, fw->here->tail++); }

static void take_event(struct fw *fw, const struct hal_event *event)
{
    switch (event->kind) {
    case HAL_EVENT_HOST_COMMAND:
        fw_enter(fw, FW_ROOM_HIL);
        fw_hil_command(fw, &event->u.command);
        break;
    case HAL_EVENT_HOST_DMA:
        fw_enter(fw, FW_ROOM_HIL);
        fw_hil_dma_done(fw, event->tag, event->cookie);
        break;
    case HAL_EVENT_FLASH:
        fw_enter(fw, FW_ROOM_SCHED);
        fw_sched_completion(fw, &event->u.flash);
        break;
    case HAL_EVENT_FLASH_SPACE:
        fw_enter(fw, FW_ROOM_SCHED);
        fw_sched_space(fw);
        break;
    case HAL_EVENT_COPY:
        fw_enter(fw, FW_ROOM_BUFFER);
        fw_buffer_copy_done(fw, event->cookie);
        break;
    case HAL_EVENT_MESSAGE:
        fw_charge(fw, FW_COST_EVENT_MESSAGE, 1);
        memcpy(next_message(fw), &event->u.message, sizeof(struct fw_message));
        break;
    case HAL_EVENT_TIMER:
        *next_message(fw) = (struct fw_message){.kind = FW_MSG_TIMER, .room = event->cookie};
        break;
    default:
        fw_panic(fw, FW_PANIC_BAD_EVENT, event->kind);
    }
}

FW_APART void fw_step(struct fw *fw, u32 core_number, u64 now_us)
{
    struct fw_core *core = &fw->cores[core_number];
    struct hal_event event;
    fw->core = core_number;
    fw->here = core;
    fw->now_us = now_us;
    fw->step_cycles = fw->room_began = 0;
    fw->room = FW_ROOM_CORE;
    fw_charge(fw, FW_COST_STEP, 1);
    while (hal_next_event(fw->hal, core_number, &event)) {
        fw_charge(fw, FW_COST_EVENT, 1);
        take_event(fw, &event);
        while (core->head != core->tail) {
            const struct fw_message *message = fw_ring_at(core, core->head);
            ++core->head;
            fw_charge(fw, FW_COST_MESSAGE_TAKE, 1);
            dispatch(fw, message);
        }
        fw_enter(fw, FW_ROOM_CORE);
        core->head = core->tail = 0; /* stay in the cache */
        fw_charge(fw, FW_COST_EVENT_NEXT, 1);
    }
    fw_charge(fw, FW_COST_SLEEP, 1);
    fw_enter(fw, FW_ROOM_CORE);
}

/* Each room has the hardware timer of its number. */
void fw_timer_arm(struct fw *fw, enum fw_room room, u64 at_us)
{
    hal_timer_arm(fw->hal, room, at_us);
}

bool fw_idle(const struct fw *fw)
{
    for (u32 i = 0; i < fw->cfg.cores; ++i) {
        if (fw->cores[i].head != fw->cores[i].tail) {
            return false;
        }
    }
    return fw_hil_idle(fw) && fw_buffer_idle(fw) && fw_ftl_idle(fw) && fw_sched_idle(fw);
}

void fw_panic(struct fw *fw, u32 code, u32 detail) { hal_panic(fw->hal, code, detail); }

u32 fw_op_alloc(struct fw *fw)
{
    const u32 op = fw->op_free;
    if (op == FW_NONE) {
        fw_panic(fw, FW_PANIC_OPS_EXHAUSTED, 0);
        return 0;
    }
    fw->op_free = fw->ops[op].next;
    struct fw_op *o = &fw->ops[op];
    o->next = FW_NONE;
    o->mate = FW_NONE;
    o->die = FW_NONE;
    o->flags = 0;
    o->status = FLASH_STATUS_OK;
    o->request = 0;
    o->read_hits = o->hits = 0;
    return op;
}

void fw_op_free(struct fw *fw, u32 op)
{
    fw->ops[op].next = fw->op_free;
    fw->op_free = op;
}

u32 fw_oob_check(const struct fw_oob *oob)
{
    u32 check = 0x9e3779b9u ^ oob->lpn;
    check = (check << 7 | check >> 25) ^ oob->sequence_low;
    check = (check << 7 | check >> 25) ^ ((u32)oob->sequence_high << 16 | (u32)oob->kind << 8);
    return check * 0x85ebca6bu;
}
