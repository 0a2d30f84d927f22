#include "hip/memory/shared_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuda_shim {
namespace {

constexpr unsigned kCloseOnExec = 1;  // MFD_CLOEXEC; its header is missing where glibc is old

}  // namespace

Descriptor create_shared_memory(const char* purpose, size_t bytes) {
    char name[64];
    snprintf(name, sizeof name, "cuda_shim %s", purpose);
    Descriptor memory(static_cast<int>(syscall(SYS_memfd_create, name, kCloseOnExec)));
    if (memory.valid() && ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) memory.reset();
    return memory;
}

bool name_shared_memory(const Descriptor& memory, SharedName& name) {
    struct stat status;
    if (fstat(memory.get(), &status) != 0) return false;
    name.process = static_cast<int32_t>(getpid());
    name.descriptor = memory.get();
    name.inode = status.st_ino;
    name.bytes = static_cast<uint64_t>(status.st_size);
    return true;
}

Descriptor open_shared_memory(const SharedName& name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", name.process, name.descriptor);
    // The kernel lets only processes of the same user through here.
    Descriptor memory(open(path, O_RDWR | O_CLOEXEC));
    struct stat status;
    bool is_same_file = memory.valid() && fstat(memory.get(), &status) == 0 && status.st_ino == name.inode &&
                        static_cast<uint64_t>(status.st_size) == name.bytes;
    if (!is_same_file) memory.reset();
    return memory;
}

bool owned_by_this_process(const SharedName& name) { return name.process == static_cast<int32_t>(getpid()); }

}  // namespace cuda_shim
