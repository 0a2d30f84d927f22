extern "C" __global__ void kernel(float* d, int number) {
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(64) : "memory");  // error on a GPU
}
