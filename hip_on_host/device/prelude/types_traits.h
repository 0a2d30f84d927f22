// The few type traits that the prelude needs, so that it need not include <type_traits>.
#pragma once

template <class T> struct cuda_shim_remove_cvref { typedef T type; };
template <class T> struct cuda_shim_remove_cvref<const T> { typedef T type; };
template <class T> struct cuda_shim_remove_cvref<volatile T> { typedef T type; };
template <class T> struct cuda_shim_remove_cvref<const volatile T> { typedef T type; };
template <class T> struct cuda_shim_remove_cvref<T&> : cuda_shim_remove_cvref<T> {};
template <class T> struct cuda_shim_remove_cvref<T&&> : cuda_shim_remove_cvref<T> {};
template <class T> struct cuda_shim_remove_reference { typedef T type; };
template <class T> struct cuda_shim_remove_reference<T&> { typedef T type; };
template <class T> struct cuda_shim_remove_reference<T&&> { typedef T type; };
// An array parameter of a function is a pointer; a variable of `auto` decays alike.
template <class T> struct cuda_shim_decay { typedef typename cuda_shim_remove_cvref<T>::type type; };
template <class T, size_t N> struct cuda_shim_decay<T[N]> { typedef T* type; };
template <class T, size_t N> struct cuda_shim_decay<T (&)[N]> { typedef T* type; };
template <class T> using cuda_shim_decay_t = typename cuda_shim_decay<T>::type;

template <bool Condition, class T = void> struct cuda_shim_enable_if {};
template <class T> struct cuda_shim_enable_if<true, T> { typedef T type; };

// CUDA has shuffles of numbers alone, and loads with cache hints of numbers and vectors; HIP has both of every type. Each
// gives the type itself.
#ifdef CUDA_SHIM_CUDA
template <class T> struct cuda_shim_exchanged : cuda_shim_enable_if<__is_enum(T), T> {};
template <class T> struct cuda_shim_reduced {};
template <class T, class = void> struct cuda_shim_cached {};
template <class T>
struct cuda_shim_cached<T, typename cuda_shim_enable_if<T::cuda_shim_lanes == 2 || T::cuda_shim_lanes == 4>::type> {
    typedef T type;
};
#define CUDA_SHIM_EXCHANGED(T) \
    template <> struct cuda_shim_exchanged<T> { typedef T type; };
#define CUDA_SHIM_CACHED(T) \
    template <> struct cuda_shim_cached<T> { typedef T type; };
#define CUDA_SHIM_REDUCED(T) \
    template <> struct cuda_shim_reduced<T> { typedef T type; };
#define CUDA_SHIM_NUMBER(T) CUDA_SHIM_EXCHANGED(T) CUDA_SHIM_CACHED(T)
#define CUDA_SHIM_WORD(T) CUDA_SHIM_NUMBER(T) CUDA_SHIM_REDUCED(T)
CUDA_SHIM_EXCHANGED(bool)
CUDA_SHIM_EXCHANGED(wchar_t)
CUDA_SHIM_EXCHANGED(char16_t)
CUDA_SHIM_EXCHANGED(char32_t)
CUDA_SHIM_REDUCED(bool)
CUDA_SHIM_WORD(char)
CUDA_SHIM_WORD(signed char)
CUDA_SHIM_WORD(unsigned char)
CUDA_SHIM_WORD(short)
CUDA_SHIM_WORD(unsigned short)
CUDA_SHIM_WORD(int)
CUDA_SHIM_WORD(unsigned int)
CUDA_SHIM_NUMBER(long)
CUDA_SHIM_NUMBER(unsigned long)
CUDA_SHIM_NUMBER(long long)
CUDA_SHIM_NUMBER(unsigned long long)
CUDA_SHIM_NUMBER(float)
CUDA_SHIM_NUMBER(double)
#else
template <class T> struct cuda_shim_exchanged { typedef T type; };
template <class T> struct cuda_shim_reduced { typedef T type; };
template <class T> struct cuda_shim_cached { typedef T type; };
#define CUDA_SHIM_NUMBER(T)
#endif

// Copies the bytes of one type into another; bytes that the source lacks are zero.
template <class To, class From> CUDA_SHIM_INLINE To cuda_shim_bits(From from) {
    static_assert(sizeof(From) <= sizeof(To), "only values of at most the target's size have its bits");
    To to{};
    __builtin_memcpy(&to, &from, sizeof(From));
    return to;
}
template <class To> CUDA_SHIM_INLINE To cuda_shim_from_bits(uint64_t bits) {
    static_assert(sizeof(To) <= sizeof(uint64_t), "a 64-bit slot holds values of at most 8 bytes");
    To to;
    __builtin_memcpy(&to, &bits, sizeof(To));
    return to;
}
