// The folder of headers that kernels see.
#pragma once
#include <string>

namespace cuda_shim {

// "<device>/prelude/prelude.h" and its neighbours; empty when the folder cannot be found, with the reason in `problem`.
struct DeviceHeaders {
    std::string folder;           // all of them
    std::string prelude;          // included before everything else
    std::string ast_pass;         // included behind it where a program is only parsed
    std::string expansion_pass;   // included by the pass that expands macros
    std::string language_macros;  // NVRTC's macros for the language's features
    std::string cuda_headers;     // folder of cuda_runtime.h and the like, before the program's own folders
    std::string libcudacxx;       // folder of CUDA's C++ libraries (libcu++, cuRAND), behind the program's own folders
    std::string preprocess_only;  // folder of more of them, which the pass that expands macros copies into the program
    std::string identity;         // hash of every header: part of the cache's keys
    std::string problem;
};

const DeviceHeaders& device_headers();

// Changes with this library: a module that another version compiled must not be taken for its own.
const std::string& library_identity();

}  // namespace cuda_shim
