#include "common/memory_file.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuda_shim {

// The call is made by number, since C libraries before glibc 2.27 do not name it.
Descriptor create_memory_file(const char* name) {
    constexpr unsigned kCloseOnExec = 1;
    return Descriptor(static_cast<int>(syscall(SYS_memfd_create, name, kCloseOnExec)));
}

std::string path_of(const Descriptor& file) {
    const std::string in_folder = "/fd/" + std::to_string(file.get());
    const std::string path = "/proc/" + std::to_string(getpid()) + in_folder;
    struct stat by_path, by_descriptor;
    const bool is_same_file = stat(path.c_str(), &by_path) == 0 && fstat(file.get(), &by_descriptor) == 0 &&
                              by_path.st_dev == by_descriptor.st_dev && by_path.st_ino == by_descriptor.st_ino;
    return is_same_file ? path : "/proc/self" + in_folder;
}

}  // namespace cuda_shim
