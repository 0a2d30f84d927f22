// Conditions of graphs. Programs declare cudaGraphSetConditional by themselves, as for NVRTC.
#pragma once
// Part for programs without own ones with names that begin with: cudaGraphSetConditional __cudart_builtin__ CUDARTAPI

#ifndef CUDARTAPI
#define CUDARTAPI
#endif
extern "C" CUDA_SHIM_UNCHECKED __attribute__((noinline, weak, visibility("hidden"))) void cudaGraphSetConditional(
    cudaGraphConditionalHandle handle, unsigned int value) {
    __atomic_store_n((unsigned int*)handle, value, __ATOMIC_RELEASE);
}
