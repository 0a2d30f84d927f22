"""The programs that CuPy hands to NVRTC, drawn from an installed CuPy; its code generation needs no GPU.

    python draw_cupy.py FOLDER

writes a JSON file for each program into FOLDER: its source, its options, and a name. Run it in an environment that has
CuPy (`pip install cupy-cuda12x`). Every ufunc and reduction is drawn with each of its type signatures, on contiguous
and on strided arrays; then the element-wise and raw kernels that CuPy's modules make when they are imported.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cupy
import cupyx  # type: ignore[import-not-found]
import numpy
from cupy._core import _kernel, _reduction, core  # type: ignore[import-not-found]
from cupy.cuda import compiler  # type: ignore[import-not-found]

_CHECKSUMS = {"_ArgInfo": 0xCE9B415, "_TypeMap": 0xC112A28}


class _Drawn(Exception):
    """Carries what would have been compiled."""


def _unpickled(name: str, state: tuple[Any, ...]) -> Any:
    """An object of a class of CuPy's that Python cannot make by itself."""
    return getattr(_kernel, f"__pyx_unpickle_{name}")(getattr(_kernel, name), _CHECKSUMS[name], state)


def _array(dtype: Any, ndim: int, contiguous: bool) -> Any:
    # arg_kind, c_contiguous, dtype, index_32_bits, ndim, type
    return _unpickled("_ArgInfo", (1, contiguous, numpy.dtype(dtype).type, True, ndim, core.ndarray))


def _indexer(ndim: int) -> Any:
    from cupy._core._carray import Indexer  # type: ignore[import-not-found]

    return _unpickled("_ArgInfo", (2, False, None, True, ndim, Indexer))


def _block_stride() -> Any:
    return _unpickled("_ArgInfo", (3, False, numpy.int32, True, 0, numpy.int32))


def _final(source: str, options: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """The source and the options that reach NVRTC."""

    def catch(source: str, options: tuple[str, ...] = (), **_: Any) -> None:
        raise _Drawn(source, list(options))

    kept, compiler._compile_module_with_cache = compiler._compile_module_with_cache, catch
    try:
        core.compile_with_cache(source, options)
    except _Drawn as drawn:
        return drawn.args[0], drawn.args[1]
    finally:
        compiler._compile_module_with_cache = kept
    raise RuntimeError("CuPy compiled without its compiler")


def _element_wise(kernel: Any, op: Any, contiguous: bool) -> str:
    """A ufunc's loop for one of its signatures, on arrays of one kind."""
    if not isinstance(op.routine, str):
        raise LookupError("made by a function")
    ndim = 1 if contiguous else 3
    named = [(f"in{i}", dtype) for i, dtype in enumerate(op.in_types)]
    named += [(f"out{i}", dtype) for i, dtype in enumerate(op.out_types)]
    arrays = tuple(_array(dtype, ndim, contiguous) for _, dtype in named)
    type_map = _unpickled("_TypeMap", (tuple((f"{name}_type", dtype) for name, dtype in named),))
    loop = "".join(
        f"const {name}_type {name}(_raw_{name}[_ind.get()]);\n"
        if name.startswith("in")
        else f"{name}_type &{name} = _raw_{name}[_ind.get()];\n"
        for name, _ in named
    )
    params = _kernel._get_param_info(", ".join(f"raw T _raw_{name}" for name, _ in named), False)
    types = "_".join(str(dtype) for _, dtype in named)
    return _kernel._get_elementwise_kernel_code(
        (*arrays, _indexer(ndim)), type_map, (*params, kernel._params[-1]), loop + op.routine,
        f"{kernel.name}__{types}".replace(".", "_"), kernel._preamble, kernel._loop_prep or "",
    )  # fmt: skip


def _reductions(kernel: Any, op: Any) -> str:
    map_expr, reduce_expr, post_map_expr, reduce_type = op.routine
    if reduce_type is None:
        reduce_type = _kernel._get_typename(op.out_types[0])
    arrays = (_array(op.in_types[0], 2, True), _array(op.out_types[0], 1, True))
    type_map = _unpickled(
        "_TypeMap",
        ((("type_in0_raw", op.in_types[0]), ("type_out0_raw", op.out_types[0]), ("IndexT", numpy.dtype("int32"))),),
    )
    return _reduction._SimpleReductionKernel_get_cached_function_code(
        map_expr, reduce_expr, post_map_expr, reduce_type, kernel._params, (*arrays, _indexer(2), _indexer(1), _block_stride()), type_map,
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

    def attempt(name: str, make: Callable[[], str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        try:
            yield name, make(), ()
        except (LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
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
            yield from attempt(f"elementwise-{value.name}", functools.partial(_generic, value))
        elif kind == "RawKernel" and getattr(value, "code", None):
            yield f"raw-{value.name}", value.code, tuple(value.options)
        elif kind == "RawModule" and getattr(value, "code", None):
            yield "rawmodule", value.code, tuple(value.options)
    for reason, count in sorted(missed.items()):
        print(f"{count} not drawn: {reason}", file=sys.stderr)


def _generic(kernel: Any) -> str:
    """An ElementwiseKernel on float arrays wherever it leaves the type open."""
    params = (*kernel.in_params, *kernel.out_params)
    types = [p.dtype if p.dtype is not None else numpy.dtype("float32") for p in params]
    arrays = tuple(_array(dtype, 2, True) for dtype in types)
    open_types = {p.ctype: numpy.dtype("float32") for p in params if p.dtype is None}
    fixed = {f"cupy_type_{p.name}": numpy.dtype(dtype) for p, dtype in zip(params, types, strict=True)}
    type_map = _unpickled("_TypeMap", (tuple({**open_types, **fixed}.items()),))
    loop = "".join(
        f"{'const ' if p.is_const else ''}cupy_type_{p.name} &{p.name} = _raw_{p.name}[_ind.get()];\n"
        for p in params
        if not p.raw
    )
    renamed = tuple(p if p.raw else _kernel._get_param_info(f"raw T _raw_{p.name}", p.is_const)[0] for p in params)
    return _kernel._get_elementwise_kernel_code(
        (*arrays, _indexer(2)), type_map, (*renamed, cupy.add._params[-1]), loop + kernel.operation, kernel.name,
        kernel.preamble, *(str(kernel.kwargs.get(key, "")) for key in ("loop_prep", "after_loop")),
    )  # fmt: skip


def main(folder: str) -> None:
    """Write the programs into `folder`, one file each."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, source, options in programs():
        text, final = _final(source, options) if not name.startswith("raw") else (source, list(options))
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        content = {"name": name, "source": text, "options": final, "cupy": cupy.__version__}
        (target / f"cupy-{name}-{digest}.json".replace("/", "_")).write_text(json.dumps(content))
        count += 1
    print(f"{count} programs")


if __name__ == "__main__":
    main(sys.argv[1])
