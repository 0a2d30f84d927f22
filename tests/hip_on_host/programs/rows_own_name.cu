__device__ int* any_of(int* a, int* b, bool first) { return first ? a : b; }
extern "C" __global__ void k(int* out, int n) {
    struct cuda_shim_block_local {
        explicit cuda_shim_block_local(bool) {}
        int atomicAdd(int* p, int v) const { *p += 100 * v; return 0; }
    };
    __shared__ int own, further;
    if (threadIdx.x == 0) own = further = 0;
    __syncthreads();
    atomicAdd(&own, 1);
    atomicAdd(any_of(&further, out + 3, n != 0), 1);
    atomicAdd(out + 2, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = own, out[1] = further;
}
