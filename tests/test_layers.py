"""Imports between modules: the drawing of docs/how-it-works.md holds, and no two files import each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.environments import ROOT

PACKAGE = ROOT / "cuda_shim"
#: Files that are started by themselves, not imported.
SCRIPTS = ("cuda_shim._bootstrap",)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, Path]:
    found = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    return {name: path for name, path in found.items() if not name.startswith(SCRIPTS)}


def imports(name: str, path: Path, known: set[str]) -> set[str]:
    """The modules of the package that a file imports, wherever in it: in functions and for type checkers too."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) + 1 - node.level]) if node.level else ""
            base = ".".join(filter(None, (base, node.module)))
            found.update(each if (each := f"{base}.{alias.name}") in known else base for alias in node.names)
    return {each for each in found if each in known and each != name}


def drawing() -> dict[str, set[str]]:
    known = modules()
    # The package itself is imported with every module of it; its names stand for modules, found on first use.
    names = set(known) - {"cuda_shim"}
    return {name: imports(name, path, names) for name, path in known.items() if name in names}


def layers() -> list[list[str]]:
    """The first column of the table in the documentation, from top to bottom: files and folders of the package."""
    text = (ROOT / "docs/how-it-works.md").read_text(encoding="utf-8")
    table = text[text.index("| layer |") :].partition("\n\n")[0]
    return [re.findall(r"`([\w./]+)`", line.split("|")[1]) for line in table.splitlines()[2:]]


def layer_of(path: Path, table: list[list[str]]) -> int:
    """The number of the layer that a file is in: the longest name that fits."""
    relative = path.relative_to(PACKAGE).as_posix()
    fitting = [
        (len(part), number)
        for number, parts in enumerate(table)
        for part in parts
        if relative == part or (part.endswith("/") and relative.startswith(part))
    ]
    assert fitting, f"{relative} is in no layer of docs/how-it-works.md"
    return max(fitting)[1]


def circles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """A path from each module back to itself, if there is one."""
    for start in graph:
        paths = [[start]]
        seen = set()
        while paths:
            path = paths.pop()
            for following in graph[path[-1]]:
                if following == start:
                    yield [*path, start]
                    return
                if following not in seen:
                    seen.add(following)
                    paths.append([*path, following])


def test_no_files_import_each_other() -> None:
    assert list(circles(drawing())) == []


def test_no_layer_imports_one_above() -> None:
    known, table = modules(), layers()
    upwards = [
        f"{name} imports {other}"
        for name, others in drawing().items()
        for other in sorted(others)
        if layer_of(known[other], table) < layer_of(known[name], table)
    ]
    assert upwards == []


def test_the_two_packages_know_each_other_in_one_file() -> None:
    """`hip_on_host` imports nothing of the shim, and one file of the shim imports `hip_on_host`."""

    def importers(package: str, of: str) -> list[str]:
        found = []
        for path in sorted((ROOT / package).rglob("*.py")):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
            names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
            if any(name.partition(".")[0] == of for name in names):
                found.append(path.relative_to(ROOT).as_posix())
        return found

    assert importers("hip_on_host", "cuda_shim") == []
    # The start-up file of `run` makes both packages findable.
    expected = ["cuda_shim/_bootstrap/sitecustomize.py", "cuda_shim/backends/host.py"]
    assert importers("cuda_shim", "hip_on_host") == expected


def test_every_layer_is_there() -> None:
    assert [part for parts in layers() for part in parts if not (PACKAGE / part).exists()] == []


def test_a_circle_and_a_way_up_would_be_seen() -> None:
    assert list(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == [["a", "b", "c", "a"]]
    assert list(circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})) == []
    source = PACKAGE / "backends" / "native.py"
    assert "cuda_shim.backends.hip_python" in imports("cuda_shim.backends.native", source, set(modules()))
    table = [["cli/"], ["backends/"], ["backends/host.py"]]
    assert [layer_of(PACKAGE / name, table) for name in ("cli/main.py", "backends/rocm.py", "backends/host.py")] == [
        0,
        1,
        2,
    ]
