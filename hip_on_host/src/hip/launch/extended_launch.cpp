// Launches of AMD's hip_ext.h, which hip-python does not have but C programs and libraries do: grids in threads, and
// events around the kernel.
#include "abi/hip_functions.h"
#include "hip/api.h"

namespace cuda_shim {
namespace {

struct Threads {
    uint32_t x, y, z;
};

// Blocks that cover the threads. Blocks at the edge cannot be smaller than the others here.
bool divide(const Threads& grid, const Threads& block, Threads& blocks) {
    if (!block.x || !block.y || !block.z) return false;
    if (grid.x % block.x || grid.y % block.y || grid.z % block.z) return false;
    blocks = {grid.x / block.x, grid.y / block.y, grid.z / block.z};
    return true;
}

hipError_t launch_threads(hipFunction_t f, const Threads& grid, const Threads& block, size_t shared, hipStream_t stream,
                          void** params, void** extra, hipEvent_t start, hipEvent_t stop) {
    Threads blocks;
    if (!divide(grid, block, blocks) || shared > UINT32_MAX) return hipErrorInvalidValue;
    if (start) CUDA_SHIM_TRY(hipEventRecord(start, stream));
    CUDA_SHIM_TRY(hipModuleLaunchKernel(f, blocks.x, blocks.y, blocks.z, block.x, block.y, block.z,
                                        static_cast<unsigned>(shared), stream, params, extra));
    return stop ? hipEventRecord(stop, stream) : hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

extern "C" {

CUDA_SHIM_API hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                                  uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
                                                  uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
                                                  size_t sharedMemBytes, hipStream_t hStream, void** kernelParams,
                                                  void** extra, hipEvent_t startEvent, hipEvent_t stopEvent,
                                                  uint32_t /*flags*/) {
    return api(__func__, [&] {
        return launch_threads(f, {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                              {localWorkSizeX, localWorkSizeY, localWorkSizeZ}, sharedMemBytes, hStream, kernelParams,
                              extra, startEvent, stopEvent);
    });
}

CUDA_SHIM_API hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                                  uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
                                                  uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
                                                  size_t sharedMemBytes, hipStream_t hStream, void** kernelParams,
                                                  void** extra, hipEvent_t startEvent, hipEvent_t stopEvent) {
    return api(__func__, [&] {
        return launch_threads(f, {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                              {localWorkSizeX, localWorkSizeY, localWorkSizeZ}, sharedMemBytes, hStream, kernelParams,
                              extra, startEvent, stopEvent);
    });
}

}  // extern "C"
