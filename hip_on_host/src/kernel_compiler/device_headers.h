// The folder of headers that kernels see.
#pragma once
#include <string>

namespace cuda_shim {

// "<device>/prelude/prelude.h" and its neighbours; empty when the folder cannot be found, with the reason in `problem`.
struct DeviceHeaders {
    std::string folder;           // all of them
    std::string prelude;          // included before everything else
    std::string reading_pass;     // included behind it where a program is only read
    std::string expansion_pass;   // included by the pass that expands macros
    std::string language_macros;  // NVRTC's macros for the language's features
    std::string stand_ins;        // folder of cuda_runtime.h and the like, before the program's own folders
    std::string core_library;     // folder of stand-ins for CUDA's C++ core libraries, behind the program's own folders
    std::string expanded;         // folder of more of them, which are read as a part of the program
    std::string identity;         // hash of every header: part of the cache's keys
    std::string problem;
};

const DeviceHeaders& device_headers();

// Changes with this library: a module that another version compiled must not be taken for its own.
const std::string& library_identity();

}  // namespace cuda_shim
