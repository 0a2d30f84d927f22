// hipDeviceGetAttribute's values, all derived from the properties so that both always agree.
#include "hip/contexts/device.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

int clamp_to_int(size_t value) { return value > 2147483647u ? 2147483647 : static_cast<int>(value); }

struct AttributeRow {
    hipDeviceAttribute_t attribute;
    int (*value)(const hipDeviceProp_t&);
};

#define ROW(name, expression)                                        \
    {hipDeviceAttribute##name, [](const hipDeviceProp_t& p) -> int { \
         (void)p;                                                    \
         return (expression);                                        \
     }}

const AttributeRow kRows[] = {
    ROW(EccEnabled, p.ECCEnabled),
    ROW(AccessPolicyMaxWindowSize, p.accessPolicyMaxWindowSize),
    ROW(AsyncEngineCount, p.asyncEngineCount),
    ROW(CanMapHostMemory, p.canMapHostMemory),
    ROW(CanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem),
    ROW(ClockRate, p.clockRate),
    ROW(ComputeMode, p.computeMode),
    ROW(ComputePreemptionSupported, p.computePreemptionSupported),
    ROW(ConcurrentKernels, p.concurrentKernels),
    ROW(ConcurrentManagedAccess, p.concurrentManagedAccess),
    ROW(CooperativeLaunch, p.cooperativeLaunch),
    ROW(CooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch),
    ROW(DeviceOverlap, p.deviceOverlap),
    ROW(DirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost),
    ROW(GlobalL1CacheSupported, p.globalL1CacheSupported),
    ROW(HostNativeAtomicSupported, p.hostNativeAtomicSupported),
    ROW(Integrated, p.integrated),
    ROW(IsMultiGpuBoard, p.isMultiGpuBoard),
    ROW(KernelExecTimeout, p.kernelExecTimeoutEnabled),
    ROW(L2CacheSize, p.l2CacheSize),
    ROW(LocalL1CacheSupported, p.localL1CacheSupported),
    ROW(LuidDeviceNodeMask, static_cast<int>(p.luidDeviceNodeMask)),
    ROW(ComputeCapabilityMajor, p.major),
    ROW(ManagedMemory, p.managedMemory),
    ROW(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor),
    ROW(MaxBlockDimX, p.maxThreadsDim[0]),
    ROW(MaxBlockDimY, p.maxThreadsDim[1]),
    ROW(MaxBlockDimZ, p.maxThreadsDim[2]),
    ROW(MaxGridDimX, p.maxGridSize[0]),
    ROW(MaxGridDimY, p.maxGridSize[1]),
    ROW(MaxGridDimZ, p.maxGridSize[2]),
    ROW(MaxSurface1D, p.maxSurface1D),
    ROW(MaxSurface1DLayered, p.maxSurface1DLayered[0]),
    ROW(MaxSurface2D, p.maxSurface2D[0]),
    ROW(MaxSurface2DLayered, p.maxSurface2DLayered[0]),
    ROW(MaxSurface3D, p.maxSurface3D[0]),
    ROW(MaxSurfaceCubemap, p.maxSurfaceCubemap),
    ROW(MaxSurfaceCubemapLayered, p.maxSurfaceCubemapLayered[0]),
    ROW(MaxTexture1DWidth, p.maxTexture1D),
    ROW(MaxTexture1DLayered, p.maxTexture1DLayered[0]),
    ROW(MaxTexture1DLinear, p.maxTexture1DLinear),
    ROW(MaxTexture1DMipmap, p.maxTexture1DMipmap),
    ROW(MaxTexture2DWidth, p.maxTexture2D[0]),
    ROW(MaxTexture2DHeight, p.maxTexture2D[1]),
    ROW(MaxTexture2DGather, p.maxTexture2DGather[0]),
    ROW(MaxTexture2DLayered, p.maxTexture2DLayered[0]),
    ROW(MaxTexture2DLinear, p.maxTexture2DLinear[0]),
    ROW(MaxTexture2DMipmap, p.maxTexture2DMipmap[0]),
    ROW(MaxTexture3DWidth, p.maxTexture3D[0]),
    ROW(MaxTexture3DHeight, p.maxTexture3D[1]),
    ROW(MaxTexture3DDepth, p.maxTexture3D[2]),
    ROW(MaxTexture3DAlt, p.maxTexture3DAlt[0]),
    ROW(MaxTextureCubemap, p.maxTextureCubemap),
    ROW(MaxTextureCubemapLayered, p.maxTextureCubemapLayered[0]),
    ROW(MaxThreadsDim, p.maxThreadsDim[0]),
    ROW(MaxThreadsPerBlock, p.maxThreadsPerBlock),
    ROW(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor),
    ROW(MaxPitch, clamp_to_int(p.memPitch)),
    ROW(MemoryBusWidth, p.memoryBusWidth),
    ROW(MemoryClockRate, p.memoryClockRate),
    ROW(ComputeCapabilityMinor, p.minor),
    ROW(MultiGpuBoardGroupID, p.multiGpuBoardGroupID),
    ROW(MultiprocessorCount, p.multiProcessorCount),
    ROW(PageableMemoryAccess, p.pageableMemoryAccess),
    ROW(PageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables),
    ROW(PciBusId, p.pciBusID),
    ROW(PciDeviceId, p.pciDeviceID),
    ROW(PciDomainId, p.pciDomainID),
    ROW(PersistingL2CacheMaxSize, p.persistingL2CacheMaxSize),
    ROW(MaxRegistersPerBlock, p.regsPerBlock),
    ROW(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor),
    ROW(ReservedSharedMemPerBlock, clamp_to_int(p.reservedSharedMemPerBlock)),
    ROW(MaxSharedMemoryPerBlock, clamp_to_int(p.sharedMemPerBlock)),
    ROW(SharedMemPerBlockOptin, clamp_to_int(p.sharedMemPerBlockOptin)),
    ROW(SharedMemPerMultiprocessor, clamp_to_int(p.sharedMemPerMultiprocessor)),
    ROW(SingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio),
    ROW(StreamPrioritiesSupported, p.streamPrioritiesSupported),
    ROW(SurfaceAlignment, clamp_to_int(p.surfaceAlignment)),
    ROW(TccDriver, p.tccDriver),
    ROW(TextureAlignment, clamp_to_int(p.textureAlignment)),
    ROW(TexturePitchAlignment, clamp_to_int(p.texturePitchAlignment)),
    ROW(TotalConstantMemory, clamp_to_int(p.totalConstMem)),
    ROW(TotalGlobalMem, clamp_to_int(p.totalGlobalMem)),
    ROW(UnifiedAddressing, p.unifiedAddressing),
    ROW(WarpSize, p.warpSize),
    ROW(MemoryPoolsSupported, p.memoryPoolsSupported),
    ROW(VirtualMemoryManagementSupported, 1),
    ROW(HostRegisterSupported, p.hostRegisterSupported),
    ROW(MemoryPoolSupportedHandleTypes, static_cast<int>(p.memoryPoolSupportedHandleTypes)),
    ROW(HostNumaId, 0),
    ROW(DmaBufSupported, 0),
    ROW(GPUDirectRDMAWithHipVMMSupported, 0),
    ROW(HandleTypeFabricSupported, 0),
    ROW(ClockInstructionRate, p.clockInstructionRate),
    ROW(MaxSharedMemoryPerMultiprocessor, clamp_to_int(p.maxSharedMemoryPerMultiProcessor)),
    ROW(HdpMemFlushCntl, 0),
    ROW(HdpRegFlushCntl, 0),
    ROW(CooperativeMultiDeviceUnmatchedFunc, p.cooperativeMultiDeviceUnmatchedFunc),
    ROW(CooperativeMultiDeviceUnmatchedGridDim, p.cooperativeMultiDeviceUnmatchedGridDim),
    ROW(CooperativeMultiDeviceUnmatchedBlockDim, p.cooperativeMultiDeviceUnmatchedBlockDim),
    ROW(CooperativeMultiDeviceUnmatchedSharedMem, p.cooperativeMultiDeviceUnmatchedSharedMem),
    ROW(IsLargeBar, p.isLargeBar),
    ROW(AsicRevision, p.asicRevision),
    ROW(CanUseStreamWaitValue, 1),
    ROW(ImageSupport, !lacks_images()),
    ROW(PhysicalMultiProcessorCount, p.multiProcessorCount),
    ROW(FineGrainSupport, 1),
    ROW(WallClockRate, 1000000),  // kHz: wall_clock64() counts nanoseconds
    ROW(NumberOfXccs, 1),
    ROW(MaxAvailableVgprsPerThread, 256),
    ROW(PciChipId, 0),
    ROW(ExpertSchedMode, 0),
    ROW(MaxDynDataPrefetchRegions, 0),
};

#undef ROW

}  // namespace

bool device_attribute(const hipDeviceProp_t& properties, hipDeviceAttribute_t attribute, int& value) {
    for (const AttributeRow& row : kRows) {
        if (row.attribute != attribute) continue;
        value = row.value(properties);
        return true;
    }
    return false;
}

}  // namespace cuda_shim
