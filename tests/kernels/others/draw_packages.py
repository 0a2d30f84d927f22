"""The programs that packages other than CuPy hand to NVRTC, drawn from the installed packages; no GPU is needed.

    python draw_packages.py FOLDER

writes a JSON file for each program into FOLDER, as draw_cupy.py does. Run it in an environment that has some of
tinygrad, numba-cuda and gprMax; packages that are not installed are left out, and named.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class _Program:
    """A source with its name and options."""

    def __init__(self, name: str, source: str, *options: str) -> None:
        self.name, self.source, self.options = name, source, list(options)


def _tinygrad() -> Iterator[_Program]:
    """Programs of tinygrad's renderer for CUDA for operations on tensors of several types and shapes."""
    os.environ.update(
        {
            "DEV": "NULL:CUDA:sm_80",
            "CACHELEVEL": "0",
            "NULL_ALLOW_COPYOUT": "1",
            "DISABLE_COMPILER_CACHE": "1",
            "PARALLEL": "0",
        }
    )
    from tinygrad.runtime.support import compiler_cuda  # type: ignore[import-not-found]

    found: dict[str, str] = {}

    class Catcher(compiler_cuda.NVRTCCompiler):  # type: ignore[misc]
        def __init__(self, arch: str, *_: Any, **__: Any) -> None:
            compiler_cuda.Compiler.__init__(self, None)
            self.arch = arch

        def compile(self, src: str) -> bytes:
            found.setdefault(src, f"{len(found):04}")
            return b"drawn"

    compiler_cuda.NVRTCCompiler = Catcher
    from tinygrad import Tensor, dtypes

    def attempt(make: Any) -> None:
        try:
            make().realize()
        except Exception as error:  # noqa: BLE001 - programs that the renderer cannot write are not drawn
            print(f"tinygrad: {type(error).__name__}: {error}"[:150], file=sys.stderr)

    kinds = [
        dtypes.float32,
        dtypes.float64,
        dtypes.half,
        dtypes.bfloat16,
        dtypes.int32,
        dtypes.int64,
        dtypes.uint8,
        dtypes.bool,
    ]
    unary = "exp log sin cos tan sqrt rsqrt sigmoid tanh relu gelu silu softplus abs neg sign floor ceil round trunc reciprocal erf"
    binary = "add sub mul div maximum minimum pow eq lt mod"
    reductions = "sum prod max min mean var std softmax log_softmax argmax argmin cumsum cummax logsumexp all any"
    for kind in kinds:
        a, b = (Tensor.empty(45, 65, dtype=kind) for _ in range(2))
        for name in unary.split():
            attempt(lambda name=name, a=a: getattr(a, name)().contiguous())
        for name in binary.split():
            attempt(lambda name=name, a=a, b=b: getattr(a, name)(b).contiguous())
        for name in reductions.split():
            attempt(lambda name=name, a=a: getattr(a, name)(axis=1) if name != "softmax" else a.softmax(1))
            attempt(lambda name=name, a=a: getattr(a, name)(axis=0))
        attempt(lambda a=a: a.sum())
        attempt(lambda a=a: a.sort()[0])
        attempt(lambda a=a: a.pad(((1, 2), (3, 4))).contiguous())
        attempt(lambda a=a: a.permute(1, 0).flip(0).contiguous())
        attempt(lambda kind=kind: Tensor.empty(64, 64, dtype=kind) @ Tensor.empty(64, 64, dtype=kind))
        attempt(lambda kind=kind: Tensor.empty(37, 51, dtype=kind) @ Tensor.empty(51, 29, dtype=kind))
        attempt(
            lambda kind=kind: Tensor.empty(2, 4, 16, 16, dtype=kind).conv2d(
                Tensor.empty(8, 4, 3, 3, dtype=kind), padding=1
            )
        )
        attempt(lambda kind=kind: Tensor.empty(2, 4, 16, 16, dtype=kind).max_pool2d())
        attempt(lambda kind=kind: Tensor.rand(50, 50).cast(kind).contiguous())
        for other in kinds:
            attempt(lambda a=a, other=other: a.cast(other).contiguous())
    for source, number in found.items():
        yield _Program(f"tinygrad-{number}", source, "--gpu-architecture=sm_80")


def _numba() -> Iterator[_Program]:
    """The CUDA C++ that numba-cuda compiles: its own functions, and those of its tests."""
    specification = importlib.util.find_spec("numba_cuda")
    assert specification is not None
    assert specification.submodule_search_locations is not None
    folder = Path(next(iter(specification.submodule_search_locations)))
    for file in sorted(folder.rglob("*.cu")):
        folders = sorted({str(path.parent) for path in folder.rglob("*.cuh")} | {str(file.parent)})
        yield _Program(
            f"numba-{file.stem}", file.read_text(encoding="utf-8"), *(f"-I{path}" for path in folders), "-rdc=true"
        )


def _gprmax() -> Iterator[_Program]:
    """gprMax's kernels of field updates, sources and absorbing layers, with its own templates filled in."""
    import re

    import jinja2
    import jinja2.meta

    specification = importlib.util.find_spec("gprMax")
    assert specification is not None
    assert specification.submodule_search_locations is not None
    folder = Path(next(iter(specification.submodule_search_locations))) / "cuda_opencl"
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder))  # noqa: S701 - it writes no HTML
    asked = jinja2.meta.find_undeclared_variables(
        environment.parse((folder / "knl_common_base.tmpl").read_text(encoding="utf-8"))
    )
    sizes = {**dict.fromkeys(asked, 24), "N_updatecoeffsE": 24, "N_updatecoeffsH": 24, "DRUDELORENTZ": False}
    for real in ("float", "double"):
        common = environment.get_template("knl_common_cuda.tmpl").render({**sizes, "REAL": real})
        for file in sorted(folder.glob("knl_*.py")):
            for name, value in sorted(runpy.run_path(str(file)).items()):
                if not isinstance(value, dict) or "func" not in value or "args_cuda" not in value:
                    continue
                head, body = value["args_cuda"], value["func"]
                used = set(re.findall(r"\$\{?([A-Za-z_]\w*)", head.template + body.template))
                values = {**dict.fromkeys(used, "24"), "REAL": real, "COMPLEX": real}
                values |= {"FUNC": name, "CUDA_IDX": "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;"}
                values["TFSF_IDX"] = "size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;"
                text = f"{common}\n{head.substitute(values)}{{{body.substitute(values)}}}\n"
                yield _Program(f"gprmax-{file.stem}-{name}-{real}", text)


PACKAGES = {"tinygrad": _tinygrad, "numba_cuda": _numba, "gprMax": _gprmax}


def main(folder: str) -> None:
    """Write the programs into `folder`, one file each."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for package, draw in PACKAGES.items():
        if importlib.util.find_spec(package) is None:
            print(f"{package} is not installed", file=sys.stderr)
            continue
        count = 0
        for program in draw():
            digest = hashlib.sha256(program.source.encode()).hexdigest()[:12]
            content = {"name": program.name, "source": program.source, "options": program.options}
            (target / f"{program.name}-{digest}.json").write_text(json.dumps(content), encoding="utf-8")
            count += 1
        print(f"{package}: {count} programs")


if __name__ == "__main__":
    main(sys.argv[1])
