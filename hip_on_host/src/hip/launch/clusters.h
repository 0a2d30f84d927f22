// The clusters that a launch's blocks form.
#pragma once
#include <optional>

#include "abi/hip_types.h"
#include "hip/modules/code_object.h"

namespace cuda_shim {

// Blocks of a cluster that every device takes, as CUDA promises it.
constexpr int kPortableClusterBlocks = 8;

// False where the devices' compute capability is below 9.0: launches there have no clusters of more than one block.
bool device_has_clusters();

// Blocks of a kernel's largest cluster: the portable number, or more where the program allowed it; one without
// clusters.
uint32_t max_cluster_blocks(const Function& function);

// The cluster that the attributes of a launch ask for, if any.
std::optional<Extent3> asked_cluster(const hipLaunchAttribute_st* attributes, unsigned count);

// Checks the requested cluster; without a request, the cluster is the one that the kernel requires, or one block.
// hipErrorInvalidValue where the device has no clusters, hipErrorInvalidClusterSize, hipErrorNotSupported.
hipError_t choose_cluster(const Function& function, const Extent3& grid, bool cooperative,
                          const std::optional<Extent3>& requested, Extent3& cluster);

}  // namespace cuda_shim
