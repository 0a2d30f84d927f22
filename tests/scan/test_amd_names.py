"""Names that hiprtc has by our tables are there in AMD's own compiler, of the oldest ROCm that is judged."""

from __future__ import annotations

import os
import re

import pytest

from cuda_shim.mapping.text_tables import load_text
from tests.interpreters import PACKAGE_ROOT, run_json
from tests.kernels import compilers

pytestmark = pytest.mark.skipif(
    compilers.amd() is None and not os.environ.get("CI"), reason="Debian's libamdhip64-5 is not installed"
)

#: Names that `using ::name` cannot ask for.
KEYWORDS = {"__noinline__", "__restrict__"}
#: Names that came after ROCm 5.2.
NEWER = {"__fns"}
COMPILE = """
import json, sys
from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.source import to_hip
from tests.kernels import compilers

source = to_hip(sys.argv[1].encode(), b"names.cu", [], architecture="gfx90a")
options = to_hiprtc([b"--std=c++17"], architecture="gfx90a").options
compiler = compilers.amd()
assert compiler is not None
done = compiler.compile(source.source, b"names.cu", [*options, b"-ferror-limit=0", b"-w"], dict(source.headers))
print(json.dumps([done.status, done.log]))
"""


def test_rocm_has_the_names_that_stand_for_themselves() -> None:
    lines = ["#include <cuda_fp16.h>", "#include <cuda_bf16.h>", "__global__ void k() {}"]
    at: dict[int, str] = {}
    for name in sorted(load_text("device")["same"].keys() - KEYWORDS):
        lines += [f"#ifndef {name}", f"namespace probe_{name} {{ using ::{name}; }}", "#endif"]
        at[len(lines) - 1] = name
    status, log = run_json(COMPILE, "\n".join(lines) + "\n", PYTHONPATH=str(PACKAGE_ROOT))
    missing = {at[int(line)] for line in re.findall(r"^names\.cu:(\d+):\d+: error", log, re.MULTILINE)}
    assert missing == NEWER, log
    assert (status == 0) == (not NEWER), log
