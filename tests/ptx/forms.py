"""Every form of an instruction that tables/ptx.yaml has and ptxas takes, with the types of its operands.

A form is an opcode with its modifiers and types as a text has it, such as `add.rz.ftz.f32`. They are listed in
forms.txt, so that an NVIDIA GPU can be asked without the table. After a change of the table it is written again:

    python -m tests.ptx.forms path/to/ptxas
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["ARCHITECTURE", "HEAD", "Form", "forms_of_the_table", "judged", "judged_forms", "register_of"]

FILE = Path(__file__).resolve().parent / "forms.txt"
ARCHITECTURE = "sm_90"
HEAD = f".version 8.0\n.target {ARCHITECTURE}\n.address_size 64\n"

# Instructions that need more than registers of their own thread (memory, other threads, the clock), or end a kernel.
ELSEWHERE = (
    "alloca", "activemask", "atom", "bar", "barrier", "createpolicy", "elect", "isspacep", "ld", "ldu", "match", "mov", "prefetch",
    "redux", "shfl", "st", "vote", "wmma",
)  # fmt: skip
# Rows that the recorded GPU was not asked about; test_inline_forms.py has their values by the ISA's text.
UNRECORDED = ("cvt.pack.sat.s8.s32.b32", "cvt.pack.sat.u8.s32.b32", "max.xorsign.abs", "min.xorsign.abs")
# The result is close to the right one, not one number for all GPUs.
APPROXIMATE = ("approx", "full")
# Modifiers that add to a row which is a form without them too, in the order in which they are written.
_ADDED = ("ftz", "sat", "noftz", "NaN", "relu")


@dataclass(frozen=True)
class Form:
    """A form of an instruction.

    Attributes:
        opcode: as a text has it.
        result: the type of its result.
        operands: the types of its operands.
        exact: True if its result is one number for all GPUs.
    """

    opcode: str
    result: str
    operands: tuple[str, ...]
    exact: bool

    @property
    def name(self) -> str:
        return self.opcode.partition(".")[0]


@cache
def judged_forms() -> tuple[Form, ...]:
    """Return the forms that are listed."""
    forms = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        opcode, result, *operands = line.split()
        forms.append(_listed(opcode, result, operands))
    return tuple(forms)


def _listed(opcode: str, result: str, operands: Sequence[str]) -> Form:
    return Form(opcode, result, tuple(operands), not any(word in opcode.split(".") for word in APPROXIMATE))


def forms_of_the_table() -> tuple[Form, ...]:
    """Return all forms of the table that compute a value from registers, some of which no assembler takes."""
    from cuda_shim.mapping.text_tables import load_text
    from cuda_shim.translate.ptx.instructions import Unknown

    forms = []
    for name, row in load_text("ptx")["instructions"].items():
        if (
            "value" not in row
            or "video" in row
            or "hosts" in row
            or name.partition(".")[0] in ELSEWHERE
            or name in UNRECORDED
            or "carry" in row["value"]
        ):
            continue
        for opcode in _opcodes(name, row):
            try:
                forms.append(_form(opcode))
            except Unknown:
                continue
    return tuple(dict.fromkeys(forms))


def _opcodes(name: str, row: dict[str, list[str]]) -> list[str]:
    allowed = row.get("modifiers", [])
    modifiers = [opcodes for opcodes in _ADDED if opcodes in allowed]
    modifier_texts = [
        "".join(f".{opcodes}" for opcodes in some)
        for count in range(len(modifiers) + 1)
        for some in itertools.combinations(modifiers, count)
    ]
    rounded = ["", *(f".{opcodes}" for opcodes in allowed if opcodes == "rn")]
    types = [f".{opcodes}" for opcodes in row.get("types", [])] or [""]
    sources = [f".{opcodes}" for opcodes in row.get("from", [])] or [""]
    combined = ["", ".and", ".or", ".xor"] if name.startswith("setp") else [""]
    opcodes = [
        f"{name}{''.join(parts)}" for parts in itertools.product(combined, rounded, modifier_texts, types, sources)
    ]
    if name.startswith("setp"):
        for to, how in (("u32", ""), ("s32", ".xor"), ("f32", ""), ("f16", "")):
            opcodes += [f"set{name[4:]}{how}{more}.{to}{type_}" for more in modifier_texts for type_ in types]
    return opcodes


def _form(opcode: str) -> Form:
    from cuda_shim.translate.ptx.instructions import form_of, places_of

    form = form_of(opcode)
    places = {number: type_name.lstrip("*") for number, type_name in places_of(form) if number > 0}
    # A place that a template leaves out is not there.
    return _listed(opcode, form.result, [places.get(number, "b32") for number in range(1, max(places) + 1)])


def register_of(kind: str) -> str:
    """Return the type of a register that holds a value of a type."""
    if kind in ("pred", "f32", "f64"):
        return kind
    bits = {"f16": 16, "bf16": 16}.get(kind) or (
        32 if kind.endswith("x2") or kind == "tf32" else max(int(kind[1:]), 16)
    )
    return f"b{bits}"


def judged(ptxas: str, forms: Sequence[Form]) -> list[Form]:
    """Return the forms that NVIDIA's assembler takes."""
    remaining = list(forms)
    while True:
        lines = [HEAD.rstrip()]
        for number, form in enumerate(remaining):
            kinds = (form.result, *form.operands)
            registers = " ".join(f".reg .{register_of(kind)} %x{place};" for place, kind in enumerate(kinds))
            operands = ", ".join(f"%x{place}" for place in range(len(kinds)))
            lines.append(f".visible .entry k{number}() {{ {registers} {form.opcode} {operands}; ret; }}")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "forms.ptx").write_text("\n".join(lines) + "\n", encoding="utf-8")
            words = [ptxas, "-arch", ARCHITECTURE, "-c", "-o", f"{folder}/out", f"{folder}/forms.ptx"]
            process = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
        wrong = {int(line) - 4 for line in re.findall(r"line (\d+); error", process.stderr)}
        if not wrong:
            assert process.returncode == 0, process.stderr
            return remaining
        remaining = [form for number, form in enumerate(remaining) if number not in wrong]


if __name__ == "__main__":
    taken = judged(sys.argv[1], forms_of_the_table())
    FILE.write_text(
        "".join(f"{form.opcode} {' '.join((form.result, *form.operands))}\n" for form in taken), encoding="utf-8"
    )
    print(f"{len(taken)} forms")
