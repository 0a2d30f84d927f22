// PTX's video instructions: arithmetic on selected bytes and halves of registers, in 64 bits.
#pragma once
#pragma GCC system_header

namespace cuda_shim_ptx {

#define CUDA_SHIM_PTX_VIDEO(name, expression)                                         \
    struct video_##name {                                                             \
        CUDA_SHIM_PTX long long of(long long x, long long y) { return expression; }   \
    };
CUDA_SHIM_PTX_VIDEO(add, x + y)
CUDA_SHIM_PTX_VIDEO(sub, x - y)
CUDA_SHIM_PTX_VIDEO(absdiff, x < y ? y - x : x - y)
CUDA_SHIM_PTX_VIDEO(min, x < y ? x : y)
CUDA_SHIM_PTX_VIDEO(max, x < y ? y : x)
CUDA_SHIM_PTX_VIDEO(avrg, (x + y + (x + y >= 0)) >> 1)
CUDA_SHIM_PTX_VIDEO(eq, x == y)
CUDA_SHIM_PTX_VIDEO(ne, x != y)
CUDA_SHIM_PTX_VIDEO(lt, x < y)
CUDA_SHIM_PTX_VIDEO(le, x <= y)
CUDA_SHIM_PTX_VIDEO(gt, x > y)
CUDA_SHIM_PTX_VIDEO(ge, x >= y)
CUDA_SHIM_PTX_VIDEO(shl_clamp, (long long)((unsigned long long)x << (y > 32 ? 32 : y)))
CUDA_SHIM_PTX_VIDEO(shl_wrap, (long long)((unsigned long long)x << (y & 31)))
CUDA_SHIM_PTX_VIDEO(shr_clamp, x >> (y > 32 ? 32 : y))
CUDA_SHIM_PTX_VIDEO(shr_wrap, x >> (y & 31))

// The part of a register that begins at a bit, as a number of T's sign.
template <class T, unsigned offset, unsigned bits> CUDA_SHIM_PTX long long video_part(T value) {
    return (long long)((T)((unsigned)value << (32 - offset - bits)) >> (32 - bits));
}

// A number limited to `bits` of T's sign, as NVIDIA's assembler emulates it on GPUs: before a part of a register, negative
// numbers count as great ones; a whole unsigned register has no upper limit.
template <class T, unsigned bits> CUDA_SHIM_PTX long long video_limited(long long exact) {
    constexpr bool is_signed = (T)-1 < (T)0;
    constexpr long long greatest = (1ll << (bits - is_signed)) - 1;
    if constexpr (bits < 32) {
        return (unsigned long long)exact > (unsigned long long)greatest ? greatest : exact;
    } else if constexpr (is_signed) {
        return exact < -greatest - 1 ? -greatest - 1 : exact > greatest ? greatest : exact;
    } else {
        return exact < 0 ? 0 : exact;
    }
}
// The lanes of a register have limits on both sides.
template <class T, unsigned bits> CUDA_SHIM_PTX long long video_clamped(long long exact) {
    constexpr bool is_signed = (T)-1 < (T)0;
    constexpr long long greatest = (1ll << (bits - is_signed)) - 1;
    constexpr long long least = is_signed ? -greatest - 1 : 0;
    return exact < least ? least : exact > greatest ? greatest : exact;
}
// A shifted number has 34 bits before its limits, which are those of a whole register for its parts too.
template <class T> CUDA_SHIM_PTX long long video_limited_shift(long long exact) {
    return video_clamped<T, 32>((long long)((unsigned long long)exact << 30) >> 30);
}

template <unsigned offset, unsigned bits> CUDA_SHIM_PTX unsigned video_merged(long long value, unsigned into) {
    constexpr unsigned mask = (~0u >> (32 - bits)) << offset;
    return ((unsigned)value << offset & mask) | (into & ~mask);
}

// The lesser and the greater of 64 bits and a register, both of T's sign.
template <class T> CUDA_SHIM_PTX bool video_less(long long a, long long b) {
    if constexpr ((T)-1 < (T)0) return a < b;
    return (unsigned long long)a < (unsigned long long)b;
}
template <class T> CUDA_SHIM_PTX unsigned video_lesser(long long a, unsigned b) {
    return video_less<T>(a, (long long)(T)b) ? (unsigned)a : b;
}
template <class T> CUDA_SHIM_PTX unsigned video_greater(long long a, unsigned b) {
    return video_less<T>((long long)(T)b, a) ? (unsigned)a : b;
}

// x * y + c in 64 bits, with the product or c negated, or one more; the result begins at bit `shift`. Whole registers are
// signed numbers here, of unsigned types as well.
template <class T, bool negated_product, bool negated_sum, bool plus_one, bool saturated, unsigned shift>
CUDA_SHIM_PTX T video_mad(long long x, long long y, T c) {
    const unsigned long long product = (unsigned long long)((long long)(int)x * (int)y);
    const unsigned long long addend = (unsigned long long)(long long)(int)c;
    const unsigned long long sum =
        (negated_product ? 0 - product : product) + (negated_sum ? 0 - addend : addend) + plus_one;
    const long long scaled = (T)-1 < (T)0 || shift == 0 ? (long long)sum >> shift : (long long)(sum >> shift);
    return (T)(saturated ? video_clamped<T, 32>(scaled) : scaled);
}

enum class video_end { merged, sat, add };

// An operation on the lanes of a register: `chosen` has a bit for each lane of the result, `a_lanes` and `b_lanes` a hex
// digit for the lane of the sources that it reads, counted through a and b. The other lanes are c's, and a sum adds to c.
template <class Operation, unsigned bits, class D, class A, class B, video_end end, unsigned chosen, unsigned a_lanes, unsigned b_lanes>
CUDA_SHIM_PTX unsigned video_lanes(unsigned a, unsigned b, unsigned c) {
    const unsigned long long sources = (unsigned long long)b << 32 | a;
    unsigned merged = c, sum = c;
    for (unsigned lane = 0; lane < 32 / bits; ++lane) {
        if (!((chosen >> lane) & 1)) continue;
        const long long x = video_part<A, 0, bits>((A)(unsigned)(sources >> (bits * ((a_lanes >> (4 * lane)) & 15))));
        const long long y = video_part<B, 0, bits>((B)(unsigned)(sources >> (bits * ((b_lanes >> (4 * lane)) & 15))));
        const long long exact = Operation::of(x, y);
        const unsigned mask = (~0u >> (32 - bits)) << (bits * lane);
        const unsigned kept = (unsigned)(end == video_end::sat ? video_clamped<D, bits>(exact) : exact);
        merged = (kept << (bits * lane) & mask) | (merged & ~mask);
        sum += (unsigned)exact;
    }
    return end == video_end::add ? sum : merged;
}

}  // namespace cuda_shim_ptx
