#include "hip/launch/after_fault.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string_view>

#include "hip/contexts/device.h"

namespace cuda_shim {
namespace {

std::atomic<bool> faulted{false};

// Functions that need the device, by the beginnings of their names, as an NVIDIA GPU's driver answers after a fault.
constexpr std::string_view kNeedTheDevice[] = {
    "hipMalloc",
    "hipFree",
    "hipHost",
    "hipMem",
    "hipStream",
    "hipEvent",
    "hipLaunch",
    "hipModule",
    "hipFunc",
    "hipOccupancy",
    "hipArray",
    "hipMipmappedArray",
    "hipCreate",
    "hipTexObject",
    "hipGraphInst",
    "hipGraphLaunch",
    "hipGraphUpload",
    "hipKernelGetFunction",
    "hipCtxSync",
    "hipDeviceSync",
    "hipCtxGetLimit",
    "hipDeviceGetLimit",
    "hipDeviceGetStreamPriorityRange",
};
// Exceptions: they look at tables of the runtime alone.
constexpr std::string_view kNeedNothing[] = {
    "hipMemPool", "hipMemGetAllocation", "hipMemGetHandle", "hipMemRelease", "hipMemAddressFree", "hipMemPtrGetInfo",
};
constexpr std::string_view kGivesBack[] = {"Free", "Destroy", "Unload", "Unregister", "Unmap", "Release"};

template <class Names>
bool begins_with_any(std::string_view function, const Names& names) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](std::string_view name) { return function.substr(0, name.size()) == name; });
}

}  // namespace

void note_fault() noexcept { faulted.store(true, std::memory_order_release); }

bool any_fault() noexcept { return faulted.load(std::memory_order_acquire); }

hipError_t error_after_fault(const char* function) noexcept {
    std::string_view name = function;
    if (!begins_with_any(name, kNeedTheDevice) || begins_with_any(name, kNeedNothing)) return hipSuccess;
    return current_device().sticky_error();
}

bool gives_back(const char* function) noexcept {
    std::string_view name = function;
    return std::any_of(std::begin(kGivesBack), std::end(kGivesBack),
                       [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

}  // namespace cuda_shim
