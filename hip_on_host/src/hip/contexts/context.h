// Contexts: a device's primary context and those of hipCtxCreate, and each thread's stack of them.
#pragma once
#include <cstdint>
#include <vector>

#include "abi/hip_types.h"

namespace cuda_shim {

class Device;

class Context {
public:
    Context(Device& device, unsigned flags, bool primary);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // The context behind a handle; null when the handle is none.
    static Context* resolve(hipCtx_t handle);
    hipCtx_t handle() { return reinterpret_cast<hipCtx_t>(this); }

    Device& device() const { return device_; }
    unsigned flags() const { return flags_; }
    bool primary() const { return primary_; }
    // The number identifies the context: unlike its handle, no later context has it.
    uint64_t number() const { return number_; }

private:
    Device& device_;
    unsigned flags_;
    bool primary_;
    uint64_t number_;
};

// A number that no context had yet; green contexts have one of their own, by which their streams end with them.
uint64_t next_context_number();

// The calling thread's stack, innermost last. Destroyed contexts may still be on other threads' stacks, so a
// handle from it is resolved before use.
std::vector<hipCtx_t>& context_stack();

// The innermost context of the calling thread that still lives, else the current device's primary one.
Context& current_context();

}  // namespace cuda_shim
