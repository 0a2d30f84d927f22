// Separate memory that kernels write, with pages before and behind it that can be neither read nor written.
#pragma once
#include <cstddef>

namespace cuda_shim {

size_t page_bytes();

// Takes access to whole pages away. Some kernels of the system count mappings, of which a process may have 65,530: the
// guards that need one of their own have a budget, and pages beyond it stay as they are.
void install_guard(char* pages, size_t bytes);

// Pages that are zero at first, between two guards.
class GuardedMemory {
public:
    GuardedMemory() = default;
    ~GuardedMemory() { release(); }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    // Reserves `bytes` in place of the earlier memory. False when there is no room; then there is no memory at all.
    bool reserve(size_t bytes);
    void release();
    char* begin() const { return memory_; }
    size_t bytes() const { return bytes_; }

    // Returns the begin of `bytes` that end at the guard behind, or as little before it as the alignment leaves. The
    // alignment is a power of two; one of more than a page needs as much room again.
    char* last(size_t bytes, size_t alignment) const;

private:
    char* memory_ = nullptr;
    size_t bytes_ = 0;
};

}  // namespace cuda_shim
