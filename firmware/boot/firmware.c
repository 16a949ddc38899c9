// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware as a whole: sizes, boot, the event loop of a core. Which modules there are: modules.def.
#include "firmware/boot/firmware.h"

#include "firmware/buffer/buffer.h"
#include "firmware/core/op.h"
#include "firmware/core/panic.h"
#include "firmware/core/sched_traits.h"
#include "firmware/ftl/ftl.h"
#include "firmware/hil/hil.h"
#include "firmware/sched/sched.h"

/* Ops in the pool: each owner has at most its share of them at once. */
static u32 op_pool_size(const struct fw_config *cfg)
{
    return 0
#define MODULE(id, name) + fw_##name##_ops(cfg)
#include "firmware/boot/modules.def"
#undef MODULE
        ;
}

u64 fw_arena_bytes(const struct fw_config *cfg)
{
    const u32 ops = op_pool_size(cfg);
    const u64 rounding = 4096; /* of each table to 64 bytes */
    return FW_FAST_BYTES + rounding + fw_core_bytes(cfg, ops)
#define MODULE(id, name) + fw_##name##_bytes(cfg, ops)
#include "firmware/boot/modules.def"
#undef MODULE
        ;
}

u64 fw_line_table_bytes(const struct fw_config *cfg) { return fw_buffer_line_bytes(cfg); }

u64 fw_prefetch_table_bytes(const struct fw_config *cfg) { return fw_buffer_prefetch_bytes(cfg); }

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
    fw->module = FW_MODULE_CORE;
    fw->op_count = op_pool_size(cfg);
    fw->sched_traits = fw_sched_traits[cfg->scheduler];
    fw->gc_base = fw_gc_base(cfg);
    return fw_core_boot(fw)
#define MODULE(id, name) && fw_##name##_boot(fw)
#include "firmware/boot/modules.def"
#undef MODULE
        ;
}

static void dispatch(struct fw *fw, const struct fw_message *message)
{
    fw_enter(fw, message->module);
    switch (message->module) {
#define MODULE(id, name)                  \
    case FW_MODULE_##id:                    \
        fw_##name##_message(fw, message); \
        break;
#include "firmware/boot/modules.def"
#undef MODULE
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->module);
    }
}

/* A message that comes as an event: the ring is empty, so that it is the next. */
static struct fw_message *next_message(struct fw *fw) { return fw_ring_at(fw->here, fw->here->tail++); }

static void take_event(struct fw *fw, const struct hal_event *event)
{
    switch (event->kind) {
    case HAL_EVENT_HOST_COMMAND:
        fw_enter(fw, FW_MODULE_HIL);
        fw_hil_command(fw, &event->u.command);
        break;
    case HAL_EVENT_HOST_DMA:
        fw_enter(fw, FW_MODULE_HIL);
        fw_hil_dma_done(fw, event->tag, event->cookie);
        break;
    case HAL_EVENT_FLASH:
        fw_enter(fw, FW_MODULE_SCHED);
        fw_sched_completion(fw, &event->u.flash);
        break;
    case HAL_EVENT_FLASH_SPACE:
        fw_enter(fw, FW_MODULE_SCHED);
        fw_sched_space(fw);
        break;
    case HAL_EVENT_COPY:
        fw_enter(fw, FW_MODULE_BUFFER);
        fw_buffer_copy_done(fw, event->cookie);
        break;
    case HAL_EVENT_MESSAGE:
        fw_charge(fw, FW_COST_EVENT_MESSAGE, 1);
        memcpy(next_message(fw), &event->u.message, sizeof(struct fw_message));
        break;
    case HAL_EVENT_TIMER:
        *next_message(fw) = (struct fw_message){.kind = FW_MSG_TIMER, .module = event->cookie};
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
    fw->step_cycles = fw->module_began = 0;
    fw->module = FW_MODULE_CORE;
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
        fw_enter(fw, FW_MODULE_CORE);
        core->head = core->tail = 0; /* stay in the cache */
        fw_charge(fw, FW_COST_EVENT_NEXT, 1);
    }
    fw_charge(fw, FW_COST_SLEEP, 1);
    fw_enter(fw, FW_MODULE_CORE);
}

bool fw_idle(const struct fw *fw)
{
    for (u32 i = 0; i < fw->cfg.cores; ++i) {
        if (fw->cores[i].head != fw->cores[i].tail) {
            return false;
        }
    }
    return true
#define MODULE(id, name) && fw_##name##_idle(fw)
#include "firmware/boot/modules.def"
#undef MODULE
        ;
}

bool fw_mounted(const struct fw *fw) { return fw_ftl_mounted(fw); }

void fw_mark_bad(struct fw *fw, u32 die, u32 plane, u32 block) { fw_ftl_mark_bad(fw, die, plane, block); }

#ifdef FW_NATIVE
bool fw_fill(struct fw *fw, u32 turns, u32 commands)
{
    const u64 pages = fw_ftl_fillable(fw, turns);
    if (pages == 0 || !fw_sched_pass(fw, (u32)pages)) {
        return false;
    }
    fw_ftl_fill(fw, turns);
    fw_hil_pass(fw, commands);
    return true;
}

void fw_hint_completion(const struct fw *fw, u32 tag)
{
    if (fw_sched_wants_oob(fw, tag)) {
        struct fw_oob oob;
        memcpy(&oob, fw->oob + tag * 64, sizeof oob);
        fw_ftl_hint_page(fw, oob.lpn);
    }
}
#endif

void fw_hint_command(const struct fw *fw, u64 lba) { fw_ftl_hint(fw, lba); }

u64 fw_free_blocks(const struct fw *fw) { return fw_ftl_free_blocks(fw); }

void fw_wear(const struct fw *fw, u32 *least, u32 *most, u64 *sum, u64 *sum_of_squares)
{
    fw_ftl_wear(fw, least, most, sum, sum_of_squares);
}
