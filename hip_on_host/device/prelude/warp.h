// Warp operations, as fibres run them: each lane hands over one 64-bit value and gets the values of all lanes. Masks
// are 64 bits wide inside; results have CUDA's width for warps of 32 lanes.
#pragma once

#if CUDA_SHIM_WARP_SIZE == 64
typedef unsigned long long cuda_shim_lane_mask;
#else
typedef unsigned int cuda_shim_lane_mask;
#endif
#define CUDA_SHIM_ALL_LANES (~0ull)

CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE const uint64_t* cuda_shim_warp_exchange(uint64_t value, uint64_t mask, uint64_t* active) {
    cuda_shim_resume resume;
    // Lanes that name no mask are distinguished by the call that they are in: two branches must not share one.
    CUDA_SHIM_UNMERGED return cuda_shim_services->warp_exchange(cuda_shim_block_scheduler(), cuda_shim_linear_thread(), value, mask, active);
}
// Without a mask it waits for the whole warp, by name: not only for the lanes that reach the same call.
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void __syncwarp(unsigned long long mask = (cuda_shim_lane_mask)CUDA_SHIM_ALL_LANES) {
    uint64_t active;
    cuda_shim_warp_exchange(0, mask, &active);
}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE cuda_shim_lane_mask __activemask() {
    uint64_t active;
    cuda_shim_warp_exchange(0, CUDA_SHIM_ALL_LANES, &active);
    return (cuda_shim_lane_mask)active;
}

// Words that a lane hands over together.
template <class Word, int Count> struct cuda_shim_words {
    Word value[Count];
};
// An operation of a whole warp, such as a product of matrices: each lane gives `Function::in` words and gets
// `Function::out`. `Function::run<Stride>` computes them for all lanes at once: word i of lane l is at i * Stride + l of
// both arrays. Without all lanes the results are undefined, as CUDA has it.
#define CUDA_SHIM_FUNCTION_LANES 32
template <class Function>
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE cuda_shim_words<typename Function::result, Function::out> cuda_shim_by_warp(
    const cuda_shim_words<typename Function::operand, Function::in>& own) {
    constexpr int lanes = CUDA_SHIM_FUNCTION_LANES;
    cuda_shim_words<typename Function::result, Function::out> own_result = {};
    struct Lane {
        const cuda_shim_words<typename Function::operand, Function::in>* operands;
        cuda_shim_words<typename Function::result, Function::out>* results;
    } lane = {&own, &own_result};
    uint64_t active;
    const uint64_t* all = cuda_shim_warp_exchange((uint64_t)&lane, 0xffffffffull, &active);
    if (cuda_shim_linear_thread() % lanes == 0 && active == 0xffffffffull) {
        typename Function::operand operands[Function::in * lanes];
        typename Function::result results[Function::out * lanes];
        for (int l = 0; l < lanes; ++l)
            for (int i = 0; i < Function::in; ++i) operands[i * lanes + l] = ((const Lane*)all[l])->operands->value[i];
        Function::template run<lanes>(operands, results);
        for (int l = 0; l < lanes; ++l)
            for (int i = 0; i < Function::out; ++i) ((const Lane*)all[l])->results->value[i] = results[i * lanes + l];
    }
    __syncwarp();
    return own_result;
}

// The lane that a shuffle reads, by CUDA's rules: of how far it is, only the bits that a lane's number has count, and a
// lane outside the segment of `width` lanes means one's own.
CUDA_SHIM_INLINE constexpr int cuda_shim_lane_bits(int by) { return by & (CUDA_SHIM_WARP_SIZE - 1); }
CUDA_SHIM_INLINE constexpr int cuda_shim_source_indexed(int lane, int source, int width) {
    return (lane & ~(width - 1)) | (source & (width - 1));
}
CUDA_SHIM_INLINE constexpr int cuda_shim_source_up(int lane, int delta, int width) {
    const int source = lane - cuda_shim_lane_bits(delta);
    return source >= (lane & ~(width - 1)) ? source : lane;
}
CUDA_SHIM_INLINE constexpr int cuda_shim_source_down(int lane, int delta, int width) {
    const int source = lane + cuda_shim_lane_bits(delta);
    return source < (lane & ~(width - 1)) + width ? source : lane;
}
CUDA_SHIM_INLINE constexpr int cuda_shim_source_xor(int lane, int lanemask, int width) {
    const int source = lane ^ cuda_shim_lane_bits(lanemask);
    return source < (lane & ~(width - 1)) + width ? source : lane;
}

template <class T> CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE T cuda_shim_shuffle(unsigned long long mask, T value, int source) {
    T result;
    uint64_t active;
    if constexpr (sizeof(T) <= 8) {
        const uint64_t* lanes = cuda_shim_warp_exchange(cuda_shim_bits<uint64_t>(value), mask, &active);
        result = ((active >> source) & 1) ? cuda_shim_from_bits<T>(lanes[source]) : value;
    } else {  // wider values (double2, float4, structs) go eight bytes at a time
        unsigned char *to = (unsigned char*)&result, *from = (unsigned char*)&value;
        for (size_t at = 0; at < sizeof(T); at += 8) {
            const size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
            uint64_t word = 0;
            __builtin_memcpy(&word, from + at, bytes);
            const uint64_t* lanes = cuda_shim_warp_exchange(word, mask, &active);
            if ((active >> source) & 1) word = lanes[source];
            __builtin_memcpy(to + at, &word, bytes);
        }
    }
    return result;
}
// Without a mask, as they were before compute capability 7.0.
#ifdef CUDA_SHIM_NO_OLD_WARP
#define CUDA_SHIM_OLD_SHUFFLE(name, argument)
#else
#define CUDA_SHIM_OLD_SHUFFLE(name, argument)                                                                     \
    template <class T> CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE typename cuda_shim_exchanged<T>::type name(T value, argument by, int width = CUDA_SHIM_WARP_SIZE) {           \
        return name##_sync(CUDA_SHIM_ALL_LANES, value, by, width);                                                \
    }
#endif
#define CUDA_SHIM_SHUFFLE(name, argument, source_of)                                                              \
    template <class T>                                                                                            \
    CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE typename cuda_shim_exchanged<T>::type name##_sync(                      \
        unsigned long long mask, T value, argument by, int width = CUDA_SHIM_WARP_SIZE) {                         \
        return cuda_shim_shuffle(mask, value, source_of((int)(cuda_shim_linear_thread() % CUDA_SHIM_WARP_SIZE), (int)by, width)); \
    }                                                                                                             \
    CUDA_SHIM_OLD_SHUFFLE(name, argument)
CUDA_SHIM_SHUFFLE(__shfl, int, cuda_shim_source_indexed)
CUDA_SHIM_SHUFFLE(__shfl_up, unsigned int, cuda_shim_source_up)
CUDA_SHIM_SHUFFLE(__shfl_down, unsigned int, cuda_shim_source_down)
CUDA_SHIM_SHUFFLE(__shfl_xor, int, cuda_shim_source_xor)

CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE uint64_t cuda_shim_ballot(uint64_t mask, bool predicate, uint64_t* active) {
    const uint64_t* lanes = cuda_shim_warp_exchange(predicate, mask, active);
    uint64_t votes = 0;
    for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)
        if ((*active >> lane) & 1) votes |= (lanes[lane] & 1) << lane;
    return votes;
}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE cuda_shim_lane_mask __ballot_sync(unsigned long long mask, int predicate) {
    uint64_t active;
    return (cuda_shim_lane_mask)cuda_shim_ballot(mask, predicate != 0, &active);
}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __any_sync(unsigned long long mask, int predicate) {
    uint64_t active;
    return cuda_shim_ballot(mask, predicate != 0, &active) != 0;
}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __all_sync(unsigned long long mask, int predicate) {
    uint64_t active;
    uint64_t votes = cuda_shim_ballot(mask, predicate != 0, &active);
    return votes == active;
}
// True if all lanes have the same value.
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __uni_sync(unsigned long long mask, int predicate) {
    uint64_t active;
    const uint64_t votes = cuda_shim_ballot(mask, predicate != 0, &active);
    return votes == 0 || votes == active;
}
#ifndef CUDA_SHIM_NO_OLD_WARP
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE unsigned long long __ballot(int predicate) { return __ballot_sync(CUDA_SHIM_ALL_LANES, predicate); }
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __any(int predicate) { return __any_sync(CUDA_SHIM_ALL_LANES, predicate); }
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE int __all(int predicate) { return __all_sync(CUDA_SHIM_ALL_LANES, predicate); }
#endif

#define CUDA_SHIM_REDUCE(name, combine)                                                        \
    template <class T>                                                                         \
    CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE typename cuda_shim_reduced<T>::type __reduce_##name##_sync(unsigned long long mask, T value) { \
        uint64_t active;                                                                       \
        const uint64_t* lanes = cuda_shim_warp_exchange(cuda_shim_bits<uint64_t>(value), mask, &active); \
        T a = value;                                                                           \
        bool first = true;                                                                     \
        for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)                                 \
            if ((active >> lane) & 1) {                                                        \
                T b = cuda_shim_from_bits<T>(lanes[lane]);                                     \
                a = first ? b : (T)(combine);                                                  \
                first = false;                                                                 \
            }                                                                                  \
        return a;                                                                              \
    }
#ifndef CUDA_SHIM_NO_REDUCE  // came with compute capability 8.0
CUDA_SHIM_REDUCE(add, a + b)
CUDA_SHIM_REDUCE(min, b < a ? b : a)
CUDA_SHIM_REDUCE(max, a < b ? b : a)
CUDA_SHIM_REDUCE(and, a & b)
CUDA_SHIM_REDUCE(or, a | b)
CUDA_SHIM_REDUCE(xor, a ^ b)
#endif

template <class T, class = typename cuda_shim_exchanged<T>::type>
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE cuda_shim_lane_mask __match_any_sync(unsigned long long mask, T value) {
    uint64_t active;
    const uint64_t mine = cuda_shim_bits<uint64_t>(value);
    const uint64_t* lanes = cuda_shim_warp_exchange(mine, mask, &active);
    uint64_t same = 0;
    for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)
        if (((active >> lane) & 1) && lanes[lane] == mine) same |= 1ull << lane;
    return (cuda_shim_lane_mask)same;
}
template <class T, class = typename cuda_shim_exchanged<T>::type>
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE cuda_shim_lane_mask __match_all_sync(unsigned long long mask, T value, int* all_match) {
    uint64_t active;
    const uint64_t mine = cuda_shim_bits<uint64_t>(value);
    const uint64_t* lanes = cuda_shim_warp_exchange(mine, mask, &active);
    bool all = true;
    for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)
        if (((active >> lane) & 1) && lanes[lane] != mine) all = false;
    *all_match = all;
    return all ? (cuda_shim_lane_mask)active : 0;
}
