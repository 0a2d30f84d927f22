"""Support by one backend of a name that the tables serve: HIP's releases, AMD GPUs' limits, the CPU runtime's gaps."""

from __future__ import annotations

import fnmatch
from functools import cache

from cuda_shim.backends import host
from cuda_shim.backends.releases import came_with
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan.diagnostics import Answer, Verdict

__all__ = ["cpu_reason", "limit_of", "of_function", "rocm_reason", "since"]

_CODES = {"mapped": "CS101", "adapted": "CS102", "provided": "CS103"}
# Adapters that answer success for every status of HIP.
_ALWAYS_ACCEPTED = ("profiler.accepted",)
# hip-python 7.2.2 is made for this release, and no older one is asked for.
_OLDEST = (7, 2)


def of_function(row: FunctionRow) -> Verdict:
    """Return the verdict on a call by its row, for each backend."""
    if row.unsupported:
        return Verdict("CS201", f"{row.name}: {row.unsupported}")
    served = Answer(_CODES[row.support], f"becomes {row.hip}" if row.hip else "served")
    rocm, cpu = _on_rocm(row, served), _on_cpu(row, served)
    if rocm == cpu == served:
        return Verdict(served.code, f"{row.name} -> {row.hip}" if row.hip else row.name)
    return Verdict.apart(row.name, rocm, cpu)


def _on_rocm(row: FunctionRow, served: Answer) -> Answer:
    reason = rocm_reason(row.name)
    if reason is not None:
        return Answer("CS201", reason)
    limits = [text for text in (since(row), limit_of(row.name)) if text]
    return Answer("CS104", f"{served.text}; {'; '.join(limits)}") if limits else served


def _on_cpu(row: FunctionRow, served: Answer) -> Answer:
    reason = cpu_reason(row)
    return served if reason is None else Answer("CS201", reason)


def rocm_reason(name: str) -> str | None:
    """Return why HIP on an AMD GPU cannot serve a call of CUDA's that the tables serve, None where it can."""
    reason: str | None = load_text("amd")["refused"].get(name)
    return reason


def cpu_reason(row: FunctionRow) -> str | None:
    """Return why the CPU runtime does not support a call, by the runtime's own list; None where it does."""
    return None if row.adapter in _ALWAYS_ACCEPTED else _not_supported().get(row.hip or "")


def since(row: FunctionRow, *, older: bool = False) -> str:
    """Return the release of HIP that brought a call's HIP function, nothing where the oldest served release has it.

    An adapter may have another way before that; else the call needs that release. `older` asks for older releases too.
    """
    release = came_with(row.hip or "")
    if release is None or (not older and tuple(map(int, release.split("."))) <= _OLDEST):
        return ""
    return f"{row.hip} came with HIP {release}" if row.adapter else f"{row.hip} needs HIP {release} or newer"


def limit_of(name: str, *, rare: bool = False) -> str:
    """Return how AMD GPUs differ for a name that is served, nothing where there is no such limit.

    Limits that few programs meet are left out unless `rare` asks for them.
    """
    return "; ".join(
        row["text"]
        for row in load_text("amd")["limits"].values()
        if (rare or not row["rare"]) and any(fnmatch.fnmatchcase(name, pattern) for pattern in row["names"])
    )


@cache
def _not_supported() -> dict[str, str]:
    """Return HIP's functions that the CPU runtime has and does not support, each with its reason."""
    return host.unsupported()
