// cooperative_groups/scan.h: prefix sums over tiles and coalesced groups.
#pragma once
#pragma GCC system_header
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

template <class Group, class T, class Combine>
CUDA_ON_HIP_DEVICE T inclusive_scan(const Group& group, const T& value, Combine combine) {
    static_assert(Group::cuda_on_hip_lanes != 0, "scans take a tile or a coalesced group");
    T result = value;
    const unsigned rank = group.thread_rank();
    for (unsigned distance = 1; distance < group.size(); distance *= 2) {
        const T before = group.shfl_up(result, distance);
        if (rank >= distance) result = combine(before, result);
    }
    return result;
}
template <class Group, class T> CUDA_ON_HIP_DEVICE T inclusive_scan(const Group& group, const T& value) {
    return inclusive_scan(group, value, plus<T>());
}
// The first thread gets a value-initialised result, as in CUDA.
template <class Group, class T, class Combine>
CUDA_ON_HIP_DEVICE T exclusive_scan(const Group& group, const T& value, Combine combine) {
    const T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> CUDA_ON_HIP_DEVICE T exclusive_scan(const Group& group, const T& value) {
    return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
