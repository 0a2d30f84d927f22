// hipCtx* and hipDevicePrimaryCtx*.
#include "hip/contexts/context.h"

#include <atomic>
#include <memory>

#include "engine/per_thread.h"
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/contexts/owner.h"
#include "hip/handle_table.h"
#include "hip/rocm.h"
#include "hip/streams/capture.h"

namespace cuda_shim {

namespace {

std::atomic<uint64_t> unused_context_number{1};

}  // namespace

uint64_t next_context_number() { return unused_context_number.fetch_add(1); }

Context::Context(Device& device, unsigned flags, bool primary)
    : device_(device), flags_(flags), primary_(primary), number_(next_context_number()) {
    live_handles<Context>().add(this);
}

Context::~Context() { live_handles<Context>().remove(this); }

Context* Context::resolve(hipCtx_t handle) {
    Context* context = reinterpret_cast<Context*>(handle);
    return live_handles<Context>().contains(context) ? context : nullptr;
}

std::vector<hipCtx_t>& context_stack() {
    struct Stack {
        std::vector<hipCtx_t> contexts;
    };
    return thread_object<Stack>().contexts;
}

Context& current_context() {
    if (as_rocm(RocmDifference::OneContextPerDevice)) return current_device().primary_context();
    std::vector<hipCtx_t>& stack = context_stack();
    for (; !stack.empty(); stack.pop_back()) {  // drops contexts that another thread destroyed
        if (Context* context = Context::resolve(stack.back())) return *context;
    }
    return current_device().primary_context();
}

namespace {

constexpr unsigned kContextFlags = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
constexpr unsigned kApiVersion = 4;  // as HIP answers

// AMD's: the handle is the device's, which is counted, and becomes no current one.
hipError_t create_rocm_context(hipCtx_t* out, unsigned flags, int ordinal) {
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(device->mutex());
    ++device->state().created_contexts;
    device->state().flags = flags;
    *out = device->primary_context().handle();
    context_stack().push_back(*out);
    return hipSuccess;
}

// The context that AMD's runtime takes a handle for; that runtime follows any handle without a check.
Context& followed_context(const char* function, hipCtx_t handle) {
    Context* context = Context::resolve(handle);
    if (!context) end_as_rocm_would(function, "the handle is no context");
    return *context;
}

hipError_t destroy_rocm_context(hipCtx_t handle) {
    if (!handle) return hipErrorInvalidValue;
    Device& device = followed_context("hipCtxDestroy", handle).device();
    std::vector<hipCtx_t>& stack = context_stack();
    if (!stack.empty() && stack.back() == handle) stack.pop_back();
    std::lock_guard<std::mutex> lock(device.mutex());
    if (device.state().created_contexts-- == 0) {
        end_as_rocm_would("hipCtxDestroy", "the device is released more often than contexts were created");
    }
    return hipSuccess;
}

hipError_t create_context(hipCtx_t* out, unsigned flags, int ordinal) {
    if (as_rocm(RocmDifference::OneContextPerDevice)) return create_rocm_context(out, flags, ordinal);
    if (!out || (flags & ~kContextFlags)) return hipErrorInvalidValue;
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidDevice;
    auto context = std::make_unique<Context>(*device, flags, false);
    context_stack().push_back(context->handle());
    *out = context.release()->handle();
    return hipSuccess;
}

hipError_t destroy_context(hipCtx_t handle) {
    if (as_rocm(RocmDifference::UncheckedContexts)) return destroy_rocm_context(handle);
    if (!handle) return hipErrorInvalidValue;
    Context* context = Context::resolve(handle);
    if (!context || context->primary()) return hipErrorInvalidContext;
    std::vector<hipCtx_t>& stack = context_stack();
    if (!stack.empty() && stack.back() == handle) stack.pop_back();
    const std::unique_ptr<Context> claimed = claim_handle<Context>(context);
    if (!claimed) return hipErrorInvalidContext;
    claimed->device().wait_for_all();  // running work may use the resources that end here
    end_resources({claimed->device().ordinal(), claimed->number()});
    return hipSuccess;
}

hipError_t pop_context(hipCtx_t* out) {
    std::vector<hipCtx_t>& stack = context_stack();
    if (stack.empty()) return hipErrorInvalidContext;
    if (out) *out = stack.back();
    stack.pop_back();
    return hipSuccess;
}

hipError_t push_context(hipCtx_t handle) {
    if (handle && as_rocm(RocmDifference::UncheckedContexts)) {
        set_current_device(followed_context("hipCtxPushCurrent", handle).device().ordinal());
    }
    if (!Context::resolve(handle)) return hipErrorInvalidContext;
    context_stack().push_back(handle);
    return hipSuccess;
}

hipError_t set_current_context(hipCtx_t handle) {
    std::vector<hipCtx_t>& stack = context_stack();
    if (handle && as_rocm(RocmDifference::UncheckedContexts)) {
        set_current_device(followed_context("hipCtxSetCurrent", handle).device().ordinal());
    }
    if (handle && !Context::resolve(handle)) return hipErrorInvalidContext;
    if (!stack.empty()) stack.pop_back();
    if (handle) stack.push_back(handle);
    return hipSuccess;
}

hipError_t retain_primary(hipCtx_t* out, int ordinal) {
    if (!out) return hipErrorInvalidValue;
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidDevice;
    std::lock_guard<std::mutex> lock(device->mutex());
    if (!as_rocm(RocmDifference::PrimaryContextsUncounted)) ++device->state().primary_retains;
    *out = device->primary_context().handle();
    return hipSuccess;
}

hipError_t release_primary(int ordinal) {
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidDevice;
    if (as_rocm(RocmDifference::PrimaryContextsUncounted)) return hipSuccess;
    std::lock_guard<std::mutex> lock(device->mutex());
    if (device->state().primary_retains == 0) return hipErrorInvalidContext;
    --device->state().primary_retains;
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipCtxCreate(hipCtx_t* context, unsigned int flags, int device) {
    return api(__func__, [&] { return create_context(context, flags, device); });
}

hipError_t hipCtxDestroy(hipCtx_t context) {
    return api(__func__, [&] { return destroy_context(context); });
}

hipError_t hipCtxPopCurrent(hipCtx_t* context) {
    return api(__func__, [&] { return pop_context(context); });
}

hipError_t hipCtxPushCurrent(hipCtx_t context) {
    return api(__func__, [&] { return push_context(context); });
}

hipError_t hipCtxSetCurrent(hipCtx_t context) {
    return api(__func__, [&] { return set_current_context(context); });
}

hipError_t hipCtxGetCurrent(hipCtx_t* context) {
    return api(__func__, [&] {
        if (!context) return hipErrorInvalidValue;
        *context = current_context().handle();
        return hipSuccess;
    });
}

hipError_t hipCtxGetDevice(int* device) {
    return api(__func__, [&] {
        if (!device) return hipErrorInvalidValue;
        *device = current_context().device().ordinal();
        return hipSuccess;
    });
}

hipError_t hipCtxGetApiVersion(hipCtx_t context, unsigned int* version) {
    return api(__func__, [&] {
        if (as_rocm(RocmDifference::UnservedContextCalls)) return hipErrorNotSupported;
        if (!version) return hipErrorInvalidValue;
        if (context && !Context::resolve(context)) return hipErrorInvalidContext;
        *version = kApiVersion;
        return hipSuccess;
    });
}

hipError_t hipCtxGetFlags(unsigned int* flags) {
    return api(__func__, [&] {
        if (as_rocm(RocmDifference::UnservedContextCalls)) return hipErrorNotSupported;
        if (!flags) return hipErrorInvalidValue;
        Context& context = current_context();
        std::lock_guard<std::mutex> lock(context.device().mutex());
        *flags = context.primary() ? context.device().state().flags : context.flags();
        return hipSuccess;
    });
}

hipError_t hipCtxSynchronize() {
    return api(__func__, []() -> hipError_t {
        if (as_rocm(RocmDifference::UnservedContextCalls)) return hipErrorNotSupported;
        Device& device = current_context().device();
        CUDA_SHIM_TRY(refuse_device_wait(device));
        return device.synchronise();
    });
}

hipError_t hipCtxGetCacheConfig(hipFuncCache_t* config) {
    if (as_rocm(RocmDifference::UnservedContextCalls)) return api(__func__, [] { return hipErrorNotSupported; });
    return hipDeviceGetCacheConfig(config);
}

hipError_t hipCtxSetCacheConfig(hipFuncCache_t config) {
    if (as_rocm(RocmDifference::UnservedContextCalls)) return api(__func__, [] { return hipErrorNotSupported; });
    return hipDeviceSetCacheConfig(config);
}

hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) {
    if (as_rocm(RocmDifference::UnservedContextCalls)) return api(__func__, [] { return hipErrorNotSupported; });
    return hipDeviceSetSharedMemConfig(config);
}

hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* config) { return hipDeviceGetSharedMemConfig(config); }

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, int device) {
    return api(__func__, [&] { return retain_primary(context, device); });
}

hipError_t hipDevicePrimaryCtxRelease(int device) {
    return api(__func__, [&] { return release_primary(device); });
}

hipError_t hipDevicePrimaryCtxReset(int device) {
    return api(__func__, [&]() -> hipError_t {
        if (as_rocm(RocmDifference::PrimaryContextsUncounted)) return hipSuccess;
        Device* target = device_at(device);
        if (!target) return hipErrorInvalidDevice;
        CUDA_SHIM_TRY(refuse_unsafe_call());
        return target->reset();
    });
}

hipError_t hipDevicePrimaryCtxGetState(int device, unsigned int* flags, int* active) {
    return api(__func__, [&] {
        Device* target = device_at(device);
        if (!target) return hipErrorInvalidDevice;
        if (!flags || !active) return hipErrorInvalidValue;
        std::lock_guard<std::mutex> lock(target->mutex());
        *flags = as_rocm(RocmDifference::PrimaryContextsUncounted) ? 0 : target->state().flags;
        *active = target->state().primary_retains > 0 || &current_device() == target;
        return hipSuccess;
    });
}

hipError_t hipDevicePrimaryCtxSetFlags(int device, unsigned int flags) {
    return api(__func__, [&] {
        Device* target = device_at(device);
        if (!target) return hipErrorInvalidDevice;
        if (as_rocm(RocmDifference::PrimaryContextsUncounted)) return hipErrorContextAlreadyInUse;
        unsigned schedule = flags & hipDeviceScheduleMask;
        if ((flags & ~kContextFlags) || (schedule & (schedule - 1))) return hipErrorInvalidValue;
        std::lock_guard<std::mutex> lock(target->mutex());
        target->state().flags = flags;
        return hipSuccess;
    });
}
