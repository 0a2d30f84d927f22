extern "C" __global__ void kernel(float* d) {
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");  // error
}
