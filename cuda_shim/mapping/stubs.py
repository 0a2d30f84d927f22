"""Type stubs of the proxied modules, written from the tables, for editors and type checkers.

NVIDIA ships none. The build puts them into the wheel as the stub package `cuda-stubs`, marked partial, so that
other parts of the `cuda` namespace keep their own types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LEGACY_MODULES
from cuda_shim.mapping.names import STATUS_ENUMS
from cuda_shim.mapping.rows import (
    ConstantRow,
    EnumRow,
    ExtendsRow,
    Field,
    FunctionRow,
    HandleRow,
    Parameter,
    Row,
    StructRow,
)

__all__ = ["module_stub", "write_stubs"]

_MODERN = "13.5"
_LEGACY = "12.9"
_INTEGERS = frozenset(
    [
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "unsigned int",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "size_t",
        "uint32_t",
        "uint64_t",
        "bool",
    ]
)
_HEAD = '''"""Types of {module} as cuda_shim serves it in layout {layout}. Generated from its tables."""

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, ClassVar, Final, SupportsIndex, SupportsInt
{imports}
from typing_extensions import Buffer

_Int = SupportsInt | SupportsIndex
_Pointer = SupportsInt | SupportsIndex | Buffer | None
_Pointers = _Pointer | Sequence[Any]

class _EnumType(type):
    __members__: ClassVar[dict[str, Any]]
    def __iter__(cls) -> Iterator[Any]: ...
    def __len__(cls) -> int: ...
    hallucinate: bool

class _Enum(int, metaclass=_EnumType):
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class _Handle:
    def __init__(self, init_value: _Int = 0, _ptr: int = 0) -> None: ...
    def __int__(self) -> int: ...
    def getPtr(self) -> int: ...

class _PointerHandle(_Handle):
    def __index__(self) -> int: ...

class _Struct:
    def __init__(self, _ptr: int = 0) -> None: ...
    def getPtr(self) -> int: ...

HIP_PYTHON: Final[bool]
hip_python_mod: ModuleType
{hip}: ModuleType
'''


class _Writer:
    """The stub of one module."""

    def __init__(self, table: str, layout: str) -> None:
        self.table = store.load(table)
        self.layout = layout

    def lines(self) -> Iterator[str]:
        """Yield one text for each public name; classes first, since functions speak of them."""
        rows = [row for name in sorted(self.table.names(self.layout)) if (row := self.table.row(name, self.layout))]
        for row in self._bases_first([row for row in rows if not isinstance(row, (FunctionRow, ConstantRow))]):
            yield "\n" + self._class(row)
        yield ""
        for row in rows:
            if isinstance(row, ConstantRow):
                yield f"{row.name}: Final[int]"
        for row in rows:
            if isinstance(row, FunctionRow):
                yield self._function(row)

    def _bases_first(self, rows: list[Row]) -> list[Row]:
        """Return typedefs after the classes that they extend."""
        row_of = {row.name: row for row in rows}

        def depth(row: Row) -> int:
            return 1 + depth(row_of[row.base]) if isinstance(row, ExtendsRow) and row.base in row_of else 0

        return sorted(rows, key=lambda row: (depth(row), row.name))

    def _class(self, row: Row) -> str:
        if isinstance(row, EnumRow):
            members = "".join(f"    {member.name}: ClassVar[{row.name}]\n" for member in row.members)
            return f"class {row.name}(_Enum):\n{members}".rstrip()
        if isinstance(row, HandleRow):
            base = "_PointerHandle" if row.storage in ("pointer", "callback") else "_Handle"
            protocol = "\n    def __cuda_stream__(self) -> tuple[int, int]: ..." if row.name == "CUstream" else " ..."
            return f"class {row.name}({base}):{protocol}"
        if isinstance(row, ExtendsRow):
            return f"class {row.name}({row.base.replace('driver.', '_driver.')}): ..."
        if not isinstance(row, StructRow):
            raise TypeError(f"{row.name} is no class")
        fields = "".join(self._fields(row.fields, 1))
        return f"class {row.name}(_Struct):\n{fields}".rstrip() if fields else f"class {row.name}(_Struct): ..."

    def _fields(self, fields: Iterable[Field], depth: int) -> Iterator[str]:
        indent = "    " * depth
        for field in fields:
            if field.hidden:
                continue
            if field.nested is not None and field.inline:
                yield from self._fields(field.nested.fields, depth)
            elif field.nested is not None:
                yield f"{indent}class _{field.name}(_Struct):\n"
                inner = "".join(self._fields(field.nested.fields, depth + 1))
                yield inner or f"{indent}    ...\n"
                yield f"{indent}{field.name}: _{field.name}\n"
            else:
                yield f"{indent}{field.name}: {self._field_type(field)}\n"

    def _field_type(self, field: Field) -> str:
        if field.base == "char" and field.count:
            return "bytes"
        if field.base.endswith("*"):
            return "Any"
        read = self._value(field.base)
        return f"list[{read}]" if field.count else f"{read} | Any"

    def _value(self, base: str) -> str:
        """Return the Python type of a C value type."""
        if base in _INTEGERS:
            return "int"
        if base in ("float", "double"):
            return "float"
        for table, prefix in ((self.table.name, ""), ("driver", "_driver."), ("runtime", "_runtime.")):
            if store.load(table).row(base, self.layout) is not None:
                return base if table == self.table.name else prefix + base
        return "Any"

    def _argument(self, parameter: Parameter) -> str:
        """Return the types that may be passed for a parameter: more than its own, as in cuda-python."""
        if parameter.suffix == "[]":
            return "Any"
        if parameter.suffix in ("**", "*[]"):
            return "_Pointers"  # an address, or a list of the entries: names, options, (values, types) of a kernel
        if parameter.suffix == "*" and parameter.base == "char":
            return "bytes"
        value = self._value(parameter.base)
        if parameter.suffix:
            is_typed = value not in ("int", "float", "Any") and parameter.base != "void"
            return f"{value} | None" if is_typed else "_Pointer"
        if value in ("int", "float"):
            return "_Int" if value == "int" else "float | _Int"
        return "Any" if value == "Any" else f"{value} | _Int | None"

    def _result(self, parameter: Parameter) -> str:
        if parameter.suffix == "[]":
            return f"list[{self._value(parameter.base)}]"
        if parameter.base == "char":
            return "bytes"
        return "int" if parameter.suffix or parameter.base == "void" else self._value(parameter.base)

    def _function(self, row: FunctionRow) -> str:
        arguments = ", ".join(
            f"{parameter.name}: {self._argument(parameter)}" + (" = ..." if parameter.default is not None else "")
            for parameter in row.inputs
        )
        return f"def {row.name}({arguments}) -> {self._returned(row)}: ..."

    def _returned(self, row: FunctionRow) -> str:
        if row.result is not None and not row.has_status:
            return self._value(row.result)
        # Outputs of a failed call are None; programs test the status first, so checkers need not insist.
        results = [f"{self._result(parameter)} | Any" for parameter in row.outputs]
        if row.result is not None:
            results.append("bytes | Any" if "char" in row.result else f"{self._value(row.result)} | Any")
        return f"tuple[{', '.join([STATUS_ENUMS[self.table.name], *results])}]"


def module_stub(table: str, layout: str, module: str) -> str:
    """Return the stub text of a module with the names of `table`."""
    imports = {
        "driver": "",
        "runtime": "from cuda.bindings import driver as _driver\n",
        "nvrtc": "",
    }[table]
    hip = "hiprtc" if table == "nvrtc" else "hip"
    head = _HEAD.format(module=module, layout=layout, imports=imports, hip=hip)
    return head + "\n".join(_Writer(table, layout).lines()) + "\n"


def write_stubs(target: Path) -> list[Path]:
    """Write the stub package into the folder `target`; returns its files."""
    texts = {
        "py.typed": "partial\n",
        "__init__.pyi": "",
        "bindings/__init__.pyi": "__version__: str\nHIP_PYTHON: bool\n",
        "bindings/utils.pyi": _UTILS,
    }
    for table in store.TABLES:
        texts[f"bindings/{table}.pyi"] = module_stub(table, _MODERN, f"cuda.bindings.{table}")
    for module, table in LEGACY_MODULES.items():
        text = module_stub(table, _LEGACY, module)
        if module == "cuda.cuda":
            text += _runtime_names()
        texts[f"{module.removeprefix('cuda.')}.pyi"] = text
    written = []
    for name, text in texts.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _runtime_names() -> str:
    """Return the imports that let `cuda.cuda` answer for the runtime's names where the driver has none of the name."""
    names = sorted(store.load("runtime").names(_LEGACY) - store.load("driver").names(_LEGACY))
    return "".join(f"from cuda.cudart import {name} as {name}\n" for name in names)


_UTILS = """from collections.abc import Sequence
from typing import Any

def check_nvvm_compiler_options(options: Sequence[str]) -> bool: ...
def envvar_bool(name: str, default: bool = ...) -> bool: ...
def get_cuda_native_handle(obj: Any) -> int: ...
def get_minimal_required_cuda_ver_from_ptx_ver(ptx_version: str) -> int: ...
def get_ptx_ver(ptx: str) -> str: ...
def warn_if_cuda_major_version_mismatch() -> None: ...
"""
