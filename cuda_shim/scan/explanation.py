"""A table's row in words: the target of a name, the versions of CUDA, and the differences."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cuda_shim.binding.enums.fast_enum import unreadable
from cuda_shim.binding.functions import signature
from cuda_shim.binding.functions.docstring import difference
from cuda_shim.hook.not_served import NOT_SERVED
from cuda_shim.mapping import parameters, store
from cuda_shim.mapping.layouts import C_MODULES, LAYOUTS
from cuda_shim.mapping.names import STATUS_ENUMS
from cuda_shim.mapping.rows import GENERATIONS, ConstantRow, EnumRow, ExtendsRow, FunctionRow, HandleRow, Row, StructRow
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan import by_backend, device_names, packages
from cuda_shim.scan.diagnostics import BACKENDS, NOT_JUDGED, Answer

__all__ = ["Explanation", "close_names", "explanations"]

_PLACES = {"driver": "cuda.bindings.driver", "runtime": "cuda.bindings.runtime", "nvrtc": "cuda.bindings.nvrtc"}
_PYGPU = "PyGPU"
_DEVICE = "CUDA C++ device code"
_OPTION_OUTCOMES = {
    "hiprtc": "becomes",
    "drop": "left out",
    "refuse": "why not",
    "rule": "translated by",
    "messages": "makes messages",
}


@dataclass
class Explanation:
    """One name in one place: a heading and details, each a word or two with its text."""

    name: str
    place: str
    details: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.name}  ({self.place})"]
        for label, text in self.details:
            # Signatures and members come as lines of their own.
            for number, line in enumerate(text.splitlines()):
                wrapped = textwrap.wrap(line, 92, subsequent_indent="  ", break_long_words=False) or [""]
                lines += [f"  {label if number == index == 0 else '':15}{part}" for index, part in enumerate(wrapped)]
        return "\n".join(lines)

    def answer(self, rocm: Answer, cpu: Answer) -> None:
        """Add the answer for the name on each backend."""
        for words, answer in zip(BACKENDS.values(), (rocm, cpu), strict=True):
            refused = f"refused: {answer.text}" if answer.problem else answer.text
            self.details.append((words, f"not judged: {answer.text}" if answer.code == NOT_JUDGED else refused))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"name": self.name, "place": self.place, **dict(self.details)}


def explanations(name: str) -> list[Explanation]:
    """Return the explanations of a name by the tables; it may carry its module, as in "driver.cuInit" or in full."""
    module, _, bare = name.rpartition(".")
    results: list[Explanation] = []
    for table in store.TABLES:
        if module and module not in (table, _PLACES[table]):
            continue
        if bare in store.load(table).rows:
            results.append(_of_row(table, bare))
        results += _of_constants(table, bare)
    if "." in name and not results:
        results += _of_member(name)
    if module in ("", _PYGPU):
        results += _of_pygpu(bare)
    return [*results, *_of_module(name), *_of_package(name), *_of_device_code(name), *_of_options(name)]


def _of_package(name: str) -> Iterator[Explanation]:
    """Yield the explanation of a package that reaches CUDA by itself."""
    judged = packages.judge_module(name)
    if judged is not None:
        explanation = Explanation(judged[0], "a package")
        rocm, cpu = (judged[1].on(backend) for backend in BACKENDS)
        explanation.answer(*(Answer(each.code, each.text.removeprefix(f"{judged[0]}: ")) for each in (rocm, cpu)))
        yield explanation


def _of_module(name: str) -> Iterator[Explanation]:
    """Yield the explanation of a module of NVIDIA's that holds no names of the tables."""
    parts = name.split(".")
    prefixes = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    module = next((each for each in prefixes if each in C_MODULES or each in NOT_SERVED), None)
    if module is None:
        return
    table = C_MODULES.get(module, "")
    text = (
        NOT_SERVED.get(module)
        or NOT_SERVED.get(f"cuda.bindings.{table}")
        or (f"the C functions of {_PLACES[table]}, for compiled packages and Cython's cimport")
    )
    yield Explanation(module, "a module", [("is", text)])


def close_names(name: str) -> list[str]:
    """Return names of the tables that look like one that is not there."""
    bare = name.rpartition(".")[2]
    names = {row for table in store.TABLES for row in store.load(table).rows}
    names.update(load_text("pygpu"))
    device = load_text("device")
    names.update(*(device[section] for section in ("functions", "names", "refused", "headers", "same")))
    return difflib.get_close_matches(bare, sorted(names), 3)


def _of_row(table: str, name: str) -> Explanation:
    """Return a row in all layouts: the common facts once, differing ones with the layouts named."""
    rows = {cuda: store.load(table).row(name, cuda) for cuda in LAYOUTS}
    present = {cuda: row for cuda, row in rows.items() if row is not None}
    explanation = Explanation(name, _PLACES[table], [("CUDA", ", ".join(present))])
    newest = max(present, key=LAYOUTS.index)
    if isinstance(present[newest], EnumRow):
        present = {newest: present[newest]}  # enums only grow: the newest is complete
    facts = {cuda: list(_facts(row, table)) for cuda, row in present.items()}
    labels = dict.fromkeys(label for details in facts.values() for label, _ in details)
    for label in labels:
        texts: dict[str, list[str]] = {}
        for cuda, details in facts.items():
            texts.setdefault(dict(details).get(label, ""), []).append(cuda)
        if len(texts) == 1:
            explanation.details.append((label, next(iter(texts))))
        else:
            different = [f"CUDA {', '.join(cudas)}: {text}" for text, cudas in texts.items() if text]
            explanation.details.append((label, "\n".join(different)))
    return explanation


def _facts(row: Row, table: str) -> Iterator[tuple[str, str]]:
    if isinstance(row, FunctionRow):
        yield from _function_facts(row)
    elif isinstance(row, EnumRow):
        yield from _enum_facts(row, table)
    elif isinstance(row, HandleRow):
        yield "is", "an opaque handle" if row.storage == "pointer" else f"a handle stored as {row.storage}"
    elif isinstance(row, ExtendsRow):
        yield "is", f"another name of {row.base}"
    elif isinstance(row, StructRow):
        members = ", ".join(item.name for item in row.fields if item.name)
        yield "is", f"a {'union' if row.union else 'struct'}: {members}"
        yield "HIP", row.hip or "has none"
    elif isinstance(row, ConstantRow):
        yield "is", f"the constant {row.value}"
    if row.note:
        yield "note", row.note


def _enum_facts(row: EnumRow, table: str) -> Iterator[tuple[str, str]]:
    yield "is", f"an enum of {len(row.members)} constants"
    yield "HIP", row.hip or "has none; the numbers are passed on"
    hidden = unreadable(row, row.name == STATUS_ENUMS[table])
    without = [member.name for member in row.members if row.hip and member.hip is None and member.name not in hidden]
    if without:
        yield "HIP lacks", ", ".join(without)
    if hidden:
        yield "never returned", ", ".join(sorted(hidden))


def _function_facts(row: FunctionRow) -> Iterator[tuple[str, str]]:
    yield "does", row.text
    yield "call", f"{row.name}({signature(row)})"
    if row.inputs:
        yield "arguments", "\n".join(parameters.arguments(row))
    yield "returns", "\n".join(parameters.results(row))
    yield "support", row.support
    if row.unsupported:
        yield "why not", row.unsupported
    else:
        if row.hip:
            yield "becomes", row.hip + (f"({', '.join(row.call)})" if row.call is not None else "")
        yield from _answers(row)
    if row.adapter:
        yield "adapted by", f"cuda_shim.adapters.{row.adapter}"
        yield "how", difference(row.adapter)
    if row.native and row.hip:
        yield "calls C", f"directly with hip-python {', '.join(map(str, row.native))}, which binds {row.hip} wrongly"
    missing = [generation for generation in GENERATIONS if generation not in row.hip_python]
    if missing and row.hip:
        yield "calls C also", f"with hip-python {', '.join(map(str, missing))}, which does not bind {row.hip}"


def _answers(row: FunctionRow) -> Iterator[tuple[str, str]]:
    """Yield the support for a call that the tables serve, on each backend."""
    refused = by_backend.rocm_reason(row.name)
    limits = [text for text in (by_backend.since(row, older=True), by_backend.limit_of(row.name, rare=True)) if text]
    yield BACKENDS["rocm"], f"not supported: {refused}" if refused else "; ".join(["served", *limits])
    gap = by_backend.cpu_reason(row)
    yield BACKENDS["cpu"], f"not supported: {gap}" if gap else "served"


def _of_constants(table: str, name: str) -> Iterator[Explanation]:
    """Yield the enums of a module that have a constant of this name."""
    for row_name, bodies in store.load(table).rows.items():
        if all(body["kind"] != "enum" for body in bodies):
            continue
        row = next(row for cuda in reversed(LAYOUTS) if (row := store.load(table).row(row_name, cuda)) is not None)
        if isinstance(row, EnumRow) and any(member.name == name for member in row.members):
            yield _constant(table, row, name)


def _of_member(name: str) -> Iterator[Explanation]:
    """`Enum.CONSTANT`."""
    enum, _, member = name.rpartition(".")
    for table in store.TABLES:
        for constant in _of_constants(table, member):
            if constant.name.startswith(f"{enum.rpartition('.')[2]}."):
                yield constant


def _constant(table: str, row: EnumRow, name: str) -> Explanation:
    member = next(item for item in row.members if item.name == name)
    layouts = [
        cuda for cuda in LAYOUTS
        if isinstance(enum := store.load(table).row(row.name, cuda), EnumRow)
        and any(item.name == name for item in enum.members)
    ]  # fmt: skip
    details = [("CUDA", ", ".join(layouts)), ("is", f"a constant of {row.name}, {member.value}")]
    if member.hip:
        details.append(("becomes", f"{row.hip}.{member.hip}"))
    elif row.hip is None:
        details.append(("becomes", "the same number: HIP has no such enum"))
    elif name in unreadable(row, row.name == STATUS_ENUMS[table]):
        details.append(
            ("becomes", f"nothing: no call returns it; HIP_PYTHON_{row.name}_HALLUCINATE=1 allows reading it")
        )
    else:
        details.append(("becomes", f"nothing: {row.hip} has no counterpart, and a call refuses it"))
    if member.text:
        details.append(("message", member.text))
    limit = by_backend.limit_of(name, rare=True)
    if limit:
        details.append((BACKENDS["rocm"], limit))
    return Explanation(f"{row.name}.{name}", _PLACES[table], details)


def _of_pygpu(name: str) -> Iterator[Explanation]:
    row = load_text("pygpu").get(name)
    if row is None:
        return
    details = [("what", row["text"])]
    if "calls" in row:
        arguments = [f"{parameter}={default}" if default else parameter for parameter, _, default in row["takes"]]
        details += [("call", f"{name}({', '.join(arguments)})"), ("returns", _pygpu_result(row))]
        details += [("support", "provided"), ("becomes", f"{_PLACES['runtime']}.{row['calls']}")]
    else:
        details += [("support", "provided"), ("made of", f"cuda_shim.pygpu.{row['code']}")]
    yield Explanation(name, _PYGPU, details)


def _pygpu_result(row: dict[str, Any]) -> str:
    """Return the result of a function of PyGPU in words: values precede the status there."""
    if row["gives"] == "text":
        return "the text"
    called = store.load("runtime").row(row["calls"], LAYOUTS[-1])
    values = [output.name for output in called.outputs] if isinstance(called, FunctionRow) else []
    return ", ".join([*values, "the status"])


def _of_device_code(name: str) -> Iterator[Explanation]:
    table = load_text("device")
    if any(name in table[section] for section in ("functions", "declared", "names", "refused", "same")):
        yield _of_device_name(name)
    rocm, cpu = device_names.header_on_rocm(name), device_names.header_on_cpu(name)
    if rocm.code != NOT_JUDGED or cpu.code != NOT_JUDGED:
        header = Explanation(name, "CUDA header")
        header.answer(rocm, cpu)
        yield header
        return
    instruction = _of_instruction(name)
    if instruction is not None:
        yield instruction


def _of_device_name(name: str) -> Explanation:
    explanation = Explanation(name, _DEVICE)
    rocm = device_names.name_on_rocm(name)
    limit = by_backend.limit_of(name, rare=True)
    explanation.answer(
        Answer(rocm.code, f"{rocm.text}; {limit}" if limit else rocm.text), device_names.name_on_cpu(name)
    )
    return explanation


def _of_instruction(name: str) -> Explanation | None:
    """Return the explanation of an instruction of inline PTX, by its row; an opcode may be written in full."""
    rows = load_text("ptx")["instructions"]
    parts = name.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    row = next((rows[each] for each in prefixes if each in rows), None)
    if row is None:
        return None
    explanation = Explanation(name, "inline PTX")
    explanation.answer(*device_names.instruction(name, row))
    return explanation


def _of_options(name: str) -> Iterator[Explanation]:
    for option, row in load_text("nvrtc_options").items():
        if name not in (option, *row["spellings"]):
            continue
        details = [("spellings", ", ".join(row["spellings"]))]
        if row.get("since"):
            details.append(("since", f"CUDA {row['since']}"))
        for key, label in _OPTION_OUTCOMES.items():
            if key in row:
                value = row[key]
                details.append((label, " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)))
        yield Explanation(row["spellings"][0], "NVRTC option", details)
