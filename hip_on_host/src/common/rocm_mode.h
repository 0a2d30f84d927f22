// The release of ROCm, and the AMD GPU, that this runtime behaves like where CUDA_SHIM_CPU_ROCM asks for it.
#pragma once

namespace cuda_shim {

struct RocmRelease {
    int major = 0;  // 0: none, the runtime behaves as CUDA does
    int minor = 0;
    int hip_version = 0;  // as hipRuntimeGetVersion gives it
};

// The properties of a GPU architecture that programs can ask for.
struct GpuModel {
    const char* name;    // as in CUDA_SHIM_CPU_GFX
    const char* target;  // the name in hipDeviceProp_t::gcnArchName
    int major, minor;    // the two parts of its number
    int wave_size;
    unsigned machine;     // EF_AMDGPU_MACH, which code objects are marked with
    unsigned shared_kib;  // local data share, which the blocks of a compute unit have together
    bool has_images;
};

// The architecture of this name; null where there is none.
const GpuModel* find_gpu_model(const char* name);

}  // namespace cuda_shim
