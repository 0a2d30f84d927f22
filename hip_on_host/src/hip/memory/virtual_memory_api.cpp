// hipMemAddress*, hipMemCreate, hipMemMap and their family.
#include <fcntl.h>
#include <string.h>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/memory/virtual_memory.h"
#include "hip/streams/capture.h"

namespace cuda_shim {
namespace {

constexpr size_t kRecommendedGranularity = size_t{2} << 20;

bool names_no_device(const hipMemAllocationProp* props) {
    return props && props->location.type == hipMemLocationTypeDevice && !device_at(props->location.id);
}

hipError_t check_props(const hipMemAllocationProp* props) {
    if (!props || props->type != hipMemAllocationTypePinned) return hipErrorInvalidValue;
    bool located = props->location.type == hipMemLocationTypeDevice || props->location.type == hipMemLocationTypeHost ||
                   props->location.type == hipMemLocationTypeHostNuma;
    if (!located || names_no_device(props)) return hipErrorInvalidValue;
    bool is_known_handle_type = props->requestedHandleType == hipMemHandleTypeNone ||
                                props->requestedHandleType == hipMemHandleTypePosixFileDescriptor;
    return is_known_handle_type ? hipSuccess : hipErrorNotSupported;
}

hipError_t export_handle(void* out, hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType type) {
    if (!out || type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
    std::shared_ptr<PhysicalMemory> memory = physical_memory(handle);
    if (!memory || memory->props().requestedHandleType != hipMemHandleTypePosixFileDescriptor)
        return hipErrorInvalidValue;
    int descriptor = fcntl(memory->descriptor(), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return hipErrorOutOfMemory;
    memcpy(out, &descriptor, sizeof descriptor);
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMemGetAllocationGranularity(size_t* granularity, const hipMemAllocationProp* props,
                                          hipMemAllocationGranularity_flags option) {
    return api(__func__, [&]() -> hipError_t {
        if (!granularity) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(check_props(props));
        if (option != hipMemAllocationGranularityMinimum && option != hipMemAllocationGranularityRecommended) {
            return hipErrorInvalidValue;
        }
        bool least = option == hipMemAllocationGranularityMinimum;
        *granularity = least ? allocation_granularity() : kRecommendedGranularity;
        return hipSuccess;
    });
}

hipError_t hipMemAddressReserve(void** pointer, size_t bytes, size_t alignment, void* hint, unsigned long long flags) {
    return api(__func__,
               [&] { return flags == 0 ? reserve_addresses(pointer, bytes, alignment, hint) : hipErrorInvalidValue; });
}

hipError_t hipMemAddressFree(void* pointer, size_t bytes) {
    return api(__func__, [&] { return pointer ? free_addresses(pointer, bytes) : hipErrorInvalidValue; });
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t bytes, const hipMemAllocationProp* props,
                        unsigned long long flags) {
    return api(__func__, [&]() -> hipError_t {
        if (!handle || flags != 0) return hipErrorInvalidValue;
        if (names_no_device(props)) return hipErrorInvalidDevice;
        CUDA_SHIM_TRY(check_props(props));
        return create_physical(handle, bytes, *props);
    });
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
    return api(__func__, [&] { return release_physical(handle); });
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* address) {
    return api(__func__, [&] { return handle && address ? retain_mapped(handle, address) : hipErrorInvalidValue; });
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* props,
                                                   hipMemGenericAllocationHandle_t handle) {
    return api(__func__, [&] {
        std::shared_ptr<PhysicalMemory> memory = physical_memory(handle);
        if (!props || !memory) return hipErrorInvalidValue;
        *props = memory->props();
        return hipSuccess;
    });
}

hipError_t hipMemExportToShareableHandle(void* out, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type, unsigned long long flags) {
    return api(__func__, [&] { return flags == 0 ? export_handle(out, handle, type) : hipErrorInvalidValue; });
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* os_handle,
                                           hipMemAllocationHandleType type) {
    return api(__func__, [&] {
        if (!handle || type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
        // The descriptor itself is passed in the place of a pointer.
        return import_physical(handle, static_cast<int>(reinterpret_cast<intptr_t>(os_handle)));
    });
}

hipError_t hipMemMap(void* pointer, size_t bytes, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
    return api(__func__, [&] {
        if (!pointer || flags != 0) return hipErrorInvalidValue;
        return map_memory(pointer, bytes, offset, handle);
    });
}

hipError_t hipMemUnmap(void* pointer, size_t bytes) {
    return api(__func__, [&]() -> hipError_t {
        if (!pointer || bytes == 0) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(refuse_unsafe_call());
        return unmap_memory(pointer, bytes);
    });
}

hipError_t hipMemSetAccess(void* pointer, size_t bytes, const hipMemAccessDesc* list, size_t count) {
    return api(__func__, [&] {
        if (!pointer || bytes == 0) return hipErrorInvalidValue;
        return set_access(pointer, bytes, list, count);
    });
}

hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* pointer) {
    return api(__func__, [&] {
        if (!flags || !location || !pointer) return hipErrorInvalidValue;
        return get_access(pointer, *location, *flags);
    });
}
