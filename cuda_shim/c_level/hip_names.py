"""HIP's names in declaration files: `hipMemcpy` beside `cudaMemcpy`, as the files of HIP Python's own layer have them.

There CUDA's names stand for HIP's; here it is the other way round, since programs need CUDA's numbers and structs. A
program that writes the names sees no difference: functions, types and constants of one file belong together.
"""

from __future__ import annotations

import re

from cuda_shim.c_level.interface import signatures
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow, ExtendsRow, FunctionRow, HandleRow, Row, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["hip_names"]

_PREFIX = re.compile(r"cuda|cu|CU|nvrtc")
# Handles and the like that HIP calls by the same word; its other types are named in their rows.
_SAME_WORD = frozenset(
    [
        "Array",
        "Array_const",
        "Device",
        "Deviceptr",
        "Event",
        "ExternalMemory",
        "ExternalSemaphore",
        "Function",
        "Graph",
        "GraphExec",
        "GraphNode",
        "GraphicsResource",
        "HostFn",
        "Kernel",
        "Library",
        "LinkState",
        "MemGenericAllocationHandle",
        "MipmappedArray",
        "MipmappedArray_const",
        "Module",
        "Stream",
        "StreamCallback",
        "SurfaceObject",
        "TextureObject",
        "UserObject",
    ]
)
_OTHER_WORDS = {
    "CUcontext": "hipCtx_t",
    "CUmemoryPool": "hipMemPool_t",
    "CUsurfObject": "hipSurfaceObject_t",
    "CUtexObject": "hipTextureObject_t",
    "nvrtcProgram": "hiprtcProgram",
}
# Parameter counts of HIP's functions; CUDA functions with another count, in some version, have no second name.
_PARAMETERS = {
    "hipCtxCreate": 3,
    "hipDeviceGetTexture1DLinearMaxWidth": 3,
    "hipGetDriverEntryPoint": 4,
    "hipGetProcAddress": 5,
    "hipGraphAddDependencies": 4,
    "hipGraphAddNode": 5,
    "hipGraphExecUpdate": 4,
    "hipGraphGetEdges": 4,
    "hipGraphNodeGetDependencies": 3,
    "hipGraphNodeGetDependentNodes": 3,
    "hipGraphRemoveDependencies": 4,
    "hipKernelNameRef": 1,
    "hipMemPrefetchAsync": 4,
    "hipMemcpy3DBatchAsync": 5,
    "hipMemcpyBatchAsync": 9,
    "hipModuleOccupancyMaxPotentialBlockSize": 5,
    "hipModuleOccupancyMaxPotentialBlockSizeWithFlags": 6,
    "hipSetDeviceFlags": 1,
    "hipStreamGetCaptureInfo_v2": 6,
    "hipStreamUpdateCaptureDependencies": 4,
}


def hip_names(table: str, layout: str, declared: Collection[str]) -> dict[str, str]:
    """Return HIP's names of a declaration file's functions, each with CUDA's; of several, the one of the same word.

    Args:
        table: "driver", "runtime" or "nvrtc".
        layout: the layout of the file.
        declared: the types that the file declares.
    """
    table_rows = store.load(table)
    in_c = signatures(table, layout)
    cuda_names: dict[str, str] = {}
    rows = [row for name in sorted(table_rows.names(layout)) if (row := table_rows.row(name, layout)) is not None]
    # Pairs with the same word go first: hipMemcpy is cudaMemcpy, and no other function that HIP serves by it.
    pairs = [pair for row in rows for pair in _pairs(row) if row.name in in_c or row.name in declared]
    for hip, cuda in sorted(pairs, key=lambda pair: (_word(pair[0]) != _word(pair[1]), pair)):
        cuda_names.setdefault(hip, cuda)
    return dict(sorted(cuda_names.items()))


def _pairs(row: Row) -> Iterator[tuple[str, str]]:
    """Yield HIP's and CUDA's names of a row, and of its constants."""
    if isinstance(row, FunctionRow):
        plain = row.call is None and row.result is None and all(each.mode != "spare" for each in row.parameters)
        served = row.hip is not None and not (row.unsupported or row.provided)
        if served and plain and _PARAMETERS.get(row.hip or "", len(row.parameters)) == len(row.parameters):
            yield row.hip or "", row.name
    elif isinstance(row, EnumRow) and row.hip:
        yield row.hip, row.name
        yield from ((member.hip, member.name) for member in row.members if member.hip)
    elif isinstance(row, StructRow) and row.hip:
        yield row.hip, row.name
    elif isinstance(row, (HandleRow, ExtendsRow)):
        word = _PREFIX.sub("", row.name, count=1).removesuffix("_t")
        word = word[:1].upper() + word[1:]
        if row.name in _OTHER_WORDS:
            yield _OTHER_WORDS[row.name], row.name
        elif word in _SAME_WORD:
            yield f"hip{word}_t", row.name


def _word(name: str) -> str:
    return re.sub(r"^(?:hiprtc|hip|cuda|cu|CU|nvrtc)", "", name)
