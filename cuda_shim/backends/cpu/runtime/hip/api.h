// What every exported function is wrapped in, and the thread's last error.
#pragma once
#include <exception>
#include <new>

#include "abi/hip_functions.h"
#include "common/log.h"

namespace cuda_shim {

// The two stream handles that are no pointers.
inline hipStream_t legacy_stream_handle() { return reinterpret_cast<hipStream_t>(1); }
inline hipStream_t per_thread_stream_handle() { return reinterpret_cast<hipStream_t>(2); }

// Creates the devices on the first call of a process; hipErrorNoDevice and the like when that fails.
hipError_t ensure_initialised();

// Remembers the result as the thread's last error and returns it.
hipError_t finish_call(const char* function, hipError_t result) noexcept;

// Thrown by code where returning a status would obscure the way; `api` turns it into that status.
struct StatusError {
    hipError_t status;
};

// Wraps the body of an exported function: initialises lazily, keeps exceptions from crossing the C ABI,
// remembers the error. Use: hipError_t hipX(…) { return api(__func__, [&]() -> hipError_t { … }); }
template <class Body>
hipError_t api(const char* function, Body&& body) noexcept {
    try {
        if (hipError_t failed = ensure_initialised()) return finish_call(function, failed);
        return finish_call(function, body());
    } catch (const StatusError& error) {
        return finish_call(function, error.status);
    } catch (const std::bad_alloc&) {
        return finish_call(function, hipErrorOutOfMemory);
    } catch (const std::exception& error) {
        log(LogLevel::Error, "%s: internal error: %s", function, error.what());
        return finish_call(function, hipErrorUnknown);
    } catch (...) {
        log(LogLevel::Error, "%s: internal error of unknown kind", function);
        return finish_call(function, hipErrorUnknown);
    }
}

}  // namespace cuda_shim

// Leaves the function with the status when it is a failure.
#define CUDA_SHIM_TRY(expression)                              \
    do {                                                       \
        if (hipError_t status_ = (expression)) return status_; \
    } while (false)
