// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: dirty pages go to flash: FLUSH, write-back in the background, and the end of the supply.
#include "firmware/buffer/requests.h"

enum { FLUSH_DEPTH = 256 }; /* programs in flight during a FLUSH */

/* Dirty pages are written back `flush_after_us` after the first one became dirty. */
void buffer_arm_background(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (fw->cfg.flush_after_us != 0 && b->dirty_count != 0 && !b->timer_armed && !b->background) {
        b->timer_armed = true;
        fw_timer_arm(fw, FW_MODULE_BUFFER, fw->now_us + fw->cfg.flush_after_us);
    }
}

/* Readers of the line may go on: else a page that is always read would never be written. */
FW_COLD void buffer_save(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    const struct cache_line *s = &b->lines[line];
    if (s->state == LINE_STABLE && s->dirty) {
        if (b->programming < FLUSH_DEPTH) {
            buffer_program(fw, line);
        } else {
            b->flush_cursor = fw_min_u32(b->flush_cursor, line);
        }
    }
    buffer_flush_more(fw);
}

/* A FLUSH has ended, or everything has been saved. */
FW_COLD void buffer_flushed(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (b->flush_tag != FW_NONE) {
        answer(fw, FW_MSG_FLUSH_DONE, b->flush_tag, 0, 0, b->write_lost);
        b->flush_tag = FW_NONE;
        b->urgent = b->power_fail;
    }
    if (b->saving) {
        fw->stats.power_saves = 1;
    } else if (b->power_fail) { /* that was for the FLUSH before */
        buffer_flush_more(fw);
    }
}

/* The supply has gone. Capacitors hold it up for a while. */
FW_COLD void buffer_power_fail(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    const struct fw_message m = {.kind = FW_MSG_POWER_FAIL};
    b->power_fail = b->urgent = true;
    b->flush_cursor = 0;
    fw->stats.power_fails = 1;
    fw_send(fw, FW_MODULE_HIL, &m);
    buffer_flush_more(fw);
}

/* With capacitors everything that was acknowledged is durable already. Trims that no table page knows hold
   space, though: a FLUSH is when they are written down, after the data. */
FW_COLD void buffer_flush(struct fw *fw, u32 tag, bool to_flash)
{
    struct fw_buffer *b = fw->buffer;
    if (b->power_fail) {
        return;
    }
    b->flush_tag = tag;
    b->urgent = true;
    if (fw->cfg.capacitors && !to_flash && (fw->cfg.recovery_span == 0 || !b->trims_kept)) {
        buffer_flushed(fw);
        return;
    }
    b->flush_cursor = 0; /* a background write-back that runs goes on with it */
    buffer_flush_more(fw);
}

void buffer_flush_more(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (!b->urgent && !b->background) {
        return;
    }
    while (b->flush_cursor < fw->cfg.lines && b->programming < FLUSH_DEPTH) {
        struct cache_line *s = &b->lines[b->flush_cursor];
        fw_charge(fw, FW_COST_BUFFER_FLUSH_LOOK, 1);
        if (s->state == LINE_STABLE && s->dirty && (s->readers == 0 || b->urgent)) {
            buffer_program(fw, b->flush_cursor);
        }
        ++b->flush_cursor;
    }
    if (b->background && b->flush_cursor == fw->cfg.lines) { /* younger pages wait for the next */
        b->background = false;
        buffer_arm_background(fw);
    }
    if (b->ftl_flushes || b->saving || !b->urgent) {
        return;
    }
    if (b->dirty_count == 0) {
        b->saving = b->power_fail;
        if (fw->cfg.recovery_span != 0) { /* trims are still volatile */
            const struct fw_message m = {.kind = FW_MSG_FTL_FLUSH};
            b->ftl_flushes = true;
            b->trims_kept = false;
            fw_send(fw, FW_MODULE_FTL, &m);
            return;
        }
        buffer_flushed(fw);
    }
}
