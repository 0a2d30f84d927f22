// Warp operations between two thread loops: lanes hand values over, and other lanes read them.
#pragma once

// The values that the lanes of all warps hand over in a warp operation, by linear thread. Rounded up by a warp, since
// the last one may be partial; a shuffle may also read, without harm, as far as a warp before the first.
struct CUDA_SHIM_ALIGNED(64) cuda_shim_lane_values {
    static constexpr unsigned int first = CUDA_SHIM_MAX_WARP_SIZE;
    unsigned char bytes[(first + CUDA_SHIM_SPLIT_THREADS + CUDA_SHIM_MAX_WARP_SIZE) * 16];
};
struct CUDA_SHIM_ALIGNED(64) cuda_shim_active_lane_values {
    static constexpr unsigned int first = 0;
    unsigned char bytes[(CUDA_SHIM_SPLIT_THREADS + CUDA_SHIM_MAX_WARP_SIZE) * 8];
    unsigned char active[CUDA_SHIM_SPLIT_THREADS + CUDA_SHIM_MAX_WARP_SIZE];
};
struct CUDA_SHIM_ALIGNED(64) cuda_shim_votes {
    unsigned char value[CUDA_SHIM_SPLIT_THREADS + CUDA_SHIM_MAX_WARP_SIZE];  // bit 0: took part; bit 1: the vote
};
// The words of an operation of whole warps (cuda_shim_by_warp): word i of thread t is at i * stride + t. The stride is no
// power of two, so that a thread's words are not all in one set of the processor's cache.
template <class Function> struct CUDA_SHIM_ALIGNED(64) cuda_shim_warp_words {
    static constexpr unsigned int stride = CUDA_SHIM_SPLIT_THREADS + 16;
    typename Function::operand operands[Function::in * stride];
    typename Function::result results[Function::out * stride];
    unsigned char active[CUDA_SHIM_SPLIT_THREADS + CUDA_SHIM_MAX_WARP_SIZE];
    // It is on a worker's stack, beside the variables that are kept for each thread.
    static_assert((Function::in * sizeof(typename Function::operand) + Function::out * sizeof(typename Function::result)) * stride <= 1u << 20,
                  "not split: too much to hand over for every thread of a block");
};
template <size_t N> CUDA_SHIM_INLINE void cuda_shim_clear(unsigned char (&bytes)[N]) { __builtin_memset(bytes, 0, N); }
template <class B, class T> CUDA_SHIM_INLINE void cuda_shim_hand_over(B& lanes, unsigned int t, const T& value) {
    static_assert(sizeof(T) * (B::first + CUDA_SHIM_SPLIT_THREADS + CUDA_SHIM_MAX_WARP_SIZE) <= sizeof(lanes.bytes), "not split: a value that is too large to hand over");
    ((T*)lanes.bytes)[B::first + t] = value;
}
template <class T> CUDA_SHIM_INLINE const T* cuda_shim_own_value(const cuda_shim_lane_values& lanes, unsigned int t) {
    return (const T*)lanes.bytes + cuda_shim_lane_values::first + t;
}
template <class Function, class Word, int Count>
CUDA_SHIM_INLINE void cuda_shim_hand_over_words(cuda_shim_warp_words<Function>& warps, unsigned int t, const cuda_shim_words<Word, Count>& words) {
    for (int i = 0; i < Count; ++i) warps.operands[i * warps.stride + t] = words.value[i];
    warps.active[t] = 1;
}
// Between the two loops over threads: the operation of each warp that has all of its lanes. A kernel may have hundreds
// of operations, which share the function: copies of it would take compilers minutes.
template <class Function> __attribute__((noinline)) static void cuda_shim_run_warps(cuda_shim_warp_words<Function>& warps, unsigned int threads) {
    for (unsigned int first = 0; first < threads; first += CUDA_SHIM_FUNCTION_LANES) {
        unsigned int active = 0;
        for (unsigned int lane = 0; lane < CUDA_SHIM_FUNCTION_LANES; ++lane) active += warps.active[first + lane];
        if (active == CUDA_SHIM_FUNCTION_LANES) Function::template run<(int)cuda_shim_warp_words<Function>::stride>(warps.operands + first, warps.results + first);
    }
}
template <class Function>
CUDA_SHIM_INLINE cuda_shim_words<typename Function::result, Function::out> cuda_shim_read_words(const cuda_shim_warp_words<Function>& warps, unsigned int t) {
    cuda_shim_words<typename Function::result, Function::out> own;
    for (int i = 0; i < Function::out; ++i) own.value[i] = warps.results[i * warps.stride + t];
    return own;
}

#define CUDA_SHIM_READ_SHUFFLE(direction)                                                                            \
    template <class T>                                                                                               \
    CUDA_SHIM_INLINE T cuda_shim_read_##direction(const cuda_shim_lane_values& lanes, unsigned int t, int by, int width, \
                                                  unsigned int threads) {                                            \
        const int lane = (int)(t % CUDA_SHIM_WARP_SIZE);                                                             \
        const unsigned int from = t - lane + cuda_shim_source_##direction(lane, by, width);                          \
        return *cuda_shim_own_value<T>(lanes, from < threads ? from : t);                                            \
    }
CUDA_SHIM_READ_SHUFFLE(indexed)
CUDA_SHIM_READ_SHUFFLE(up)
CUDA_SHIM_READ_SHUFFLE(down)
CUDA_SHIM_READ_SHUFFLE(xor)

// One of two values, chosen by arithmetic: of `which ? a : b` compilers make a choice between two addresses, and a gather
// of that.
template <class Word, class T> CUDA_SHIM_INLINE T cuda_shim_choose_word(bool which, const T& a, const T& b) {
    Word bits_a, bits_b;
    __builtin_memcpy(&bits_a, &a, sizeof(Word));
    __builtin_memcpy(&bits_b, &b, sizeof(Word));
    const Word mask = (Word)(0 - (Word)which), bits = (Word)((bits_a & mask) | (bits_b & ~mask));
    T chosen;
    __builtin_memcpy((void*)&chosen, &bits, sizeof(Word));
    return chosen;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_choose(bool which, const T& a, const T& b) {
    if constexpr (sizeof(T) == 4) return cuda_shim_choose_word<uint32_t>(which, a, b);
    else if constexpr (sizeof(T) == 8) return cuda_shim_choose_word<uint64_t>(which, a, b);
    else if constexpr (sizeof(T) == 2) return cuda_shim_choose_word<uint16_t>(which, a, b);
    else return which ? a : b;
}

// The same shuffles where all threads look equally far: neighbours then read neighbours' values, which takes one long
// read where the above takes a read for each lane. `by` has been through cuda_shim_lane_bits.
template <class T>
CUDA_SHIM_INLINE T cuda_shim_read_down_by(const cuda_shim_lane_values& lanes, unsigned int t, int by, int width, unsigned int threads) {
    const int lane = (int)(t % CUDA_SHIM_WARP_SIZE);
    const T* const own = cuda_shim_own_value<T>(lanes, t);
    return cuda_shim_choose((cuda_shim_source_down(lane, by, width) != lane) & (t + by < threads), own[by], *own);
}
template <class T>
CUDA_SHIM_INLINE T cuda_shim_read_up_by(const cuda_shim_lane_values& lanes, unsigned int t, int by, int width, unsigned int) {
    const int lane = (int)(t % CUDA_SHIM_WARP_SIZE);
    const T* const own = cuda_shim_own_value<T>(lanes, t);
    return cuda_shim_choose(cuda_shim_source_up(lane, by, width) != lane, own[-by], *own);
}
template <class T>
CUDA_SHIM_INLINE T cuda_shim_read_xor_by(const cuda_shim_lane_values& lanes, unsigned int t, int by, int width, unsigned int threads) {
    if (by & (by - 1)) return cuda_shim_read_xor<T>(lanes, t, by, width, threads);  // not one step for all, either way
    const int lane = (int)(t % CUDA_SHIM_WARP_SIZE), source = cuda_shim_source_xor(lane, by, width);
    const T* const own = cuda_shim_own_value<T>(lanes, t);
    const T further = cuda_shim_choose(source > lane, own[by], own[-by]);
    return cuda_shim_choose((source != lane) & (t - lane + source < threads), further, *own);
}

// The values that the lanes of one warp hand over, as words of their size (kernel_compiler/split/warp_runs.h).
template <class Word> struct CUDA_SHIM_ALIGNED(64) cuda_shim_warp_values {
    Word word[CUDA_SHIM_WARP_SIZE];
};
template <class Word, class T> CUDA_SHIM_INLINE void cuda_shim_hand_over_lane(cuda_shim_warp_values<Word>& warp, unsigned int lane, const T& value) {
    static_assert(sizeof(T) == sizeof(Word), "handed over as a word");
    ((T*)warp.word)[lane] = value;
}
template <class T, class Word> CUDA_SHIM_INLINE T cuda_shim_lane_value(const cuda_shim_warp_values<Word>& warp, unsigned int lane) {
    return ((const T*)warp.word)[lane];
}

// Moves the values of all lanes. By a power of two that is a permutation, which the compiler knows once it knows the
// distance; where the segment of `width` lanes has the lane that is read, the whole warp has it too.
#ifdef CUDA_SHIM_CLANG
template <class Int, Int... Lanes> struct cuda_shim_lane_list {};
template <class Word> struct cuda_shim_warp_register {
    typedef Word type __attribute__((ext_vector_type(CUDA_SHIM_WARP_SIZE)));
};
#define CUDA_SHIM_MOVE_WARP(direction)                                                                               \
    template <int By, class Register, int... Lanes>                                                                  \
    CUDA_SHIM_INLINE Register cuda_shim_permute_##direction(Register warp, cuda_shim_lane_list<int, Lanes...>) {     \
        return __builtin_shufflevector(warp, warp, cuda_shim_source_##direction(Lanes, By, CUDA_SHIM_WARP_SIZE)...); \
    }                                                                                                                \
    template <int By, class Word> CUDA_SHIM_INLINE void cuda_shim_move_##direction(cuda_shim_warp_values<Word>& warp) { \
        typename cuda_shim_warp_register<Word>::type lanes;                                                          \
        __builtin_memcpy(&lanes, warp.word, sizeof(lanes));                                                          \
        lanes = cuda_shim_permute_##direction<By>(lanes, __make_integer_seq<cuda_shim_lane_list, int, CUDA_SHIM_WARP_SIZE>{}); \
        __builtin_memcpy(warp.word, &lanes, sizeof(lanes));                                                          \
    }
#define CUDA_SHIM_MOVE_BY(direction, by)              \
    case by:                                          \
        cuda_shim_move_##direction<by>(warp);         \
        break;
#define CUDA_SHIM_SHUFFLE_WARP(direction)                                                                            \
    CUDA_SHIM_MOVE_WARP(direction)                                                                                   \
    template <class Word> CUDA_SHIM_INLINE void cuda_shim_shuffle_##direction(cuda_shim_warp_values<Word>& warp, int by, int width) { \
        const cuda_shim_warp_values<Word> own = warp;                                                                \
        switch (cuda_shim_lane_bits(by)) {                                                                           \
            CUDA_SHIM_MOVE_BY(direction, 1)                                                                          \
            CUDA_SHIM_MOVE_BY(direction, 2)                                                                          \
            CUDA_SHIM_MOVE_BY(direction, 4)                                                                          \
            CUDA_SHIM_MOVE_BY(direction, 8)                                                                          \
            CUDA_SHIM_MOVE_BY(direction, 16)                                                                         \
            default:                                                                                                 \
                for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)                                               \
                    warp.word[lane] = own.word[cuda_shim_source_##direction(lane, by, width)];                       \
                return;                                                                                              \
        }                                                                                                            \
        if (width == CUDA_SHIM_WARP_SIZE) return;                                                                    \
        for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)                                                       \
            warp.word[lane] = cuda_shim_choose(cuda_shim_source_##direction(lane, by, width) != lane, warp.word[lane], own.word[lane]); \
    }
CUDA_SHIM_SHUFFLE_WARP(up)
CUDA_SHIM_SHUFFLE_WARP(down)
CUDA_SHIM_SHUFFLE_WARP(xor)
#else  // runs by warp are left out (CUDA_SHIM_HAS_WHOLE_WARPS)
#define CUDA_SHIM_SHUFFLE_WARP(direction) \
    template <class Word> CUDA_SHIM_INLINE void cuda_shim_shuffle_##direction(cuda_shim_warp_values<Word>&, int, int) {}
CUDA_SHIM_SHUFFLE_WARP(up)
CUDA_SHIM_SHUFFLE_WARP(down)
CUDA_SHIM_SHUFFLE_WARP(xor)
#endif
template <class Word> CUDA_SHIM_INLINE void cuda_shim_shuffle_indexed(cuda_shim_warp_values<Word>& warp, int source, int width) {
    const cuda_shim_warp_values<Word> own = warp;
    for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane) warp.word[lane] = own.word[cuda_shim_source_indexed(lane, source, width)];
}

// Bit `bit` of each of the warp's bytes, as a mask: eight bytes at a time, gathered by one multiplication.
CUDA_SHIM_INLINE uint64_t cuda_shim_gather_bits(const unsigned char* bytes, int bit) {
    uint64_t mask = 0;
    for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; lane += 8) {
        uint64_t eight;
        __builtin_memcpy(&eight, bytes + lane, 8);
        mask |= ((((eight >> bit) & 0x0101010101010101ull) * 0x0102040810204080ull) >> 56) << lane;
    }
    return mask;
}
CUDA_SHIM_INLINE cuda_shim_lane_mask cuda_shim_read_ballot(const cuda_shim_votes& votes, unsigned int t, uint64_t mask) {
    return (cuda_shim_lane_mask)(cuda_shim_gather_bits(votes.value + t / CUDA_SHIM_WARP_SIZE * CUDA_SHIM_WARP_SIZE, 1) & mask);
}
CUDA_SHIM_INLINE int cuda_shim_read_any(const cuda_shim_votes& votes, unsigned int t, uint64_t mask) {
    return cuda_shim_read_ballot(votes, t, mask) != 0;
}
CUDA_SHIM_INLINE int cuda_shim_read_all(const cuda_shim_votes& votes, unsigned int t, uint64_t mask) {
    const unsigned char* warp = votes.value + t / CUDA_SHIM_WARP_SIZE * CUDA_SHIM_WARP_SIZE;
    return ((cuda_shim_gather_bits(warp, 0) & ~cuda_shim_gather_bits(warp, 1)) & mask) == 0;
}

#define CUDA_SHIM_READ_REDUCE(name, combine)                                                                        \
    template <class T>                                                                                              \
    CUDA_SHIM_INLINE T cuda_shim_read_reduce_##name(const cuda_shim_active_lane_values& lanes, unsigned int t, uint64_t mask) { \
        const unsigned int base = t / CUDA_SHIM_WARP_SIZE * CUDA_SHIM_WARP_SIZE;                                    \
        T a{};                                                                                                      \
        bool first = true;                                                                                          \
        for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)                                                      \
            if (((mask >> lane) & 1) && lanes.active[base + lane]) {                                                \
                const T b = ((const T*)lanes.bytes)[base + lane];                                                   \
                a = first ? b : (T)(combine);                                                                       \
                first = false;                                                                                      \
            }                                                                                                       \
        return a;                                                                                                   \
    }
CUDA_SHIM_READ_REDUCE(add, a + b)
CUDA_SHIM_READ_REDUCE(min, b < a ? b : a)
CUDA_SHIM_READ_REDUCE(max, a < b ? b : a)
CUDA_SHIM_READ_REDUCE(and, a & b)
CUDA_SHIM_READ_REDUCE(or, a | b)
CUDA_SHIM_READ_REDUCE(xor, a ^ b)
// The lanes of the thread's warp that took part with the same bits, as floats are matched too. The comparisons are made side
// by side, as bytes, which compilers make vectors of.
template <class Word>
CUDA_SHIM_INLINE uint64_t cuda_shim_same_lanes(const cuda_shim_active_lane_values& lanes, unsigned int t) {
    const unsigned int base = t / CUDA_SHIM_WARP_SIZE * CUDA_SHIM_WARP_SIZE;
    const Word* const words = (const Word*)lanes.bytes + base;
    const unsigned char* const active = lanes.active + base;
    const Word own = words[t - base];
    unsigned char same[CUDA_SHIM_WARP_SIZE];
    for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane) same[lane] = (unsigned char)((words[lane] == own) & active[lane]);
    return cuda_shim_gather_bits(same, 0);
}
template <class T>
CUDA_SHIM_INLINE cuda_shim_lane_mask cuda_shim_read_match_any(const cuda_shim_active_lane_values& lanes, unsigned int t, uint64_t mask) {
    if constexpr (sizeof(T) == 8) return (cuda_shim_lane_mask)(cuda_shim_same_lanes<uint64_t>(lanes, t) & mask);
    else if constexpr (sizeof(T) == 4) return (cuda_shim_lane_mask)(cuda_shim_same_lanes<uint32_t>(lanes, t) & mask);
    else if constexpr (sizeof(T) == 2) return (cuda_shim_lane_mask)(cuda_shim_same_lanes<uint16_t>(lanes, t) & mask);
    else return (cuda_shim_lane_mask)(cuda_shim_same_lanes<unsigned char>(lanes, t) & mask);
}
template <class T>
CUDA_SHIM_INLINE cuda_shim_lane_mask cuda_shim_read_match_all(const cuda_shim_active_lane_values& lanes, unsigned int t, uint64_t mask,
                                                              int* all_match) {
    const cuda_shim_lane_mask same = cuda_shim_read_match_any<T>(lanes, t, mask);
    const cuda_shim_lane_mask named =
        (cuda_shim_lane_mask)(cuda_shim_gather_bits(lanes.active + t / CUDA_SHIM_WARP_SIZE * CUDA_SHIM_WARP_SIZE, 0) & mask);
    *all_match = same == named;
    return same == named ? named : 0;
}
