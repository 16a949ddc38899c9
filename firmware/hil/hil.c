// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host interface layer: its memory, its messages, and the end of the supply.
#include "firmware/hil/hil.h"

#include "firmware/core/panic.h"
#include "firmware/hil/state.h"

u32 fw_hil_ops(const struct fw_config *cfg)
{
    (void)cfg;
    return 0;
}

u64 fw_hil_bytes(const struct fw_config *cfg, u32 ops)
{
    (void)ops;
    return sizeof(struct fw_hil) + (u64)cfg->host_tags * (sizeof(u32) + sizeof(struct hil_command)) + 128;
}

bool fw_hil_boot(struct fw *fw)
{
    struct fw_hil *hil = fw->hil = fw_fast_table(fw, 1, sizeof *hil + fw->cfg.host_tags * (u32)sizeof(u32));
    if (!hil) {
        return false;
    }
    hil->commands = fw_fast_table(fw, fw->cfg.host_tags, sizeof(struct hil_command));
    hil->barrier = FW_NONE;
    hil->asking.head = hil->asking.tail = FW_NONE;
    hil->held.head = hil->held.tail = FW_NONE;
    hil->most_pages = fw_min_u32(fw->cfg.lines, FW_MAX_PAGE_REQUESTS);
    hil->sectors_per_page = fw_unit_bytes(&fw->cfg) / 512;
    while ((1u << hil->page_shift) < hil->sectors_per_page) {
        ++hil->page_shift;
    }
    return hil->commands != 0;
}

bool fw_hil_idle(const struct fw *fw)
{
    return fw->hil->active == 0 && fw->hil->held.head == FW_NONE;
}

/* The supply has gone: a page buffer whose transfer has not begun is given back. A reader does not matter. */
FW_COLD static void give_back(struct fw *fw, u32 line)
{
    const struct fw_message m = {.kind = FW_MSG_PAGE_RETURN, .a = line};
    fw_charge(fw, FW_COST_HIL_PAGE_DONE, 1);
    fw_send(fw, FW_MODULE_BUFFER, &m);
}

FW_COLD static void power_fail(struct fw *fw)
{
    struct fw_hil *hil = fw->hil;
    hil->power_fail = true;
    for (u32 tag = 0; tag < fw->cfg.host_tags; ++tag) {
        struct hil_command *c = &hil->commands[tag];
        fw_charge(fw, FW_COST_HIL_LIST, 1);
        if (!c->active) {
            continue;
        }
        for (u32 page = 0; page < HIL_WINDOW; ++page) {
            if (c->opcode == HAL_HOST_WRITE && hil_is_ready(c, page)) {
                give_back(fw, c->line[page]);
            }
        }
        c->ready[0] = c->ready[1] = 0;
    }
}

#ifdef FW_NATIVE
void fw_hil_pass(struct fw *fw, u32 commands) { fw->hil->requests += commands; }
#endif

void fw_hil_message(struct fw *fw, const struct fw_message *message)
{
    struct fw_hil *hil = fw->hil;
    const u32 tag = message->tag;
    struct hil_command *c = &hil->commands[tag];
    switch (message->kind) {
    case FW_MSG_PAGE_READY:
    case FW_MSG_PAGE_GRANT:
        if (hil->power_fail) {
            if (message->kind == FW_MSG_PAGE_GRANT) {
                give_back(fw, message->b);
            }
            break;
        }
        if (c->failed && c->opcode == HAL_HOST_READ) {
            c->line[message->a % HIL_WINDOW] = message->b;
            hil_release(fw, tag, message->a);
            hil_page_done(fw, tag);
            break;
        }
        fw_charge(fw, FW_COST_HIL_READY, 1);
        c->from_flash |= (u8)message->c;
        c->line[message->a % HIL_WINDOW] = message->b;
        hil_set_ready(c, message->a);
        hil_transfer(fw, tag);
        break;
    case FW_MSG_PAGE_DONE:
        c->failed |= message->c != 0;
        hil_page_done(fw, tag);
        break;
    case FW_MSG_PAGE_FAILED:
        hil_page_failed(fw, tag);
        break;
    case FW_MSG_FLUSH_DONE: {
        hil->barrier = FW_NONE;
        c->failed = message->c != 0;
        hil_finish(fw, tag, true);
        while (hil->held.head != FW_NONE && hil->barrier == FW_NONE) {
            const u32 next = hil->held.head;
            hil->held.head = hil->commands[next].next;
            if (hil->held.head == FW_NONE) {
                hil->held.tail = FW_NONE;
            }
            hil->commands[next].active = HIL_BEGUN;
            hil_begin(fw, next);
        }
        break;
    }
    case FW_MSG_READ_ONLY:
        hil->read_only = true;
        break;
    case FW_MSG_POWER_FAIL:
        power_fail(fw);
        break;
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->kind);
    }
}
