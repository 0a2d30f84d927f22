// Stands for CUDA's and HIP's header of this name: groups of threads that work together.
//
// Kernels that use groups run on fibres, where the operations below are the warp's and the block's own.
#pragma once
#include "../prelude/clusters.h"

namespace CUDA_SHIM_FACT(waits) cooperative_groups {
// NVIDIA's name: its C++ core libraries declare groups by it beforehand.
namespace __v1 {

namespace cuda_shim_detail {
CUDA_SHIM_INLINE unsigned int block_size() { return cuda_shim_block_dim.x * cuda_shim_block_dim.y * cuda_shim_block_dim.z; }
CUDA_SHIM_INLINE unsigned int lane() { return cuda_shim_linear_thread() % CUDA_SHIM_WARP_SIZE; }
CUDA_SHIM_INLINE unsigned long long low_bits(unsigned int count) { return count >= 64 ? ~0ull : (1ull << count) - 1; }
CUDA_SHIM_INLINE dim3 as_dim3(cuda_shim_dimensions d) { return dim3(d.x, d.y, d.z); }
}  // namespace cuda_shim_detail

// The common part of all groups. Derived types define the lanes of the warp, or that the group is wider than a warp.
struct thread_group {
    enum kind_t { block_group, lanes_group, grid_wide, cluster_wide } kind;
    unsigned long long mask;  // the lanes of a group within a warp
    thread_group(kind_t k = block_group, unsigned long long m = 0) : kind(k), mask(m) {}

    unsigned long long size() const {
        if (kind == lanes_group) return (unsigned long long)__builtin_popcountll(mask);
        const unsigned long long block = cuda_shim_detail::block_size();
        if (kind == cluster_wide) return block * __clusterSizeInBlocks();
        return kind == block_group ? block : block * cuda_shim_grid_dim.x * cuda_shim_grid_dim.y * cuda_shim_grid_dim.z;
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const {
        if (kind == lanes_group) return (unsigned long long)__builtin_popcountll(mask & cuda_shim_detail::low_bits(cuda_shim_detail::lane()));
        const unsigned long long in_block = cuda_shim_linear_thread();
        if (kind == block_group) return in_block;
        if (kind == cluster_wide) return (unsigned long long)__clusterRelativeBlockRank() * cuda_shim_detail::block_size() + in_block;
        const unsigned long long block = cuda_shim_block_index.x +
            cuda_shim_grid_dim.x * (cuda_shim_block_index.y + (unsigned long long)cuda_shim_grid_dim.y * cuda_shim_block_index.z);
        return block * cuda_shim_detail::block_size() + in_block;
    }
    void sync() const {
        if (kind == block_group) __syncthreads();
        else if (kind == lanes_group) __syncwarp(mask);
        else if (kind == cluster_wide) cuda_shim_cluster_barrier();
        else cuda_shim_grid_barrier();
    }
    bool is_valid() const { return true; }
};

struct CUDA_SHIM_FACT(waits) thread_block : thread_group {
    thread_block() : thread_group(block_group) {}
    static unsigned int size() { return cuda_shim_detail::block_size(); }
    static unsigned int num_threads() { return size(); }
    static unsigned int thread_rank() { return cuda_shim_linear_thread(); }
    static dim3 group_index() { return dim3(cuda_shim_block_index); }
    static dim3 thread_index() { return dim3(cuda_shim_thread_index); }
    static dim3 group_dim() { return cuda_shim_detail::as_dim3(cuda_shim_block_dim); }
    static dim3 dim_threads() { return group_dim(); }
    static void sync() { __syncthreads(); }
    // Nothing that a thread does between the two may wait for others.
    typedef struct {
    } arrival_token;
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(arrival_token&&) { __syncthreads(); }
};
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE thread_block this_thread_block() { return thread_block(); }

struct CUDA_SHIM_FACT(waits) grid_group : thread_group {
    grid_group() : thread_group(grid_wide) {}
    static bool is_valid() { return cuda_shim_run->cooperative != 0; }
    static dim3 group_dim() { return cuda_shim_detail::as_dim3(cuda_shim_grid_dim); }
    static dim3 dim_blocks() { return group_dim(); }
    static dim3 block_index() { return dim3(cuda_shim_block_index); }
    static unsigned long long num_blocks() {
        return (unsigned long long)cuda_shim_grid_dim.x * cuda_shim_grid_dim.y * cuda_shim_grid_dim.z;
    }
    static unsigned long long block_rank() {
        return cuda_shim_block_index.x +
               cuda_shim_grid_dim.x * (cuda_shim_block_index.y + (unsigned long long)cuda_shim_grid_dim.y * cuda_shim_block_index.z);
    }
    static void sync() { cuda_shim_grid_barrier(); }
};
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE grid_group this_grid() { return grid_group(); }

struct cluster_group : thread_group {
    typedef struct {
    } arrival_token;
    cluster_group() : thread_group(cluster_wide) {}
    static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static dim3 dim_blocks() { return __clusterDim(); }
    static unsigned int block_rank() { return __clusterRelativeBlockRank(); }
    static unsigned int num_blocks() { return __clusterSizeInBlocks(); }
    static dim3 dim_threads() {
        const dim3 blocks = dim_blocks();
        return dim3(blocks.x * cuda_shim_block_dim.x, blocks.y * cuda_shim_block_dim.y, blocks.z * cuda_shim_block_dim.z);
    }
    static dim3 thread_index() {
        const dim3 block = block_index();
        return dim3(block.x * cuda_shim_block_dim.x + cuda_shim_thread_index.x,
                    block.y * cuda_shim_block_dim.y + cuda_shim_thread_index.y,
                    block.z * cuda_shim_block_dim.z + cuda_shim_thread_index.z);
    }
    static unsigned int num_threads() { return num_blocks() * cuda_shim_detail::block_size(); }
    static unsigned int size() { return num_threads(); }
    static unsigned int thread_rank() { return block_rank() * cuda_shim_detail::block_size() + cuda_shim_linear_thread(); }
    static void sync() { cuda_shim_cluster_barrier(); }
    static arrival_token barrier_arrive() {
        __cluster_barrier_arrive();
        return {};
    }
    static void barrier_wait() { __cluster_barrier_wait(); }
    static void barrier_wait(arrival_token&&) { __cluster_barrier_wait(); }
    static unsigned int query_shared_rank(const void* address) { return __cluster_query_shared_rank(address); }
    template <class T> static T* map_shared_rank(T* address, int rank) {
        return (T*)__cluster_map_shared_rank((const void*)address, (unsigned int)rank);
    }
};
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE cluster_group this_cluster() { return cluster_group(); }

// Operations of a group within one warp. A rank in the group is not a lane of the warp: coalesced threads have gaps
// between them.
struct cuda_shim_lanes : thread_group {
    explicit cuda_shim_lanes(unsigned long long lanes) : thread_group(lanes_group, lanes) {}

    int lane_of_rank(unsigned int rank) const {
        unsigned long long rest = mask;
        for (; rank > 0 && rest; --rank) rest &= rest - 1;
        return rest ? __builtin_ctzll(rest) : (int)cuda_shim_detail::lane();
    }
    template <class T> T from_rank(T value, long long rank) const {
        const bool inside = rank >= 0 && rank < (long long)size();
        return cuda_shim_shuffle(mask, value, inside ? lane_of_rank((unsigned int)rank) : (int)cuda_shim_detail::lane());
    }
    template <class T> T shfl(T value, int rank) const { return from_rank(value, rank % (int)size()); }
    template <class T> T shfl_up(T value, unsigned int delta) const { return from_rank(value, (long long)thread_rank() - delta); }
    template <class T> T shfl_down(T value, unsigned int delta) const { return from_rank(value, (long long)thread_rank() + delta); }
    template <class T> T shfl_xor(T value, unsigned int bits) const { return from_rank(value, (long long)(thread_rank() ^ bits)); }
    // Votes of the group, one bit for each rank.
    unsigned long long ballot(int predicate) const {
        unsigned long active;
        return ranks_of(cuda_shim_ballot(mask, predicate != 0, &active));
    }
    int any(int predicate) const { return __any_sync(mask, predicate); }
    int all(int predicate) const { return __all_sync(mask, predicate); }
    template <class T> unsigned long long match_any(T value) const { return ranks_of(__match_any_sync(mask, value)); }
    template <class T> unsigned long long match_all(T value, int& same) const { return ranks_of(__match_all_sync(mask, value, &same)); }

private:
    unsigned long long ranks_of(unsigned long long lanes) const {
        unsigned long long ranks = 0;
        unsigned int rank = 0;
        for (unsigned long long rest = mask; rest; rest &= rest - 1, ++rank)
            ranks |= ((lanes >> __builtin_ctzll(rest)) & 1) << rank;
        return ranks;
    }
};

struct CUDA_SHIM_FACT(waits) coalesced_group : cuda_shim_lanes {
    explicit coalesced_group(unsigned long long lanes) : cuda_shim_lanes(lanes) {}
    unsigned int meta_group_size() const { return 1; }
    unsigned int meta_group_rank() const { return 0; }
};
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// The lanes of the calling thread's tile, as far as the block has them.
CUDA_SHIM_INLINE unsigned long long cuda_shim_tile_lanes(unsigned int width) {
    const unsigned int thread = cuda_shim_linear_thread(), warp_begin = thread - thread % CUDA_SHIM_WARP_SIZE;
    const unsigned int first = cuda_shim_detail::lane() / width * width;
    const unsigned int in_warp = cuda_shim_detail::block_size() - warp_begin;
    return (cuda_shim_detail::low_bits(width) << first) & cuda_shim_detail::low_bits(in_warp);
}

template <unsigned int Size, class Parent = void> struct CUDA_SHIM_FACT(waits) thread_block_tile : cuda_shim_lanes {
    static_assert(Size > 0 && Size <= CUDA_SHIM_WARP_SIZE && (Size & (Size - 1)) == 0,
                  "a tile holds a power of two of threads, at most a warp");
    thread_block_tile() : cuda_shim_lanes(cuda_shim_tile_lanes(Size)) {}
    template <class Other> thread_block_tile(const thread_block_tile<Size, Other>&) : cuda_shim_lanes(cuda_shim_tile_lanes(Size)) {}
    static constexpr unsigned int size() { return Size; }
    static constexpr unsigned int num_threads() { return Size; }
    unsigned int thread_rank() const { return cuda_shim_linear_thread() % Size; }
    unsigned int meta_group_rank() const { return cuda_shim_linear_thread() / Size; }
    unsigned int meta_group_size() const { return (cuda_shim_detail::block_size() + Size - 1) / Size; }
};
template <unsigned int Size, class Parent> CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE thread_block_tile<Size> tiled_partition(const Parent&) {
    return thread_block_tile<Size>();
}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE cuda_shim_lanes tiled_partition(const thread_group& parent, unsigned int size) {
    if (parent.kind != thread_group::lanes_group) return cuda_shim_lanes(cuda_shim_tile_lanes(size));
    // Coalesced threads are partitioned by rank, `size` of them to a group.
    unsigned long long lanes = 0, rest = parent.mask;
    const unsigned long long wanted = parent.thread_rank() / size;
    for (unsigned long long rank = 0; rest; rest &= rest - 1, ++rank)
        if (rank / size == wanted) lanes |= rest & -rest;
    return cuda_shim_lanes(lanes);
}
template <class Group> CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE coalesced_group binary_partition(const Group& group, bool predicate) {
    unsigned long active;
    const unsigned long long votes = cuda_shim_ballot(group.mask, predicate, &active);
    return coalesced_group(predicate ? votes : group.mask & ~votes);
}
// Threads of the group that hold the same value.
template <class Group, class T> CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE coalesced_group labeled_partition(const Group& group, T label) {
    return coalesced_group(__match_any_sync(group.mask, label) & group.mask);
}
template <class Group> CUDA_SHIM_INLINE void sync(const Group& group) { group.sync(); }
// One thread of the group calls the function; of tiles and coalesced threads all get its result, if that is asked for.
template <class Group, class Function, class... Arguments>
CUDA_SHIM_INLINE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
    if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
    decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
    if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
    return group.shfl(result, 0);
}
template <class Group> CUDA_SHIM_INLINE unsigned long long thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> CUDA_SHIM_INLINE unsigned long long group_size(const Group& group) { return group.size(); }

template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

// Returns to every thread the combination of all threads' values, in the order of ranks.
template <class Group, class T, class Operation> CUDA_SHIM_INLINE T reduce(const Group& group, T value, Operation combine) {
    T result = group.shfl(value, 0);
    for (unsigned int rank = 1; rank < (unsigned int)group.size(); ++rank) result = combine(result, group.shfl(value, (int)rank));
    return result;
}
template <class Group, class T, class Operation> CUDA_SHIM_INLINE T inclusive_scan(const Group& group, T value, Operation combine) {
    T result = group.shfl(value, 0);
    const unsigned int mine = (unsigned int)group.thread_rank();
    for (unsigned int rank = 1; rank < (unsigned int)group.size(); ++rank) {
        const T next = group.shfl(value, (int)rank);
        if (rank <= mine) result = combine(result, next);
    }
    return mine == 0 ? value : result;
}
template <class Group, class T> CUDA_SHIM_INLINE T inclusive_scan(const Group& group, T value) { return inclusive_scan(group, value, plus<T>()); }
template <class Group, class T, class Operation> CUDA_SHIM_INLINE T exclusive_scan(const Group& group, T value, Operation combine) {
    const T below = group.shfl_up(inclusive_scan(group, value, combine), 1);
    return group.thread_rank() == 0 ? T{} : below;
}
template <class Group, class T> CUDA_SHIM_INLINE T exclusive_scan(const Group& group, T value) { return exclusive_scan(group, value, plus<T>()); }

// Copies by the whole group; the wait is the group's barrier.
template <class Group, class T> CUDA_SHIM_INLINE void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    for (size_t i = (size_t)group.thread_rank(); i < bytes / sizeof(T); i += (size_t)group.size()) to[i] = from[i];
}
template <class Group> CUDA_SHIM_INLINE void wait(const Group& group) { group.sync(); }
template <unsigned int Prior, class Group> CUDA_SHIM_INLINE void wait_prior(const Group& group) { group.sync(); }

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
