// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ways into the x32 image and out of it. The host's stack lies above 4 GiB, so the image has its own.
    .text

// uint32_t cross_in(uint64_t function, uint64_t a, uint64_t b): the host calls a function of the image.
    .globl cross_in
cross_in:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    movq %rsp, host_stack(%rip)
    movl %edi, %eax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movl $stack_top, %esp
    call *%rax
leave:
    movq host_stack(%rip), %rsp
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret

// A function of hal.h: the host's function number %eax, on the host's stack. Once one has failed, the call that the
// host has made ends at once.
cross_out:
    pushq %rbp
    movq %rsp, %rbp
    movq host_stack(%rip), %rsp
    leaq host_calls(%rip), %r10
    call *(%r10,%rax,8)
    cmpb $0, host_failed(%rip)
    jne leave
    movq %rbp, %rsp
    popq %rbp
    ret

    .macro OUT name, number
    .globl \name
\name:
    movl $\number, %eax
    jmp cross_out
    .endm
    OUT hal_next_event, 0
    OUT hal_flash_submit, 1
    OUT hal_host_transfer, 2
    OUT hal_host_complete, 3
    OUT hal_copy, 4
    OUT hal_timer_arm, 5
    OUT hal_send, 6
    OUT hal_probe, 7
    OUT hal_panic, 8

    .bss
    .balign 16
    .globl host_calls, host_failed
    .type host_calls, @object
    .type host_failed, @object
host_calls: .space 72 // addresses of the host's functions, by the numbers above
host_stack: .space 8
host_failed: .space 16
stack: .space 0x10000
stack_top:

    .section .note.GNU-stack, "", @progbits
