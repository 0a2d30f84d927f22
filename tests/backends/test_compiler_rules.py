"""Commands of compilers are read, found and recognised by one rule in Python and in the C++ runtime."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.backends.both_languages import answers, compile_program

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("rules in both languages")]


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(tmp_path_factory.mktemp("rules") / "print_rules")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("g++", ["g++"]),
        ("  clang++ \t -O1\n", ["clang++", "-O1"]),
        ("'/my tools/g++' -pipe", ["/my tools/g++", "-pipe"]),
        ('"/my tools"/g++', ["/my tools/g++"]),
        ("/my\\ tools/g++", ["/my tools/g++"]),
        ('-D"A=\\"b\\""', ['-DA="b"']),
        ('"a\\b"', ["a\\b"]),
        ("'a\\'", ["a\\"]),
        ("'it'\"'\"'s'", ["it's"]),
        ("'' g++", ["", "g++"]),
        ("g++ # -O1", ["g++", "#", "-O1"]),
        ("/it's/g++ -O1", ["/it's/g++ -O1"]),
        ('g++ "', ['g++ "']),
        ("g++ \\", ["g++ \\"]),
        ("", []),
        (" \t ", []),
    ],
)
def test_words(rules: Path, command: str, words: list[str]) -> None:
    assert answers(rules, "words", command) == [words, words]


def test_programs(rules: Path, tmp_path: Path) -> None:
    for name in ("one/cc", "two/cc", "two/cxx", "three/cxx", "here", "folder/inside/cc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "one" / "cc").chmod(0o644)  # no program
    (tmp_path / "one" / "cxx").mkdir()
    path = f"{tmp_path}/none:{tmp_path}/one::two:{tmp_path}/three"
    asked = [
        "cc",
        "cxx",
        "here",
        "./here",
        "two/../two/cc",
        f"{tmp_path}//one/../two/cxx",
        "missing",
        "./one/cc",
        "folder/inside",
    ]
    found = ["two/cc", "two/cxx", "", "here", "two/cc", "two/cxx", "", "", ""]
    expected = [f"{tmp_path}/{name}" if name else "" for name in found]
    assert answers(rules, "programs", *asked, cwd=tmp_path, PATH=path) == [expected, expected]


def test_programs_without_a_path(rules: Path) -> None:
    in_python, in_runtime = answers(rules, "programs", "sh")
    assert in_python == in_runtime
    assert os.path.basename(in_python[0]) == "sh"


CLANG = "Debian clang version 19.1.7 (3)"
ZIG = "clang version 19.1.7 (https://github.com/ziglang/zig-bootstrap de1b01a8)"
GCC = "g++ (Debian 12.2.0-14) 12.2.0"


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        ("clang++", CLANG, "clang"),
        ("c++", CLANG, "clang"),
        ("g++", CLANG, "clang"),
        ("my-zig", "clang version 19.1.7", "zig"),
        ("wrapper", ZIG, "zig"),
        ("clang++", f"{CLANG}\nInstalledDir: /opt/zigzag/bin", "clang"),
        ("clang++", GCC, "gcc"),
        ("gcc-12", GCC, "gcc"),
        ("mute", "", "gcc"),
    ],
)
def test_kinds(rules: Path, program: Callable[[str, str], Path], name: str, answer: str, expected: str) -> None:
    path = program(name, f"echo '{answer}'")
    assert answers(rules, "kind", str(path)) == [[expected], [expected]]
    assert answers(rules, "kind", str(path), "-I/zig/include") == [[expected], [expected]]


def test_the_kind_of_a_module(rules: Path, program: Callable[[str, str], Path]) -> None:
    path = program("python3", f"echo '{GCC}'")
    assert answers(rules, "kind", str(path), "-m", "ziglang", "c++") == [["zig"], ["zig"]]
