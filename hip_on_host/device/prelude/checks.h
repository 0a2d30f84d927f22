// Checked kernels: compilers call these functions before each access to memory (they know them as the entry points of
// the thread sanitizer), and the runtime judges the access. Clang, zig and GCC emit the same calls.
//
// Included only where hiprtc defines CUDA_SHIM_CHECKED. Everything here is hidden, so that each module has its own, and
// no real sanitizer's functions are met; and weak, for programs that are linked into one.
#pragma once

#define CUDA_SHIM_HOOK extern "C" CUDA_SHIM_UNCHECKED __attribute__((noinline, weak, used, visibility("hidden")))

// The frame of the function that makes the access: the hook's own frame begins with a pointer to it.
#define CUDA_SHIM_CALLING_FRAME (*(void* const*)__builtin_frame_address(0))
#define CUDA_SHIM_ANNOUNCE(address, bytes, access) \
    cuda_shim_services->memory_access(address, bytes, access, __builtin_return_address(0), CUDA_SHIM_CALLING_FRAME)

CUDA_SHIM_HOOK void __tsan_init() {}
CUDA_SHIM_HOOK void __tsan_func_entry(void*) {}
CUDA_SHIM_HOOK void __tsan_func_exit() {}
CUDA_SHIM_HOOK void __tsan_vptr_update(void** address, void*) {
    CUDA_SHIM_ANNOUNCE(address, sizeof(void*), CUDA_SHIM_ACCESS_WRITE);
}
CUDA_SHIM_HOOK void __tsan_vptr_read(void** address) {
    CUDA_SHIM_ANNOUNCE(address, sizeof(void*), CUDA_SHIM_ACCESS_READ);
}
CUDA_SHIM_HOOK void __tsan_read_range(void* address, size_t bytes) {
    CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_UNALIGNED);
}
CUDA_SHIM_HOOK void __tsan_write_range(void* address, size_t bytes) {
    CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_UNALIGNED);
}

#define CUDA_SHIM_ACCESS_HOOKS(bytes)                                                                      \
    CUDA_SHIM_HOOK void __tsan_read##bytes(void* address) {                                                \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_READ);                                         \
    }                                                                                                      \
    CUDA_SHIM_HOOK void __tsan_write##bytes(void* address) {                                               \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_WRITE);                                        \
    }                                                                                                      \
    CUDA_SHIM_HOOK void __tsan_volatile_read##bytes(void* address) {                                       \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_VOLATILE);                                         \
    }                                                                                                      \
    CUDA_SHIM_HOOK void __tsan_volatile_write##bytes(void* address) {                                      \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_VOLATILE);                                        \
    }                                                                                                      \
    CUDA_SHIM_HOOK void __tsan_unaligned_read##bytes(void* address) {                                      \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_UNALIGNED);            \
    }                                                                                                      \
    CUDA_SHIM_HOOK void __tsan_unaligned_write##bytes(void* address) {                                     \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_UNALIGNED);           \
    }
CUDA_SHIM_ACCESS_HOOKS(1)
CUDA_SHIM_ACCESS_HOOKS(2)
CUDA_SHIM_ACCESS_HOOKS(4)
CUDA_SHIM_ACCESS_HOOKS(8)
CUDA_SHIM_ACCESS_HOOKS(16)

// Atomic operations arrive as calls that also have to carry them out.
#define CUDA_SHIM_READ_MODIFY_WRITE (CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_ATOMIC)
#define CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, name)                                               \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_fetch_##name(volatile T* address, T value, int) {      \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE);                      \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                           \
    }
#define CUDA_SHIM_ATOMIC_HOOKS(T, bits)                                                                          \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_load(const volatile T* address, int) {                                \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_ATOMIC);                 \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                       \
    }                                                                                                            \
    CUDA_SHIM_HOOK void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                         \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_ATOMIC);                \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                      \
    }                                                                                                            \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) {                         \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_ATOMIC);                \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                            \
    }                                                                                                            \
    CUDA_SHIM_HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T wanted, \
                                                                     int, int) {                                 \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE);                                     \
        return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                            \
    CUDA_SHIM_HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T wanted,   \
                                                                   int, int) {                                   \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE);                                     \
        return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                            \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T wanted, int, int) { \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE);                                     \
        __atomic_compare_exchange_n(address, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        return expected;                                                                                         \
    }                                                                                                            \
    CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, add)                                                                   \
    CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, sub)                                                                   \
    CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, and)                                                                   \
    CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, or)                                                                    \
    CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, xor)                                                                   \
    CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, nand)
CUDA_SHIM_ATOMIC_HOOKS(uint8_t, 8)
CUDA_SHIM_ATOMIC_HOOKS(uint16_t, 16)
CUDA_SHIM_ATOMIC_HOOKS(uint32_t, 32)
CUDA_SHIM_ATOMIC_HOOKS(uint64_t, 64)
CUDA_SHIM_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CUDA_SHIM_HOOK void __tsan_atomic_signal_fence(int) {}

// Copies of whole objects, and calls of the C functions. GCC leaves both as they are, so there these are the C
// functions.
#define CUDA_SHIM_ANNOUNCE_COPY(to, from, bytes)                                         \
    CUDA_SHIM_ANNOUNCE(from, bytes, CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_UNALIGNED); \
    CUDA_SHIM_ANNOUNCE(to, bytes, CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_UNALIGNED)
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_MEMORY_HOOK(name) CUDA_SHIM_HOOK void* __tsan_##name
#else
#define CUDA_SHIM_MEMORY_HOOK(name) CUDA_SHIM_HOOK void* name
#endif
CUDA_SHIM_MEMORY_HOOK(memcpy)(void* to, const void* from, size_t bytes) noexcept {
    CUDA_SHIM_ANNOUNCE_COPY(to, from, bytes);
    for (size_t i = 0; i < bytes; ++i) ((volatile char*)to)[i] = ((const char*)from)[i];
    return to;
}
CUDA_SHIM_MEMORY_HOOK(memmove)(void* to, const void* from, size_t bytes) noexcept {
    CUDA_SHIM_ANNOUNCE_COPY(to, from, bytes);
    const bool upwards = (uintptr_t)to < (uintptr_t)from;
    for (size_t i = 0; i < bytes; ++i) {
        const size_t at = upwards ? i : bytes - 1 - i;
        ((volatile char*)to)[at] = ((const char*)from)[at];
    }
    return to;
}
CUDA_SHIM_MEMORY_HOOK(memset)(void* to, int value, size_t bytes) noexcept {
    CUDA_SHIM_ANNOUNCE(to, bytes, CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_UNALIGNED);
    for (size_t i = 0; i < bytes; ++i) ((volatile char*)to)[i] = (char)value;
    return to;
}
