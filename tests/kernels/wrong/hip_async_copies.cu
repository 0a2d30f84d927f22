#define COPY16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from))

extern "C" __global__ void kernel(const float4* in) {
    __shared__ float4 s[32];
    const unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
    COPY16(to, in + threadIdx.x);  // error on a GPU
}
