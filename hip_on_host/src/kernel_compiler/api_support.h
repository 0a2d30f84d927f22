// Around every exported function: no exception may cross the C ABI.
#pragma once
#include <exception>
#include <new>

#include "common/log.h"
#include "kernel_compiler/hiprtc_types.h"
#include "kernel_compiler/build/process.h"

namespace cuda_shim {

template <class Function>
hiprtcResult guarded(const char* name, Function function) noexcept {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    } catch (const Interrupted&) {
        end_if_interrupts_do();
        return HIPRTC_ERROR_COMPILATION;  // the program's own handler has its say next
    } catch (const std::exception& error) {
        log(LogLevel::Error, "%s: %s", name, error.what());
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
}

}  // namespace cuda_shim
