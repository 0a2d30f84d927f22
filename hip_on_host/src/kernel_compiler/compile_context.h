// The inputs of a compilation: they are known before its first pass, and no pass changes them.
#pragma once
#include <string>
#include <vector>

#include "common/settings.h"
#include "kernel_compiler/build/compiler.h"
#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/read/includes.h"
#include "kernel_compiler/read/options.h"
#include "kernel_compiler/read/preprocess.h"

namespace cuda_shim {

struct CompileContext {
    const ProgramSource& program;
    const std::vector<std::string>& expressions;  // names whose lowered forms the program asks for
    const Compiler& compiler;
    const DeviceHeaders& headers;
    CompileOptions options;
    IncludeClosure includes;
    std::string scratch;         // a folder for temporary files
    std::string headers_folder;  // of the headers that were given with the program, empty where there are none
    HostHeaders host_headers;

    // Checks and the names of threads in faults need each thread of a kernel to itself.
    bool rewrites_kernels() const {
        return options.split && settings().split && !settings().check && !settings().debug;
    }
};

}  // namespace cuda_shim
