#include "common/readable.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "common/memory_file.h"

namespace cuda_shim {
namespace {

// Copies through a file, where a sandbox does not let a process read even its own memory by the system.
bool copy_by_file(void* to, const void* from, size_t bytes) {
    const Descriptor file = create_memory_file("cuda_shim_readable");
    const auto expected = static_cast<ssize_t>(bytes);
    const ssize_t count = file.valid() ? write(file.get(), from, bytes) : 0;
    if (count == expected) return pread(file.get(), to, bytes, 0) == expected;
    if (count > 0 || (count < 0 && errno == EFAULT)) return false;
    memcpy(to, from, bytes);  // no such files here: the address has to be trusted
    return true;
}

}  // namespace

bool copy_readable(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return true;
    if (!from) return false;
    const iovec local{to, bytes}, remote{const_cast<void*>(from), bytes};
    const ssize_t count = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (count == static_cast<ssize_t>(bytes)) return true;
    if (count >= 0 || errno == EFAULT) return false;
    return copy_by_file(to, from, bytes);
}

std::string readable_prefix(const void* from, size_t most) {
    constexpr size_t kSmallestPage = 4096;
    std::string prefix;
    auto at = reinterpret_cast<uintptr_t>(from);
    while (prefix.size() < most) {
        const size_t piece = std::min(most - prefix.size(), kSmallestPage - at % kSmallestPage);
        const size_t before = prefix.size();
        prefix.resize(before + piece);
        if (!copy_readable(prefix.data() + before, reinterpret_cast<const void*>(at), piece)) {
            prefix.resize(before);
            break;
        }
        at += piece;
    }
    return prefix;
}

}  // namespace cuda_shim
