"""Judges the output of a program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cuda_shim.verify.compare import compare_lines
from cuda_shim.verify.launches import Program
from cuda_shim.verify.outcome import DIFFERS, FAILED, REFUSED, RIGHT, Outcome
from cuda_shim.verify.worker import MAX_DETAILS

__all__ = ["judged"]

_REFUSAL = re.compile(r"cuda_shim: (\w+) is not supported: (.+)")
_IMAGES = re.compile(r"\w*(Array|Tex|Surf|Mipmap)\w*[ :].*(CUDA_ERROR_NOT_SUPPORTED|cudaErrorNotSupported)")


def judged(
    program: Program,
    subject: str,
    lines: Sequence[str],
    notices: str,
    ending: str,
    seconds: float,
    has_images: bool = True,
) -> Outcome:
    """Return the outcome of a program.

    Args:
        program: the program with its recorded lines.
        subject: the heading under which it is counted.
        lines: its output here.
        notices: its output on stderr.
        ending: the abnormal end, empty after a normal one.
        seconds: the duration.
        has_images: True if the device has textures and surfaces.
    """
    compared = compare_lines(program.lines, lines, program.documented)
    details = tuple(f"recorded {theirs!r}, here {ours!r}" for theirs, ours in compared.wrong[:MAX_DETAILS])
    refusal = _refusal(compared.wrong, notices, has_images)
    if refusal:
        # Lines behind a refused call differ because of it.
        return Outcome(program.name, subject, REFUSED, refusal, details, seconds)
    if ending:
        return Outcome(program.name, subject, FAILED, ending, details, seconds)
    if details:
        reason = f"{len(compared.wrong)} of {len(program.lines)} lines differ; {details[0]}"
        return Outcome(program.name, subject, DIFFERS, reason, details, seconds)
    reason = f"{len(compared.documented)} lines differ as documented" if compared.documented else ""
    documented = tuple(f"recorded {theirs!r}, here {ours!r}: {why}" for theirs, ours, why in compared.documented)
    return Outcome(program.name, subject, RIGHT, reason, documented[:MAX_DETAILS], seconds)


def _refusal(wrong: Sequence[tuple[str, str]], notices: str, has_images: bool) -> str:
    """Return why the first call with another answer is refused; empty where no message refuses it."""
    if not wrong:
        return ""
    line = wrong[0][1]
    name = re.split(r"[ :]", line, maxsplit=1)[0]
    reasons = dict(_REFUSAL.findall(notices))
    if name in reasons:
        return f"{name}: {reasons[name]}"
    return f"{name}: the device has no image units" if not has_images and _IMAGES.match(line) else ""
