"""Stand-ins for arrays that CuPy's code generation takes, and the source that it hands to its compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy
from cupy._core import _kernel, core  # type: ignore[import-not-found]
from cupy.cuda import compiler  # type: ignore[import-not-found]

_CHECKSUMS = {"_ArgInfo": 0xCE9B415, "_TypeMap": 0xC112A28}


class _Drawn(Exception):
    """Carries the source that would have been compiled."""


def unpickled(name: str, state: tuple[Any, ...]) -> Any:
    """An object of a class of CuPy's that Python cannot make by itself."""
    return getattr(_kernel, f"__pyx_unpickle_{name}")(getattr(_kernel, name), _CHECKSUMS[name], state)


def array(dtype: Any, ndim: int, contiguous: bool) -> Any:
    """An array of a type."""
    # arg_kind, c_contiguous, dtype, index_32_bits, ndim, type
    return unpickled("_ArgInfo", (1, contiguous, numpy.dtype(dtype).type, True, ndim, core.ndarray))


def indexer(ndim: int) -> Any:
    """The indexer that leads a loop through arrays."""
    from cupy._core._carray import Indexer  # type: ignore[import-not-found]

    return unpickled("_ArgInfo", (2, False, None, True, ndim, Indexer))


def scalar(dtype: Any) -> Any:
    """A number of a type."""
    kind = numpy.dtype(dtype).type
    return unpickled("_ArgInfo", (3, False, kind, True, 0, kind))


def block_stride() -> Any:
    """A number of 32 bits."""
    return scalar(numpy.int32)


def compiled(make: Callable[[], Any]) -> tuple[str, tuple[str, ...]] | None:
    """The source and the options that `make` hands to CuPy's compiler, None where it hands it nothing."""

    def catch(source: str, options: tuple[str, ...] = (), **_: Any) -> None:
        raise _Drawn(source, options)

    kept, compiler._compile_module_with_cache = compiler._compile_module_with_cache, catch
    try:
        make()
    except _Drawn as drawn:
        return drawn.args[0], tuple(drawn.args[1])
    finally:
        compiler._compile_module_with_cache = kept
    return None


def final(source: str, options: tuple[str, ...] = (), *, headers_first: bool = True) -> tuple[str, list[str]]:
    """The source and the options that reach NVRTC, by default with CuPy's own headers in front."""
    drawn = compiled(lambda: core.compile_with_cache(source, options, prepend_cupy_headers=headers_first))
    if drawn is None:
        raise RuntimeError("CuPy compiled without its compiler")
    return drawn[0], list(drawn[1])


def generic(kernel: Any, kind: str = "float32") -> str:
    """An ElementwiseKernel on arrays of a kind wherever it leaves the type open."""
    params = (*kernel.in_params, *kernel.out_params)
    types = [p.dtype if p.dtype is not None else numpy.dtype(kind) for p in params]
    arrays = tuple(array(dtype, 2, True) for dtype in types)
    open_types = {p.ctype: numpy.dtype(kind) for p in params if p.dtype is None}
    fixed = {f"cupy_type_{p.name}": numpy.dtype(dtype) for p, dtype in zip(params, types, strict=True)}
    type_map = unpickled("_TypeMap", (tuple({**open_types, **fixed}.items()),))
    loop = "".join(
        f"{'const ' if p.is_const else ''}cupy_type_{p.name} &{p.name} = _raw_{p.name}[_ind.get()];\n"
        for p in params
        if not p.raw
    )
    renamed = tuple(p if p.raw else _kernel._get_param_info(f"raw T _raw_{p.name}", p.is_const)[0] for p in params)
    return _kernel._get_elementwise_kernel_code(
        (*arrays, indexer(2)), type_map, (*renamed, cupy.add._params[-1]), loop + kernel.operation, kernel.name,
        kernel.preamble, *(str(kernel.kwargs.get(key, "")) for key in ("loop_prep", "after_loop")),
    )  # fmt: skip
