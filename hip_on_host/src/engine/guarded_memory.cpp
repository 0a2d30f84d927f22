#include "engine/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace cuda_shim {
namespace {

// Addresses, not memory. An index that is wrong by some thousands stays within.
constexpr size_t kGuardSpan = 64u << 10;

// Linux 6.13 and later guard pages without splitting the mapping.
constexpr int kMadviseGuardInstall = 102;

// Before that, a guard costs up to two mappings.
std::atomic<int> guards_left{8192};

}  // namespace

size_t page_bytes() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

void install_guard(char* pages, size_t bytes) {
    if (madvise(pages, bytes, kMadviseGuardInstall) == 0) return;
    if (guards_left.fetch_sub(1, std::memory_order_relaxed) > 0) mprotect(pages, bytes, PROT_NONE);
}

void GuardedMemory::release() {
    if (memory_) munmap(memory_ - kGuardSpan, bytes_ + 2 * kGuardSpan);
    memory_ = nullptr;
    bytes_ = 0;
}

bool GuardedMemory::reserve(size_t bytes) {
    release();
    const size_t room = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
    void* mapping = mmap(nullptr, room + 2 * kGuardSpan, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return false;
    memory_ = static_cast<char*>(mapping) + kGuardSpan;
    bytes_ = room;
    install_guard(memory_ - kGuardSpan, kGuardSpan);
    install_guard(memory_ + room, kGuardSpan);
    return true;
}

char* GuardedMemory::last(size_t bytes, size_t alignment) const {
    const auto end = reinterpret_cast<uintptr_t>(memory_) + bytes_;
    return reinterpret_cast<char*>((end - bytes) & ~(alignment - 1));
}

}  // namespace cuda_shim
