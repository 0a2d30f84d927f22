"""Print the local and shared memory of kernels, as JSON: attributes of the functions that NVRTC and the driver made.

    python tests/adapters/kernel_sizes/record.py > tests/adapters/kernel_sizes/recorded.json

with cuda-bindings and an NVIDIA GPU. The kernels are the files of `programs/`, in CUDA C++ and PTX. Templates among them
have a line `// template<...>` for each name that the script asks for.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from cuda.bindings import driver, nvrtc

PROGRAMS = Path(__file__).parent / "programs"


def value(answer: tuple[Any, ...]) -> Any:
    """The output of a call that must succeed."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def compiled(source: str) -> tuple[bytes, list[str]]:
    """PTX of a program in CUDA C++, and the names of its kernels."""
    program = value(nvrtc.nvrtcCreateProgram(source.encode(), b"k.cu", 0, [], []))
    templates = re.findall(r"^// (\w+<.*>)$", source, re.MULTILINE)
    for name in templates:
        value(nvrtc.nvrtcAddNameExpression(program, name.encode()))
    value(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_80"]))
    code = bytes(value(nvrtc.nvrtcGetPTXSize(program)))
    value(nvrtc.nvrtcGetPTX(program, code))
    names = re.findall(r'^(?:extern "C" )?__global__ void (\w+)', source, re.MULTILINE)
    return code, names + [value(nvrtc.nvrtcGetLoweredName(program, name.encode())).decode() for name in templates]


def sizes(file: Path) -> dict[str, list[int]]:
    """The two attributes of each kernel of a program."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".ptx":
        code, names = source.encode() + b"\0", re.findall(r"\.entry (\w+)", source)
    else:
        code, names = compiled(source)
    module, attribute = value(driver.cuModuleLoadData(code)), driver.CUfunction_attribute
    functions = {name: value(driver.cuModuleGetFunction(module, name.encode())) for name in names}
    return {
        name: [
            value(driver.cuFuncGetAttribute(one, function))
            for one in (attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
        ]
        for name, function in functions.items()
    }


def main() -> None:
    """Print the two attributes of every kernel."""
    value(driver.cuInit(0))
    value(driver.cuCtxSetCurrent(value(driver.cuDevicePrimaryCtxRetain(value(driver.cuDeviceGet(0))))))
    programs = sorted(PROGRAMS.iterdir())
    print(json.dumps({file.stem: sizes(file) for file in programs}, indent=1))


if __name__ == "__main__":
    main()
