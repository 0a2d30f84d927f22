// The compiler saves caller-saved registers around a call; only callee-saved ones are moved here. The floating
// point control words stay: kernels do not change them. The switch ends in `ret`, so that a fibre resumes at the
// very address the previous one called from and the return predictor stays right.
#include "engine/context_switch.h"

#if defined(__x86_64__)
asm(R"(
.text
.macro cuda_shim_push_registers
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
.endm
.macro cuda_shim_pop_registers
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
.endm

.p2align 5
.globl cuda_shim_switch_stack
.hidden cuda_shim_switch_stack
.type cuda_shim_switch_stack,@function
cuda_shim_switch_stack:
    pushq %rbp
    cuda_shim_push_registers
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    movl %edx, %eax
    cuda_shim_pop_registers
    ret
.size cuda_shim_switch_stack, .-cuda_shim_switch_stack

.p2align 4
.globl cuda_shim_call_recoverable
.hidden cuda_shim_call_recoverable
.type cuda_shim_call_recoverable,@function
cuda_shim_call_recoverable:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    cuda_shim_push_registers
    movq %rsp, (%rdi)
    subq $8, %rsp
    movq %rdx, %rdi
    call *%rsi
    xorl %eax, %eax
    addq $8, %rsp
    cuda_shim_pop_registers
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
.size cuda_shim_call_recoverable, .-cuda_shim_call_recoverable

.p2align 4
.globl cuda_shim_recover
.hidden cuda_shim_recover
.type cuda_shim_recover,@function
cuda_shim_recover:
    movq %rdi, %rsp
    movl %esi, %eax
    cuda_shim_pop_registers
    ret
.size cuda_shim_recover, .-cuda_shim_recover

.p2align 4
.globl cuda_shim_begin_stack
.hidden cuda_shim_begin_stack
.type cuda_shim_begin_stack,@function
cuda_shim_begin_stack:
    .cfi_startproc
    .cfi_undefined %rip
    pushq %rbp
    cuda_shim_push_registers
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    xorl %ebp, %ebp
    movq %rcx, %rdi
    call *%rdx
    ud2
    .cfi_endproc
.size cuda_shim_begin_stack, .-cuda_shim_begin_stack

.p2align 4
.globl cuda_shim_call_on_stack
.hidden cuda_shim_call_on_stack
.type cuda_shim_call_on_stack,@function
cuda_shim_call_on_stack:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    cuda_shim_push_registers
    movq cuda_shim_stack_of_caller@gottpoff(%rip), %rax
    movq %rsp, %fs:(%rax)
    movq %rdi, %rsp
    movq %rdx, %rdi
    call *%rsi
    movq cuda_shim_stack_of_caller@gottpoff(%rip), %rax
    movq %fs:(%rax), %rsp
    cuda_shim_pop_registers
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
.size cuda_shim_call_on_stack, .-cuda_shim_call_on_stack
)");
#elif defined(__aarch64__)
asm(R"(
.text
.macro cuda_shim_store_registers
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
.endm
.macro cuda_shim_store_floats
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
.endm

.p2align 5
.globl cuda_shim_switch_stack
.hidden cuda_shim_switch_stack
.type cuda_shim_switch_stack,%function
cuda_shim_switch_stack:
    sub sp, sp, #160
    cuda_shim_store_registers
    cuda_shim_store_floats
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    mov w0, w2
    b .Lcuda_shim_load_registers
.size cuda_shim_switch_stack, .-cuda_shim_switch_stack

.p2align 4
.globl cuda_shim_recover
.hidden cuda_shim_recover
.type cuda_shim_recover,%function
cuda_shim_recover:
    mov sp, x0
    mov w0, w1
.Lcuda_shim_load_registers:
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size cuda_shim_recover, .-cuda_shim_recover

.p2align 4
.globl cuda_shim_call_recoverable
.hidden cuda_shim_call_recoverable
.type cuda_shim_call_recoverable,%function
cuda_shim_call_recoverable:
    .cfi_startproc
    sub sp, sp, #160
    .cfi_def_cfa_offset 160
    cuda_shim_store_registers
    .cfi_offset x29, -80
    .cfi_offset x30, -72
    cuda_shim_store_floats
    mov x9, sp
    str x9, [x0]
    add x29, sp, #80
    mov x0, x2
    blr x1
    mov w0, #0
    b .Lcuda_shim_load_registers
    .cfi_endproc
.size cuda_shim_call_recoverable, .-cuda_shim_call_recoverable

.p2align 4
.globl cuda_shim_begin_stack
.hidden cuda_shim_begin_stack
.type cuda_shim_begin_stack,%function
cuda_shim_begin_stack:
    .cfi_startproc
    .cfi_undefined x30
    sub sp, sp, #160
    cuda_shim_store_registers
    cuda_shim_store_floats
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    mov x29, #0
    mov x0, x3
    blr x2
    brk #0
    .cfi_endproc
.size cuda_shim_begin_stack, .-cuda_shim_begin_stack

.p2align 4
.globl cuda_shim_call_on_stack
.hidden cuda_shim_call_on_stack
.type cuda_shim_call_on_stack,%function
cuda_shim_call_on_stack:
    .cfi_startproc
    sub sp, sp, #160
    .cfi_def_cfa_offset 160
    cuda_shim_store_registers
    .cfi_offset x29, -80
    .cfi_offset x30, -72
    add x29, sp, #80
    .cfi_def_cfa x29, 80
    cuda_shim_store_floats
    mrs x9, tpidr_el0
    adrp x10, :gottprel:cuda_shim_stack_of_caller
    ldr x10, [x10, :gottprel_lo12:cuda_shim_stack_of_caller]
    mov x11, sp
    str x11, [x9, x10]
    mov sp, x0
    mov x0, x2
    blr x1
    mrs x9, tpidr_el0
    adrp x10, :gottprel:cuda_shim_stack_of_caller
    ldr x10, [x10, :gottprel_lo12:cuda_shim_stack_of_caller]
    ldr x11, [x9, x10]
    mov sp, x11
    b .Lcuda_shim_load_registers
    .cfi_endproc
.size cuda_shim_call_on_stack, .-cuda_shim_call_on_stack
)");
#else
#error "cuda_shim: fibres are written for x86-64 and aarch64"
#endif

// In the initial-exec model, as the code above reads it.
extern "C"
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) thread_local void* cuda_shim_stack_of_caller;
thread_local void* cuda_shim_stack_of_caller = nullptr;
