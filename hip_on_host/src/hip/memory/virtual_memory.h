// Virtual memory management: reserved addresses, physical memory as anonymous files, mappings with the real
// protection of the host.
#pragma once
#include <map>
#include <memory>

#include "abi/hip_types.h"
#include "common/files.h"
#include "hip/memory/memory_share.h"

namespace cuda_shim {

// Physical memory of hipMemCreate; lives while its handle is held or some of it is mapped.
class PhysicalMemory {
public:
    // `share`: of the device's memory; memory that another process made has none.
    PhysicalMemory(Descriptor file, size_t bytes, const hipMemAllocationProp& props, MemoryShare share = {});
    ~PhysicalMemory();
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    int descriptor() const { return file_.get(); }
    size_t bytes() const { return bytes_; }
    const hipMemAllocationProp& props() const { return props_; }

private:
    Descriptor file_;
    size_t bytes_;
    hipMemAllocationProp props_;
    MemoryShare share_;
};

size_t allocation_granularity();

hipError_t reserve_addresses(void** out, size_t bytes, size_t alignment, void* hint);
hipError_t free_addresses(void* base, size_t bytes);

hipError_t create_physical(hipMemGenericAllocationHandle_t* out, size_t bytes, const hipMemAllocationProp& props);
hipError_t import_physical(hipMemGenericAllocationHandle_t* out, int descriptor);
hipError_t release_physical(hipMemGenericAllocationHandle_t handle);
// The memory behind a handle; null when it is none.
std::shared_ptr<PhysicalMemory> physical_memory(hipMemGenericAllocationHandle_t handle);
// The handle of the memory that is mapped at an address, with one more reference.
hipError_t retain_mapped(hipMemGenericAllocationHandle_t* out, void* address);

hipError_t map_memory(void* address, size_t bytes, size_t offset, hipMemGenericAllocationHandle_t handle);
hipError_t unmap_memory(void* address, size_t bytes);
hipError_t set_access(void* address, size_t bytes, const hipMemAccessDesc* list, size_t count);
// The whole reservation around an address; false where none is.
bool reserved_range(const void* address, void** base, size_t* bytes);
hipError_t get_access(void* address, const hipMemLocation& location, unsigned long long& flags);

}  // namespace cuda_shim
