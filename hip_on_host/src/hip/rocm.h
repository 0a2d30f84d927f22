// Behaving as AMD's runtime does where that differs from CUDA: which differences there are, and whether they are on.
#pragma once
#include "common/settings.h"

namespace cuda_shim {

enum class RocmDifference {
#define CUDA_SHIM_ROCM_DIFFERENCE(name, behaviour, source) name,
#include "hip/rocm_differences.inc"
#undef CUDA_SHIM_ROCM_DIFFERENCE
};

// True if a call is to behave as AMD's runtime does. Every difference is on in every release that can be chosen; the
// argument shows, in the code and to the test of the table, the row that a branch stands for.
inline bool as_rocm(RocmDifference) { return settings().release.major != 0; }

// True if the device has no image units.
inline bool lacks_images() { return as_rocm(RocmDifference::NoImageUnits) && !settings().gpu->has_images; }

// Ends the process with a message, where AMD's runtime goes on without a check and crashes.
[[noreturn]] void end_as_rocm_would(const char* function, const char* reason);

}  // namespace cuda_shim
