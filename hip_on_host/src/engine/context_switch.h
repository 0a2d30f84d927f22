// Leaving one stack for another: fibres, and the way back from a fault.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {

// Saves the callee-saved registers on the current stack and its pointer in *save, then continues on the stack
// whose pointer was saved as `load`: the call that was left there returns `result`. So the caller may end in this
// call and keep nothing on its stack while it waits.
int cuda_shim_switch_stack(void** save, void* load, int result);

// Saves as much, then starts entry(argument) at `top` of another stack, whose contents do not matter. `entry` never
// returns, but others may come back to this call.
int cuda_shim_begin_stack(void** save, void* top, void (*entry)(void*), void* argument);

// Calls function(argument) at `top` of another stack and returns when it returns. Nothing is read back from that stack
// but the address to return to: the caller's registers are kept on its own. `top` is aligned to 16 bytes.
void cuda_shim_call_on_stack(void* top, void (*function)(void*), void* argument);

// Calls function(argument) and returns 0. The function may instead end with cuda_shim_recover(*save, code): then this
// call returns `code` and all frames below it are abandoned, on any stack.
int cuda_shim_call_recoverable(void** save, void (*function)(void*), void* argument);
[[noreturn]] void cuda_shim_recover(void* saved, int code);

}  // extern "C"
