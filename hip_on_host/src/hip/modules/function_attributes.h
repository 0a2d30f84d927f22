// Queries and changes of a kernel's attributes.
#pragma once
#include "hip/modules/code_object.h"

namespace cuda_shim {

class Device;

hipError_t get_function_attribute(const Function& function, const Device& device, hipFunction_attribute attribute,
                                  int& value);
// Bytes of dynamic shared memory that a launch may have: more than any kernel may where the kernel asked for it.
size_t max_dynamic_shared(const Function& function, const Device& device);
// hipErrorInvalidValue for attributes that are facts and for values that the device cannot give.
hipError_t set_function_attribute(Function& function, const Device& device, hipFunction_attribute attribute, int value);

}  // namespace cuda_shim
