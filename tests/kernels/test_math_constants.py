"""The numbers of math_constants.h: each has the bits that NVIDIA's own header gives it."""

from __future__ import annotations

import re
import struct
from importlib.metadata import distribution
from pathlib import Path

import pytest

import cuda_shim
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import world_worker

PACKAGE = Path(cuda_shim.__file__).parent
CPU = PACKAGE.parent / "hip_on_host/device/include"
PORTABLE = CPU.parent / "portable/math_constants.h"


def definitions(header: Path) -> dict[str, str]:
    return dict(re.findall(r"#define[ \t]+(\w+)[ \t]+(\S.*)", header.read_text(encoding="utf-8")))


def bits(value: str) -> bytes | str:
    """A number's bits; any other text as it is written, without spaces."""
    hexadecimal = re.search(r"__(?:int|longlong)_as_(float|double)\(.*0x(\w+?)(?:U|ULL|ull)?\)", value)
    if hexadecimal:
        return int(hexadecimal[2], 16).to_bytes(4 if hexadecimal[1] == "float" else 8, "little")
    decimal = re.fullmatch(r"\(?(-?[\d.]+(?:e[-+]?\d+)?)(F?)\)?", value, re.IGNORECASE)
    return struct.pack("<f" if decimal[2] else "<d", float(decimal[1])) if decimal else re.sub(r"\s", "", value)


def numbers(header: Path) -> dict[str, bytes | str]:
    return {name: bits(value) for name, value in definitions(header).items()}


def nvidias() -> Path:
    runtime = distribution("nvidia-cuda-runtime")
    files = [file for file in runtime.files or () if file.name == "math_constants.h"]
    return Path(str(runtime.locate_file(files[0])))


def test_the_header_has_nvidias_numbers():
    expected = numbers(nvidias())
    assert len(expected) > 90
    assert sum(isinstance(value, bytes) for value in expected.values()) == len(expected) - 2
    assert numbers(PORTABLE) == expected


def test_hips_names_stand_for_all_of_them():
    names = [name.removeprefix("CUDART_") for name in definitions(PORTABLE)]
    assert definitions(CPU / "hip/hip_math_constants.h") == {f"HIP_{name}": f"CUDART_{name}" for name in names}


@pytest.mark.parametrize("compiler", ["clang++-19", "g++", "zig"])
def test_kernels_can_use_all_of_them(compiler):
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    names = list(definitions(PORTABLE))
    stores = "".join(f"  out[{at}] = {name};\n" for at, name in enumerate(names))
    cuda = f'#include <math_constants.h>\nextern "C" __global__ void all(double* out) {{\n{stores}}}\n'
    hip = cuda.partition("\n")[2].replace("CUDART_", "HIP_")
    for options, source in ((["--cuda-shim-cuda=12090"], cuda), ([], hip)):
        ((status, log),) = world_worker.run(compiler, [(options, source)])
        assert status == 0, log
