// Hints about managed memory: advice, prefetching, discarding. Host memory is where it is, so they only have to be
// checked, kept, and answered.
#include "hip/api.h"
#include "hip/device.h"
#include "hip/memory_registry.h"
#include "hip/stream.h"

namespace cuda_shim {
namespace {

// The managed allocation that holds the whole range.
hipError_t find_managed(const void* pointer, size_t bytes, Allocation& found) {
    if (!pointer || bytes == 0 || !MemoryRegistry::get().find(pointer, found)) return hipErrorInvalidValue;
    bool valid = found.managed() && found.contains(pointer, bytes);
    return valid ? hipSuccess : hipErrorInvalidValue;
}

template <class Change>
hipError_t change_advice(const void* pointer, size_t bytes, Change&& change) {
    Allocation found;
    CUDA_SHIM_TRY(find_managed(pointer, bytes, found));
    void* base = reinterpret_cast<void*>(found.base);
    bool changed = MemoryRegistry::get().update(base, [&](Allocation& entry) { change(entry.advice); });
    return changed ? hipSuccess : hipErrorInvalidValue;
}

hipError_t check_location(int device) {
    return device == hipCpuDeviceId || device_at(device) ? hipSuccess : hipErrorInvalidDevice;
}

// A location as the device number that the older forms take.
hipError_t device_of(const hipMemLocation& location, int& device) {
    switch (location.type) {
        case hipMemLocationTypeDevice:
            device = location.id;
            return device_at(device) ? hipSuccess : hipErrorInvalidDevice;
        case hipMemLocationTypeHost:
        case hipMemLocationTypeHostNuma:
        case hipMemLocationTypeHostNumaCurrent:
            device = hipCpuDeviceId;
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

void set_accessed_by(MemoryAdvice& advice, int device, bool accessed) {
    if (device == hipCpuDeviceId) {
        advice.accessed_by_host = accessed;
    } else if (accessed) {
        advice.accessed_by |= uint64_t{1} << device;
    } else {
        advice.accessed_by &= ~(uint64_t{1} << device);
    }
}

hipError_t advise(const void* pointer, size_t bytes, hipMemoryAdvise advice, int device) {
    if (advice < hipMemAdviseSetReadMostly) return hipErrorInvalidValue;
    bool located = advice == hipMemAdviseSetPreferredLocation || advice == hipMemAdviseSetAccessedBy ||
                   advice == hipMemAdviseUnsetAccessedBy;
    if (located) CUDA_SHIM_TRY(check_location(device));
    bool known = true;
    hipError_t status = change_advice(pointer, bytes, [&](MemoryAdvice& entry) {
        switch (advice) {
            case hipMemAdviseSetReadMostly:
            case hipMemAdviseUnsetReadMostly:
                entry.read_mostly = advice == hipMemAdviseSetReadMostly;
                break;
            case hipMemAdviseSetPreferredLocation:
                entry.preferred_location = device;
                break;
            case hipMemAdviseUnsetPreferredLocation:
                entry.preferred_location = hipInvalidDeviceId;
                break;
            case hipMemAdviseSetAccessedBy:
            case hipMemAdviseUnsetAccessedBy:
                set_accessed_by(entry, device, advice == hipMemAdviseSetAccessedBy);
                break;
            case hipMemAdviseSetCoarseGrain:
            case hipMemAdviseUnsetCoarseGrain:
                entry.coarse_grain = advice == hipMemAdviseSetCoarseGrain;
                break;
            default:
                known = false;
                break;
        }
    });
    return known ? status : hipErrorInvalidValue;
}

hipError_t prefetch(const void* pointer, size_t bytes, int device, hipStream_t handle) {
    CUDA_SHIM_TRY(check_location(device));
    return with_stream(handle, [&](Stream&) {
        return change_advice(pointer, bytes, [&](MemoryAdvice& entry) { entry.last_prefetch = device; });
    });
}

hipError_t range_attribute(void* data, size_t data_size, hipMemRangeAttribute attribute, const void* pointer,
                           size_t bytes) {
    if (!data || data_size < sizeof(int) || data_size % sizeof(int)) return hipErrorInvalidValue;
    Allocation found;
    CUDA_SHIM_TRY(find_managed(pointer, bytes, found));
    const MemoryAdvice& advice = found.advice;
    int* answer = static_cast<int*>(data);
    if (attribute == hipMemRangeAttributeAccessedBy) {
        size_t room = data_size / sizeof(int), used = 0;
        if (advice.accessed_by_host && used < room) answer[used++] = hipCpuDeviceId;
        for (int device = 0; device < device_count(); ++device) {
            if ((advice.accessed_by >> device & 1) && used < room) answer[used++] = device;
        }
        while (used < room) answer[used++] = hipInvalidDeviceId;
        return hipSuccess;
    }
    if (data_size != sizeof(int)) return hipErrorInvalidValue;
    switch (attribute) {
        case hipMemRangeAttributeReadMostly:
            *answer = advice.read_mostly;
            return hipSuccess;
        case hipMemRangeAttributePreferredLocation:
            *answer = advice.preferred_location;
            return hipSuccess;
        case hipMemRangeAttributeLastPrefetchLocation:
            *answer = advice.last_prefetch;
            return hipSuccess;
        case hipMemRangeAttributeCoherencyMode:
            *answer = advice.coarse_grain ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

hipError_t prefetch_batch(void** pointers, size_t* sizes, size_t count, hipMemLocation* locations, size_t* first_of,
                          size_t location_count, unsigned long long flags, hipStream_t stream) {
    if (!pointers || !sizes || count == 0 || !locations || !first_of || location_count == 0 || flags != 0) {
        return hipErrorInvalidValue;
    }
    // Location i serves the ranges from first_of[i] on, to the next location's first.
    if (first_of[0] != 0 || location_count > count) return hipErrorInvalidValue;
    for (size_t range = 0, at = 0; range < count; ++range) {
        if (at + 1 < location_count && first_of[at + 1] == range) ++at;
        int device;
        CUDA_SHIM_TRY(device_of(locations[at], device));
        CUDA_SHIM_TRY(prefetch(pointers[range], sizes[range], device, stream));
    }
    return hipSuccess;
}

// The contents become undefined, which they may be by staying as they are.
hipError_t discard_batch(void** pointers, size_t* sizes, size_t count, unsigned long long flags, hipStream_t handle) {
    if (!pointers || !sizes || count == 0 || flags != 0) return hipErrorInvalidValue;
    return with_stream(handle, [&](Stream&) {
        for (size_t i = 0; i < count; ++i) {
            Allocation found;
            CUDA_SHIM_TRY(find_managed(pointers[i], sizes[i], found));
        }
        return hipSuccess;
    });
}

hipError_t attach(hipStream_t handle, void* pointer, size_t bytes, unsigned flags) {
    bool known = flags == hipMemAttachGlobal || flags == hipMemAttachHost || flags == hipMemAttachSingle;
    return with_stream(handle, [&](Stream& stream) {
        // Memory cannot belong to the null stream alone.
        if (!known || (flags == hipMemAttachSingle && stream.role() == StreamRole::Legacy)) return hipErrorInvalidValue;
        Allocation found;
        CUDA_SHIM_TRY(find_managed(pointer, bytes ? bytes : 1, found));
        return bytes == 0 || bytes == found.size ? hipSuccess : hipErrorInvalidValue;
    });
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMemAdvise(const void* pointer, size_t bytes, hipMemoryAdvise advice, int device) {
    return api(__func__, [&] { return advise(pointer, bytes, advice, device); });
}

hipError_t hipMemAdvise_v2(const void* pointer, size_t bytes, hipMemoryAdvise advice, hipMemLocation location) {
    return api(__func__, [&]() -> hipError_t {
        int device;
        CUDA_SHIM_TRY(device_of(location, device));
        return advise(pointer, bytes, advice, device);
    });
}

hipError_t hipMemPrefetchAsync(const void* pointer, size_t bytes, int device, hipStream_t stream) {
    return api(__func__, [&] { return prefetch(pointer, bytes, device, stream); });
}

hipError_t hipMemPrefetchAsync_v2(const void* pointer, size_t bytes, hipMemLocation location, unsigned int flags,
                                  hipStream_t stream) {
    return api(__func__, [&]() -> hipError_t {
        int device;
        if (flags != 0) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(device_of(location, device));
        return prefetch(pointer, bytes, device, stream);
    });
}

hipError_t hipMemPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count, hipMemLocation* locations,
                                    size_t* first_of, size_t location_count, unsigned long long flags,
                                    hipStream_t stream) {
    return api(__func__, [&] {
        return prefetch_batch(pointers, sizes, count, locations, first_of, location_count, flags, stream);
    });
}

hipError_t hipMemDiscardBatchAsync(void** pointers, size_t* sizes, size_t count, unsigned long long flags,
                                   hipStream_t stream) {
    return api(__func__, [&] { return discard_batch(pointers, sizes, count, flags, stream); });
}

hipError_t hipDrvMemDiscardBatchAsync(void** pointers, size_t* sizes, size_t count, unsigned long long flags,
                                      hipStream_t stream) {
    return api(__func__, [&] { return discard_batch(pointers, sizes, count, flags, stream); });
}

hipError_t hipMemDiscardAndPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count, hipMemLocation* locations,
                                              size_t* first_of, size_t location_count, unsigned long long flags,
                                              hipStream_t stream) {
    return api(__func__, [&]() -> hipError_t {
        CUDA_SHIM_TRY(discard_batch(pointers, sizes, count, flags, stream));
        return prefetch_batch(pointers, sizes, count, locations, first_of, location_count, flags, stream);
    });
}

hipError_t hipDrvMemDiscardAndPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                                 hipMemLocation* locations, size_t* first_of, size_t location_count,
                                                 unsigned long long flags, hipStream_t stream) {
    return api(__func__, [&]() -> hipError_t {
        CUDA_SHIM_TRY(discard_batch(pointers, sizes, count, flags, stream));
        return prefetch_batch(pointers, sizes, count, locations, first_of, location_count, flags, stream);
    });
}

hipError_t hipMemRangeGetAttribute(void* data, size_t data_size, hipMemRangeAttribute attribute, const void* pointer,
                                   size_t bytes) {
    return api(__func__, [&] { return range_attribute(data, data_size, attribute, pointer, bytes); });
}

hipError_t hipMemRangeGetAttributes(void** data, size_t* data_sizes, hipMemRangeAttribute* attributes, size_t count,
                                    const void* pointer, size_t bytes) {
    return api(__func__, [&]() -> hipError_t {
        if (!data || !data_sizes || !attributes || count == 0) return hipErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
            CUDA_SHIM_TRY(range_attribute(data[i], data_sizes[i], attributes[i], pointer, bytes));
        }
        return hipSuccess;
    });
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* pointer, size_t bytes, unsigned int flags) {
    return api(__func__, [&] { return attach(stream, pointer, bytes, flags); });
}
