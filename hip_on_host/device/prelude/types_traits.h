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
