// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: start-up of the RV32IMAC image: trap vector, stack, .bss, main; and the trap handler.
#include "firmware/hal/mmio.h"

    .option arch, +zicsr

    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
    la t0, trap
    csrw mtvec, t0
    la t0, bss_start
    la t1, bss_end
    bgeu t0, t1, 2f
1:
    sw zero, 0(t0)
    addi t0, t0, 4
    bltu t0, t1, 1b
2:
    call main
stop:
    wfi
    j stop

// Nothing is expected to trap: tell the outside where and why, then stop.
    .balign 4
trap:
    li t0, MMIO_REGS_BASE
    csrr t1, mtval
    sw t1, MMIO_REG_TRAP_TVAL(t0)
    csrr t1, mepc
    sw t1, MMIO_REG_TRAP_PC(t0)
    csrr t1, mcause
    sw t1, MMIO_REG_TRAP_CAUSE(t0)
    j stop
