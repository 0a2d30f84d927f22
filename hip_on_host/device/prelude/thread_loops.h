// The loops over threads that hiprtc writes: over blocks, rows, strips and tiles.
#pragma once

// At the top of a split kernel: local copies of values that are uniform over the whole run of blocks, or over the
// block, under the built-ins' names.
#define CUDA_SHIM_SPLIT_SIZED                                                                      \
    const unsigned int cuda_shim_threads = cuda_shim_width * cuda_shim_height * cuda_shim_depth;   \
    const cuda_shim_dimensions cuda_shim_block_dim{cuda_shim_width, cuda_shim_height, cuda_shim_depth}; \
    const cuda_shim_dimensions cuda_shim_grid_dim{cuda_shim_run_->grid[0], cuda_shim_run_->grid[1], \
                                                  cuda_shim_run_->grid[2]};                        \
    const bool cuda_shim_no_cluster = !cuda_shim_run_->cluster;                                    \
    (void)cuda_shim_threads, (void)cuda_shim_block_dim, (void)cuda_shim_grid_dim, (void)cuda_shim_no_cluster;
#define CUDA_SHIM_SPLIT_RUN                                                                        \
    const unsigned int cuda_shim_width = cuda_shim_run_->block[0];                                 \
    const unsigned int cuda_shim_height = cuda_shim_run_->block[1];                                \
    const unsigned int cuda_shim_depth = cuda_shim_run_->block[2];                                 \
    CUDA_SHIM_SPLIT_SIZED
#define CUDA_SHIM_SPLIT_INDEX                                              \
    const cuda_shim_index cuda_shim_block_index = ::cuda_shim_block_index; \
    (void)cuda_shim_block_index;
#define CUDA_SHIM_SPLIT_BLOCK CUDA_SHIM_SPLIT_RUN CUDA_SHIM_SPLIT_INDEX
// The same for a kernel with a second form for blocks of a width that is known (kernel_compiler/split/block_width.h).
#define CUDA_SHIM_BLOCK_WIDTHS                                                                                         \
    const auto cuda_shim_sized = [&](const unsigned int cuda_shim_width, const unsigned int cuda_shim_height,          \
                                     const unsigned int cuda_shim_depth) __attribute__((always_inline)) {              \
        CUDA_SHIM_SPLIT_SIZED CUDA_SHIM_SPLIT_INDEX
#define CUDA_SHIM_BLOCK_WIDTHS_END(width)                                                                              \
    };                                                                                                                 \
    const auto& cuda_shim_size = cuda_shim_run_->block;                                                                \
    if (cuda_shim_size[0] == width && cuda_shim_size[1] == 1 && cuda_shim_size[2] == 1) cuda_shim_sized(width, 1u, 1u); \
    else cuda_shim_sized(cuda_shim_size[0], cuda_shim_size[1], cuda_shim_size[2]);

// If device functions read threadIdx, the thread-local one follows the loop. A kernel that calls none of the program's
// functions keeps the index to itself, whatever others of the module do.
#ifdef CUDA_SHIM_PUBLISH_THREAD_INDEX
static constexpr bool cuda_shim_publishes = true;
#define CUDA_SHIM_KEEPS_INDEX \
    constexpr bool cuda_shim_publishes = false; \
    (void)cuda_shim_publishes;
#define CUDA_SHIM_PUBLISH(x, y, z) \
    if constexpr (cuda_shim_publishes) ::cuda_shim_thread_index = {x, y, z};
#else
#define CUDA_SHIM_KEEPS_INDEX
#define CUDA_SHIM_PUBLISH(x, y, z)
#endif

// The rows of a block's threads. The condition that must not hold states that 32-bit global indices do not wrap,
// without which `blockIdx.x * blockDim.x + threadIdx.x` is not known to be contiguous: the runs that could break it do
// not come here (cuda_shim_narrow).
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
    const cuda_shim_index cuda_shim_thread_index{cuda_shim_x, cuda_shim_y, cuda_shim_z};                               \
    const unsigned int cuda_shim_t = cuda_shim_first + cuda_shim_x;                                                    \
    (void)cuda_shim_thread_index, (void)cuda_shim_t;
#define CUDA_SHIM_THREADS_END }}}

#define CUDA_SHIM_ROW_MEMBER __attribute__((always_inline))
// A predicate of one thread of a row, which depends on the thread's x alone (kernel_compiler/split/split_thread_rows.cpp).
#define CUDA_SHIM_ROW_PREDICATE(name)                                                                                  \
    const auto cuda_shim_##name = [&](const unsigned int cuda_shim_x) __attribute__((always_inline)) {                 \
        CUDA_SHIM_UNPUBLISHED_THREAD
#define CUDA_SHIM_ROW_PREDICATE_END };
// The bounds are stated before the loop: GCC keeps an assumption inside it as a branch, and vectorises no loop that has
// one.
#define CUDA_SHIM_ROW_LOOP(begin, end, step)                                                                           \
    if (begin > 1024u) __builtin_unreachable();                                                                        \
    if (end > 1024u) __builtin_unreachable();                                                                          \
    for (unsigned int cuda_shim_x = begin; cuda_shim_x < end; cuda_shim_x += step) {                                   \
        CUDA_SHIM_THREAD {

// Begins a loop over the active threads of the row, without a test of each thread; where a guard is periodic, in steps of
// its period. Periods that have no such steps leave that guard's test to each thread.
#define CUDA_SHIM_ROW_ACTIVE CUDA_SHIM_ROW_RANGE(cuda_shim_active.begin, 1u, true)
#define CUDA_SHIM_ROW_STEPS                                                                                            \
    CUDA_SHIM_ROW_RANGE(cuda_shim_active.first_of_period(), cuda_shim_period_step(cuda_shim_period), cuda_shim_period_step(cuda_shim_period) > 1)
#define CUDA_SHIM_ROW_RANGE(first, step, holds)                                                                        \
    do {                                                                                                               \
        cuda_shim_active.advance(cuda_shim_guards_hold);                                                               \
        constexpr bool cuda_shim_all_guards_hold = true, cuda_shim_single_guard_holds = holds;                         \
        (void)cuda_shim_all_guards_hold, (void)cuda_shim_single_guard_holds;                                           \
        const unsigned int cuda_shim_begin = first, cuda_shim_end = cuda_shim_active.end;                              \
        CUDA_SHIM_ROW_LOOP(cuda_shim_begin, cuda_shim_end, step)
#define CUDA_SHIM_ROW_ACTIVE_END }}} while (cuda_shim_active.has_more()); }

// Begins a loop over all threads of the row, which tests each thread in rows with inactive threads.
#define CUDA_SHIM_ROW_WHOLE                                                                                            \
    const auto cuda_shim_run_row = [&](const bool cuda_shim_all_guards_hold) __attribute__((always_inline)) {          \
        CUDA_SHIM_ROW_LOOP(0u, cuda_shim_width, 1u)
#define CUDA_SHIM_ROW_WHOLE_END                                                                                        \
    }}};                                                                                                               \
    (void)cuda_shim_guards_hold;                                                                                       \
    if (cuda_shim_active.is_whole()) cuda_shim_run_row(true);                                                          \
    else cuda_shim_run_row(false);                                                                                     \
    }
static constexpr bool cuda_shim_all_guards_hold = false, cuda_shim_single_guard_holds = false;  // for loops that test each thread

// The step of a loop over the threads for which a guard with the period holds: the period itself, if it is a power of
// two that divides the number of values of every integer type.
constexpr unsigned int cuda_shim_period_step(unsigned long long period) {
    return period > 1 && period <= 128 && (period & (period - 1)) == 0 ? (unsigned int)period : 1;
}
// The active threads of a row, for which all hoisted guards hold: from `begin` to `end` where they are contiguous.
struct cuda_shim_active_range {
    const unsigned int width;
    unsigned int begin = 0, end;
    bool contiguous = true;
    unsigned int period = 1, phase = 0;  // a periodic guard holds for the threads x with x % period == phase
    unsigned int next = 0;  // the next thread to test, where they are not contiguous

    CUDA_SHIM_ROW_MEMBER explicit cuda_shim_active_range(unsigned int threads) : width(threads), end(threads) {}
    CUDA_SHIM_ROW_MEMBER bool is_whole() const {
        return contiguous & (period == 1) & (begin == 0) & (end == width);
    }
    CUDA_SHIM_ROW_MEMBER bool is_whole_warps() const {
        return contiguous & (period == 1) & ((begin >= end) | (((begin | end) & (CUDA_SHIM_WARP_SIZE - 1)) == 0));
    }

    // A condition that is uniform over the row.
    CUDA_SHIM_ROW_MEMBER void require(bool holds) {
        if (!holds) end = begin;
    }
    // Guards on an affine number, which grows by one from thread to thread modulo some power of two: `first` is the
    // row's first thread's, `last` the last one's. Comparisons have the type of the operands' sum, as in C++. If
    // `last - first` is the number of threads between, no number in between can have wrapped around.
    CUDA_SHIM_ROW_MEMBER void raise_begin(unsigned int first) { begin = first > begin ? first : begin; }
    CUDA_SHIM_ROW_MEMBER void lower_end(unsigned int behind) { end = behind < end ? behind : end; }
    template <class A, class B> struct distance {
        typedef decltype(A() + B()) common;
        static_assert((common)0.5f == (common)0 && sizeof(common) <= 8, "not split: a guard compares numbers that are not whole");
        bool reached;               // whether `bound` is not less than `first`
        unsigned long long offset;  // `bound - first`, where it is reached
        CUDA_SHIM_ROW_MEMBER distance(cuda_shim_active_range& active, A first, A last, B bound)
            : reached((common)bound >= (common)first), offset((unsigned long long)(common)bound - (unsigned long long)(common)first) {
            const unsigned long long span = (unsigned long long)(common)last - (unsigned long long)(common)first;
            active.contiguous &= (common)last >= (common)first && span == active.width - 1;
        }
        // The threads whose number is less than the bound, or not greater.
        CUDA_SHIM_ROW_MEMBER unsigned int less(unsigned int width) const { return !reached ? 0 : offset < width ? (unsigned int)offset : width; }
        CUDA_SHIM_ROW_MEMBER unsigned int at_most(unsigned int width) const {
            return !reached ? 0 : offset < width ? (unsigned int)offset + 1 : width;
        }
    };
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void less(A first, A last, B bound) {
        lower_end(distance<A, B>(*this, first, last, bound).less(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void at_most(A first, A last, B bound) {
        lower_end(distance<A, B>(*this, first, last, bound).at_most(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void more(A first, A last, B bound) {
        raise_begin(distance<A, B>(*this, first, last, bound).at_most(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void at_least(A first, A last, B bound) {
        raise_begin(distance<A, B>(*this, first, last, bound).less(width));
    }
    template <class A, class B> CUDA_SHIM_ROW_MEMBER void equal(A first, A last, B bound) {
        const distance<A, B> to_bound(*this, first, last, bound);
        raise_begin(to_bound.less(width)), lower_end(to_bound.at_most(width));
    }

    // A periodic guard: the rest of a number that grows by one, divided by the period, equals the bound. The number's
    // type counts modulo a multiple of the period, so that it makes no difference where the number wraps around.
    template <unsigned long long Period, class A, class B> CUDA_SHIM_ROW_MEMBER void every(A first_rest, B bound) {
        typedef decltype(A() + B()) common;
        period = cuda_shim_period_step(Period);
        if (period == 1) return;
        phase = (unsigned int)((unsigned long long)(common)bound - (unsigned long long)(common)first_rest) & (period - 1);
        if ((common)bound < 0 || (common)bound >= (common)Period) end = begin;
    }
    CUDA_SHIM_ROW_MEMBER unsigned int first_of_period() const {
        if (!contiguous) return begin;
        const unsigned int first = begin + ((phase - begin) & (period - 1));
        return first < end ? first : end;
    }

    // Moves to the next range: the only one where the active threads are contiguous, else one for every thread, which is
    // empty where the thread is inactive.
    template <class F> CUDA_SHIM_ROW_MEMBER void advance(const F& guards_hold) {
        if (is_one_range()) return;
        begin = next++;
        end = guards_hold(begin) ? next : begin;
    }
    CUDA_SHIM_ROW_MEMBER bool has_more() const { return !is_one_range() && next < width; }
    // It is most often the same for all rows: compilers would unswitch the surrounding loops for it.
    CUDA_SHIM_ROW_MEMBER bool is_one_range() const {
        bool one_range = contiguous;
        asm volatile("" : "+r"(one_range));
        return __builtin_expect(one_range, 1);
    }
};

// True if the predicate holds for any thread of a row. It nearly always holds for the first, and the others are not
// tested.
template <class F> CUDA_SHIM_INLINE bool cuda_shim_any_in_row(const F& predicate, const unsigned int width) {
    if (predicate(0u)) return true;
    unsigned int any = 0;
    for (unsigned int x = 1; x < width; ++x) any |= predicate(x);
    return any != 0;
}

// Has the processor fetch the lines of its cache between two places of a row's threads. Rows of up to 1024 vectors of
// 16 bytes are fetched; threads whose places are further apart are no neighbours. The lines are counted, as addresses
// of no memory (null, less an index) may wrap around.
#define CUDA_SHIM_CACHE_LINE 64ull
template <bool Written> CUDA_SHIM_INLINE void cuda_shim_prefetch(unsigned long long first, unsigned long long last) {
    if (last - first > 1024 * 16) return;
    const unsigned long long line = first & ~(CUDA_SHIM_CACHE_LINE - 1), lines = (last - line) / CUDA_SHIM_CACHE_LINE + 1;
    for (unsigned long long i = 0; i < lines; ++i) __builtin_prefetch((const void*)(line + i * CUDA_SHIM_CACHE_LINE), Written);
}
// Around statements that see the index of a later block along x, where there is one: the block behind the next, since
// memory takes about as long as a short block.
#define CUDA_SHIM_BLOCKS_AHEAD 2u
#define CUDA_SHIM_IN_LATER_BLOCK                                                                                       \
    if (cuda_shim_block_index.x + CUDA_SHIM_BLOCKS_AHEAD < cuda_shim_grid_dim.x) {                                     \
        const cuda_shim_index cuda_shim_later_block{cuda_shim_block_index.x + CUDA_SHIM_BLOCKS_AHEAD,                  \
                                                    cuda_shim_block_index.y, cuda_shim_block_index.z};                 \
        {                                                                                                              \
            const cuda_shim_index cuda_shim_block_index = cuda_shim_later_block;
#define CUDA_SHIM_IN_LATER_BLOCK_END }}

// Around a thread loop that is to pass over the threads of all blocks of the run.
#define CUDA_SHIM_BLOCKS                                                                                               \
    for (cuda_shim_block_walk cuda_shim_blocks(cuda_shim_run_); cuda_shim_blocks.here(); cuda_shim_blocks.next()) {    \
        const cuda_shim_index cuda_shim_block_index = ::cuda_shim_block_index;
#define CUDA_SHIM_BLOCKS_END }

// Around loops over some of the run's blocks, whose memory stays in the cache from one iteration to the next.
#define CUDA_SHIM_BLOCKS_OF_PART 32
#define CUDA_SHIM_RUN_PARTS                                                                                            \
    for (cuda_shim_word64 cuda_shim_part = cuda_shim_run_->first_block; cuda_shim_part < cuda_shim_run_->last_block;   \
         cuda_shim_part += CUDA_SHIM_BLOCKS_OF_PART) {                                                                 \
        CudaShimKernelRun cuda_shim_run_of_part = *cuda_shim_run_;                                                     \
        cuda_shim_run_of_part.first_block = cuda_shim_part;                                                            \
        if (cuda_shim_run_->last_block - cuda_shim_part > CUDA_SHIM_BLOCKS_OF_PART)                                    \
            cuda_shim_run_of_part.last_block = cuda_shim_part + CUDA_SHIM_BLOCKS_OF_PART;                              \
        const CudaShimKernelRun* const cuda_shim_whole_run = cuda_shim_run_;                                           \
        const CudaShimKernelRun* const cuda_shim_run_ = &cuda_shim_run_of_part;
#define CUDA_SHIM_RUN_PARTS_END                                                                                        \
        cuda_shim_run = cuda_shim_whole_run;                                                                           \
    }

// Around a loop over strips: a few neighbouring threads at a time, as many as fill a register or two, which its thread
// loops pass over. Their number is a constant in all strips but a row's last. Clang needs to be informed again inside
// that a thread's number does not wrap, or each access is one by itself (a gather).
#define CUDA_SHIM_STRIP 16
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_KEEP_LOOP _Pragma("clang loop unroll(disable)")  // until it is vectorised
#define CUDA_SHIM_NEVER_IN_STRIP(condition) if (condition) __builtin_unreachable();
#else
#define CUDA_SHIM_KEEP_LOOP _Pragma("GCC unroll 1")
#define CUDA_SHIM_NEVER_IN_STRIP(condition)
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
    {{ if (cuda_shim_left > 1023u) __builtin_unreachable();                                                            \
        if (cuda_shim_lanes > CUDA_SHIM_STRIP) __builtin_unreachable();                                                \
        CUDA_SHIM_KEEP_LOOP for (unsigned int cuda_shim_lane = 0; cuda_shim_lane < cuda_shim_lanes; ++cuda_shim_lane) { \
        CUDA_SHIM_NEVER_IN_STRIP(cuda_shim_left > 1023u || cuda_shim_lane >= CUDA_SHIM_STRIP)                          \
        const unsigned int cuda_shim_x = cuda_shim_left + cuda_shim_lane;                                              \
        CUDA_SHIM_THREAD

// Around statements for one warp after the other (kernel_compiler/split/warp_runs.h), and its loops over lanes, which
// pass over a constant number of threads. Clang unrolls them when they are vectorised, and the warp's arrays become
// registers.
#ifdef CUDA_SHIM_CLANG
#define CUDA_SHIM_HAS_WHOLE_WARPS(width) ((width) % CUDA_SHIM_WARP_SIZE == 0)
#define CUDA_SHIM_UNROLL_VECTORS _Pragma("clang loop unroll_count(8)")
#else
#define CUDA_SHIM_HAS_WHOLE_WARPS(width) false
#define CUDA_SHIM_UNROLL_VECTORS
#endif
#define CUDA_SHIM_WARPS(begin, end)                                                                                    \
    const unsigned int cuda_shim_warps_end = end;                                                                      \
    for (unsigned int cuda_shim_left = begin; cuda_shim_left < cuda_shim_warps_end; cuda_shim_left += CUDA_SHIM_WARP_SIZE) { \
        if (cuda_shim_left > 1024u - CUDA_SHIM_WARP_SIZE) __builtin_unreachable();
#define CUDA_SHIM_WARPS_END }
#define CUDA_SHIM_WARP_THREADS                                                                                         \
    {{ CUDA_SHIM_UNROLL_VECTORS for (unsigned int cuda_shim_lane = 0; cuda_shim_lane < CUDA_SHIM_WARP_SIZE; ++cuda_shim_lane) { \
        CUDA_SHIM_NEVER_IN_STRIP(cuda_shim_left > 1024u - CUDA_SHIM_WARP_SIZE)                                         \
        const unsigned int cuda_shim_x = cuda_shim_left + cuda_shim_lane;                                              \
        CUDA_SHIM_THREAD

// Around a loop over tiles of threads: some strips side by side or one below the other, as many as keep the processor's
// adders busy, with each thread's values in registers. The next strip is `further` threads to the right and `below`
// rows down, as in (0, 1).
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
        const unsigned int cuda_shim_start = cuda_shim_left + cuda_shim_group * further;                               \
        if (cuda_shim_start > 1023u) __builtin_unreachable();                                                          \
        CUDA_SHIM_KEEP_LOOP for (unsigned int cuda_shim_lane = 0; cuda_shim_lane < CUDA_SHIM_STRIP; ++cuda_shim_lane) { \
            const unsigned int cuda_shim_x = cuda_shim_start + cuda_shim_lane;                                         \
            CUDA_SHIM_NEVER_IN_STRIP(cuda_shim_left > 1023u || cuda_shim_lane >= CUDA_SHIM_STRIP || cuda_shim_x > 1023u) \
            CUDA_SHIM_THREAD {
