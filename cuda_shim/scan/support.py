"""The support for a CUDA name, by the tables."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache

from cuda_shim.binding import nvrtc_v2, utils
from cuda_shim.binding.enums.fast_enum import FastEnum, unreadable
from cuda_shim.hook.not_served import NOT_SERVED
from cuda_shim.layouts import legacy_layout
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import C_MODULES, LAYOUTS, LEGACY_MODULES, NVIDIAS_OWN_MODULES, modules
from cuda_shim.mapping.names import STATUS_ENUMS
from cuda_shim.mapping.rows import EnumRow, ExtendsRow, FunctionRow, Row
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan import by_backend, packages
from cuda_shim.scan.aliases import BY_NAME
from cuda_shim.scan.diagnostics import NOT_JUDGED, Verdict

__all__ = ["Support", "describe_row"]

# Names of the served modules beside their tables.
_DETECTION = ("HIP_PYTHON", "hip_python_mod", "hip", "hiprtc")
_PYGPU = "PyGPU"
_V2_NVRTC = "cuda.bindings._v2.nvrtc"
_FUNCTION_NAME = re.compile(r"(cu|cuda|nvrtc)[A-Z]\w*")


class Support:
    """The support for names in one CUDA layout.

    Args:
        cuda: the layout that `cuda.bindings` has; the legacy modules speak 12.9 at most.
    """

    def __init__(self, cuda: str) -> None:
        self.cuda = cuda
        self.modules = modules(cuda)
        self._judged: dict[str, Verdict | None] = {}

    def of(self, target: str) -> Verdict | None:
        """Return the verdict on a name such as "cuda.bindings.driver.cuInit", None where there is no finding.

        A module that is served, or stands beside the shim, is no finding; neither are dunders.
        """
        if target not in self._judged:
            self._judged[target] = self._judge(target)
        return self._judged[target]

    def knows(self, module: str, name: str) -> bool:
        """Return whether `from module import *` brings `name`."""
        if module == _PYGPU:
            return name in load_text("pygpu")
        return any(self._row(table, name, module) is not None for table in self._tables(module))

    def _judge(self, target: str) -> Verdict | None:
        if target in ("cuda", *self.modules):
            return None
        if target.startswith(f"{BY_NAME}."):
            return self._of_name(*target.split(".")[1:3])
        if target.partition(".")[0] == _PYGPU:
            return self._of_pygpu(target)
        if not target.startswith("cuda."):
            judged = packages.judge_module(target)
            return None if judged is None else judged[1]
        module = self._module_of(target)
        if module is None:
            return self._unserved(target)
        name, _, rest = target[len(module) + 1 :].partition(".")
        if name.startswith(("__", "HIP_PYTHON_")) or name in _DETECTION:
            return None
        if self.modules[module] is None:
            return self._unserved(target)
        if self.modules[module] == "nvrtc_v2":
            return self._of_nvrtc_v2(name)
        if self.modules[module] == "utils":
            names = utils.contents(self.cuda)
            return Verdict("CS103", f"{name}: provided") if name in names else self._unknown(module, name, names)
        for table in self._tables(module):
            row = self._row(table, name, module)
            if row is not None:
                return self._member(row, table, rest.partition(".")[0]) or describe_row(row)
        return self._absent(module, name)

    def _of_name(self, name: str, member: str = "") -> Verdict | None:
        """Return the verdict on a name that is CUDA's in any object that it is looked up in; None where it is not."""
        for table in store.TABLES:
            row = self._row(table, name, f"cuda.bindings.{table}")
            if row is not None:
                return self._member(row, table, member) or describe_row(row)
        if name in _constants(self.cuda):
            table, enum = _constants(self.cuda)[name]
            row = self._row(table, enum, f"cuda.bindings.{table}")
            return None if row is None else self._member(row, table, name)
        layouts = [cuda for table in store.TABLES for cuda in LAYOUTS if store.load(table).row(name, cuda) is not None]
        if layouts:
            return Verdict("CS203", f"{name}: not in CUDA {self.cuda}, but in {', '.join(layouts)}; see CUDA_SHIM_CUDA")
        if _FUNCTION_NAME.fullmatch(name):
            names = {each for table in store.TABLES for each in store.load(table).names(self.cuda)}
            return Verdict(NOT_JUDGED, f"{name}: looks like a name of CUDA's, and no table has it{_hint(name, names)}")
        return None

    def _of_nvrtc_v2(self, name: str) -> Verdict:
        """Return the verdict on a name of `cuda.bindings._v2.nvrtc`: that of the function of NVRTC's that it calls."""
        for each in store.load("nvrtc").names(self.cuda):
            row = self._row("nvrtc", each, _V2_NVRTC)
            if isinstance(row, FunctionRow) and each.removeprefix("nvrtc").lower() == name.replace("_", ""):
                return describe_row(row)
        known = nvrtc_v2.other_names(self.cuda)
        return Verdict("CS103", f"{name}: provided") if name in known else self._unknown(_V2_NVRTC, name, known)

    def _of_pygpu(self, target: str) -> Verdict | None:
        name = target.split(".")[1] if "." in target else ""
        if not name or name.startswith("__"):
            return None
        names = load_text("pygpu")
        return Verdict("CS103", f"{name}: provided") if name in names else self._unknown(_PYGPU, name, names)

    def _module_of(self, target: str) -> str | None:
        """Return the served module, or package, that a dotted name begins with."""
        parts = target.split(".")
        for length in range(len(parts), 1, -1):
            if ".".join(parts[:length]) in self.modules:
                return ".".join(parts[:length])
        return None

    def _tables(self, module: str) -> tuple[str, ...]:
        table = self.modules.get(module)
        if table is None or table not in store.TABLES:
            return ()
        # As in HIP Python, cuda.cuda answers for runtime names too.
        return ("driver", "runtime") if module == "cuda.cuda" else (table,)

    def _layout(self, module: str) -> str:
        return legacy_layout(self.cuda) if module in LEGACY_MODULES else self.cuda

    def _row(self, table: str, name: str, module: str) -> Row | None:
        return store.load(table).row(name, self._layout(module))

    def _member(self, row: Row, table: str, member: str) -> Verdict | None:
        """Return the verdict on a constant of an enum; None where it is that of the enum itself."""
        enum = _followed(row, table, self.cuda)
        if not isinstance(enum, EnumRow) or not member or hasattr(FastEnum, member) or member == "hallucinate":
            return None
        members = {item.name: item for item in enum.members}
        if member not in members:
            if member.startswith(("hip", "HIP")) or member in _twins(self.cuda).get(enum.hip or "", ()):
                return Verdict("CS103", f"{enum.name}.{member}: HIP's, or the other CUDA API's, name of a constant")
            return self._unknown(enum.name, member, members)
        if member in unreadable(enum, row.name == STATUS_ENUMS[table]):
            return Verdict(
                "CS202",
                f"{enum.name}.{member}: no HIP call returns it, so reading it raises AttributeError; "
                f"HIP_PYTHON_{enum.name}_HALLUCINATE=1 allows it",
            )
        if enum.hip is not None and members[member].hip is None:
            return Verdict("CS202", f"{enum.name}.{member}: {enum.hip} has no counterpart; a call refuses it")
        return Verdict("CS101", f"{enum.name}.{member} -> {members[member].hip or members[member].value}")

    def _absent(self, module: str, name: str) -> Verdict:
        layouts = [
            cuda for table in self._tables(module) for cuda in LAYOUTS if store.load(table).row(name, cuda) is not None
        ]
        if layouts:
            return Verdict(
                "CS203", f"{name}: not in CUDA {self._layout(module)}, but in {', '.join(layouts)}; see CUDA_SHIM_CUDA"
            )
        names: set[str] = set()
        for table in self._tables(module):
            names |= store.load(table).names(self._layout(module))
        elsewhere = [other for other, table in self.modules.items() if other != module and self.knows(other, name)]
        if elsewhere:
            return Verdict("CS204", f"{name}: not in {module}, but in {elsewhere[0]}")
        return self._unknown(module, name, names)

    def _unknown(self, where: str, name: str, names: Iterable[str]) -> Verdict:
        return Verdict("CS204", f"{name}: {where} has no such name{_hint(name, names)}")

    def _unserved(self, target: str) -> Verdict:
        parts = target.split(".")
        module = ".".join(parts[: 3 if parts[1] == "bindings" else 2])
        if module in NVIDIAS_OWN_MODULES:
            return Verdict(
                "CS205", f"{module}: NVIDIA's own compilers; importing it works, a call names the missing package"
            )
        if module in C_MODULES:
            return Verdict("CS103", f"{module}: C functions, for Cython modules")
        judged = packages.judge_module(target)
        if judged is not None:
            return judged[1]
        prefixes = (".".join(parts[:length]) for length in range(len(parts), 2, -1))
        refused = next((each for each in prefixes if each in NOT_SERVED and each not in self.modules), None)
        if refused is not None:
            return Verdict("CS205", f"{refused}: not served: {NOT_SERVED[refused]}")
        if parts[1] == "bindings":
            return Verdict("CS205", f"{module}: not served, and hidden while the shim is active")
        if f"cuda.bindings.{parts[1]}" in self.modules:
            return Verdict("CS205", f"{module}: no such module; cuda.bindings.{parts[1]} is meant?")
        return Verdict("CS205", f"{module}: not served; it needs NVIDIA's own libraries")


def _hint(name: str, names: Iterable[str]) -> str:
    """Return a question that suggests close names, nothing where no name is close."""
    close = difflib.get_close_matches(name, sorted(names), 2)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def describe_row(row: Row) -> Verdict:
    """Return the verdict on a name by its row alone."""
    if isinstance(row, FunctionRow):
        return by_backend.of_function(row)
    hip = getattr(row, "hip", None)
    return Verdict("CS101", f"{row.name} -> {hip}") if hip else Verdict("CS103", f"{row.name}: provided")


def _followed(row: Row, table: str, cuda: str) -> Row | None:
    """Return the row that a typedef stands for in the end."""
    current: Row | None = row
    while isinstance(current, ExtendsRow):
        module, _, name = current.base.rpartition(".")
        table = module or table
        current = store.load(table).row(name, cuda)
    return current


@cache
def _constants(cuda: str) -> dict[str, tuple[str, str]]:
    """Return the table and the enum of each enum's constant, by its name."""
    enums: dict[str, tuple[str, str]] = {}
    for table in store.TABLES:
        for name, bodies in store.load(table).rows.items():
            row = store.load(table).row(name, cuda) if any(body["kind"] == "enum" for body in bodies) else None
            if isinstance(row, EnumRow):
                for member in row.members:
                    enums.setdefault(member.name, (table, name))
    return enums


@cache
def _twins(cuda: str) -> dict[str, frozenset[str]]:
    """Return the constants of every CUDA enum that a HIP enum serves, by its name."""
    constants: dict[str, set[str]] = {}
    for table in map(store.load, store.TABLES):
        for name, bodies in table.rows.items():
            row = table.row(name, cuda) if any(body["kind"] == "enum" for body in bodies) else None
            if isinstance(row, EnumRow) and row.hip:
                constants.setdefault(row.hip, set()).update(member.name for member in row.members if member.hip)
    return {hip: frozenset(names) for hip, names in constants.items()}
