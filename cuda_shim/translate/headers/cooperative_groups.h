// cooperative_groups.h: CUDA's groups of threads over HIP's built-in functions.
//
// HIP has a header of that purpose, but it lacks reductions, scans, votes of tiles and copies, differs between
// versions of ROCm, and does not compile in hiprtc everywhere. Groups here never span a warp of 32 lanes, except
// for the block and the grid.
#pragma once
#pragma GCC system_header
#include <cuda_shim/thread_index.h>
#include <cuda_shim/warp.h>

// hiprtc's built-in header has a namespace of this name since ROCm 6.3, and adds to it.
#define cooperative_groups cuda_on_hip_cooperative_groups

namespace cooperative_groups {

namespace details {
CUDA_ON_HIP_DEVICE unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
CUDA_ON_HIP_DEVICE unsigned thread_rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
// The lane that has the nth bit of `mask`, counted from 0.
CUDA_ON_HIP_DEVICE unsigned nth_lane(unsigned mask, unsigned n) {
    for (; n; --n) mask &= mask - 1;
    return (unsigned)(__ffs((int)mask) - 1);
}
}  // namespace details

// The group of all threads of the block.
class thread_block {
public:
    static constexpr unsigned cuda_on_hip_lanes = 0;  // not part of a warp
    __device__ void sync() const { __syncthreads(); }
    struct arrival_token {};
    __device__ arrival_token barrier_arrive() const { return {}; }
    __device__ void barrier_wait(arrival_token&&) const { __syncthreads(); }
    static __device__ unsigned thread_rank() { return details::thread_rank_in_block(); }
    static __device__ unsigned size() { return details::block_size(); }
    static __device__ unsigned num_threads() { return details::block_size(); }
    static __device__ cuda_on_hip_dim3 group_index() { return cuda_on_hip_dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __device__ cuda_on_hip_dim3 thread_index() { return cuda_on_hip_dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __device__ cuda_on_hip_dim3 group_dim() { return cuda_on_hip_dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __device__ cuda_on_hip_dim3 dim_threads() { return group_dim(); }
};
CUDA_ON_HIP_DEVICE thread_block this_thread_block() { return {}; }

// All threads of a cooperative launch.
class grid_group {
public:
    static constexpr unsigned cuda_on_hip_lanes = 0;
    __device__ bool is_valid() const { return true; }
    __device__ void sync() const {
#if defined(__AMDGCN__)
        __ockl_grid_sync();
#else
        __builtin_trap();
#endif
    }
    static __device__ cuda_on_hip_dim3 dim_blocks() { return cuda_on_hip_dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __device__ cuda_on_hip_dim3 group_dim() { return dim_blocks(); }
    static __device__ cuda_on_hip_dim3 block_index() { return cuda_on_hip_dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static __device__ unsigned long long block_rank() {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static __device__ unsigned long long thread_rank() {
        return block_rank() * details::block_size() + details::thread_rank_in_block();
    }
    static __device__ unsigned long long size() { return num_blocks() * details::block_size(); }
    static __device__ unsigned long long num_threads() { return size(); }
};
CUDA_ON_HIP_DEVICE grid_group this_grid() { return {}; }

// Lanes of one warp, given by a mask: the common base of coalesced groups, labelled partitions and tiles.
class warp_lanes {
public:
    __device__ explicit warp_lanes(unsigned mask) : mask_(mask) {}
    __device__ unsigned thread_rank() const { return __popc(mask_ & ((1u << cuda_on_hip_lane()) - 1)); }
    __device__ unsigned size() const { return __popc(mask_); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ void sync() const { cuda_on_hip_syncwarp(mask_); }
    __device__ int any(int predicate) const { return cuda_on_hip_any_sync(mask_, predicate); }
    __device__ int all(int predicate) const { return cuda_on_hip_all_sync(mask_, predicate); }
    // Votes of this group alone, its first lane's in the lowest bit.
    __device__ unsigned ballot(int predicate) const { return packed(cuda_on_hip_ballot_sync(mask_, predicate)); }
    template <class T> __device__ unsigned match_any(T value) const {
        return packed(cuda_on_hip_match_any_sync(mask_, value));
    }
    template <class T> __device__ unsigned match_all(T value, int& all_match) const {
        return packed(cuda_on_hip_match_all_sync(mask_, value, &all_match));
    }
    template <class T> __device__ T shfl(const T& value, int source) const {
        return cuda_on_hip_from_lane(value, details::nth_lane(mask_, (unsigned)source % size()));
    }
    template <class T> __device__ T shfl_up(const T& value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return cuda_on_hip_from_lane(value, details::nth_lane(mask_, rank < delta ? rank : rank - delta));
    }
    template <class T> __device__ T shfl_down(const T& value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return cuda_on_hip_from_lane(value, details::nth_lane(mask_, rank + delta >= size() ? rank : rank + delta));
    }
    template <class T> __device__ T shfl_xor(const T& value, unsigned lane_mask) const {
        const unsigned rank = thread_rank(), source = rank ^ lane_mask;
        return cuda_on_hip_from_lane(value, details::nth_lane(mask_, source >= size() ? rank : source));
    }
    __device__ unsigned cuda_on_hip_mask() const { return mask_; }

private:
    __device__ unsigned packed(unsigned lanes) const {
        if (mask_ == 0xffffffffu) return lanes;
        unsigned result = 0, bit = 1;
        for (unsigned left = mask_; left; left &= left - 1, bit <<= 1)
            if (lanes & left & (0u - left)) result |= bit;
        return result;
    }
    unsigned mask_;
};

// The lanes that reach the same place together, and the groups that such lanes are split into.
class coalesced_group : public warp_lanes {
public:
    static constexpr unsigned cuda_on_hip_lanes = 32;
    __device__ coalesced_group(unsigned mask, unsigned rank, unsigned count)
        : warp_lanes(mask), group_rank_(rank), group_count_(count) {}
    __device__ unsigned meta_group_rank() const { return group_rank_; }
    __device__ unsigned meta_group_size() const { return group_count_; }

private:
    unsigned group_rank_, group_count_;
};
CUDA_ON_HIP_DEVICE coalesced_group coalesced_threads() { return coalesced_group(cuda_on_hip_activemask(), 0, 1); }

// Lanes of `parent` that have the same label.
template <class Group, class Label> CUDA_ON_HIP_DEVICE coalesced_group labeled_partition(const Group& parent, Label label) {
    return coalesced_group(cuda_on_hip_match_any_sync(parent.cuda_on_hip_mask(), label), 0, 1);
}
template <class Group> CUDA_ON_HIP_DEVICE coalesced_group binary_partition(const Group& parent, bool predicate) {
    const unsigned mask = parent.cuda_on_hip_mask(), yes = cuda_on_hip_ballot_sync(mask, predicate);
    return coalesced_group(predicate ? yes : mask & ~yes, predicate ? 1 : 0, 2);
}

// `Size` consecutive lanes of the block, known when compiling.
template <unsigned Size, class Parent = void> class thread_block_tile : public warp_lanes {
public:
    static_assert(Size && (Size & (Size - 1)) == 0, "a tile has a power of two of threads");
    static_assert(Size <= 32, "tiles of more than 32 threads have no counterpart in HIP");
    static constexpr unsigned cuda_on_hip_lanes = Size;
    __device__ thread_block_tile() : warp_lanes(lanes()) {}
    template <class Other>
    __device__ thread_block_tile(const thread_block_tile<Size, Other>& other) : warp_lanes(other.cuda_on_hip_mask()) {}
    static __device__ unsigned thread_rank() { return details::thread_rank_in_block() & (Size - 1); }
    static constexpr __device__ unsigned size() { return Size; }
    static constexpr __device__ unsigned num_threads() { return Size; }
    static __device__ unsigned meta_group_rank() { return details::thread_rank_in_block() / Size; }
    static __device__ unsigned meta_group_size() { return (details::block_size() + Size - 1) / Size; }
    template <class T> __device__ T shfl(const T& value, int source) const { return cuda_on_hip_shfl_sync(~0u, value, source, Size); }
    template <class T> __device__ T shfl_up(const T& value, unsigned delta) const {
        return cuda_on_hip_shfl_up_sync(~0u, value, delta, Size);
    }
    template <class T> __device__ T shfl_down(const T& value, unsigned delta) const {
        return cuda_on_hip_shfl_down_sync(~0u, value, delta, Size);
    }
    template <class T> __device__ T shfl_xor(const T& value, unsigned lane_mask) const {
        return cuda_on_hip_shfl_xor_sync(~0u, value, (int)lane_mask, Size);
    }

private:
    static __device__ unsigned lanes() {
        if constexpr (Size == 32) return 0xffffffffu;
        else return ((1u << (Size & 31)) - 1) << (cuda_on_hip_lane() & ~(Size - 1));
    }
};
template <unsigned Size, class Parent> CUDA_ON_HIP_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
    return {};
}

// Any group whose kind is known only when running.
class thread_group {
public:
    __device__ thread_group(const thread_block&) : whole_block_(true), lanes_(0xffffffffu) {}
    template <unsigned Size, class Parent>
    __device__ thread_group(const thread_block_tile<Size, Parent>& tile)
        : whole_block_(false), lanes_(tile.cuda_on_hip_mask()) {}
    __device__ thread_group(const coalesced_group& group) : whole_block_(false), lanes_(group.cuda_on_hip_mask()) {}
    __device__ void sync() const {
        if (whole_block_) __syncthreads();
        else lanes_.sync();
    }
    __device__ unsigned thread_rank() const { return whole_block_ ? thread_block::thread_rank() : lanes_.thread_rank(); }
    __device__ unsigned size() const { return whole_block_ ? thread_block::size() : lanes_.size(); }
    __device__ unsigned num_threads() const { return size(); }

private:
    bool whole_block_;
    warp_lanes lanes_;
};
CUDA_ON_HIP_DEVICE thread_group tiled_partition(const thread_block&, unsigned size) {
    const unsigned first = cuda_on_hip_lane() & ~(size - 1);
    return coalesced_group(size >= 32 ? 0xffffffffu : ((1u << size) - 1) << first, 0, 1);
}

template <class Group> CUDA_ON_HIP_DEVICE void sync(const Group& group) { group.sync(); }
template <class Group> CUDA_ON_HIP_DEVICE auto thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> CUDA_ON_HIP_DEVICE auto group_size(const Group& group) { return group.size(); }
template <class Group, class Function> CUDA_ON_HIP_DEVICE void invoke_one(const Group& group, Function function) {
    if (group.thread_rank() == 0) function();
}

}  // namespace cooperative_groups
