"""``python -m cuda_shim doctor``: a table for people, JSON for machines, exit status 1 if unusable."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap

from cuda_shim import settings
from cuda_shim.cli.findings import Finding, find
from cuda_shim.errors import SettingError, ShimError

__all__ = ["doctor"]

USAGE = """\
usage: python -m cuda_shim doctor [--json] [--kernels]

Report what was found on this machine: Python, hip-python, HIP libraries, devices, compiler, the CUDA version
served and why, settings, and conflicts.  What it says works was tried: the cache is written, a kernel compiled and
run; the CPU runtime is built for that, if it is needed and not there, so that the first program need not wait.
Exit status 1 if CUDA programs cannot run here.

  --json     one JSON document
  --kernels  show for each kernel in the CPU runtime's cache how its threads are run, and why where that is slow
"""

_OPTIONS = ("--json", "--kernels")


def doctor(arguments: list[str]) -> int:
    """Print the report and return the exit status."""
    if arguments in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    unknown = [word for word in arguments if word not in _OPTIONS]
    if unknown:
        raise SettingError(f"unknown option {unknown[0]}; the options are {', '.join(_OPTIONS)}")
    kernels = _kernels() if "--kernels" in arguments else []  # before one of ours is among them
    findings = [*find(), *kernels]
    problems = [item for item in findings if item.state == "problem"]
    if "--json" in arguments:
        print(json.dumps(_document(findings, problems), indent=2))
    else:
        _print_lines(findings)
        print(_verdict(problems))
    return 1 if problems else 0


def _kernels() -> list[Finding]:
    """Return a finding for each name of a cached kernel: its forms and why, a note where one of them is slow."""
    from cuda_shim.backends.cached_kernels import cached_kernels
    from cuda_shim.cache.folder import cache_of

    try:
        kernels = cached_kernels(cache_of(settings.current()))
    except ShimError as error:
        return [Finding("kernels", "cache", str(error), "problem")]
    forms: dict[str, dict[str, bool]] = {}
    for kernel in kernels:
        line = f"{kernel.form}: {kernel.reason}" if kernel.reason else kernel.form
        forms.setdefault(kernel.name, {})[line] = bool(kernel.reason) and not kernel.is_loop
    return [
        Finding("kernels", name, "; ".join(lines), "note" if any(lines.values()) else "ok")
        for name, lines in sorted(forms.items())
    ] or [Finding("kernels", "cache", "holds none yet")]


def _document(findings: list[Finding], problems: list[Finding]) -> dict[str, object]:
    sections: dict[str, dict[str, dict[str, object]]] = {}
    for item in findings:
        entry = {"value": item.data, "state": item.state}
        if item.state != "ok":
            entry["message"] = item.value
        sections.setdefault(item.section, {})[item.name] = entry
    return {
        "usable": not problems,
        "problems": [f"{item.name}: {item.value}" for item in problems],
        **sections,
    }


def _verdict(problems: list[Finding]) -> str:
    if not problems:
        return "CUDA programs can run here."
    return f"CUDA programs cannot run here; see what is marked problem ({len(problems)})."


def _print_lines(findings: list[Finding]) -> None:
    """One line a finding; on a terminal in colours, and wrapped between words: a path stays whole everywhere."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    columns = shutil.get_terminal_size().columns if console.is_terminal else sys.maxsize
    colours = {"ok": "", "note": "yellow", "problem": "bold red"}
    width = max(len(item.name) for item in findings)
    for item in _with_headings(findings):
        if isinstance(item, str):
            console.print(Text(item, "bold"), soft_wrap=True)
            continue
        before = f"  {item.name:{width}}  {_mark(item):7}  "
        width_left = max(columns - len(before), 20)
        lines = textwrap.wrap(item.value, width_left, break_long_words=False, break_on_hyphens=False) or [""]
        for number, line in enumerate(lines):
            shown = Text(before if number == 0 else " " * len(before))
            console.print(shown.append(line, colours[item.state]), soft_wrap=True)


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
