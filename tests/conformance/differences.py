"""Lines in which cuda_shim may differ from CUDA, each with the reason.

Each names a program, a call, the answers of CUDA Python and of cuda_shim, and the reason: HIP's nature or the CPU
device's, never an unfinished adapter. A difference that no longer shows fails the test, so that the list stays true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Difference(NamedTuple):
    """One deliberate difference; both lines are matched whole."""

    program: str
    call: str
    recorded: str
    ours: str
    reason: str


def documented_lines(program: str, further: Sequence[Difference] = ()) -> tuple[tuple[str, str, str], ...]:
    """The lines of a program that differ: CUDA's, ours and the reason."""
    return tuple(
        (f"{one.call}: {one.recorded}", f"{one.call}: {one.ours}", one.reason)
        for one in (*DIFFERENCES, *further)
        if one.program == program
    )


CU = "CUresult."
RT = "cudaError_t."
SUCCESS = "CUresult.CUDA_SUCCESS"
INVALID = "CUresult.CUDA_ERROR_INVALID_VALUE"
UNSUPPORTED = "CUresult.CUDA_ERROR_NOT_SUPPORTED"

COUNT = "CUDA Python's functions are compiled by Cython, which words a wrong number of arguments in its own way"
BOTH_FORMS = "cuCtxCreate takes the form of 12 under 13 too, since HIP has nothing that the added parameters could say"
NO_COUNTERPART = "HIP has no function for it"
ONE_LAST_ERROR = "HIP has one last error for the driver's calls and the runtime's"
SELF_PEER = "HIP takes a device that is its own peer for a wrong device"
CHANNEL = "HIP has no status for a channel description, and takes a wrong one for a wrong value"
WINDOWS_ONLY = "HIP serves external semaphores on Windows alone"
NO_FILE = "HIP takes a file that it cannot import for a wrong value"
EAGER = "HIP reads an image when it is loaded, CUDA when a kernel of it is first asked for"
NOTHING_LINKED = "HIP's linker refuses to link nothing"
NEWER_RUNTIME = "the recording's runtime is 13.5 and its driver 13.0, which refuses it; here both are of one version"
NOT_SHARED = (
    "HIP takes an event that is not shared for a wrong configuration, which no status of CUDA's driver stands for"
)
CHECKED_GRANULARITY = "HIP checks what a granularity is asked for"
MAPPING = "HIP takes whatever it cannot map, unmap or import for a wrong value"
MODE = "HIP refuses a capture mode that does not exist; CUDA's driver takes any number"

LOST_CAPTURE = "a capture whose first stream is destroyed stays invalid in the others"
UPLOADED = "HIP tells that an executable graph was uploaded"
NO_POLICY = "CUDA's driver answers a number that its enum has no constant for"
NULL_STREAM = "HIP discards memory in the null stream as in any other"
NO_FRACTION = "HIP has no status for numbers that cannot be read as fractions, and takes that for a wrong value"
NO_SAMPLING = "HIP takes a missing description for a wrong value"
ONE_BLANK = 'NVRTC writes a NUL into b" ", which is one object in all of Python; it is left as it is here'

DIFFERENCES: list[Difference] = [
    Difference("nvrtc_log", "ends in NUL", "True", "False", ONE_BLANK),
    Difference("nvrtc_log", "log of a success", "''", "' '", ONE_BLANK),
    Difference("capture_lost_stream", "cuStreamIsCapturing [the first one]", f"{SUCCESS}, CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE", f"{SUCCESS}, CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_INVALIDATED", LOST_CAPTURE),
    Difference("graph_exec_runtime", "cudaGraphExecGetFlags", f"{RT}cudaSuccess, 0", f"{RT}cudaSuccess, 2", UPLOADED),
    Difference("stream_handles", "policy.syncPolicy", "raises ValueError: 4294967295 is not a valid CUsynchronizationPolicy", "CUsynchronizationPolicy.CU_SYNC_POLICY_AUTO", NO_POLICY),
    *(Difference("texture_limits", f"cudaCreateTextureObject [{kind}, cudaReadModeNormalizedFloat]", f"{RT}cudaErrorInvalidNormSetting, None", f"{RT}cudaErrorInvalidValue, None", NO_FRACTION) for kind in ("Float 32", "Float 16", "Unsigned 32")),
    Difference("managed_discard", "cuMemDiscardBatchAsync [stream 0]", INVALID, SUCCESS, NULL_STREAM),
    Difference("error_sticky", "cudaGetLastError", f"{RT}cudaSuccess", f"{RT}cudaErrorIllegalAddress", ONE_LAST_ERROR),
    Difference("texture_resources_runtime", "cudaCreateTextureObject [no sampling]", f"{RT}cudaErrorInvalidResourceHandle, None", f"{RT}cudaErrorInvalidValue, None", NO_SAMPLING),
    Difference("argument_calls", "cuMemAlloc [none given]", "raises TypeError: cuMemAlloc() takes exactly 1 positional argument (0 given)", "raises TypeError: cuMemAlloc() missing 1 required positional argument: 'bytesize'", COUNT),
    Difference("argument_calls", "cuMemAlloc [one too many]", "raises TypeError: cuMemAlloc() takes exactly 1 positional argument (2 given)", "raises TypeError: cuMemAlloc() takes 1 positional argument but 2 were given", COUNT),
    Difference("argument_calls", "cudaMalloc [one too many]", "raises TypeError: cudaMalloc() takes exactly 1 positional argument (2 given)", "raises TypeError: cudaMalloc() takes 1 positional argument but 2 were given", COUNT),
    Difference("argument_calls", "cudaGetDeviceCount [one too many]", "raises TypeError: cudaGetDeviceCount() takes no arguments (1 given)", "raises TypeError: cudaGetDeviceCount() takes 0 positional arguments but 1 was given", COUNT),
    Difference("argument_calls", "cuMemPrefetchAsync [the form of 12]", "raises TypeError: cuMemPrefetchAsync() takes exactly 5 positional arguments (4 given)", "raises TypeError: cuMemPrefetchAsync() missing 1 required positional argument: 'hStream'", COUNT),
    Difference("copy_linear_runtime", "cudaMemcpy [too few]", "raises TypeError: cudaMemcpy() takes exactly 4 positional arguments (3 given)", "raises TypeError: cudaMemcpy() missing 1 required positional argument: 'kind'", COUNT),
    Difference("launch_parameter_errors", "cuLaunchKernel [too few]", "raises TypeError: cuLaunchKernel() takes exactly 11 positional arguments (10 given)", "raises TypeError: cuLaunchKernel() missing 1 required positional argument: 'extra'", COUNT),
    Difference("memory_linear_runtime", "cudaMalloc [no argument]", "raises TypeError: cudaMalloc() takes exactly 1 positional argument (0 given)", "raises TypeError: cudaMalloc() missing 1 required positional argument: 'size'", COUNT),
    Difference("argument_calls", "cuCtxCreate [the form of 12]", "raises TypeError: cuCtxCreate() takes exactly 3 positional arguments (2 given)", f"{SUCCESS}, CUcontext", BOTH_FORMS),
    Difference("context_create", "cuCtxGetId", f"{SUCCESS}, int", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("function_attributes", "cuFuncGetParamInfo [0]", f"{SUCCESS}, 0, 8", f"{UNSUPPORTED}, None, None", NO_COUNTERPART),
    Difference("function_attributes", "cuFuncGetParamInfo [1]", f"{SUCCESS}, 8, 1", f"{UNSUPPORTED}, None, None", NO_COUNTERPART),
    Difference("function_attributes", "cuFuncGetParamInfo [2]", f"{SUCCESS}, 16, 8", f"{UNSUPPORTED}, None, None", NO_COUNTERPART),
    Difference("function_attributes", "cuFuncGetParamInfo [3]", f"{INVALID}, None, None", f"{UNSUPPORTED}, None, None", NO_COUNTERPART),
    Difference("function_attributes", "cuFuncGetModule", f"{SUCCESS}, CUmodule", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("function_attributes", "cuFuncGetModule [null]", f"{INVALID}, None", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("module_load", "cuFuncGetModule", f"{SUCCESS}, CUmodule", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("module_load", "cuModuleEnumerateFunctions", f"{SUCCESS}, [CUfunction, CUfunction]", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("library_kernels", "cuLibraryGetModule", f"{SUCCESS}, CUmodule", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("surface_objects", "cuSurfObjectGetResourceDesc", f"{SUCCESS}, CUDA_RESOURCE_DESC", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("surface_objects", "resource.resType", "CUresourcetype.CU_RESOURCE_TYPE_ARRAY", "raises AttributeError: 'NoneType' object has no attribute 'resType'", NO_COUNTERPART),
    Difference("surface_objects", "resource.res.array.hArray", "CUarray", "raises AttributeError: 'NoneType' object has no attribute 'res'", NO_COUNTERPART),
    Difference("surface_objects", "cudaGetSurfaceObjectResourceDesc", f"{RT}cudaSuccess, cudaResourceDesc", f"{RT}cudaErrorNotSupported, None", NO_COUNTERPART),
    Difference("error_runtime", "cudaPeekAtLastError [after a driver failure]", f"{RT}cudaSuccess", f"{RT}cudaErrorInvalidDevice", ONE_LAST_ERROR),
    Difference("device_peer", "cuCtxEnablePeerAccess [self]", f"{CU}CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", f"{CU}CUDA_ERROR_INVALID_DEVICE", SELF_PEER),
    Difference("device_peer", "cuCtxDisablePeerAccess [self]", f"{CU}CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", f"{CU}CUDA_ERROR_INVALID_DEVICE", SELF_PEER),
    Difference("device_peer", "cudaDeviceEnablePeerAccess [self]", f"{RT}cudaErrorPeerAccessUnsupported", f"{RT}cudaErrorInvalidDevice", SELF_PEER),
    Difference("device_peer", "cudaDeviceDisablePeerAccess [self]", f"{RT}cudaErrorPeerAccessNotEnabled", f"{RT}cudaErrorInvalidDevice", SELF_PEER),
    Difference("copy_arrays_runtime", "cudaMallocArray [bad channel]", f"{RT}cudaErrorInvalidChannelDescriptor, None", f"{RT}cudaErrorInvalidValue, None", CHANNEL),
    Difference("external_memory", "cuImportExternalMemory [no such file]", f"{CU}CUDA_ERROR_UNKNOWN, None", f"{INVALID}, None", NO_FILE),
    Difference("external_memory", "cuImportExternalSemaphore [no such file]", f"{CU}CUDA_ERROR_UNKNOWN, None", f"{UNSUPPORTED}, None", WINDOWS_ONLY),
    Difference("external_memory", "cuSignalExternalSemaphoresAsync [nothing]", INVALID, UNSUPPORTED, WINDOWS_ONLY),
    Difference("library_kernels", "cuLibraryLoadData [nonsense]", f"{SUCCESS}, CUlibrary", f"{CU}CUDA_ERROR_INVALID_IMAGE, None", EAGER),
    Difference("library_runtime", "cudaLibraryLoadData [nonsense]", f"{RT}cudaSuccess, cudaLibrary_t", f"{RT}cudaErrorInvalidKernelImage, None", EAGER),
    Difference("link_errors", "cuLinkComplete [empty]", f"{SUCCESS}, int, int", f"{CU}CUDA_ERROR_INVALID_SOURCE, None, None", NOTHING_LINKED),
    Difference("version_entry_points", "cudaGetDriverEntryPoint", f"{RT}cudaErrorInvalidValue, None, None", f"{RT}cudaSuccess, int, cudaDriverEntryPointQueryResult.cudaDriverEntryPointSuccess", NEWER_RUNTIME),
    Difference("version_entry_points", "cudaGetDriverEntryPoint [no such]", f"{RT}cudaErrorInvalidValue, None, None", f"{RT}cudaSuccess, int, cudaDriverEntryPointQueryResult.cudaDriverEntryPointSymbolNotFound", NEWER_RUNTIME),
    Difference("capture_errors", "cuThreadExchangeStreamCaptureMode [no such]", f"{SUCCESS}, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL", f"{INVALID}, None", MODE),
    Difference("ipc_handles", "cuIpcGetEventHandle [of an event not shared]", f"{CU}CUDA_ERROR_INVALID_HANDLE, None", f"{INVALID}, None", NOT_SHARED),
    Difference("virtual_memory_errors", "cuMemGetAllocationGranularity [empty]", f"{SUCCESS}, int", f"{INVALID}, None", CHECKED_GRANULARITY),
    Difference("virtual_memory_errors", "cuMemGetAllocationGranularity [no such device]", f"{SUCCESS}, int", f"{INVALID}, None", CHECKED_GRANULARITY),
    Difference("virtual_memory_shared", "cuMemImportFromShareableHandle [no such]", f"{CU}CUDA_ERROR_UNKNOWN, None", f"{INVALID}, None", MAPPING),
    Difference("module_images", "cuLibraryLoadData [bytes]", f"{SUCCESS}, CUlibrary", f"{CU}CUDA_ERROR_INVALID_IMAGE, None", EAGER),
    Difference("module_images", "cuLibraryLoadData [bytearray]", f"{SUCCESS}, CUlibrary", f"{CU}CUDA_ERROR_INVALID_IMAGE, None", EAGER),
    Difference("module_images", "cuLibraryLoadData [memoryview]", f"{SUCCESS}, CUlibrary", f"{CU}CUDA_ERROR_INVALID_IMAGE, None", EAGER),
    Difference("module_images", "cuLibraryLoadData [ctypes array]", f"{SUCCESS}, CUlibrary", f"{CU}CUDA_ERROR_INVALID_IMAGE, None", EAGER),
    Difference("tensor_map", "cuTensorMapEncodeTiled [two dimensions]", f"{SUCCESS}, CUtensorMap", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("tensor_map", "cuTensorMapEncodeTiled [tuple]", f"{SUCCESS}, CUtensorMap", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("tensor_map", "cuTensorMapEncodeTiled [data type as int]", f"{SUCCESS}, CUtensorMap", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("tensor_map", "cuTensorMapEncodeTiled [rank 0]", f"{INVALID}, None", f"{UNSUPPORTED}, None", NO_COUNTERPART),
    Difference("tensor_map", "cuTensorMapEncodeTiled [odd strides]", f"{INVALID}, None", f"{UNSUPPORTED}, None", NO_COUNTERPART),
]  # fmt: skip

# Programs that AMD's runtime cannot serve at all (CUDA_SHIM_CPU_ROCM), each with the reason. Their calls return
# not-supported, so that little of such a program is left to compare; all other lines must equal CUDA's.
REFUSED_ON_ROCM = {
    "graph_conditions": "HIP has no conditional nodes",
}
# Functions of later releases, which ROCm 7.2.2 lacks: their calls are refused there.
SINCE_7_11 = "hipKernelGetParamInfo came with HIP 7.11"
SINCE_7_14 = "hipLibraryGetGlobal and hipLibraryGetManaged came with HIP 7.14"
ON_OLDER_ROCM: list[Difference] = [
    Difference("library_kernels", "cuLibraryGetGlobal", f"{SUCCESS}, CUdeviceptr, int", f"{UNSUPPORTED}, None, None", SINCE_7_14),
    Difference("library_kernels", "size", "4", "None", SINCE_7_14),
    Difference("library_kernels", "cuLibraryGetGlobal [missing]", f"{CU}CUDA_ERROR_NOT_FOUND, None, None", f"{UNSUPPORTED}, None, None", SINCE_7_14),
    Difference("library_kernels", "cuLibraryGetManaged [not managed]", f"{CU}CUDA_ERROR_NOT_FOUND, None, None", f"{UNSUPPORTED}, None, None", SINCE_7_14),
    Difference("library_kernels", "cuKernelGetParamInfo", f"{SUCCESS}, 0, 8", f"{UNSUPPORTED}, None, None", SINCE_7_11),
    Difference("library_kernels", "cuKernelGetParamInfo", f"{SUCCESS}, 8, 4", f"{UNSUPPORTED}, None, None", SINCE_7_11),
    Difference("library_kernels", "cuKernelGetParamInfo [beyond]", f"{INVALID}, None, None", f"{UNSUPPORTED}, None, None", SINCE_7_11),
    Difference("library_runtime", "cudaLibraryGetGlobal", f"{RT}cudaSuccess, int, int", f"{RT}cudaErrorNotSupported, None, None", SINCE_7_14),
    Difference("library_runtime", "size", "4", "None", SINCE_7_14),
    Difference("library_runtime", "cudaLibraryGetGlobal [missing]", f"{RT}cudaErrorSymbolNotFound, None, None", f"{RT}cudaErrorNotSupported, None, None", SINCE_7_14),
]  # fmt: skip
# Programs with arrays, textures or surfaces, which gfx942 and gfx950 refuse: they run on a GPU that has image units.
WITH_IMAGES = (
    "copy_arrays_driver", "copy_arrays_runtime", "refused_values", "small_answers", "small_edges", "surface_objects",
    "texture_driver", "texture_limits", "texture_mipmaps", "texture_resources", "texture_resources_runtime", "texture_runtime",
)  # fmt: skip
