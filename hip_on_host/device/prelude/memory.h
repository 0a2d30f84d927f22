// Loads and stores with cache hints (hints mean nothing to a host core), fences and clocks.
#pragma once

#define CUDA_SHIM_CACHED_LOAD(name) \
    template <class T> CUDA_SHIM_INLINE typename cuda_shim_cached<T>::type name(const T* address) { return *address; }
CUDA_SHIM_CACHED_LOAD(__ldg)
CUDA_SHIM_CACHED_LOAD(__ldca)
CUDA_SHIM_CACHED_LOAD(__ldcg)
CUDA_SHIM_CACHED_LOAD(__ldcs)
CUDA_SHIM_CACHED_LOAD(__ldlu)
// Reads again each time, in loops that wait too.
template <class T> CUDA_SHIM_INLINE typename cuda_shim_cached<T>::type __ldcv(const T* address) {
    asm volatile("" : : : "memory");
    return *address;
}
#define CUDA_SHIM_CACHED_STORE(name) \
    template <class T> CUDA_SHIM_INLINE void name(T* address, typename cuda_shim_cached<T>::type value) { *address = value; }
CUDA_SHIM_CACHED_STORE(__stwb)
CUDA_SHIM_CACHED_STORE(__stcg)
CUDA_SHIM_CACHED_STORE(__stcs)
CUDA_SHIM_CACHED_STORE(__stwt)

CUDA_SHIM_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CUDA_SHIM_INLINE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CUDA_SHIM_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Ticks of the device's clock, at the rate that the device reports.
CUDA_SHIM_INLINE long long clock64() {
    return (long long)((unsigned __int128)cuda_shim_services->nanoseconds() * cuda_shim_services->clock_step >> 32);
}
#ifndef CUDA_SHIM_CUDA
CUDA_SHIM_INLINE long long wall_clock64() { return (long long)cuda_shim_services->nanoseconds(); }
CUDA_SHIM_INLINE unsigned long long __globaltimer() { return cuda_shim_services->nanoseconds() + cuda_shim_services->clock_epoch; }
#endif
// glibc declares clock() and clock_t where standard headers are included, so ours goes by another name.
CUDA_SHIM_INLINE long cuda_shim_clock() { return (long)clock64(); }
#ifndef CUDA_SHIM_STANDARD_HEADERS
typedef long clock_t;
#endif
#define clock cuda_shim_clock
CUDA_SHIM_INLINE void __nanosleep(unsigned int) {}
#define __prof_trigger(counter) ((void)(counter))

// Functions and variables that compilers use unasked. Their names in C++ leave the compilers' to the program.
#define CUDA_SHIM_FOR_COMPILER extern "C" __attribute__((weak, visibility("hidden")))
// The call in place of a pure virtual method.
CUDA_SHIM_FOR_COMPILER void cuda_shim_pure_virtual() __asm__("__cxa_pure_virtual");
void cuda_shim_pure_virtual() { __builtin_trap(); }

// Shared variables of any type are not destroyed: to the host's compiler they are variables of a thread.
CUDA_SHIM_FOR_COMPILER int cuda_shim_thread_atexit(void (*)(void*), void*, void*) __asm__("__cxa_thread_atexit");
int cuda_shim_thread_atexit(void (*)(void*), void*, void*) { return 0; }
CUDA_SHIM_FOR_COMPILER void* cuda_shim_dso_handle __asm__("__dso_handle") = nullptr;
// Nor are static ones: the process would run their destructors at its end, when the module is gone.
CUDA_SHIM_FOR_COMPILER int cuda_shim_atexit(void (*)(void*), void*, void*) __asm__("__cxa_atexit");
int cuda_shim_atexit(void (*)(void*), void*, void*) { return 0; }

// Declarations that CUDA's compilers know without a header.
#ifndef CUDA_SHIM_STANDARD_HEADERS
inline void* operator new(size_t, void* place) noexcept { return place; }
inline void* operator new[](size_t, void* place) noexcept { return place; }
#if defined(CUDA_SHIM_CUDA) && !defined(CUDA_SHIM_NO_MOVE)
namespace std {
template <class T> CUDA_SHIM_INLINE constexpr T&& forward(typename cuda_shim_remove_reference<T>::type& value) noexcept {
    return static_cast<T&&>(value);
}
template <class T> CUDA_SHIM_INLINE constexpr T&& forward(typename cuda_shim_remove_reference<T>::type&& value) noexcept {
    return static_cast<T&&>(value);
}
template <class T> CUDA_SHIM_INLINE constexpr typename cuda_shim_remove_reference<T>::type&& move(T&& value) noexcept {
    return static_cast<typename cuda_shim_remove_reference<T>::type&&>(value);
}
}  // namespace std
#endif
#ifndef CUDA_SHIM_NO_INITIALIZER_LIST
namespace std {
template <class E> class initializer_list {
    const E* first_ = nullptr;
    size_t count_ = 0;
#ifndef CUDA_SHIM_CLANG
    constexpr initializer_list(const E* first, size_t count) : first_(first), count_(count) {}  // for the compiler
#endif

public:
    typedef E value_type;
    typedef const E& reference;
    typedef const E& const_reference;
    typedef size_t size_type;
    typedef const E* iterator;
    typedef const E* const_iterator;
    constexpr initializer_list() noexcept = default;
    constexpr size_t size() const noexcept { return count_; }
    constexpr const E* begin() const noexcept { return first_; }
    constexpr const E* end() const noexcept { return first_ + count_; }
};
template <class E> constexpr const E* begin(initializer_list<E> list) noexcept { return list.begin(); }
template <class E> constexpr const E* end(initializer_list<E> list) noexcept { return list.end(); }
}  // namespace std
#endif
#endif

#ifdef CUDA_SHIM_CUDA
namespace std {
enum class align_val_t : size_t;  // NVRTC declares it without a header
}
#endif

#ifndef CUDA_SHIM_STANDARD_HEADERS
#ifdef CUDA_SHIM_CUDA
// NVRTC's have C++ linkage, beside which a program may have functions of C linkage and the same name.
CUDA_SHIM_INLINE void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
CUDA_SHIM_INLINE void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
#else
extern "C" void* memcpy(void* __restrict__, const void* __restrict__, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;
extern "C" void* memmove(void*, const void*, size_t) noexcept;
extern "C" int memcmp(const void*, const void*, size_t) noexcept;
extern "C" size_t strlen(const char*) noexcept;
#endif
#endif

// The device's heap, which has the size that hipDeviceSetLimit gave it. Inline, for programs that are linked into one and
// those that allocate nothing.
#define CUDA_SHIM_HEAP extern "C" CUDA_SHIM_UNCHECKED __attribute__((noinline, visibility("hidden"))) inline
#if defined(CUDA_SHIM_OWN_MALLOC) && !defined(CUDA_SHIM_STANDARD_HEADERS)
extern "C" void* malloc(size_t bytes) __asm__("program.malloc");  // the program defines it
#else
CUDA_SHIM_HEAP void* malloc(size_t bytes) noexcept { return cuda_shim_services->device_malloc(bytes); }
#endif
#if defined(CUDA_SHIM_OWN_FREE) && !defined(CUDA_SHIM_STANDARD_HEADERS)
extern "C" void free(void* memory) __asm__("program.free");
#else
CUDA_SHIM_HEAP void free(void* memory) noexcept { cuda_shim_services->device_free(memory); }
#endif

// new and delete of device code, without the C++ library. A failed allocation is a null pointer, as on a GPU.
inline void* operator new(size_t bytes) { return malloc(bytes); }
inline void* operator new[](size_t bytes) { return malloc(bytes); }
inline void operator delete(void* p) noexcept { free(p); }
inline void operator delete[](void* p) noexcept { free(p); }
inline void operator delete(void* p, size_t) noexcept { free(p); }
inline void operator delete[](void* p, size_t) noexcept { free(p); }
