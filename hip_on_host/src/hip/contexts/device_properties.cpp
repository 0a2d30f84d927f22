// The host described as a HIP device: the machine's figures where it has them, HIP's usual figure where a field only
// makes sense on a GPU.
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "common/cpuinfo.h"
#include "common/files.h"
#include "common/settings.h"
#include "engine/clock.h"
#include "engine/kernel.h"
#include "hip/contexts/device.h"
#include "hip/launch/launch_attributes.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

constexpr int kMaxInt = 2147483647;
constexpr int kMaxThreadsPerProcessor = 2048;
constexpr int kMaxBlockDepth = 64;  // of an NVIDIA GPU, as the constant memory
constexpr size_t kConstantBytes = 64 << 10;
constexpr int kRegistersPerBlock = 65536;
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;
// Width and height in texels, pitch in bytes, of a picture in the program's own memory.
constexpr int kTexture2DLinear[3] = {131072, 65000, 2097120};
// Host memory holds any extent; these are the limits that CUDA documents, so that programs choose sane sizes.
constexpr int kTexture1D = 131072;
constexpr int kTexture1DLinear = 268435456;
constexpr int kTexture2D = 65536;
constexpr int kTexture3D = 16384;
constexpr int kTextureLayers = 2048;

std::string cpu_model() {
    for (const char* field : {"model name", "Model", "Hardware", "cpu model"}) {
        std::string text = cpuinfo_field(field);
        if (!text.empty()) return text;
    }
#if defined(__aarch64__)
    return "aarch64";
#else
    return "x86-64";
#endif
}

// Bytes of the largest cache of the given level; 0 when unknown.
int cache_size(int level) {
    for (int index = 0; index < 8; ++index) {
        std::string base = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        std::string found_level, size;
        if (!read_file(base + "level", found_level) || !read_file(base + "size", size)) break;
        if (atoi(found_level.c_str()) != level) continue;
        char* unit = nullptr;
        long value = strtol(size.c_str(), &unit, 10);
        return static_cast<int>(*unit == 'M' ? value << 20 : *unit == 'K' ? value << 10 : value);
    }
    return 0;
}

size_t memory_limit_of_cgroup() {
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::string text;
        if (!read_file(path, text) || text.compare(0, 3, "max") == 0) continue;
        return static_cast<size_t>(strtoull(text.c_str(), nullptr, 10));
    }
    return ~size_t{0};
}

size_t total_memory() {
    size_t physical = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t limit = memory_limit_of_cgroup();
    return limit < physical ? limit : physical;
}

// The UUID is the same in every process on this machine, and different for each device.
void fill_uuid(hipUUID_t& uuid, const std::string& model, int ordinal) {
    std::string machine;
    if (!read_file("/etc/machine-id", machine)) machine = "unknown machine";
    uint64_t hash = 1469598103934665603ull;  // FNV-1a
    for (char byte : machine + model) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ull;
    char text[sizeof uuid.bytes + 8];
    snprintf(text, sizeof text, "CPU%02u%011llx", static_cast<unsigned>(ordinal) % 100,
             static_cast<unsigned long long>(hash >> 20) & 0xfffffffffffull);
    memcpy(uuid.bytes, text, sizeof uuid.bytes);
}

void fill_textures(hipDeviceProp_t& p) {
    p.textureAlignment = kTextureAlignment;
    p.texturePitchAlignment = kTexturePitchAlignment;
    p.surfaceAlignment = kTextureAlignment;
    p.maxTexture1D = p.maxTexture1DMipmap = p.maxSurface1D = kTexture1D;
    p.maxTexture1DLinear = kTexture1DLinear;
    for (int axis = 0; axis < 2; ++axis) {
        p.maxTexture2D[axis] = p.maxTexture2DMipmap[axis] = p.maxTexture2DGather[axis] = p.maxSurface2D[axis] =
            kTexture2D;
    }
    std::copy(std::begin(kTexture2DLinear), std::end(kTexture2DLinear), p.maxTexture2DLinear);
    for (int axis = 0; axis < 3; ++axis) {
        p.maxTexture3D[axis] = p.maxTexture3DAlt[axis] = p.maxSurface3D[axis] = kTexture3D;
    }
    p.maxTextureCubemap = p.maxSurfaceCubemap = kTexture2D;
    p.maxTexture1DLayered[0] = p.maxSurface1DLayered[0] = kTexture1D;
    p.maxTexture1DLayered[1] = p.maxSurface1DLayered[1] = kTextureLayers;
    p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = kTexture2D;
    p.maxSurface2DLayered[0] = p.maxSurface2DLayered[1] = kTexture2D;
    p.maxTexture2DLayered[2] = p.maxSurface2DLayered[2] = kTextureLayers;
    p.maxTextureCubemapLayered[0] = p.maxSurfaceCubemapLayered[0] = kTexture2D;
    p.maxTextureCubemapLayered[1] = p.maxSurfaceCubemapLayered[1] = kTextureLayers;
}

void fill_limits(hipDeviceProp_t& p) {
    p.sharedMemPerBlock = kSharedBytesPerBlock;
    p.sharedMemPerBlockOptin = size_t{settings().capability->opt_in_kib} << 10;
    p.sharedMemPerMultiprocessor = size_t{settings().capability->multiprocessor_kib} << 10;
    p.maxSharedMemoryPerMultiProcessor = p.sharedMemPerMultiprocessor;
    p.regsPerBlock = p.regsPerMultiprocessor = kRegistersPerBlock;
    p.warpSize = settings().warp_size;
    p.memPitch = kMaxInt;
    p.accessPolicyMaxWindowSize = static_cast<int>(kMaxWindowBytes);
    p.maxThreadsPerBlock = static_cast<int>(kMaxThreadsPerBlock);
    p.maxThreadsPerMultiProcessor = kMaxThreadsPerProcessor;
    p.maxBlocksPerMultiProcessor = 32;
    for (int& extent : p.maxThreadsDim) extent = static_cast<int>(kMaxThreadsPerBlock);
    p.maxThreadsDim[2] = kMaxBlockDepth;
    p.maxGridSize[0] = kMaxInt;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.totalConstMem = kConstantBytes;
}

void fill_abilities(hipDeviceProp_t& p) {
    p.integrated = 1;
    p.canMapHostMemory = 1;
    p.concurrentKernels = 1;
    p.deviceOverlap = 1;
    p.asyncEngineCount = 1;
    p.unifiedAddressing = 1;
    p.managedMemory = 1;
    p.hostNativeAtomicSupported = 1;
    p.pageableMemoryAccess = p.pageableMemoryAccessUsesHostPageTables = settings().host_pointers;
    p.concurrentManagedAccess = 1;
    p.directManagedMemAccessFromHost = 1;
    p.canUseHostPointerForRegisteredMem = 1;
    p.hostRegisterSupported = 1;
    p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.singleToDoublePrecisionPerfRatio = 2;
    p.cooperativeLaunch = 1;
    p.clusterLaunch = settings().capability->clusters;
    p.memoryPoolsSupported = 1;
    p.memoryPoolSupportedHandleTypes = hipMemHandleTypePosixFileDescriptor;
    p.ipcEventSupported = 1;
    p.unifiedFunctionPointers = 1;
    p.isLargeBar = 1;
    p.arch.hasGlobalInt32Atomics = p.arch.hasGlobalFloatAtomicExch = 1;
    p.arch.hasSharedInt32Atomics = p.arch.hasSharedFloatAtomicExch = 1;
    p.arch.hasFloatAtomicAdd = 1;
    p.arch.hasGlobalInt64Atomics = p.arch.hasSharedInt64Atomics = 1;
    p.arch.hasDoubles = 1;
    p.arch.hasWarpVote = p.arch.hasWarpBallot = p.arch.hasWarpShuffle = 1;
    p.arch.hasFunnelShift = 1;
    p.arch.hasThreadFenceSystem = p.arch.hasSyncThreadsExt = 1;
    p.arch.hasSurfaceFuncs = 1;
    p.arch.has3dGrid = 1;
}

// Alignment, in bytes, of memory that textures and surfaces read.
void fill_gpu_alignments(hipDeviceProp_t& p) {
    constexpr int kImageAlignment = 256;
    p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = kImageAlignment;
}

// The GPU that the device claims to be.
void fill_gpu(hipDeviceProp_t& p, const GpuModel& gpu) {
    snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", gpu.target);
    p.major = gpu.major;
    p.minor = gpu.minor;
    p.warpSize = gpu.wave_size;
    p.maxThreadsDim[2] = static_cast<int>(kMaxThreadsPerBlock);
    p.totalConstMem = kMaxInt;
}

// One block may use all of a compute unit's shared memory, and need not ask for it.
void fill_gpu_shared(hipDeviceProp_t& p, const GpuModel& gpu) {
    p.sharedMemPerBlock = p.sharedMemPerBlockOptin = size_t{gpu.shared_kib} << 10;
    p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor = p.sharedMemPerBlock;
}

}  // namespace

hipDeviceProp_t describe_host(int ordinal) {
    hipDeviceProp_t p;
    memset(static_cast<void*>(&p), 0, sizeof p);
    std::string model = cpu_model();
    snprintf(p.name, sizeof p.name, "cuda_shim host CPU (%.200s)", model.c_str());
    // No gfx name: code objects for GPUs must not be chosen for this device.
    snprintf(p.gcnArchName, sizeof p.gcnArchName, "cpu");
    fill_uuid(p.uuid, model, ordinal);
    p.major = settings().capability->major;
    p.minor = settings().capability->minor;
    p.totalGlobalMem = total_memory();
    p.multiProcessorCount = settings().threads;
    p.clockRate = clock_rate();
    p.clockInstructionRate = p.clockRate;  // the rate of clock64()
    p.l2CacheSize = cache_size(2);
    p.pciBusID = ordinal;  // there is no PCI device; the numbers only tell devices apart
    fill_limits(p);
    if (!lacks_images()) fill_textures(p);
    if (!lacks_images() && as_rocm(RocmDifference::ImageAlignments)) fill_gpu_alignments(p);
    fill_abilities(p);
    if (as_rocm(RocmDifference::GpuProperties)) fill_gpu(p, *settings().gpu);
    if (as_rocm(RocmDifference::SharedMemoryUnasked)) fill_gpu_shared(p, *settings().gpu);
    return p;
}

}  // namespace cuda_shim
