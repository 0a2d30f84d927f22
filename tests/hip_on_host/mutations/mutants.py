"""Applies mutations to the kernels of a program, in rounds: each round parses the text again, so that they pile up."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterator, Sequence

from tests.hip_on_host.mutations.collectives import COLLECTIVES
from tests.hip_on_host.mutations.declarations import DECLARATIONS
from tests.hip_on_host.mutations.edits import Edit, Mutation, Site
from tests.hip_on_host.mutations.statements import STATEMENTS
from tests.hip_on_host.mutations.tree import Invalid, Node, functions, parse

Rule = Callable[[Site], Iterator[Mutation]]
RULES: tuple[Rule, ...] = (*STATEMENTS, *DECLARATIONS, *COLLECTIVES)

ROUNDS = 3
MOST = 6  # mutations of one function in one round


@dataclasses.dataclass(frozen=True)
class Chunk:
    """A part of a program: a kernel with the text before it, or functions for all kernels, of which the name is ""."""

    name: str
    text: str


@dataclasses.dataclass(frozen=True)
class Mutated:
    """A part after its mutations, and how many of each kind there were."""

    chunk: Chunk
    kinds: tuple[str, ...] = ()


def mutate(
    chunks: Sequence[Chunk], seed: int, rounds: int = ROUNDS, most: int = MOST, standard: str = "c++17"
) -> list[Mutated]:
    """Change every part of a program by the seed's chance. Raises Invalid when the program itself is not valid.

    A round that makes a part invalid, as where a name is written by a macro, is taken back for that part.
    """
    parts = [Mutated(chunk) for chunk in chunks]
    for turn in range(rounds):
        tree = parse(_joined(parts), standard)
        changed = _changed(parts, tree, random.Random(f"{seed} {turn}"), f"{turn}", most)  # noqa: S311 - repeatable
        parts = _valid(parts, changed, standard)
    return parts


def split(text: str) -> list[Chunk]:
    """A program's parts: each ends behind a declaration, and kernels have their names."""
    chunks, lines, depth = [""], text.splitlines(keepends=True), 0
    continued = False
    for number, line in enumerate(lines):
        chunks[-1] += line
        preprocessor = continued or line.startswith("#")
        continued = preprocessor and line.endswith("\\\n")
        if preprocessor:
            continue
        depth += line.count("{") - line.count("}")
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if depth == 0 and line.rstrip().endswith((";", "}")) and not following.startswith((" ", "}")):
            chunks.append("")
    return [Chunk(_kernel_name(chunk), chunk) for chunk in chunks if chunk]


def _kernel_name(text: str) -> str:
    found = re.search(
        r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(|^KERNEL\((\w+)\)", text, re.MULTILINE
    )
    return (found[1] or found[2]) if found else ""


def _joined(parts: Sequence[Mutated]) -> str:
    return "".join(part.chunk.text for part in parts)


def _changed(parts: Sequence[Mutated], tree: Node, rng: random.Random, tag: str, most: int) -> list[Mutated]:
    """The parts after one round."""
    text, start, found = _joined(parts), 0, list(functions(tree))
    changed = []
    for number, part in enumerate(parts):
        end = start + len(part.chunk.text)
        chosen: list[Mutation] = []
        for place, (function, body) in enumerate(found):
            if start <= body.begin < end:
                site = Site(text, function, body, random.Random(rng.random()), f"{tag}_{number}_{place}")  # noqa: S311
                chosen += _chosen(site, most, bool(part.chunk.name))
        changed.append(_applied(part, chosen, text, start))
        start = end
    return changed


def _chosen(site: Site, most: int, kernel: bool) -> list[Mutation]:
    """Some mutations of a function that do not meet each other; fewer in functions that all kernels use."""
    rules = list(RULES)
    site.random.shuffle(rules)
    count = site.random.randint(1, most) if kernel else site.random.randint(0, 1)
    chosen: list[Mutation] = []
    for rule in rules:
        offered = list(rule(site))
        site.random.shuffle(offered)
        for mutation in offered[: site.random.randint(1, 3)]:
            if len(chosen) < count and not any(_meet(mutation, other) for other in chosen):
                chosen.append(mutation)
    return chosen


def _meet(one: Mutation, other: Mutation) -> bool:
    """Return whether two mutations change the same text: edits of one may be between those of the other."""
    if one.kind == "body elsewhere" or other.kind == "body elsewhere":
        return True
    (a, b), (c, d) = one.span, other.span
    return not (b < c or d < a)


def _applied(part: Mutated, chosen: Sequence[Mutation], text: str, start: int) -> Mutated:
    """Return a part with its mutations; their declarations go before the function that they change."""
    if not chosen:
        return part
    edits = [edit for mutation in chosen for edit in mutation.edits]
    for mutation in chosen:
        if mutation.before:
            line = _line_before(text, mutation.span[0], start)
            edits.append(Edit(line, line, mutation.before + "\n"))
    result = part.chunk.text
    for edit in sorted(edits, key=lambda edit: (edit.begin, edit.end), reverse=True):
        result = result[: edit.begin - start] + edit.text + result[edit.end - start :]
    kinds = (*part.kinds, *(mutation.kind for mutation in chosen))
    return Mutated(Chunk(part.chunk.name, result), kinds)


def _line_before(text: str, at: int, start: int) -> int:
    """The start of the function or class around a place: the last line before it that begins at the margin and opens."""
    while True:
        line = text.rfind("\n", start, at) + 1 or start
        first = text[line : line + 1]
        outside = not (first.isspace() or first in "}{#/)")
        if line <= start or (outside and _balanced(text[start:line])):
            return line
        at = line - 1


def _balanced(text: str) -> bool:
    """Return whether a declaration may begin behind this text."""
    last = text.rstrip().rpartition("\n")[2]
    return text.count("{") == text.count("}") and (not last or last[-1] in ";}" or last.startswith(("#", "//")))


def _valid(before: Sequence[Mutated], after: Sequence[Mutated], standard: str) -> list[Mutated]:
    """Return the changed parts; a part that is no longer valid is as it was before."""
    kept = list(after)
    for _ in range(len(kept) + 1):
        try:
            parse(_joined(kept), standard)
        except Invalid as invalid:
            wrong = {_part_of_line(kept, line) for line in invalid.errors}
            if all(kept[number] is before[number] for number in wrong):
                wrong = set(range(len(kept)))  # the error comes from another part's macros
            for number in wrong:
                kept[number] = before[number]
        else:
            return kept
    return list(before)


def _part_of_line(parts: Sequence[Mutated], line: int) -> int:
    lines = 1
    for number, part in enumerate(parts):
        lines += part.chunk.text.count("\n")
        if line < lines:
            return number
    return len(parts) - 1
