extern "C" __global__ void kernel(float* d) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");  // error
}
