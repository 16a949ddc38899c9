// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host interface layer: data between the page buffers and the link.
//
// Transfers of one command go to the link in ascending order, whatever order the pages get ready in.
// When a page of a read fails, no further transfer is started for it and no further page asked for;
// when those that were started have ended, the command ends with an error. A failed write takes all
// its data and then ends with an error.
#include "firmware/hil/hil.h"

#include "firmware/hil/state.h"

/* Start every transfer that is next in its command's order. */
FW_APART void hil_transfer(struct fw *fw, u32 tag)
{
    struct fw_hil *hil = fw->hil;
    struct hil_command *c = &hil->commands[tag];
    while (c->transferred < c->asked && hil_is_ready(c, c->transferred)) {
        const u32 page = c->transferred++;
        const struct hil_page_range range = hil_page_range(hil, c, page);
        const bool read = c->opcode == HAL_HOST_READ;
        const struct hal_host_dma dma = {
            .tag = (u16)tag,
            .to_host = read,
            .complete = read && page + 1 == c->pages,
            .offset = range.offset,
            .buf = c->line[page % HIL_WINDOW] * fw_unit_bytes(&fw->cfg),
            .sector = (u16)range.first,
            .sectors = (u16)range.count,
            .cookie = page,
        };
        hil_clear_ready(c, page);
        fw_charge(fw, FW_COST_HIL_DMA, 1);
        hal_host_transfer(fw->hal, &dma);
    }
}

FW_APART void hil_page_done(struct fw *fw, u32 tag)
{
    struct fw_hil *hil = fw->hil;
    struct hil_command *c = &hil->commands[tag];
    fw_charge(fw, FW_COST_HIL_PAGE_DONE, 1);
    ++c->done;
    --hil->pages_out;
    if (c->done == c->pages) {
        hil_finish(fw, tag, c->opcode != HAL_HOST_READ); /* the port reports a read with its data */
    }
    if (hil->asking.head != FW_NONE) {
        hil_ask_all(fw);
    }
}

void hil_release(struct fw *fw, u32 tag, u32 page)
{
    const struct fw_message m = {.kind = FW_MSG_PAGE_RELEASE,
                                 .tag = (u16)tag,
                                 .a = fw->hil->commands[tag].line[page % HIL_WINDOW],
                                 .b = page};
    fw_send(fw, FW_MODULE_BUFFER, &m);
}

/* A page of a read cannot be had: pages that wait for their turn behind it are let go. */
FW_APART void hil_page_failed(struct fw *fw, u32 tag)
{
    struct hil_command *c = &fw->hil->commands[tag];
    c->failed = 1;
    const struct hil_command was = {.ready = {c->ready[0], c->ready[1]}};
    c->ready[0] = c->ready[1] = 0;
    for (u32 page = c->transferred; page < c->transferred + HIL_WINDOW; ++page) {
        if (hil_is_ready(&was, page)) {
            hil_release(fw, tag, page);
            hil_page_done(fw, tag);
        }
    }
    hil_page_done(fw, tag); /* last: it may end the command; and hil_ask_all() drops the rest */
}

void fw_hil_dma_done(struct fw *fw, u32 tag, u32 cookie)
{
    const u32 page = cookie & ~HAL_HOST_DMA_ABORTED;
    struct hil_command *c = &fw->hil->commands[tag];
    const bool read = c->opcode == HAL_HOST_READ;
    fw_charge(fw, FW_COST_HIL_DMA_DONE, 1);
    const struct fw_message m = {.kind = read ? FW_MSG_PAGE_RELEASE : FW_MSG_PAGE_RECEIVED,
                                 .tag = (u16)tag,
                                 .a = c->line[page % HIL_WINDOW],
                                 .b = page,
                                 .c = cookie != page}; /* a write without its data */
    fw_send(fw, FW_MODULE_BUFFER, &m);
    if (read) {
        hil_page_done(fw, tag);
    } else {
        fw_probe(fw, FW_PROBE_PAGE_TO_BUFFER, fw_page_id(tag, page));
    }
}
