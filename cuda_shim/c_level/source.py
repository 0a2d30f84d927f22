"""The C++ text of the library that serves one layout, written from the tables."""

from __future__ import annotations

import re
from pathlib import Path

from cuda_shim.binding import objects_of
from cuda_shim.binding.context_state import context_bringing
from cuda_shim.c_level.adapted import WRITTEN
from cuda_shim.c_level.direct import Direct
from cuda_shim.c_level.enums import EnumFunctions
from cuda_shim.c_level.hip_pointers import HipPointers
from cuda_shim.c_level.interface import NVIDIAS_OWN, Function, functions, signatures
from cuda_shim.c_level.types import c_name, c_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from cuda_shim.binding.scope import Catalogue, Scope
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["c_parameters", "trampolines", "written"]

_HERE = Path(__file__).resolve().parent
# Written in C in `adapters/values.h`: they return structs.
_IN_VALUES = ("cudaCreateChannelDesc", "make_cudaExtent", "make_cudaPitchedPtr", "make_cudaPos")
_SUPPORT = ("python_calls.h", "support.h", "embed.h")
# The files of the private tables, whose entries call the functions before them. Distributors may leave the optional
# ones out.
_PRIVATE_FOLDER = _HERE / "private_tables"
_PRIVATE_TABLES = ("md2.h", "context_storage.h", "driver_check.h", "entries.h", "tables.h")
_OPTIONAL = ("md2.h", "driver_check.h")
# The statuses for a HIP status that a module has no code for and for a call that ends with an exception, and for all
# calls once Python is gone.
_UNKNOWN = {"driver": 999, "runtime": 999, "nvrtc": 11}
_GONE = {"driver": 4, "runtime": 4, "nvrtc": 11}
_PER_THREAD = "reinterpret_cast<void *>(2)"  # CU_STREAM_PER_THREAD, hipStreamPerThread
_STREAMS = ("CUstream", "cudaStream_t")
_NUMBER_OF = re.compile(r"\b(HIP|TO_HIP|FROM_HIP|STATUS)\((\w+)\)")


def written(layout: str) -> str:
    """Return the text. Needs hip-python, whose constants it holds; raises BackendNotFound where there is none."""
    return _Writer(layout).text()


def trampolines(layout: str, table: str) -> str:
    """Return the C text of a library that exports the functions of one table, and jumps to those of the whole library.

    Programs are linked with it: linkers take no symbols from the libraries that a library itself needs.
    """
    support = (_HERE / "trampolines.h").read_text(encoding="utf-8")
    numbered = enumerate(_exported(layout))
    return "\n".join([support, *(f"TRAMPOLINE({symbol}, {at})" for at, (of, symbol) in numbered if of == table), ""])


def _exported(layout: str) -> list[tuple[str, str]]:
    """Return every symbol of a function of CUDA's, and the table that the function is in."""
    pairs: list[tuple[str, str]] = []
    for function in functions(layout):
        symbols = [function.symbol, *function.aliases]
        if function.form:
            symbols.append(f"{function.nvidias_symbol}_{function.form}")
        pairs += [(function.table, symbol) for symbol in symbols]
    return pairs


def _table_of_functions(layout: str) -> str:
    """Return the array in which trampolines find the functions, even if others of the same name are loaded."""
    addresses = "".join(f"    reinterpret_cast<const void *>(&{symbol}),\n" for _, symbol in _exported(layout))
    return f"CUDA_SHIM_EXPORT const void *const cuda_shim_functions[] = {{\n{addresses}}};\n"


def _private_tables() -> list[Path]:
    is_whole = all((_PRIVATE_FOLDER / name).exists() for name in _OPTIONAL)
    return [_PRIVATE_FOLDER / name for name in _PRIVATE_TABLES if is_whole or name not in _OPTIONAL]


class _Writer:
    """Writes one library; the helpers that its functions need are collected meanwhile."""

    def __init__(self, layout: str) -> None:
        self._layout = layout
        self._enums = EnumFunctions()
        self._hip = HipPointers()
        self._direct = Direct(self._enums, self._hip)

    def text(self) -> str:
        """All of it."""
        own = [self._own(path) for path in sorted((_HERE / "adapters").glob("*.h"))]
        private = [path.read_text(encoding="utf-8") for path in _private_tables()]
        texts = [self._function(number, function) for number, function in enumerate(functions(self._layout))]
        texts += [_failing(table, name) for table in NVIDIAS_OWN for name in signatures(table, self._layout)]
        support = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SUPPORT)
        table = _table_of_functions(self._layout)
        return "\n".join([self._hip.text(), support, self._enums.text(), *own, *texts, *private, table])

    def _own(self, path: Path) -> str:
        """Return a file of C code, in which HIP(f) is the number of a HIP function and so on."""
        catalogue = objects_of(self._layout)
        numbers: dict[str, Callable[[str], str]] = {
            "HIP": self._hip.name,
            "TO_HIP": lambda name: self._enums.to_hip(name, "driver", catalogue),
            "FROM_HIP": lambda name: self._enums.from_hip(name, "driver", catalogue),
            "STATUS": lambda table: self._enums.status(table, _UNKNOWN[table], catalogue),
        }
        return _NUMBER_OF.sub(lambda match: numbers[match[1]](match[2]), path.read_text(encoding="utf-8"))

    def _function(self, number: int, function: Function) -> str:
        if function.name in _IN_VALUES:
            return ""
        catalogue: Catalogue = objects_of(function.layout)
        scope = catalogue.scope(function.table)
        parameters, body = c_parameters(function, scope), []
        row = function.row
        if row is not None:
            status = self._enums.status(function.table, _UNKNOWN[function.table], catalogue)
            answer = f"return counted({number}, began, {status}(status));"
            body, adapter = self._direct.body(row, scope, answer), row.adapter or row.provided
            if adapter in WRITTEN:
                names = ", ".join(name for _, name in parameters)
                body = [
                    f"int status = {WRITTEN[adapter]}({names});",
                    f"if (status != ask_python) {answer}",
                ]
            guard = _guard(function, row, parameters)
            if body and guard:
                body = [f"if ({guard}) {{", *[f"  {line}" for line in body], "}"]
            if body:
                body.insert(0, "const uint64_t began = count_from();")
        declared = ", ".join(f"{kind} {name}" for kind, name in parameters)
        result = "int" if function.result in ("CUresult", "cudaError_t", "nvrtcResult") else "const char *"
        lines = [*body, *_in_python(number, parameters, result, function.table)]
        text = [f"CUDA_SHIM_EXPORT {result} {function.symbol}({declared}) {{", *[f"  {line}" for line in lines], "}"]
        for alias in function.aliases:
            text.append(f'CUDA_SHIM_EXPORT {result} {alias}({declared}) __attribute__((alias("{function.symbol}")));')
        return "\n".join([*text, *self._per_thread(function, parameters, declared, result), ""])

    def _per_thread(
        self, function: Function, parameters: list[tuple[str, str]], declared: str, result: str
    ) -> list[str]:
        """Return the symbols whose default stream is the thread's own."""
        if not function.form:
            return []
        symbol = f"{function.nvidias_symbol}_{function.form}"
        types = [argument.rpartition(" ")[2] for argument in function.arguments]
        streams = [name for (_, name), kind in zip(parameters, types, strict=False) if kind in _STREAMS]
        if not streams:
            return [f'CUDA_SHIM_EXPORT {result} {symbol}({declared}) __attribute__((alias("{function.symbol}")));']
        names = ", ".join(f"{n} ? {n} : {_PER_THREAD}" if n == streams[-1] else n for _, n in parameters)
        return [f"CUDA_SHIM_EXPORT {result} {symbol}({declared}) {{ return {function.symbol}({names}); }}"]


def c_parameters(function: Function, scope: Scope) -> list[tuple[str, str]]:
    """Return the C parameters: the row's, but for those that only HIP's function has."""
    row = function.row
    if row is None:
        return []  # no code uses its parameters
    own = [p for p in row.parameters if p.mode != "spare"]
    pairs = [(c_type(parameter, scope), c_name(parameter)) for parameter in own]
    stars = [argument.count("*") for argument in function.arguments]
    for at, (parameter, count) in enumerate(zip(own, stars, strict=False)):
        if parameter.mode == "in" and count and not parameter.suffix and not pairs[at][0].endswith("*"):
            pairs[at] = ("void *", c_name(parameter))  # an array that Python takes one value of
    pairs += [("void *", f"more{at}") for at in range(len(own), len(function.arguments))]
    return pairs


def _guard(function: Function, row: FunctionRow, parameters: list[tuple[str, str]]) -> str:
    """Return the C condition under which a call needs no Python to check for a context; "" for always.

    It is the C form of `binding/functions/initialization.py` and `context_guard.py`.
    """
    if function.table == "runtime":
        return "is_initialized()" if row.context else "is_runtime_used()"
    if function.table != "driver":
        return ""
    if function.name == "cuInit":
        return "is_initialized()"  # the first one is Python's to note
    if row.context != "needed":
        return "" if row.uninitialized == "CUDA_SUCCESS" else "is_initialized()"
    own = [p for p in row.parameters if p.mode != "spare"]
    inputs = [name for parameter, (_, name) in zip(own, parameters, strict=False) if parameter in row.inputs]
    bringing = context_bringing([parameter.base for parameter in row.inputs])
    if bringing is None or bringing[1] != "CUstream":
        return "has_context()"
    return f"has_context() || brings_context({inputs[bringing[0]]})"


def _failing(table: str, name: str) -> str:
    """Return a function of NVIDIA's compilers."""
    if name.endswith("ErrorString"):
        return f'CUDA_SHIM_EXPORT const char *{name}() {{ return "{table} is not installed"; }}'
    return f"CUDA_SHIM_EXPORT int {name}() {{ return {NVIDIAS_OWN[table]}; }}"


def _in_python(number: int, parameters: list[tuple[str, str]], result: str, table: str) -> list[str]:
    """Return the lines that have Python answer."""
    words = ", ".join(f"word({name})" for _, name in parameters)
    arguments, lines = "nullptr", []
    if parameters:
        arguments, lines = "arguments", [f"const uint64_t arguments[] = {{{words}}};"]
    call = f"answer_of_python({number}, {arguments}"
    if result == "int":
        return [*lines, f"return static_cast<int>({call}, {_GONE[table]}, {_UNKNOWN[table]}));"]
    # C programs read a text without looking for a null pointer.
    lines.append('const uint64_t text = reinterpret_cast<uintptr_t>("unrecognized error code");')
    return [*lines, f"return reinterpret_cast<const char *>({call}, text, text));"]
