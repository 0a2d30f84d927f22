// The current context. HIP always has one; where none was made current, Python knows whether CUDA would.
namespace {

bool is_made_current() {
    void* top = nullptr;
    if (call_hip(HIP(hipCtxPopCurrent), static_cast<void*>(&top)) != 0) return false;
    return call_hip(HIP(hipCtxPushCurrent), top) == 0;
}

inline int current_context(void* context) {
    return is_made_current() ? call_hip(HIP(hipCtxGetCurrent), context) : ask_python;
}

inline int current_context_device(void* device) {
    return is_made_current() ? call_hip(HIP(hipCtxGetDevice), device) : ask_python;
}

}  // namespace
