"""Shared parts of the backend tests: a small stand-in for the C++ sources, and the scripts that build it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Run = Callable[..., "subprocess.CompletedProcess[str]"]

STAND_IN = {
    "common/shared.h": "#pragma once\nint shared_answer();\n",
    "common/shared.cpp": '#include "common/shared.h"\n#include <string>\n'
    'int shared_answer() { return std::string("four").size() == 4 ? 42 : 0; }\n',
    "engine/engine.cpp": "int engine_answer() { return 1; }\n",
    "hip/device.cpp": '#include "common/shared.h"\nint engine_answer();\n'
    '#define EXPORT extern "C" __attribute__((visibility("default")))\n'
    "EXPORT int hipGetDeviceCount(int* count) { *count = engine_answer(); return 0; }\n"
    "EXPORT int hipRuntimeGetVersion(int* version) { *version = shared_answer(); return 0; }\n"
    "EXPORT void hipExtEndHostFunctions() {}\n",
    "kernel_compiler/compile.cpp": '#include "common/shared.h"\n'
    'extern "C" __attribute__((visibility("default"))) int hiprtcVersion(int* major, int* minor) '
    "{ *major = shared_answer(); *minor = 0; return 0; }\n",
}

# The beginning of a driver script: the stand-in instead of the sources that are shipped.
USE_STAND_IN = """
import os
from pathlib import Path
from cuda_shim import settings
from cuda_shim.backends import compilers, host, host_libraries
from hip_on_host import sources
sources.source_folder = lambda: os.environ["STAND_IN"]
sources.device_folder = lambda: os.path.join(os.environ["STAND_IN"], "device")
host.shipped = lambda: "/nonexistent"
"""


def last_line(text: str) -> str:
    """The last line of a program's output, where a Python error has its message."""
    return (text.strip().splitlines() or [""])[-1]
