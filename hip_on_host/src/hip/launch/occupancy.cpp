#include "hip/launch/occupancy.h"

#include <algorithm>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/launch/clusters.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

hipError_t active_blocks(int* blocks, const void* handle, int block_size, size_t dynamic_shared_bytes) {
    if (!blocks || block_size <= 0) return hipErrorInvalidValue;
    const Function* function = Function::resolve(handle);
    if (!function) return hipErrorInvalidDeviceFunction;
    *blocks = active_blocks_per_multiprocessor(*function, static_cast<uint32_t>(block_size), dynamic_shared_bytes);
    return hipSuccess;
}

struct BestBlock {
    int threads = 0;
    int blocks = 0;  // resident blocks of a multiprocessor
};

// The block size that keeps the most threads resident, the largest among equals: of whole warps, or `most` threads.
// Nothing when the kernel does not fit.
BestBlock best_block(const Function& function, size_t dynamic_shared_bytes, int most) {
    const int warp = current_device().properties().warpSize;
    BestBlock best;
    for (int aligned = (most + warp - 1) / warp * warp; aligned > 0; aligned -= warp) {
        const int threads = std::min(aligned, most);
        const int blocks =
            active_blocks_per_multiprocessor(function, static_cast<uint32_t>(threads), dynamic_shared_bytes);
        if (blocks * threads > best.blocks * best.threads) best = {threads, blocks};
    }
    return best;
}

hipError_t potential_block_size(int* grid_size, int* block_size, const void* handle, size_t dynamic_shared_bytes,
                                int limit) {
    if (!grid_size || !block_size || limit < 0) return hipErrorInvalidValue;
    const Function* function = Function::resolve(handle);
    if (!function) return hipErrorInvalidDeviceFunction;
    int most = static_cast<int>(std::min<uint32_t>(function->symbol.max_threads_per_block, kMaxThreadsPerBlock));
    if (limit > 0) most = std::min(most, limit);
    const BestBlock best = best_block(*function, dynamic_shared_bytes, most);
    *block_size = best.threads;
    *grid_size = current_device().properties().multiProcessorCount * best.blocks;
    return hipSuccess;
}

// The configuration of a launch, common to the structs that describe it.
struct ClusterLaunch {
    Extent3 grid;
    Extent3 block;
    size_t dynamic_shared_bytes;
    const hipLaunchAttribute_st* attributes;
    unsigned int count;
};

hipError_t active_clusters(int* clusters, const void* handle, const ClusterLaunch& launch) {
    if (!clusters || (launch.count && !launch.attributes)) return hipErrorInvalidValue;
    const Function* function = Function::resolve(handle);
    if (!function) return hipErrorInvalidDeviceFunction;
    Extent3 cluster;
    CUDA_SHIM_TRY(
        choose_cluster(*function, launch.grid, false, asked_cluster(launch.attributes, launch.count), cluster));
    const uint64_t threads = launch.block.count();
    if (threads == 0 || threads > kMaxThreadsPerBlock) return hipErrorInvalidValue;
    const auto resident = max_resident_blocks(*function, static_cast<uint32_t>(threads), launch.dynamic_shared_bytes);
    *clusters = static_cast<int>(resident / cluster.count());
    return hipSuccess;
}

hipError_t active_clusters(int* clusters, const void* handle, const hipLaunchConfig_t* config) {
    if (!config) return hipErrorInvalidValue;
    const dim3 &grid = config->gridDim, &block = config->blockDim;
    return active_clusters(clusters, handle,
                           {{grid.x, grid.y, grid.z},
                            {block.x, block.y, block.z},
                            config->dynamicSmemBytes,
                            config->attrs,
                            config->numAttrs});
}

hipError_t active_clusters(int* clusters, const void* handle, const HIP_LAUNCH_CONFIG* config) {
    if (!config) return hipErrorInvalidValue;
    return active_clusters(clusters, handle,
                           {{config->gridDimX, config->gridDimY, config->gridDimZ},
                            {config->blockDimX, config->blockDimY, config->blockDimZ},
                            config->sharedMemBytes,
                            config->attrs,
                            config->numAttrs});
}

hipError_t potential_cluster_size(int* blocks, const void* handle, const void* config) {
    if (!blocks || !config) return hipErrorInvalidValue;
    const Function* function = Function::resolve(handle);
    if (!function) return hipErrorInvalidDeviceFunction;
    *blocks = static_cast<int>(max_cluster_blocks(*function));
    return hipSuccess;
}

// The kernel that hipOccupancy* look up: AMD's functions find kernels of a host program alone.
const void* host_function(const void* handle) { return as_rocm(RocmDifference::HostFunctionsAlone) ? nullptr : handle; }

// hipOccupancyDefault and hipOccupancyDisableCachingOverride, which nothing on a CPU depends on.
constexpr unsigned int kMaxFlags = 1;

}  // namespace

int active_blocks_per_multiprocessor(const Function& function, uint32_t threads, size_t dynamic_shared_bytes) {
    const hipDeviceProp_t& properties = current_device().properties();
    const size_t shared = function.symbol.static_shared_bytes + dynamic_shared_bytes;
    if (threads == 0 || threads > function.symbol.max_threads_per_block || threads > kMaxThreadsPerBlock) return 0;
    if (std::max(dynamic_shared_bytes, shared) > properties.sharedMemPerBlockOptin) return 0;  // the sum may overflow
    const auto warp = static_cast<uint32_t>(properties.warpSize);
    const uint32_t whole_warps = (threads + warp - 1) / warp * warp;
    int blocks = properties.maxThreadsPerMultiProcessor / static_cast<int>(whole_warps);
    blocks = std::min(blocks, properties.maxBlocksPerMultiProcessor);
    if (shared) blocks = std::min<int>(blocks, static_cast<int>(properties.maxSharedMemoryPerMultiProcessor / shared));
    return std::max(blocks, 0);
}

uint64_t max_resident_blocks(const Function& function, uint32_t threads, size_t dynamic_shared_bytes) {
    return static_cast<uint64_t>(active_blocks_per_multiprocessor(function, threads, dynamic_shared_bytes)) *
           static_cast<uint64_t>(current_device().properties().multiProcessorCount);
}

}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, hipFunction_t f, int blockSize,
                                                              size_t dynSharedMemPerBlk) {
    return api(__func__, [&] { return active_blocks(numBlocks, f, blockSize, dynSharedMemPerBlk); });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, hipFunction_t f, int blockSize,
                                                                       size_t dynSharedMemPerBlk, unsigned int flags) {
    return api(__func__, [&] {
        if (flags > kMaxFlags) return hipErrorInvalidValue;
        return active_blocks(numBlocks, f, blockSize, dynSharedMemPerBlk);
    });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* f, int blockSize,
                                                        size_t dynSharedMemPerBlk) {
    return api(__func__, [&] { return active_blocks(numBlocks, host_function(f), blockSize, dynSharedMemPerBlk); });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* f, int blockSize,
                                                                 size_t dynSharedMemPerBlk, unsigned int flags) {
    return api(__func__, [&] {
        if (flags > kMaxFlags) return hipErrorInvalidValue;
        return active_blocks(numBlocks, host_function(f), blockSize, dynSharedMemPerBlk);
    });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, hipFunction_t f,
                                                   size_t dynSharedMemPerBlk, int blockSizeLimit) {
    return api(__func__,
               [&] { return potential_block_size(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit); });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* gridSize, int* blockSize, hipFunction_t f,
                                                            size_t dynSharedMemPerBlk, int blockSizeLimit,
                                                            unsigned int flags) {
    return api(__func__, [&] {
        if (flags > kMaxFlags) return hipErrorInvalidValue;
        return potential_block_size(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit);
    });
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, const void* f, size_t dynSharedMemPerBlk,
                                             int blockSizeLimit) {
    return api(__func__, [&] {
        return potential_block_size(gridSize, blockSize, host_function(f), dynSharedMemPerBlk, blockSizeLimit);
    });
}

hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* f, int numBlocks,
                                                    int blockSize) {
    return api(__func__, [&]() -> hipError_t {
        if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0) return hipErrorInvalidValue;
        const Function* function = Function::resolve(host_function(f));
        if (!function) return hipErrorInvalidDeviceFunction;
        const hipDeviceProp_t& properties = current_device().properties();
        if (active_blocks_per_multiprocessor(*function, static_cast<uint32_t>(blockSize), 0) < numBlocks) {
            *dynamicSmemSize = 0;
            return hipSuccess;
        }
        const size_t share = properties.maxSharedMemoryPerMultiProcessor / static_cast<size_t>(numBlocks);
        const size_t room = std::min<size_t>(share, properties.sharedMemPerBlockOptin);
        const size_t static_bytes = function->symbol.static_shared_bytes;
        *dynamicSmemSize = room > static_bytes ? room - static_bytes : 0;
        return hipSuccess;
    });
}

hipError_t hipOccupancyMaxActiveClusters(int* numClusters, const void* f, const hipLaunchConfig_t* config) {
    return api(__func__, [&] { return active_clusters(numClusters, host_function(f), config); });
}

hipError_t hipOccupancyMaxPotentialClusterSize(int* clusterSize, const void* f, const hipLaunchConfig_t* config) {
    return api(__func__, [&] { return potential_cluster_size(clusterSize, host_function(f), config); });
}

// Extensions of this runtime: HIP's two are for kernels of a host program, and have no form for modules.
extern "C" {
CUDA_SHIM_API hipError_t hipExtModuleOccupancyMaxActiveClusters(int* clusters, hipFunction_t f,
                                                                const HIP_LAUNCH_CONFIG* config) {
    return api(__func__, [&] { return active_clusters(clusters, f, config); });
}

CUDA_SHIM_API hipError_t hipExtModuleOccupancyMaxPotentialClusterSize(int* blocks, hipFunction_t f,
                                                                      const HIP_LAUNCH_CONFIG* config) {
    return api(__func__, [&] { return potential_cluster_size(blocks, f, config); });
}
}
