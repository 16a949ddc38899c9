// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what all modules stand on: tables, message rings, operations, timers.
#include "firmware/core/op.h"
#include "firmware/core/panic.h"

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

u32 fw_table_base(const struct fw_config *cfg)
{
    const u32 oob_end = cfg->oob_base + cfg->flash_tags * 64;
    return (oob_end + cfg->page_bytes - 1) / cfg->page_bytes * cfg->page_bytes;
}

u64 fw_core_bytes(const struct fw_config *cfg, u32 ops)
{
    u64 bytes = cfg->cores * (sizeof(struct fw_core) + (u64)FW_RING_ENTRIES * sizeof(struct fw_message));
    bytes += (u64)ops * sizeof(struct fw_op);
    bytes += (u64)cfg->flash_tags * 64;
    bytes += cfg->unit_bits == 0 ? 0 : (u64)ops * 4 << cfg->unit_bits;
    return bytes;
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

FW_COLD bool fw_core_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    if (!boot_rings(fw)) {
        return false;
    }
    fw->here = fw->cores;
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
    return true;
}

void fw_send_remote(struct fw *fw, const struct fw_message *message)
{
    fw_charge(fw, FW_COST_MESSAGE_REMOTE, 1);
    struct hal_message out;
    memcpy(&out, message, sizeof out);
    hal_send(fw->hal, fw->cfg.core_of[message->module], &out);
    fw_charge(fw, FW_COST_MESSAGE_SENT, 1);
}

void fw_ring_overflow(struct fw *fw, u32 module) { fw_panic(fw, FW_PANIC_RING_FULL, module); }

/* Each module has the hardware timer of its number. */
void fw_timer_arm(struct fw *fw, enum fw_module module, u64 at_us)
{
    hal_timer_arm(fw->hal, module, at_us);
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
    o->wanted_channel = FW_NONE;
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
