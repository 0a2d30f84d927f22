#include "engine/thread_stack.h"

#include <pthread.h>

#include <cstddef>

namespace cuda_shim {
namespace {

// 3 MiB for a block's variables (CUDA_SHIM_SPLIT_BYTES for each of its threads), and room for the code's own frames.
constexpr uintptr_t kKernelBytes = 4u << 20;

}  // namespace

uintptr_t stack_end() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    void* lowest = nullptr;
    size_t bytes = 0;
    const bool ok = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return ok ? reinterpret_cast<uintptr_t>(lowest) : 0;
}

bool has_room_for_kernels() {
    static thread_local const uintptr_t end = stack_end();
    return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - end > kKernelBytes;
}

}  // namespace cuda_shim
