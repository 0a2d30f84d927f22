#include "hip/host_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "common/files.h"
#include "common/log.h"
#include "hip/device.h"
#include "hip/graph_memory.h"
#include "hip/ipc_memory.h"
#include "hip/kernel_memory.h"
#include "hip/memory_pool.h"

namespace cuda_shim {
namespace {

constexpr size_t kAlignment = 256;
// From this size on, memory is mapped of its own: it goes back to the system at once when freed, and gets huge
// pages, without which large copies spend their time in page faults.
constexpr size_t kMappingThreshold = size_t{1} << 20;
constexpr size_t kHugePage = size_t{2} << 20;

std::atomic<size_t> used_bytes{0};

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

size_t page_size() {
    static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

// What the system says programs can still have; 0 when it does not say.
size_t available_memory() {
    std::string text;
    if (!read_file("/proc/meminfo", text)) return 0;
    size_t at = text.find("MemAvailable:");
    return at == std::string::npos ? 0 : strtoull(text.c_str() + at + 13, nullptr, 10) * 1024;
}

// Memory that this process can have, measured once: free memory then falls by exactly what is allocated and rises
// by what is freed, whatever other programs do meanwhile.
size_t budget(size_t total) {
    static const size_t available = available_memory();
    return available == 0 || available > total ? total : available;
}

bool reserve_bytes(size_t bytes, size_t limit) {
    size_t used = used_bytes.load();
    do {
        if (bytes > limit || used > limit - bytes) return false;
    } while (!used_bytes.compare_exchange_weak(used, used + bytes));
    return true;
}

// Pages aligned for huge pages: maps more than needed and unmaps both ends.
void* map_pages(size_t bytes) {
    size_t mapped = bytes + kHugePage;
    void* raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    uintptr_t start = reinterpret_cast<uintptr_t>(raw);
    uintptr_t aligned = round_up(start, kHugePage);
    if (aligned > start) munmap(raw, aligned - start);
    uintptr_t end = aligned + bytes;
    if (start + mapped > end) munmap(reinterpret_cast<void*>(end), start + mapped - end);
    void* pages = reinterpret_cast<void*>(aligned);
    madvise(pages, bytes, MADV_HUGEPAGE);
    return pages;
}

size_t heap_alignment(bool own_pages) { return own_pages ? page_size() : kAlignment; }

size_t charged_bytes(const Allocation& allocation) {
    if (allocation.mapping) return allocation.mapping_size;
    return round_up(allocation.capacity + guard_bytes(), heap_alignment(allocation.own_pages));
}

bool owns_storage(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::Device:
        case MemoryKind::Host:
        case MemoryKind::Managed:
        case MemoryKind::Pool:
        case MemoryKind::Array:
            return true;
        default:
            return false;
    }
}

void give_back(const Allocation& allocation) {
    unshare_storage(allocation);
    if (allocation.mapping) {
        munmap(allocation.mapping, allocation.mapping_size);
    } else {
        free(reinterpret_cast<void*>(allocation.base));
    }
}

}  // namespace

hipError_t allocate_memory(Device& device, MemoryKind kind, size_t bytes, unsigned flags, void** out,
                           MemoryPool* pool) {
    *out = nullptr;
    if (bytes == 0) return hipSuccess;
    size_t total = device.properties().totalGlobalMem;
    if (bytes > total) return hipErrorOutOfMemory;  // also keeps the rounding below from overflowing
    Allocation allocation;
    allocation.size = allocation.capacity = bytes;
    allocation.kind = kind;
    allocation.device = device.ordinal();
    allocation.flags = flags;
    allocation.pool = pool;
    if (pool) allocation.handle_types = pool->handle_types();
    // Memory that may be shared with other processes later (ipc_memory.cpp), or advised about, which goes by pages.
    allocation.own_pages = kind == MemoryKind::Device || kind == MemoryKind::Managed || (pool && pool->shareable());
    bool mapped = bytes >= kMappingThreshold;
    size_t charged = round_up(bytes + guard_bytes(), mapped ? page_size() : heap_alignment(allocation.own_pages));
    bool reserved = reserve_bytes(charged, budget(total));
    if (!reserved && !pool) {  // a pool asks with its lock held, and looks through itself
        device.release_unused();
        reserved = reserve_bytes(charged, budget(total));
    }
    if (!reserved) {
        log(LogLevel::Info, "out of memory: %zu bytes asked for, %zu in use", bytes, used_bytes.load());
        return hipErrorOutOfMemory;
    }
    void* memory = nullptr;
    if (mapped) {
        memory = map_pages(charged);
        allocation.mapping = memory;
        allocation.mapping_size = charged;
    } else if (posix_memalign(&memory, heap_alignment(allocation.own_pages), charged) != 0) {
        memory = nullptr;
    }
    if (!memory) {
        used_bytes.fetch_sub(charged);
        return hipErrorOutOfMemory;
    }
    allocation.base = reinterpret_cast<uintptr_t>(memory);
    MemoryRegistry::get().add(allocation);
    *out = memory;
    return hipSuccess;
}

void release_storage(const Allocation& allocation) {
    if (!owns_storage(allocation.kind)) return;
    used_bytes.fetch_sub(charged_bytes(allocation));
    if (!keep_freed_storage(allocation, give_back)) give_back(allocation);
}

hipError_t free_memory(void* base, unsigned allowed) {
    if (!base) return hipSuccess;
    Allocation allocation;
    MemoryRegistry& registry = MemoryRegistry::get();
    if (!registry.find_base(base, allocation) || !(allowed & kind_bit(allocation.kind)) || allocation.release_pending) {
        return hipErrorInvalidValue;
    }
    // Freeing waits for work that may still use the memory, as HIP does.
    device_at(allocation.device)->wait_for_all();
    if (allocation.graph_block) return allocation.graph_block->end_use();
    if (!registry.remove(base, &allocation)) return hipErrorInvalidValue;  // another thread was faster
    if (allocation.pool) {
        allocation.pool->take_back(allocation);
    } else {
        release_storage(allocation);
    }
    return hipSuccess;
}

void free_device_memory(Device& device) {
    std::vector<void*> bases;
    MemoryRegistry::get().for_each([&](const Allocation& allocation) {
        bool given_out = (owns_storage(allocation.kind) && allocation.kind != MemoryKind::Array) ||
                         allocation.kind == MemoryKind::Imported;
        if (allocation.device == device.ordinal() && given_out) {
            bases.push_back(reinterpret_cast<void*>(allocation.base));
        }
    });
    for (void* base : bases) {
        Allocation allocation;
        if (MemoryRegistry::get().remove(base, &allocation)) release_storage(allocation);
    }
}

void memory_info(const Device& device, size_t& free, size_t& total) {
    total = device.properties().totalGlobalMem;
    size_t limit = budget(total);
    size_t used = used_bytes.load();
    free = used < limit ? limit - used : 0;
}

bool is_mapped(const void* address, size_t bytes) {
    if (bytes == 0) return true;
    uintptr_t start = reinterpret_cast<uintptr_t>(address);
    uintptr_t first = start / page_size() * page_size();
    if (start + bytes < start) return false;
    // MS_ASYNC does nothing but walk the mappings, and says ENOMEM at the first hole.
    return msync(reinterpret_cast<void*>(first), start + bytes - first, MS_ASYNC) == 0 || errno != ENOMEM;
}

}  // namespace cuda_shim
