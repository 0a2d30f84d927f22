// Stacks that hold frames of kernels and nothing that the runtime relies on: one for the loops over threads that a host
// thread runs, or one for each thread of a block.
//
// An index that is wrong by little ends at a guard page, one that is wrong by much in the wide guards around all
// stacks, so that no array of a kernel reaches the host's memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuda_shim {

class KernelStacks {
public:
    // `stack_bytes`: the room of each.
    explicit KernelStacks(size_t stack_bytes) : stack_bytes_(stack_bytes) {}
    ~KernelStacks();
    KernelStacks(const KernelStacks&) = delete;
    KernelStacks& operator=(const KernelStacks&) = delete;

    // Address space for `count` stacks with a guard page below each and above the last; false when it cannot be had.
    bool reserve(unsigned count);
    unsigned count() const { return count_; }

    // The address where stack `index` starts (it grows down), and the lowest one of its room.
    void* top(unsigned index) const;
    uintptr_t bottom(unsigned index) const;

    bool contains(uintptr_t address) const { return address - reinterpret_cast<uintptr_t>(memory_) < bytes_; }
    // True if a fault at an address is that of a stack without room for its frames.
    bool is_overflow(uintptr_t address, uintptr_t stack_pointer) const;

    // The frames on the stacks will not be returned to (after a fault): the address sanitizer, if any, is informed.
    void abandon_frames();

private:
    size_t stride() const;
    bool is_guard(uintptr_t address) const;
    void release();

    const size_t stack_bytes_;
    size_t guard_bytes_ = 0;  // of the guards around all stacks
    char* memory_ = nullptr;
    size_t bytes_ = 0;
    unsigned count_ = 0;
};

// The room that one thread of a kernel has for its local variables, in bytes.
size_t fibre_stack_bytes();

}  // namespace cuda_shim
