"""The syntax tree of a CUDA program, as Clang prints it, with the place of every node in the text."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

RUNTIME = Path(__file__).resolve().parents[3] / "hip_on_host"
NAMESPACE = "mutated_program"
_HEAD = f"\nnamespace {NAMESPACE} {{\n"
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*\n", re.MULTILINE)
_ERROR = re.compile(r"program\.cu:(\d+):\d+: (?:fatal )?error: (.*)")


@dataclasses.dataclass(eq=False)
class Node:
    """A node of the tree; begin and end are offsets into the text, or -1 where a macro or a header wrote it."""

    kind: str
    begin: int
    end: int
    raw: dict[str, Any]
    parent: Node | None
    children: list[Node] = dataclasses.field(default_factory=list)

    @property
    def type(self) -> str:
        """The node's type, with aliases resolved."""
        given = self.raw.get("type", {})
        return str(given.get("desugaredQualType") or given.get("qualType", ""))

    @property
    def name(self) -> str:
        return str(self.raw.get("name", ""))

    @property
    def placed(self) -> bool:
        """True if all of it stands in the text."""
        return self.begin >= 0 and self.end > self.begin

    def walk(self) -> Iterator[Node]:
        """Itself and everything below it, outer ones first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def above(self) -> Iterator[Node]:
        """Yield the nodes around it, inner ones first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def bare(self) -> Node:
        """Return the node below conversions that are not written."""
        node = self
        while node.kind in {"ImplicitCastExpr", "ExprWithCleanups", "MaterializeTemporaryExpr"} and node.children:
            node = node.children[0]
        return node


class Invalid(Exception):
    """A program that Clang refuses: its lines, and Clang's message for each."""

    def __init__(self, errors: dict[int, str]) -> None:
        super().__init__("\n".join(f"line {line}: {said}" for line, said in errors.items()))
        self.errors = errors


@functools.cache
def front_end() -> list[str]:
    """The command of Clang."""
    for version in range(30, 13, -1):
        if found := shutil.which(f"clang++-{version}"):
            return [found]
    if found := shutil.which("clang++"):
        return [found]
    packaged = find_spec("ziglang")
    if packaged and packaged.origin:
        return [str(Path(packaged.origin).parent / "zig"), "c++"]
    raise RuntimeError("no Clang was found; install clang or the Python package ziglang")


@functools.lru_cache(maxsize=2)  # a text is parsed to see that it is valid, and then to be changed again
def parse(text: str, standard: str = "c++17") -> Node:
    """The tree of a program: a namespace with its declarations. Raises Invalid."""
    includes = list(_INCLUDE.finditer(text))
    start = includes[-1].end() if includes else 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.cu"
        file.write_text(f"{text[:start]}{_HEAD}{text[start:]}\n}}\n", encoding="utf-8")
        command = [
            *front_end(), "-x", "c++", f"-std={standard}", "-fno-exceptions", "-fno-rtti", "-ferror-limit=0",
            # Clang lets lambdas capture the names of structured bindings, which NVRTC does not.
            "-Wno-everything", "-Werror=c++20-extensions", "-Wno-c++20-attribute-extensions",
            f"-I{RUNTIME / 'device/include'}", f"-I{RUNTIME / 'device/libcudacxx'}", f"-I{RUNTIME / 'src'}", "-include", str(RUNTIME / "device/prelude/prelude.h"),
            "-include", "initializer_list", "-include", "new",
            "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={NAMESPACE}", str(file),
        ]  # fmt: skip
        printed = Path(folder) / "tree.json"
        with printed.open("w") as stream:
            done = subprocess.run(
                command, stdout=stream, stderr=subprocess.PIPE, encoding="utf-8", timeout=120, check=False
            )
        tree = printed.read_text(encoding="utf-8")
    lines_before = text[:start].count("\n") + _HEAD.count("\n")
    moved = {line: line - (_HEAD.count("\n") if line > lines_before else 0) for line in range(1, text.count("\n") + 8)}
    errors = {moved.get(int(line), 0): said for line, said in _ERROR.findall(done.stderr)}
    if errors or not tree.startswith("{"):
        raise Invalid(errors or {0: f"{shlex.join(command)}: {done.stderr.strip()[:2000]}"})
    raw, _ = json.JSONDecoder().raw_decode(tree)
    return _Builder(start, len(_HEAD)).build(raw, None)


class _Builder:
    """Makes nodes; a place that is printed without a file is in the file of the place before it."""

    def __init__(self, start: int, added: int) -> None:
        self.start = start
        self.added = added
        self.file = ""

    def build(self, raw: dict[str, Any], parent: Node | None) -> Node:
        self._place(raw.get("loc"))
        begin = self._place(raw.get("range", {}).get("begin"))
        end = self._place(raw.get("range", {}).get("end"))
        node = Node(raw.get("kind", ""), begin[0], end[1], raw, parent)
        if begin[0] < 0 or end[0] < 0:
            node.begin = node.end = -1
        for child in raw.pop("inner", ()):
            if isinstance(child, dict):
                node.children.append(self.build(child, node))
        return node

    def _place(self, raw: dict[str, Any] | None) -> tuple[int, int]:
        """The offsets before and behind a token; -1 where it does not stand in the text by itself."""
        if not raw:
            return -1, -1
        if "spellingLoc" in raw or "expansionLoc" in raw:
            self._place(raw.get("spellingLoc"))
            self._place(raw.get("expansionLoc"))
            return -1, -1
        self.file = raw.get("file", self.file)
        if "offset" not in raw or not self.file.endswith("program.cu"):
            return -1, -1
        offset = raw["offset"]
        if offset < self.start + self.added:
            return -1, -1
        return offset - self.added, offset - self.added + raw["tokLen"]


def functions(tree: Node) -> Iterator[tuple[Node, Node]]:
    """Every function that is written in the text with its body; templates as they are written."""
    for child in tree.children:
        if child.kind in {"FunctionTemplateDecl", "ClassTemplateDecl", "ClassTemplateSpecializationDecl"}:
            continue  # some nodes of a template have no type, and some are printed once for each use
        if child.kind in {"FunctionDecl", "CXXMethodDecl"}:
            body = child.children[-1] if child.children else None
            if body is not None and body.kind == "CompoundStmt" and body.placed:
                yield child, body
        elif child.kind in {"LinkageSpecDecl", "NamespaceDecl", "CXXRecordDecl"}:
            yield from functions(child)
