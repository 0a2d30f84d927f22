// What the thread loops that hiprtc writes are made of.
#pragma once

#define CUDA_SHIM_SPLIT_THREADS 1024  // threads per block at most: the length of per-thread arrays

#define CUDA_SHIM_SPLIT_BYTES 3072   // of variables kept for each thread: 3 MiB for a block

// At the top of a split kernel: local copies of what stays the same for the whole run of blocks, or for the block, under
// the built-ins' names.
#define CUDA_SHIM_SPLIT_RUN                                                                        \
    const unsigned int cuda_shim_width = cuda_shim_run_->block[0];                                 \
    const unsigned int cuda_shim_height = cuda_shim_run_->block[1];                                \
    const unsigned int cuda_shim_depth = cuda_shim_run_->block[2];                                 \
    const unsigned int cuda_shim_threads = cuda_shim_width * cuda_shim_height * cuda_shim_depth;   \
    const cuda_shim_dimensions cuda_shim_block_dim{cuda_shim_width, cuda_shim_height, cuda_shim_depth}; \
    const cuda_shim_dimensions cuda_shim_grid_dim{cuda_shim_run_->grid[0], cuda_shim_run_->grid[1],  \
                                                  cuda_shim_run_->grid[2]};                        \
    const bool cuda_shim_alone = !cuda_shim_run_->cluster;                                         \
    (void)cuda_shim_threads, (void)cuda_shim_block_dim, (void)cuda_shim_grid_dim, (void)cuda_shim_alone;
#define CUDA_SHIM_SPLIT_BLOCK                                       \
    CUDA_SHIM_SPLIT_RUN                                             \
    const uint3 cuda_shim_block_index = ::cuda_shim_block_index;    \
    (void)cuda_shim_block_index;

// Where device functions read threadIdx, the thread-local one follows the loop.
#ifdef CUDA_SHIM_PUBLISH_THREAD_INDEX
#define CUDA_SHIM_PUBLISH(x, y, z) ::cuda_shim_thread_index = {x, y, z};
#else
#define CUDA_SHIM_PUBLISH(x, y, z)
#endif

// The rows of a block's threads. The condition that must not hold says that 32-bit global indices do not wrap, without
// which `blockIdx.x * blockDim.x + threadIdx.x` is not known to be contiguous: the runs that could break it do not come
// here (cuda_shim_narrow).
#define CUDA_SHIM_ROWS                                                                                                 \
    for (unsigned int cuda_shim_z = 0; cuda_shim_z < cuda_shim_depth; ++cuda_shim_z)                                   \
        for (unsigned int cuda_shim_y = 0; cuda_shim_y < cuda_shim_height; ++cuda_shim_y) {                            \
            const unsigned int cuda_shim_first = (cuda_shim_z * cuda_shim_height + cuda_shim_y) * cuda_shim_width;     \
            if (cuda_shim_width > 1024u || cuda_shim_first > 1023u ||                                                  \
                cuda_shim_block_index.x * cuda_shim_width > 0x7fffffffu - 1024u)                                       \
                __builtin_unreachable();

// One pass over the threads of the block. Nothing promises the vectoriser that iterations are independent, although
// threads between two barriers are: as iterations of a loop they share stack arrays, and compilers that were given the
// promise (assume_safety, ivdep) have miscompiled such loops. They find out by themselves nearly as well.
//
// `cuda_shim_t` is the linear index of the iteration's thread.
#define CUDA_SHIM_THREADS CUDA_SHIM_ROWS CUDA_SHIM_ROW_THREADS
#define CUDA_SHIM_ROW_THREADS                                                                                          \
    for (unsigned int cuda_shim_x = 0; cuda_shim_x < cuda_shim_width; ++cuda_shim_x) {                                 \
        CUDA_SHIM_THREAD {
#define CUDA_SHIM_THREAD                                                                                               \
    CUDA_SHIM_UNPUBLISHED_THREAD                                                                                       \
    CUDA_SHIM_PUBLISH(cuda_shim_x, cuda_shim_y, cuda_shim_z)
#define CUDA_SHIM_UNPUBLISHED_THREAD                                                                                   \
    const uint3 cuda_shim_thread_index{cuda_shim_x, cuda_shim_y, cuda_shim_z};                                         \
    const unsigned int cuda_shim_t = cuda_shim_first + cuda_shim_x;                                                    \
    (void)cuda_shim_thread_index, (void)cuda_shim_t;
#define CUDA_SHIM_THREADS_END }}}

#define CUDA_SHIM_ROW_MEMBER __attribute__((always_inline))
// Functions that say something of one thread of a row, of its number alone (hiprtc/split/split_rows.cpp).
#define CUDA_SHIM_ROW_ASKS(name)                                                                                       \
    const auto cuda_shim_##name = [&](const unsigned int cuda_shim_x) __attribute__((always_inline)) {                 \
        CUDA_SHIM_UNPUBLISHED_THREAD
#define CUDA_SHIM_ROW_ASKED };
#define CUDA_SHIM_ROW_LOOP(begin, end)                                                                                 \
    for (unsigned int cuda_shim_x = begin; cuda_shim_x < end; ++cuda_shim_x) {                                         \
        if (cuda_shim_x > 1023u) __builtin_unreachable();                                                              \
        CUDA_SHIM_THREAD {

// What follows runs for the threads of the row that take part, and asks nobody.
#define CUDA_SHIM_ROW_PART                                                                                             \
    for (cuda_shim_part.begins(cuda_shim_takes_part); cuda_shim_part.here(); cuda_shim_part.next(cuda_shim_takes_part)) { \
        constexpr bool cuda_shim_all = true, cuda_shim_lone = true;                                                    \
        (void)cuda_shim_all, (void)cuda_shim_lone;                                                                     \
        const unsigned int cuda_shim_begin = cuda_shim_part.begin, cuda_shim_end = cuda_shim_part.end;                 \
        CUDA_SHIM_ROW_LOOP(cuda_shim_begin, cuda_shim_end)
#define CUDA_SHIM_ROW_PART_END }}}}

// What follows runs for all threads of the row, and asks those of rows of which not all take part.
#define CUDA_SHIM_ROW_WHOLE                                                                                            \
    const auto cuda_shim_run_row = [&](const bool cuda_shim_all) __attribute__((always_inline)) {                      \
        CUDA_SHIM_ROW_LOOP(0, cuda_shim_width)
#define CUDA_SHIM_ROW_WHOLE_END                                                                                        \
    }}};                                                                                                               \
    (void)cuda_shim_takes_part;                                                                                        \
    if (cuda_shim_part.is_whole()) cuda_shim_run_row(true);                                                            \
    else cuda_shim_run_row(false);                                                                                     \
    }
static constexpr bool cuda_shim_all = false, cuda_shim_lone = false;  // where threads are asked one by one

// The threads of a row that take part: those from `begin` to `end`, unless it turns out that they are no neighbours.
struct cuda_shim_row_part {
    const unsigned int width;
    unsigned int begin = 0, end;
    bool known = true;

    CUDA_SHIM_ROW_MEMBER explicit cuda_shim_row_part(unsigned int threads) : width(threads), end(threads) {}
    CUDA_SHIM_ROW_MEMBER bool is_whole() const { return known & (begin == 0) & (end == width); }

    // Whatever holds for none of them, or all.
    CUDA_SHIM_ROW_MEMBER void only_if(bool holds) {
        if (!holds) end = begin;
    }
    // Conditions on a number that grows by one from thread to thread, modulo some power of two: `first` in the row's first
    // thread, `last` in the last one. Compared as the language does, as the type of their sum. Where the last one lies as
    // far from the first as there are threads between, no number in between can have started anew.
    CUDA_SHIM_ROW_MEMBER void from(unsigned int first) { begin = first > begin ? first : begin; }
    CUDA_SHIM_ROW_MEMBER void until(unsigned int behind) { end = behind < end ? behind : end; }
    template <class A, class B> struct distance {
        typedef decltype(A() + B()) common;
        static_assert((common)0.5f == (common)0 && sizeof(common) <= 8, "whole numbers are compared");
        bool reached;             // is there one that is not less than the fixed number...
        unsigned long long from;  // ...and how far from the first is that
        CUDA_SHIM_ROW_MEMBER distance(cuda_shim_row_part& part, A first, A last, B fixed)
            : reached((common)fixed >= (common)first), from((unsigned long long)(common)fixed - (unsigned long long)(common)first) {
            const unsigned long long apart = (unsigned long long)(common)last - (unsigned long long)(common)first;
            part.known &= (common)last >= (common)first && apart == part.width - 1;
        }
        // Threads whose number is less than the fixed one, or not greater.
        CUDA_SHIM_ROW_MEMBER unsigned int less(unsigned int width) const { return !reached ? 0 : from < width ? (unsigned int)from : width; }
        CUDA_SHIM_ROW_MEMBER unsigned int at_most(unsigned int width) const {
            return !reached ? 0 : from < width ? (unsigned int)from + 1 : width;
        }
    };
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void less(A first, A last, B fixed) {
        until(distance<A, B>(*this, first, last, fixed).less(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void at_most(A first, A last, B fixed) {
        until(distance<A, B>(*this, first, last, fixed).at_most(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void more(A first, A last, B fixed) {
        from(distance<A, B>(*this, first, last, fixed).at_most(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void at_least(A first, A last, B fixed) {
        from(distance<A, B>(*this, first, last, fixed).less(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void equal(A first, A last, B fixed) {
        const distance<A, B> found(*this, first, last, fixed);
        from(found.less(width)), until(found.at_most(width));
    }

    // Where they are neighbours, one piece; else piece by piece.
    template <class F> CUDA_SHIM_ROW_MEMBER void begins(const F& takes_part) {
        if (__builtin_expect(!known, 0)) end = 0, find(takes_part);
    }
    CUDA_SHIM_ROW_MEMBER bool here() const { return begin < end; }
    template <class F> CUDA_SHIM_ROW_MEMBER void next(const F& takes_part) {
        begin = end;
        if (__builtin_expect(!known, 0)) find(takes_part);
    }
    template <class F> CUDA_SHIM_ROW_MEMBER void find(const F& takes_part) {
        begin = end;
        while (begin < width && !takes_part(begin)) ++begin;
        for (end = begin; end < width && takes_part(end);) ++end;
    }
};

// Does any thread of a row take part? Nearly always the first one does, and the others are not asked.
template <class F> CUDA_SHIM_INLINE bool cuda_shim_any_in_row(const F& takes_part, const unsigned int width) {
    if (takes_part(0u)) return true;
    unsigned int any = 0;
    for (unsigned int x = 1; x < width; ++x) any |= takes_part(x);
    return any != 0;
}

// Around a thread loop that is to pass over the threads of all blocks of the run.
#define CUDA_SHIM_BLOCKS                                                                                               \
    for (cuda_shim_block_walk cuda_shim_blocks(cuda_shim_run_); cuda_shim_blocks.here(); cuda_shim_blocks.next()) {    \
        const uint3 cuda_shim_block_index = ::cuda_shim_block_index;
#define CUDA_SHIM_BLOCKS_END }

// Around a loop that is to go round for a few neighbouring threads at a time, as many as fill a register or two; its
// thread loops pass over those. Their number is a constant in all strips but a row's last. That a thread's number does
// not wrap has to be said again inside, or each access is one by itself (a gather).
#define CUDA_SHIM_STRIP 16
#ifdef __clang__
#define CUDA_SHIM_KEEP_LOOP _Pragma("clang loop unroll(disable)")  // until it is vectorised
#else
#define CUDA_SHIM_KEEP_LOOP
#endif
#define CUDA_SHIM_STRIPS                                                                                               \
    CUDA_SHIM_ROWS                                                                                                     \
    for (unsigned int cuda_shim_left = 0; cuda_shim_left < cuda_shim_width; cuda_shim_left += CUDA_SHIM_STRIP) {       \
        const auto cuda_shim_strip = [&](const unsigned int cuda_shim_lanes) __attribute__((always_inline)) {
#define CUDA_SHIM_STRIPS_END                                                                                           \
        };                                                                                                             \
        const unsigned int cuda_shim_rest = cuda_shim_width - cuda_shim_left;                                          \
        if (cuda_shim_rest >= CUDA_SHIM_STRIP) cuda_shim_strip(CUDA_SHIM_STRIP);                                       \
        else cuda_shim_strip(cuda_shim_rest);                                                                          \
    }}
#define CUDA_SHIM_STRIP_THREADS                                                                                        \
    {{ CUDA_SHIM_KEEP_LOOP for (unsigned int cuda_shim_lane = 0; cuda_shim_lane < cuda_shim_lanes; ++cuda_shim_lane) { \
        if (cuda_shim_left > 1023u || cuda_shim_lane >= CUDA_SHIM_STRIP) __builtin_unreachable();                      \
        const unsigned int cuda_shim_x = cuda_shim_left + cuda_shim_lane;                                              \
        CUDA_SHIM_THREAD

// Around a loop that goes round for a tile of threads at a time: some strips, which lie side by side or one below the other,
// as many as keep the processor's adders busy, and with what each thread keeps in registers. (0, 1): `further` threads to the
// right, or `below`, lies the next strip.
#ifdef __AVX512F__
#define CUDA_SHIM_TILE_STRIPS 8
#else
#define CUDA_SHIM_TILE_STRIPS 4
#endif
struct cuda_shim_has_tiles {
    const unsigned int columns, rows;
    __attribute__((always_inline)) constexpr cuda_shim_has_tiles(unsigned int further, unsigned int below)
        : columns(further ? CUDA_SHIM_STRIP * CUDA_SHIM_TILE_STRIPS : CUDA_SHIM_STRIP), rows(below ? CUDA_SHIM_TILE_STRIPS : 1) {}
    __attribute__((always_inline)) bool operator()(unsigned int width, unsigned int height) const {
        return width % columns == 0 && height % rows == 0;
    }
};
#define CUDA_SHIM_TILES(further, below)                                                                                \
    for (unsigned int cuda_shim_z = 0; cuda_shim_z < cuda_shim_depth; ++cuda_shim_z)                                   \
        for (unsigned int cuda_shim_top = 0; cuda_shim_top < cuda_shim_height;                                         \
             cuda_shim_top += cuda_shim_has_tiles(further, below).rows)                                                \
            for (unsigned int cuda_shim_left = 0; cuda_shim_left < cuda_shim_width;                                    \
                 cuda_shim_left += cuda_shim_has_tiles(further, below).columns) {
#define CUDA_SHIM_TILE_THREADS(further, below)                                                                         \
    for (unsigned int cuda_shim_group = 0; cuda_shim_group < CUDA_SHIM_TILE_STRIPS; ++cuda_shim_group) {               \
        const unsigned int cuda_shim_y = cuda_shim_top + cuda_shim_group * below;                                      \
        const unsigned int cuda_shim_first = (cuda_shim_z * cuda_shim_height + cuda_shim_y) * cuda_shim_width;         \
        if (cuda_shim_width > 1024u || cuda_shim_first > 1023u || cuda_shim_left > 1023u ||                            \
            cuda_shim_block_index.x * cuda_shim_width + cuda_shim_left + cuda_shim_group * further > 0x7fffffffu - CUDA_SHIM_STRIP) \
            __builtin_unreachable();                                                                                   \
        CUDA_SHIM_KEEP_LOOP for (unsigned int cuda_shim_lane = 0; cuda_shim_lane < CUDA_SHIM_STRIP; ++cuda_shim_lane) { \
            const unsigned int cuda_shim_x = cuda_shim_left + cuda_shim_group * further + cuda_shim_lane;              \
            if (cuda_shim_left > 1023u || cuda_shim_lane >= CUDA_SHIM_STRIP || cuda_shim_x > 1023u) __builtin_unreachable(); \
            CUDA_SHIM_THREAD {

// One element for each thread of a block, without construction: a variable that lives across barriers.
template <class T> union CUDA_SHIM_ALIGNED(64) cuda_shim_per_thread {
    T value[CUDA_SHIM_SPLIT_THREADS];
    __attribute__((always_inline)) cuda_shim_per_thread() {}
    __attribute__((always_inline)) ~cuda_shim_per_thread() {}
};
struct CUDA_SHIM_ALIGNED(64) cuda_shim_flags {
    unsigned char value[CUDA_SHIM_SPLIT_THREADS];
};

// Does nothing happen when an object of the type ends?
#ifdef __clang__
#define CUDA_SHIM_ENDS_SILENTLY(type) __is_trivially_destructible(type)
#else
#define CUDA_SHIM_ENDS_SILENTLY(type) __has_trivial_destructor(type)
#endif

struct cuda_shim_here {};
inline __attribute__((always_inline)) void* operator new(size_t, cuda_shim_here, void* p) noexcept { return p; }

// `T v;` for an element of such an array: nothing for plain types, the constructor for classes.
template <class T> CUDA_SHIM_INLINE void cuda_shim_default_initialise(T& v) { new (cuda_shim_here{}, (void*)&v) T; }
template <class T, size_t N> CUDA_SHIM_INLINE void cuda_shim_default_initialise(T (&v)[N]) {
    for (size_t i = 0; i < N; ++i) cuda_shim_default_initialise(v[i]);
}
template <class T> CUDA_SHIM_INLINE void cuda_shim_copy(T& to, const T& from) { __builtin_memcpy((void*)&to, &from, sizeof(T)); }

// What the lanes of all warps hand over in a warp operation, by linear thread. Rounded up by a warp, since the last one
// may be partial; a shuffle also may look, without harm, at what lies a warp before the first.
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
template <size_t N> CUDA_SHIM_INLINE void cuda_shim_clear(unsigned char (&bytes)[N]) { __builtin_memset(bytes, 0, N); }
template <class B, class T> CUDA_SHIM_INLINE void cuda_shim_hand_over(B& lanes, unsigned int t, const T& value) {
    static_assert(sizeof(T) * (B::first + CUDA_SHIM_SPLIT_THREADS + CUDA_SHIM_MAX_WARP_SIZE) <= sizeof(lanes.bytes), "too large to hand over");
    ((T*)lanes.bytes)[B::first + t] = value;
}
template <class T> CUDA_SHIM_INLINE const T* cuda_shim_own_value(const cuda_shim_lane_values& lanes, unsigned int t) {
    return (const T*)lanes.bytes + cuda_shim_lane_values::first + t;
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
template <class T>
CUDA_SHIM_INLINE cuda_shim_lane_mask cuda_shim_read_match_any(const cuda_shim_active_lane_values& lanes, unsigned int t, uint64_t mask) {
    const unsigned int base = t / CUDA_SHIM_WARP_SIZE * CUDA_SHIM_WARP_SIZE;
    const T* values = (const T*)lanes.bytes;
    uint64_t same = 0;
    for (int lane = 0; lane < CUDA_SHIM_WARP_SIZE; ++lane)
        if (lanes.active[base + lane] && values[base + lane] == values[t]) same |= 1ull << lane;
    return (cuda_shim_lane_mask)(same & mask);
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

// Atomic operations on shared memory of a block that one thread of the host runs (hiprtc/split/own_atomics.h): nobody else
// is there to see what lies between reading and writing, unless other blocks of a cluster are.
CUDA_SHIM_INLINE float cuda_shim_wrapping_sum(float a, float b) { return a + b; }
CUDA_SHIM_INLINE double cuda_shim_wrapping_sum(double a, double b) { return a + b; }
CUDA_SHIM_INLINE int cuda_shim_wrapping_sum(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
template <class T> CUDA_SHIM_INLINE T cuda_shim_wrapping_sum(T a, T b) {
    return (T)((unsigned long long)a + (unsigned long long)b);
}
struct cuda_shim_own_shared {
    const bool alone;

    CUDA_SHIM_ROW_MEMBER explicit cuda_shim_own_shared(bool no_cluster) : alone(no_cluster) {}
#define CUDA_SHIM_OWN_ATOMIC(name, next)                                                                               \
    template <class T> CUDA_SHIM_ROW_MEMBER T name(T* p, typename cuda_shim_same<T>::type v) const {                   \
        if (!alone) return ::name(p, v);                                                                               \
        const T old = *p;                                                                                              \
        *p = (T)(next);                                                                                                \
        return old;                                                                                                    \
    }
    CUDA_SHIM_OWN_ATOMIC(atomicAdd, cuda_shim_wrapping_sum(old, v))
    CUDA_SHIM_OWN_ATOMIC(atomicSub, cuda_shim_wrapping_sum(old, (T)(0 - (unsigned long long)v)))
    CUDA_SHIM_OWN_ATOMIC(atomicExch, v)
    CUDA_SHIM_OWN_ATOMIC(atomicMin, v < old ? v : old)
    CUDA_SHIM_OWN_ATOMIC(atomicMax, old < v ? v : old)
    CUDA_SHIM_OWN_ATOMIC(atomicAnd, old & v)
    CUDA_SHIM_OWN_ATOMIC(atomicOr, old | v)
    CUDA_SHIM_OWN_ATOMIC(atomicXor, old ^ v)
#undef CUDA_SHIM_OWN_ATOMIC
    template <class T>
    CUDA_SHIM_ROW_MEMBER T atomicCAS(T* p, typename cuda_shim_same<T>::type compare, typename cuda_shim_same<T>::type v) const {
        if (!alone) return ::atomicCAS(p, compare, v);
        const T old = *p;
        if (old == compare) *p = v;
        return old;
    }
};
