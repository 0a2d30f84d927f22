#include "engine/kernel_stacks.h"

#include <sys/mman.h>

#include "common/address_space.h"
#include "engine/guarded_memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_shim {
namespace {

// Address space, not memory: pages are taken when a thread's frames reach them.
constexpr size_t kFibreStackBytes = 256u << 10;
constexpr size_t kCacheLine = 64;

// The guards around the stacks: as wide as an int can index ints. Fewer where the system or a limit has no room.
constexpr size_t kWideGuards[] = {size_t{8} << 30, size_t{64} << 20, size_t{1} << 20};
constexpr size_t kGuardUnderALimit = 64u << 10;

// Leaf functions may use as much below the stack pointer.
constexpr uintptr_t kRedZone = 128;

// Pages for `bytes` with guards of `guard` at both ends; null where there is no room.
char* map_guarded(size_t bytes, size_t guard) {
    void* range =
        mmap(nullptr, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (range == MAP_FAILED) return nullptr;
    char* memory = static_cast<char*>(range) + guard;
    if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0) return memory;
    munmap(range, bytes + 2 * guard);
    return nullptr;
}

}  // namespace

size_t fibre_stack_bytes() { return kFibreStackBytes; }

size_t KernelStacks::stride() const { return stack_bytes_ + page_bytes(); }

KernelStacks::~KernelStacks() { release(); }

void KernelStacks::release() {
    if (memory_) munmap(memory_ - guard_bytes_, bytes_ + 2 * guard_bytes_);
    memory_ = nullptr;
}

bool KernelStacks::reserve(unsigned count) {
    const size_t bytes = stride() * count + page_bytes();
    char* memory = nullptr;
    size_t guard = kGuardUnderALimit;
    if (addresses_are_limited()) {
        memory = map_guarded(bytes, guard);
    } else {
        for (const size_t wide : kWideGuards) {
            guard = wide;
            if ((memory = map_guarded(bytes, guard))) break;
        }
    }
    if (!memory) return false;
    // A huge page would make every stack cost 2 MiB.
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    release();
    memory_ = memory;
    guard_bytes_ = guard;
    bytes_ = bytes;
    count_ = count;
    for (unsigned i = 0; i <= count; i++) install_guard(memory_ + i * stride(), page_bytes());
    return true;
}

bool KernelStacks::is_guard(uintptr_t address) const {
    const auto start = reinterpret_cast<uintptr_t>(memory_);
    if (!memory_ || address < start - guard_bytes_ || address >= start + bytes_ + guard_bytes_) return false;
    return !contains(address) || (address - start) % stride() < page_bytes();
}

// An array's index leads to a guard as well, but leaves the stack pointer in the stack.
bool KernelStacks::is_overflow(uintptr_t address, uintptr_t stack_pointer) const {
    return is_guard(address) && is_guard(stack_pointer - kRedZone);
}

void KernelStacks::abandon_frames() {
#if defined(__SANITIZE_ADDRESS__)
    if (memory_) __asan_unpoison_memory_region(memory_, bytes_);
#endif
}

void* KernelStacks::top(unsigned index) const {
    // Stacks that start at equal offsets within a page alias in the first-level cache: each starts five lines
    // further down than its neighbour, which visits all 64 sets before it comes back.
    const size_t lines_in_page = page_bytes() / kCacheLine;
    const size_t colour = size_t{index} * 5 % lines_in_page * kCacheLine;
    return memory_ + (index + 1) * stride() - colour;
}

uintptr_t KernelStacks::bottom(unsigned index) const {
    return reinterpret_cast<uintptr_t>(memory_) + index * stride() + page_bytes();
}

}  // namespace cuda_shim
