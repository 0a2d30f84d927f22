"""The programs that CuPy makes when they are asked for: scans, reductions with CUB, filters of images, jitted functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import cupy
import cupyx.jit  # type: ignore[import-not-found]
import numpy
from cupy._core import _cub_reduction, _kernel, _routines_math  # type: ignore[import-not-found]
from cupy_types import array, block_stride, compiled, generic, unpickled  # type: ignore[import-not-found]
from cupyx.jit import _cuda_types
from cupyx.scipy.ndimage import _filters, _interp_kernels  # type: ignore[import-not-found]

KINDS = (
    "bool",
    "int8",
    "uint16",
    "int32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
_BLOCK = 512


class Made(NamedTuple):
    """A program: its name, and a function that returns its source and options."""

    name: str
    make: Callable[[], tuple[str, tuple[str, ...]]]


def _unmemoized(function: Any) -> Any:
    """The function that makes a kernel, without CuPy's question which device it is for."""
    return function.__wrapped__


def _compiled(make: Callable[[], Any]) -> tuple[str, tuple[str, ...]]:
    found = compiled(make)
    assert found is not None
    return found


def _scans() -> Iterator[Made]:
    """Scans along an axis, blocks at a time, and those of whole arrays."""
    batch = _unmemoized(_routines_math._inclusive_batch_scan_kernel)
    rest = _unmemoized(_routines_math._add_scan_batch_blocked_sum_kernel)
    for op in _routines_math.scan_op:
        for kind in KINDS[1:]:
            dtype = numpy.dtype(kind)
            for contiguous in (True, False):
                layout = "flat" if contiguous else "strided"
                first = functools.partial(batch, dtype, _BLOCK, op, int(contiguous), int(contiguous))
                second = functools.partial(rest, dtype, op, _BLOCK, int(contiguous))
                yield Made(f"scan-batch_{op.name}-{kind}-{layout}", functools.partial(_compiled, first))
                yield Made(f"scan-rest_{op.name}-{kind}-{layout}", functools.partial(_compiled, second))
            for make in (
                _routines_math._cupy_bsum_smem,
                _routines_math._cupy_scan_naive,
                _routines_math._cupy_scan_btree,
            ):
                kernel = _unmemoized(make)(op, _BLOCK, 32)
                yield Made(f"scan-{kernel.name}_{op.name}-{kind}", functools.partial(_open, kernel, kind))


def _open(kernel: Any, kind: str) -> tuple[str, tuple[str, ...]]:
    return generic(kernel, kind), ()


def _cub_reductions() -> Iterator[Made]:
    """Reductions of whole arrays, which CuPy writes with CUB's parts of a block."""
    sizes = _kernel._get_param_info("int32 _segment_size, int32 _array_size", True)
    for name in ("sum_auto_dtype", "prod_auto_dtype", "nansum_auto_dtype", "amax", "amin"):
        kernel = getattr(_routines_math, name, None) or getattr(cupy._core._routines_statistics, name)
        for number, op in enumerate(kernel._ops.ops):
            yield Made(f"cub-{kernel.name}-{number}", functools.partial(_cub_reduction_of, kernel, op, sizes))


def _cub_reduction_of(kernel: Any, op: Any, sizes: Any) -> tuple[str, tuple[str, ...]]:
    map_expr, reduce_expr, post_map_expr, reduce_type = op.routine
    sizes_of = (("IndexT", numpy.dtype("int32")), ("sizeT", numpy.dtype("int32")))
    types = (("type_in0_raw", op.in_types[0]), ("type_out0_raw", op.out_types[0]), *sizes_of)
    params = tuple(param for param in kernel._params if param.name in ("in0", "out0"))
    arrays = (array(op.in_types[0], 1, True), array(op.out_types[0], 1, True), block_stride(), block_stride())
    make = functools.partial(
        _unmemoized(_cub_reduction._SimpleCubReductionKernel_get_cached_function),
        map_expr, reduce_expr, post_map_expr, reduce_type or _kernel._get_typename(op.out_types[0]), (*params, *sizes),
        arrays, unpickled("_TypeMap", (types,)), f"cub_{kernel.name}", _BLOCK, str(kernel.identity), kernel.preamble, (), 4,
    )  # fmt: skip
    return _compiled(make)


def _filters_of_images() -> Iterator[Made]:
    """Correlations, extrema and interpolations of images of two and three dimensions, at the edges in each way."""
    for mode in ("reflect", "constant", "nearest", "mirror", "wrap"):
        for ndim in (2, 3):
            shape, offsets = (3,) * ndim, (1,) * ndim
            correlate = _unmemoized(_filters._get_correlate_kernel)(mode, shape, "int", offsets, 0.0)
            least = _unmemoized(_filters._get_min_or_max_kernel)(
                mode, shape, "min", offsets, 0.0, "int", has_weights=False
            )
            for kernel in (correlate, least):
                for kind in ("float32", "float64", "uint8"):
                    yield Made(f"ndimage-{kernel.name}-{mode}-{kind}", functools.partial(_open, kernel, kind))
            for order in (0, 1, 3):
                kernel = _unmemoized(_interp_kernels._get_map_kernel)(ndim, False, mode, 0.0, order)
                yield Made(f"ndimage-{kernel.name}-{mode}-{order}", functools.partial(_open, kernel, "float32"))


def _jitted() -> Iterator[Made]:
    """Functions that cupyx.jit turns into kernels."""
    jit = cupyx.jit

    def scaled(x, y, a):
        start, step = jit.grid(1), jit.gridsize(1)
        for i in range(start, len(x), step):
            y[i] = x[i] * a + y[i]

    for kind in ("int32", "uint32", "int64", "float32", "float64"):
        for function in (scaled, _sum_of_blocks(numpy.dtype(kind))):
            types = (_cuda_types.CArray(numpy.dtype(kind), 1, True, True),) * 2 + (
                _cuda_types.Scalar(numpy.dtype(kind)),
            )
            yield Made(f"jit-{function.__name__}-{kind}", functools.partial(_transpiled, function, types))


def _sum_of_blocks(dtype: Any) -> Any:
    jit, atomic = cupyx.jit, cupyx.jit.atomic_add

    def summed(x, y, a):
        part = jit.shared_memory(dtype, 256)
        t = jit.threadIdx.x
        part[t] = x[jit.blockIdx.x * jit.blockDim.x + t] * a
        jit.syncthreads()
        half = jit.blockDim.x // 2
        while half > 0:
            if t < half:
                part[t] = part[t] + part[t + half]
            jit.syncthreads()
            half = half // 2
        if t == 0:
            atomic(y, 0, part[0])

    return summed


def _transpiled(function: Any, types: Any) -> tuple[str, tuple[str, ...]]:
    made = cupyx.jit._compile.transpile(function, ['extern "C"', "__global__"], "cuda", types, _cuda_types.void)
    return made.code, tuple(made.options)


def made_when_asked() -> Iterator[Made]:
    """Every program of these kinds."""
    for draw in (_scans, _cub_reductions, _filters_of_images, _jitted):
        yield from draw()
