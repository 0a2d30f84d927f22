"""Inline PTX as C++: by the instructions of tables/ptx.yaml.

A statement becomes one expression, which fits in every place of an asm statement; its branches become loops and ifs
inside it. Registers are C++ variables; `cuda_shim/ptx.h` converts between the types that PTX sees in the same bits.
"""

from __future__ import annotations

import re

from cuda_shim.translate.assembly import Statement, Untranslatable
from cuda_shim.translate.ptx.barriers import Barrier, barrier_of
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.inline_branches import Branch, Target, with_branches
from cuda_shim.translate.ptx.instructions import Form, Operands, Unknown, form_of, special, without_cache_policy
from cuda_shim.translate.ptx.matrices import LDMATRIX, STMATRIX, Product, product_of
from cuda_shim.translate.ptx.opcode_order import documented_order
from cuda_shim.translate.ptx.token_cursor import decimal
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.video import is_video, opcode_with_operands, video_operand
from cuda_shim.translate.ptx.warpgroups import IS_NO_OPERATION, REGISTERS_OF_A, warpgroup_product_of

__all__ = ["to_expression"]

_NAMESPACE = "cuda_shim_ptx::"
# Instructions of AMD's own assembler, which portable sources keep beside PTX.
_AMD = re.compile(r"\s*(s|v|ds|buffer|global|flat|tbuffer|image|scratch)_")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_INSTRUCTION = re.compile(
    r"(?:@(?P<negated>!?)(?P<guard>[%\w]+)\s+)?(?P<opcode>[a-z][\w.:]*)\s*(?P<operands>.*)", re.DOTALL
)
_LABEL = re.compile(r"([\w$%=]+)\s*:(?!:)")
_REGISTERS = re.compile(r"\.reg\s*(?:\.v\d\s*)?\.(?P<type>\w+)\s+(?P<names>.+)", re.DOTALL)
_DIRECTIVES_WITH_NUMBERS = re.compile(r"(%?\w+)<(\d+)>")
_NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)U?")
_FLOAT = re.compile(r"-?\d+\.\d*([eE][+-]?\d+)?|-?\d+[eE][+-]?\d+")
_BITS = re.compile(r"0([fFdD])([0-9a-fA-F]{8}(?:[0-9a-fA-F]{8})?)")
_CARRY = "cuda_shim_carry"
_CARRY_READERS = ("addc", "subc", "madc")
_MAX_REGISTERS = 65536


# Copies to shared memory that a GPU makes by itself.
_COPY_ASYNC = re.compile(r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::\w+)*")
_COPY_WAITS = ("cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all")


def to_expression(statement: Statement) -> str | None:
    """Return the C++ expression for an asm statement; None for one that may stay as it is.

    Raises Untranslatable with the reason, the instruction named.
    """
    template = _COMMENT.sub(" ", statement.template).strip()
    if not template or _AMD.match(template):
        return None
    return _Translator(statement).expression(template)


class _Translator:
    """The translation of one statement; knows its operands and the registers that it declares."""

    def __init__(self, statement: Statement) -> None:
        self._operands = statement.operands
        self._names = statement.names
        self._registers: dict[str, str] = {}
        self._has_carry = False

    def expression(self, template: str) -> str:
        declarations: list[str] = []
        items: list[str | Target | Branch] = []
        for part in template.split(";"):
            text = self._without_scope(part)
            while label := _LABEL.match(text):
                items.append(Target(label[1]))
                text = self._without_scope(text[label.end() :])
            if not text:
                continue
            registers = _REGISTERS.fullmatch(text)
            if registers is not None:
                declarations.append(self._declare(registers["type"], registers["names"]))
            else:
                items.append(self._branch(text) or self._instruction(text))
        expressions = [item for item in items if isinstance(item, str)]
        if any(_CARRY in line for line in expressions):
            declarations.append(f"unsigned {_CARRY} = 0")
        if len(expressions) < len(items):
            return "({ " + " ".join(with_branches(declarations, items)) + " })"
        if not declarations and len(expressions) == 1 and not expressions[0].startswith("if "):
            return f"({expressions[0]})"
        return "({ " + " ".join(f"{line};" for line in declarations + expressions) + " })"

    def _without_scope(self, part: str) -> str:
        """Return an instruction without the braces of scopes around it; those of vectors stay."""
        text = part.lstrip("{} \t\r\n\f\v").rstrip()
        if text.count("}") > text.count("{"):
            text = text.removesuffix("}").strip()
        return text

    def _follow_carry(self, opcode: str) -> None:
        """Refuse to read a carry flag that another statement wrote: compilers need not keep it between two."""
        name, *modifiers = opcode.split(".")
        if name in _CARRY_READERS and not self._has_carry:
            raise Untranslatable(f"'{opcode}' reads the carry flag of another asm statement: make them one statement")
        self._has_carry = self._has_carry or "cc" in modifiers

    def _declare(self, kind: str, names: str) -> str:
        if kind not in TYPES or TYPES[kind].kind == "packed":
            raise Untranslatable(f"declares registers of type .{kind}, which are not translated")
        register_names: list[str] = []
        for name in (name.strip() for name in names.split(",")):
            numbered = _DIRECTIVES_WITH_NUMBERS.fullmatch(name)
            if numbered is not None and decimal(numbered[2]) > _MAX_REGISTERS:
                raise Untranslatable(f"declares more than {_MAX_REGISTERS} registers")
            register_names += [f"{numbered[1]}{i}" for i in range(int(numbered[2]))] if numbered else [name]
        for name in register_names:
            self._registers[name] = "cuda_shim_r_" + re.sub(r"\W", "_", name)
        return f"{TYPES[kind].cxx} " + ", ".join(self._registers[name] for name in register_names)

    def _branch(self, text: str) -> Branch | None:
        """Return the jump that an instruction is, None for any other."""
        match = _INSTRUCTION.fullmatch(text)
        if match is None or match["opcode"] not in ("bra", "bra.uni"):
            return None
        guard = f"({self._register(match['guard'])})" if match["guard"] else ""
        return Branch(match["operands"].strip(), guard, bool(match["negated"]))

    def _instruction(self, text: str) -> str:
        match = _INSTRUCTION.fullmatch(text)
        if match is None:
            raise Untranslatable(f"'{text.split()[0]}' is not translated: it is no instruction of PTX")
        opcode, operands = match["opcode"], _split(match["operands"])
        if is_video(opcode):
            parts = [video_operand(operand) for operand in operands]
            opcode, operands = opcode_with_operands(opcode, parts), [part.text for part in parts]
        else:
            opcode, remaining = without_cache_policy(documented_order(opcode), operands)
            operands = list(remaining)
        self._follow_carry(opcode)
        try:
            expression = self._translated(opcode, operands)
        except IndexError:
            raise Untranslatable(f"'{opcode}' has too few operands") from None
        if match["guard"] is None:
            return expression
        return f"if ({match['negated']}{self._register(match['guard'])}) {expression}"

    def _mma(self, product: Product, operands: list[str]) -> str:
        """Multiply matrices: registers of a, b and c go as words, those of d are written back."""
        d, a, b, c = ([_elements(operand) for operand in operands] + [[]] * 4)[:4]
        if tuple(len(part) for part in (d, a, b, c)) != product.counts or len(operands) != 4:
            raise Untranslatable("'mma.sync' has a wrong number of registers for tensor cores")
        word = TYPES[product.word.replace("b", "u")].cxx
        of_factors = "f64" if product.c == "f64" else product.word
        parts = {
            name: ", ".join(f"{_NAMESPACE}as<{word}>({self._value(register, kind)})" for register in registers)
            for name, registers, kind in (("a", a, of_factors), ("b", b, of_factors), ("c", c, product.c))
        }
        declarations = [f"{word} cuda_shim_{name}[] = {{{words}}};" for name, words in parts.items()]
        result = TYPES[product.d].cxx
        puts = [
            self._put(register, f"{_NAMESPACE}as<{result}>(cuda_shim_d[{i}])") + ";" for i, register in enumerate(d)
        ]
        return (
            f"({{ {' '.join(declarations)} {word} cuda_shim_d[{len(d)}] = {{}}; "
            f"{_NAMESPACE}mma<{product.arguments()}>(cuda_shim_a, cuda_shim_b, cuda_shim_c, cuda_shim_d); "
            f"{' '.join(puts)} }})"
        )

    def _ldmatrix(self, count: int, transposed: bool, operands: list[str]) -> str:
        """Load matrices of 8 x 8 elements of 16 bits, whose rows the lanes name."""
        registers = _elements(operands[0])
        if len(registers) != count or len(operands) != 2:
            raise Untranslatable("'ldmatrix' has a wrong number of registers for tensor cores")
        puts = " ".join(self._put(register, f"cuda_shim_words[{i}]") + ";" for i, register in enumerate(registers))
        load = f"{_NAMESPACE}load_matrices<{count}, {'true' if transposed else 'false'}>"
        return (
            f"({{ unsigned cuda_shim_words[{count}]; {load}({self._shared(operands[1])}, cuda_shim_words); {puts} }})"
        )

    def _stmatrix(self, count: int, transposed: bool, operands: list[str]) -> str:
        """Store matrices of 8 x 8 elements of 16 bits, whose rows the lanes name."""
        registers = _elements(operands[1]) if len(operands) == 2 else []
        if len(registers) != count:
            raise Untranslatable("'stmatrix' has a wrong number of registers for tensor cores")
        words = ", ".join(self._value(register, "b32") for register in registers)
        store = f"{_NAMESPACE}store_matrices<{count}, {'true' if transposed else 'false'}>"
        call = f"{store}({self._shared(operands[0])}, cuda_shim_words);"
        return f"({{ const unsigned cuda_shim_words[] = {{{words}}}; {call} }})"

    def _wgmma(self, opcode: str, operands: list[str]) -> str:
        """Multiply matrices of a warpgroup: the registers of d are words that are read and written."""
        if IS_NO_OPERATION.fullmatch(opcode):
            return "(void)0"
        product = warpgroup_product_of(opcode)
        if product is None:
            raise Untranslatable(f"'{opcode}' is not translated in this form")
        d, a = (_elements(operand) for operand in operands[:2])
        in_registers = operands[1].startswith("{")
        if len(d) != product.count or (in_registers and len(a) != REGISTERS_OF_A):
            raise Untranslatable(f"'{opcode}' has a wrong number of registers for tensor cores")
        try:
            flags = product.flags([_number(operand) for operand in operands[4:]], in_registers=in_registers)
        except PtxError as error:
            raise Untranslatable(error.reason) from None
        words = ", ".join(f"{_NAMESPACE}as<unsigned>({self._value(register, product.d)})" for register in d)
        lines = [f"unsigned cuda_shim_d[] = {{{words}}};"]
        if in_registers:
            lines.append(f"const unsigned cuda_shim_a[] = {{{', '.join(self._value(item, 'b32') for item in a)}}};")
        left = "0" if in_registers else self._value(operands[1], "u64")
        pointer = "cuda_shim_a" if in_registers else "nullptr"
        descriptors = left, self._value(operands[2], "u64")
        lines.append(product.call(pointer, descriptors, flags, self._value(operands[3], "pred")))
        result = TYPES[product.d].cxx
        lines += [
            self._put(register, f"{_NAMESPACE}as<{result}>(cuda_shim_d[{i}])") + ";" for i, register in enumerate(d)
        ]
        return f"CUDA_SHIM_ON_HOSTS(({{ {' '.join(lines)} }}))"

    def _place(self, form: Form, operand: str) -> str:
        """Return an address as a pointer to the type of a form."""
        if form.space.startswith("shared"):
            return f"(({TYPES[form.kind].cxx}*){self._shared(operand)})"
        return self._address(operand, form.kind)

    def _box(self, form: Form, operand: str) -> str:
        """`[map, {coordinates}]`: the map's address, and the position of a box."""
        match = re.fullmatch(r"\[\s*([^\s,]+)\s*,\s*(\{[^}]*\})\s*\]", operand)
        if match is None or len(_elements(match[2])) != form.dimensions:
            raise Untranslatable(f"the tensor map with coordinates {operand} is not translated")
        coordinates = ", ".join(self._value(item, "s32") for item in _elements(match[2]))
        return f"(const char*){self._address(f'[{match[1]}]', 'b8')}, {_NAMESPACE}box_at({coordinates})"

    def _shared(self, operand: str) -> str:
        """`[register + offset]`, an address of shared memory, as a pointer; programs keep 32 bits of it.

        Such an address may be the value of an operand as well.
        """
        match = re.fullmatch(r"\[?\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+)\s*)?\]?", operand)
        if match is None or (match[2] and not _NUMBER.fullmatch(match[2])):
            raise Untranslatable(f"the address {operand} is not translated")
        return f"{_NAMESPACE}shared_place({self._register(match[1])}, {match[2] or 0})"

    def _translated(self, opcode: str, operands: list[str]) -> str:
        product = product_of(opcode)
        if product is not None:
            return self._mma(product, operands)
        matrices = LDMATRIX.fullmatch(opcode)
        if matrices is not None:
            return self._ldmatrix(int(matrices["count"]), bool(matrices["transposed"]), operands)
        stored = STMATRIX.fullmatch(opcode)
        if stored is not None:
            return self._stmatrix(int(stored["count"]), bool(stored["transposed"]), operands)
        if opcode.startswith("wgmma."):
            return self._wgmma(opcode, operands)
        if opcode.startswith("wmma."):
            raise Untranslatable(f"'{opcode}' is translated in PTX modules alone; here use nvcuda::wmma")
        if _COPY_ASYNC.fullmatch(opcode):
            size = self._value(operands[3], "u32") if len(operands) > 3 else operands[2]
            target, start = self._shared(operands[0]), self._address(operands[1], "b8")
            return f"{_NAMESPACE}copy_async<{operands[2]}>({target}, {start}, {size})"
        if opcode in _COPY_WAITS:
            return f"{_NAMESPACE}copies_are_made()"
        barrier = barrier_of(opcode)
        if barrier is not None and not _is_barrier_0(barrier, operands):
            return self._barrier(barrier, operands)
        try:
            form = form_of(opcode)
        except Unknown as unknown:
            raise Untranslatable(str(unknown)) from None
        if form.operands is not None and [form.operands] != operands:
            raise Untranslatable(f"'{opcode}' is translated with the operand {form.operands} alone")
        if form.space in ("local", "param") and form.memory != "cvta":
            raise Untranslatable(f"'{opcode}' is not translated because of .{form.space}")
        if form.memory == "cvta":
            return self._converted(opcode, form, operands)
        if form.memory:
            return self._memory(form, operands)
        if opcode.startswith("mov.") and any(operand.startswith("{") for operand in operands):
            return self._packed(opcode, form.kind, operands)
        if form.do:
            return self._filled(form, form.do, operands)
        value = self._filled(form, form.value, operands)
        if TYPES[form.result].cxx != TYPES[form.source].cxx:
            value = f"({TYPES[form.result].cxx})({value})"
        first, separator, second = operands[0].partition("|")
        if not separator:
            return self._put(first, value)
        if not form.second:
            raise Untranslatable(f"'{opcode}' with two results is not translated")
        second_value = self._filled(form, form.second, operands)
        puts = f"{self._put(first, value)}; {self._put(second, 'cuda_shim_second')};"
        return f"({{ const bool cuda_shim_second = {second_value}; {puts} }})"

    def _barrier(self, barrier: Barrier, operands: list[str]) -> str:
        """Meet at, or arrive at, a barrier with a number."""
        numbers = barrier.numbers(operands)
        try:
            barrier.check([_number(operand) for operand in numbers])
        except PtxError as error:
            raise Untranslatable(error.reason) from None
        if not barrier.waits and _number(numbers[0]) == 0:
            # __syncthreads, and barriers 0 of other asm statements, do not count threads that do not wait.
            raise Untranslatable(f"'{barrier.opcode}' at barrier 0 has no counterpart; use another number")
        arguments = [self._value(operand, "u32") for operand in numbers]
        if not barrier.combined:
            return barrier.call(arguments)
        return self._put(operands[0], barrier.call(arguments, self._value(operands[-1], "pred")))

    def _put(self, register: str, value: str) -> str:
        register = register.strip()
        return f"(void)({value})" if register == "_" else f"{_NAMESPACE}put({self._register(register)}, {value})"

    def _converted(self, opcode: str, form: Form, operands: list[str]) -> str:
        if form.space == "shared":
            raise Untranslatable(f"'{opcode}': addresses of shared memory are no numbers here; keep the pointer")
        return self._put(operands[0], self._value(operands[1], form.kind))

    def _memory(self, form: Form, operands: list[str]) -> str:
        access, kind, vector = form.memory, form.kind, form.vector
        if access == "touch":
            return f"(void){self._address(operands[0], 'b8')}"
        is_volatile = form.order == "volatile" or (form.order != "" and form.space.startswith("shared"))
        pointer = f"{'volatile ' if is_volatile else ''}{TYPES[kind].cxx}*"
        registers = _elements(operands[0 if access == "load" else 1])
        if len(registers) != vector:
            raise Untranslatable(f"has {len(registers)} registers for a vector of {vector}")
        address = self._place(form, operands[1 if access == "load" else 0])
        lines = []
        for i, register in enumerate(registers):
            if access == "load":
                lines.append(f"{_NAMESPACE}put({self._register(register)}, cuda_shim_at[{i}]);")
            else:
                lines.append(f"cuda_shim_at[{i}] = {self._value(register, kind)};")
        return f"({{ {pointer} cuda_shim_at = {address}; {' '.join(lines)} }})"

    def _packed(self, opcode: str, kind: str, operands: list[str]) -> str:
        """mov between one register and two of half its size."""
        half, size = {"b64": ("b32", 32), "b32": ("b16", 16)}.get(kind, ("", 0))
        unpacking = operands[0].startswith("{")
        parts = _elements(operands[0 if unpacking else 1])
        if len(parts) != 2 or not half:
            raise Untranslatable(f"'{opcode}' with such a vector is not translated")
        if unpacking:
            source = self._value(operands[1], kind)
            low, high = (self._register(part) for part in parts)
            put = f"{_NAMESPACE}put"
            return (
                f"({{ {TYPES[kind].cxx} cuda_shim_whole = {source}; {put}({low}, ({TYPES[half].cxx})cuda_shim_whole); "
                f"{put}({high}, ({TYPES[half].cxx})(cuda_shim_whole >> {size})); }})"
            )
        low, high = (f"({TYPES[kind].cxx}){self._value(part, half)}" for part in parts)
        return f"{_NAMESPACE}put({self._register(operands[0])}, {low} | ({high} << {size}))"

    def _filled(self, form: Form, template: str, operands: list[str]) -> str:
        def value(number: int, type_name: str) -> str:
            return self._value(operands[number], type_name.lstrip("*"))

        def address(number: int, kind: str) -> str:
            if kind == "address":
                return self._place(form, operands[number])
            if kind == "shared":
                return self._shared(operands[number])
            if kind == "generic":
                return f"((char*){self._address(operands[number], 'b8')})"
            if kind == "box":
                return self._box(form, operands[number])
            type_name = "u16" if kind == "filter" else form.kind
            items = ", ".join(self._value(item, type_name) for item in _elements(operands[number]))
            return f"{_NAMESPACE}box_at({items})" if kind == "filter" else items

        def word(name: str) -> str:
            second = operands[0].partition("|")[2].strip()
            if name == "second" and second:
                return self._register(second)
            return _CARRY if name == "carry" else f"{_NAMESPACE}nobody()"

        text = Operands(value, address, word, len(operands)).fill(form, template)
        return f"CUDA_SHIM_ON_HOSTS({text})" if form.hosts else text

    def _value(self, operand: str, kind: str) -> str:
        """Return an operand as a value of a PTX type."""
        if kind not in TYPES:
            raise Untranslatable(f"'{operand}' as a {kind} is not translated")
        if operand.startswith("!"):
            return f"!{self._value(operand[1:].strip(), kind)}"
        bits = _BITS.fullmatch(operand)
        if bits is not None:
            float_type = "float" if bits[1] in "fF" else "double"
            literal = f"0x{bits[2]}{'u' if float_type == 'float' else 'ull'}"
            return f"{_NAMESPACE}as<{TYPES[kind].cxx}>({_NAMESPACE}as<{float_type}>({literal}))"
        if _NUMBER.fullmatch(operand) or _FLOAT.fullmatch(operand):
            return f"({TYPES[kind].cxx}){operand.rstrip('U')}"
        return f"{_NAMESPACE}as<{TYPES[kind].cxx}>({self._register(operand)})"

    def _address(self, operand: str, kind: str) -> str:
        """`[register + offset]` as a pointer to a PTX type."""
        match = re.fullmatch(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+)\s*)?\]", operand)
        if match is None or (match[2] and not (_NUMBER.fullmatch(match[2]) or match[2] in self._registers)):
            raise Untranslatable(f"the address {operand} is not translated")
        return f"{_NAMESPACE}at<{TYPES[kind].cxx}>({self._register(match[1])}, {match[2] or 0})"

    def _register(self, name: str) -> str:
        """Return the C++ expression of a register: an operand, one that is declared, or a special one."""
        numbered = re.fullmatch(r"%(\d+)", name)
        if numbered is not None:
            return self._operands[decimal(numbered[1])]
        symbolic = re.fullmatch(r"%\[(\w+)\]", name)
        if symbolic is not None and symbolic[1] in self._names:
            return self._operands[self._names[symbolic[1]]]
        if name in self._registers:
            return self._registers[name]
        # A percent sign is doubled if the statement has operands.
        text = special(name.lstrip("%")) if name.startswith("%") else None
        if text is None:
            raise Untranslatable(f"'{name}' is not translated")
        return text


def _number(operand: str) -> int | None:
    """Return the value of an integer literal, None for a register."""
    if not _NUMBER.fullmatch(operand):
        return None
    text = operand.rstrip("U").lower()
    return int(text, 16) if "x" in text else decimal(text.lstrip("-")) * (-1 if text.startswith("-") else 1)


def _is_barrier_0(barrier: Barrier, operands: list[str]) -> bool:
    numbers = barrier.numbers(operands)
    return barrier.is_syncthreads(len(numbers), _number(numbers[0]) if numbers else None)


def _split(text: str) -> list[str]:
    """Return operands at the commas outside all brackets."""
    parts: list[str] = []
    depth, begin = 0, 0
    for index, character in enumerate(text):
        if character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[begin:index].strip())
            begin = index + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def _elements(operand: str) -> list[str]:
    """Return the registers of a vector; a single one is a vector of one."""
    return _split(operand[1:-1]) if operand.startswith("{") else [operand]
