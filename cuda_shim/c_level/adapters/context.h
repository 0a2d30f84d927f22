// The current context. HIP always has one; where none was made current, Python knows whether CUDA would.
namespace {

bool is_made_current() {
    int before = 0, after = 0;
    void* top = nullptr;
    if (call_hip(HIP(hipGetDevice), static_cast<void*>(&before)) != 0) return false;
    if (call_hip(HIP(hipCtxPopCurrent), static_cast<void*>(&top)) != 0) return false;
    if (call_hip(HIP(hipCtxPushCurrent), top) != 0) return false;
    // On AMD GPUs the push makes its device current, which is another one after cudaSetDevice.
    if (call_hip(HIP(hipGetDevice), static_cast<void*>(&after)) != 0) return false;
    return before == after || call_hip(HIP(hipSetDevice), before) == 0;
}

inline int current_context(void* context) {
    return is_made_current() ? call_hip(HIP(hipCtxGetCurrent), context) : ask_python;
}

inline int current_context_device(void* device) {
    return is_made_current() ? call_hip(HIP(hipCtxGetDevice), device) : ask_python;
}

}  // namespace
