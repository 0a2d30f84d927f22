"""A device function in plain C++ is written once, in hip_on_host/device/portable, for AMD GPUs and for host cores."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Functions that both sides define: each side has a class of its own for numbers of 16 bits.
OF_OWN_CLASSES = {
    "__bfloat162float", "__habs", "__habs2", "__high2float", "__hisnan", "__hisnan2", "__hneg", "__hneg2", "__low2float",
    "__lowhigh2highlow",
}  # fmt: skip

_DEFINITION = re.compile(
    r"^(?!#)[^\n]*?\b(__[a-z]\w*)\s*\([^;{}]{0,400}?\)\s*(?:const\s*)?(?:noexcept\s*)?\{", re.MULTILINE
)
_NO_FUNCTIONS = {"__attribute__", "__nv_bfloat16", "__nv_bfloat162", "__nv_bfloat16_raw"}


def intrinsics(*folders: str) -> set[str]:
    """The functions with two underscores that the committed headers of some folders define."""
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    texts = [(ROOT / name).read_bytes().decode("utf-8", "replace") for name in listed.splitlines()]
    return {match[1] for text in texts for match in _DEFINITION.finditer(text)} - _NO_FUNCTIONS


def test_the_pattern_finds_definitions_of_both_kinds() -> None:
    assert {"__shfl_sync", "__habs"} & intrinsics("cuda_shim/translate/headers")
    assert {"__ballot_sync", "__syncwarp"} <= intrinsics("hip_on_host/device/prelude")


def test_no_other_intrinsic_is_written_for_each_side() -> None:
    for_gpus = intrinsics("cuda_shim/translate/headers")
    for_hosts = intrinsics("hip_on_host/device/prelude", "hip_on_host/device/include")
    assert for_gpus & for_hosts == OF_OWN_CLASSES
