"""``python -m cuda_shim scan PATH …``: the CUDA names that programs use, and the support for each."""

from __future__ import annotations

import json
import os

from cuda_shim import settings
from cuda_shim.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.scan import Scan

__all__ = ["scan"]

USAGE = """\
usage: python -m cuda_shim scan [--json] [--problems] [--cuda VERSION] [--backend BACKEND] PATH …

Read Python files, notebooks, Cython, C++, CUDA C++ and PTX, in folders too, and report what becomes of each CUDA name,
as file:line:col: CODE message.  CS1xx is served, CS401 is not judged, all else will not work.  Where AMD GPUs and host
cores differ the message has an answer for each.
Nothing is run.  Judged are names by the tables, device code by the headers that ship, PTX by its translation, NVRTC's
options where their list is written out, and packages and libraries that reach CUDA by themselves by their table.

  --problems         only what will not work
  --json             one JSON document
  --cuda VERSION     judge by 11.8, 12.9 or 13.5; default: what `run` would serve
  --backend BACKEND  judge for AMD GPUs (rocm) or host cores (cpu) alone; default: the setting, where auto is both
  --codes            print the codes with their meanings

Exit status: 0 nothing was found that will not work, 1 something will not, 2 wrong usage, or nothing to scan.
"""


def scan(words: list[str]) -> int:
    """Run the verb and return the exit status."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    from cuda_shim.scan import CODES

    if words == ["--codes"]:
        print("\n".join(f"{code}  {meaning}" for code, meaning in CODES.items()))
        return 0
    return _scan(*_parse(words))


def _scan(paths: list[str], options: dict[str, str]) -> int:
    from cuda_shim import scan as scanner
    from cuda_shim.layouts import served_layout

    chosen = settings.read(options)
    backends = tuple(scanner.BACKENDS) if chosen.backend == "auto" else (chosen.backend,)
    result = scanner.scan(paths, served_layout(chosen).name, backends)
    if not result.files:
        raise SettingError(
            f"no Python file, notebook, Cython, C++, CUDA C++ or PTX in {', '.join(paths)}: nothing was scanned"
        )
    if "json" in options:
        print(json.dumps(_document(result, "problems" in options), indent=2))
    else:
        for finding in result.problems if "problems" in options else result.findings:
            print(finding)
        print(_summary(result))
    return 1 if result.problems else 0


def _document(result: Scan, only_problems: bool) -> dict[str, object]:
    shown = result.problems if only_problems else result.findings
    return {
        "cuda": result.cuda,
        "backends": list(result.backends),
        "files": result.files,
        "works": not result.problems,
        "works_on": {backend: not result.problems_on(backend) for backend in result.backends},
        "counts": result.counts(),
        "findings": [finding.as_dict() for finding in shown],
        "modules_not_looked_into": result.unread,
    }


def _parse(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the paths, and the options by name. Raises SettingError for wrong usage."""
    paths: list[str] = []
    options: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word in ("--json", "--problems"):
            options[word[2:]] = "1"
        elif name in ("--cuda", "--backend"):
            options[name[2:]] = value if equals else next(rest, "")
            if not options[name[2:]]:
                raise SettingError(f"{name} needs a value: {settings.setting(name[2:]).allowed}")
        elif word.startswith("-"):
            names = "--json, --problems, --cuda, --backend, --codes"
            raise SettingError(f"unknown option {word}; the options are {names}")
        elif not os.path.exists(word):
            raise SettingError(f"there is no file or folder {word}")
        else:
            paths.append(word)
    if not paths:
        raise SettingError("name a file or a folder")
    return paths, options


def _summary(result: Scan) -> str:
    from cuda_shim.scan import CODES, NOT_JUDGED

    lines = [f"{count:6}  {code} {CODES[code]}" for code, count in result.counts().items()]
    if result.unread:
        lines.append(f"modules that were not looked into: {', '.join(result.unread)}")
    open_names = result.counts().get(NOT_JUDGED, 0)
    total = len(result.findings) - open_names
    verdict = _verdict(result) if total else "there is nothing to judge"
    verdict += f", and {open_names} that cannot be judged" if open_names else ""
    return "\n".join([*lines, f"{result.files} files, {total} uses of CUDA {result.cuda}: {verdict}"])


def _verdict(result: Scan) -> str:
    """Return how much will not work, for each backend where they differ."""
    from cuda_shim.scan import BACKENDS

    counts = {backend: result.problems_on(backend) for backend in result.backends}
    verdicts = {
        backend: f"{count} will not work" if count else "all of it is served" for backend, count in counts.items()
    }
    if len(set(counts.values())) == 1:
        return verdicts[result.backends[0]]
    return "; ".join(f"{BACKENDS[backend]} {text}" for backend, text in verdicts.items())
