// hipMalloc and its family, hipFree and its family, and queries about memory as a whole.
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/memory/host_memory.h"
#include "hip/streams/capture.h"

namespace cuda_shim {
namespace {

constexpr size_t kPitchAlignment = 512;          // as an NVIDIA GPU's
constexpr unsigned kHostUncached = 0x10000000u;  // hipHostMallocUncached, hipHostAllocUncached
constexpr unsigned kHostFlags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                                hipHostMallocNumaUser | unsigned{hipHostMallocCoherent} |
                                unsigned{hipHostMallocNonCoherent} | kHostUncached;
constexpr unsigned kDeviceContiguous = 0x4;  // hipDeviceMallocContiguous, the last of the flags

constexpr unsigned kFreeable = kind_bit(MemoryKind::Device) | kind_bit(MemoryKind::Managed) |
                               kind_bit(MemoryKind::Pool) | kind_bit(MemoryKind::Imported);

hipError_t allocate(void** out, size_t bytes, MemoryKind kind, unsigned flags) {
    if (!out) return hipErrorInvalidValue;
    CUDA_SHIM_TRY(refuse_unsafe_call());
    Device& device = current_device();
    if (hipError_t sticky = device.sticky_error()) return sticky;
    return allocate_memory(device, kind, bytes, flags, out);
}

hipError_t allocate_host(void** out, size_t bytes, unsigned flags) {
    if (!out || (flags & ~kHostFlags)) return hipErrorInvalidValue;
    if ((flags & hipHostMallocCoherent) && (flags & hipHostMallocNonCoherent)) return hipErrorInvalidValue;
    return allocate(out, bytes, MemoryKind::Host, flags);
}

hipError_t allocate_extended(void** out, size_t bytes, unsigned flags) {
    if (flags > kDeviceContiguous || (flags == hipMallocSignalMemory && bytes != 8)) return hipErrorInvalidValue;
    return allocate(out, bytes, MemoryKind::Device, flags);
}

hipError_t allocate_pitched(void** out, size_t* pitch, size_t width, size_t height, size_t depth) {
    if (!out || !pitch) return hipErrorInvalidValue;
    *out = nullptr;
    if (width == 0 || height == 0 || depth == 0) {
        *pitch = 0;
        return hipSuccess;
    }
    if (width > ~size_t{0} - kPitchAlignment) return hipErrorOutOfMemory;
    *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    size_t rows, bytes;
    if (__builtin_mul_overflow(height, depth, &rows) || __builtin_mul_overflow(rows, *pitch, &bytes)) {
        return hipErrorOutOfMemory;
    }
    return allocate(out, bytes, MemoryKind::Device, 0);
}

hipError_t release(void* pointer, unsigned allowed) {
    CUDA_SHIM_TRY(refuse_unsafe_call());
    if (!pointer) return hipSuccess;
    return free_memory(pointer, allowed);
}

hipError_t register_host(void* pointer, size_t bytes, unsigned flags) {
    constexpr unsigned allowed =
        hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory | hipExtHostRegisterCoarseGrained;
    if (!pointer || bytes == 0 || (flags & ~allowed)) return hipErrorInvalidValue;
    if (!is_usable(pointer, bytes, false)) return hipErrorInvalidValue;
    if (MemoryRegistry::get().overlaps(pointer, bytes)) return hipErrorHostMemoryAlreadyRegistered;
    Allocation allocation;
    allocation.base = reinterpret_cast<uintptr_t>(pointer);
    allocation.size = bytes;
    allocation.kind = MemoryKind::Registered;
    const Owner owner = current_owner();
    allocation.device = owner.device;
    allocation.context = owner.context;
    allocation.flags = flags;
    MemoryRegistry::get().add(allocation);
    return hipSuccess;
}

hipError_t unregister_host(void* pointer) {
    if (!pointer) return hipErrorInvalidValue;
    Allocation allocation;
    if (!MemoryRegistry::get().find(pointer, allocation) || allocation.kind != MemoryKind::Registered) {
        return hipErrorHostMemoryNotRegistered;
    }
    if (allocation.base != reinterpret_cast<uintptr_t>(pointer)) return hipErrorInvalidValue;  // inside of it
    device_at(allocation.device)->wait_for_all();
    MemoryRegistry::get().remove(pointer);
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMalloc(void** pointer, size_t bytes) {
    return api(__func__, [&] { return allocate(pointer, bytes, MemoryKind::Device, 0); });
}

hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned int flags) {
    return api(__func__, [&] { return allocate_extended(pointer, bytes, flags); });
}

hipError_t hipMallocHost(void** pointer, size_t bytes) {
    return api(__func__, [&] { return allocate_host(pointer, bytes, 0); });
}

hipError_t hipMemAllocHost(void** pointer, size_t bytes) {
    return api(__func__, [&] { return allocate_host(pointer, bytes, 0); });
}

hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned int flags) {
    return api(__func__, [&] { return allocate_host(pointer, bytes, flags); });
}

hipError_t hipHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
    return api(__func__, [&] { return allocate_host(pointer, bytes, flags); });
}

hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
    return api(__func__, [&] {
        if (bytes == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost)) return hipErrorInvalidValue;
        return allocate(pointer, bytes, MemoryKind::Managed, flags);
    });
}

hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    return api(__func__, [&] { return allocate_pitched(pointer, pitch, width, height, 1); });
}

hipError_t hipMemAllocPitch(void** pointer, size_t* pitch, size_t width, size_t height, unsigned int element_size) {
    return api(__func__, [&] {
        if (element_size != 4 && element_size != 8 && element_size != 16) return hipErrorInvalidValue;
        return allocate_pitched(pointer, pitch, width, height, 1);
    });
}

hipError_t hipMalloc3D(hipPitchedPtr* pointer, hipExtent extent) {
    return api(__func__, [&]() -> hipError_t {
        if (!pointer) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(allocate_pitched(&pointer->ptr, &pointer->pitch, extent.width, extent.height, extent.depth));
        pointer->xsize = extent.width;
        pointer->ysize = extent.height;
        return hipSuccess;
    });
}

hipError_t hipFree(void* pointer) {
    return api(__func__, [&] { return release(pointer, kFreeable); });
}

hipError_t hipHostFree(void* pointer) {
    return api(__func__, [&] { return release(pointer, kind_bit(MemoryKind::Host)); });
}

hipError_t hipFreeHost(void* pointer) {
    return api(__func__, [&] { return release(pointer, kind_bit(MemoryKind::Host)); });
}

hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned int flags) {
    return api(__func__, [&] { return register_host(pointer, bytes, flags); });
}

hipError_t hipHostUnregister(void* pointer) {
    return api(__func__, [&] { return unregister_host(pointer); });
}

hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags) {
    return api(__func__, [&] {
        if (!device_pointer || !host_pointer || flags != 0) return hipErrorInvalidValue;
        *device_pointer = nullptr;
        Allocation allocation;
        if (!MemoryRegistry::get().find(host_pointer, allocation)) return hipErrorInvalidValue;
        if (!allocation.host_visible()) return hipErrorInvalidValue;
        *device_pointer = host_pointer;
        return hipSuccess;
    });
}

hipError_t hipHostGetFlags(unsigned int* flags, void* pointer) {
    return api(__func__, [&] {
        if (!flags || !pointer) return hipErrorInvalidValue;
        Allocation allocation;
        if (!MemoryRegistry::get().find(pointer, allocation)) return hipErrorInvalidValue;
        if (allocation.kind != MemoryKind::Host && allocation.kind != MemoryKind::Registered) {
            return hipErrorInvalidValue;
        }
        *flags = allocation.flags;
        return hipSuccess;
    });
}

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
    return api(__func__, [&] {
        size_t free_bytes, total_bytes;
        memory_info(current_device(), free_bytes, total_bytes);
        if (free) *free = free_bytes;
        if (total) *total = total_bytes;
        return hipSuccess;
    });
}
