// Memory that other processes of the same user can open: anonymous files, named by their owner's process and
// descriptor, so that nothing stays behind when the owner ends, however it ends.
#pragma once
#include <cstddef>
#include <cstdint>

#include "common/files.h"

namespace cuda_shim {

// The name by which another process finds the file; part of IPC handles, hence plain and of fixed size.
struct SharedName {
    int32_t process;
    int32_t descriptor;
    uint64_t inode;  // shows whether the descriptor still is the same file
    uint64_t bytes;
};

// A file of `bytes` zeros; invalid on failure.
Descriptor create_shared_memory(const char* purpose, size_t bytes);
bool name_shared_memory(const Descriptor& memory, SharedName& name);
// Opens memory that another process named; invalid when it is gone, or belongs to another user.
Descriptor open_shared_memory(const SharedName& name);
bool owned_by_this_process(const SharedName& name);

}  // namespace cuda_shim
