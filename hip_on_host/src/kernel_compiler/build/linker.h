// Linking several compiled programs into one module.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/hiprtc_types.h"

namespace cuda_shim {

// One input of a link: bytes as hiprtcGetCode gave them out, and its name in messages.
struct LinkInput {
    std::string name;
    std::string code;
};

struct LinkedModule {
    hiprtcResult result = HIPRTC_ERROR_LINKING;
    std::string code;
    std::string problem;  // the reason of a failure
};

// A single input is handed on where all its names are defined. Several must have been compiled to be linked (-fgpu-rdc,
// --relocatable-device-code=true): HIPRTC_ERROR_LINKING when one was not, when two define the same name, or when a name
// has no definition.
LinkedModule link_modules(const std::vector<LinkInput>& inputs);

}  // namespace cuda_shim
