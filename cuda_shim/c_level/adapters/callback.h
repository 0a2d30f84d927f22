// Host functions in streams. A callback receives CUDA's status, which HIP has under a number of its own.
#include <stdlib.h>

namespace {

constexpr unsigned int spin_wait = 1;  // CU_HOST_TASK_SPINWAIT

[[maybe_unused]] inline int host_function(void* stream, void* function, void* data) {
    return function ? call_hip(HIP(hipLaunchHostFunc), stream, function, data) : 1;
}

// The newer form tells how the stream is to wait, which is the driver's own affair.
[[maybe_unused]] inline int host_function(void* stream, void* function, void* data, unsigned int wait) {
    return wait <= spin_wait ? host_function(stream, function, data) : 1;
}

struct StreamCallback {
    void (*function)(void* stream, int status, void* data);
    void* data;
    bool once;
};

void run_stream_callback(void* stream, int status, void* given) {
    auto* callback = static_cast<StreamCallback*>(given);
    callback->function(stream, STATUS(driver)(status), callback->data);
    if (callback->once) free(callback);
}

inline int stream_callback(void* stream, void* function, void* data, unsigned int flags) {
    if (!function) return 1;
    int capturing = 0;
    int status = call_hip(HIP(hipStreamIsCapturing), stream, &capturing);
    if (status != 0) return status;
    auto* callback = static_cast<StreamCallback*>(malloc(sizeof(StreamCallback)));
    if (!callback) return 2;  // hipErrorOutOfMemory
    // A captured callback runs with each launch of its graph, and is kept.
    *callback = {reinterpret_cast<void (*)(void*, int, void*)>(function), data, capturing == 0};
    auto* runner = reinterpret_cast<void*>(run_stream_callback);
    status = call_hip(HIP(hipStreamAddCallback), stream, runner, static_cast<void*>(callback), flags);
    if (status != 0) free(callback);
    return status;
}

}  // namespace
