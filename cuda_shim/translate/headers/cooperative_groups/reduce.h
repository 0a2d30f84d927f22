// cooperative_groups/reduce.h: reductions over tiles and coalesced groups.
#pragma once
#pragma GCC system_header
#include <cooperative_groups.h>

namespace cooperative_groups {

#define CUDA_ON_HIP_OPERATION(name, expression)                                          \
    template <class T> struct name {                                                   \
        __device__ T operator()(T a, T b) const { return expression; }                 \
    };
CUDA_ON_HIP_OPERATION(plus, a + b)
CUDA_ON_HIP_OPERATION(less, b < a ? b : a)
CUDA_ON_HIP_OPERATION(greater, a < b ? b : a)
CUDA_ON_HIP_OPERATION(bit_and, a& b)
CUDA_ON_HIP_OPERATION(bit_or, a | b)
CUDA_ON_HIP_OPERATION(bit_xor, a ^ b)
#undef CUDA_ON_HIP_OPERATION

namespace details {
template <class Group> struct is_tile {
    static constexpr bool value = false;
};
template <unsigned Size, class Parent> struct is_tile<thread_block_tile<Size, Parent>> {
    static constexpr bool value = true;
};
}  // namespace details

// Every thread gets the result. Tiles are folded in halves, groups of any size lane by lane.
template <class Group, class T, class Combine>
CUDA_ON_HIP_DEVICE T reduce(const Group& group, const T& value, Combine combine) {
    static_assert(Group::cuda_on_hip_lanes != 0, "reduce takes a tile or a coalesced group");
    T result = value;
    if constexpr (details::is_tile<Group>::value) {
        for (unsigned distance = group.size() / 2; distance; distance /= 2)
            result = combine(result, group.shfl_xor(result, distance));
    } else {
        result = group.shfl(value, 0);
        for (unsigned rank = 1; rank < group.size(); ++rank) result = combine(result, group.shfl(value, (int)rank));
    }
    return result;
}

}  // namespace cooperative_groups
