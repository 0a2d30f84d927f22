extern "C" __global__ void kernel(unsigned* out) {
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); out[lane] = wrong_name;  // error
}
