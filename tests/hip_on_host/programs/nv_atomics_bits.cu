extern "C" __global__ void bits(unsigned* p, int* wrapped) {
    const unsigned t = threadIdx.x;
    __nv_atomic_fetch_and(p, ~(1u << t % 32), __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_or(p + 1, 1u << t % 32, __NV_ATOMIC_RELAXED);
    __nv_atomic_xor(p + 2, t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    if (t == 0) __nv_atomic_add(wrapped, 1, __NV_ATOMIC_RELAXED), __nv_atomic_sub(wrapped + 1, 1, __NV_ATOMIC_RELAXED);
}
extern "C" __global__ void waits(int* flag, int* out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) != 1) {}
        *out = 7;
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    }
}
