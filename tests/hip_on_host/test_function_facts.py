"""Facts at device functions: the generated table is current, Clang reads the same facts, and they agree with the bodies."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import HANG, clean_environment
from tests.session.test_setting_table import copy_checkout, start

TOOL = "tools/generate_function_facts.py"
TABLE = "hip_on_host/src/kernel_compiler/analyse/function_facts.h"
DEVICE = "hip_on_host/device"
ARRAYS = {
    "pure": "kPureFunctions",
    "vector": "kVectorFunctions",
    "block_local": "kBlockLocalAtomics",
    "waits": "kWaitingNames",
}
#: The functions of the runtime in which a thread waits for others.
WAITS = {"warp_exchange", "block_barrier", "named_barrier", "grid_barrier"}
_LINE = re.compile(r"([| `-]*)(\w+) 0x\w+ (.*)")


def in_table(fact: str) -> set[str]:
    text = (ROOT / TABLE).read_text(encoding="utf-8")
    array = re.search(rf"\b{ARRAYS[fact]} = \{{(.*?)\}};", text, re.DOTALL)
    assert array, fact
    return set(re.findall(r'"(\w+)"', array[1]))


def tree(*flags: str) -> list[tuple[int, str, str]]:
    """The syntax tree of the prelude and of groups: depth, kind and text of each node, with facts as annotations."""
    if not find_compiler("clang++-19"):
        pytest.skip("clang++-19 is not installed")
    command = [
        "clang++-19", "-std=c++17", "-w", "-fsyntax-only", "-Xclang", "-ast-dump", "-fno-color-diagnostics", "-x", "c++",
        "-D__CUDA_ARCH__=900", "-DCUDA_SHIM_HAS_CLUSTERS", "-DCUDA_SHIM_CLUSTERS", "-DCUDA_SHIM_ROUNDED_ARITHMETIC",
        "-DCUDA_SHIM_SIMD_INTRINSICS", "-DCUDA_SHIM_FACT(fact)=[[clang::annotate(#fact)]]", *flags, "-",
    ]  # fmt: skip
    names = ("prelude/prelude.h", "include/cooperative_groups.h")
    source = "".join(f'#include "{ROOT / DEVICE / name}"\n' for name in names)
    done = subprocess.run(command, input=source, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    nodes = [match for line in done.stdout.splitlines() if (match := _LINE.match(line))]
    return [(len(match[1]), match[2], match[3]) for match in nodes]


@pytest.fixture(scope="module", params=[("-DCUDA_SHIM_CUDA=13000",), ()], ids=["CUDA", "HIP"])
def nodes(request: pytest.FixtureRequest) -> list[tuple[int, str, str]]:
    return tree(*request.param)


def name_of(kind: str, text: str) -> str:
    """The name that a declaration's line in the tree has behind its places."""
    pattern = {
        "FunctionDecl": r"(\S+) '",
        "CXXMethodDecl": r"(\S+) '",
        "CXXRecordDecl": r"\b(?:struct|class|union) (\w+)",
        "NamespaceDecl": r"(\w+)(?: inline)?$",
    }
    name = re.search(pattern[kind], text)
    return name[1] if name else ""


def with_facts(nodes: list[tuple[int, str, str]]) -> Iterator[tuple[str, str]]:
    around: list[tuple[int, str]] = []
    for depth, kind, text in nodes:
        while around and around[-1][0] >= depth:
            around.pop()
        if kind == "AnnotateAttr":
            yield around[-1][1], text.rsplit('"', 2)[1]
        elif kind in ("FunctionDecl", "CXXMethodDecl", "CXXRecordDecl", "NamespaceDecl"):
            around.append((depth, name_of(kind, text)))


def test_the_table_is_current() -> None:
    done = start(ROOT, ROOT / TOOL, "--check")
    assert done.returncode == 0, done.stderr


def test_clang_reads_the_same_facts() -> None:
    found: dict[str, set[str]] = {fact: set() for fact in ARRAYS}
    for flags in (("-DCUDA_SHIM_CUDA=13000",), ()):
        for name, fact in with_facts(tree(*flags)):
            found[fact].add(name)
    # A macro stands for a function.
    assert {fact: in_table(fact) - names for fact, names in found.items()} == {
        "pure": set(),
        "vector": set(),
        "block_local": set(),
        "waits": {"__barrier_sync"},
    }
    assert {fact: names - in_table(fact) for fact, names in found.items()} == {fact: set() for fact in ARRAYS}


def calls(nodes: list[tuple[int, str, str]]) -> dict[str, set[str]]:
    """The names that each function of the prelude uses: functions, and members of the runtime's table."""
    used: dict[str, set[str]] = {}
    function, inside = "", 0
    for depth, kind, text in nodes:
        if depth <= inside:
            function = ""
        if kind == "FunctionDecl" and not function:
            function, inside = name_of(kind, text), depth
            used.setdefault(function, set())
        elif function and kind == "MemberExpr":
            used[function].update(re.findall(r"(?:->|\.)(\w+) 0x", text))
        elif function and kind in ("DeclRefExpr", "UnresolvedLookupExpr"):
            used[function].update(re.findall(r"'(\w+)'", text))
    return used


def test_functions_that_reach_a_wait_have_the_fact(nodes: list[tuple[int, str, str]]) -> None:
    used = calls(nodes)
    waiting = set(WAITS)
    while more := {name for name, names in used.items() if name not in waiting and names & waiting}:
        waiting |= more
    reached = waiting - WAITS
    assert reached >= {"__syncthreads", "__shfl_xor_sync", "__match_any_sync", "__reduce_min_sync", "__activemask"}
    assert reached >= {"cuda_shim_shuffle", "cuda_shim_ballot"}
    assert reached - in_table("waits") == set()


def test_pure_functions_reach_no_variable_of_the_thread(nodes: list[tuple[int, str, str]]) -> None:
    used = calls(nodes)
    for name in in_table("pure") - {"cuda_shim_dynamic_shared"}:
        reached, pending = set(), {name}
        while pending:
            one = pending.pop()
            if one not in reached:
                reached.add(one)
                pending |= used.get(one, set())
        state = {"cuda_shim_thread_index", "cuda_shim_block_index", "cuda_shim_run", "cuda_shim_services"}
        assert reached & (state | in_table("waits")) == set(), name


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "CUDA_SHIM_FACT(pure)",
            "CUDA_SHIM_FACT(prue)",
            "'prue' is not one of the facts pure, vector, block_local, waits",
        ),
        ("CUDA_SHIM_FACT(pure) CUDA_SHIM_INLINE int __popc(", "CUDA_SHIM_INLINE int __popc(", f"out of date: {TABLE}"),
        ("int __popc(unsigned int x) {", "int bits; int __popc(unsigned int x) {", "no declaration follows a fact"),
    ],
)
def test_a_wrong_fact_is_refused(checkout: Path, old: str, new: str, message: str) -> None:
    header = checkout / DEVICE / "prelude/integer_intrinsics.h"
    before = header.read_text(encoding="utf-8")
    header.write_text(before.replace(old, new, 1), encoding="utf-8")
    done = start(checkout, checkout / TOOL, "--check")
    header.write_text(before, encoding="utf-8")
    assert done.returncode == 1
    assert message in done.stderr


def test_a_part_for_unknown_programs_is_refused(checkout: Path) -> None:
    header = checkout / DEVICE / "prelude/host_structs.h"
    before = header.read_text(encoding="utf-8")
    header.write_text(before.replace("for HIP programs with", "for hip programs with"), encoding="utf-8")
    done = start(checkout, checkout / TOOL, "--check")
    header.write_text(before, encoding="utf-8")
    assert (
        "host_structs.h: a part is for programs, programs without own ones, HIP programs, HIP programs without own ones, not for hip programs"
        in done.stderr
    )


def test_the_wheels_compiler_reads_the_same_facts() -> None:
    if not find_compiler("zig"):
        pytest.skip("zig is not installed")
    command = [sys.executable, "-B", str(ROOT / TOOL), "--check"]
    environment = {**clean_environment(), "PATH": "/nonexistent"}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=HANG, check=False)
    assert (done.returncode, done.stderr) == (0, "")
