// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: hal.h over MMIO registers and rings in DTCM (firmware/hal/mmio.h).
#include "firmware/port/riscv/port.h"

static volatile uint32_t *reg(uint32_t offset)
{
    return (volatile uint32_t *)(MMIO_REGS_BASE + offset);
}

static void *entry(uint32_t ring, uint32_t count, uint32_t entries, uint32_t bytes)
{
    return (void *)(ring + (count & (entries - 1)) * bytes);
}

/* The entry must be in memory before the doorbell rings, and be read after the tail was. */
static void order(void) { __asm__ volatile("" ::: "memory"); }

/* Of the union only the member that the kind has. */
static void take(struct hal_event *to, const struct hal_event *from)
{
    to->kind = from->kind;
    to->tag = from->tag;
    to->cookie = from->cookie;
    switch (from->kind) {
    case HAL_EVENT_HOST_COMMAND:
        to->u.command = from->u.command;
        break;
    case HAL_EVENT_FLASH:
        to->u.flash = from->u.flash;
        break;
    case HAL_EVENT_MESSAGE:
        to->u.message = from->u.message;
        break;
    default:
        break;
    }
}

bool hal_next_event(struct hal *hal, uint32_t core, struct hal_event *event)
{
    const uint32_t head = hal->event_head[core];
    if (*reg(MMIO_REG_EVENT_TAIL + 4 * core) == head) {
        return false;
    }
    order();
    take(event, entry(MMIO_EVENT_RINGS + core * MMIO_EVENT_ENTRIES * MMIO_EVENT_BYTES, head,
                      MMIO_EVENT_ENTRIES, MMIO_EVENT_BYTES));
    hal->event_head[core] = head + 1;
    *reg(MMIO_REG_EVENT_HEAD + 4 * core) = head + 1;
    return true;
}

bool hal_flash_submit(struct hal *hal, const struct flash_op *op)
{
    const uint32_t tail = hal->flash_tail + 1;
    *(struct flash_op *)entry(MMIO_FLASH_RING, hal->flash_tail, MMIO_FLASH_ENTRIES,
                              MMIO_FLASH_BYTES) = *op;
    order();
    *reg(MMIO_REG_FLASH_TAIL) = tail;
    if (*reg(MMIO_REG_FLASH_TAIL) != tail) {
        return false; /* not taken; FLASH_SPACE follows */
    }
    hal->flash_tail = tail;
    return true;
}

void hal_host_transfer(struct hal *hal, const struct hal_host_dma *dma)
{
    *(struct hal_host_dma *)entry(MMIO_DMA_RING, hal->dma_tail, MMIO_DMA_ENTRIES, MMIO_DMA_BYTES) =
        *dma;
    order();
    *reg(MMIO_REG_DMA_TAIL) = ++hal->dma_tail;
}

void hal_host_complete(struct hal *hal, uint32_t tag, uint32_t status)
{
    (void)hal;
    *reg(MMIO_REG_HOST_COMPLETE) = tag | status << 16;
}

void hal_copy(struct hal *hal, uint32_t dst, uint32_t src, uint64_t sectors, uint32_t cookie)
{
    struct mmio_copy *copy = entry(MMIO_COPY_RING, hal->copy_tail, MMIO_COPY_ENTRIES, MMIO_COPY_BYTES);
    copy->sectors = sectors;
    copy->dst = dst;
    copy->src = src;
    copy->cookie = cookie;
    order();
    *reg(MMIO_REG_COPY_TAIL) = ++hal->copy_tail;
}

void hal_timer_arm(struct hal *hal, uint32_t id, uint64_t at_us)
{
    (void)hal;
    *reg(MMIO_REG_TIMER_LOW) = (uint32_t)at_us;
    *reg(MMIO_REG_TIMER_HIGH) = (uint32_t)(at_us >> 32);
    *reg(MMIO_REG_TIMER_ARM) = id;
}

void hal_send(struct hal *hal, uint32_t core, const struct hal_message *message)
{
    struct mmio_send *send = entry(MMIO_SEND_RING, hal->send_tail, MMIO_SEND_ENTRIES, MMIO_SEND_BYTES);
    send->message = *message;
    send->core = core;
    order();
    *reg(MMIO_REG_SEND_TAIL) = ++hal->send_tail;
}

__attribute__((noipa)) void hal_probe(struct hal *hal, uint32_t id, uint32_t value)
{
    (void)hal;
    *reg(MMIO_REG_PROBE_ID) = id;
    *reg(MMIO_REG_PROBE_VALUE) = value;
}

void hal_panic(struct hal *hal, uint32_t code, uint32_t detail)
{
    (void)hal;
    *reg(MMIO_REG_PANIC_DETAIL) = detail;
    *reg(MMIO_REG_PANIC_CODE) = code;
    for (;;) {
        port_wait();
    }
}
