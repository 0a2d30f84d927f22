"""Compile errors are reported with the user's own file, line and column.

Each file in `wrong` marks its mistake with `// error`. NVIDIA's NVRTC finds the same lines, but in the files whose
names begin with `hip_`: those hold code that is right in CUDA and has no counterpart in HIP.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.source import to_hip
from tests.kernels import compilers
from tests.kernels.log_headers import HEADERS

FOLDER = Path(__file__).resolve().parent
FILES = sorted((FOLDER / "wrong").glob("*.cu"))
# A mistake in a header is reported at its place there.
ELSEWHERE = {"in_own_header.cu": ("own/broken.h", 3)}


def places(path):
    """The file and the lines that a log may name."""
    if path.name in ELSEWHERE:
        name, line = ELSEWHERE[path.name]
        return name, {line}
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = {number for number, line in enumerate(lines, 1) if "// error" in line}
    assert len(marked) == 1, path
    if "or the line before" in lines[min(marked) - 1]:
        marked |= {min(marked) - 1}
    return path.name, marked


def only_on_gpu(path):
    return "// error on a GPU" in path.read_text(encoding="utf-8")


def reported(log, name):
    """The lines of the first error: clang writes file:line:column, NVIDIA's compiler file(line)."""
    found = re.search(re.escape(name) + r"(?::(\d+):\d+|\((\d+)\)): (?:fatal |catastrophic )?error", log)
    return int(found[1] or found[2]) if found else None


@pytest.fixture(scope="module")
def cpu_logs(any_shim_python):
    return json.loads(
        any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "log_worker.py", *FILES)
    )


def test_there_are_enough():
    assert len(FILES) >= 15


@pytest.mark.parametrize("path", [path for path in FILES if not only_on_gpu(path)], ids=lambda path: path.stem)
def test_on_the_cpu(path, cpu_logs):
    status, log = cpu_logs[path.name]
    name, lines = places(path)
    assert status == 6
    assert reported(log, name) in lines, log


@pytest.mark.skipif(compilers.amd() is None, reason="Debian's libamdhip64-5 is not installed")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_on_amd(path):
    label = path.name.encode()
    program = to_hip(path.read_bytes(), label, list(HEADERS.items()), architecture="gfx90a")
    options = to_hiprtc([b"-arch=compute_90"], architecture="gfx90a")
    done = compilers.compile_with_amd(program.source, label, options.options, dict(program.headers))
    name, lines = places(path)
    assert done.status == 6
    assert reported(done.log, name) in lines, done.log


@pytest.mark.parametrize(
    "path", [path for path in FILES if not path.stem.startswith("hip_")], ids=lambda path: path.stem
)
def test_nvrtc_reports_the_same_line(path):
    compiler = compilers.nvrtc().get("13.5")
    if compiler is None:
        pytest.skip("NVRTC 13.5 is not installed")
    done = compiler.compile(path.read_bytes(), path.name.encode(), [b"-arch=compute_90"], HEADERS)
    name, lines = places(path)
    assert done.status == 6
    assert reported(done.log, name) in lines, done.log


@pytest.mark.parametrize(
    ("stem", "names"),
    [
        ("hip_tensor_cores", ["tcgen05", "tensor memory"]),
        ("hip_arrival_at_0", ["bar.arrive", "barrier 0"]),
        ("hip_toolkit_header", ["cub/block/block_reduce.cuh", "nvidia-cuda-cccl"]),
        ("hip_launch_from_kernel", ["dynamic parallelism"]),
        ("hip_random_numbers", ["curand_mtgp32_kernel.h", "nvidia-curand"]),
    ],
)
def test_what_has_no_counterpart_is_named(stem, names, cpu_logs):
    log = cpu_logs[f"{stem}.cu"][1]
    assert all(name in log for name in names), log


@pytest.mark.parametrize("stem", ["after_assembly", "after_long_assembly"])
def test_columns_survive_translation(stem, cpu_logs):
    """The mistake stands behind inline PTX on its line, whose translation has another length."""
    path = FOLDER / "wrong" / f"{stem}.cu"
    _, (line,) = places(path)
    text = path.read_text(encoding="utf-8").splitlines()[line - 1]
    place = re.search(r"\w*wrong_name", text)
    assert place is not None
    assert f"{path.name}({line}): error: " in cpu_logs[path.name][1]
    assert f"\n  {text}\n  {' ' * place.start()}^\n" in cpu_logs[path.name][1]
