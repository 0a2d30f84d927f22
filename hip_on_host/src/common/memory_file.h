// Files that live in memory alone.
#pragma once
#include <string>

#include "common/files.h"

namespace cuda_shim {

// An empty one, closed on exec; not valid where the system has none. `name` shows in /proc only.
Descriptor create_memory_file(const char* name);

// Where an open file is found under /proc: by the process's number, so that a debugger, which opens what the process
// has loaded, finds the same one; where /proc numbers processes otherwise, by what the process is to itself.
std::string path_of(const Descriptor& file);

}  // namespace cuda_shim
