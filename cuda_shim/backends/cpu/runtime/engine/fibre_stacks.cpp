#include "engine/fibre_stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_shim {
namespace {

// Address space, not memory: pages are taken when a thread's frames reach them.
constexpr size_t kFibreStackBytes = 256u << 10;
constexpr size_t kCacheLine = 64;

size_t page_bytes() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// Linux 6.13 and later guard pages without splitting the mapping.
constexpr int kMadviseGuardInstall = 102;

// Before that, each guard costs two entries of the 65,530 mappings that a process may have; they are kept for the
// rest of the program, and stacks beyond the budget go without a guard.
std::atomic<int> guards_left{8192};

void install_guard(char* page) {
    if (madvise(page, page_bytes(), kMadviseGuardInstall) == 0) return;
    if (guards_left.fetch_sub(1, std::memory_order_relaxed) > 0) mprotect(page, page_bytes(), PROT_NONE);
}

}  // namespace

size_t fibre_stack_bytes() { return kFibreStackBytes; }

size_t FibreStacks::stride() const { return stack_bytes_ + page_bytes(); }

FibreStacks::~FibreStacks() {
    if (memory_) munmap(memory_, bytes_);
}

bool FibreStacks::reserve(unsigned count) {
    const size_t bytes = stride() * count;
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    // A huge page would make every stack cost 2 MiB.
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    if (memory_) munmap(memory_, bytes_);
    memory_ = static_cast<char*>(memory);
    bytes_ = bytes;
    count_ = count;
    for (unsigned i = 0; i < count; i++) install_guard(memory_ + i * stride());
    return true;
}

bool FibreStacks::is_guard(uintptr_t address) const {
    const auto start = reinterpret_cast<uintptr_t>(memory_);
    return memory_ && address >= start && address < start + bytes_ && (address - start) % stride() < page_bytes();
}

void FibreStacks::abandon_frames() {
#if defined(__SANITIZE_ADDRESS__)
    if (memory_) __asan_unpoison_memory_region(memory_, bytes_);
#endif
}

void* FibreStacks::top(unsigned index) const {
    // Stacks that start at equal offsets within a page alias in the first-level cache: each starts five lines
    // further down than its neighbour, which visits all 64 sets before it comes back.
    const size_t lines_in_page = page_bytes() / kCacheLine;
    const size_t colour = size_t{index} * 5 % lines_in_page * kCacheLine;
    return memory_ + (index + 1) * stride() - colour;
}

}  // namespace cuda_shim
