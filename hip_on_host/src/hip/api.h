// The wrapper of every exported function, and the thread's last error.
#pragma once
#include <type_traits>

#include "abi/hip_functions.h"

namespace cuda_shim {

// The two stream handles that are no pointers.
inline hipStream_t legacy_stream_handle() { return reinterpret_cast<hipStream_t>(1); }
inline hipStream_t per_thread_stream_handle() { return reinterpret_cast<hipStream_t>(2); }
// Interprets a handle as the _spt functions do: null is the thread's own stream.
inline hipStream_t per_thread(hipStream_t handle) { return handle ? handle : per_thread_stream_handle(); }

// Creates the devices on the first call of a process; hipErrorNoDevice and the like when that fails.
hipError_t ensure_initialised();

// Remembers the result as the thread's last error and returns it.
hipError_t finish_call(const char* function, hipError_t result) noexcept;

// The error that the exception being handled stands for; logged if no program can cause it.
hipError_t error_of_exception(const char* where) noexcept;

// Runs the body of an exported function: initialises lazily, keeps exceptions from crossing the C ABI, remembers the
// error. The body is an object of its caller's; `run` knows its type.
hipError_t run_call(const char* function, hipError_t (*run)(void* body), void* body) noexcept;

// Wraps the body of an exported function. Use: hipError_t hipX(…) { return api(__func__, [&]() -> hipError_t { … }); }
// There are hundreds, so that their common code is compiled once, in `run_call`.
template <class Body>
hipError_t api(const char* function, Body&& body) noexcept {
    using Callable = std::remove_reference_t<Body>;
    return run_call(function, [](void* argument) { return (*static_cast<Callable*>(argument))(); }, &body);
}

}  // namespace cuda_shim

// Leaves the function with the status when it is a failure.
#define CUDA_SHIM_TRY(expression)                              \
    do {                                                       \
        if (hipError_t status_ = (expression)) return status_; \
    } while (false)
