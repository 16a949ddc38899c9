// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: lists of page requests that wait, and the answers to hil.
#pragma once

#include "firmware/buffer/lines.h"
#include "firmware/core/panic.h"

static inline void request_append(struct fw_buffer *b, struct fw_fifo *fifo, u32 r)
{
    b->requests[r].next = FW_NONE;
    if (fifo->tail == FW_NONE) {
        fifo->head = r;
    } else {
        b->requests[fifo->tail].next = r;
    }
    fifo->tail = r;
}

static inline u32 request_take(struct fw_buffer *b, struct fw_fifo *fifo)
{
    const u32 r = fifo->head;
    fifo->head = b->requests[r].next;
    if (fifo->head == FW_NONE) {
        fifo->tail = FW_NONE;
    }
    return r;
}

static inline u32 request_keep(struct fw *fw, const struct page_request *q)
{
    struct fw_buffer *b = fw->buffer;
    const u32 r = b->request_free;
    if (r == FW_NONE) {
        fw_panic(fw, FW_PANIC_LINE_STATE, FW_NONE);
        return 0;
    }
    b->request_free = b->requests[r].next;
    b->requests[r] = *q;
    return r;
}

static inline void request_drop(struct fw_buffer *b, u32 r)
{
    b->requests[r].next = b->request_free;
    b->request_free = r;
}

/* `c`: PAGE_READY: read from flash for it; PAGE_DONE: failed. Always inline: left to the compiler, the RV32 image
   calls it and takes 0.4 % more cycles. */
FW_INLINE void answer(struct fw *fw, u16 kind, u32 tag, u32 page, u32 line, bool c)
{
    const struct fw_message m = {
        .kind = kind, .tag = (u16)tag, .a = page, .b = line, .c = c};
    fw_send(fw, FW_MODULE_HIL, &m);
    fw_probe(fw, FW_PROBE_PAGE_TO_HIL, fw_page_id(tag, page));
}
