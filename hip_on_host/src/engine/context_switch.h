// Leaving one stack for another: fibres, and the way back from a fault.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {

// Saves the callee-saved registers on the current stack and its pointer in *save, then continues on the stack
// whose pointer was saved (or prepared) as `load`: the call that was left there returns `result`. So the caller may
// end in this call and keep nothing on its stack while it waits.
int cuda_shim_switch_stack(void** save, void* load, int result);

// Calls function(argument) and returns 0. The function may instead end with cuda_shim_recover(*save, code): then this
// call returns `code` and all frames below it are abandoned, on any stack.
int cuda_shim_call_recoverable(void** save, void (*function)(void*), void* argument);
[[noreturn]] void cuda_shim_recover(void* saved, int code);

}  // extern "C"

namespace cuda_shim {

// A stack pointer for cuda_shim_switch_stack that starts entry(argument) at the top of a fresh stack.
// `entry` never returns.
void* prepare_stack(void* top, void (*entry)(void*), void* argument);

}  // namespace cuda_shim
