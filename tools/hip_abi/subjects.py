"""The header in which a name of HIP is declared: one for each subject of HIP's documentation."""

from __future__ import annotations

import re

# Subject, the contents of its header, and the beginnings of its names; the first row that fits a name decides.
_ROWS = (
    ("error", "errors", r"hipError_t|HIP_SUCCESS|HIP_ERROR_|hip(Drv|Ext)?(Get|PeekAt)(Last)?Error"),
    (
        "graph",
        "graphs, their nodes and user objects",
        r"i?hip\w*Graph(?!ics)|hip\w*NodeParams|hipUserObject",
    ),
    (
        "interop",
        "memory, events and semaphores of other processes and other interfaces",
        r"hip\w*External(Memory|Semaphore)|_?hipGraphics|hipIpc|HIP_IPC",
    ),
    (
        "texture",
        "textures and surfaces",
        (
            r"hip\w*(Tex[tROT]|Surface(?!s))|__hip_(texture|surface)|texture|surface|HIP_(TEXTURE|TRS|IMAGE|SAMPLER|RESOURCE)"
            r"|HIP(address|filter|resource)|hipResource(Desc|View|type)|hipGetChannelDesc"
        ),
    ),
    (
        "context",
        "contexts and the parts of a device that they own",
        r"i?hip\w*Ctx|i?hip\w*Dev(Resource|Sm|Workqueue)",
    ),
    (
        "copy",
        "copies and fills",
        r"hip(Drv)?Mem(cpy|set)|HIP_MEMCPY|hip_Memcpy|hipExtent|hipPos|hipPitchedPtr|hipOffset3D",
    ),
    (
        "array",
        "arrays, mipmapped arrays and the formats of their elements",
        r"i?hip\w*Array|hipmipmapped|HIP_ARRAY|hipChannelFormat|hipCreateChannelDesc|hipResourceType",
    ),
    (
        "runtime",
        "the runtime itself: versions, entry points, logging, data types",
        (
            r"HIP_VERSION|hipInit|hip(Driver|Runtime)GetVersion|hip\w*(EntryPoint|ProcAddress)|hipProfiler|hipApiName"
            r"|hipExt\w*Logging|hipDataType|hipLibraryPropertyType"
        ),
    ),
    (
        "launch",
        "launches and occupancy",
        (
            r"hip\w*(Launch|Occupancy)|HIP_LAUNCH|dim3|hipConfigureCall|hipSetupArgument|hipHostFn_t|hipAccess(Policy|Property)"
            r"|hipSynchronizationPolicy|hipCluster|hipExtDynData"
        ),
    ),
    (
        "module",
        "modules, libraries, the linker and their functions",
        r"i?hip(Module|Library|Kernel|Link|Jit|Func)|hipGet(FuncBySymbol|Symbol)",
    ),
    ("event", "events", r"i?hipEvent"),
    ("stream", "streams, their captures and operations on memory", r"i?hip\w*Stream|hipStream"),
    (
        "device",
        "devices, their attributes, limits and peers",
        (
            r"hipDevice(?!ptr|Malloc|\w*MemPool)|hip(Set|Get|Choose)(Valid)?Device|hipUUID|hipComputeMode|hip\w*GPUDirectRDMA"
            r"|hipLimit_t|hipSharedMemConfig|hipExtGetLinkType|hip(Cpu|Invalid)DeviceId"
        ),
    ),
    (
        "memory",
        "memory: allocations, pools, virtual addresses and pointers",
        r"i?hip\w*(Mem|Malloc|Free|Host|Pointer)|hipDeviceptr_t",
    ),
)

SUBJECTS = {subject: title for subject, title, _ in _ROWS}


def subject_of(name: str) -> str:
    """The subject of an enum, type, constant or function.

    Raises:
        SystemExit: no row of the table fits the name, which is then new in HIP.
    """
    for subject, _, pattern in _ROWS:
        if re.match(pattern, name):
            return subject
    raise SystemExit(f"generate_hip_abi: tools/hip_abi/subjects.py has no subject for {name}")
