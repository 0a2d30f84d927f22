extern "C" __global__ void kernel(float* d) {
    asm volatile("bar.arrive 0, 64;" ::: "memory");  // error
}
