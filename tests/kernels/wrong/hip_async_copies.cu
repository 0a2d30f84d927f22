#define ARRIVE(barrier) asm volatile("mbarrier.arrive.shared.b64 _, [%0];\n" ::"r"(barrier))

extern "C" __global__ void kernel() {
    __shared__ unsigned long long s;
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&s);
    ARRIVE(barrier);  // error on a GPU
}
