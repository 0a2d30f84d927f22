// Which memory a pointer leads to.

__constant__ float table[4] = {1, 2, 3, 4};
__device__ float variable;

__device__ unsigned kind_of(const void* p) { return __isGlobal(p) | __isShared(p) << 1 | __isConstant(p) << 2 | __isLocal(p) << 3; }

extern "C" __global__ void kinds(float* memory, unsigned* out, int n) {
    extern __shared__ float dynamic[];
    __shared__ float fixed[32];
    float own[2];
    int i = threadIdx.x;
    fixed[i] = dynamic[i] = own[0] = own[1] = i;
    __syncthreads();
    const void* pointers[] = {&memory[i], &variable, &fixed[31 - i], &dynamic[31 - i], &table[i % 4], &own[i % 2]};
    for (int row = 0; row < 6; ++row) out[row * n + i] = kind_of(pointers[row]);
    // A number and back again is the same pointer.
    float* there = (float*)__cvta_shared_to_generic(__cvta_generic_to_shared(&fixed[31 - i]));
    float* here = (float*)__cvta_global_to_generic(__cvta_generic_to_global(&memory[i]));
    *here = *there + own[i % 2] + dynamic[i];
}
