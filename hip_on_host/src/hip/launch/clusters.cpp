#include "hip/launch/clusters.h"

#include "common/log.h"
#include "common/settings.h"

namespace cuda_shim {

bool device_has_clusters() { return settings().capability->clusters != 0; }

uint32_t max_cluster_blocks(const Function& function) {
    if (!device_has_clusters()) return 1;
    const bool large = function.large_clusters.load(std::memory_order_relaxed);
    return large ? CUDA_SHIM_MAX_CLUSTER_BLOCKS : kPortableClusterBlocks;
}

std::optional<Extent3> asked_cluster(const hipLaunchAttribute_st* attributes, unsigned count) {
    std::optional<Extent3> cluster;
    for (unsigned i = 0; i < count; i++) {
        const auto& size = attributes[i].val.clusterDim;
        const bool none = !size.x && !size.y && !size.z;
        if (attributes[i].id == hipLaunchAttributeClusterDimension && !none) cluster = {size.x, size.y, size.z};
    }
    return cluster;
}

hipError_t choose_cluster(const Function& function, const Extent3& grid, bool cooperative,
                          const std::optional<Extent3>& requested, Extent3& cluster) {
    uint32_t sides[3];
    for (int axis = 0; axis < 3; axis++) sides[axis] = function.required_cluster[axis].load(std::memory_order_relaxed);
    const Extent3 required{sides[0], sides[1], sides[2]};
    const bool requires_one = sides[0] || sides[1] || sides[2];
    cluster = requires_one ? required : requested.value_or(Extent3{});
    if (requires_one && requested && *requested != required) return hipErrorInvalidClusterSize;
    if (cluster.count() == 1) return hipSuccess;
    if (!device_has_clusters()) {
        log(LogLevel::Warn, "kernel %s: devices of compute capability %s have no clusters of blocks",
            function.label.c_str(), settings().capability->name);
        return hipErrorInvalidValue;
    }
    if (!cluster.count() || cluster.count() > max_cluster_blocks(function)) return hipErrorInvalidClusterSize;
    if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z) return hipErrorInvalidClusterSize;
    const char* reason = cooperative ? "in a cooperative launch" : settings().check ? "in a checked run" : nullptr;
    if (!reason) return hipSuccess;
    log(LogLevel::Warn, "kernel %s: there are no clusters of blocks %s", function.label.c_str(), reason);
    return hipErrorNotSupported;
}

}  // namespace cuda_shim
