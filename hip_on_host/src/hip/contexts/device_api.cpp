// hipDevice*, hipGetDevice*, hipSetDevice*: choosing and describing devices.
#include <stdio.h>
#include <string.h>

#include "engine/device_heap.h"
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/rocm.h"
#include "hip/streams/capture.h"

namespace cuda_shim {
namespace {

constexpr int kPciBusIdBytes = 13;  // "0000:00:00.0" and its end
constexpr unsigned kDeviceFlags = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;

template <class Use>
hipError_t with_device(int ordinal, Use&& use) {
    Device* device = device_at(ordinal);
    return device ? use(*device) : hipErrorInvalidDevice;
}

hipError_t find_by_pci_bus_id(int* out, const char* text) {
    if (!out || !text) return hipErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) {
        domain = 0;
        if (sscanf(text, "%x:%x.%x", &bus, &slot, &function) != 3) return hipErrorInvalidValue;
    }
    for (const auto& device : devices()) {
        const hipDeviceProp_t& p = device->properties();
        if (p.pciDomainID == static_cast<int>(domain) && p.pciBusID == static_cast<int>(bus) &&
            p.pciDeviceID == static_cast<int>(slot) && function == 0) {
            *out = device->ordinal();
            return hipSuccess;
        }
    }
    return hipErrorInvalidValue;
}

bool is_limit(hipLimit_t limit) {
    if (limit == hipLimitPrintfFifoSize) return !as_rocm(RocmDifference::NoPrintfLimit);
    return limit == hipLimitStackSize || limit == hipLimitMallocHeapSize;
}

hipError_t get_limit(size_t* value, hipLimit_t limit) {
    if (!value) return hipErrorInvalidValue;
    if (!is_limit(limit)) return hipErrorUnsupportedLimit;
    Device& device = current_device();
    std::lock_guard<std::mutex> lock(device.mutex());
    *value = device.state().limits[limit];
    return hipSuccess;
}

hipError_t set_limit(hipLimit_t limit, size_t value) {
    if (!is_limit(limit)) return hipErrorUnsupportedLimit;
    Device& device = current_device();
    // A GPU makes its heap for the first kernel that allocates, of the size that is set then.
    const bool fixed = limit == hipLimitMallocHeapSize && !as_rocm(RocmDifference::HeapLimitNeverFixed);
    if (fixed && device_heap_was_used()) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(device.mutex());
    device.state().limits[limit] = value;
    if (limit == hipLimitMallocHeapSize) set_device_heap_limit(value);
    return hipSuccess;
}

hipError_t set_flags(Device& device, unsigned flags) {
    const unsigned schedule = flags & hipDeviceScheduleMask;
    const bool one_schedule = (schedule & (schedule - 1)) == 0;
    if ((flags & ~kDeviceFlags) || !one_schedule) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(device.mutex());
    device.state().flags = as_rocm(RocmDifference::SchedulingFlagsAlone) ? schedule : flags;
    return hipSuccess;
}

hipError_t choose_device(int* out, const hipDeviceProp_t* requested) {
    if (!out || !requested) return hipErrorInvalidValue;
    for (const auto& device : devices()) {
        const hipDeviceProp_t& p = device->properties();
        bool enough = p.major >= requested->major && p.totalGlobalMem >= requested->totalGlobalMem &&
                      p.sharedMemPerBlock >= requested->sharedMemPerBlock &&
                      p.maxThreadsPerBlock >= requested->maxThreadsPerBlock;
        if (enough) {
            *out = device->ordinal();
            return hipSuccess;
        }
    }
    *out = 0;  // "the best match", even when it is not a good one
    return hipSuccess;
}

hipError_t peer_attribute(int* value, hipDeviceP2PAttr attribute, int source, int destination) {
    if (!value) return hipErrorInvalidValue;
    if (source == destination || !device_at(source) || !device_at(destination)) return hipErrorInvalidDevice;
    switch (attribute) {
        case hipDevP2PAttrPerformanceRank:
            *value = 0;  // all links are equally fast: the same memory
            return hipSuccess;
        case hipDevP2PAttrAccessSupported:
        case hipDevP2PAttrNativeAtomicSupported:
        case hipDevP2PAttrHipArrayAccessSupported:
            *value = 1;
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipGetDeviceCount(int* count) {
    return api(__func__, [&] {
        if (!count) return hipErrorInvalidValue;
        *count = device_count();
        return hipSuccess;
    });
}

hipError_t hipDeviceGet(int* device, int ordinal) {
    return api(__func__, [&] {
        if (!device) return hipErrorInvalidValue;
        if (!device_at(ordinal)) return hipErrorInvalidDevice;
        *device = ordinal;
        return hipSuccess;
    });
}

hipError_t hipSetDevice(int ordinal) {
    return api(__func__, [&] {
        if (!device_at(ordinal)) return hipErrorInvalidDevice;
        set_current_device(ordinal);
        return hipSuccess;
    });
}

hipError_t hipSetValidDevices(int* list, int length) {
    return api(__func__, [&] {
        if (length < 0 || length > device_count() || (length > 0 && !list)) return hipErrorInvalidValue;
        for (int i = 0; i < length; ++i) {
            if (!device_at(list[i])) return hipErrorInvalidDevice;
        }
        if (length > 0) set_current_device(list[0]);
        return hipSuccess;
    });
}

hipError_t hipGetDevice(int* ordinal) {
    return api(__func__, [&] {
        if (!ordinal) return hipErrorInvalidValue;
        *ordinal = current_device().ordinal();
        return hipSuccess;
    });
}

hipError_t hipDeviceGetName(char* name, int length, int ordinal) {
    return api(__func__, [&] {
        return with_device(ordinal, [&](Device& device) {
            if (!name || length <= 0) return hipErrorInvalidValue;
            snprintf(name, static_cast<size_t>(length), "%s", device.properties().name);
            return hipSuccess;
        });
    });
}

hipError_t hipDeviceGetUuid(hipUUID_t* uuid, int ordinal) {
    return api(__func__, [&] {
        return with_device(ordinal, [&](Device& device) {
            if (!uuid) return hipErrorInvalidValue;
            *uuid = device.properties().uuid;
            return hipSuccess;
        });
    });
}

hipError_t hipDeviceTotalMem(size_t* bytes, int ordinal) {
    return api(__func__, [&] {
        return with_device(ordinal, [&](Device& device) {
            if (!bytes) return hipErrorInvalidValue;
            *bytes = device.properties().totalGlobalMem;
            return hipSuccess;
        });
    });
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, int ordinal) {
    return api(__func__, [&] {
        return with_device(ordinal, [&](Device& device) {
            if (!major || !minor) return hipErrorInvalidValue;
            *major = device.properties().major;
            *minor = device.properties().minor;
            return hipSuccess;
        });
    });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int ordinal) {
    return api(__func__, [&] {
        return with_device(ordinal, [&](Device& device) {
            if (!value) return hipErrorInvalidValue;
            return device_attribute(device.properties(), attribute, *value) ? hipSuccess : hipErrorInvalidValue;
        });
    });
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t* properties, int ordinal) {
    return api(__func__, [&] {
        if (!properties) return hipErrorInvalidValue;
        return with_device(ordinal, [&](Device& device) {
            *properties = device.properties();
            return hipSuccess;
        });
    });
}

hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_t* properties) {
    return api(__func__, [&] { return choose_device(device, properties); });
}

hipError_t hipDeviceGetPCIBusId(char* text, int length, int ordinal) {
    return api(__func__, [&] {
        return with_device(ordinal, [&](Device& device) {
            if (!text || length < kPciBusIdBytes) return hipErrorInvalidValue;
            const hipDeviceProp_t& p = device.properties();
            snprintf(text, static_cast<size_t>(length), "%04x:%02x:%02x.0", static_cast<unsigned>(p.pciDomainID),
                     static_cast<unsigned>(p.pciBusID), static_cast<unsigned>(p.pciDeviceID));
            return hipSuccess;
        });
    });
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* text) {
    return api(__func__, [&] { return find_by_pci_bus_id(device, text); });
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int source, int destination) {
    return api(__func__, [&] { return peer_attribute(value, attribute, source, destination); });
}

hipError_t hipExtGetLinkTypeAndHopCount(int first, int second, uint32_t* link_type, uint32_t* hops) {
    return api(__func__, [&] {
        if (!link_type || !hops) return hipErrorInvalidValue;
        if (first == second || !device_at(first) || !device_at(second)) return hipErrorInvalidDevice;
        *link_type = 0;
        *hops = 1;
        return hipSuccess;
    });
}

hipError_t hipDeviceSynchronize() {
    return api(__func__, []() -> hipError_t {
        CUDA_SHIM_TRY(refuse_device_wait(current_device()));
        return current_device().synchronise();
    });
}

hipError_t hipDeviceReset() {
    return api(__func__, []() -> hipError_t {
        CUDA_SHIM_TRY(refuse_unsafe_call());
        return current_device().reset();
    });
}

hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
    return api(__func__, [&] { return get_limit(value, limit); });
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
    return api(__func__, [&] { return set_limit(limit, value); });
}

hipError_t hipGetDeviceFlags(unsigned int* flags) {
    return api(__func__, [&] {
        if (!flags) return hipErrorInvalidValue;
        Device& device = current_device();
        std::lock_guard<std::mutex> lock(device.mutex());
        *flags = device.state().flags;
        return hipSuccess;
    });
}

hipError_t hipSetDeviceFlags(unsigned int flags) {
    return api(__func__, [&] { return set_flags(current_device(), flags); });
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
    return api(__func__, [&] {
        if (config < hipFuncCachePreferNone || config > hipFuncCachePreferEqual) return hipErrorInvalidValue;
        Device& device = current_device();
        std::lock_guard<std::mutex> lock(device.mutex());
        if (!as_rocm(RocmDifference::PreferencesForgotten)) device.state().cache_config = config;
        return hipSuccess;
    });
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
    return api(__func__, [&] {
        if (!config) return hipErrorInvalidValue;
        Device& device = current_device();
        std::lock_guard<std::mutex> lock(device.mutex());
        *config = device.state().cache_config;
        return hipSuccess;
    });
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
    return api(__func__, [&] {
        if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte) return hipErrorInvalidValue;
        Device& device = current_device();
        std::lock_guard<std::mutex> lock(device.mutex());
        if (!as_rocm(RocmDifference::PreferencesForgotten)) device.state().shared_config = config;
        return hipSuccess;
    });
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
    return api(__func__, [&] {
        if (!config) return hipErrorInvalidValue;
        Device& device = current_device();
        std::lock_guard<std::mutex> lock(device.mutex());
        *config = device.state().shared_config;
        return hipSuccess;
    });
}

hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t* width, const hipChannelFormatDesc* format, int ordinal) {
    return api(__func__, [&] {
        if (!width || !format) return hipErrorInvalidValue;
        return with_device(ordinal, [&](Device& device) {
            const int64_t bits = int64_t{format->x} + format->y + format->z + format->w;
            if (bits <= 0) return hipErrorInvalidValue;
            *width = static_cast<size_t>(device.properties().maxTexture1DLinear) / static_cast<size_t>((bits + 7) / 8);
            return hipSuccess;
        });
    });
}

// HIP's since ROCm 10.1, which no hip-python binds yet: a device made ready without becoming the current one.
extern "C" CUDA_SHIM_API hipError_t hipInitDevice(int ordinal, unsigned int device_flags, unsigned int flags) {
    constexpr unsigned kFlagsAreValid = 1;  // hipInitDeviceFlagsAreValid
    return api(__func__, [&] {
        if (flags > kFlagsAreValid) return hipErrorInvalidValue;
        return with_device(ordinal, [&](Device& device) {
            return flags == kFlagsAreValid ? set_flags(device, device_flags) : hipSuccess;
        });
    });
}
