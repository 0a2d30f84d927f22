#include "engine/device_heap.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "engine/heap_space.h"

namespace cuda_shim {
namespace {

constexpr size_t kGuardBytes = 64;            // behind each allocation, so that no other one begins there
constexpr size_t kMaxFreedBytes = 64u << 20;  // kept, so that late accesses are reported

std::atomic<size_t> heap_limit{~size_t{0}};
std::atomic<size_t> heap_used{0};
std::atomic<bool> was_used{false};

// Writes once only: kernels on all cores read it.
void note_use() {
    if (!was_used.load(std::memory_order_relaxed)) was_used.store(true, std::memory_order_relaxed);
}

bool reserve(size_t bytes) {
    const size_t limit = heap_limit.load(std::memory_order_relaxed);
    size_t used = heap_used.load(std::memory_order_relaxed);
    do {
        if (bytes > limit || used > limit - bytes) return false;
    } while (!heap_used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
}

void unreserve(size_t bytes) { heap_used.fetch_sub(bytes, std::memory_order_relaxed); }

// Made when a kernel first allocates memory, without a lock that a forked child might find held. May throw
// std::bad_alloc.
std::atomic<HeapSpace*> current_space{nullptr};

HeapSpace& space() {
    HeapSpace* existing = current_space.load(std::memory_order_acquire);
    if (existing) return *existing;
    auto fresh = std::make_unique<HeapSpace>();
    if (current_space.compare_exchange_strong(existing, fresh.get())) return *fresh.release();
    return *existing;
}

// The blocks of checked kernels.
class DeviceHeap {
public:
    void* allocate(size_t bytes) {
        if (!reserve(bytes)) return nullptr;
        void* memory = bytes + kGuardBytes > bytes ? space().take(bytes + kGuardBytes) : nullptr;
        if (!memory) {
            unreserve(bytes);
            return nullptr;
        }
        std::lock_guard<std::mutex> lock(mutex_);
        blocks_[reinterpret_cast<uintptr_t>(memory)] = {bytes, true};
        return memory;
    }

    bool release(void* memory) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto entry = blocks_.find(reinterpret_cast<uintptr_t>(memory));
        if (entry == blocks_.end() || !entry->second.alive) return false;
        entry->second.alive = false;
        unreserve(entry->second.bytes);
        freed_bytes_ += entry->second.bytes;
        if (freed_bytes_ > kMaxFreedBytes) forget_freed();
        return true;
    }

    bool find(uintptr_t address, MemoryRange& range) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto after = blocks_.upper_bound(address);
        if (after == blocks_.begin()) return false;
        const auto& [base, block] = *std::prev(after);
        range = {base, block.bytes};
        return block.alive && range.contains(address);
    }

    void consider(NearestMemory& nearest) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto after = blocks_.upper_bound(nearest.address());
        auto consider_block = [&](const auto& entry) {
            const auto& [base, block] = *entry;
            nearest.consider({base, block.bytes},
                             std::string(block.alive ? "" : "freed ") + "memory from the device's heap");
        };
        if (after != blocks_.begin()) consider_block(std::prev(after));
        if (after != blocks_.end()) consider_block(after);
    }

private:
    struct Block {
        size_t bytes;
        bool alive;
    };

    void forget_freed() {
        for (auto block = blocks_.begin(); block != blocks_.end();) {
            if (block->second.alive) {
                ++block;
                continue;
            }
            space().give_back(reinterpret_cast<void*>(block->first));
            block = blocks_.erase(block);
        }
        freed_bytes_ = 0;
    }

    std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;
    size_t freed_bytes_ = 0;
};

DeviceHeap& heap() {
    static auto* const instance = new DeviceHeap;  // never destroyed: kernels may run while the process ends
    return *instance;
}

}  // namespace

void set_device_heap_limit(size_t bytes) { heap_limit.store(bytes, std::memory_order_relaxed); }

bool device_heap_was_used() { return was_used.load(std::memory_order_relaxed); }

void forget_device_heap_use() { was_used.store(false, std::memory_order_relaxed); }

void* device_malloc(size_t bytes) noexcept {
    note_use();
    if (bytes > heap_limit.load(std::memory_order_relaxed)) return nullptr;
    const size_t charge = HeapSpace::charge(bytes);
    if (!reserve(charge)) return nullptr;
    void* memory = nullptr;
    try {
        memory = space().take(bytes);
    } catch (const std::bad_alloc&) {
    }
    if (!memory) unreserve(charge);
    return memory;
}

bool device_free(void* memory) {
    if (!memory) return true;
    HeapSpace* heap_space = current_space.load(std::memory_order_acquire);
    const size_t charged = heap_space ? heap_space->give_back(memory) : 0;
    unreserve(charged);
    return charged != 0;
}

void* checked_device_malloc(size_t bytes) noexcept {
    note_use();
    try {
        return heap().allocate(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

bool checked_device_free(void* memory) { return !memory || heap().release(memory); }

bool find_in_device_heap(uintptr_t address, MemoryRange& range) { return heap().find(address, range); }

void consider_device_heap(NearestMemory& nearest) { heap().consider(nearest); }

}  // namespace cuda_shim
