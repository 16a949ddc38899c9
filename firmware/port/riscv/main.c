// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RV32IMAC image: boot from the host's configuration, then one step a wake-up.
//
// All cores run this one image and share `firmware`: a step runs to its end before another begins,
// and the register CORE says for whom. Between steps nothing is left on the stack.
#include "firmware/core/fw.h"
#include "firmware/port/riscv/port.h"

static struct fw firmware;
static struct hal hal;

static u32 load(u32 offset) { return *(volatile u32 *)(MMIO_REGS_BASE + offset); }
static void store(u32 offset, u32 value) { *(volatile u32 *)(MMIO_REGS_BASE + offset) = value; }

static u32 boot(struct mmio_boot_block *block)
{
    const struct fw_config *config = (const struct fw_config *)(block + 1);
    if (block->magic != MMIO_BOOT_MAGIC || block->config_bytes != sizeof *config) {
        return MMIO_STATUS_BAD_BOOT_BLOCK;
    }
    u8 *arena = (u8 *)(MMIO_DRAM_BASE + block->arena_offset);
    if (!fw_boot(&firmware, config, &hal, arena, block->arena_bytes)) {
        return MMIO_STATUS_NO_MEMORY;
    }
    /* The flash DMA brings OOB records to where the host says; the arena's own table stays unused. */
    firmware.oob = (u8 *)(MMIO_DRAM_BASE + config->oob_base);
    block->stats_address = (u32)(uintptr_t)&firmware.stats;
    block->arena_used = (u32)(firmware.arena - arena);
    return MMIO_STATUS_READY;
}

int main(void)
{
    const u32 status = boot((struct mmio_boot_block *)MMIO_BOOT_BLOCK);
    store(MMIO_REG_STATUS, status);
    for (;;) {
        port_wait();
        if (status == MMIO_STATUS_READY) {
            const u32 core = load(MMIO_REG_CORE);
            const u64 low = load(MMIO_REG_NOW_LOW);
            fw_step(&firmware, core, (u64)load(MMIO_REG_NOW_HIGH) << 32 | low);
        }
    }
}
