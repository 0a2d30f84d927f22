// Functions of CUDA that stop, wait, check and mark.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

typedef long clock_t;

CUDA_ON_HIP_DEVICE void cuda_on_hip_trap() { __builtin_trap(); }

// The GPU sleeps in steps of 64 clocks; a nanosecond is about two of them.
CUDA_ON_HIP_DEVICE void cuda_on_hip_nanosleep(unsigned nanoseconds) {
#if defined(__AMDGCN__)
    for (unsigned slept = 0; slept < nanoseconds; slept += 32) __builtin_amdgcn_s_sleep(1);
#else
    (void)nanoseconds;
#endif
}

#if defined(__AMDGCN__)
CUDA_ON_HIP_DEVICE unsigned long long cuda_on_hip_append(unsigned long long message, const char* text, bool last) {
    unsigned long long length = 0;
    while (text[length++]) {
    }
    return __ockl_fprintf_append_string_n(message, text, length, last);
}
// CUDA's line about a failed assertion, on the program's stderr. HIP has no status for it: a trap is a failed launch.
static __device__ __attribute__((noinline, noreturn)) void cuda_on_hip_assert_fail(
    const char* expression, const char* file, int line, const char* function) {
    unsigned long long message = __ockl_fprintf_stderr_begin();
    message = cuda_on_hip_append(
        message, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", false);
    message = cuda_on_hip_append(message, file, false);
    message = __ockl_fprintf_append_args(message, 1, line, 0, 0, 0, 0, 0, 0, false);
    message = cuda_on_hip_append(message, function, false);
    message = __ockl_fprintf_append_args(message, 6, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                                         threadIdx.z, 0, false);
    cuda_on_hip_append(message, expression, true);
    __builtin_trap();
}
#endif
#ifdef NDEBUG
#define cuda_on_hip_assert(expression) ((void)0)
#else
#define cuda_on_hip_assert(expression) \
    ((expression) ? (void)0 : cuda_on_hip_assert_fail(#expression, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

#if defined(__AMDGCN__)
// The address space of a generic pointer.
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_is_shared(const void* pointer) {
    return __builtin_amdgcn_is_shared((__attribute__((address_space(0))) void*)pointer);
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_is_local(const void* pointer) {
    return __builtin_amdgcn_is_private((__attribute__((address_space(0))) void*)pointer);
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_is_global(const void* pointer) {
    return !cuda_on_hip_is_shared(pointer) && !cuda_on_hip_is_local(pointer);
}
CUDA_ON_HIP_DEVICE size_t cuda_on_hip_shared_address(const void* pointer) {
    return (size_t)(unsigned)(size_t)(__attribute__((address_space(3))) const void*)pointer;
}
#endif
