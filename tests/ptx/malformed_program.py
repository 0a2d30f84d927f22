"""Loads the prefixes or mutations of a PTX module, and prints the answers that are not right.

    python -m cuda_shim run --backend cpu tests/ptx/malformed_program.py folder

The folder holds the texts. Right is a module, or CUDA_ERROR_INVALID_PTX with the place in the error log, or
CUDA_ERROR_UNSUPPORTED_PTX_VERSION for a version that is not taken.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cuda.bindings import driver

_SAID = re.compile(
    r"ptxas \w+, line \d+, column \d+; error   : [^\n]+\nptxas fatal   : Ptx assembly aborted due to errors\n"
)
_VERSION = re.compile(r"ptxas \w+, line \d+, column \d+; fatal   : Unsupported \.version [^\n]+\n")
_WHOLE = re.compile(r"ptxas fatal   : [^\n]+\n")


def answer(text):
    """The status of loading a text, and the error log."""
    log = bytearray(4096)
    option = driver.CUjit_option
    names = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    status, module = driver.cuModuleLoadDataEx(text.encode() + b"\0", 2, names, [log, len(log)])
    if status == driver.CUresult.CUDA_SUCCESS:
        driver.cuModuleUnload(module)
    return status.name, bytes(log).partition(b"\0")[0].decode()


def main(folder):
    (status,) = driver.cuInit(0)
    _, device = driver.cuDeviceGet(0)
    _, context = driver.cuDevicePrimaryCtxRetain(device)
    driver.cuCtxSetCurrent(context)
    accepted = 0
    for file in sorted(Path(folder).glob("*.ptx")):
        text = file.read_text(encoding="utf-8")
        status, log = answer(text)
        if status == "CUDA_SUCCESS":
            accepted += 1
        elif status == "CUDA_ERROR_INVALID_IMAGE" and not text.startswith(".version"):
            continue  # nothing says that it was to be PTX
        elif status == "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" and _VERSION.fullmatch(log):
            continue
        elif status != "CUDA_ERROR_INVALID_PTX" or not (_SAID.fullmatch(log) or _WHOLE.fullmatch(log)):
            print(f"{file.name}: {status} {log}", flush=True)
    print(f"{accepted} taken")


if __name__ == "__main__":
    main(sys.argv[1])
