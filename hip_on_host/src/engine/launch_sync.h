// Records which blocks of a launch may have signalled their progress to others, by atomic operations or volatile
// accesses, and when.
//
// Two blocks whose accesses have such an operation of each in between are taken to be in order. The memory that carried
// the message is not considered, so some races between blocks that also use atomics are not found, and no program that
// hands its data over by flags or counters is blamed.
#pragma once
#include <atomic>
#include <cstdint>

namespace cuda_shim {

class LaunchSync {
public:
    // The number of such operations so far.
    uint32_t now() const { return count_.load(std::memory_order_relaxed); }
    // `block` makes one; returns its number.
    uint32_t operate(uint32_t block) {
        const uint32_t number = count_.fetch_add(1, std::memory_order_acq_rel) + 1;
        last_of_[block % kBlocks].store(number, std::memory_order_release);
        return number;
    }
    // The latest operation of a block, or of the blocks that share its place in the table.
    uint32_t last_of(uint32_t block) const { return last_of_[block % kBlocks].load(std::memory_order_acquire); }

private:
    static constexpr uint32_t kBlocks = 4096;
    std::atomic<uint32_t> count_{0};
    std::atomic<uint32_t> last_of_[kBlocks] = {};
};

}  // namespace cuda_shim
