// Queries about a pointer.
#include <string.h>

#include "hip/api.h"
#include "hip/contexts/context.h"
#include "hip/contexts/device.h"
#include "hip/memory/memory_pool.h"
#include "hip/memory/memory_registry.h"
#include "hip/memory/virtual_memory.h"
#include "hip/values.h"

namespace cuda_shim {
namespace {

hipMemoryType type_of(const Allocation& allocation) {
    if (allocation.managed()) return hipMemoryTypeManaged;
    return allocation.pinned() ? hipMemoryTypeHost : hipMemoryTypeDevice;
}

bool host_accessible(const Allocation& allocation) { return type_of(allocation) != hipMemoryTypeDevice; }

hipError_t describe(hipPointerAttribute_t* out, const void* pointer) {
    if (!out || !pointer) return hipErrorInvalidValue;
    memset(static_cast<void*>(out), 0, sizeof *out);
    Allocation allocation;
    if (!MemoryRegistry::get().find(pointer, allocation)) {
        out->type = hipMemoryTypeUnregistered;
        out->device = hipInvalidDeviceId;
        return hipSuccess;
    }
    out->type = type_of(allocation);
    out->device = allocation.device;
    out->devicePointer = const_cast<void*>(pointer);
    out->hostPointer = host_accessible(allocation) ? const_cast<void*>(pointer) : nullptr;
    out->isManaged = allocation.managed();
    out->allocationFlags = allocation.flags;
    return hipSuccess;
}

// The base and the size of a range of addresses: the allocation, or the reservation that a mapping is part of.
void range_of(const Allocation& allocation, void** base, size_t* bytes) {
    *base = reinterpret_cast<void*>(allocation.base);
    *bytes = allocation.size;
    if (allocation.kind == MemoryKind::Virtual) reserved_range(*base, base, bytes);
}

// Mapped memory that no device may access yet.
bool without_access(const Allocation& allocation) { return !allocation.readable && !allocation.writable; }

hipError_t attribute(void* out, hipPointer_attribute which, void* pointer, const Allocation& allocation) {
    void* range_base;
    size_t range_bytes;
    range_of(allocation, &range_base, &range_bytes);
    switch (which) {
        case HIP_POINTER_ATTRIBUTE_CONTEXT:
            return answer(out, device_at(allocation.device)->primary_context().handle());
        case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return answer(out, static_cast<unsigned>(type_of(allocation)));
        case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
            if (without_access(allocation)) return hipErrorInvalidValue;
            return answer(out, pointer);
        case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
            if (!host_accessible(allocation)) return hipErrorInvalidValue;
            return answer(out, pointer);
        case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
            return answer(out, allocation.sync_copies);
        case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
            return answer(out, allocation.id);
        case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
            return answer(out, allocation.managed());
        case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return answer(out, allocation.device);
        case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
            return answer(out, allocation.kind == MemoryKind::Device);
        case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            return answer(out, range_base);
        case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
            return answer(out, range_bytes);
        case HIP_POINTER_ATTRIBUTE_MAPPED:
            return answer(out, true);
        case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
            return answer(out, static_cast<uint64_t>(allocation.handle_types));
        case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
            return answer(out, false);
        case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            return answer(out, static_cast<unsigned>(allocation.writable ? hipMemAccessFlagsProtReadWrite
                                                                         : hipMemAccessFlagsProtRead));
        case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
            return answer(out, allocation.pool ? allocation.pool->handle() : hipMemPool_t(nullptr));
        case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
            return hipErrorNotSupported;
        default:
            return hipErrorInvalidValue;
    }
}

hipError_t one_attribute(void* out, hipPointer_attribute which, void* pointer) {
    if (!out || !pointer) return hipErrorInvalidValue;
    Allocation allocation;
    if (!MemoryRegistry::get().find(pointer, allocation)) return hipErrorInvalidValue;
    return attribute(out, which, pointer, allocation);
}

// Unknown pointers are no error here: their attributes are left alone or set to nothing.
hipError_t many_attributes(unsigned count, hipPointer_attribute* which, void** out, void* pointer) {
    if (!which || !out || count == 0) return hipErrorInvalidValue;
    Allocation allocation;
    bool is_registered = MemoryRegistry::get().find(pointer, allocation);
    for (unsigned i = 0; i < count; ++i) {
        if (!out[i]) return hipErrorInvalidValue;
        if (is_registered) {
            hipError_t status = attribute(out[i], which[i], pointer, allocation);
            if (status == hipErrorInvalidValue && which[i] != HIP_POINTER_ATTRIBUTE_HOST_POINTER) return status;
        } else if (which[i] == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE) {
            answer(out[i], static_cast<unsigned>(hipMemoryTypeUnregistered));
        }
    }
    return hipSuccess;
}

hipError_t set_attribute(const void* value, hipPointer_attribute which, void* pointer) {
    if (!value || !pointer) return hipErrorInvalidValue;
    if (which != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS) return hipErrorInvalidValue;
    Allocation allocation;
    if (!MemoryRegistry::get().find(pointer, allocation)) return hipErrorInvalidDevicePointer;
    int new_value = value_at<int>(value) != 0;
    MemoryRegistry::get().update(reinterpret_cast<void*>(allocation.base),
                                 [&](Allocation& entry) { entry.sync_copies = new_value; });
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
    return api(__func__, [&] { return describe(attributes, pointer); });
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute which, void* pointer) {
    return api(__func__, [&] { return one_attribute(data, which, pointer); });
}

hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute* which, void** data, void* pointer) {
    return api(__func__, [&] { return many_attributes(count, which, data, pointer); });
}

hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute which, void* pointer) {
    return api(__func__, [&] { return set_attribute(value, which, pointer); });
}

hipError_t hipMemGetAddressRange(void** base, size_t* bytes, void* pointer) {
    return api(__func__, [&] {
        if (!pointer) return hipErrorInvalidValue;
        Allocation allocation;
        if (!MemoryRegistry::get().find(pointer, allocation) || without_access(allocation)) return hipErrorNotFound;
        if (base) *base = reinterpret_cast<void*>(allocation.base);
        if (bytes) *bytes = allocation.size;
        return hipSuccess;
    });
}

hipError_t hipMemPtrGetInfo(void* pointer, size_t* bytes) {
    return api(__func__, [&] {
        if (!bytes) return hipErrorInvalidValue;
        Allocation allocation;
        if (!pointer || !MemoryRegistry::get().find(pointer, allocation)) return hipErrorInvalidValue;
        *bytes = allocation.size;
        return hipSuccess;
    });
}
