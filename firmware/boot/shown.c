// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where the values are that those outside look at.
#include "firmware/boot/firmware.h"

#include "firmware/buffer/lines.h"
#include "firmware/ftl/core/state.h"
#include "firmware/sched/sched.h"

u32 *fw_shown(const struct fw *fw, u32 id)
{
    switch (id) {
    case MMIO_SHOWN_QUEUED:
        return &fw->sched->queued;
    case MMIO_SHOWN_TAGS_FREE:
        return &fw->sched->tags_free;
    case MMIO_SHOWN_IN_FLIGHT:
        return &fw->sched->in_flight;
    case MMIO_SHOWN_BUFFER_FREE:
        return &fw->buffer->free_count;
    case MMIO_SHOWN_BUFFER_DIRTY:
        return &fw->buffer->dirty_count;
    default:
        return 0;
    }
}

void *fw_blocks(const struct fw *fw, u64 *bytes)
{
    const struct fw_ftl *f = fw->ftl;
    *bytes = ((u64)f->plane_count << f->block_bits) * sizeof *f->blocks;
    return f->blocks;
}
