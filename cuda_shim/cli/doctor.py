"""``python -m cuda_shim doctor``: a table for people, JSON for machines, exit status 1 if unusable."""

from __future__ import annotations

import json
import sys

from cuda_shim.errors import ShimError

from .findings import Finding, find

__all__ = ["doctor"]

USAGE = """\
usage: python -m cuda_shim doctor [--json] [--build] [--kernels]

Tell what was found on this machine: Python, hip-python, HIP libraries, devices, compiler, the CUDA version
served and why, settings, and conflicts.  Exit status 1 if CUDA programs cannot run here.

  --json     one JSON document
  --build    build the CPU runtime first, unless it is there already: the first program need not wait for it
  --kernels  tell of each kernel in the CPU runtime's cache how its threads are run, and why where that is slow
"""

_OPTIONS = ("--json", "--build", "--kernels")


def doctor(arguments: list[str]) -> int:
    """Print the report and return the exit status."""
    if arguments in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    unknown = [word for word in arguments if word not in _OPTIONS]
    if unknown:
        said = f"unknown option {unknown[0]}; the options are {', '.join(_OPTIONS)}"
        print(f"cuda_shim: doctor: {said}", file=sys.stderr)
        return 2
    failed = _build() if "--build" in arguments else []
    kernels = _kernels() if "--kernels" in arguments else []
    findings = [*find(), *failed, *kernels]
    problems = [item for item in findings if item.state == "problem"]
    if "--json" in arguments:
        print(json.dumps(_document(findings, problems), indent=2))
    else:
        _print_table(findings)
        print(_verdict(problems))
    return 1 if problems else 0


def _build() -> list[Finding]:
    """Build the CPU runtime; what went wrong, if anything did."""
    from cuda_shim.backends.cpu import build

    try:
        build.ensure_libraries()
    except ShimError as error:
        print(f"cuda_shim: doctor: {error}", file=sys.stderr)  # with the compiler's own words
        return [Finding("hip", "cpu build", str(error).splitlines()[0], "problem")]
    return []


def _kernels() -> list[Finding]:
    """A finding for each name of a cached kernel: its forms, a note where one of them is fibres."""
    from cuda_shim.backends.cpu.cached_kernels import cached_kernels

    try:
        found = cached_kernels()
    except ShimError as error:
        return [Finding("kernels", "cache", str(error), "problem")]
    forms: dict[str, dict[str, bool]] = {}
    for kernel in found:
        said = f"{kernel.form}: {kernel.reason}" if kernel.reason else kernel.form
        forms.setdefault(kernel.name, {})[said] = bool(kernel.reason)
    return [
        Finding("kernels", name, "; ".join(said), "note" if any(said.values()) else "ok")
        for name, said in sorted(forms.items())
    ] or [Finding("kernels", "cache", "holds none yet")]


def _document(findings: list[Finding], problems: list[Finding]) -> dict[str, object]:
    sections: dict[str, dict[str, dict[str, str]]] = {}
    for item in findings:
        sections.setdefault(item.section, {})[item.name] = {"value": item.value, "state": item.state}
    return {
        "usable": not problems,
        "problems": [f"{item.name}: {item.value}" for item in problems],
        **sections,
    }


def _verdict(problems: list[Finding]) -> str:
    if not problems:
        return "CUDA programs can run here."
    return f"CUDA programs cannot run here; see what is marked problem ({len(problems)})."


def _print_table(findings: list[Finding]) -> None:
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        _print_plain(findings)
        return
    colours = {"ok": "", "note": "yellow", "problem": "bold red"}
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for item in _with_headings(findings):
        if isinstance(item, str):
            table.add_row(Text(item, "bold"))
        else:
            value = Text(item.value, colours[item.state], overflow="fold")
            table.add_row(Text(f"  {item.name}"), Text(_mark(item)), value)
    Console().print(table)


def _print_plain(findings: list[Finding]) -> None:
    width = max(len(item.name) for item in findings)
    for item in _with_headings(findings):
        print(item if isinstance(item, str) else f"  {item.name:{width}}  {_mark(item):7}  {item.value}")


def _with_headings(findings: list[Finding]) -> list[Finding | str]:
    lines: list[Finding | str] = []
    section = ""
    for item in findings:
        if item.section != section:
            section = item.section
            lines.append(section)
        lines.append(item)
    return lines


def _mark(item: Finding) -> str:
    return "" if item.state == "ok" else item.state
