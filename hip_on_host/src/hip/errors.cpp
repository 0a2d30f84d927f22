// Error names, error texts, and the thread's last error.
#include <exception>
#include <new>

#include "common/log.h"
#include "hip/api.h"
#include "hip/launch/after_fault.h"
#include "hip/streams/command.h"
#include "hip/streams/stream_queue.h"

namespace cuda_shim {
namespace {

// `last_error` is the result of hipGetLastError: the latest failure, kept until asked for. `latest_call` is the result
// of hipExtGetLastError: the status of the latest call, successes included.
thread_local hipError_t last_error = hipSuccess;
thread_local hipError_t latest_call = hipSuccess;

struct ErrorText {
    hipError_t value;
    const char* text;
};

constexpr ErrorText kErrorTexts[] = {
    {hipSuccess, "no error"},
    {hipErrorInvalidValue, "invalid argument"},
    {hipErrorOutOfMemory, "out of memory"},
    {hipErrorNotInitialized, "initialization error"},
    {hipErrorDeinitialized, "driver shutting down"},
    {hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"},
    {hipErrorProfilerNotInitialized, "profiler is not initialized"},
    {hipErrorProfilerAlreadyStarted, "profiler already started"},
    {hipErrorProfilerAlreadyStopped, "profiler already stopped"},
    {hipErrorInvalidConfiguration, "invalid configuration argument"},
    {hipErrorInvalidPitchValue, "invalid pitch argument"},
    {hipErrorInvalidSymbol, "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"},
    {hipErrorInsufficientDriver, "driver version is insufficient for runtime version"},
    {hipErrorMissingConfiguration, "__global__ function call is not configured"},
    {hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"},
    {hipErrorInvalidDeviceFunction, "invalid device function"},
    {hipErrorNoDevice, "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "invalid device ordinal"},
    {hipErrorInvalidImage, "device kernel image is invalid"},
    {hipErrorInvalidContext, "invalid device context"},
    {hipErrorContextAlreadyCurrent, "context is already current context"},
    {hipErrorMapFailed, "mapping of buffer object failed"},
    {hipErrorUnmapFailed, "unmapping of buffer object failed"},
    {hipErrorArrayIsMapped, "array is mapped"},
    {hipErrorAlreadyMapped, "resource already mapped"},
    {hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"},
    {hipErrorAlreadyAcquired, "resource already acquired"},
    {hipErrorNotMapped, "resource not mapped"},
    {hipErrorNotMappedAsArray, "resource not mapped as array"},
    {hipErrorNotMappedAsPointer, "resource not mapped as pointer"},
    {hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"},
    {hipErrorUnsupportedLimit, "limit is not supported on this architecture"},
    {hipErrorContextAlreadyInUse, "exclusive-thread device already in use by a different thread"},
    {hipErrorPeerAccessUnsupported, "peer access is not supported between these two devices"},
    {hipErrorInvalidKernelFile, "invalid kernel file"},
    {hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"},
    {hipErrorInvalidSource, "device kernel image is invalid"},
    {hipErrorFileNotFound, "file not found"},
    {hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"},
    {hipErrorSharedObjectInitFailed, "shared object initialization failed"},
    {hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"},
    {hipErrorInvalidHandle, "invalid resource handle"},
    {hipErrorIllegalState, "the operation cannot be performed in the present state"},
    {hipErrorNotFound, "named symbol not found"},
    {hipErrorNotReady, "device not ready"},
    {hipErrorIllegalAddress, "an illegal memory access was encountered"},
    {hipErrorLaunchOutOfResources, "too many resources requested for launch"},
    {hipErrorLaunchTimeOut, "the launch timed out and was terminated"},
    {hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"},
    {hipErrorPeerAccessNotEnabled, "peer access has not been enabled"},
    {hipErrorSetOnActiveProcess, "cannot set while device is active in this process"},
    {hipErrorContextIsDestroyed, "context is destroyed"},
    {hipErrorAssert, "device-side assert triggered"},
    {hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"},
    {hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"},
    {hipErrorLaunchFailure, "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"},
    {hipErrorNotSupported, "operation not supported"},
    {hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"},
    {hipErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"},
    {hipErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"},
    {hipErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"},
    {hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"},
    {hipErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"},
    {hipErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing blocking stream"},
    {hipErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"},
    {hipErrorStreamCaptureWrongThread, "attempt to terminate a thread-local capture sequence from another thread"},
    {hipErrorGraphExecUpdateFailure,
     "the graph update was not performed because it included changes which violated constraints specific to "
     "instantiated graph update"},
    {hipErrorInvalidChannelDescriptor, "invalid channel descriptor"},
    {hipErrorInvalidTexture, "invalid texture reference"},
    {hipErrorInvalidResourceType, "invalid resource type"},
    {hipErrorInvalidResourceConfiguration, "invalid resource configuration"},
    {hipErrorStreamDetached, "stream is detached from its context"},
    {hipErrorUnknown, "unknown error"},
    {hipErrorRuntimeMemory, "runtime memory call returned error"},
    {hipErrorRuntimeOther, "runtime call other than memory returned error"},
    {hipErrorInvalidClusterSize, "invalid cluster size"},
    {hipErrorTbd, "error that is not implemented yet"},
};

const char* error_name(hipError_t error) {
    switch (static_cast<int>(error)) {
#define CUDA_SHIM_HIP_ERROR(value, name) \
    case value:                          \
        return #name;
#include "abi/hip_errors.inc"
#undef CUDA_SHIM_HIP_ERROR
        default:
            return nullptr;
    }
}

const char* error_text(hipError_t error) {
    for (const ErrorText& entry : kErrorTexts) {
        if (entry.value == error) return entry.text;
    }
    return nullptr;
}

hipError_t answer_text(const char* text, const char** out) {
    if (!out) return hipErrorInvalidValue;
    *out = text;
    return text ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

hipError_t finish_call(const char* function, hipError_t result) noexcept {
    latest_call = result;
    if (result != hipSuccess && result != hipErrorNotReady) {
        last_error = result;
        if (log_enabled(LogLevel::Info)) {
            const char* name = error_name(result);
            log(LogLevel::Info, "%s: %s (%d)", function, name ? name : "unknown", static_cast<int>(result));
        }
    }
    return result;
}

hipError_t error_of_exception(const char* where) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    } catch (const WaitsForItself& error) {
        log(LogLevel::Warn, "%s: %s", where, error.what());
        return hipErrorNotSupported;
    } catch (const std::exception& error) {
        log(LogLevel::Error, "%s: internal error: %s", where, error.what());
        return hipErrorUnknown;
    } catch (...) {
        log(LogLevel::Error, "%s: internal error of unknown kind", where);
        return hipErrorUnknown;
    }
}

hipError_t run_call(const char* function, hipError_t (*run)(void* body), void* body) noexcept {
    try {
        if (hipError_t failed = ensure_initialised()) return finish_call(function, failed);
        hipError_t fault = any_fault() ? error_after_fault(function) : hipSuccess;
        if (fault == hipSuccess) return finish_call(function, run(body));
        if (gives_back(function)) run(body);
        return finish_call(function, fault);
    } catch (...) {
        return finish_call(function, error_of_exception(function));
    }
}

hipError_t Command::run(Device& device) noexcept {
    try {
        return execute(device);
    } catch (...) {
        return error_of_exception("a command of a stream");
    }
}

}  // namespace cuda_shim

using namespace cuda_shim;

// These ask about errors, so they neither set the last error nor need a device.

const char* hipGetErrorName(hipError_t error) {
    const char* name = error_name(error);
    return name ? name : "hipErrorUnknown";
}

const char* hipGetErrorString(hipError_t error) {
    const char* text = error_text(error);
    return text ? text : "unknown error";
}

hipError_t hipDrvGetErrorName(hipError_t error, const char** text) { return answer_text(error_name(error), text); }

hipError_t hipDrvGetErrorString(hipError_t error, const char** text) { return answer_text(error_text(error), text); }

hipError_t hipGetLastError() {
    hipError_t error = last_error;
    last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError() { return last_error; }

hipError_t hipExtGetLastError() {
    hipError_t error = latest_call;
    latest_call = hipSuccess;
    return error;
}
