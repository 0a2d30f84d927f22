"""PTX modules, in files and in strings, judged by their translation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuda_shim.scan.device_code import Spot
from cuda_shim.scan.diagnostics import Answer, Verdict
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.writer import translate

__all__ = ["find", "is_module"]

_VERSION = re.compile(rb"^\s*\.version\s+\d+\.\d+", re.MULTILINE)
_TARGET = re.compile(rb"^\s*\.target\s+sm_", re.MULTILINE)


def is_module(text: bytes) -> bool:
    """Return whether a text is a PTX module."""
    return _VERSION.search(text) is not None and _TARGET.search(text) is not None


def find(text: bytes) -> Iterator[Spot]:
    """Yield the reasons why a module does not run: the first mistake, or instructions that host cores alone have."""
    try:
        translation = translate(text.decode("utf-8", "replace"))
    except PtxError as error:
        yield _spot(error, Verdict("CS301", f"PTX: {error.reason}"))
        return
    for refusal in translation.hosts_only:
        yield _spot(
            refusal, Verdict.apart("PTX", Answer("CS301", refusal.reason), Answer("CS103", "translated to C++"))
        )


def _spot(error: PtxError, verdict: Verdict) -> Spot:
    return Spot(error.line or 1, error.column or 1, "PTX", verdict)
