"""``python -m cuda_shim scan PATH …``: which CUDA names programs use, and what becomes of each."""

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
usage: python -m cuda_shim scan [--json] [--problems] [--cuda VERSION] PATH …

Read Python files, notebooks, Cython and CUDA C++, in folders too, and report what becomes of each CUDA name, as
file:line:col: CODE message.  CS1xx is served, CS401 cannot be judged, all else will not work.
Nothing is run, and nothing else is judged: device code by the headers, PTX and names that the tables know to be
missing, NVRTC's options where their list is written out, and of other packages only that they bring CUDA code of
their own.

  --problems      only what will not work
  --json          one JSON document
  --cuda VERSION  judge by 11.8, 12.9 or 13.5; default: what `run` would serve
  --codes         print the codes with their meanings

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
    from cuda_shim.layouts import served

    result = scanner.scan(paths, served(settings.read(options)).name)
    if not result.files:
        raise SettingError(f"no Python file, notebook, Cython or CUDA C++ in {', '.join(paths)}: nothing was scanned")
    shown = result.problems if "problems" in options else result.findings
    if "json" in options:
        document = {
            "cuda": result.cuda,
            "files": result.files,
            "works": not result.problems,
            "counts": result.counts(),
            "findings": [finding.as_dict() for finding in shown],
        }
        print(json.dumps(document, indent=2))
    else:
        for finding in shown:
            print(finding)
        print(_summary(result))
    return 1 if result.problems else 0


def _parse(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the paths, and the options by name. Raises SettingError for wrong usage."""
    paths: list[str] = []
    options: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word in ("--json", "--problems"):
            options[word[2:]] = "1"
        elif name == "--cuda":
            options["cuda"] = value if equals else next(rest, "")
            if not options["cuda"]:
                raise SettingError(f"--cuda needs a value: {settings.setting('cuda').allowed}")
        elif word.startswith("-"):
            raise SettingError(f"unknown option {word}; the options are --json, --problems, --cuda, --codes")
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
    open_names = result.counts().get(NOT_JUDGED, 0)
    problems, total = len(result.problems), len(result.findings) - open_names
    verdict = f"{problems} will not work" if problems else "all of it is served"
    if not total:
        verdict = "there is nothing to judge"
    verdict += f", and {open_names} that cannot be judged" if open_names else ""
    return "\n".join([*lines, f"{result.files} files, {total} uses of CUDA {result.cuda}: {verdict}"])
