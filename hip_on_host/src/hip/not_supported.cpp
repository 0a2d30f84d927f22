// The functions of HIP that this runtime does not serve, each with the reason, and nowhere else. They exist so that
// hip-python finds every symbol; a call returns hipErrorNotSupported and says so once in the log.
//
// Declared without their parameters: none are looked at, and the caller cleans them up. This file must therefore
// not see hip_functions.h.
#include <string.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string_view>

#include "abi/hip_types.h"
#include "common/log.h"

namespace cuda_shim {

hipError_t finish_call(const char* function, hipError_t result) noexcept;

namespace {

constexpr std::string_view kHipAlone[] = {
    "hipExtStreamCreateWithCUMask",
    "hipExtStreamGetCUMask",
    "hipGetTextureReference",
};

// The log has CUDA's name first: CUDA's driver has all other functions here under the same name.
void log_refusal(const char* function, const char* reason) {
    if (std::find(std::begin(kHipAlone), std::end(kHipAlone), function) != std::end(kHipAlone)) {
        log(LogLevel::Warn, "%s is not supported: %s", function, reason);
    } else {
        log(LogLevel::Warn, "cu%s (%s) is not supported: %s", function + strlen("hip"), function, reason);
    }
}

hipError_t refuse(const char* function, const char* reason, std::atomic<bool>& reported) {
    if (!reported.exchange(true)) log_refusal(function, reason);
    return finish_call(function, hipErrorNotSupported);
}

constexpr char kSemaphores[] = "HIP serves external semaphores on Windows alone";
constexpr char kExternalImages[] = "images of other APIs are laid out in ways of their own; map the memory as a buffer";
constexpr char kGraphics[] = "there is no graphics API to share resources with";
constexpr char kPartitions[] = "masks name compute units, which a host has not; use a green context";
constexpr char kHostTextures[] = "textures compiled into a host program do not exist here; load a module instead";
constexpr char kSparse[] = "sparse arrays are not modelled";
constexpr char kDmaBuf[] = "host memory has no dma-buf handle";
constexpr char kProfiler[] = "deprecated in HIP as well; use a profiler of the host";

}  // namespace
}  // namespace cuda_shim

#define NOT_SUPPORTED(function, reason)                                       \
    extern "C" __attribute__((visibility("default"))) hipError_t function() { \
        static std::atomic<bool> reported{false};                             \
        return cuda_shim::refuse(#function, cuda_shim::reason, reported);     \
    }

NOT_SUPPORTED(hipDestroyExternalSemaphore, kSemaphores)
NOT_SUPPORTED(hipGraphAddExternalSemaphoresSignalNode, kSemaphores)
NOT_SUPPORTED(hipGraphAddExternalSemaphoresWaitNode, kSemaphores)
NOT_SUPPORTED(hipGraphExecExternalSemaphoresSignalNodeSetParams, kSemaphores)
NOT_SUPPORTED(hipGraphExecExternalSemaphoresWaitNodeSetParams, kSemaphores)
NOT_SUPPORTED(hipGraphExternalSemaphoresSignalNodeGetParams, kSemaphores)
NOT_SUPPORTED(hipGraphExternalSemaphoresSignalNodeSetParams, kSemaphores)
NOT_SUPPORTED(hipGraphExternalSemaphoresWaitNodeGetParams, kSemaphores)
NOT_SUPPORTED(hipGraphExternalSemaphoresWaitNodeSetParams, kSemaphores)
NOT_SUPPORTED(hipImportExternalSemaphore, kSemaphores)
NOT_SUPPORTED(hipSignalExternalSemaphoresAsync, kSemaphores)
NOT_SUPPORTED(hipWaitExternalSemaphoresAsync, kSemaphores)

NOT_SUPPORTED(hipExternalMemoryGetMappedMipmappedArray, kExternalImages)

NOT_SUPPORTED(hipGraphicsMapResources, kGraphics)
NOT_SUPPORTED(hipGraphicsResourceGetMappedPointer, kGraphics)
NOT_SUPPORTED(hipGraphicsSubResourceGetMappedArray, kGraphics)
NOT_SUPPORTED(hipGraphicsUnmapResources, kGraphics)
NOT_SUPPORTED(hipGraphicsUnregisterResource, kGraphics)

NOT_SUPPORTED(hipExtStreamCreateWithCUMask, kPartitions)
NOT_SUPPORTED(hipExtStreamGetCUMask, kPartitions)

NOT_SUPPORTED(hipGetTextureReference, kHostTextures)

NOT_SUPPORTED(hipMemMapArrayAsync, kSparse)

NOT_SUPPORTED(hipMemGetHandleForAddressRange, kDmaBuf)

NOT_SUPPORTED(hipProfilerStart, kProfiler)
NOT_SUPPORTED(hipProfilerStop, kProfiler)
