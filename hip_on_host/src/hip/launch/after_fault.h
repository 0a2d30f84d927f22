// A kernel's fault spoils the device: calls answer with the fault until the device is reset.
#pragma once
#include "hip/api.h"

namespace cuda_shim {

// Notes that a device has an error that stays. Until then no call looks any further.
void note_fault() noexcept;
bool any_fault() noexcept;

// The error of the current device that `function` answers in the place of its own result; hipSuccess where it has none,
// or where the function does not need the device, such as those that count devices or ask about a pointer.
hipError_t error_after_fault(const char* function) noexcept;
// Whether a function gives something back, which it does after a fault as well.
bool gives_back(const char* function) noexcept;

}  // namespace cuda_shim
