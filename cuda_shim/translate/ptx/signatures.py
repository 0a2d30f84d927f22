"""The types of parameters and results of CUDA C++ functions, for PTX that calls them.

Today's PTX declares a float parameter as `.b32`, like an integer of that size. If PTX and C++ are compiled to host code
separately, the two are passed in different registers, so the C++ declaration decides. The text from nvrtcGetPTX names
the functions as NVIDIA's compiler would, and a link reads them there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from cuda_shim.translate.lexer import IDENTIFIER, Text, Token
from cuda_shim.translate.ptx.module import Function, Parameter
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["Signature", "declared_in", "functions_of", "linked", "texts_of"]

Signature = tuple[str, tuple[str, ...]]
"""The type of a function's result, "" for none, and those of its parameters, as PTX names them."""

_WIDTHS = {
    b"bool": 8, b"char": 8, b"int": 32, b"size_t": 64, b"ptrdiff_t": 64, b"intptr_t": 64, b"uintptr_t": 64,
    **{f"{sign}int{bits}_t".encode(): bits for sign in ("", "u") for bits in (8, 16, 32, 64)},
    b"uchar": 8, b"ushort": 16, b"uint": 32, b"ulong": 64,
}  # fmt: skip
_MAX_TYPE_TOKENS = 32  # tokens
_DECLARED = re.compile(rb"^\.visible \.func (?:\(\.param \.(\w+) \w+\) )?([\w$]+)\(([^()]*)\)", re.MULTILINE)
_PARAMETER = re.compile(rb"\.param \.(\w+)")


def functions_of(source: bytes) -> dict[str, Signature]:
    """Return the functions that a source defines for C's linkage; those whose types are not C's own are left out."""
    tokens = Text(source).tokens if b'"C"' in source else []
    tokens = _without_aliases(tokens)
    functions: dict[str, Signature] = {}
    for index, token in enumerate(tokens):
        if token.text != b'"C"' or not index or tokens[index - 1].text != b"extern":
            continue
        if tokens[index + 1 : index + 2] and tokens[index + 1].text == b"{":
            end = _closing(tokens, index + 1, b"{", b"}")
            functions.update(_declarations(tokens[index + 2 : end]))
        else:
            functions.update(_declarations(tokens[index + 1 :], max_declarations=1))
    return functions


def _without_aliases(tokens: list[Token]) -> list[Token]:
    """Return tokens with names from typedef and using replaced by their types."""
    aliases: dict[bytes, list[Token]] = {}
    replaced: list[Token] = []
    for index, token in enumerate(tokens):
        replaced += aliases.get(token.text, [token]) if token.kind == IDENTIFIER else [token]
        if token.text not in (b"typedef", b"using"):
            continue
        words = tokens[index + 1 : index + 12]
        end = next((number for number, word in enumerate(words) if word.text == b";"), 0)
        if end < 2:
            continue
        name, aliased = (words[0], words[2:end]) if token.text == b"using" else (words[end - 1], words[: end - 1])
        if all(word.kind == IDENTIFIER or word.text in (b"*", b"::") for word in aliased):
            expanded = [other for word in aliased for other in aliases.get(word.text, [word])]
            if len(expanded) <= _MAX_TYPE_TOKENS:  # aliases of aliases could double with each
                aliases[name.text] = expanded
    return replaced


def _declarations(tokens: list[Token], max_declarations: int = 1 << 20) -> Iterable[tuple[str, Signature]]:
    """Yield the functions that are defined at the outermost level, among at most `max_declarations` declarations."""
    begin, index = 0, 0
    while index < len(tokens) and max_declarations:
        text = tokens[index].text
        if text == b"(" and index > begin and tokens[index - 1].kind == IDENTIFIER:
            end = _closing(tokens, index, b"(", b")")
            body = tokens[end + 1 : end + 2]
            if body and body[0].text == b"{" and any(token.text == b"__device__" for token in tokens[begin:index]):
                signature = _signature(tokens[begin : index - 1], tokens[index + 1 : end])
                if signature is not None:
                    yield tokens[index - 1].text.decode("ascii", "replace"), signature
            index = end
        elif text == b"{":
            index = _closing(tokens, index, b"{", b"}")
            begin, max_declarations = index + 1, max_declarations - 1
        elif text == b";":
            begin, max_declarations = index + 1, max_declarations - 1
        index += 1


def _closing(tokens: list[Token], first: int, opening: bytes, closing: bytes) -> int:
    """Return the index of the token that closes the bracket at `first`; the number of tokens if none does."""
    depth = 0
    for index in range(first, len(tokens)):
        depth += (tokens[index].text == opening) - (tokens[index].text == closing)
        if depth == 0:
            return index
    return len(tokens)


def _signature(specifiers: list[Token], parameter_tokens: list[Token]) -> Signature | None:
    result = (
        "" if any(token.text == b"void" for token in specifiers) and not _has_pointer(specifiers) else _type(specifiers)
    )
    parameters: list[list[Token]] = [[]]
    for token in parameter_tokens:
        if token.text == b",":
            parameters.append([])
        else:
            parameters[-1].append(token)
    if len(parameters) == 1 and [token.text for token in parameters[0]] in ([], [b"void"]):
        parameters = []
    types = [_type(parameter) for parameter in parameters]
    if result is None or any(type_ is None for type_ in types):
        return None
    return result, tuple(type_ for type_ in types if type_ is not None)


def _has_pointer(tokens: list[Token]) -> bool:
    return any(token.text in (b"*", b"&", b"[") for token in tokens)


def _type(tokens: list[Token]) -> str | None:
    """Return the type that a declaration of C++ has in PTX; None if it is not one of C's own."""
    if _has_pointer(tokens):
        return "u64"
    words = [token.text for token in tokens if token.kind == IDENTIFIER]
    if len(words) != sum(token.text != b"::" for token in tokens):
        return None
    for name, kind in ((b"float", "f32"), (b"double", "f64")):
        if name in words:
            return kind
    type_name = next((word for word in words if word in _WIDTHS), None)
    if type_name is None and not {b"unsigned", b"signed", b"long", b"short"} & set(words):
        return None
    bits = 64 if b"long" in words else 16 if b"short" in words else _WIDTHS[type_name] if type_name is not None else 32
    # Numbers shorter than a register are passed as one.
    return f"u{max(bits, 32)}"


def texts_of(functions: dict[str, Signature]) -> str:
    """Return the functions as PTX has them; their bodies only stop."""
    texts = []
    for name, (result, types) in sorted(functions.items()):
        result_text = f"(.param .{_ptx_type(result)} func_retval0) " if result else ""
        parameter_text = ", ".join(
            f".param .{_ptx_type(kind)} {name}_param_{index}" for index, kind in enumerate(types)
        )
        texts.append(f"\t// .globl\t{name}\n.visible .func {result_text}{name}({parameter_text})\n{{\n\ttrap;\n}}\n\n")
    return "".join(texts)


def _ptx_type(kind: str) -> str:
    return kind if kind[0] == "f" else f"b{kind[1:]}"


def declared_in(text: bytes) -> dict[str, Signature]:
    """Return the functions that `texts_of` put into a text."""
    functions: dict[str, Signature] = {}
    for result, name, parameters in _DECLARED.findall(text):
        types = [kind.decode() for kind in _PARAMETER.findall(parameters)]
        functions[name.decode()] = (_signature_type(result.decode()), tuple(_signature_type(kind) for kind in types))
    return functions


def _signature_type(kind: str) -> str:
    return f"u{kind[1:]}" if kind.startswith("b") else kind


def linked(function: Function, signature: Signature) -> Function:
    """Return a function that PTX only declares, with the types that its definition in C++ has."""
    result, types = signature
    if len(types) != len(function.parameters) or bool(result) != bool(function.results):
        return function
    return replace(
        function,
        parameters=[_with_type(parameter, kind) for parameter, kind in zip(function.parameters, types, strict=True)],
        results=[_with_type(parameter, result) for parameter in function.results],
    )


def _with_type(parameter: Parameter, kind: str) -> Parameter:
    type_ = TYPES.get(kind)
    fits = parameter.count is None and type_ is not None and type_.bits == parameter.type.bits
    return replace(parameter, type=type_) if fits and type_ is not None else parameter
