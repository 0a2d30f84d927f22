// The clusters that a launch's blocks form.
#pragma once
#include "abi/hip_types.h"
#include "hip/code_object.h"

namespace cuda_shim {

// Blocks of a cluster that every device takes, as CUDA promises it.
constexpr int kPortableClusterBlocks = 8;

// What the attributes of a launch ask for: one block where they do not say.
Extent3 asked_cluster(const hipLaunchAttribute_st* attributes, unsigned count);

// Checks what was asked for, and puts the kernel's own __cluster_dims__ there where that is nothing.
// hipErrorInvalidClusterSize, hipErrorNotSupported.
hipError_t choose_cluster(const Function& function, const Extent3& grid, bool cooperative, Extent3& cluster);

}  // namespace cuda_shim
