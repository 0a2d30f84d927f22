// The stacks of one worker's fibres: one for each thread of a block.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuda_shim {

class FibreStacks {
public:
    // `stack_bytes`: the room of each.
    explicit FibreStacks(size_t stack_bytes) : stack_bytes_(stack_bytes) {}
    ~FibreStacks();
    FibreStacks(const FibreStacks&) = delete;
    FibreStacks& operator=(const FibreStacks&) = delete;

    // Address space for `count` stacks with a guard page below each and above the last; false when it cannot be had.
    bool reserve(unsigned count);
    unsigned count() const { return count_; }

    // The address where stack `index` starts (it grows down).
    void* top(unsigned index) const;

    bool contains(uintptr_t address) const { return address - reinterpret_cast<uintptr_t>(memory_) < bytes_; }
    bool is_guard(uintptr_t address) const;

    // The frames on the stacks will not be returned to (after a fault): the address sanitizer, if any, is informed.
    void abandon_frames();

private:
    size_t stride() const;

    const size_t stack_bytes_;
    char* memory_ = nullptr;
    size_t bytes_ = 0;
    unsigned count_ = 0;
};

// The room that one thread of a kernel has for its local variables, in bytes.
size_t fibre_stack_bytes();

}  // namespace cuda_shim
