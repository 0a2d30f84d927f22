// Device variables as the functions with a "symbol" take them: by an address that belongs to a loaded module.
#pragma once
#include <cstddef>

#include "abi/hip_types.h"

namespace cuda_shim {

// The range of a variable; hipErrorInvalidSymbol when the address is no module's variable, hipErrorInvalidValue when
// the range leaves it.
hipError_t symbol_range(const void* symbol, size_t bytes, size_t offset, char*& address);

}  // namespace cuda_shim
