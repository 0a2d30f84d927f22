// Linking objects into a module, with as few processes as that takes.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/build/compiler.h"
#include "kernel_compiler/build/process.h"

namespace cuda_shim {

// Clang's linker is started as Clang would start it, which it is asked for once and the cache remembers: starting Clang
// for that takes several times as long as linking. Where that fails, and for other compilers, the compiler links.
ProcessResult link_objects(const Compiler& compiler, const std::vector<std::string>& objects,
                           const std::string& module);

}  // namespace cuda_shim
