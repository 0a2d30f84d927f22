#include "common/memory_file.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace cuda_shim {

// The call is made by number, since C libraries before glibc 2.27 do not name it.
Descriptor create_memory_file(const char* name) {
    constexpr unsigned kCloseOnExec = 1;
    return Descriptor(static_cast<int>(syscall(SYS_memfd_create, name, kCloseOnExec)));
}

namespace {

// A path of the folder "." whose text is the number's: "./" for each bit that is set, "/" for each other one.
std::string as_path(uint64_t number) {
    std::string path;
    for (; number; number >>= 1) path += number & 1 ? "./" : "/";
    return path;
}

}  // namespace

std::string new_path_of(const Descriptor& file) {
    static std::atomic<uint64_t> calls{0};
    const std::string in_folder = "/fd/" + as_path(++calls) + std::to_string(file.get());
    const std::string path = "/proc/" + std::to_string(getpid()) + in_folder;
    struct stat by_path, by_descriptor;
    const bool is_same_file = stat(path.c_str(), &by_path) == 0 && fstat(file.get(), &by_descriptor) == 0 &&
                              by_path.st_dev == by_descriptor.st_dev && by_path.st_ino == by_descriptor.st_ino;
    return is_same_file ? path : "/proc/self" + in_folder;
}

}  // namespace cuda_shim
