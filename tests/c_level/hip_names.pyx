# Uses the names that the declaration files of HIP Python's own layer have: HIP's beside CUDA's.
cimport cuda.ccuda as ccuda
cimport cuda.ccudart as ccudart
cimport cuda.cnvrtc as cnvrtc
from cuda.ccudart cimport hipMemset, hipMemcpyKind

cdef ccudart.hipDeviceProp_t properties
cdef ccudart.cudaDeviceProp same
cdef ccudart.hipStream_t stream
cdef void *x_d
cdef int number = 41
cdef int major, minor

def check(ccudart.hipError_t error):
    if error != ccudart.hipSuccess:
        raise RuntimeError(f"reason: {error}")

check(ccudart.hipGetDeviceProperties(&properties, 0))
check(ccudart.cudaGetDeviceProperties(&same, 0))
print(<bytes>properties.name == <bytes>same.name, properties.multiProcessorCount == same.multiProcessorCount)
check(ccudart.hipStreamCreate(&stream))
check(ccudart.hipMalloc(&x_d, 4))
check(ccudart.hipMemcpy(x_d, &number, 4, ccudart.hipMemcpyHostToDevice))
number = 0
check(ccudart.cudaMemcpyAsync(&number, x_d, 4, ccudart.hipMemcpyDeviceToHost, stream))
check(ccudart.hipStreamSynchronize(stream))
print(number)
check(hipMemset(x_d, 1, 4))
check(ccudart.cudaMemcpy(&number, x_d, 4, <hipMemcpyKind>2))
print(hex(number))
check(ccudart.hipFree(x_d))
cdef ccuda.hipCtx_t context = NULL
print(ccuda.hipCtxGetCurrent(&context) == ccuda.hipSuccess, context != NULL)
print(cnvrtc.hiprtcVersion(&major, &minor) == cnvrtc.HIPRTC_SUCCESS)
print(ccudart.hipErrorInvalidValue == ccudart.cudaErrorInvalidValue, ccudart.hipFree(<void*>12345) != ccudart.hipSuccess)
x_d = NULL
print(ccuda.hipMemcpy(x_d, x_d, 0, ccuda.cudaMemcpyHostToDevice) == ccuda.cudaSuccess)
