#include "hip/memory/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/memory/memory_registry.h"
#include "hip/memory/shared_memory.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

struct Mapping {
    size_t bytes;
    hipMemGenericAllocationHandle_t handle;
    std::shared_ptr<PhysicalMemory> memory;
    std::map<int, hipMemAccessFlags> access;  // by device; none: not accessible
};

struct Held {
    std::shared_ptr<PhysicalMemory> memory;
    int references;
};

// All reservations, mappings and handles of the process, under one lock: these calls are rare and long.
struct VirtualMemory {
    std::mutex mutex;
    std::map<uintptr_t, size_t> reservations;
    std::map<uintptr_t, Mapping> mappings;
    std::map<hipMemGenericAllocationHandle_t, Held> handles;
};

VirtualMemory& state() {
    static auto* const instance = new VirtualMemory;
    return *instance;
}

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

bool whole_granules(uintptr_t value) { return value % allocation_granularity() == 0; }

// The reservation that holds the whole range; `end()` where none does.
std::map<uintptr_t, size_t>::const_iterator reservation_of(uintptr_t start, size_t bytes) {
    const auto& reservations = state().reservations;
    auto after = reservations.upper_bound(start);
    if (after == reservations.begin()) return reservations.end();
    auto reservation = std::prev(after);
    size_t offset = start - reservation->first;
    bool inside = offset <= reservation->second && bytes <= reservation->second - offset;
    return inside ? reservation : reservations.end();
}

bool reserved(uintptr_t start, size_t bytes) { return reservation_of(start, bytes) != state().reservations.end(); }

bool overlaps_mapping(uintptr_t start, size_t bytes) {
    auto after = state().mappings.lower_bound(start + bytes);
    if (after == state().mappings.begin()) return false;
    auto before = std::prev(after);
    return before->first + before->second.bytes > start;
}

using Mappings = std::vector<std::map<uintptr_t, Mapping>::iterator>;

// The mappings inside a range, which may have holes. False when the range cuts a mapping.
bool mappings_inside(uintptr_t start, size_t bytes, Mappings& mappings) {
    auto first = state().mappings.lower_bound(start);
    if (first != state().mappings.begin()) {
        auto before = std::prev(first);
        if (before->first + before->second.bytes > start) return false;
    }
    for (auto mapping = first; mapping != state().mappings.end() && mapping->first < start + bytes; ++mapping) {
        if (mapping->first + mapping->second.bytes > start + bytes) return false;
        mappings.push_back(mapping);
    }
    return true;
}

// The mappings that make up the range exactly; empty when the range is not made of whole mappings.
Mappings mappings_of(uintptr_t start, size_t bytes) {
    Mappings mappings;
    uintptr_t at = start;
    while (at < start + bytes) {
        auto mapping = state().mappings.find(at);
        if (mapping == state().mappings.end()) return {};
        mappings.push_back(mapping);
        at += mapping->second.bytes;
    }
    if (at != start + bytes) return {};
    return mappings;
}

int protection_of(const Mapping& mapping) {
    int protection = PROT_NONE;
    for (const auto& [device, flags] : mapping.access) {
        if (flags == hipMemAccessFlagsProtRead) protection |= PROT_READ;
        if (flags == hipMemAccessFlagsProtReadWrite) protection |= PROT_READ | PROT_WRITE;
    }
    return protection;
}

hipMemGenericAllocationHandle_t hold(std::shared_ptr<PhysicalMemory> memory) {
    auto handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(memory.get());
    std::lock_guard<std::mutex> lock(state().mutex);
    Held& entry = state().handles[handle];
    entry.memory = std::move(memory);
    ++entry.references;
    return handle;
}

}  // namespace

PhysicalMemory::PhysicalMemory(Descriptor file, size_t bytes, const hipMemAllocationProp& props, MemoryShare share)
    : file_(std::move(file)), bytes_(bytes), props_(props), share_(std::move(share)) {}

PhysicalMemory::~PhysicalMemory() = default;

size_t allocation_granularity() {
    static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

hipError_t reserve_addresses(void** out, size_t bytes, size_t alignment, void* hint) {
    bool power_of_two = (alignment & (alignment - 1)) == 0;
    if (!out || bytes == 0 || !whole_granules(bytes) || !power_of_two) return hipErrorInvalidValue;
    alignment = std::max(alignment, allocation_granularity());
    size_t mapped;
    if (__builtin_add_overflow(bytes, alignment, &mapped)) return hipErrorOutOfMemory;
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* raw = mmap(hint, mapped, PROT_NONE, flags, -1, 0);
    if (raw == MAP_FAILED) return hipErrorOutOfMemory;
    uintptr_t start = number(raw);
    uintptr_t aligned = (start + alignment - 1) & ~(alignment - 1);
    if (aligned > start) munmap(raw, aligned - start);
    munmap(reinterpret_cast<void*>(aligned + bytes), start + mapped - aligned - bytes);
    std::lock_guard<std::mutex> lock(state().mutex);
    state().reservations[aligned] = bytes;
    *out = reinterpret_cast<void*>(aligned);
    return hipSuccess;
}

hipError_t free_addresses(void* base, size_t bytes) {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto reservation = state().reservations.find(number(base));
    if (reservation == state().reservations.end() || reservation->second != bytes) return hipErrorInvalidValue;
    if (overlaps_mapping(number(base), bytes)) return hipErrorInvalidValue;
    munmap(base, bytes);
    state().reservations.erase(reservation);
    return hipSuccess;
}

hipError_t create_physical(hipMemGenericAllocationHandle_t* out, size_t bytes, const hipMemAllocationProp& props) {
    if (bytes == 0 || !whole_granules(bytes)) return hipErrorInvalidValue;
    if (bytes > current_device().properties().totalGlobalMem) return hipErrorOutOfMemory;
    MemoryShare share = MemoryShare::of(current_device(), bytes);
    if (!share) return hipErrorOutOfMemory;
    Descriptor file = create_shared_memory("physical", bytes);
    if (!file.valid()) return hipErrorOutOfMemory;
    *out = hold(std::make_shared<PhysicalMemory>(std::move(file), bytes, props, std::move(share)));
    return hipSuccess;
}

hipError_t import_physical(hipMemGenericAllocationHandle_t* out, int descriptor) {
    Descriptor file(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    struct stat status;
    if (!file.valid() || fstat(file.get(), &status) != 0 || status.st_size <= 0) return hipErrorInvalidValue;
    hipMemAllocationProp props = {};
    props.type = hipMemAllocationTypePinned;
    props.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    props.location = {hipMemLocationTypeDevice, current_device().ordinal()};
    *out = hold(std::make_shared<PhysicalMemory>(std::move(file), static_cast<size_t>(status.st_size), props));
    return hipSuccess;
}

hipError_t release_physical(hipMemGenericAllocationHandle_t handle) {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto entry = state().handles.find(handle);
    if (entry == state().handles.end()) return hipErrorInvalidValue;
    if (--entry->second.references == 0) state().handles.erase(entry);
    return hipSuccess;
}

std::shared_ptr<PhysicalMemory> physical_memory(hipMemGenericAllocationHandle_t handle) {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto entry = state().handles.find(handle);
    return entry == state().handles.end() ? nullptr : entry->second.memory;
}

hipError_t retain_mapped(hipMemGenericAllocationHandle_t* out, void* address) {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto after = state().mappings.upper_bound(number(address));
    if (after == state().mappings.begin()) return hipErrorInvalidValue;
    auto& [base, mapping] = *std::prev(after);
    if (number(address) - base >= mapping.bytes) return hipErrorInvalidValue;
    Held& entry = state().handles[mapping.handle];
    entry.memory = mapping.memory;
    ++entry.references;
    *out = mapping.handle;
    return hipSuccess;
}

hipError_t map_memory(void* address, size_t bytes, size_t offset, hipMemGenericAllocationHandle_t handle) {
    std::shared_ptr<PhysicalMemory> memory = physical_memory(handle);
    uintptr_t start = number(address);
    if (!memory || bytes == 0) return hipErrorInvalidValue;
    // CUDA maps whole allocations at whole granules, and returns this error for anything else.
    if (offset != 0 || bytes != memory->bytes() || !whole_granules(start)) {
        return as_rocm(RocmDifference::MappingsOfWrongValues) ? hipErrorInvalidValue : hipErrorNotSupported;
    }
    std::lock_guard<std::mutex> lock(state().mutex);
    if (!reserved(start, bytes)) return hipErrorInvalidValue;
    if (overlaps_mapping(start, bytes)) return hipErrorInvalidValue;
    void* mapped = mmap(address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->descriptor(), 0);
    if (mapped == MAP_FAILED) return hipErrorMapFailed;
    Allocation allocation;
    allocation.base = start;
    allocation.size = bytes;
    allocation.kind = MemoryKind::Virtual;
    allocation.device = memory->props().location.type == hipMemLocationTypeDevice ? memory->props().location.id : 0;
    allocation.handle_types = memory->props().requestedHandleType;
    allocation.readable = allocation.writable = false;
    MemoryRegistry::get().add(allocation);
    state().mappings[start] = Mapping{bytes, handle, std::move(memory), {}};
    return hipSuccess;
}

hipError_t unmap_memory(void* address, size_t bytes) {
    for (const auto& device : devices()) device->wait_for_all();
    std::lock_guard<std::mutex> lock(state().mutex);
    uintptr_t start = number(address);
    Mappings mappings;
    if (!whole_granules(start | bytes) || !reserved(start, bytes)) return hipErrorInvalidValue;
    if (!mappings_inside(start, bytes, mappings)) return hipErrorInvalidValue;
    for (auto mapping : mappings) {
        void* base = reinterpret_cast<void*>(mapping->first);
        // The addresses stay reserved.
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
        if (mmap(base, mapping->second.bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED) return hipErrorUnmapFailed;
        MemoryRegistry::get().remove(base);
        state().mappings.erase(mapping);
    }
    return hipSuccess;
}

hipError_t set_access(void* address, size_t bytes, const hipMemAccessDesc* list, size_t count) {
    if (!list || count == 0) return hipErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
        bool host = list[i].location.type == hipMemLocationTypeHost;
        if (!host && list[i].location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
        if (!host && !device_at(list[i].location.id)) return hipErrorInvalidDevice;
        bool is_valid = list[i].flags == hipMemAccessFlagsProtNone || list[i].flags == hipMemAccessFlagsProtRead ||
                        list[i].flags == hipMemAccessFlagsProtReadWrite;
        if (!is_valid) return hipErrorInvalidValue;
    }
    std::lock_guard<std::mutex> lock(state().mutex);
    auto mappings = mappings_of(number(address), bytes);
    if (mappings.empty()) return hipErrorInvalidValue;
    for (auto mapping : mappings) {
        for (size_t i = 0; i < count; ++i) {
            bool host = list[i].location.type == hipMemLocationTypeHost;
            mapping->second.access[host ? hipCpuDeviceId : list[i].location.id] = list[i].flags;
        }
        int protection = protection_of(mapping->second);
        void* base = reinterpret_cast<void*>(mapping->first);
        if (mprotect(base, mapping->second.bytes, protection) != 0) return hipErrorInvalidValue;
        MemoryRegistry::get().update(base, [&](Allocation& allocation) {
            allocation.readable = protection & PROT_READ;
            allocation.writable = protection & PROT_WRITE;
        });
    }
    return hipSuccess;
}

bool reserved_range(const void* address, void** base, size_t* bytes) {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto reservation = reservation_of(number(address), 1);
    if (reservation == state().reservations.end()) return false;
    *base = reinterpret_cast<void*>(reservation->first);
    *bytes = reservation->second;
    return true;
}

hipError_t get_access(void* address, const hipMemLocation& location, unsigned long long& flags) {
    bool host = location.type == hipMemLocationTypeHost;
    if (!host && (location.type != hipMemLocationTypeDevice || !device_at(location.id))) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(state().mutex);
    auto after = state().mappings.upper_bound(number(address));
    if (after == state().mappings.begin()) return hipErrorInvalidValue;
    auto& [base, mapping] = *std::prev(after);
    if (number(address) - base >= mapping.bytes) return hipErrorInvalidValue;
    auto entry = mapping.access.find(host ? hipCpuDeviceId : location.id);
    flags = entry == mapping.access.end() ? hipMemAccessFlagsProtNone : entry->second;
    return hipSuccess;
}

}  // namespace cuda_shim
