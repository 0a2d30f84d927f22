// cooperative_groups/memcpy_async.h: the threads of a group copy together; waiting is the group's barrier.
#pragma once
#pragma GCC system_header
#include <cooperative_groups.h>

namespace cooperative_groups {

template <class Group, class T, class U>
CUDA_ON_HIP_DEVICE void memcpy_async(const Group& group, T* to, const U* from, size_t bytes) {
    for (size_t at = group.thread_rank(); at < bytes; at += group.size())
        ((unsigned char*)to)[at] = ((const unsigned char*)from)[at];
}
template <class Group> CUDA_ON_HIP_DEVICE void wait(const Group& group) { group.sync(); }
template <unsigned Stages, class Group> CUDA_ON_HIP_DEVICE void wait_prior(const Group& group) { group.sync(); }

}  // namespace cooperative_groups
