#include "hip/memory/memory_registry.h"

namespace cuda_shim {

MemoryRegistry& MemoryRegistry::get() {
    static auto* const registry = new MemoryRegistry;
    return *registry;
}

void MemoryRegistry::add(Allocation allocation) {
    allocation.id = next_id_.fetch_add(1);
    std::unique_lock<std::shared_mutex> lock(mutex_);
    entries_[allocation.base] = allocation;
}

bool MemoryRegistry::remove(const void* base, Allocation* removed) {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    auto entry = entries_.find(reinterpret_cast<uintptr_t>(base));
    if (entry == entries_.end()) return false;
    const Allocation& going = entry->second;
    if (going.managed()) advice_.forget({going.base, going.base + going.size});
    if (removed) *removed = going;
    entries_.erase(entry);
    return true;
}

bool MemoryRegistry::find(const void* address, Allocation& allocation) const {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    auto after = entries_.upper_bound(reinterpret_cast<uintptr_t>(address));
    if (after == entries_.begin()) return false;
    const Allocation& candidate = std::prev(after)->second;
    if (!candidate.contains(address, 1)) return false;
    allocation = candidate;
    return true;
}

bool MemoryRegistry::find_base(const void* base, Allocation& allocation) const {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    auto entry = entries_.find(reinterpret_cast<uintptr_t>(base));
    if (entry == entries_.end()) return false;
    allocation = entry->second;
    return true;
}

bool MemoryRegistry::allows(const Allocation& first, const void* address, size_t bytes, bool write) const {
    auto usable = [write](const Allocation& piece) {
        return !piece.release_pending && (write ? piece.writable : piece.readable);
    };
    if (first.contains(address, bytes)) return usable(first);
    if (first.kind != MemoryKind::Virtual) return false;
    uintptr_t at = reinterpret_cast<uintptr_t>(address), end;
    if (__builtin_add_overflow(at, bytes, &end)) return false;
    std::shared_lock<std::shared_mutex> lock(mutex_);
    for (auto piece = entries_.find(first.base); at < end; ++piece) {
        if (piece == entries_.end() || piece->second.kind != MemoryKind::Virtual) return false;
        if (piece->first > at || !usable(piece->second)) return false;
        at = piece->first + piece->second.size;
    }
    return true;
}

void MemoryRegistry::forget_pool(const MemoryPool* pool) {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    for (auto& [base, allocation] : entries_) {
        if (allocation.pool == pool) allocation.pool = nullptr;
    }
}

bool MemoryRegistry::overlaps(const void* address, size_t bytes) const {
    uintptr_t start = reinterpret_cast<uintptr_t>(address);
    std::shared_lock<std::shared_mutex> lock(mutex_);
    auto after = entries_.lower_bound(start + bytes);
    if (after == entries_.begin()) return false;
    const Allocation& before = std::prev(after)->second;
    return before.base + before.size > start;
}

}  // namespace cuda_shim
