// hipEvent*.
#include <memory>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/rocm.h"
#include "hip/streams/event.h"
#include "hip/streams/ipc_event.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

constexpr unsigned kDisableSystemFence = 0x20000000u;  // hipEventDisableSystemFence
constexpr unsigned kEventFlags = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                                 kDisableSystemFence | unsigned{hipEventReleaseToDevice} |
                                 unsigned{hipEventReleaseToSystem};

constexpr unsigned kRecordExternal = 1;  // hipEventRecordExternal

hipError_t create_event(hipEvent_t* out, unsigned flags) {
    if (!out || (flags & ~kEventFlags)) return hipErrorInvalidValue;
    // HIP's rules: both release flags exclude each other, and shared events carry no time.
    if ((flags & hipEventReleaseToDevice) && (flags & hipEventReleaseToSystem)) return hipErrorInvalidValue;
    if ((flags & hipEventInterprocess) && !(flags & hipEventDisableTiming)) return hipErrorInvalidValue;
    auto event = std::make_unique<Event>(current_device().ordinal(), flags);
    if (flags & hipEventInterprocess) {
        std::shared_ptr<SharedEventState> state = SharedEventState::create();
        if (!state) return hipErrorOutOfMemory;
        event->attach_shared_state(std::move(state));
    }
    *out = publish_handle(std::move(event));
    return hipSuccess;
}

hipError_t record_event(hipEvent_t handle, hipStream_t stream_handle, bool external = false) {
    Event* event = Event::resolve(handle);
    if (!event) return hipErrorInvalidHandle;
    return with_stream(stream_handle, [&](Stream& stream) { return event->record(stream, external); });
}

hipError_t elapsed_time(float* milliseconds, hipEvent_t start_handle, hipEvent_t stop_handle) {
    if (!milliseconds) return hipErrorInvalidValue;
    Event* start = Event::resolve(start_handle);
    Event* stop = Event::resolve(stop_handle);
    if (!start || !stop || !start->timed() || !stop->timed()) return hipErrorInvalidHandle;
    if (start->device() != stop->device()) return hipErrorInvalidHandle;
    if (!as_rocm(RocmDifference::CapturedEventsTimed)) {
        CUDA_SHIM_TRY(start->refuse_captured());
        CUDA_SHIM_TRY(stop->refuse_captured());
    }
    std::shared_ptr<EventRecord> first = start->latest();
    std::shared_ptr<EventRecord> last = stop->latest();
    if (!first || !last) return hipErrorInvalidHandle;
    if (!start->reached() || !stop->reached()) return hipErrorNotReady;
    *milliseconds = static_cast<float>(static_cast<double>(last->nanoseconds() - first->nanoseconds()) * 1e-6);
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipEventCreate(hipEvent_t* event) {
    return api(__func__, [&] { return create_event(event, hipEventDefault); });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
    return api(__func__, [&] { return create_event(event, flags); });
}

hipError_t hipEventDestroy(hipEvent_t event) {
    return api(__func__, [&] { return claim_handle<Event>(event) ? hipSuccess : hipErrorInvalidHandle; });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return api(__func__, [&] { return record_event(event, stream); });
}

hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
    return api(__func__, [&] { return record_event(event, stream ? stream : per_thread_stream_handle()); });
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
    return api(__func__, [&] {
        if (flags > kRecordExternal) return hipErrorInvalidValue;
        return record_event(event, stream, flags == kRecordExternal);
    });
}

hipError_t hipEventQuery(hipEvent_t event) {
    return api(__func__, [&]() -> hipError_t {
        Event* target = Event::resolve(event);
        if (!target) return hipErrorInvalidHandle;
        CUDA_SHIM_TRY(target->query());
        return device_at(target->device())->sticky_error();
    });
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    return api(__func__, [&]() -> hipError_t {
        Event* target = Event::resolve(event);
        if (!target) return hipErrorInvalidHandle;
        CUDA_SHIM_TRY(target->synchronise());
        Device& device = *device_at(target->device());
        device.release_surplus();
        return device.take_error();
    });
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
    return api(__func__, [&] { return elapsed_time(milliseconds, start, stop); });
}
