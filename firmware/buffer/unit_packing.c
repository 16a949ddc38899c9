// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mapping units (docs/explanation/mapping-units.md): lines that are to be programmed share flash pages.
//
// A line holds one unit. The DRAM engine copies its data into a page buffer that is being filled; that
// goes to flash when it is full, or when no other filled page is on its way there any more, or at
// once when a cached write waits for it (FUA). One page is filled at a time.
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"
#include "firmware/core/sched_traits.h"

struct packed_page {
    union {
        struct fw_fifo lines; /* in use: what it holds, linked by unit_packing.next */
        u32 free_next;        /* free: the next page of the free list */
    };
    u32 count;  /* lines that it holds */
    u32 copies; /* copies into the page that are under way */
};

struct unit_packing {
    struct packed_page *pages;
    u32 *next;    /* by line: the next line of the same page, or the next one that waits */
    u16 *page_of; /* by line: the page that it is in */
    u32 free;     /* first of the free pages */
    u32 filling;  /* the page that is being filled, or FW_NONE */
    u32 flying;   /* pages that take no more and have not ended */
    struct fw_fifo waiting; /* lines without a page */
    u32 base;     /* DRAM byte offset of the pages */
    u32 units;    /* units in a flash page */
    bool urgent;  /* somebody waits for what is in `filling` */
    bool looks;   /* a PACK_LOOK is on its way */
};

u32 unit_packing_pages(const struct fw_config *cfg)
{
    const u32 planes = cfg->channels * cfg->ways * cfg->dies * cfg->planes;
    return cfg->unit_bits == 0 ? 0 : fw_min_u32(2 * planes + 16, cfg->lines / fw_page_units(cfg) + 2);
}

u64 unit_packing_bytes(const struct fw_config *cfg)
{
    if (cfg->unit_bits == 0) {
        return 0;
    }
    const u64 pages = (u64)unit_packing_pages(cfg) * sizeof(struct packed_page);
    return sizeof(struct unit_packing) + pages + (u64)cfg->lines * 6 + 256;
}

static void line_append(struct unit_packing *p, struct fw_fifo *fifo, u32 line)
{
    p->next[line] = FW_NONE;
    if (fifo->tail == FW_NONE) {
        fifo->head = line;
    } else {
        p->next[fifo->tail] = line;
    }
    fifo->tail = line;
}

static void give_page(struct unit_packing *p, u32 page)
{
    p->pages[page].free_next = p->free;
    p->free = page;
}

bool unit_packing_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    if (cfg->unit_bits == 0) {
        return true;
    }
    struct unit_packing *p = fw->buffer->packing = fw_fast_table(fw, 1, sizeof *p);
    if (!p) {
        return false;
    }
    p->pages = fw_fast_table(fw, unit_packing_pages(cfg), sizeof(struct packed_page));
    p->next = fw_table(fw, cfg->lines, 4);
    p->page_of = fw_table(fw, cfg->lines, 2);
    if (!p->pages || !p->next || !p->page_of) {
        return false;
    }
    p->units = fw_page_units(cfg);
    p->free = p->filling = FW_NONE;
    fw_fifo_init(&p->waiting);
    for (u32 i = unit_packing_pages(cfg); i-- > 0;) {
        give_page(p, i);
    }
    p->base = line_dram_bytes(cfg);
    return true;
}

/* The page goes to flash. Its op stands for its first line. */
static void submit(struct fw *fw, u32 page)
{
    struct fw_buffer *b = fw->buffer;
    struct unit_packing *p = b->packing;
    const u32 entries = 1u << fw->cfg.unit_bits;
    const struct packed_page *k = &p->pages[page];
    const u32 first = k->lines.head;
    fw_charge(fw, FW_COST_BUFFER_OP, 1);
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->opcode = FLASH_OP_PROGRAM;
    o->purpose = BUFFER_PURPOSE_PACK;
    o->line = first;
    o->lpn = b->lines[first].lpn;
    o->buf = p->base + page * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    o->request = b->lines[first].request;
    u32 *lpns = &fw->units[op << fw->cfg.unit_bits];
    u32 n = 0;
    u32 priority = 0;
    for (u32 line = first; line != FW_NONE; line = p->next[line]) {
        const struct cache_line *s = &b->lines[line];
        lpns[n++] = s->lpn;
        fw_probe(fw, FW_PROBE_PACKED, line << 1 | (line == first));
        if (s->ack_tag != FW_NONE && s->priority > priority) { /* a command waits */
            priority = s->priority;
        }
    }
    while (n < entries) {
        lpns[n++] = FW_NONE;
    }
    o->flags |= (u8)(priority << FW_OP_PRIORITY_SHIFT);
    ++fw->stats.packed_pages;
    fw->stats.packed_units += k->count;
    const struct fw_message m = {.kind = FW_MSG_OP_NEW, .a = op};
    const enum fw_module module = fw_sched_does(fw, SCHED_TRANSLATES_LATE) ? FW_MODULE_SCHED : FW_MODULE_FTL;
    fw_send(fw, module, &m);
    fw_probe(fw, FW_PROBE_LINE_MODULE, fw_line_module(first, module));
}

/* The page that is being filled takes no more. */
static void close(struct fw *fw)
{
    struct unit_packing *p = fw->buffer->packing;
    const u32 page = p->filling;
    p->filling = FW_NONE;
    p->urgent = false;
    ++p->flying;
    if (p->pages[page].copies == 0) {
        submit(fw, page);
    }
}

/* Whether the page that is being filled goes on is decided when what comes with this message is in it. */
static void look_soon(struct fw *fw)
{
    struct unit_packing *p = fw->buffer->packing;
    if (!p->looks && p->filling != FW_NONE && (p->flying == 0 || p->urgent)) {
        const struct fw_message m = {.kind = FW_MSG_PACK_LOOK};
        p->looks = true;
        fw_send(fw, FW_MODULE_BUFFER, &m);
    }
}

/* False: there is no page for it. */
static bool fill(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct unit_packing *p = b->packing;
    const u32 unit = fw_unit_bytes(&fw->cfg);
    if (p->filling == FW_NONE) {
        if (p->free == FW_NONE) {
            return false;
        }
        p->filling = p->free;
        p->free = p->pages[p->filling].free_next;
        p->pages[p->filling] = (struct packed_page){.lines = {.head = FW_NONE, .tail = FW_NONE}};
    }
    struct packed_page *k = &p->pages[p->filling];
    fw_charge(fw, FW_COST_BUFFER_COPY, 2); /* with its place in the page */
    p->page_of[line] = (u16)p->filling;
    line_append(p, &k->lines, line);
    hal_copy(fw->hal, p->base + p->filling * fw->cfg.page_bytes + k->count * unit, line * unit, b->full_mask,
             line | COOKIE_PACK);
    ++k->count;
    ++k->copies;
    p->urgent |= b->write_back && b->lines[line].ack_tag != FW_NONE;
    if (k->count == p->units) {
        close(fw);
    }
    return true;
}

void unit_packing_add(struct fw *fw, u32 line)
{
    struct unit_packing *p = fw->buffer->packing;
    if (!fw_fifo_empty(&p->waiting) || !fill(fw, line)) {
        line_append(p, &p->waiting, line);
    }
    look_soon(fw);
}

void unit_packing_copied(struct fw *fw, u32 line)
{
    struct unit_packing *p = fw->buffer->packing;
    const u32 page = p->page_of[line];
    if (--p->pages[page].copies == 0 && page != p->filling) {
        submit(fw, page);
    }
}

void unit_packing_look(struct fw *fw)
{
    struct unit_packing *p = fw->buffer->packing;
    p->looks = false;
    if (p->filling != FW_NONE && (p->flying == 0 || p->urgent)) {
        close(fw);
    }
}

void unit_packing_done(struct fw *fw, u32 line, bool refused)
{
    struct unit_packing *p = fw->buffer->packing;
    const u32 page = p->page_of[line];
    give_page(p, page);
    --p->flying;
    while (!fw_fifo_empty(&p->waiting)) {
        const u32 first = p->waiting.head;
        const u32 second = p->next[first];
        if (!fill(fw, first)) {
            break;
        }
        p->waiting.head = second;
        p->waiting.tail = second == FW_NONE ? FW_NONE : p->waiting.tail;
    }
    while (line != FW_NONE) { /* it may be in another page when this comes back */
        const u32 next = p->next[line];
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        if (refused) {
            buffer_refused(fw, line);
        } else {
            buffer_programmed(fw, line);
        }
        line = next;
    }
    look_soon(fw);
}
