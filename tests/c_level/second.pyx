# cython: language_level=3
"""Driver, NVRTC, structs by value, enums, callbacks and error paths, through C functions alone."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cuda.bindings cimport cydriver, cynvrtc, cyruntime
from cuda.bindings.cydriver cimport CUdeviceptr, CUresult, CUstream

SOURCE = b'extern "C" __global__ void add(int *p, int n, int v) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += v; }'


def check(CUresult status):
    cdef const char *name = NULL
    if status != cydriver.CUDA_SUCCESS:
        cydriver.cuGetErrorName(status, &name)
        raise RuntimeError(name.decode())


cdef void called(void *data) noexcept nogil:
    (<int *>data)[0] += 1


def compiled():
    """A code object from NVRTC, and what it says of a broken program."""
    cdef cynvrtc.nvrtcProgram program = NULL
    cdef size_t size = 0
    cdef char *text
    cdef const char *option = b"--gpu-architecture=sm_80"
    assert cynvrtc.nvrtcCreateProgram(&program, b"__global__ void f() { foo; }", NULL, 0, NULL, NULL) == 0
    assert cynvrtc.nvrtcCompileProgram(program, 1, &option) == cynvrtc.NVRTC_ERROR_COMPILATION
    assert cynvrtc.nvrtcGetProgramLogSize(program, &size) == 0
    text = <char *>malloc(size)
    assert cynvrtc.nvrtcGetProgramLog(program, text) == 0
    assert b"foo" in text[: size - 1]
    free(text)
    assert cynvrtc.nvrtcDestroyProgram(&program) == 0 and program == NULL
    assert cynvrtc.nvrtcCreateProgram(&program, SOURCE, b"add.cu", 0, NULL, NULL) == 0
    assert cynvrtc.nvrtcCompileProgram(program, 1, &option) == 0
    assert cynvrtc.nvrtcGetCUBINSize(program, &size) == 0
    text = <char *>malloc(size)
    assert cynvrtc.nvrtcGetCUBIN(program, text) == 0
    image = text[:size]
    free(text)
    cynvrtc.nvrtcDestroyProgram(&program)
    return image


def launched(bytes image):
    """A kernel between copies in a stream, a host function behind it, and a two-dimensional copy by a struct."""
    cdef cydriver.CUmodule module = NULL
    cdef cydriver.CUfunction function = NULL
    cdef CUstream stream = NULL
    cdef CUdeviceptr memory = 0
    cdef int host[64]
    cdef int value = 5
    cdef int count = 64
    cdef int calls = 0
    cdef void *parameters[3]
    cdef cydriver.CUDA_MEMCPY2D copy
    cdef cydriver.CUcontext context = NULL
    check(cydriver.cuInit(0))
    check(cydriver.cuDevicePrimaryCtxRetain(&context, 0))
    check(cydriver.cuCtxSetCurrent(context))
    check(cydriver.cuModuleLoadData(&module, <const char *>image))
    check(cydriver.cuModuleGetFunction(&function, module, b"add"))
    check(cydriver.cuStreamCreate(&stream, cydriver.CU_STREAM_NON_BLOCKING))
    check(cydriver.cuMemAlloc(&memory, sizeof(host)))
    check(cydriver.cuMemsetD32Async(memory, 2, 64, stream))
    parameters[:] = [&memory, &count, &value]
    check(cydriver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL))
    check(cydriver.cuLaunchHostFunc(stream, called, &calls))
    memset(&copy, 0, sizeof(copy))
    copy.srcMemoryType = cydriver.CU_MEMORYTYPE_DEVICE
    copy.srcDevice = memory
    copy.srcPitch = 16
    copy.dstMemoryType = cydriver.CU_MEMORYTYPE_HOST
    copy.dstHost = host
    copy.dstPitch = 16
    copy.WidthInBytes = 16
    copy.Height = 16
    check(cydriver.cuMemcpy2DAsync(&copy, stream))
    check(cydriver.cuStreamSynchronize(stream))
    assert [host[i] for i in range(64)] == [7] * 64 and calls == 1
    check(cydriver.cuModuleUnload(module))
    check(cydriver.cuMemFree(memory))
    assert cydriver.cuMemFree(memory) == cydriver.CUDA_ERROR_INVALID_VALUE
    return <uint64_t>stream


def of_the_runtime():
    """Structs by value, an array, and the runtime's last error."""
    cdef cyruntime.cudaExtent extent = cyruntime.make_cudaExtent(4, 3, 2)
    cdef cyruntime.cudaPitchedPtr pitched
    cdef cyruntime.cudaChannelFormatDesc channel
    cdef cyruntime.cudaDeviceProp properties
    assert cyruntime.cudaMalloc3D(&pitched, extent) == cyruntime.cudaSuccess and pitched.pitch >= 4
    assert cyruntime.cudaMemset3D(pitched, 1, extent) == cyruntime.cudaSuccess
    channel = cyruntime.cudaCreateChannelDesc(32, 0, 0, 0, cyruntime.cudaChannelFormatKindFloat)
    assert channel.x == 32 and channel.f == cyruntime.cudaChannelFormatKindFloat
    assert cyruntime.cudaGetDeviceProperties(&properties, 0) == cyruntime.cudaSuccess and properties.warpSize == 32
    assert cyruntime.cudaFree(<void *>123) == cyruntime.cudaErrorInvalidValue
    assert cyruntime.cudaGetLastError() == cyruntime.cudaErrorInvalidValue
    assert cyruntime.cudaGetLastError() == cyruntime.cudaSuccess
    assert cyruntime.cudaGetErrorString(cyruntime.cudaErrorInvalidValue)[:7] == b"invalid"
