"""Compiling for AMD GPUs on a machine that has none, with AMD's own hiprtc (Debian's, of ROCm 5.2)."""

from __future__ import annotations

import json
import os

import pytest

from tests.interpreters import PACKAGE_ROOT, start
from tests.kernels import compilers
from tests.program_files import read_program

pytestmark = pytest.mark.skipif(
    compilers.amd() is None and not os.environ.get("CI"), reason="Debian's libamdhip64-5 is not installed"
)

PROGRAM = read_program(__file__, "without_device.py")
KERNEL = 'extern "C" __global__ void k(float* a, int n) { atomicAdd(a, n); }'
WRONG = 'extern "C" __global__ void k(float* a, int n) { atomicAdd(b, n); }'


@pytest.fixture(scope="module")
def rocm(tmp_path_factory):
    """A folder with AMD's library by the names that hip-python asks for."""
    compiler = compilers.amd()
    assert compiler is not None
    opened = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); print(open('/proc/self/maps').read())"
    maps = start(
        "-c", opened, compiler.path
    ).stdout  # in a process of its own, which uses it for all of HIP from then on
    library = next(line.split()[-1] for line in maps.splitlines() if "/libamdhip64.so" in line)
    folder = tmp_path_factory.mktemp("rocm")
    (folder / "lib").mkdir()
    for name in ("libamdhip64.so", "libamdhip64.so.7", "libhiprtc.so", "libhiprtc.so.7"):
        (folder / "lib" / name).symlink_to(library)
    return folder


def compiled(rocm, *programs, flags=()):
    run = ("-m", "cuda_shim", "run", "--backend=rocm", *flags, "-c", PROGRAM, json.dumps(programs))
    done = start(*run, ROCM_PATH=str(rocm), PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_targets_of_options_and_of_the_setting(rocm):
    by_option, by_setting = (
        compiled(rocm, (KERNEL, ["--gpu-architecture=gfx1030"])),
        compiled(rocm, (KERNEL, ["-arch=compute_80"]), (KERNEL, ["-arch", "gfx1030"]), flags=["--gfx=gfx90a"]),
    )
    assert [found["target"] for found in (*by_option, *by_setting)] == ["gfx1030", "gfx90a", "gfx1030"]
    for found in (*by_option, *by_setting):
        assert (found["status"], found["kernels"], found["entry"]) == ("NVRTC_SUCCESS", [["k", [8, 4]]], True), found


def test_logs_say_why(rocm):
    nothing_named, wrong, unknown = compiled(
        rocm, (KERNEL, ["-arch=sm_80"]), (WRONG, ["-arch=gfx90a"]), (KERNEL, ["-arch=gfx9999"])
    )
    assert "set CUDA_SHIM_GFX, for example to gfx942, or pass --gpu-architecture=gfx942" in nothing_named["log"]
    assert 'k.cu(1): error: identifier "b" is undefined' in wrong["log"]
    assert "gfx9999 is unknown to the installed ROCm, whose compiler has gfx1010, " in unknown["log"]
    assert {found["status"] for found in (nothing_named, wrong, unknown)} == {"NVRTC_ERROR_COMPILATION"}
