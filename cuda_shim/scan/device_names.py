"""Headers and names of device code by backend: the table of device code, and the headers that ship."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan.diagnostics import NOT_JUDGED, Answer, Verdict
from cuda_shim.scan.packages import wheel_of_header
from cuda_shim.scan.shipped_headers import cpu_has_header, names_of, ptx_refusals_of, refusals_of
from cuda_shim.translate.prologue import Needs
from cuda_shim.translate.ptx.decoder import Mismatch, copies
from cuda_shim.translate.ptx.instructions import Unknown, form_of
from cuda_shim.translate.ptx.matrices import LDMATRIX, STMATRIX, product_of
from cuda_shim.translate.ptx.opcode_order import documented_order

__all__ = [
    "header_on_cpu",
    "header_on_rocm",
    "instruction",
    "name_on_cpu",
    "name_on_rocm",
    "refused",
    "refused_ptx",
    "unknown_function",
]

_PROVIDED = Answer("CS103", "provided")
_UNKNOWN_HEADER = Answer(NOT_JUDGED, "it is found, or not, when the program is compiled")
_TYPE = re.compile(r"[a-z]+\d+(x\d)?|pred")
_QUOTED = re.compile(r"'([a-z][\w.]*)'")
# Names that the compilers of both backends have by themselves.
_COMPILERS = ("__builtin_", "__has_", "__nv_", "__NV_", "__CUDA")


def header_on_rocm(name: str) -> Answer:
    """Return the answer for an include on an AMD GPU."""
    file = name.encode("utf-8", "surrogateescape")
    needs = Needs(True, frozenset())
    reason = needs.refused_on_gpu(file)
    if reason is not None:
        return Answer("CS302", reason)
    return _PROVIDED if name in load_text("device")["headers"] else _UNKNOWN_HEADER


def header_on_cpu(name: str) -> Answer:
    """Return the answer for an include on host cores."""
    if cpu_has_header(name):
        return _PROVIDED
    wheel = wheel_of_header(name)
    if wheel is not None:
        return Answer(NOT_JUDGED, f"the wheel {wheel} has it; pass its folder with -I")
    if header_on_rocm(name) == _UNKNOWN_HEADER:
        return _UNKNOWN_HEADER
    return Answer("CS302", "the CPU runtime has no header of this name")


def refused(name: str) -> Verdict | None:
    """Return the verdict on a name that a backend refuses, None for any other."""
    reason = load_text("device")["refused"].get(name) or refusals_of("rocm").get(name)
    if reason is None and name not in refusals_of("cpu"):
        return None
    return Verdict.apart(name, name_on_rocm(name), name_on_cpu(name))


def name_on_rocm(name: str) -> Answer:
    """Return the answer for a name of device code on an AMD GPU."""
    table = load_text("device")
    reason = table["refused"].get(name) or refusals_of("rocm").get(name)
    if reason is not None:
        return Answer("CS303", reason)
    if name in table["functions"]:
        target, header = table["functions"][name]
        return Answer("CS103", f"becomes {target}, of {header}")
    if name in table["names"]:
        return Answer("CS103", f"becomes {table['names'][name][1]}" if table["names"][name][1] else "left out")
    if name in table["declared"]:
        return Answer("CS103", f"declared by {table['declared'][name]}")
    if name in table["same"]:
        return Answer("CS103", "there under the same name")
    if name in names_of("rocm"):
        return Answer("CS103", "provided by a header that stands for CUDA's")
    return Answer(NOT_JUDGED, "no table or header here has it")


def name_on_cpu(name: str) -> Answer:
    """Return the answer for a name of device code on host cores."""
    reason = refusals_of("cpu").get(name)
    if reason is not None:
        return Answer("CS303", reason)
    table = load_text("device")
    if name in names_of("cpu") or any(name in table[section] for section in ("functions", "names", "same")):
        return Answer("CS103", "the CPU runtime has it")
    if name in table["refused"]:
        return Answer("CS303", table["refused"][name])
    return Answer(NOT_JUDGED, "no table or header here has it")


def refused_ptx(words: Iterable[str], backend: str) -> str | None:
    """Return why a backend does not run the translation of inline PTX, by the C++ names in it; None where it does."""
    reasons = (ptx_refusals_of(backend).get(word) for word in words)
    reason = next((each for each in reasons if each is not None), None)
    return None if reason is None else reason.removeprefix("inline PTX").lstrip(": ")


def _problem(opcode: str) -> str:
    """Return the reason why an opcode is not translated; "" if it is, or if it has no type."""
    if opcode in load_text("ptx")["instructions"] or not _TYPE.fullmatch(opcode.rpartition(".")[2]):
        return ""
    try:
        form_of(documented_order(opcode))
    except Unknown as unknown:
        return str(unknown)
    return ""


def _special_problem(opcode: str) -> str:
    """Return the reason why an opcode is not translated that code of its own translates; "" if it is."""
    if opcode in load_text("ptx")["instructions"]:
        return ""
    if any((product_of(opcode), LDMATRIX.fullmatch(opcode), STMATRIX.fullmatch(opcode))):
        return ""
    try:
        copies(opcode, 0)
    except Mismatch:
        return ""
    except Unknown:
        return f"'{opcode}' is not translated in this form"
    return ""


def instruction(name: str, row: Mapping[str, Any]) -> tuple[Answer, Answer]:
    """Return the answers for an instruction of inline PTX on AMD GPUs and on host cores.

    `row` is the instruction's in tables/ptx.yaml. Host cores have some of the refused ones; the headers for AMD GPUs
    name them in the reasons for which they refuse them.
    """
    refused = row.get("refuse")
    translated = Answer("CS103", "translated to C++")
    reasons = ptx_refusals_of("rocm")
    if name.startswith("wmma."):
        advice = "translated in PTX modules; inline use nvcuda::wmma"
        return Answer("CS301", "fragments of wmma are translated for host cores alone"), Answer("CS104", advice)
    problem = _special_problem(name) if "special" in row else _problem(name)
    if refused is None and problem:
        return Answer("CS301", problem), Answer("CS301", problem)
    if "hosts" in row:
        return Answer("CS301", row["hosts"]), translated
    if refused is not None:
        quoted = _QUOTED.findall(" ".join(reasons.values()))
        on_hosts = any(opcode.startswith(name) or name.startswith(opcode) for opcode in quoted)
        return Answer("CS301", refused), translated if on_hosts else Answer("CS301", refused)
    if name.partition(".")[0] in ("bar", "barrier") and ".warp" not in name:
        reason = reasons["named_sync"].removeprefix("inline PTX: ")
        return Answer("CS104", f"{translated.text}; {reason}"), translated
    return translated, translated


@cache
def unknown_function(name: str) -> Verdict | None:
    """Return the verdict on a function of CUDA's that a backend may not have; None where both do.

    CUDA's own functions begin with two underscores where a program's do not.
    """
    if not name.startswith("__") or name.startswith(_COMPILERS):
        return None
    rocm, cpu = name_on_rocm(name), name_on_cpu(name)
    if NOT_JUDGED not in (rocm.code, cpu.code):
        return None
    return Verdict.apart(name, rocm, cpu)
