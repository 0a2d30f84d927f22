"""Differences of AMD's own answers (CUDA_SHIM_CPU_ROCM) from CUDA's; differences.py has those of every HIP device.

The hardware or AMD's runtime decides these; no call of HIP's reveals CUDA's answer.
"""

from __future__ import annotations

from tests.conformance.differences import CU, INVALID, RT, SUCCESS, Difference

UNASKED = "a block may use all 64 KiB of an AMD GPU's shared memory, without asking for them"
FORGOTTEN = "AMD's runtime forgets what a capture recorded of an event once that is over"
TIMED = "AMD's runtime does not ask whether a capture recorded an event that it tells the time of"
EXTERNAL = "AMD's runtime takes the flags for external events outside of captures too"
UNMAPPABLE = "AMD's runtime takes whatever cannot be mapped for a wrong value"
TRIMMED = "AMD's runtime counts the memory of a pool that is not in use, and keeps no more than is asked for"
THREE = "streams have the priorities 1, 0 and -1 on AMD GPUs"
ALIGNED = "textures and their rows are aligned to 256 bytes on AMD GPUs"

NOT_SUPPORTED = f"{CU}CUDA_ERROR_NOT_SUPPORTED"
CAPTURED = f"{CU}CUDA_ERROR_CAPTURED_EVENT, None"
NO_TIME = f"{CU}CUDA_ERROR_INVALID_HANDLE, None"  # an event that was never recorded outside of a capture
TIME = f"{SUCCESS}, float"
ILLEGAL = f"{CU}CUDA_ERROR_ILLEGAL_STATE"
TEXTURE, NO_TEXTURE = f"{SUCCESS}, CUtexObject", f"{INVALID}, None"
KIB = 1024


def _shared_memory() -> list[Difference]:
    """Return the differences for a kernel without static shared memory, and for one with 8 KiB of it."""
    program = "launch_shared_memory"
    listed = [
        Difference(
            program, "cuDeviceGetAttribute [attribute 8]", f"{SUCCESS}, {48 * KIB}", f"{SUCCESS}, {64 * KIB}", UNASKED
        )
    ]
    for kernel, own in (("none", 0), ("some", 8 * KIB)):
        ours, first = f"{SUCCESS}, {64 * KIB - own}", 48 * KIB - own
        attribute = f"cuFuncGetAttribute [{kernel}"
        listed += [
            Difference(program, f"{attribute}, {when}]", f"{SUCCESS}, {first}", ours, UNASKED)
            for when in ("at the start", "after -1")
        ]
        set_to = (16, 40, 48, 64 if own else 56)
        listed += [
            Difference(program, f"{attribute}, after {kib * KIB}]", f"{SUCCESS}, {kib * KIB}", ours, UNASKED)
            for kib in set_to
        ]
        sizes = (40 * KIB + 1, 48 * KIB, 48 * KIB + 1) if own else (48 * KIB + 1, 64 * KIB)
        launches = [f"{size}" for size in sizes] + [
            f"50 KiB after {size}" for size in (-1, 16 * KIB, 40 * KIB, 48 * KIB)
        ]
        listed += [
            Difference(program, f"cuLaunchKernel [{kernel}, {launch}]", INVALID, SUCCESS, UNASKED)
            for launch in launches
        ]
    listed.append(Difference(program, f"cuFuncSetAttribute [some, {64 * KIB}]", SUCCESS, INVALID, UNASKED))
    return listed


def _events() -> list[Difference]:
    """Events that a capture recorded; the first capture's event was never recorded in the open."""
    program, listed = "capture_events", []
    for mode in ("RELAXED", "THREAD_LOCAL", "GLOBAL"):
        time = NO_TIME if mode == "RELAXED" else TIME
        calls = [
            f"cuEventQuery [{mode}, when it is broken]",
            f"cuEventQuery [{mode}, afterwards]",
            f"cuEventSynchronize [{mode}, afterwards]",
            f"cuStreamWaitEvent [{mode}, afterwards, another stream]",
        ]
        listed += [Difference(program, call, INVALID, SUCCESS, FORGOTTEN) for call in calls]
        listed.append(Difference(program, f"cuEventElapsedTime [{mode}, during]", CAPTURED, time, TIMED))
        listed += [
            Difference(
                program, f"cuEventElapsedTime [{mode}, afterwards, {way} it]", f"{INVALID}, None", time, FORGOTTEN
            )
            for way in ("to", "from")
        ]
    for broken in ("of a broken one", "of one that was broken"):
        listed += [
            Difference(program, f"{call} [{broken}]", INVALID, SUCCESS, FORGOTTEN)
            for call in ("cuEventQuery", "cuStreamWaitEvent")
        ]
    return [
        *listed,
        Difference(program, "cuEventElapsedTime [of one that was broken]", f"{INVALID}, None", TIME, FORGOTTEN),
        Difference(program, "cuEventRecordWithFlags [external, in the open]", ILLEGAL, SUCCESS, EXTERNAL),
        Difference(
            program, "cuStreamWaitEvent [external, in the open]", ILLEGAL, f"{CU}CUDA_ERROR_INVALID_HANDLE", EXTERNAL
        ),
    ]


def _priorities() -> list[Difference]:
    """Return the differences of the range, and of requested priorities: CUDA's are from 0 to -5."""
    program = "stream_priorities"
    listed = [
        Difference("stream_priority", "the lowest", "0", "1", THREE),
        Difference(program, "cuCtxGetStreamPriorityRange", f"{SUCCESS}, 0, -5", f"{SUCCESS}, 1, -1", THREE),
        Difference(
            program, "cudaDeviceGetStreamPriorityRange", f"{RT}cudaSuccess, 0, -5", f"{RT}cudaSuccess, 1, -1", THREE
        ),
    ]
    for asked in (-2, -3, -4, -5, -6, -100, 1, 2, 100):
        theirs, ours = max(min(asked, 0), -5), max(min(asked, 1), -1)
        for call, success in (("cuStreamGetPriority", SUCCESS), ("cudaStreamGetPriority", f"{RT}cudaSuccess")):
            listed.append(Difference(program, f"{call} [{asked}]", f"{success}, {theirs}", f"{success}, {ours}", THREE))
    return listed


MAPPINGS = (
    "half a granule", "from half a granule", "an odd address", "half way", "more than there is", "the second half",
    "where one is mapped",
)  # fmt: skip
DEEP_BLOCK = "AMD's blocks may be as deep as they are wide"
LOOSER = ("linear, offset 256", "rows, offset 256")
TIGHTER = (
    *(f"4 floats, pitch {pitch}" for pitch in (32, 64, 128, 288)),
    *(f"height {height}" for height in (0, 1, 65000)),
)
ON_ROCM: list[Difference] = [
    Difference("launch_errors", "cuLaunchKernel [block too deep]", INVALID, SUCCESS, DEEP_BLOCK),
    *_shared_memory(),
    *_events(),
    *_priorities(),
    *(Difference("virtual_memory_ranges", f"cuMemMap [{one}]", NOT_SUPPORTED, INVALID, UNMAPPABLE) for one in MAPPINGS),
    Difference("virtual_memory_errors", "cuMemMap [offset]", NOT_SUPPORTED, INVALID, UNMAPPABLE),
    Difference("function_attributes", "cuFuncGetAttribute [after]", f"{SUCCESS}, 4096", f"{SUCCESS}, {64 * KIB - 64}", UNASKED),
    Difference("capture_fork", "cuEventQuery [captured event]", INVALID, SUCCESS, FORGOTTEN),
    Difference("pool_trim", "RESERVED_MEM_CURRENT [trimmed to 100]", "128", "64", TRIMMED),
    Difference("pool_trim", "RESERVED_MEM_CURRENT [trimmed to 63]", "64", "0", TRIMMED),
    *(Difference("texture_limits", f"cuTexObjectCreate [{one}]", NO_TEXTURE, TEXTURE, ALIGNED) for one in LOOSER),
    *(Difference("texture_limits", f"cuTexObjectCreate [{one}]", TEXTURE, NO_TEXTURE, ALIGNED) for one in TIGHTER),
]  # fmt: skip
