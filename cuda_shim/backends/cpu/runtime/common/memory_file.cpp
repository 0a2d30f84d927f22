#include "common/memory_file.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace cuda_shim {

// By number, since C libraries before glibc 2.27 do not name the call.
Descriptor create_memory_file(const char* name) {
    constexpr unsigned kCloseOnExec = 1;
    return Descriptor(static_cast<int>(syscall(SYS_memfd_create, name, kCloseOnExec)));
}

}  // namespace cuda_shim
