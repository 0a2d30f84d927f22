"""CuPy's kernels of indexing, sorting and random numbers as its functions call them: indices are integers, sizes numbers.

`draw_cupy.py` draws every element-wise kernel once with one type in all places, which shows whether it compiles. Here
those that run_numpy_indexing.py and run_numpy_random.py judge are drawn with the types and layouts of real calls.
"""

from __future__ import annotations

import functools
import gc
import string
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import cupy
import numpy
from cupy._core import _kernel, _routines_sorting  # type: ignore[import-not-found]
from cupy_types import array, indexer, scalar, unpickled  # type: ignore[import-not-found]
from draw_cupy_made import KINDS, Made  # type: ignore[import-not-found]

INTEGERS = ("int32", "uint32", "int64", "uint64")
#: Types that can stand beside an integer in CuPy's conditions.
WITHOUT_HALVES = tuple(kind for kind in KINDS if kind != "float16")
REAL = ("int32", "float32", "uint8", "float64", "int64", "float16")
#: Types that CuPy's functions allow their scatter kernels, whose operations are atomic.
SUMS = ("int32", "uint32", "uint64", "float16", "float32", "float64")
EXTREMA = ("int32", "uint32", "uint64", "float32", "float64")


class Call(NamedTuple):
    """The calls of a kernel.

    Attributes:
        kinds: for each type that the kernel leaves open, the types it is drawn with, all of them as often as the longest.
        numbers: the parameters that are numbers beside those of a fixed type, which always are.
        arrays: the parameters of a fixed type that are arrays.
        dimensions: the dimensions of arrays that have others than the loop.
        flat: True if there are calls with one dimension.
    """

    kinds: Mapping[str, tuple[str, ...]]
    numbers: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    dimensions: Mapping[str, int] = types.MappingProxyType({})
    flat: bool = True


_INDEXED = {"T": KINDS, "S": ("int64", "int32")}
_MASKED = {"T": KINDS, "S": ("int64", "int32")}
_SEARCHED = {"S": REAL, "T": ("float32", "float64")}
CALLS = {
    "cupy_take": Call(_INDEXED),
    "cupy_take_scalar": Call({"T": KINDS}),
    "cupy_choose": Call(_INDEXED),
    "cupy_choose_clip": Call(_INDEXED),
    "cupy_put_raise": Call({"T": ("float64", "int8"), "U": KINDS, "S": ("int64", "int32")}, arrays=("err",)),
    "cupy_put_wrap": Call({"T": ("float64", "int8"), "U": KINDS[:-2], "S": ("int64", "int32")}),
    "cupy_put_clip": Call({"T": ("float64", "int8"), "U": KINDS[:-2], "S": ("int64", "int32")}),
    "cupy_scatter_update": Call(_INDEXED),
    "cupy_scatter_add": Call({"T": SUMS, "S": ("int64", "int32")}),
    "cupy_scatter_sub": Call({"T": ("int32", "uint32"), "S": ("int64", "int32")}),
    "cupy_scatter_max": Call({"T": EXTREMA, "S": ("int64", "int32")}),
    "cupy_scatter_min": Call({"T": EXTREMA, "S": ("int64", "int32")}),
    "cupy_scatter_and": Call({"T": INTEGERS, "S": ("int64", "int32")}),
    "cupy_scatter_or": Call({"T": INTEGERS, "S": ("int64", "int32")}),
    "cupy_scatter_xor": Call({"T": INTEGERS, "S": ("int64", "int32")}),
    "cupy_scatter_update_mask": Call(_MASKED, arrays=("mask",)),
    "cupy_scatter_max_mask": Call({"T": EXTREMA, "S": ("int64", "int32")}, arrays=("mask",)),
    "cupy_scatter_min_mask": Call({"T": EXTREMA, "S": ("int64", "int32")}, arrays=("mask",)),
    "cupy_scatter_and_mask": Call({"T": INTEGERS, "S": ("int64", "int32")}, arrays=("mask",)),
    "cupy_scatter_or_mask": Call({"T": INTEGERS, "S": ("int64", "int32")}, arrays=("mask",)),
    "cupy_scatter_xor_mask": Call({"T": INTEGERS, "S": ("int64", "int32")}, arrays=("mask",)),
    "cupy_getitem_mask": Call(_MASKED, arrays=("mask",)),
    "cupy_nonzero_kernel": Call({"T": KINDS[:-2], "S": ("int64", "int32"), "U": ("int64",)}, dimensions={"dst": 2}),
    "cupy_prepare_array_indexing": Call({"T": ("int64", "int32"), "S": ("int64", "int32")}, numbers=("len", "stride")),
    "cupy_putmask_kernel": Call({"Q": ("bool",), "S": KINDS[:9], "T": KINDS[:9]}),
    "cupy_flatiter_getitem_slice": Call({"T": KINDS}),
    "cupy_flatiter_setitem_slice": Call({"T": KINDS}),
    "cupy_resize": Call({"T": KINDS}),
    "cupy_piecewise_kernel": Call({"T": KINDS}, arrays=("cond",)),
    "cupy_tril_kernel": Call({"S": WITHOUT_HALVES}, flat=False),
    "cupy_triu_kernel": Call({"S": WITHOUT_HALVES}, flat=False),
    "cupy_searchsorted_kernel": Call(_SEARCHED, arrays=("y",)),
    "cupy_exists_kernel": Call(_SEARCHED, arrays=("out",)),
    "cupy_exists_and_searchsorted_kernel": Call(_SEARCHED, arrays=("out", "y")),
    "setxorkernel": Call({"T": REAL}, arrays=("z",)),
    "cupy_bincount_kernel": Call({"S": ("int32", "int64", "uint8"), "U": ("int64",)}),
    "cupy_bincount_with_weight_kernel": Call({"S": ("int32", "int64"), "T": ("float64",), "U": ("float64",)}),
    "cupy_histogram_kernel": Call({"S": REAL, "T": ("float64", "float32"), "U": ("int64", "int32")}),
    "cupy_weighted_histogram_kernel": Call(
        {"S": REAL[:4], "T": ("float64",), "W": ("float32", "float64"), "Y": ("float64",)}
    ),
    "cupy_get_indices": Call({"U": ("int64", "int32")}),
}
_REAL_TO_REAL = {"S": ("float64",), "T": ("float64",), "U": ("float64",), "Y": ("float64", "float32")}
_TO_COUNTS = {"S": ("int64",), "T": ("float64",), "U": ("int64",), "Y": ("int64", "int32")}
_NUMBERS = ("a", "b", "df", "dfnum", "dfden", "nonc", "p", "n", "lam", "shape", "mu", "kappa", "good", "bad", "sample")
RANDOM = {
    **{
        f"cupy_{name}_kernel": Call(_REAL_TO_REAL, numbers=_NUMBERS)
        for name in [
            "beta",
            "standard_t",
            "chisquare",
            "f",
            "noncentral_chisquare",
            "noncentral_f",
            "standard_gamma",
            "vonmises",
        ]
    },
    **{
        f"cupy_{name}_kernel": Call(_TO_COUNTS, numbers=_NUMBERS)
        for name in ["binomial", "geometric", "logseries", "poisson", "zipf"]
    },
    "cupy_hypergeometric_kernel": Call({**_TO_COUNTS, "T": ("int64",)}, numbers=_NUMBERS),
    "cupy_open_uniform_kernel": Call(_REAL_TO_REAL),
}


def called(kernel: Any, call: Call, number: int, strided: bool) -> tuple[str, tuple[str, ...]]:
    """An ElementwiseKernel's program for a call with flat arrays, or with arrays of 3 dimensions with gaps."""
    ndim = 3 if strided else 1
    open_types = {letter: numpy.dtype(kinds[number % len(kinds)]) for letter, kinds in call.kinds.items()}
    infos, names, loads, kinds = [], [], [], {}
    for param in (*kernel.in_params, *kernel.out_params):
        dtype = numpy.dtype(param.dtype) if param.dtype is not None else open_types[param.ctype]
        is_number = param.name in call.numbers or (
            param.dtype is not None and param.is_const and not param.raw and param.name not in call.arrays
        )
        dimensions = call.dimensions.get(param.name, ndim)
        infos.append(scalar(dtype) if is_number else array(dtype, dimensions, not strided))
        if is_number or param.raw:
            names.append(param)
            continue
        kinds[f"cupy_type_{param.name}"] = dtype
        const = "const " if param.is_const else ""
        loads.append(f"{const}{param.ctype} &{param.name} = _raw_{param.name}[_ind.get()];\n")
        names += _kernel._get_param_info(
            f"raw {param.ctype if param.dtype is None else dtype} _raw_{param.name}", param.is_const
        )
    used = {param.ctype for param in (*kernel.in_params, *kernel.out_params) if param.dtype is None}
    type_map = unpickled("_TypeMap", (tuple((letter, open_types[letter]) for letter in sorted(used)),))
    source = _kernel._get_elementwise_kernel_code(
        (*infos, indexer(ndim)), type_map, (*names, cupy.add._params[-1]), "".join(loads) + kernel.operation,
        kernel.name, kernel.preamble, *(str(kernel.kwargs.get(key, "")) for key in ("loop_prep", "after_loop")),
    )  # fmt: skip
    return source, ()


def _calls() -> Iterator[Made]:
    kernels = {one.name: one for one in gc.get_objects() if isinstance(one, cupy.ElementwiseKernel)}
    for sort, calls in (("indexing", CALLS), ("random", RANDOM)):
        for name, call in calls.items():
            kernel = kernels[name]
            for number in range(max(map(len, call.kinds.values()))):
                kinds = "_".join(f"{letter}.{of[number % len(of)]}" for letter, of in sorted(call.kinds.items()))
                for strided in ((False,) if call.flat else ()) + ((True,) if sort == "indexing" else ()):
                    layout = "strided" if strided else "flat"
                    make = functools.partial(called, kernel, call, number, strided)
                    yield Made(f"{sort}-{name}-{kinds}-{layout}", make)


def _partitions() -> Iterator[Made]:
    """Partial sorts, whose template CuPy fills in with its types and the lanes of a warp."""
    for name in ("partition", "argpartition"):
        for kind in REAL[:-1]:  # its bitonic sort has no comparison of halves
            yield Made(f"partition-{name}-{kind}", functools.partial(_partition, f"_{name}_kernel", name, kind))


def _partition(function: str, name: str, kind: str) -> tuple[str, tuple[str, ...]]:
    """The program, with the lanes that CuPy would ask a device for."""

    class Template(string.Template):
        def __init__(self, text: str) -> None:
            raise _Text(text)

    dtype = numpy.dtype(kind)
    kept, _routines_sorting.string = _routines_sorting.string, types.SimpleNamespace(Template=Template)
    try:
        getattr(_routines_sorting, function).__wrapped__(dtype)
    except _Text as found:
        text = found.args[0]
    finally:
        _routines_sorting.string = kept
    names = {"name": f"{name}_kernel", "merge_kernel": f"{name}_merge_kernel", "full_mask": "0xffffffff"}
    return string.Template(text).substitute(names, dtype=_kernel._get_typename(dtype), type_decls=""), ()


class _Text(Exception):
    """Carries a template."""


def _generators() -> Iterator[Made]:
    """CuPy's Generator, like numpy's: kernels of a file that its wheel brings, on cuRAND's generators.

    They are templates, which the runner asks for by name; the functions of the host that launch them are left out.
    """
    file = Path(cupy.__file__).with_name("random") / "cupy_distributions.cu"
    text, header = file.read_text(encoding="utf-8"), file.with_suffix(".cuh").read_text(encoding="utf-8")
    parts = [
        header[header.index("struct rk_binomial_state") : header.index("#ifdef CUPY_USE_HIP")],
        text[text.index("template<typename CURAND_TYPE>") : text.index("// This design is the same as the dtypes one")],
        text[
            text.index("template<typename T>\n__global__ void init_curand") : text.index("struct initialize_launcher")
        ],
        text[text.index("template<typename T>\n__device__ double rk_standard_exponential") :],
    ]
    source = "\n".join(parts)
    source = source[: source.index("template <typename F, typename R>\nstruct kernel_launcher")]
    yield Made("random-generator", lambda: (_HEAD + source.replace("std::", "cuda::std::"), ()))


_HEAD = """#include <curand_kernel.h>
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>
using cuda::std::intptr_t;
using ssize_t = ptrdiff_t;
"""


def called_by_functions() -> Iterator[Made]:
    """Every program of these kinds."""
    for draw in (_calls, _partitions, _generators):
        yield from draw()
