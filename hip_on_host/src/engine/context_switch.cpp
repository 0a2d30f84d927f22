// The compiler saves caller-saved registers around a call; only callee-saved ones are moved here. The floating
// point control words stay: kernels do not change them. The switch ends in `ret`, so that a fibre resumes at the
// very address the previous one called from and the return predictor stays right.
#include "engine/context_switch.h"

#if defined(__x86_64__)
asm(R"(
.text
.p2align 5
.globl cuda_shim_switch_stack
.hidden cuda_shim_switch_stack
.type cuda_shim_switch_stack,@function
cuda_shim_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    movl %edx, %eax
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
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
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    subq $8, %rsp
    movq %rdx, %rdi
    call *%rsi
    xorl %eax, %eax
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
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
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size cuda_shim_recover, .-cuda_shim_recover

.p2align 4
.globl cuda_shim_start_fibre
.hidden cuda_shim_start_fibre
.type cuda_shim_start_fibre,@function
cuda_shim_start_fibre:
    .cfi_startproc
    .cfi_undefined %rip
    movq %r12, %rdi
    call *%r13
    ud2
    .cfi_endproc
.size cuda_shim_start_fibre, .-cuda_shim_start_fibre
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 5
.globl cuda_shim_switch_stack
.hidden cuda_shim_switch_stack
.type cuda_shim_switch_stack,%function
cuda_shim_switch_stack:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
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
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    .cfi_offset x29, -80
    .cfi_offset x30, -72
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
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
.globl cuda_shim_start_fibre
.hidden cuda_shim_start_fibre
.type cuda_shim_start_fibre,%function
cuda_shim_start_fibre:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x19
    blr x20
    brk #0
    .cfi_endproc
.size cuda_shim_start_fibre, .-cuda_shim_start_fibre
)");
#else
#error "cuda_shim: fibres are written for x86-64 and aarch64"
#endif

extern "C" void cuda_shim_start_fibre();

namespace cuda_shim {

void* prepare_stack(void* top, void (*entry)(void*), void* argument) {
    auto* stack = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15});
#if defined(__x86_64__)
    enum { kR15, kR14, kR13, kR12, kRbx, kRbp, kReturnAddress, kSlots };
    stack -= kSlots;  // once its address is popped, the start finds the stack aligned as before a call
    for (int slot = 0; slot < kSlots; slot++) stack[slot] = nullptr;
    stack[kR12] = argument;
    stack[kR13] = reinterpret_cast<void*>(entry);
    stack[kReturnAddress] = reinterpret_cast<void*>(cuda_shim_start_fibre);
#else
    enum { kX19 = 0, kX20 = 1, kX30 = 11, kSlots = 20 };
    stack -= kSlots;
    for (int slot = 0; slot < kSlots; slot++) stack[slot] = nullptr;
    stack[kX19] = argument;
    stack[kX20] = reinterpret_cast<void*>(entry);
    stack[kX30] = reinterpret_cast<void*>(cuda_shim_start_fibre);
#endif
    return stack;
}

}  // namespace cuda_shim
