"""Inline PTX as C++: by the instructions of tables/ptx.yaml.

A statement becomes one expression, which fits in every place of an asm statement; its branches become loops and ifs
inside it. Registers are C++ variables; `cuda_shim/ptx.h` converts between the types that PTX sees in the same bits.
"""

from __future__ import annotations

import re

from cuda_shim.translate.assembly import Statement, Untranslatable, Wrong
from cuda_shim.translate.ptx.barriers import Barrier, barrier_of
from cuda_shim.translate.ptx.decoder import Mismatch, copies, decode
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.inline_branches import Branch, Target, with_branches
from cuda_shim.translate.ptx.inline_matrices import matrix_expression
from cuda_shim.translate.ptx.inline_operands import NAMESPACE, InlineOperands, elements, number_of, split
from cuda_shim.translate.ptx.instructions import Form, Invalid, Operands, Unknown, without_cache_policy
from cuda_shim.translate.ptx.opcode_order import documented_order
from cuda_shim.translate.ptx.orders import access_function, fence_after, fence_before
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.video import is_video, opcode_with_operands, video_operand

__all__ = ["to_expression"]

# Instructions of AMD's own assembler, which portable sources keep beside PTX.
_AMD = re.compile(r"\s*(s|v|ds|buffer|global|flat|tbuffer|image|scratch)_")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_INSTRUCTION = re.compile(
    r"(?:@(?P<negated>!?)(?P<guard>[%\w]+)\s+)?(?P<opcode>[a-z][\w.:]*)\s*(?P<operands>.*)", re.DOTALL
)
_LABEL = re.compile(r"([\w$%=]+)\s*:(?!:)")
_REGISTERS = re.compile(r"\.reg\s*(?:\.v\d\s*)?\.(?P<type>\w+)\s+(?P<names>.+)", re.DOTALL)
_CARRY = "cuda_shim_carry"
_CARRY_READERS = ("addc", "subc", "madc")
# Copies by the table, as no copy of registers' size is.
_OTHER_COPIES = ("cp.async.bulk", "cp.async.mbarrier")


def to_expression(statement: Statement) -> str | None:
    """Return the C++ expression for an asm statement; None for one that may stay as it is.

    Raises Untranslatable with the reason, the instruction named.
    """
    template = _COMMENT.sub(" ", statement.template).strip()
    if not template or _AMD.match(template):
        return None
    return _Translator(statement).expression(template)


class _Translator:
    """The translation of one statement; knows whether it has set the carry flag."""

    def __init__(self, statement: Statement) -> None:
        self._operands = InlineOperands(statement)
        self._is_volatile, self._clobbers_memory = statement.is_volatile, statement.clobbers_memory
        self._has_carry = False

    def expression(self, template: str) -> str:
        declarations: list[str] = []
        items: list[str | Target | Branch] = []
        *parts, rest = template.split(";")
        for part in parts:
            text = self._inside_scopes(part)
            while label := _LABEL.match(text):
                items.append(Target(label[1]))
                text = self._inside_scopes(text[label.end() :])
            if not text:
                continue
            registers = _REGISTERS.fullmatch(text)
            if registers is not None:
                declarations.append(self._operands.declare(registers["type"], registers["names"]))
            else:
                items.append(self._branch(text) or self._instruction(text))
        self._end(rest, items)
        expressions = [item for item in items if isinstance(item, str)]
        if any(_CARRY in line for line in expressions):
            declarations.append(f"unsigned {_CARRY} = 0")
        if len(expressions) < len(items):
            return "({ " + " ".join(with_branches(declarations, items)) + " })"
        if not declarations and len(expressions) == 1 and not expressions[0].startswith("if "):
            return f"({expressions[0]})"
        return "({ " + " ".join(f"{line};" for line in declarations + expressions) + " })"

    def _inside_scopes(self, part: str) -> str:
        """Return an instruction without the braces of scopes in front of it, which begin and end here."""
        text = part.strip()
        while text[:1] in ("{", "}"):
            self._scope(text[0])
            text = text[1:].lstrip()
        return text

    def _scope(self, brace: str) -> None:
        if brace == "{":
            self._operands.begin_scope()
        elif not self._operands.end_scope():
            raise Untranslatable("ends a scope that it has not begun")

    def _end(self, rest: str, items: list[str | Target | Branch]) -> None:
        """Read what stands behind the last semicolon: labels, and the ends of scopes."""
        text = self._inside_scopes(rest)
        while label := _LABEL.match(text):
            items.append(Target(label[1]))
            text = self._inside_scopes(text[label.end() :])
        if text:
            raise Wrong(f"Parsing error near '{text.split()[0]}': an instruction ends with a semicolon")
        if self._operands.end_scope():
            raise Untranslatable("begins a scope that it does not end")

    def _follow_carry(self, opcode: str) -> None:
        """Refuse to read a carry flag that another statement wrote: compilers need not keep it between two."""
        name, *modifiers = opcode.split(".")
        if name in _CARRY_READERS and not self._has_carry:
            raise Untranslatable(f"'{opcode}' reads the carry flag of another asm statement: make them one statement")
        self._has_carry = self._has_carry or "cc" in modifiers

    def _branch(self, text: str) -> Branch | None:
        """Return the jump that an instruction is, None for any other."""
        match = _INSTRUCTION.fullmatch(text)
        if match is None or match["opcode"] not in ("bra", "bra.uni"):
            return None
        guard = f"({self._operands.register(match['guard'])})" if match["guard"] else ""
        return Branch(match["operands"].strip(), guard, bool(match["negated"]))

    def _instruction(self, text: str) -> str:
        match = _INSTRUCTION.fullmatch(text)
        if match is None:
            raise Untranslatable(f"'{text.split()[0]}' is not translated: it is no instruction of PTX")
        opcode, operands = match["opcode"], split(match["operands"])
        if is_video(opcode):
            parts = [video_operand(operand) for operand in operands]
            opcode, operands = opcode_with_operands(opcode, parts), [part.text for part in parts]
        else:
            opcode, remaining = without_cache_policy(documented_order(opcode), operands)
            operands = list(remaining)
        try:
            expression = self._translated(opcode, operands)
        except Invalid as invalid:
            raise Wrong(str(invalid)) from None
        except Unknown as unknown:
            raise Untranslatable(str(unknown)) from None
        self._follow_carry(opcode)
        if match["guard"] is None:
            return expression
        guard = self._operands.type_of(match["guard"])
        if guard is not None and guard.kind != "predicate":
            raise Wrong(str(Mismatch(opcode)))
        return f"if ({match['negated']}{self._operands.register(match['guard'])}) {expression}"

    def _place(self, form: Form, operand: str) -> str:
        """Return an address as a pointer to the type of a form."""
        if form.space.startswith("shared"):
            return f"(({TYPES[form.kind].cxx}*){self._operands.shared(operand)})"
        return self._operands.address(operand, form.kind)

    def _box(self, form: Form, operand: str) -> str:
        """`[map, {coordinates}]`: the map's address, and the position of a box."""
        match = re.fullmatch(r"\[\s*([^\s,]+)\s*,\s*(\{[^}]*\})\s*\]", operand)
        if match is None or len(elements(match[2])) != form.dimensions:
            raise Untranslatable(f"the tensor map with coordinates {operand} is not translated")
        coordinates = ", ".join(self._operands.value(item, "s32") for item in elements(match[2]))
        return f"(const char*){self._operands.address(f'[{match[1]}]', 'b8')}, {NAMESPACE}box_at({coordinates})"

    def _translated(self, opcode: str, operands: list[str]) -> str:
        matrices = matrix_expression(self._operands, opcode, operands)
        if matrices is not None:
            return matrices
        if opcode.startswith("wmma."):
            raise Untranslatable(f"'{opcode}' is translated in PTX modules alone; here use nvcuda::wmma")
        if opcode.startswith("cp.async.") and not opcode.startswith(_OTHER_COPIES):
            return self._copied(opcode, operands)
        barrier = barrier_of(opcode)
        if barrier is not None and not _is_barrier_0(barrier, operands):
            return self._barrier(barrier, operands)
        form = decode(opcode, len(operands))
        packs = opcode.startswith("mov.") and any(operand.startswith("{") for operand in operands)
        if not packs:
            self._operands.check(form, operands)
        if form.only is not None and [form.only] != operands:
            raise Untranslatable(f"'{opcode}' is translated with the operand {form.only} alone")
        if form.space in ("local", "param") and form.memory != "cvta":
            raise Untranslatable(f"'{opcode}' is not translated because of .{form.space}")
        if form.memory == "cvta":
            return self._converted(form, operands)
        if form.memory:
            return self._memory(form, operands)
        if packs:
            return self._packed(opcode, form.kind, operands)
        if form.do:
            return self._with_fences(form, self._filled(form, form.do, operands))
        if form.packed and form.result == "pred":
            return self._compared_halves(form, operands)
        value = self._filled(form, form.value, operands)
        if TYPES[form.result].cxx != TYPES[form.source].cxx:
            value = f"({TYPES[form.result].cxx})({value})"
        first, separator, second = operands[0].partition("|")
        if not separator:
            return self._with_fences(form, self._operands.put(first, value))
        if "{second}" in form.value:
            return self._operands.put(first, value)
        if not form.second:
            raise Untranslatable(f"'{opcode}' with two results is not translated")
        second_value = self._filled(form, form.second, operands)
        puts = f"{self._operands.put(first, value)}; {self._operands.put(second, 'cuda_shim_second')};"
        return f"({{ const bool cuda_shim_second = {second_value}; {puts} }})"

    def _copied(self, opcode: str, operands: list[str]) -> str:
        """Copy to shared memory at once, so that waiting for it is a no-op."""
        if not copies(opcode, len(operands)):
            return f"{NAMESPACE}copies_are_made()"
        size = self._operands.value(operands[2], "u32")
        given = self._operands.value(operands[3], "u32") if len(operands) > 3 else size
        target, start = self._operands.shared(operands[0]), self._operands.address(operands[1], "b8")
        return f"{NAMESPACE}copy_async<{self._operands.constant(operands[2])}>({target}, {start}, {given})"

    def _barrier(self, barrier: Barrier, operands: list[str]) -> str:
        """Meet at, or arrive at, a barrier with a number."""
        numbers = barrier.numbers(operands)
        try:
            barrier.check([number_of(operand) for operand in numbers])
        except PtxError as error:
            raise Untranslatable(error.reason) from None
        if not barrier.waits and number_of(numbers[0]) == 0:
            # __syncthreads, and barriers 0 of other asm statements, do not count threads that do not wait.
            raise Untranslatable(f"'{barrier.opcode}' at barrier 0 has no counterpart; use another number")
        arguments = [self._operands.value(operand, "u32") for operand in numbers]
        if not barrier.combined:
            return barrier.call(arguments)
        return self._operands.put(operands[0], barrier.call(arguments, self._operands.value(operands[-1], "pred")))

    def _converted(self, form: Form, operands: list[str]) -> str:
        value = self._operands.value(operands[1], form.kind)
        if not form.space.startswith("shared"):
            return self._operands.put(operands[0], value)
        # A pointer to shared memory is its own number there, of which programs may keep 32 bits.
        if not form.to:
            value = f"(unsigned long long){self._operands.shared(operands[1])}"
        return f"CUDA_SHIM_ON_HOSTS({self._operands.put(operands[0], value)})"

    def _memory(self, form: Form, operands: list[str]) -> str:
        access, kind, vector = form.memory, form.kind, form.vector
        function = access_function(form, is_volatile=self._is_volatile)
        if access == "touch":
            return f"(void){self._operands.address(operands[0], 'b8')}"
        registers = elements(operands[0 if access == "load" else 1])
        if len(registers) != vector:
            raise Untranslatable(f"has {len(registers)} registers for a vector of {vector}")
        address = self._place(form, operands[1 if access == "load" else 0])
        lines = []
        for i, register in enumerate(registers):
            if access == "load":
                loaded = f"{function}(cuda_shim_at + {i})" if function else f"cuda_shim_at[{i}]"
                lines.append(f"{self._operands.put(register, loaded)};")
            else:
                value = self._operands.value(register, kind)
                stored = f"{function}(cuda_shim_at + {i}, {value})" if function else f"cuda_shim_at[{i}] = {value}"
                lines.append(f"{stored};")
        return f"({{ {TYPES[kind].cxx}* cuda_shim_at = {address}; {' '.join(lines)}{self._barrier_of_memory()} }})"

    def _barrier_of_memory(self) -> str:
        """Return the C++ behind an asm statement that clobbers memory: compilers move no access over it."""
        return ' asm volatile("" ::: "memory");' if self._clobbers_memory and self._is_volatile else ""

    def _with_fences(self, form: Form, expression: str) -> str:
        """Return an atomic operation with the fences of its order; any other expression as it is."""
        return ", ".join(part for part in (fence_before(form), expression, fence_after(form)) if part)

    def _packed(self, opcode: str, kind: str, operands: list[str]) -> str:
        """mov between one register and two of half its size."""
        half, size = {"b64": ("b32", 32), "b32": ("b16", 16)}.get(kind, ("", 0))
        unpacking = operands[0].startswith("{")
        parts = elements(operands[0 if unpacking else 1])
        if len(parts) != 2 or not half:
            raise Untranslatable(f"'{opcode}' with such a vector is not translated")
        if unpacking:
            source = self._operands.value(operands[1], kind)
            low, high = (self._operands.register(part) for part in parts)
            put = f"{NAMESPACE}put"
            return (
                f"({{ {TYPES[kind].cxx} cuda_shim_whole = {source}; {put}({low}, ({TYPES[half].cxx})cuda_shim_whole); "
                f"{put}({high}, ({TYPES[half].cxx})(cuda_shim_whole >> {size})); }})"
            )
        low, high = (f"({TYPES[kind].cxx}){self._operands.value(part, half)}" for part in parts)
        return f"{NAMESPACE}put({self._operands.register(operands[0])}, {low} | ({high} << {size}))"

    def _compared_halves(self, form: Form, operands: list[str]) -> str:
        """Compare pairs: each half gives one of the predicates `p|q`."""
        targets = [target.strip() for target in operands[0].split("|")]
        results = [self._filled(form, form.value, operands, half=half) for half in range(len(targets))]
        declared = " ".join(f"const bool cuda_shim_half_{half} = {text};" for half, text in enumerate(results))
        puts = " ".join(
            f"{self._operands.put(target, f'cuda_shim_half_{half}')};" for half, target in enumerate(targets)
        )
        return f"({{ {declared} {puts} }})"

    def _filled(self, form: Form, template: str, operands: list[str], *, half: int | None = None) -> str:
        def value(number: int, type_name: str) -> str:
            return self._operands.value(operands[number], type_name.lstrip("*"))

        def address(number: int, kind: str) -> str:
            if kind == "address":
                return self._place(form, operands[number])
            if kind == "shared":
                return self._operands.shared(operands[number])
            if kind == "generic":
                return f"((char*){self._operands.address(operands[number], 'b8')})"
            if kind == "box":
                return self._box(form, operands[number])
            type_name = "u16" if kind == "filter" else form.kind
            items = ", ".join(self._operands.value(item, type_name) for item in elements(operands[number]))
            return f"{NAMESPACE}box_at({items})" if kind == "filter" else items

        def word(name: str) -> str:
            second = operands[0].partition("|")[2].strip()
            if name == "second" and second:
                return self._operands.register(second)
            return _CARRY if name == "carry" else f"{NAMESPACE}nobody()"

        places = Operands(value, address, word, len(operands))
        text = places.fill(form, template) if half is None else places.half(form, template, half)
        return f"CUDA_SHIM_ON_HOSTS({text})" if form.hosts else text


def _is_barrier_0(barrier: Barrier, operands: list[str]) -> bool:
    numbers = barrier.numbers(operands)
    return barrier.is_syncthreads(len(numbers), number_of(numbers[0]) if numbers else None)
