// Files that live in memory alone.
#pragma once
#include <string>

#include "common/files.h"

namespace cuda_shim {

// Creates an empty file, closed on exec; not valid where the system has none. `name` shows in /proc only.
Descriptor create_memory_file(const char* name);

// A path of an open file under /proc that no earlier call returned, even for the same descriptor: the loader knows a
// library by the path that it was opened by, after its file is closed too. By the process's number, so that a debugger,
// which opens the files that the process loads, finds the same one; by /proc/self where /proc numbers processes
// otherwise.
std::string new_path_of(const Descriptor& file);

}  // namespace cuda_shim
