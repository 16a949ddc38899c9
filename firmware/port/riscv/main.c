// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RV32IMAC image: boot from the host's configuration, then one step a wake-up.
//
// All cores run this one image and share `firmware`: a step runs to its end before another begins,
// and the register CORE says for whom. Between steps nothing is left on the stack.
#include "firmware/boot/firmware.h"
#include "firmware/port/riscv/port.h"

static struct fw firmware;
static struct hal hal;

static u32 load(u32 offset) { return *(volatile u32 *)(MMIO_REGS_BASE + offset); }
static void store(u32 offset, u32 value) { *(volatile u32 *)(MMIO_REGS_BASE + offset) = value; }

static u32 address(const void *x) { return (u32)(uintptr_t)x; }

/* Where the host finds what it looks at. */
static void describe(struct mmio_boot_block *block, const u8 *arena)
{
    u64 blocks_bytes;
    block->arena_used = (u32)(firmware.arena - arena);
    block->stats_address = address(&firmware.stats);
    block->module_address = address(&firmware.module);
    block->probing_address = address(&firmware.probing);
    block->blocks_address = address(fw_blocks(&firmware, &blocks_bytes));
    block->blocks_bytes = (u32)blocks_bytes;
    for (u32 id = 0; id < MMIO_SHOWN_COUNT; ++id) {
        block->shown_address[id] = address(fw_shown(&firmware, id));
    }
}

static u32 boot(struct mmio_boot_block *block)
{
    const struct fw_config *config = (const struct fw_config *)(block + 1);
    if (block->magic != MMIO_BOOT_MAGIC || block->config_bytes != sizeof *config) {
        return MMIO_STATUS_BAD_BOOT_BLOCK;
    }
    u8 *arena = (u8 *)(MMIO_DRAM_BASE + block->arena_offset);
    if (!fw_boot_with(&firmware, config, &hal, arena, block->arena_bytes, (void *)MMIO_TABLES,
                      MMIO_DTCM_BASE + MMIO_DTCM_BYTES - MMIO_TABLES)) {
        return MMIO_STATUS_NO_MEMORY;
    }
    /* The flash DMA brings OOB records to where the host says; the arena's own table stays unused. */
    firmware.oob = (u8 *)(MMIO_DRAM_BASE + config->oob_base);
    if (fw_table_place(&firmware)) { /* table pages go through the flash DMA, too */
        *fw_table_place(&firmware) = (u8 *)(MMIO_DRAM_BASE + fw_table_base(config));
    }
    describe(block, arena);
    return MMIO_STATUS_READY;
}

int main(void)
{
    const u32 status = boot((struct mmio_boot_block *)MMIO_BOOT_BLOCK);
    store(MMIO_REG_STATUS, status);
    for (;;) {
        port_wait();
        const u32 core = status == MMIO_STATUS_READY ? load(MMIO_REG_CORE) : MMIO_MAX_CORES;
        if (core == MMIO_CORE_IDLE) {
            store(MMIO_REG_IDLE, fw_idle(&firmware));
        } else if (core < MMIO_MAX_CORES) {
            const u64 low = load(MMIO_REG_NOW_LOW);
            fw_step(&firmware, core, (u64)load(MMIO_REG_NOW_HIGH) << 32 | low);
        }
    }
}
