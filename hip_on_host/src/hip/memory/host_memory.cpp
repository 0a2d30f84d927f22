#include "hip/memory/host_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <new>
#include <vector>

#include "common/files.h"
#include "common/log.h"
#include "hip/contexts/device.h"
#include "hip/graphs/graph_memory.h"
#include "hip/memory/device_space.h"
#include "hip/memory/ipc_memory.h"
#include "hip/memory/kernel_memory.h"
#include "hip/memory/memory_pool.h"
#include "hip/memory/memory_share.h"
#include "hip/memory/rounding.h"

namespace cuda_shim {
namespace {

constexpr size_t kAlignment = 512;  // as CUDA's, so that a texture may begin where memory does

std::atomic<size_t> used_bytes{0};

size_t page_size() {
    static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

// The system's estimate of the memory that programs can still have; 0 when there is none.
size_t available_memory() {
    std::string text;
    if (!read_file("/proc/meminfo", text)) return 0;
    size_t at = text.find("MemAvailable:");
    return at == std::string::npos ? 0 : strtoull(text.c_str() + at + 13, nullptr, 10) * 1024;
}

// Memory that this process can have, measured once: free memory then falls by exactly the allocated bytes and rises by
// the freed ones, independent of other programs.
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

// The bytes that a block of a size takes: large ones have whole pages.
size_t charge_for(size_t bytes, bool own_pages) {
    const bool pages = own_pages || bytes >= large_block_bytes();
    return round_up(bytes + guard_bytes(), pages ? page_size() : kAlignment);
}

size_t charged_bytes(const Allocation& allocation) { return charge_for(allocation.capacity, allocation.own_pages); }

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

// Has the system copy two bytes: it returns an error where the program would meet a fault. True as well where a sandbox
// does not allow the call.
bool probe(uintptr_t from_first, uintptr_t from_last, uintptr_t to_first, uintptr_t to_last) {
    const auto byte = [](uintptr_t at) { return iovec{reinterpret_cast<void*>(at), 1}; };
    const iovec to[] = {byte(to_first), byte(to_last)}, from[] = {byte(from_first), byte(from_last)};
    const ssize_t bytes = process_vm_readv(getpid(), to, 2, from, 2, 0);
    return bytes == 2 || (bytes < 0 && errno != EFAULT);
}
bool probe_reading(uintptr_t first, uintptr_t last) {
    char room[2];
    const auto here = reinterpret_cast<uintptr_t>(room);
    return probe(first, last, here, here + 1);
}
// Onto themselves: the bytes are as they were, and are about to be written anyway.
bool probe_writing(uintptr_t first, uintptr_t last) { return probe(first, last, first, last); }

void give_back(const Allocation& allocation) {
    unshare_storage(allocation);
    return_device_memory(reinterpret_cast<void*>(allocation.base), charged_bytes(allocation));
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
    allocation.call = current_call.place;
    if (!pool) allocation.context = current_owner().context;  // a pool is of a device, and so is its memory
    if (pool) {
        allocation.handle_types = pool->handle_types();
        allocation.pool_place = pool->place();
    }
    // Memory that may be shared with other processes later (ipc_memory.cpp), or advised about, which goes by pages.
    allocation.own_pages = kind == MemoryKind::Device || allocation.managed() || (pool && pool->shareable());
    size_t charged = charge_for(bytes, allocation.own_pages);
    bool reserved = reserve_bytes(charged, budget(total));
    if (!reserved && !pool) {  // a pool holds its lock here, and releases its own unused memory itself
        device.release_unused();
        reserved = reserve_bytes(charged, budget(total));
    }
    if (!reserved) {
        log(LogLevel::Info, "out of memory: %zu bytes asked for, %zu in use", bytes, used_bytes.load());
        return hipErrorOutOfMemory;
    }
    void* memory = nullptr;
    try {
        memory = take_device_memory(charged, allocation.own_pages ? page_size() : kAlignment);
        if (!memory) throw std::bad_alloc();
        allocation.base = reinterpret_cast<uintptr_t>(memory);
        note_fresh_memory(allocation);
        MemoryRegistry::get().add(allocation);
    } catch (const std::bad_alloc&) {
        if (memory) return_device_memory(memory, charged);
        used_bytes.fetch_sub(charged);
        return hipErrorOutOfMemory;
    }
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

void free_owned_memory(const Ending& ending) {
    std::vector<void*> bases;
    MemoryRegistry::get().for_each([&](const Allocation& allocation) {
        // A pool's memory stays until it is freed, as in CUDA; an array's goes with the array.
        const bool apart = allocation.kind == MemoryKind::Pool || allocation.kind == MemoryKind::Array;
        const bool given_out = (owns_storage(allocation.kind) && !apart) || allocation.kind == MemoryKind::Imported ||
                               allocation.kind == MemoryKind::Registered;
        if (given_out && ending.covers({allocation.device, allocation.context})) {
            bases.push_back(reinterpret_cast<void*>(allocation.base));
        }
    });
    for (void* base : bases) {
        Allocation allocation;
        if (MemoryRegistry::get().remove(base, &allocation)) release_storage(allocation);
    }
}

MemoryShare MemoryShare::of(Device& device, size_t bytes) {
    const size_t limit = budget(device.properties().totalGlobalMem);
    if (reserve_bytes(bytes, limit)) return MemoryShare(bytes);
    device.release_unused();
    return reserve_bytes(bytes, limit) ? MemoryShare(bytes) : MemoryShare();
}

MemoryShare::~MemoryShare() { used_bytes.fetch_sub(bytes_); }

void memory_info(const Device& device, size_t& free, size_t& total) {
    total = device.properties().totalGlobalMem;
    size_t limit = budget(total);
    size_t used = used_bytes.load();
    free = used < limit ? limit - used : 0;
}

bool is_usable(const void* address, size_t bytes, bool for_writing) {
    if (bytes == 0) return true;
    uintptr_t start = reinterpret_cast<uintptr_t>(address);
    uintptr_t first = start / page_size() * page_size();
    if (start + bytes < start) return false;
    if (in_device_space(address)) return false;  // the registry knows the memory in use there
    const bool ends = for_writing ? probe_writing(start, start + bytes - 1) : probe_reading(start, start + bytes - 1);
    if (!ends || start + bytes - first <= 2 * page_size()) return ends;
    // MS_ASYNC does nothing but walk the mappings, and says ENOMEM at the first hole.
    return msync(reinterpret_cast<void*>(first), start + bytes - first, MS_ASYNC) == 0 || errno != ENOMEM;
}

}  // namespace cuda_shim
