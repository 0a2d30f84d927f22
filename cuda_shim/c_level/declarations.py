"""Cython declarations of CUDA's C interface, written from the tables for `cimport cuda.bindings.cydriver`.

A declaration file holds the types in C as well, so that no header is needed to compile a module. The name of a type in
a function's signature (`struct cudaExtent`, or a name of the module's own) is that of NVIDIA's recorded signatures:
modules are compared with them when they are loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from cuda_shim.binding import objects_of
from cuda_shim.c_level.hip_names import hip_names
from cuda_shim.c_level.interface import functions, signatures
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import (
    ConstantRow,
    EnumRow,
    ExtendsRow,
    Field,
    FunctionRow,
    HandleRow,
    Row,
    StructRow,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope

__all__ = ["Declarations", "spelled", "write_declarations"]

_MODULES = {"driver": "cydriver", "runtime": "cyruntime", "nvrtc": "cynvrtc"}
# As in HIP Python, cuda.ccuda answers for names of the runtime too.
_LEGACY = {"ccuda": ("driver", "runtime"), "ccudart": ("runtime",), "cnvrtc": ("nvrtc",)}
_PYTHON = {"cuda": "driver", "cudart": "runtime", "nvrtc": "nvrtc"}
_RAISES = {
    "CUresult": "except ?CUDA_ERROR_NOT_FOUND nogil",
    "cudaError_t": "except ?cudaErrorCallRequiresNewerDriver nogil",
    "nvrtcResult": "except ?NVRTC_ERROR_INVALID_INPUT nogil",
    "char const *": "except ?NULL nogil",
}
# Callbacks whose C signature programs rely on; the others are pointers.
_CALLBACKS = {
    "CUhostFn": ("void", "void *userData"),
    "CUoccupancyB2DSize": ("size_t", "int blockSize"),
    "CUstreamCallback": ("void", "CUstream hStream, CUresult status, void *userData"),
    "cudaHostFn_t": ("void", "void *userData"),
    "cudaStreamCallback_t": ("void", "cudaStream_t stream, cudaError_t status, void *userData"),
}
# Handles to a struct that signatures name.
_STRUCT_OF = {"cudaGraphicsResource_t": "cudaGraphicsResource"}
_MANGLED = re.compile(r"__pyx_t_\w*?_\d+cy(?:driver|runtime|nvrtc)_(\w+)")
_TAGGED = re.compile(r"\b(?:enum|struct|union) (\w+)")
_GUARD = "#ifndef CUDA_SHIM_TYPES_OF_{name}\n#define CUDA_SHIM_TYPES_OF_{name}"
_KEYWORDS = ("from", "in", "global", "lambda", "pass", "def", "with", "is", "not", "and", "or", "import", "class")


def write_declarations(folder: Path, layout: str) -> None:
    """Write the `.pxd` files of a layout below `folder`."""
    bindings = folder / "cuda" / "bindings"
    bindings.mkdir(parents=True, exist_ok=True)
    for package in (folder / "cuda", bindings):
        (package / "__init__.pxd").write_text("", encoding="ascii")
    for table, module in _MODULES.items():
        (bindings / f"{module}.pxd").write_text(Declarations(table, layout).text(), encoding="utf-8")
        (bindings / f"{table}.pxd").write_text(f"from cuda.bindings.{module} cimport *\n", encoding="ascii")
    for name, tables in _LEGACY.items():
        (folder / "cuda" / f"{name}.pxd").write_text(_legacy(tables, layout), encoding="ascii")
    for name, table in _PYTHON.items():
        (folder / "cuda" / f"{name}.pxd").write_text(f"from cuda.bindings.{table} cimport *\n", encoding="ascii")


def _legacy(tables: tuple[str, ...], layout: str) -> str:
    """Return a file with all names of some tables, and HIP's as second names of them."""
    lines: list[str] = []
    taken: set[str] = set()
    for table in tables:
        import_from = f"from cuda.bindings.{_MODULES[table]} cimport"
        second = hip_names(table, layout, Declarations(table, layout).names())
        lines.append(f"{import_from} *")
        lines += [f"{import_from} {cuda} as {hip}" for hip, cuda in second.items() if hip not in taken]
        taken |= second.keys()
    return "\n".join([*lines, ""])


class Declarations:
    """The declarations of one table's module, in Cython and in C."""

    def __init__(self, table: str, layout: str) -> None:
        self._table = table
        self._layout = layout
        self._signatures = signatures(table, layout)
        self._scope: Scope = objects_of(layout).scope(table)
        self._rows: dict[str, Row] = {}
        table_rows = store.load(table)
        for name in sorted(table_rows.names(layout)):
            row = table_rows.row(name, layout)
            if row is not None and not isinstance(row, FunctionRow):
                self._rows[name] = row
        self._of_driver = self._taken_from_driver() if table == "runtime" else set()
        self._one_name_for_a_constant()

    @cached_property
    def _own(self) -> set[str]:
        """Types that belong to the module itself: Cython gives them names of its own in C."""
        return {match[1] for text in self._signatures.values() for match in _MANGLED.finditer(text)}

    @cached_property
    def _tagged(self) -> set[str]:
        """Types that signatures name with their tag."""
        texts = (_MANGLED.sub(r"\1", text) for text in self._signatures.values())
        return {match[1] for text in texts for match in _TAGGED.finditer(text)}

    def _taken_from_driver(self) -> set[str]:
        """Return the driver's types that the runtime's are made of; those that both have are the driver's."""
        of_driver = store.load("driver").names(self._layout)
        both = {name for name in self._rows if name in of_driver and name not in self._own}
        for name in both:
            del self._rows[name]
        used = {base.rpartition(".")[2] for row in self._rows.values() for base in _bases(row)}
        return both | {name for name in used if name in of_driver and name not in self._rows}

    def _one_name_for_a_constant(self) -> None:
        """Make enums with the same constants second names of one of them, as they are in C."""
        first: dict[str, str] = {}
        for name in sorted(self._rows, key=lambda each: (each in self._own, each)):
            row = self._rows[name]
            if isinstance(row, EnumRow) and row.members:
                original = first.setdefault(row.members[0].name, name)
                if original != name:
                    self._rows[name] = ExtendsRow(name, original)

    def rows(self) -> Iterator[Row]:
        """Return the types and constants that it declares itself."""
        yield from self._rows.values()

    def names(self) -> set[str]:
        """Return the types that it declares, or takes from the driver's."""
        return {*self._rows, *self._of_driver}

    def text(self) -> str:
        """All of it."""
        types = [row for row in self.ordered() if not isinstance(row, ConstantRow)]
        constants = [row for row in self._rows.values() if isinstance(row, ConstantRow)]
        name = f"{self._table}_{self._layout.replace('.', '_')}".upper()
        in_c = "\n".join(filter(None, (self.in_c(row) for row in types if row.name not in self._own)))
        lines = ["# Written by cuda_shim from its tables.", "from libc.stdint cimport uint32_t, uint64_t"]
        if self._of_driver:
            lines.append(f"from cuda.bindings.cydriver cimport {', '.join(sorted(self._of_driver))}")
        extern = [line for row in types if row.name not in self._own for line in self._declared(row)]
        lines += ["cdef extern from *:", '    """', "    #include <stddef.h>", "    #include <stdint.h>"]
        lines += [f"    {line}" for line in f"{_GUARD.format(name=name)}\n{in_c}\n#endif".splitlines()]
        lines += ['    """', *[f"    {line}" for line in extern], ""]
        for row in types:
            if row.name in self._own:
                lines += self._declared(row)
        for constant in constants:
            lines += [f"cdef enum: {constant.name} = {constant.value}"]
        return "\n".join([*lines, "", *self._functions(), ""])

    def ordered(self) -> Iterator[Row]:
        """Return the types, each after those that it is made of."""
        done: set[str] = set()

        def visit(name: str) -> Iterator[Row]:
            row = self._rows.get(name)
            if row is None or name in done:
                return
            done.add(name)
            for base in _bases(row):
                yield from visit(base)
            yield row

        yield from visit({"driver": "CUresult", "runtime": "cudaError_t", "nvrtc": "nvrtcResult"}[self._table])
        for name in self._rows:
            yield from visit(name)

    def in_c(self, row: Row, tagged: bool = True) -> str:
        """Return a type in C; `tagged` gives the types of members names, by which Cython knows them."""
        name = row.name
        if isinstance(row, EnumRow):
            members = ", ".join(f"{member.name} = {member.value}" for member in row.members)
            return f"typedef enum {name} {{ {members} }} {name};"
        if isinstance(row, HandleRow):
            if name in _CALLBACKS:
                result, arguments = _CALLBACKS[name]
                return f"typedef {result} (*{name})({arguments});"
            if row.storage != "pointer":
                return f"typedef {_stored(row)} {name};"
            struct = _STRUCT_OF.get(name, f"{name}_st")
            named = f"typedef struct {struct} {struct};\n" if name in _STRUCT_OF else ""
            return f"{named}typedef struct {struct} *{name};"
        if isinstance(row, ExtendsRow):
            return f"typedef {row.base.rpartition('.')[2]} {name};"
        if isinstance(row, StructRow):
            kind = "union" if row.union else "struct"
            return (
                f"typedef {kind} {name} {name};\n{kind} {name} {{\n{_members_in_c(row, row.name if tagged else '')}}};"
            )
        return ""

    def _declared(self, row: Row) -> list[str]:
        """Return a type in Cython."""
        name, prefix = row.name, "cdef" if row.name in self._tagged else "ctypedef"
        if isinstance(row, EnumRow):
            values = [f" = {member.value}" if name in self._own else "" for member in row.members]
            members = [f"    {member.name}{value}" for member, value in zip(row.members, values, strict=True)]
            return [f"{prefix} enum {name}:", *members]
        if isinstance(row, HandleRow):
            if name in _CALLBACKS:
                result, arguments = _CALLBACKS[name]
                return [f"ctypedef {result} (*{name})({arguments})"]
            if row.storage == "pointer" and name not in self._own:
                if name in _STRUCT_OF:
                    return [f"cdef struct {_STRUCT_OF[name]}:", "    pass", f"ctypedef {_STRUCT_OF[name]}* {name}"]
                return [f"ctypedef struct {name}_st:", "    pass", f"ctypedef {name}_st* {name}"]
            return [f"ctypedef {_stored(row)} {name}"]
        if isinstance(row, ExtendsRow):
            return [f"ctypedef {row.base.rpartition('.')[2]} {name}"]
        if isinstance(row, StructRow):
            return self._struct(row, name, prefix)
        return []

    def _struct(self, row: StructRow, name: str, prefix: str = "ctypedef") -> list[str]:
        """Return a struct, behind the anonymous types of its members, which have names here."""
        before: list[str] = []
        members: list[str] = []
        for field in _shown(row):
            base = field.base
            if field.nested is not None:
                base = f"{name}__{field.name}"
                before += self._struct(field.nested, base)
            count = f"[{field.count}]" if field.count else ""
            spelled = f'{field.name}_ "{field.name}"' if field.name in _KEYWORDS else field.name
            members.append(f"    {base} {spelled}{count}" if spelled == field.name else f"    {base} {spelled}")
        kind = "union" if row.union else "struct"
        return [*before, f"{prefix} {kind} {name}:", *(members or ["    pass"])]

    def _functions(self) -> Iterator[str]:
        named = {function.name: function for function in functions(self._layout) if function.table == self._table}
        for name, signature in sorted(self._signatures.items()):
            result = signature.partition("(")[0].strip()
            inside = signature.partition("(")[2].removesuffix(")")
            types = [] if inside in ("", "void") else inside.split(", ")
            row = named[name].row if name in named else None
            names = [p.name for p in row.parameters if p.mode != "spare"] if row is not None else []
            arguments = [
                f"{spelled(kind)} {_safe(names[at] if at < len(names) else f'argument{at}')}"
                for at, kind in enumerate(types)
            ]
            raises = _RAISES.get(result, "except * nogil")
            yield f"cdef {spelled(result)} {name}({', '.join(arguments)}) {raises}"


def _bases(row: Row) -> Iterator[str]:
    """Return the names of types that a type is made of, or that its members point to."""
    if isinstance(row, ExtendsRow):
        yield row.base
    elif isinstance(row, HandleRow) and row.name in _CALLBACKS:
        yield from re.findall(r"\w+", _CALLBACKS[row.name][1])
    elif isinstance(row, StructRow):
        for field in row.fields:
            if field.nested is not None:
                yield from _bases(field.nested)
            yield field.base.rstrip("*")


def _stored(row: HandleRow) -> str:
    return "void*" if row.storage in ("pointer", "callback") else row.storage


def _shown(row: StructRow) -> Iterator[Field]:
    """Return the members that a program names: those of inline unions are the struct's own."""
    for field in row.fields:
        if field.hidden:
            continue
        if field.inline and field.nested is not None:
            yield from _shown(field.nested)
        else:
            yield field


def _members_in_c(row: StructRow, tag: str) -> str:
    """Return the members; types inside are named after `tag`, or have no names where it is empty."""
    lines = []
    for field in row.fields:
        count = f"[{field.count}]" if field.count else ""
        if field.nested is not None:
            kind = "union" if field.nested.union else "struct"
            name = "" if field.inline else f" {field.name}{count}"
            own = "" if field.inline or not tag else f"{tag}__{field.name}"
            inside = _members_in_c(field.nested, own or tag)
            lines.append(f"{kind}{f' {own}' if own else ''} {{\n{inside}}}{name};\n")
        else:
            lines.append(f"{field.base} {field.name}{count};\n")
    return "".join(lines)


def _safe(name: str) -> str:
    return f"{name}_" if name in _KEYWORDS else name


def spelled(kind: str) -> str:
    """Return a type of a signature as a declaration has it."""
    plain = _TAGGED.sub(r"\1", _MANGLED.sub(r"\1", kind)).replace("PY_LONG_LONG", "long long")
    match = re.fullmatch(r"(.*?) const (\*.*)", plain)
    return f"const {match[1]}{match[2]}" if match else plain.replace(" *", "*")
