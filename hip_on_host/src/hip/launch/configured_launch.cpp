// Launches in three steps, as compilers once wrote <<<>>>: hipConfigureCall, hipSetupArgument, hipLaunchByPtr.
#include <string.h>

#include <vector>

#include "engine/per_thread.h"
#include "hip/api.h"

namespace cuda_shim {
namespace {

struct ConfiguredLaunch {
    dim3 grid, block;
    size_t dynamic_shared_bytes;
    hipStream_t stream;
    std::vector<char> arguments;  // packed, by C's layout
};

constexpr size_t kMaxArgumentBytes = 4096;

// Configured and not launched yet by this thread; the innermost last.
std::vector<ConfiguredLaunch>& configured() { return thread_object<std::vector<ConfiguredLaunch>>(); }

hipError_t set_argument(const void* argument, size_t size, size_t offset) {
    if (!argument || configured().empty()) return hipErrorInvalidValue;
    if (size > kMaxArgumentBytes || offset > kMaxArgumentBytes - size) return hipErrorInvalidValue;
    std::vector<char>& packed = configured().back().arguments;
    if (packed.size() < offset + size) packed.resize(offset + size);
    memcpy(packed.data() + offset, argument, size);
    return hipSuccess;
}

hipError_t launch_configured(const void* function) {
    if (configured().empty()) return hipErrorInvalidConfiguration;
    ConfiguredLaunch launch = std::move(configured().back());
    configured().pop_back();
    size_t bytes = launch.arguments.size();
    void* extra[] = {reinterpret_cast<void*>(HIP_LAUNCH_PARAM_BUFFER_POINTER), launch.arguments.data(),
                     reinterpret_cast<void*>(HIP_LAUNCH_PARAM_BUFFER_SIZE), &bytes,
                     reinterpret_cast<void*>(HIP_LAUNCH_PARAM_END)};
    hipError_t status =
        hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(const_cast<void*>(function)), launch.grid.x,
                              launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                              static_cast<unsigned>(launch.dynamic_shared_bytes), launch.stream, nullptr, extra);
    return status == hipErrorInvalidResourceHandle ? hipErrorInvalidDeviceFunction : status;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t dynamic_shared_bytes, hipStream_t stream) {
    return api(__func__, [&] {
        configured().push_back({grid, block, dynamic_shared_bytes, stream, {}});
        return hipSuccess;
    });
}

hipError_t hipSetupArgument(const void* argument, size_t size, size_t offset) {
    return api(__func__, [&] { return set_argument(argument, size, offset); });
}

// As in hipLaunchKernel, the address is a hipFunction_t or hipKernel_t.
hipError_t hipLaunchByPtr(const void* function) {
    return api(__func__, [&] { return launch_configured(function); });
}
