// Compiled programs in the cache: their keys, and their entries.
#pragma once
#include <string>

#include "kernel_compiler/build/kernel_cache.h"
#include "kernel_compiler/compilation.h"
#include "kernel_compiler/compile_context.h"

namespace cuda_shim {

// The key of a program by everything that decides its module.
std::string key_of(const CompileContext& context);

// A program with `#include MACRO` reads files that are known only once its macros are expanded: the expanded text,
// without the names of the folder for temporary files, which differ, stands for them.
std::string key_of_expanded(const std::string& key, std::string expanded_text, const std::string& scratch);

void store(KernelCache& cache, const std::string& key, const CompiledProgram& compiled);

// False where there is no whole entry with `names` lowered names.
bool load(const KernelCache& cache, const std::string& key, size_t names, CompiledProgram& compiled);

}  // namespace cuda_shim
