// Functions that NVRTC knows without a header and no CUDA manual lists: NVIDIA's own headers, and CUDA's C++ core
// libraries among them, call them.
#pragma once

CUDA_SHIM_INLINE unsigned int __isGridConstant(const void*) { return 0; }  // a kernel's parameters are its own copies
CUDA_SHIM_INLINE unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
CUDA_SHIM_INLINE unsigned int __nv_bswap32(unsigned int x) { return __builtin_bswap32(x); }
CUDA_SHIM_INLINE unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }
CUDA_SHIM_INLINE void* __nv_associate_access_property(const void* p, unsigned long long) { return const_cast<void*>(p); }

#ifndef CUDA_SHIM_STANDARD_HEADERS
typedef __builtin_va_list va_list;
#define va_start(arguments, last) __builtin_va_start(arguments, last)
#define va_arg(arguments, type) __builtin_va_arg(arguments, type)
#define va_end(arguments) __builtin_va_end(arguments)
#define va_copy(to, from) __builtin_va_copy(to, from)
#endif

// Copies to shared memory, asynchronous on a GPU: here they are made at the call.
CUDA_SHIM_INLINE void __nv_memcpy_async_shared_global_4(void* to, const void* from) { __builtin_memcpy(to, from, 4); }
CUDA_SHIM_INLINE void __nv_memcpy_async_shared_global_8(void* to, const void* from) { __builtin_memcpy(to, from, 8); }
CUDA_SHIM_INLINE void __nv_memcpy_async_shared_global_16(void* to, const void* from) { __builtin_memcpy(to, from, 16); }

#ifndef CUDA_SHIM_STANDARD_HEADERS
CUDA_SHIM_INLINE int __finite(double x) { return __builtin_isfinite(x); }
CUDA_SHIM_INLINE int __finitef(float x) { return __builtin_isfinite(x); }
CUDA_SHIM_INLINE int __isinf(double x) { return __builtin_isinf(x); }
CUDA_SHIM_INLINE int __isinff(float x) { return __builtin_isinf(x); }
CUDA_SHIM_INLINE int __isnan(double x) { return __builtin_isnan(x); }
CUDA_SHIM_INLINE int __isnanf(float x) { return __builtin_isnan(x); }
CUDA_SHIM_INLINE int __signbit(double x) { return __builtin_signbit(x); }
CUDA_SHIM_INLINE int __signbitf(float x) { return __builtin_signbit(x); }
#endif

// Words of NVRTC's and Clang's about types that GCC does not know.
#ifndef CUDA_SHIM_CLANG
template <class T> T&& cuda_shim_given() noexcept;

// May a function that returns one type return a value of another?
template <class To> void cuda_shim_take(To);
template <class From, class To, class = void> struct cuda_shim_is_convertible {
    static constexpr bool value = __is_same(typename cuda_shim_remove_cvref<From>::type, void) &&
                                  __is_same(typename cuda_shim_remove_cvref<To>::type, void);
};
template <class From, class To>
struct cuda_shim_is_convertible<From, To,
                                decltype(static_cast<To (*)()>(nullptr), cuda_shim_take<To>(cuda_shim_given<From>()))> {
    static constexpr bool value = true;
};
#define __is_convertible_to(...) (cuda_shim_is_convertible<__VA_ARGS__>::value)

// Can it be destroyed, and never throws then?
template <class T, class = void> struct cuda_shim_destroys_quietly {
    static constexpr bool value = false;
};
template <class T> struct cuda_shim_destroys_quietly<T, decltype(cuda_shim_given<T&>().~T())> {
    static constexpr bool value = noexcept(cuda_shim_given<T&>().~T());
};
template <class T> struct cuda_shim_is_nothrow_destructible : cuda_shim_destroys_quietly<T> {};
template <class T> struct cuda_shim_is_nothrow_destructible<T&> {
    static constexpr bool value = true;
};
template <class T> struct cuda_shim_is_nothrow_destructible<T&&> {
    static constexpr bool value = true;
};
template <class T, size_t N>
struct cuda_shim_is_nothrow_destructible<T[N]> : cuda_shim_is_nothrow_destructible<T> {};
#define __is_nothrow_destructible(...) (cuda_shim_is_nothrow_destructible<__VA_ARGS__>::value)
#endif
