// hipStream*: creation, queries, waits between streams and events, host functions.
#include <algorithm>
#include <memory>

#include "hip/api.h"
#include "hip/handle_table.h"
#include "hip/rocm.h"
#include "hip/streams/capture.h"
#include "hip/streams/event.h"
#include "hip/streams/host_commands.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

constexpr unsigned kWaitExternal = 1;  // hipEventWaitExternal

struct PriorityRange {
    int least, greatest;
};

PriorityRange priority_range() {
    return as_rocm(RocmDifference::ThreePriorities) ? PriorityRange{1, -1} : PriorityRange{0, -5};
}

int clamp_priority(int priority) {
    const PriorityRange range = priority_range();
    return std::clamp(priority, range.greatest, range.least);
}

hipError_t create_stream(hipStream_t* out, unsigned flags, int priority) {
    if (!out || (flags != hipStreamDefault && flags != hipStreamNonBlocking)) return hipErrorInvalidValue;
    Device& device = current_device();
    StreamRole role = flags & hipStreamNonBlocking ? StreamRole::NonBlocking : StreamRole::Blocking;
    *out = publish_handle(std::make_unique<Stream>(device, role, flags, clamp_priority(priority)));
    return hipSuccess;
}

bool is_default_handle(hipStream_t handle) {
    return handle == nullptr || handle == legacy_stream_handle() || handle == per_thread_stream_handle();
}

hipError_t destroy_stream(hipStream_t handle) {
    if (is_default_handle(handle)) return hipErrorInvalidHandle;
    // Work that was submitted still runs; the queue outlives the handle.
    std::unique_ptr<Stream> stream = claim_handle<Stream>(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (std::shared_ptr<Capture> capture = stream->capture()) capture->lose_participant(*stream);
    return hipSuccess;
}

hipError_t query(hipStream_t handle) {
    return with_stream(handle, [](Stream& stream) {
        CUDA_SHIM_TRY(stream.refuse_wait());
        if (!stream.idle()) {
            hipError_t sticky = stream.device().sticky_error();
            return sticky ? sticky : hipErrorNotReady;
        }
        return stream.device().take_error();
    });
}

hipError_t synchronise(hipStream_t handle) {
    return with_stream(handle, [](Stream& stream) {
        CUDA_SHIM_TRY(stream.refuse_wait());
        return stream.synchronise();
    });
}

hipError_t wait_event(hipStream_t handle, hipEvent_t event, unsigned flags) {
    if (flags > kWaitExternal) return hipErrorInvalidValue;
    return with_stream(handle, [&](Stream& stream) {
        Event* waited = Event::resolve(event);
        return waited ? waited->make_wait(stream, flags == kWaitExternal) : hipErrorInvalidHandle;
    });
}

hipError_t add_callback(hipStream_t handle, hipStreamCallback_t callback, void* data, unsigned flags) {
    if (!callback || flags != 0) return hipErrorInvalidValue;
    return with_stream(handle, [&](Stream& stream) {
        if (stream.capture()) return stream.refuse_under_capture();
        return stream.submit(CallbackCommand(handle, callback, data));
    });
}

hipError_t launch_host_function(hipStream_t handle, hipHostFn_t function, void* data) {
    if (!function) return hipErrorInvalidValue;
    return with_stream(handle, [&](Stream& stream) { return stream.submit(HostCommand({function, data})); });
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipStreamCreate(hipStream_t* stream) {
    return api(__func__, [&] { return create_stream(stream, hipStreamDefault, 0); });
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
    return api(__func__, [&] { return create_stream(stream, flags, 0); });
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
    return api(__func__, [&] { return create_stream(stream, flags, priority); });
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api(__func__, [&] {
        if (least) *least = priority_range().least;
        if (greatest) *greatest = priority_range().greatest;
        return hipSuccess;
    });
}

hipError_t hipStreamDestroy(hipStream_t stream) {
    return api(__func__, [&] { return destroy_stream(stream); });
}

hipError_t hipStreamQuery(hipStream_t stream) {
    return api(__func__, [&] { return query(stream); });
}

hipError_t hipStreamQuery_spt(hipStream_t stream) {
    return api(__func__, [&] { return query(per_thread(stream)); });
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
    return api(__func__, [&] { return synchronise(stream); });
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
    return api(__func__, [&] { return synchronise(per_thread(stream)); });
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
    return api(__func__, [&] { return wait_event(stream, event, flags); });
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned int flags) {
    return api(__func__, [&] { return wait_event(per_thread(stream), event, flags); });
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags) {
    return api(__func__, [&] {
        if (!flags) return hipErrorInvalidValue;
        return with_stream(stream, [&](Stream& target) {
            *flags = target.flags();
            return hipSuccess;
        });
    });
}

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int* flags) {
    return hipStreamGetFlags(per_thread(stream), flags);
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* id) {
    return api(__func__, [&] {
        if (!id) return hipErrorInvalidValue;
        return with_stream(stream, [&](Stream& target) {
            *id = target.id();
            return hipSuccess;
        });
    });
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
    return api(__func__, [&] {
        if (!priority) return hipErrorInvalidValue;
        return with_stream(stream, [&](Stream& target) {
            *priority = target.priority();
            return hipSuccess;
        });
    });
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
    return hipStreamGetPriority(per_thread(stream), priority);
}

hipError_t hipStreamGetDevice(hipStream_t stream, int* device) {
    return api(__func__, [&] {
        if (!device) return hipErrorInvalidValue;
        return with_stream(stream, [&](Stream& target) {
            *device = target.device().ordinal();
            return hipSuccess;
        });
    });
}

int hipGetStreamDeviceId(hipStream_t stream) {
    int device = -1;
    return hipStreamGetDevice(stream, &device) == hipSuccess ? device : -1;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned int flags) {
    return api(__func__, [&] { return add_callback(stream, callback, data, flags); });
}

hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned int flags) {
    return api(__func__, [&] { return add_callback(per_thread(stream), callback, data, flags); });
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
    return api(__func__, [&] { return launch_host_function(stream, function, data); });
}

hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void* data) {
    return api(__func__, [&] { return launch_host_function(per_thread(stream), function, data); });
}
