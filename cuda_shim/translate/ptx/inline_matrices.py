"""Matrix instructions of inline PTX: mma, ldmatrix, stmatrix and wgmma."""

from __future__ import annotations

from cuda_shim.translate.assembly import Untranslatable
from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.inline_operands import NAMESPACE, InlineOperands, elements, number_of
from cuda_shim.translate.ptx.matrices import LDMATRIX, STMATRIX, Product, product_of
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.warpgroups import IS_NO_OPERATION, REGISTERS_OF_A, warpgroup_product_of

__all__ = ["matrix_expression"]


def matrix_expression(statement: InlineOperands, opcode: str, operands: list[str]) -> str | None:
    """Return the C++ expression of a matrix instruction of a statement; None for any other instruction.

    Raises Untranslatable.
    """
    product = product_of(opcode)
    if product is not None:
        return _mma(statement, product, operands)
    loaded = LDMATRIX.fullmatch(opcode)
    if loaded is not None:
        return _ldmatrix(statement, int(loaded["count"]), bool(loaded["transposed"]), operands)
    stored = STMATRIX.fullmatch(opcode)
    if stored is not None:
        return _stmatrix(statement, int(stored["count"]), bool(stored["transposed"]), operands)
    return _wgmma(statement, opcode, operands) if opcode.startswith("wgmma.") else None


def _mma(statement: InlineOperands, product: Product, operands: list[str]) -> str:
    """Multiply matrices: registers of a, b and c go as words, those of d are written back."""
    d, a, b, c = ([elements(operand) for operand in operands] + [[]] * 4)[:4]
    if tuple(len(part) for part in (d, a, b, c)) != product.counts or len(operands) != 4:
        raise Mismatch("mma")
    word = TYPES[product.word.replace("b", "u")].cxx
    of_factors = "f64" if product.c == "f64" else product.word
    parts = {
        name: ", ".join(f"{NAMESPACE}as<{word}>({statement.value(register, kind)})" for register in registers)
        for name, registers, kind in (("a", a, of_factors), ("b", b, of_factors), ("c", c, product.c))
    }
    declarations = [f"{word} cuda_shim_{name}[] = {{{words}}};" for name, words in parts.items()]
    result = TYPES[product.d].cxx
    puts = [statement.put(register, f"{NAMESPACE}as<{result}>(cuda_shim_d[{i}])") + ";" for i, register in enumerate(d)]
    return (
        f"({{ {' '.join(declarations)} {word} cuda_shim_d[{len(d)}] = {{}}; "
        f"{NAMESPACE}mma<{product.arguments()}>(cuda_shim_a, cuda_shim_b, cuda_shim_c, cuda_shim_d); "
        f"{' '.join(puts)} }})"
    )


def _ldmatrix(statement: InlineOperands, count: int, transposed: bool, operands: list[str]) -> str:
    """Load matrices of 8 x 8 elements of 16 bits, whose rows the lanes name."""
    registers = elements(operands[0])
    if len(registers) != count or len(operands) != 2:
        raise Mismatch("ldmatrix")
    puts = " ".join(statement.put(register, f"cuda_shim_words[{i}]") + ";" for i, register in enumerate(registers))
    load = f"{NAMESPACE}load_matrices<{count}, {'true' if transposed else 'false'}>"
    return (
        f"({{ unsigned cuda_shim_words[{count}]; {load}({statement.shared(operands[1])}, cuda_shim_words); {puts} }})"
    )


def _stmatrix(statement: InlineOperands, count: int, transposed: bool, operands: list[str]) -> str:
    """Store matrices of 8 x 8 elements of 16 bits, whose rows the lanes name."""
    registers = elements(operands[1]) if len(operands) == 2 else []
    if len(registers) != count:
        raise Mismatch("stmatrix")
    words = ", ".join(statement.value(register, "b32") for register in registers)
    store = f"{NAMESPACE}store_matrices<{count}, {'true' if transposed else 'false'}>"
    call = f"{store}({statement.shared(operands[0])}, cuda_shim_words);"
    return f"({{ const unsigned cuda_shim_words[] = {{{words}}}; {call} }})"


def _wgmma(statement: InlineOperands, opcode: str, operands: list[str]) -> str:
    """Multiply matrices of a warpgroup: the registers of d are words that are read and written."""
    if IS_NO_OPERATION.fullmatch(opcode):
        return "(void)0"
    product = warpgroup_product_of(opcode)
    if product is None:
        raise Untranslatable(f"'{opcode}' is not translated in this form")
    if len(operands) < 4:
        raise Mismatch(opcode)
    d, a = (elements(operand) for operand in operands[:2])
    in_registers = operands[1].startswith("{")
    if len(d) != product.count or (in_registers and len(a) != REGISTERS_OF_A):
        raise Mismatch(opcode)
    try:
        flags = product.flags([number_of(operand) for operand in operands[4:]], in_registers=in_registers)
    except PtxError as error:
        raise Untranslatable(error.reason) from None
    words = ", ".join(f"{NAMESPACE}as<unsigned>({statement.value(register, product.d)})" for register in d)
    lines = [f"unsigned cuda_shim_d[] = {{{words}}};"]
    if in_registers:
        lines.append(f"const unsigned cuda_shim_a[] = {{{', '.join(statement.value(item, 'b32') for item in a)}}};")
    left = "0" if in_registers else statement.value(operands[1], "u64")
    pointer = "cuda_shim_a" if in_registers else "nullptr"
    descriptors = left, statement.value(operands[2], "u64")
    lines.append(product.call(pointer, descriptors, flags, statement.value(operands[3], "pred")))
    result = TYPES[product.d].cxx
    lines += [
        statement.put(register, f"{NAMESPACE}as<{result}>(cuda_shim_d[{i}])") + ";" for i, register in enumerate(d)
    ]
    return f"CUDA_SHIM_ON_HOSTS(({{ {' '.join(lines)} }}))"
