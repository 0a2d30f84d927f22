// The life of the runtime in a process: lazy start, the devices, the thread's current device, fork.
#include "common/log.h"
#include "common/once.h"
#include "common/settings.h"
#include "engine/findings.h"
#include "hip/api.h"
#include "hip/contexts/context.h"
#include "hip/contexts/device.h"
#include "hip/fork.h"
#include "hip/memory/kernel_memory.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

thread_local int current_ordinal = 0;

std::vector<std::unique_ptr<Device>>& device_list() {
    static auto* const list = new std::vector<std::unique_ptr<Device>>;
    return *list;
}

void start() {
    std::vector<std::unique_ptr<Device>> devices;
    for (int ordinal = 0; ordinal < settings().devices; ++ordinal) devices.push_back(std::make_unique<Device>(ordinal));
    device_list() = std::move(devices);
    watch_forks();
    if (settings().check) {
        offer_memory_to_checks();
        watch_exit(tell_leaks);
    }
    const hipDeviceProp_t& first = device_list().front()->properties();
    log(LogLevel::Info, "%d device%s: %s, %d threads, warp size %d", settings().devices,
        settings().devices == 1 ? "" : "s", first.name, settings().threads, settings().warp_size);
}

Once started;

int version_number() { return as_rocm(RocmDifference::OwnVersion) ? settings().release.hip_version : HIP_VERSION; }

}  // namespace

hipError_t ensure_initialised() {
    started.run(start);
    return hipSuccess;
}

const std::vector<std::unique_ptr<Device>>& devices() { return device_list(); }

int device_count() { return static_cast<int>(device_list().size()); }

Device* device_at(int ordinal) {
    return ordinal >= 0 && ordinal < device_count() ? device_list()[static_cast<size_t>(ordinal)].get() : nullptr;
}

Device& current_device() {
    if (as_rocm(RocmDifference::DeviceApartFromStack)) return *device_list()[static_cast<size_t>(current_ordinal)];
    std::vector<hipCtx_t>& stack = context_stack();
    while (!stack.empty()) {
        if (Context* context = Context::resolve(stack.back())) return context->device();
        stack.pop_back();  // another thread destroyed it
    }
    return *device_list()[static_cast<size_t>(current_ordinal)];
}

void set_current_device(int ordinal) {
    current_ordinal = ordinal;
    if (as_rocm(RocmDifference::DeviceApartFromStack)) return;
    // The runtime's way of choosing a device makes that device's primary context the current one.
    std::vector<hipCtx_t>& stack = context_stack();
    if (!stack.empty()) stack.back() = device_at(ordinal)->primary_context().handle();
}

}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipInit(unsigned int flags) {
    return api(__func__, [&] { return flags == 0 ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipDriverGetVersion(int* version) {
    return api(__func__, [&] {
        if (!version) return hipErrorInvalidValue;
        *version = version_number();
        return hipSuccess;
    });
}

hipError_t hipRuntimeGetVersion(int* version) {
    return api(__func__, [&] {
        if (!version) return hipErrorInvalidValue;
        *version = version_number();
        return hipSuccess;
    });
}
