// Hints about managed memory and the program's ordinary memory: advice, prefetching, discarding. Host memory is where
// it is, so they only have to be checked, kept, and returned.
#include <unistd.h>

#include <algorithm>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/launch/kernel_arguments.h"
#include "hip/memory/host_memory.h"
#include "hip/memory/memory_registry.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

// The pages of a range of managed memory, or of the program's own memory where kernels may use that.
// hipErrorInvalidValue for other memory, and for ranges that leave their allocation.
hipError_t find_pages(const void* pointer, size_t bytes, AddressRange& pages) {
    static const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    uintptr_t begin = reinterpret_cast<uintptr_t>(pointer), end;
    if (!pointer || bytes == 0 || __builtin_add_overflow(begin, bytes, &end) || end > ~page) {
        return hipErrorInvalidValue;
    }
    pages = {begin / page * page, (end + page - 1) / page * page};
    Allocation allocation;
    if (!MemoryRegistry::get().find(pointer, allocation)) {
        const bool pageable = host_pointers_allowed() && !MemoryRegistry::get().overlaps(pointer, bytes) &&
                              is_usable(pointer, bytes, false);
        return pageable ? hipSuccess : hipErrorInvalidValue;
    }
    if (!allocation.managed() || !allocation.contains(pointer, bytes)) return hipErrorInvalidValue;
    // Variables of modules share pages with each other.
    pages = {std::max(pages.begin, allocation.base), std::min(pages.end, allocation.base + allocation.size)};
    return hipSuccess;
}

template <class Change>
hipError_t change_advice(const void* pointer, size_t bytes, Change&& change) {
    AddressRange pages;
    CUDA_SHIM_TRY(find_pages(pointer, bytes, pages));
    MemoryRegistry::get().change_advice(pages, change);
    return hipSuccess;
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
    bool is_valid = true;
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
                is_valid = false;
                break;
        }
    });
    return is_valid ? status : hipErrorInvalidValue;
}

hipError_t prefetch(const void* pointer, size_t bytes, int device, hipStream_t handle) {
    CUDA_SHIM_TRY(check_location(device));
    return with_stream(handle, [&](Stream&) {
        return change_advice(pointer, bytes, [&](MemoryAdvice& entry) { entry.last_prefetch = device; });
    });
}

// The advice that holds for a whole range, gathered part by part: an advice that some part lacks is none, and a place
// that differs from part to part is nowhere.
class CommonAdvice {
public:
    void add(const MemoryAdvice& part) {
        if (first_) {
            common_ = part;
            first_ = false;
            return;
        }
        common_.read_mostly &= part.read_mostly;
        common_.accessed_by &= part.accessed_by;
        common_.accessed_by_host &= part.accessed_by_host;
        mixed_grain_ |= common_.coarse_grain != part.coarse_grain;
        if (common_.preferred_location != part.preferred_location) common_.preferred_location = hipInvalidDeviceId;
        if (common_.last_prefetch != part.last_prefetch) common_.last_prefetch = hipInvalidDeviceId;
    }
    const MemoryAdvice& get() const { return common_; }
    int coherency() const {
        if (mixed_grain_) return hipMemRangeCoherencyModeIndeterminate;
        return common_.coarse_grain ? hipMemRangeCoherencyModeCoarseGrain : hipMemRangeCoherencyModeFineGrain;
    }

private:
    MemoryAdvice common_;
    bool first_ = true;
    bool mixed_grain_ = false;
};

// Lists the devices in ascending order, the host behind them; hipInvalidDeviceId in the rest marks the end.
void list_accessed_by(const MemoryAdvice& advice, int* answer, size_t room) {
    size_t used = 0;
    for (int device = 0; device < device_count(); ++device) {
        if ((advice.accessed_by >> device & 1) && used < room) answer[used++] = device;
    }
    if (advice.accessed_by_host && used < room) answer[used++] = hipCpuDeviceId;
    while (used < room) answer[used++] = hipInvalidDeviceId;
}

hipError_t range_attribute(void* data, size_t data_size, hipMemRangeAttribute attribute, const void* pointer,
                           size_t bytes) {
    if (!data || data_size < sizeof(int) || data_size % sizeof(int)) return hipErrorInvalidValue;
    AddressRange pages;
    CUDA_SHIM_TRY(find_pages(pointer, bytes, pages));
    CommonAdvice common;
    MemoryRegistry::get().visit_advice(pages, [&](const MemoryAdvice& part) { common.add(part); });
    int* answer = static_cast<int*>(data);
    if (attribute == hipMemRangeAttributeAccessedBy) {
        list_accessed_by(common.get(), answer, data_size / sizeof(int));
        return hipSuccess;
    }
    if (data_size != sizeof(int)) return hipErrorInvalidValue;
    switch (attribute) {
        case hipMemRangeAttributeReadMostly:
            *answer = common.get().read_mostly;
            return hipSuccess;
        case hipMemRangeAttributePreferredLocation:
            *answer = common.get().preferred_location;
            return hipSuccess;
        case hipMemRangeAttributeLastPrefetchLocation:
            *answer = common.get().last_prefetch;
            return hipSuccess;
        case hipMemRangeAttributeCoherencyMode:
            *answer = common.coherency();
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
            AddressRange pages;
            CUDA_SHIM_TRY(find_pages(pointers[i], sizes[i], pages));
        }
        return hipSuccess;
    });
}

hipError_t attach(hipStream_t handle, void* pointer, size_t bytes, unsigned flags) {
    bool is_valid = flags == hipMemAttachGlobal || flags == hipMemAttachHost || flags == hipMemAttachSingle;
    return with_stream(handle, [&](Stream& stream) {
        // Memory cannot belong to the null stream alone.
        if (!is_valid || (flags == hipMemAttachSingle && stream.role() == StreamRole::Legacy))
            return hipErrorInvalidValue;
        AddressRange pages;
        CUDA_SHIM_TRY(find_pages(pointer, bytes ? bytes : 1, pages));
        Allocation allocation;
        bool managed = MemoryRegistry::get().find(pointer, allocation);
        // Managed memory is attached as a whole, so that its size is optional; ordinary memory needs a size.
        bool fits = managed ? bytes == 0 || bytes == allocation.size : bytes != 0;
        return fits ? hipSuccess : hipErrorInvalidValue;
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
