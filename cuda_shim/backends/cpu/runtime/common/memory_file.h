// Files that live in memory alone.
#pragma once
#include "common/files.h"

namespace cuda_shim {

// An empty one, closed on exec; not valid where the system has none. `name` shows in /proc only.
Descriptor create_memory_file(const char* name);

}  // namespace cuda_shim
