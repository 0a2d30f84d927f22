"""The release of HIP that each function came with, for messages where a library lacks it.

By HIP's changelog (ROCm/clr and ROCm/rocm-systems, CHANGELOG.md). Functions without an entry are as old as HIP 6.0, or
older.
"""

from __future__ import annotations

__all__ = ["came_with"]

_FUNCTIONS = {
    "6.2": (
        "hipGetFuncBySymbol", "hipGetProcAddress", "hipGraphInstantiateWithParams", "hipMemcpy2DArrayToArray",
        "hipMemcpyAtoA", "hipMemcpyAtoD", "hipMemcpyAtoHAsync", "hipMemcpyDtoA", "hipMemcpyHtoAAsync",
        "hipStreamBeginCaptureToGraph",
    ),
    "6.3": (
        "hipDrvGraphAddMemFreeNode", "hipDrvGraphExecMemcpyNodeSetParams", "hipDrvGraphExecMemsetNodeSetParams",
        "hipDrvGraphMemcpyNodeGetParams", "hipDrvGraphMemcpyNodeSetParams", "hipGraphExecGetFlags",
        "hipGraphExecNodeSetParams", "hipGraphNodeSetParams",
    ),
    "6.4": (
        "hipDeviceGetTexture1DLinearMaxWidth", "hipGraphAddBatchMemOpNode",
        "hipGraphBatchMemOpNodeGetParams", "hipGraphBatchMemOpNodeSetParams", "hipGraphExecBatchMemOpNodeSetParams",
        "hipLinkAddData", "hipLinkAddFile", "hipLinkComplete", "hipLinkCreate", "hipLinkDestroy", "hipStreamBatchMemOp",
    ),
    "6.4.2": ("hipEventRecordWithFlags",),
    "7.0": ("hipDrvLaunchKernelEx", "hipLaunchKernelExC", "hipMemGetHandleForAddressRange"),
    "7.1": (
        "hipGetDriverEntryPoint", "hipMemAdvise_v2", "hipMemPrefetchAsync_v2", "hipMemcpy3DBatchAsync",
        "hipMemcpy3DPeer", "hipMemcpy3DPeerAsync", "hipMemcpyBatchAsync", "hipMemsetD2D16", "hipMemsetD2D16Async",
        "hipMemsetD2D32", "hipMemsetD2D32Async", "hipMemsetD2D8", "hipMemsetD2D8Async", "hipModuleGetFunctionCount",
        "hipModuleLoadFatBinary", "hipSetValidDevices", "hipStreamGetAttribute", "hipStreamGetId",
        "hipStreamSetAttribute",
    ),
    "7.2": (
        "hipKernelGetLibrary", "hipKernelGetName", "hipLibraryEnumerateKernels", "hipLibraryGetKernel",
        "hipLibraryGetKernelCount", "hipLibraryLoadData", "hipLibraryLoadFromFile", "hipLibraryUnload",
        "hipMemGetMemPool", "hipMemPrefetchBatchAsync", "hipMemSetMemPool", "hipOccupancyAvailableDynamicSMemPerBlock",
        "hipStreamCopyAttributes",
    ),
    "7.11": ("hipKernelGetParamInfo",),
    "7.12": (
        "hipExtDisableLogging", "hipExtEnableLogging", "hipExtSetLoggingParams", "hipKernelGetAttribute",
        "hipKernelGetFunction", "hipKernelSetAttribute", "hipMipmappedArrayGetMemoryRequirements",
    ),
    "7.14": (
        "hipDevResourceGenerateDesc", "hipDevSmResourceSplit", "hipDevSmResourceSplitByCount",
        "hipDeviceGetDevResource", "hipDeviceGetExecutionCtx", "hipDrvMemDiscardAndPrefetchBatchAsync",
        "hipDrvMemDiscardBatchAsync", "hipExecutionCtxDestroy", "hipExecutionCtxGetDevResource",
        "hipExecutionCtxGetDevice", "hipExecutionCtxGetId",
        "hipExecutionCtxRecordEvent", "hipExecutionCtxStreamCreate", "hipExecutionCtxSynchronize",
        "hipExecutionCtxWaitEvent", "hipGreenCtxCreate", "hipLibraryGetGlobal", "hipLibraryGetManaged",
        "hipMemDiscardAndPrefetchBatchAsync", "hipMemDiscardBatchAsync", "hipStreamGetDevResource",
    ),
    "10.0": ("hipMemGetDefaultMemPool",),
    "10.1": ("hipDeviceGetLuid", "hipInitDevice"),
}  # fmt: skip

_BY_FUNCTION = {function: release for release, functions in _FUNCTIONS.items() for function in functions}


def came_with(function: str) -> str | None:
    """Return the release of HIP that a function came with, such as "7.11"; None for one that is older or unknown."""
    return _BY_FUNCTION.get(function)
