"""A module as CUDA C++ text for hiprtc."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cuda_shim.translate.ptx import barriers
from cuda_shim.translate.ptx.calls import PROVIDED, signature_of
from cuda_shim.translate.ptx.errors import UnsupportedPtx
from cuda_shim.translate.ptx.functions import write_function
from cuda_shim.translate.ptx.module import Function, Module
from cuda_shim.translate.ptx.parser import parse
from cuda_shim.translate.ptx.releases import NEWEST
from cuda_shim.translate.ptx.signatures import Signature, linked
from cuda_shim.translate.ptx.token_cursor import TokenCursor
from cuda_shim.translate.ptx.values import name_of_symbol, with_names_of_amd
from cuda_shim.translate.ptx.variables import declared_variables, variables_inside

__all__ = ["OPTIONS", "Translation", "translate"]

#: hiprtc's options for translated text: registers wrap around and hold any type, and only explicit fma is fused.
OPTIONS: tuple[bytes, ...] = (b"-ffp-contract=off", b"-fwrapv", b"-fno-strict-aliasing")

# Functions of cuda_shim/ptx_threads.h.
_NEEDS_THREADS_HEADER = re.compile(
    r"cuda_shim_ptx::(match_all|matrix_|mma|load_matrices|store_matrices|named_|counted_|"
    r"shared_place|mbarrier_|bulk_|box_|store_async|reduce_|place_of_rank|rank_of_place|cluster_|warpgroup_)"
)


@dataclass
class Translation:
    """A module in C++.

    Attributes:
        source: the text.
        target: the architecture that the module was made for, such as "sm_80".
        entries: the names of its kernels.
        undefined: functions that it calls and does not define, to be linked.
        defined: functions and variables that others may be linked with.
        hosts_only: the reason why only host cores can run it, and no AMD GPU.
        images: the instructions that need image units, which some AMD GPUs lack.
    """

    source: str
    target: str
    entries: list[str]
    undefined: list[str] = field(default_factory=list)
    defined: list[str] = field(default_factory=list)
    hosts_only: list[UnsupportedPtx] = field(default_factory=list)
    images: list[UnsupportedPtx] = field(default_factory=list)

    def source_for_amd(self) -> str:
        """Return the text for an AMD GPU, on which other names are free."""
        return with_names_of_amd(self.source)


def translate(
    text: str,
    *,
    plain: bool = False,
    functions: dict[str, Signature] | None = None,
    newest: tuple[int, int] = NEWEST,
) -> Translation:
    """Return a PTX module as C++.

    `plain` writes every function as a dispatch loop, the reference for checking `structurize`. `functions` are given if
    the text will be linked: the CUDA C++ functions with their types. Names that the module does not export are then
    hidden from the others. `newest` is the newest version of PTX that is accepted.

    Raises PtxError for text that is not PTX, UnsupportedVersion for another version of it, UnsupportedPtx for
    constructs without a translation, all with their place.
    """
    module, cursor = parse(text, newest)
    for name, signature in (functions or {}).items():
        declared = module.functions.get(name)
        if declared is not None and declared.body is None:
            module.functions[name] = linked(declared, signature)
    return _Writer(module, cursor, plain, functions is not None).translation()


class _Writer:
    def __init__(self, module: Module, cursor: TokenCursor, plain: bool, relocatable: bool) -> None:
        self._module = module
        self._cursor = cursor
        self._plain = plain
        self._relocatable = relocatable
        self._requirements: set[str] = set()
        self._structs: dict[tuple[int, int], str] = {}
        self._find_arrivals_at_0()

    def translation(self) -> Translation:
        module = self._module
        reserved_names = frozenset(name_of_symbol(name) for name in (*module.functions, *module.variables))
        bodies = [
            self._body(function, reserved_names) for function in module.functions.values() if function.body is not None
        ]
        prototypes = [
            self._prototype(function) for function in module.functions.values() if self._is_declared(function)
        ]
        variables = declared_variables(module, self._requirements, relocatable=self._relocatable)
        text = "".join((*self._headers(bodies), *self._struct_declarations(), *prototypes, *variables, "\n", *bodies))
        functions = module.functions.values()
        return Translation(
            text,
            module.target,
            [function.name for function in functions if function.entry and function.body is not None],
            [function.name for function in functions if function.body is None and self._is_declared(function)],
            [function.name for function in functions if function.body is not None],
            module.hosts_only,
            module.images,
        )

    def _is_declared(self, function: Function) -> bool:
        if function.body is not None:
            return not function.entry
        return function.name in self._requirements and function.name not in PROVIDED

    def _headers(self, bodies: list[str]) -> list[str]:
        """Return the includes; functions that read the thread's index only if called (cuda_shim/ptx_memory.h)."""
        includes = ["#include <cuda_shim/ptx_memory.h>\n"]
        if any(_NEEDS_THREADS_HEADER.search(body) for body in bodies):
            includes.append("#include <cuda_shim/ptx_threads.h>\n")
        if "the runtime" in self._requirements:
            includes.append("#include <cuda_shim/ptx_module.h>\n")
        if "cooperative_groups" in self._requirements:
            includes.append("#include <cooperative_groups.h>\n#include <cuda_shim/ptx_groups.h>\n")
        if "dynamic_shared" in self._requirements:
            includes.append("extern __shared__ unsigned char cuda_shim_ptx_dynamic[];\n")
        return includes

    def _struct_declarations(self) -> list[str]:
        return [
            f"struct __align__({max(align, 1)}) {name} {{ unsigned char bytes[{max(size, 1)}]; }};\n"
            for (size, align), name in self._structs.items()
        ]

    def _linkage(self, function: Function) -> str:
        if function.linkage == "weak":
            return 'extern "C" __attribute__((weak)) '
        return 'extern "C" ' if function.entry or function.linkage or function.body is None else "static "

    def _prototype(self, function: Function) -> str:
        result, types = signature_of(function, self._structs)
        return f"{self._linkage(function)}__device__ {result} {name_of_symbol(function.name)}({', '.join(types)});\n"

    def _body(self, function: Function, reserved_names: frozenset[str]) -> str:
        text = write_function(
            self._module,
            function,
            reserved_names,
            self._requirements,
            self._structs,
            self._cursor.lines.of,
            plain=self._plain,
        )
        name, begin = name_of_symbol(function.name), variables_inside(function)
        if function.entry:
            head = f"{self._linkage(function)}__global__ void {_bounds(function)}{name}"
        else:
            result, _ = signature_of(function, self._structs)
            head = f"{self._linkage(function)}__device__ {result} {name}"
        return f"{head}({', '.join(text.parameters)}) {{\n{begin}{text.body}}}\n\n"

    def _find_arrivals_at_0(self) -> None:
        """Note whether threads may arrive at barrier 0; refuse it where other modules have barriers 0 too."""
        arrivals = [item for function in self._module.functions.values() for item in barriers.may_arrive_at_0(function)]
        if not self._relocatable:
            self._module.arrives_at_barrier_0 = bool(arrivals)
            return
        for item in arrivals:
            if barriers.is_at_barrier_0(item):
                reason = f"'{item.opcode}' at barrier 0, in a module that is linked, has no counterpart"
                raise UnsupportedPtx(reason, *self._cursor.lines.of(item.position))


def _bounds(function: Function) -> str:
    cluster = function.directives.get("reqnctapercluster", ())
    text = f"__cluster_dims__({', '.join(str(size) for size in cluster)}) " if cluster else ""
    return text + _launch_bounds(function)


def _launch_bounds(function: Function) -> str:
    sizes = function.directives.get("maxntid") or function.directives.get("reqntid")
    if not sizes:
        return ""
    threads = 1
    for size in sizes:
        threads *= max(size, 1)
    return f"__launch_bounds__({threads}) "
