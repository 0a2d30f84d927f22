// A kernel's fault spoils the device: calls return the fault until the device is reset.
#pragma once
#include "hip/api.h"

namespace cuda_shim {

// Notes that a device has an error that stays. Until then no call looks any further.
void note_fault() noexcept;
bool any_fault() noexcept;

// The error of the current device that `function` returns in the place of its own result; hipSuccess where it has none,
// or where the function does not need the device, such as functions that count devices or query a pointer.
hipError_t error_after_fault(const char* function) noexcept;
// True if a function gives something back, which it does after a fault as well.
bool gives_back(const char* function) noexcept;

}  // namespace cuda_shim
