"""A compiler's log as the program's author can read it: without the functions that stand for refused constructs.

The translation replaces a construct that it refuses by a call (`prologue.Needs.refusal`), which compilers report by the
name of that function, with a note and a line of the source that the author never wrote.
"""

from __future__ import annotations

import re

__all__ = ["NAME", "NOT_SUPPORTED", "WRONG", "without_refused_names"]

#: The prefix of the names of those functions.
NAME = "cuda_shim_refused_"
#: The prefix of a refusal's message in the log.
NOT_SUPPORTED = "not supported by cuda_shim: "
#: The prefix of the message about what NVRTC refuses as well, which the log does not show.
WRONG = "nvrtc: "

# Clang: 'name' is unavailable; call to 'name' declared with 'error' attribute. GCC: ‘void name()’ is unavailable.
_MESSAGE = re.compile(rf"error: (?:call to )?['‘](?:void )?{NAME}\w+(?:\(\))?['’][^:]*: ({WRONG})?")
_CALL = re.compile(rf"{NAME}\w+\(\)")
_DIAGNOSTIC = re.compile(r"\S.*?: (?:error|warning|note): ")


def without_refused_names(log: bytes) -> bytes | None:
    """Return a log in which refusals read as errors of their own, and the calls as asm; None if it has none."""
    if NAME.encode() not in log:
        return None
    blocks: list[str] = []
    for block in _blocks(log.decode("utf-8", "surrogateescape")):
        if NAME in block and re.match(r"\S.*?: note: ", block):
            continue  # a note at the function's declaration, which the author did not write
        refusal = _MESSAGE.sub(lambda begin: "error: " if begin[1] else f"error: {NOT_SUPPORTED}", block)
        shown = _CALL.sub(lambda call: "asm(…)".ljust(len(call[0])), refusal)
        if shown not in blocks[-1:]:  # GCC reports a call twice
            blocks.append(shown)
    return "\n".join(blocks).encode("utf-8", "surrogateescape")


def _blocks(log: str) -> list[str]:
    """Return the diagnostics of a log, each with the lines of source below it, and the lines between them."""
    blocks: list[str] = []
    for line in log.split("\n"):
        if blocks and line[:1] == " " and _DIAGNOSTIC.match(blocks[-1]):
            blocks[-1] += f"\n{line}"
        else:
            blocks.append(line)
    return blocks
