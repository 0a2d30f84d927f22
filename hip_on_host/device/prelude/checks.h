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

// GCC calls the same function for 16 bytes of a struct that is aligned to 8 as for a vector that needs 16.
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_ALIGNMENT_OF(address, bytes) 0
#else
#define CUDA_SHIM_ALIGNMENT_OF(address, bytes) \
    ((bytes) == 16 && (uintptr_t)(address) % 8 == 0 ? CUDA_SHIM_ACCESS_UNALIGNED : 0)
#endif
#define CUDA_SHIM_ACCESS_HOOKS(bytes)                                                                      \
    CUDA_SHIM_HOOK void __tsan_read##bytes(void* address) {                                                \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ALIGNMENT_OF(address, bytes));                                         \
    }                                                                                                      \
    CUDA_SHIM_HOOK void __tsan_write##bytes(void* address) {                                               \
        CUDA_SHIM_ANNOUNCE(address, bytes, CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ALIGNMENT_OF(address, bytes));                                        \
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

// The flags of an order of memory (__ATOMIC_RELEASE and its like), to which GCC adds bits of its own.
CUDA_SHIM_UNCHECKED inline uint32_t cuda_shim_access_order(int order) {
    switch (order & 7) {
        case __ATOMIC_CONSUME:
        case __ATOMIC_ACQUIRE: return CUDA_SHIM_ACCESS_ACQUIRE;
        case __ATOMIC_RELEASE: return CUDA_SHIM_ACCESS_RELEASE;
        case __ATOMIC_ACQ_REL:
        case __ATOMIC_SEQ_CST: return CUDA_SHIM_ACCESS_ACQUIRE | CUDA_SHIM_ACCESS_RELEASE;
        default: return 0;
    }
}

// Atomic operations arrive as calls that also have to carry them out.
#define CUDA_SHIM_ATOMIC_READ(order) (CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_ATOMIC | cuda_shim_access_order(order))
#define CUDA_SHIM_ATOMIC_WRITE(order) (CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_ATOMIC | cuda_shim_access_order(order))
#define CUDA_SHIM_READ_MODIFY_WRITE(order) (CUDA_SHIM_ATOMIC_READ(order) | CUDA_SHIM_ACCESS_WRITE)
#define CUDA_SHIM_ATOMIC_UPDATE_HOOK(T, bits, name)                                               \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_fetch_##name(volatile T* address, T value, int order) { \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE(order));               \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                           \
    }
#define CUDA_SHIM_ATOMIC_HOOKS(T, bits)                                                                          \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_load(const volatile T* address, int order) {                          \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_ATOMIC_READ(order));                                    \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                       \
    }                                                                                                            \
    CUDA_SHIM_HOOK void __tsan_atomic##bits##_store(volatile T* address, T value, int order) {                   \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_ATOMIC_WRITE(order));                                   \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                      \
    }                                                                                                            \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_exchange(volatile T* address, T value, int order) {                   \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE(order));                              \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                            \
    }                                                                                                            \
    CUDA_SHIM_HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T wanted, \
                                                                     int order, int) {                           \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE(order));                              \
        return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                            \
    CUDA_SHIM_HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T wanted,   \
                                                                   int order, int) {                             \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE(order));                              \
        return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                            \
    CUDA_SHIM_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T wanted, int order, int) { \
        CUDA_SHIM_ANNOUNCE(address, sizeof(T), CUDA_SHIM_READ_MODIFY_WRITE(order));                              \
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
CUDA_SHIM_HOOK void __tsan_atomic_thread_fence(int order) {
    CUDA_SHIM_ANNOUNCE(nullptr, 0, CUDA_SHIM_ACCESS_FENCE | cuda_shim_access_order(order));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
CUDA_SHIM_HOOK void __tsan_atomic_signal_fence(int) {}

// Copies of whole objects, and calls of the C functions. GCC leaves both as they are, so there these are the C
// functions.
#define CUDA_SHIM_ANNOUNCE_COPY(to, from, bytes)                                         \
    CUDA_SHIM_ANNOUNCE(from, bytes, CUDA_SHIM_ACCESS_READ | CUDA_SHIM_ACCESS_UNALIGNED); \
    CUDA_SHIM_ANNOUNCE(to, bytes, CUDA_SHIM_ACCESS_WRITE | CUDA_SHIM_ACCESS_UNALIGNED)
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_MEMORY_HOOK(name) CUDA_SHIM_HOOK void* __tsan_##name
#else
// Under names of their own in C++: a program may have functions called like these.
#define CUDA_SHIM_MEMORY_HOOK(name) CUDA_SHIM_HOOK void* cuda_shim_##name
extern "C" void* cuda_shim_memcpy(void*, const void*, size_t) noexcept __asm__("memcpy");
extern "C" void* cuda_shim_memmove(void*, const void*, size_t) noexcept __asm__("memmove");
extern "C" void* cuda_shim_memset(void*, int, size_t) noexcept __asm__("memset");
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

// Compilers call this before an index that is outside of an array of known length is used (they know it as an entry
// point of the sanitizer of undefined behaviour), and hand over how they describe the array and the index.
struct cuda_shim_described_type {
    uint16_t kind;
    uint16_t number;  // of an integer: twice the logarithm of its bits, and 1 where it has a sign
    char name[1];
};
struct cuda_shim_described_index {
    struct {
        const char* file;
        uint32_t line, column;
    } place;
    const cuda_shim_described_type *array, *index;
};
CUDA_SHIM_HOOK void __ubsan_handle_out_of_bounds(const cuda_shim_described_index* described, uintptr_t value) {
    // A number of at most 64 bits is passed as it is, in the low bits.
    const unsigned bits = 1u << (described->index->number >> 1), unused = bits < 64 ? 64 - bits : 0;
    const bool has_sign = described->index->number & 1;
    const int64_t index = has_sign ? (int64_t)(value << unused) >> unused : (int64_t)(value << unused >> unused);
    cuda_shim_services->index_outside(described->array->name, index, __builtin_return_address(0), CUDA_SHIM_CALLING_FRAME);
}
