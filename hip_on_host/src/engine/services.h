// The services of the runtime to kernels: the table that every kernel module is given.
#pragma once
#include "abi/kernel_module.h"

namespace cuda_shim {

const CudaShimRuntimeServices& runtime_services();

}  // namespace cuda_shim
