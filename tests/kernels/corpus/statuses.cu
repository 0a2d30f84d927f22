// The runtime's names in device code.
__device__ cudaError_t checked(int value) { return value < 0 ? cudaErrorInvalidValue : cudaSuccess; }
extern "C" __global__ void statuses(const int* in, int* out) {
    const cudaError_t status = checked(in[threadIdx.x]);
    out[threadIdx.x] = status == cudaSuccess ? 1 : -(int)status;
}
