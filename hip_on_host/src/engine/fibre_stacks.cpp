#include "engine/fibre_stacks.h"

#include <sys/mman.h>

#include "engine/guarded_memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_shim {
namespace {

// Address space, not memory: pages are taken when a thread's frames reach them.
constexpr size_t kFibreStackBytes = 256u << 10;
constexpr size_t kCacheLine = 64;

}  // namespace

size_t fibre_stack_bytes() { return kFibreStackBytes; }

size_t FibreStacks::stride() const { return stack_bytes_ + page_bytes(); }

FibreStacks::~FibreStacks() {
    if (memory_) munmap(memory_, bytes_);
}

bool FibreStacks::reserve(unsigned count) {
    const size_t bytes = stride() * count + page_bytes();
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    // A huge page would make every stack cost 2 MiB.
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    if (memory_) munmap(memory_, bytes_);
    memory_ = static_cast<char*>(memory);
    bytes_ = bytes;
    count_ = count;
    for (unsigned i = 0; i <= count; i++) install_guard(memory_ + i * stride(), page_bytes());
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
