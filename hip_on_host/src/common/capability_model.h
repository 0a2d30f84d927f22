// The compute capabilities that devices may have, by which programs branch, and the limits of each.
#pragma once
#include <stddef.h>

namespace cuda_shim {

struct CapabilityModel {
    const char* name;  // as in CUDA_SHIM_CPU_COMPUTE_CAPABILITY
    int major, minor;
    unsigned opt_in_kib, multiprocessor_kib;  // shared memory: of a kernel that asked for more, and of its blocks
    int clusters;                             // 1 where launches may have clusters of blocks
    size_t shared_alignment;  // bytes, of dynamic shared memory; more than 128 for copies that swizzle by its address
};

// The model of this name; null where there is none.
const CapabilityModel* find_capability_model(const char* name);

}  // namespace cuda_shim
