// Functions that translated inline PTX calls: values of PTX's types, and instructions that C++ has no operator for.
//
// Both AMD's compiler and the CPU runtime compile this header, so it uses only features that both have.
#pragma once
#pragma GCC system_header

#define CUDA_SHIM_PTX static __device__ __inline__ __attribute__((always_inline))
#define CUDA_SHIM_PTX_MEMBER __device__ __inline__ __attribute__((always_inline))

namespace cuda_shim_ptx {

template <class A, class B> struct same {
    static constexpr bool value = false;
};
template <class A> struct same<A, A> {
    static constexpr bool value = true;
};
// bfloat16, the upper half of a float.
struct bfloat {
    unsigned short bits;
    CUDA_SHIM_PTX_MEMBER operator float() const {
        const unsigned wide = (unsigned)bits << 16;
        float result;
        __builtin_memcpy(&result, &wide, 4);
        return result;
    }
};
template <class T> struct floating {
    static constexpr bool value =
        same<T, float>::value || same<T, double>::value || same<T, _Float16>::value || same<T, bfloat>::value;
};
template <class T> struct pointer {
    static constexpr bool value = false;
};
template <class T> struct pointer<T*> {
    static constexpr bool value = true;
};

template <class T> struct unsigned_of { using type = T; };
template <> struct unsigned_of<signed char> { using type = unsigned char; };
template <> struct unsigned_of<short> { using type = unsigned short; };
template <> struct unsigned_of<int> { using type = unsigned; };
template <> struct unsigned_of<long long> { using type = unsigned long long; };

// The C++ types of an asm statement's operands: a constraint names a register of one size and kind.
template <class T, unsigned Size> struct whole_of_size {
    static constexpr bool value = sizeof(T) == Size && !floating<T>::value && !__is_class(T) && !__is_union(T);
};
template <char Constraint, class T> struct fits { static constexpr bool value = true; };
template <class T> struct fits<'h', T> : whole_of_size<T, 2> {};
template <class T> struct fits<'r', T> : whole_of_size<T, 4> {};
template <class T> struct fits<'l', T> : whole_of_size<T, 8> {};
template <class T> struct fits<'f', T> : same<T, float> {};
template <class T> struct fits<'d', T> : same<T, double> {};

// A register's content as `To`: its bits, between floating-point and other numbers; else the number.
template <class To, char Constraint = 0, class From> CUDA_SHIM_PTX To as(From value) {
    static_assert(fits<Constraint, From>::value, "asm operand type does not match type/size implied by its constraint");
    if constexpr (same<To, From>::value) {
        return value;
    } else if constexpr (same<From, bfloat>::value && !floating<To>::value) {
        return (To)value.bits;
    } else if constexpr (pointer<To>::value || pointer<From>::value) {
        return (To)(unsigned long long)value;
    } else if constexpr (floating<To>::value != floating<From>::value && sizeof(To) == sizeof(From)) {
        To result;
        __builtin_memcpy(&result, &value, sizeof(To));
        return result;
    } else {
        return (To)value;
    }
}
template <char Constraint = 0, class To, class From> CUDA_SHIM_PTX void put(To& to, From value) {
    static_assert(fits<Constraint, To>::value, "asm operand type does not match type/size implied by its constraint");
    to = as<To>(value);
}

// A pointer to the memory `offset` bytes behind an address.
template <class T, class Address> CUDA_SHIM_PTX T* at(Address address, long long offset) {
    return (T*)(as<unsigned long long>(address) + (unsigned long long)offset);
}

template <class T> struct wider;
template <> struct wider<short> { using type = int; };
template <> struct wider<unsigned short> { using type = unsigned; };
template <> struct wider<int> { using type = long long; };
template <> struct wider<unsigned> { using type = unsigned long long; };
template <> struct wider<long long> { using type = __int128; };
template <> struct wider<unsigned long long> { using type = unsigned __int128; };

template <class T> CUDA_SHIM_PTX typename wider<T>::type mul_wide(T a, T b) {
    return (typename wider<T>::type)a * (typename wider<T>::type)b;
}
template <class T> CUDA_SHIM_PTX T mul_hi(T a, T b) { return (T)(mul_wide(a, b) >> (8 * sizeof(T))); }
CUDA_SHIM_PTX float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CUDA_SHIM_PTX double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> CUDA_SHIM_PTX T absolute(T a) { return a < 0 ? (T)(0 - (unsigned long long)a) : a; }
CUDA_SHIM_PTX float absolute(float a) { return __builtin_fabsf(a); }
CUDA_SHIM_PTX double absolute(double a) { return __builtin_fabs(a); }
template <class T> CUDA_SHIM_PTX T smaller(T a, T b) { return b < a ? b : a; }
template <class T> CUDA_SHIM_PTX T larger(T a, T b) { return a < b ? b : a; }
// Floating-point minimum and maximum: a NaN gives way to a number, and -0 is smaller than +0.
CUDA_SHIM_PTX float smaller(float a, float b) {
    return a == b ? as<float>(as<unsigned>(a) | as<unsigned>(b)) : __builtin_fminf(a, b);
}
CUDA_SHIM_PTX float larger(float a, float b) {
    return a == b ? as<float>(as<unsigned>(a) & as<unsigned>(b)) : __builtin_fmaxf(a, b);
}
CUDA_SHIM_PTX double smaller(double a, double b) {
    return a == b ? as<double>(as<unsigned long long>(a) | as<unsigned long long>(b)) : __builtin_fmin(a, b);
}
CUDA_SHIM_PTX double larger(double a, double b) {
    return a == b ? as<double>(as<unsigned long long>(a) & as<unsigned long long>(b)) : __builtin_fmax(a, b);
}
// Division by zero gives a quotient of all ones and the dividend as remainder; the least number by -1 gives itself.
template <class T> CUDA_SHIM_PTX T quotient(T a, T b) {
    if (b == 0) return (T)~(T)0;
    if ((T)-1 < 0 && b == (T)-1) return (T)(0 - (unsigned long long)a);
    return (T)(a / b);
}
template <class T> CUDA_SHIM_PTX T remainder(T a, T b) {
    if (b == 0) return a;
    if ((T)-1 < 0 && b == (T)-1) return 0;
    return (T)(a % b);
}
// True if two numbers differ; a NaN differs from none.
template <class T> CUDA_SHIM_PTX bool differ(T a, T b) { return a < b || a > b; }

// Shifts by the register's width or more leave nothing but the sign.
template <class T> CUDA_SHIM_PTX T shl(T a, unsigned by) { return by >= 8 * sizeof(T) ? (T)0 : (T)(a << by); }
template <class T> CUDA_SHIM_PTX T shr(T a, unsigned by) {
    return (T)(a >> (by >= 8 * sizeof(T) ? 8 * sizeof(T) - 1 : by)) >> (by >= 8 * sizeof(T) ? 1 : 0);
}
CUDA_SHIM_PTX unsigned funnel(unsigned low, unsigned high, unsigned by, bool left) {
    const unsigned long long both = ((unsigned long long)high << 32) | low;
    return left ? (unsigned)((both << by) >> 32) : (unsigned)(both >> by);
}

// Positions and lengths of fields have eight bits, but NVIDIA's GPUs read all their bits for fields in 64 bits.
template <class T> CUDA_SHIM_PTX unsigned field_number(unsigned given) { return sizeof(T) == 8 ? given : given & 255; }
template <class T> CUDA_SHIM_PTX T bfe(T a, unsigned position, unsigned length) {
    constexpr unsigned bits = 8 * sizeof(T);
    position = field_number<T>(position);
    length = field_number<T>(length);
    if (length == 0) return 0;
    const bool negative = a < 0;
    T result = 0;
    if (position < bits) result = a >> position;
    else if (negative) result = (T)-1;
    if (length >= bits) return result;
    // The sign is the field's highest bit, or the register's if the field reaches beyond it.
    const unsigned sign_at = position + length - 1 < bits ? length - 1 : (position < bits ? bits - 1 - position : 0);
    const T mask = (T)(((T)1 << length) - 1);
    const bool extend = (T)-1 < 0 && (position >= bits ? negative : ((result >> sign_at) & 1) != 0);
    return extend ? (T)(result | ~mask) : (T)(result & mask);
}
template <class T> CUDA_SHIM_PTX T bfi(T field, T into, unsigned position, unsigned length) {
    constexpr unsigned bits = 8 * sizeof(T);
    position = field_number<T>(position);
    length = field_number<T>(length);
    if (length == 0 || position >= bits) return into;
    const T mask = (T)((length >= bits ? ~(T)0 : (T)(((T)1 << length) - 1)) << position);
    return (T)((into & ~mask) | ((field << position) & mask));
}
CUDA_SHIM_PTX unsigned prmt(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long bytes = ((unsigned long long)b << 32) | a;
    unsigned result = 0;
    for (unsigned at = 0; at < 4; ++at) {
        const unsigned chosen = (selector >> (4 * at)) & 15;
        const unsigned byte = (unsigned)(bytes >> (8 * (chosen & 7))) & 255;
        result |= ((chosen & 8) ? (byte & 128 ? 255u : 0u) : byte) << (8 * at);
    }
    return result;
}
CUDA_SHIM_PTX unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    if (table & 1) result |= ~a & ~b & ~c;
    if (table & 2) result |= ~a & ~b & c;
    if (table & 4) result |= ~a & b & ~c;
    if (table & 8) result |= ~a & b & c;
    if (table & 16) result |= a & ~b & ~c;
    if (table & 32) result |= a & ~b & c;
    if (table & 64) result |= a & b & ~c;
    if (table & 128) result |= a & b & c;
    return result;
}
template <class T> CUDA_SHIM_PTX unsigned leading_zeros(T a) {
    if (a == 0) return 8 * sizeof(T);
    return sizeof(T) == 8 ? (unsigned)__builtin_clzll((unsigned long long)a) : (unsigned)__builtin_clz((unsigned)a);
}
template <class T> CUDA_SHIM_PTX unsigned population(T a) { return (unsigned)__builtin_popcountll((unsigned long long)a); }
// The position of the highest bit that is not a copy of the sign; all ones if there is none.
template <class T> CUDA_SHIM_PTX unsigned bfind(T a) {
    if (a < 0) a = (T)~a;
    return a == 0 ? 0xffffffffu : (unsigned)(8 * sizeof(T)) - 1 - leading_zeros(a);
}
template <class T> CUDA_SHIM_PTX T reversed(T a) {
    T result = 0;
    for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) result |= (T)((a >> bit) & 1) << (8 * sizeof(T) - 1 - bit);
    return result;
}

}  // namespace cuda_shim_ptx
