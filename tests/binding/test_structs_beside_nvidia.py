"""Every struct class beside NVIDIA's: members, sizes, offsets, accepted and refused values, texts."""

from __future__ import annotations

from pathlib import Path

from tests import environments
from tests.binding import beside

PROBE = Path(__file__).with_name("struct_probe.py")

# Each must be met in some layout.
DELIBERATE: beside.Deliberate = [
    ("CU?eglFrame|cudaEglFrame", "", "NVIDIA's repr of EGL frames raises or wraps; HIP has no EGL"),
    (r"has no attribute 'value'", "", "11.8 refused ints for enum members; every layout takes them here"),
    (
        r"but expected Type <class 'NoneType'>.*",
        r"-> None|but expected Type None, int",
        "11.8 took fewer objects as void*, and its message named types oddly",
    ),
    (
        r"OverflowError: (can't convert negative|Python int too large).* -> 0 \[int\]$",
        r"TypeError: Provided argument",
        "11.8 distinguished ints that are no address; later releases and we say what is accepted",
    ),
    (
        r"CUstreamMemOp\w+Params_st (size|made with|aliases|unknown|copied|compared)",
        "",
        "NVIDIA's classes of these cannot be made by programs; ours can",
    ),
    (r"value too large to convert to", r"value too large to convert to|is not a valid", "the C name of an enum type"),
    (r"cuda\.bindings\.driver\.(CUstream|CUdeviceptr)", r"\b(CUstream|CUdeviceptr)\b", "handles' names in errors"),
    (r"device = -1", "<CUdevice -1>", "-1 is CU_DEVICE_CPU"),
    (r"Tuple\[", r"tuple\[", "11.8 spelled typing.Tuple"),
]


def test_every_struct_behaves_as_nvidias(nvidia_python: tuple[str, environments.Python]) -> None:
    layout, nvidia = nvidia_python
    pairs = beside.theirs_and_ours(PROBE, nvidia, layout)
    assert len(pairs) > 10_000
    beside.check(pairs, DELIBERATE)


def test_each_deliberate_difference_is_still_met(shared_folder: Path) -> None:
    beside.check_each_is_met(PROBE, shared_folder, DELIBERATE)
