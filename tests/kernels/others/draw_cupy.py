"""The programs that CuPy hands to NVRTC, drawn from an installed CuPy; its code generation needs no GPU.

    python draw_cupy.py FOLDER

writes a JSON file for each program into FOLDER: its source, its options, and a name. Run it in an environment that has
CuPy (`pip install cupy-cuda12x`). Every ufunc and reduction is drawn with each of its type signatures, on contiguous
and on strided arrays; then the element-wise and raw kernels that CuPy's modules make when they are imported, those of
indexing and of random numbers also with the types of real calls.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib
import itertools
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cupy
import cupyx  # type: ignore[import-not-found]
import numpy
from cupy._core import _kernel, _reduction  # type: ignore[import-not-found]
from cupy_types import (  # type: ignore[import-not-found]
    array,
    block_stride,
    final,
    generic,
    indexer,
    unpickled,
)
from draw_cupy_called import called_by_functions  # type: ignore[import-not-found]
from draw_cupy_made import made_when_asked  # type: ignore[import-not-found]


def _element_wise(kernel: Any, op: Any, contiguous: bool) -> str:
    """A ufunc's loop for one of its signatures, on arrays of one kind."""
    if not isinstance(op.routine, str):
        raise LookupError("made by a function")
    ndim = 1 if contiguous else 3
    named = [(f"in{i}", dtype) for i, dtype in enumerate(op.in_types)]
    named += [(f"out{i}", dtype) for i, dtype in enumerate(op.out_types)]
    arrays = tuple(array(dtype, ndim, contiguous) for _, dtype in named)
    type_map = unpickled("_TypeMap", (tuple((f"{name}_type", dtype) for name, dtype in named),))
    loop = "".join(
        f"const {name}_type {name}(_raw_{name}[_ind.get()]);\n"
        if name.startswith("in")
        else f"{name}_type &{name} = _raw_{name}[_ind.get()];\n"
        for name, _ in named
    )
    params = _kernel._get_param_info(", ".join(f"raw T _raw_{name}" for name, _ in named), False)
    types = "_".join(str(dtype) for _, dtype in named)
    return _kernel._get_elementwise_kernel_code(
        (*arrays, indexer(ndim)), type_map, (*params, kernel._params[-1]), loop + op.routine,
        f"{kernel.name}__{types}".replace(".", "_"), kernel._preamble, kernel._loop_prep or "",
    )  # fmt: skip


def _reductions(kernel: Any, op: Any) -> str:
    map_expr, reduce_expr, post_map_expr, reduce_type = op.routine
    if reduce_type is None:
        reduce_type = _kernel._get_typename(op.out_types[0])
    arrays = (array(op.in_types[0], 2, True), array(op.out_types[0], 1, True))
    type_map = unpickled(
        "_TypeMap",
        ((("type_in0_raw", op.in_types[0]), ("type_out0_raw", op.out_types[0]), ("IndexT", numpy.dtype("int32"))),),
    )
    return _reduction._SimpleReductionKernel_get_cached_function_code(
        map_expr, reduce_expr, post_map_expr, reduce_type, kernel._params, (*arrays, indexer(2), indexer(1), block_stride()), type_map,
        kernel.name, 512, str(kernel.identity), kernel._input_expr, kernel._output_expr, kernel.preamble, (),
    )  # fmt: skip


def _modules() -> Iterator[Any]:
    for package in (cupy, cupyx):
        yield package
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if any(part in module.name for part in ("testing", "tests", "install", "builder", "tools")):
                continue
            try:
                yield importlib.import_module(module.name)
            except (ImportError, OSError, RuntimeError) as error:  # CuPy has modules for libraries that are not here
                print(f"{module.name}: {type(error).__name__}: {error}", file=sys.stderr)


def programs() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Name, source and options, CuPy's own headers not yet in front."""
    modules = list(_modules())
    objects = {id(value): value for value in gc.get_objects()}
    for module in modules:
        objects.update((id(value), value) for value in vars(module).values())
    missed: dict[str, int] = {}

    def attempt(name: str, make: Callable[[], Any]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        try:
            made = make()
            yield (name, made, ()) if isinstance(made, str) else (name, *made)
        except (LookupError, TypeError, ValueError, AttributeError, AssertionError, RuntimeError) as error:
            reason = f"{name.split('-')[0]}: {type(error).__name__}: {error}"
            missed[reason] = missed.get(reason, 0) + 1

    for value in objects.values():
        kind = type(value).__name__
        if isinstance(value, _kernel.ufunc):
            for number, op in enumerate(value._ops.ops):
                for contiguous in (True, False):
                    yield from attempt(
                        f"ufunc-{value.name}-{number}-{'flat' if contiguous else 'strided'}",
                        functools.partial(_element_wise, value, op, contiguous),
                    )
        elif kind == "_SimpleReductionKernel":
            for number, op in enumerate(value._ops.ops):
                yield from attempt(f"reduction-{value.name}-{number}", functools.partial(_reductions, value, op))
        elif isinstance(value, cupy.ElementwiseKernel):
            yield from attempt(f"elementwise-{value.name}", functools.partial(generic, value))
        elif kind == "RawKernel" and getattr(value, "code", None):
            yield f"raw-{value.name}", value.code, tuple(value.options)
        elif kind == "RawModule" and getattr(value, "code", None):
            yield "rawmodule", value.code, tuple(value.options)
    for name, make in itertools.chain(made_when_asked(), called_by_functions()):
        yield from attempt(name, make)
    for reason, count in sorted(missed.items()):
        print(f"{count} not drawn: {reason}", file=sys.stderr)


def main(folder: str) -> None:
    """Write the programs into `folder`, one file each."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, source, options in programs():
        text, passed = final(source, options, headers_first=not name.startswith("raw"))
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        content = {"name": name, "source": text, "options": passed, "cupy": cupy.__version__}
        (target / f"cupy-{name}-{digest}.json".replace("/", "_")).write_text(json.dumps(content))
        count += 1
    print(f"{count} programs")


if __name__ == "__main__":
    main(sys.argv[1])
