// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host interface layer: commands from their arrival to their end, and the pages they ask for.
//
// A command is cut into logical pages; at most HIL_WINDOW of them are in the buffer at once. No more
// pages than there are page buffers are outside at once, over all commands: then a page that waits for
// a buffer gets one in the end, whatever the others wait for.
// Commands that overlap take effect in the order of arrival: a command asks for its first page only
// when every earlier command that overlaps it has asked for its last.
// FLUSH waits for earlier writes and trims. It holds back later ones, later FLUSHes, and reads that overlap a
// command that is held back. All other reads go on.
#include "firmware/hil/hil.h"

#include "firmware/core/panic.h"
#include "firmware/hil/state.h"

static void push(struct fw_hil *hil, struct fw_fifo *fifo, u32 tag)
{
    hil->commands[tag].next = FW_NONE;
    if (fifo->tail == FW_NONE) {
        fifo->head = tag;
    } else {
        hil->commands[fifo->tail].next = tag;
    }
    fifo->tail = tag;
}

static bool overlap(const struct hil_command *a, const struct hil_command *b)
{
    return a->first_page < b->first_page + b->pages && b->first_page < a->first_page + a->pages;
}

static void held(struct fw *fw, u32 tag, enum fw_held why)
{
    fw_probe(fw, FW_PROBE_HIL_HELD, tag << 16 | (u32)why);
}

static void ask(struct fw *fw, u32 tag)
{
    struct fw_hil *hil = fw->hil;
    struct hil_command *c = &hil->commands[tag];
    fw_charge(fw, FW_COST_HIL_ASK, 1);
    if (hil->power_fail) {
        return;
    }
    if (c->failed && c->opcode == HAL_HOST_READ) { /* the rest is not wanted any more */
        c->done += c->pages - c->asked;
        c->asked = c->pages;
    }
    while (c->asked < c->pages && c->asked - c->done < HIL_WINDOW &&
           hil->pages_out < hil->most_pages) {
        struct fw_message m = {.tag = (u16)tag, .a = c->asked, .b = c->first_page + c->asked};
        const struct hil_page_range range = hil_page_range(hil, c, c->asked);
        m.c = range.first;
        m.d = range.count;
        m.e = c->flags & (HAL_HOST_FUA | HAL_HOST_PRIORITY_MASK);
        m.e |= c->serial;
        m.e |= (c->pages < FW_PAGE_COUNT_MOST ? c->pages : FW_PAGE_COUNT_MOST) << FW_PAGE_COUNT_SHIFT;
        m.f = hil->request_of[tag];
        ++c->asked;
        fw_charge(fw, FW_COST_HIL_PAGE, 1);
        if (c->opcode == HAL_HOST_TRIM) {
            if (m.d < hil->sectors_per_page) { /* part of a page: the rest is still wanted */
                ++c->done;
                continue;
            }
            m.kind = FW_MSG_PAGE_TRIM;
        } else {
            m.kind = c->opcode == HAL_HOST_READ ? FW_MSG_PAGE_READ : FW_MSG_PAGE_WRITE;
        }
        ++hil->pages_out;
        fw_send(fw, FW_MODULE_BUFFER, &m);
        fw_probe(fw, FW_PROBE_PAGE_TO_BUFFER, fw_page_id(tag, m.a));
    }
    if (c->asked < c->pages && hil->pages_out >= hil->most_pages) {
        held(fw, tag, FW_HELD_BY_PAGES);
    }
}

static bool changes(const struct hil_command *c)
{
    return c->opcode == HAL_HOST_WRITE || c->opcode == HAL_HOST_TRIM;
}

/* The number of writes and trims that have begun and not ended. */
FW_COLD static u32 changing(struct fw *fw)
{
    const struct fw_hil *hil = fw->hil;
    u32 found = 0;
    for (u32 tag = 0, left = hil->active; left != 0; ++tag) {
        fw_charge(fw, FW_COST_HIL_OVERLAP, 1);
        if (hil->commands[tag].active == HIL_BEGUN) {
            found += changes(&hil->commands[tag]);
            --left;
        }
    }
    return found;
}

/* A FLUSH waits or runs: does the command have to wait for its end? */
static bool is_held(struct fw *fw, const struct hil_command *c)
{
    const struct fw_hil *hil = fw->hil;
    if (c->opcode != HAL_HOST_READ) {
        return true;
    }
    for (u32 tag = hil->held.head; tag != FW_NONE; tag = hil->commands[tag].next) {
        const struct hil_command *earlier = &hil->commands[tag];
        fw_charge(fw, FW_COST_HIL_OVERLAP, 1);
        if (changes(earlier) && overlap(earlier, c)) {
            return true;
        }
    }
    return false;
}

/* The FLUSH has all earlier writes and trims behind it. */
static void flush(struct fw *fw, u32 tag)
{
    const struct fw_message m = {
        .kind = FW_MSG_FLUSH, .tag = (u16)tag, .a = fw->hil->commands[tag].flags & HAL_HOST_FUA};
    fw_charge(fw, FW_COST_HIL_FLUSH, 1);
    fw_send(fw, FW_MODULE_BUFFER, &m);
    fw_probe(fw, FW_PROBE_PAGE_TO_BUFFER, fw_page_id(tag, 0));
}

/* Let every command ask that no earlier one holds back. */
FW_APART void hil_ask_all(struct fw *fw)
{
    struct fw_hil *hil = fw->hil;
    u32 previous = FW_NONE;
    u32 tag = hil->asking.head;
    while (tag != FW_NONE) {
        struct hil_command *c = &hil->commands[tag];
        const u32 next = c->next;
        bool blocked = false;
        fw_charge(fw, FW_COST_HIL_LIST, 1);
        for (u32 e = hil->asking.head; e != tag && !blocked; e = hil->commands[e].next) {
            fw_charge(fw, FW_COST_HIL_OVERLAP, 1);
            blocked = overlap(&hil->commands[e], c);
        }
        if (!blocked) {
            ask(fw, tag);
        } else {
            held(fw, tag, FW_HELD_BY_OVERLAP);
        }
        if (!blocked && c->asked == c->pages) { /* leave the list */
            if (previous == FW_NONE) {
                hil->asking.head = next;
            } else {
                hil->commands[previous].next = next;
            }
            if (next == FW_NONE) {
                hil->asking.tail = previous;
            }
            if (c->done == c->pages) { /* a trim of less than a page, a read that failed */
                hil_finish(fw, tag, true);
            }
        } else {
            previous = tag;
        }
        tag = next;
    }
}

void hil_begin(struct fw *fw, u32 tag)
{
    struct fw_hil *hil = fw->hil;
    struct hil_command *c = &hil->commands[tag];
    if (hil->read_only && (c->opcode == HAL_HOST_WRITE || c->opcode == HAL_HOST_TRIM)) {
        c->active = 0;
        fw_charge(fw, FW_COST_HIL_STATUS, 1);
        hal_host_complete(fw->hal, tag, HAL_HOST_ERROR);
        return;
    }
    if (c->opcode == HAL_HOST_FLUSH) {
        ++hil->active;
        hil->barrier = tag;
        hil->changing = changing(fw);
        if (hil->changing == 0) {
            flush(fw, tag);
        }
        return;
    }
    c->serial = hil->active == 0 && c->opcode == HAL_HOST_READ && c->pages == 1 ? FW_PAGE_SERIAL : 0;
    ++hil->active;
    ++hil->requests;
    hil->request_of[tag] = hil->requests ? hil->requests : ++hil->requests; /* 0 means none */
    fw_probe(fw, FW_PROBE_HIL_TAG, tag);
    fw_probe(fw, FW_PROBE_HIL_REQUEST, hil->request_of[tag]);
    if (hil->asking.head == FW_NONE) { /* the usual case: as hil_ask_all() would do with this one */
        ask(fw, tag);
        if (c->asked != c->pages) {
            push(hil, &hil->asking, tag);
        } else if (c->done == c->pages) {
            hil_finish(fw, tag, true);
        }
        return;
    }
    push(hil, &hil->asking, tag);
    hil_ask_all(fw);
}

FW_APART void fw_hil_command(struct fw *fw, const struct hal_host_command *command)
{
    struct fw_hil *hil = fw->hil;
    fw_charge(fw, FW_COST_HIL_COMMAND, 1);
    if (hil->power_fail) {
        return;
    }
    if (command->tag >= fw->cfg.host_tags || hil->commands[command->tag].active) {
        fw_panic(fw, FW_PANIC_BAD_TAG, command->tag);
        return;
    }
    struct hil_command *c = &hil->commands[command->tag];
    c->lba = command->lba;
    c->sectors = command->sectors;
    c->opcode = command->opcode;
    c->flags = command->flags;
    c->active = HIL_BEGUN;
    c->from_flash = c->failed = 0;
    c->ready[0] = c->ready[1] = 0;
    c->asked = c->transferred = c->done = 0;
    c->first_page = (u32)(command->lba >> hil->page_shift);
    c->pages = 0;
    const u64 capacity = (u64)fw->cfg.logical_pages << hil->page_shift;
    if (command->opcode != HAL_HOST_FLUSH) {
        if (command->opcode < HAL_HOST_READ || command->opcode > HAL_HOST_TRIM ||
            command->sectors == 0 || command->lba >= capacity ||
            command->sectors > capacity - command->lba) {
            c->active = 0;
            hal_host_complete(fw->hal, command->tag, HAL_HOST_ERROR);
            return;
        }
        c->pages = (u32)((command->lba + command->sectors - 1) >> hil->page_shift) - c->first_page + 1;
    }
    if (hil->barrier != FW_NONE && is_held(fw, c)) {
        c->active = HIL_HELD;
        push(hil, &hil->held, command->tag);
        held(fw, command->tag, FW_HELD_BY_FLUSH);
        return;
    }
    hil_begin(fw, command->tag);
    fw_spend(fw, fw->cfg.command_cycles); /* its pages are on their way: other cores work on them meanwhile */
}

/* `report`: the port does not do it with the last of the data. */
void hil_finish(struct fw *fw, u32 tag, bool report)
{
    struct fw_hil *hil = fw->hil;
    fw_charge(fw, FW_COST_HIL_COMPLETE, 1);
    fw->stats.reads_from_flash += hil->commands[tag].from_flash;
    hil->commands[tag].active = 0;
    --hil->active;
    fw_probe(fw, FW_PROBE_HIL_COMMANDS, hil->active);
    if (report || hil->commands[tag].failed) {
        fw_charge(fw, FW_COST_HIL_STATUS, 1);
        hal_host_complete(fw->hal, tag, hil->commands[tag].failed ? HAL_HOST_ERROR : HAL_HOST_OK);
    }
    if (hil->barrier != FW_NONE && hil->changing != 0 && changes(&hil->commands[tag]) && --hil->changing == 0) {
        flush(fw, hil->barrier);
    }
}
