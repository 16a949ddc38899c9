// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host interface layer.
//
// A command is cut into logical pages; at most HIL_WINDOW of them are in the buffer room at once.
// No more pages than there are page buffers are outside at once, over all commands: then a page that
// waits for a buffer gets one in the end, whatever the others wait for.
// Transfers of one command go to the link in ascending order, whatever order the pages get ready in.
// Commands that overlap take effect in the order of arrival: a command asks for its first page only
// when every earlier command that overlaps it has asked for its last. FLUSH waits for all earlier
// commands and holds back all later ones.
// When a page of a read fails, no further transfer is started for it and no further page asked for;
// when those that were started have ended, the command ends with an error. A failed write takes all
// its data and then ends with an error.
#include "firmware/hil/hil.h"

#include "firmware/core/panic.h"

enum { HIL_WINDOW = 64 };

struct hil_command {
    u64 lba;
    u32 ready[HIL_WINDOW / 32]; /* bit (page % 64): the page may be transferred */
    u32 sectors;
    u32 first_page; /* LPN */
    u32 pages;
    u32 asked;       /* pages asked of the buffer room */
    u32 transferred; /* transfers started */
    u32 done;        /* pages released (read), acknowledged (write), removed (trim) */
    u32 next;        /* in the list of commands that still ask, or that are held back */
    u8 opcode, flags;
    u8 active;
    u8 from_flash; /* a page was read from flash for it */
    u8 failed;     /* it will end with an error */
    u16 serial;    /* FW_PAGE_SERIAL or 0 */
    u32 slot[HIL_WINDOW];
};

struct fw_hil {
    u32 active;            /* commands inside, held ones not counted */
    u32 pages_out;         /* pages asked for and not done, over all commands */
    bool read_only;        /* writes and trims end with an error */
    bool power_fail;       /* nothing new is begun */
    u32 barrier;           /* tag of a FLUSH that waits or runs, or FW_NONE */
    struct fw_fifo asking; /* commands that have pages left to ask for, in order of arrival */
    struct fw_fifo held;   /* behind the barrier */
    u32 requests;          /* running number of commands */
    u32 most_pages;        /* of pages_out */
    u32 sectors_per_page;
    u32 page_shift; /* log2(sectors_per_page) */
    struct hil_command *commands;
    u32 request_of[]; /* by tag */
};

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
    hil->most_pages = fw_min_u32(fw->cfg.slots, FW_MAX_PAGE_REQUESTS);
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

/* What page `i` of the command touches. */
struct page_range {
    u32 first;  /* sector in the page */
    u32 count;  /* sectors */
    u32 offset; /* sectors of the command before it */
};

static struct page_range page_range(const struct fw_hil *hil, const struct hil_command *c, u32 i)
{
    const u32 skipped = (u32)c->lba & (hil->sectors_per_page - 1); /* of the first page */
    const u32 first = i == 0 ? skipped : 0;
    const u32 offset = i == 0 ? 0 : (i << hil->page_shift) - skipped;
    const u32 count = fw_min_u32(c->sectors - offset, hil->sectors_per_page - first);
    return (struct page_range){first, count, offset};
}

static bool is_ready(const struct hil_command *c, u32 page)
{
    return c->ready[page % HIL_WINDOW / 32] >> (page % 32) & 1;
}
static void set_ready(struct hil_command *c, u32 page)
{
    c->ready[page % HIL_WINDOW / 32] |= 1u << (page % 32);
}
static void clear_ready(struct hil_command *c, u32 page)
{
    c->ready[page % HIL_WINDOW / 32] &= ~(1u << (page % 32));
}

static bool overlap(const struct hil_command *a, const struct hil_command *b)
{
    return a->first_page < b->first_page + b->pages && b->first_page < a->first_page + a->pages;
}

static void finish(struct fw *fw, u32 tag, bool report);

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
        const struct page_range range = page_range(hil, c, c->asked);
        m.c = range.first;
        m.d = range.count;
        m.e = c->flags & (HAL_HOST_FUA | HAL_HOST_PRIORITY_MASK);
        m.e |= c->serial;
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
        fw_send(fw, FW_ROOM_BUFFER, &m);
        fw_probe(fw, FW_PROBE_PAGE_TO_BUFFER, fw_page_id(tag, m.a));
    }
    if (c->asked < c->pages && hil->pages_out >= hil->most_pages) {
        held(fw, tag, FW_HELD_BY_PAGES);
    }
}

/* The FLUSH has all earlier commands behind it. */
static void flush(struct fw *fw, u32 tag)
{
    const struct fw_message m = {
        .kind = FW_MSG_FLUSH, .tag = (u16)tag, .a = fw->hil->commands[tag].flags & HAL_HOST_FUA};
    fw_charge(fw, FW_COST_HIL_FLUSH, 1);
    fw_send(fw, FW_ROOM_BUFFER, &m);
    fw_probe(fw, FW_PROBE_PAGE_TO_BUFFER, fw_page_id(tag, 0));
}

/* Let every command ask that no earlier one holds back. */
FW_APART static void ask_all(struct fw *fw)
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
                finish(fw, tag, true);
            }
        } else {
            previous = tag;
        }
        tag = next;
    }
}

static void begin(struct fw *fw, u32 tag)
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
        hil->barrier = tag;
        if (hil->active == 0) {
            flush(fw, tag);
        }
        ++hil->active;
        return;
    }
    c->serial = hil->active == 0 && c->opcode == HAL_HOST_READ && c->pages == 1 ? FW_PAGE_SERIAL : 0;
    ++hil->active;
    ++hil->requests;
    hil->request_of[tag] = hil->requests ? hil->requests : ++hil->requests; /* 0 means none */
    fw_probe(fw, FW_PROBE_HIL_TAG, tag);
    fw_probe(fw, FW_PROBE_HIL_REQUEST, hil->request_of[tag]);
    if (hil->asking.head == FW_NONE) { /* the usual case: as ask_all() would do with this one */
        ask(fw, tag);
        if (c->asked != c->pages) {
            push(hil, &hil->asking, tag);
        } else if (c->done == c->pages) {
            finish(fw, tag, true);
        }
        return;
    }
    push(hil, &hil->asking, tag);
    ask_all(fw);
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
    c->active = 1;
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
    if (hil->barrier != FW_NONE) {
        push(hil, &hil->held, command->tag);
        held(fw, command->tag, FW_HELD_BY_FLUSH);
        return;
    }
    begin(fw, command->tag);
    fw_spend(fw, fw->cfg.command_cycles); /* its pages are on their way: other cores work on them meanwhile */
}

/* `report`: the port does not do it with the last of the data. */
static void finish(struct fw *fw, u32 tag, bool report)
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
    if (hil->barrier != FW_NONE && hil->barrier != tag && hil->active == 1) {
        flush(fw, hil->barrier);
    }
}

/* Start every transfer that is next in its command's order. */
FW_APART static void transfer(struct fw *fw, u32 tag)
{
    struct fw_hil *hil = fw->hil;
    struct hil_command *c = &hil->commands[tag];
    while (c->transferred < c->asked && is_ready(c, c->transferred)) {
        const u32 page = c->transferred++;
        const struct page_range range = page_range(hil, c, page);
        const bool read = c->opcode == HAL_HOST_READ;
        const struct hal_host_dma dma = {
            .tag = (u16)tag,
            .to_host = read,
            .complete = read && page + 1 == c->pages,
            .offset = range.offset,
            .buf = c->slot[page % HIL_WINDOW] * fw_unit_bytes(&fw->cfg),
            .sector = (u16)range.first,
            .sectors = (u16)range.count,
            .cookie = page,
        };
        clear_ready(c, page);
        fw_charge(fw, FW_COST_HIL_DMA, 1);
        hal_host_transfer(fw->hal, &dma);
    }
}

FW_APART static void page_done(struct fw *fw, u32 tag)
{
    struct fw_hil *hil = fw->hil;
    struct hil_command *c = &hil->commands[tag];
    fw_charge(fw, FW_COST_HIL_PAGE_DONE, 1);
    ++c->done;
    --hil->pages_out;
    if (c->done == c->pages) {
        finish(fw, tag, c->opcode != HAL_HOST_READ); /* the port reports a read with its data */
    }
    if (hil->asking.head != FW_NONE) {
        ask_all(fw);
    }
}

static void release(struct fw *fw, u32 tag, u32 page)
{
    const struct fw_message m = {.kind = FW_MSG_PAGE_RELEASE,
                                 .tag = (u16)tag,
                                 .a = fw->hil->commands[tag].slot[page % HIL_WINDOW],
                                 .b = page};
    fw_send(fw, FW_ROOM_BUFFER, &m);
}

/* A page of a read cannot be had: pages that wait for their turn behind it are let go. */
FW_APART static void page_failed(struct fw *fw, u32 tag)
{
    struct hil_command *c = &fw->hil->commands[tag];
    c->failed = 1;
    const struct hil_command was = {.ready = {c->ready[0], c->ready[1]}};
    c->ready[0] = c->ready[1] = 0;
    for (u32 page = c->transferred; page < c->transferred + HIL_WINDOW; ++page) {
        if (is_ready(&was, page)) {
            release(fw, tag, page);
            page_done(fw, tag);
        }
    }
    page_done(fw, tag); /* last: it may end the command; and ask_all() drops the rest */
}

void fw_hil_dma_done(struct fw *fw, u32 tag, u32 cookie)
{
    const u32 page = cookie & ~HAL_HOST_DMA_ABORTED;
    struct hil_command *c = &fw->hil->commands[tag];
    const bool read = c->opcode == HAL_HOST_READ;
    fw_charge(fw, FW_COST_HIL_DMA_DONE, 1);
    const struct fw_message m = {.kind = read ? FW_MSG_PAGE_RELEASE : FW_MSG_PAGE_RECEIVED,
                                 .tag = (u16)tag,
                                 .a = c->slot[page % HIL_WINDOW],
                                 .b = page,
                                 .c = cookie != page}; /* a write without its data */
    fw_send(fw, FW_ROOM_BUFFER, &m);
    if (read) {
        page_done(fw, tag);
    } else {
        fw_probe(fw, FW_PROBE_PAGE_TO_BUFFER, fw_page_id(tag, page));
    }
}

/* The supply has gone: a page buffer whose transfer has not begun is given back. A reader does not matter. */
FW_COLD static void give_back(struct fw *fw, u32 slot)
{
    const struct fw_message m = {.kind = FW_MSG_PAGE_RETURN, .a = slot};
    fw_charge(fw, FW_COST_HIL_PAGE_DONE, 1);
    fw_send(fw, FW_ROOM_BUFFER, &m);
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
            if (c->opcode == HAL_HOST_WRITE && is_ready(c, page)) {
                give_back(fw, c->slot[page]);
            }
        }
        c->ready[0] = c->ready[1] = 0;
    }
}

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
            c->slot[message->a % HIL_WINDOW] = message->b;
            release(fw, tag, message->a);
            page_done(fw, tag);
            break;
        }
        fw_charge(fw, FW_COST_HIL_READY, 1);
        c->from_flash |= (u8)message->c;
        c->slot[message->a % HIL_WINDOW] = message->b;
        set_ready(c, message->a);
        transfer(fw, tag);
        break;
    case FW_MSG_PAGE_DONE:
        c->failed |= message->c != 0;
        page_done(fw, tag);
        break;
    case FW_MSG_PAGE_FAILED:
        page_failed(fw, tag);
        break;
    case FW_MSG_FLUSH_DONE: {
        hil->barrier = FW_NONE;
        c->failed = message->c != 0;
        finish(fw, tag, true);
        while (hil->held.head != FW_NONE && hil->barrier == FW_NONE) {
            const u32 next = hil->held.head;
            hil->held.head = hil->commands[next].next;
            if (hil->held.head == FW_NONE) {
                hil->held.tail = FW_NONE;
            }
            begin(fw, next);
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
