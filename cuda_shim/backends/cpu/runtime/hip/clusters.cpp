#include "hip/clusters.h"

#include "common/log.h"
#include "common/settings.h"

namespace cuda_shim {

Extent3 asked_cluster(const hipLaunchAttribute_st* attributes, unsigned count) {
    Extent3 cluster;
    for (unsigned i = 0; i < count; i++) {
        const auto& size = attributes[i].val.clusterDim;
        const bool none = !size.x && !size.y && !size.z;
        if (attributes[i].id == hipLaunchAttributeClusterDimension && !none) cluster = {size.x, size.y, size.z};
    }
    return cluster;
}

hipError_t choose_cluster(const Function& function, const Extent3& grid, bool cooperative, Extent3& cluster) {
    const auto& own = function.symbol.cluster;
    const Extent3 required{own[0], own[1], own[2]};
    const bool same = cluster.x == required.x && cluster.y == required.y && cluster.z == required.z;
    if (required.count()) {
        if (cluster.count() != 1 && !same) return hipErrorInvalidClusterSize;
        cluster = required;
    }
    if (cluster.count() == 1) return hipSuccess;
    if (!cluster.count() || cluster.count() > CUDA_SHIM_MAX_CLUSTER_BLOCKS) return hipErrorInvalidClusterSize;
    if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z) return hipErrorInvalidClusterSize;
    const char* reason = cooperative ? "in a cooperative launch" : settings().check ? "in a checked run" : nullptr;
    if (!reason) return hipSuccess;
    log(LogLevel::Warn, "kernel %s: there are no clusters of blocks %s", function.name.c_str(), reason);
    return hipErrorNotSupported;
}

}  // namespace cuda_shim
