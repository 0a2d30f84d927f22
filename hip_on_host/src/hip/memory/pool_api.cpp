// Stream-ordered allocation: hipMallocAsync, hipFreeAsync, hipMemPool*.
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/memory/memory_pool.h"
#include "hip/memory/pool_places.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

hipError_t allocate_async(void** out, size_t bytes, hipMemPool_t pool_handle, bool is_explicit_pool,
                          hipStream_t handle) {
    return with_stream(handle, [&](Stream& stream) {
        MemoryPool* pool = is_explicit_pool ? MemoryPool::resolve(pool_handle) : nullptr;
        if (is_explicit_pool && !pool) return hipErrorInvalidValue;
        return allocate_in_stream(out, bytes, pool, stream);
    });
}

template <class Use>
hipError_t with_pool(hipMemPool_t handle, Use&& use) {
    MemoryPool* pool = MemoryPool::resolve(handle);
    return pool ? use(*pool) : hipErrorInvalidValue;
}

hipError_t create_pool(hipMemPool_t* out, const hipMemPoolProps* props) {
    if (!out || !props) return hipErrorInvalidValue;
    CUDA_SHIM_TRY(check_pool_location(props->location, props->allocType));
    bool shared = props->handleTypes != hipMemHandleTypeNone;
    if (shared && props->handleTypes != hipMemHandleTypePosixFileDescriptor) return hipErrorNotSupported;
    bool sharable = props->allocType == hipMemAllocationTypePinned && props->location.type != hipMemLocationTypeHost;
    if (shared && !sharable) return hipErrorInvalidValue;
    bool of_device = props->location.type == hipMemLocationTypeDevice;
    Device& device = of_device ? *device_at(props->location.id) : current_device();
    *out = (new MemoryPool(device, props))->handle();
    return hipSuccess;
}

hipError_t destroy_pool(hipMemPool_t handle) {
    MemoryPool* pool = MemoryPool::resolve(handle);
    if (!pool) return hipErrorInvalidValue;
    Device& device = pool->device();
    bool graphs_own = pool == &device.graph_pool() || pool == &device.managed_graph_pool();
    if (graphs_own || pool == &device.default_pool()) return hipErrorInvalidValue;
    if (pool_places().is_default(*pool)) return hipErrorInvalidValue;
    const std::unique_ptr<MemoryPool> claimed = claim_handle<MemoryPool>(pool);
    if (!claimed) return hipErrorInvalidValue;
    {
        std::lock_guard<std::mutex> lock(device.mutex());
        if (device.current_pool == pool) device.current_pool = &device.default_pool();
    }
    pool_places().forget(*pool);
    // Allocations that are still in use keep working; they go to the system when they are freed.
    MemoryRegistry::get().forget_pool(pool);
    return hipSuccess;
}

// The device that a location is, or hipCpuDeviceId, for pools that the host sees.
hipError_t accessing(const hipMemLocation& location, const MemoryPool& pool, int& whose) {
    whose = location.id;
    if (location.type == hipMemLocationTypeDevice) {
        return device_at(location.id) ? hipSuccess : hipErrorInvalidDevice;
    }
    whose = hipCpuDeviceId;
    bool host = location.type == hipMemLocationTypeHost || location.type == hipMemLocationTypeHostNuma;
    return host && pool.place() != PoolPlace::Device ? hipSuccess : hipErrorInvalidValue;
}

hipError_t set_access(MemoryPool& pool, const hipMemAccessDesc* list, size_t count) {
    if (!list || count == 0) return hipErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
        int whose = 0;
        CUDA_SHIM_TRY(accessing(list[i].location, pool, whose));
        bool is_valid = list[i].flags == hipMemAccessFlagsProtNone || list[i].flags == hipMemAccessFlagsProtRead ||
                        list[i].flags == hipMemAccessFlagsProtReadWrite;
        if (!is_valid) return hipErrorInvalidValue;
        bool is_own_place = whose == (pool.place() == PoolPlace::Device ? pool.device().ordinal() : hipCpuDeviceId);
        if (is_own_place && list[i].flags == hipMemAccessFlagsProtNone) return hipErrorInvalidDevice;
    }
    for (size_t i = 0; i < count; ++i) {
        int whose = 0;
        CUDA_SHIM_TRY(accessing(list[i].location, pool, whose));
        pool.set_access(whose, list[i].flags);
    }
    return hipSuccess;
}

hipError_t set_device_pool(int ordinal, hipMemPool_t handle) {
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidDevice;
    MemoryPool* pool = MemoryPool::resolve(handle);
    bool is_own_pool = pool && &pool->device() == device && pool->place() == PoolPlace::Device;
    if (!is_own_pool || pool->imported()) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(device->mutex());
    device->current_pool = pool;
    return hipSuccess;
}

hipError_t device_pool(hipMemPool_t* out, int ordinal, bool by_default) {
    if (!out) return hipErrorInvalidValue;
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidDevice;
    std::lock_guard<std::mutex> lock(device->mutex());
    *out = by_default ? device->default_pool().handle() : device->current_pool->handle();
    return hipSuccess;
}

// The forms that name a location. A device's pool of its own memory is the one that the older forms speak of.
bool means_device(const hipMemLocation& location, hipMemAllocationType type) {
    return location.type == hipMemLocationTypeDevice && type == hipMemAllocationTypePinned;
}

hipError_t pool_of_place(hipMemPool_t* out, const hipMemLocation* location, hipMemAllocationType type,
                         bool by_default) {
    if (!out || !location) return hipErrorInvalidValue;
    CUDA_SHIM_TRY(check_pool_location(*location, type));
    if (means_device(*location, type)) return device_pool(out, location->id, by_default);
    *out = pool_places().pool(*location, type, by_default).handle();
    return hipSuccess;
}

hipError_t set_pool_of_place(const hipMemLocation* location, hipMemAllocationType type, hipMemPool_t handle) {
    if (!location) return hipErrorInvalidValue;
    CUDA_SHIM_TRY(check_pool_location(*location, type));
    if (means_device(*location, type)) return set_device_pool(location->id, handle);
    MemoryPool* pool = MemoryPool::resolve(handle);
    if (!pool || pool->imported()) return hipErrorInvalidValue;
    return pool_places().set_current(*location, type, *pool);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { return allocate_async(pointer, bytes, nullptr, false, stream); });
}

hipError_t hipMallocFromPoolAsync(void** pointer, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
    return api(__func__, [&] { return allocate_async(pointer, bytes, pool, true, stream); });
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
    return api(__func__,
               [&] { return with_stream(stream, [&](Stream& target) { return free_in_stream(pointer, target); }); });
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* props) {
    return api(__func__, [&] { return create_pool(pool, props); });
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
    return api(__func__, [&] { return destroy_pool(pool); });
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep) {
    return api(__func__, [&] {
        return with_pool(pool, [&](MemoryPool& target) {
            target.trim(keep);
            return hipSuccess;
        });
    });
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    return api(__func__, [&] {
        if (!value) return hipErrorInvalidValue;
        return with_pool(pool, [&](MemoryPool& target) { return target.set_attribute(attribute, value); });
    });
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    return api(__func__, [&] {
        if (!value) return hipErrorInvalidValue;
        return with_pool(pool, [&](MemoryPool& target) { return target.get_attribute(attribute, value); });
    });
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* list, size_t count) {
    return api(__func__,
               [&] { return with_pool(pool, [&](MemoryPool& target) { return set_access(target, list, count); }); });
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool, hipMemLocation* location) {
    return api(__func__, [&] {
        if (!flags || !location) return hipErrorInvalidValue;
        return with_pool(pool, [&](MemoryPool& target) {
            int whose = 0;
            if (accessing(*location, target, whose) != hipSuccess) return hipErrorInvalidValue;
            *flags = target.access(whose);
            return hipSuccess;
        });
    });
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
    return api(__func__, [&] { return device_pool(pool, device, true); });
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
    return api(__func__, [&] { return device_pool(pool, device, false); });
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
    return api(__func__, [&] { return set_device_pool(device, pool); });
}

hipError_t hipMemSetMemPool(hipMemLocation* location, hipMemAllocationType type, hipMemPool_t pool) {
    return api(__func__, [&] { return set_pool_of_place(location, type, pool); });
}

hipError_t hipMemGetMemPool(hipMemPool_t* pool, hipMemLocation* location, hipMemAllocationType type) {
    return api(__func__, [&] { return pool_of_place(pool, location, type, false); });
}

hipError_t hipMemGetDefaultMemPool(hipMemPool_t* pool, hipMemLocation* location, hipMemAllocationType type) {
    return api(__func__, [&] { return pool_of_place(pool, location, type, true); });
}
