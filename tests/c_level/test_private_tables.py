"""The driver's private tables answer NVIDIA's runtime, where it is linked into a program, as NVIDIA's driver does."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.c_level import build, source
from cuda_shim.c_level import library as c_library
from tests.c_level import private_tables
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import start

FOLDER = Path(private_tables.__file__).parent
SOURCES = Path(c_library.__file__).parent / "private_tables"
RECORDED: dict[str, Any] = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


def run_shimmed(program: Path, stderr: Path | None = None) -> str:
    """The output of a program under the shim, which answers NVIDIA's runtime; its log goes to a file."""
    flags = ("--backend", "cpu", "--cuda", "13.5", "--quiet", "--nvidia-runtime")
    done = start("-m", "cuda_shim", "run", *flags, str(program))
    assert done.returncode == 0, done.stderr[-3000:]
    if stderr is not None:
        stderr.write_text(done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    """The same answers here."""
    answers: dict[str, Any] = json.loads(run_shimmed(FOLDER / "record.py"))
    return answers


@pytest.mark.parametrize("part", ["primary", "storage", "questions"])
def test_answers_are_those_of_nvidias_driver(part: str, ours: dict[str, Any]) -> None:
    assert ours[part] == RECORDED[part]


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that computes digests with the library's own code."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler is installed")
    program = tmp_path_factory.mktemp("digests") / "digest"
    command: list[str | Path] = [
        compiler,
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{SOURCES}",
        FOLDER / "digest.cpp",
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    return program


def digest(program: Path, key: bytes, text: bytes) -> list[str]:
    """The keyed digest and the plain one."""
    return subprocess.run([program], input=key + text, capture_output=True, check=True).stdout.decode().split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", "8350e5a3e24c153df2275c9f80692773"),
        (b"abc", "da853b0d3f88d99b30283a69e6ded6bb"),
        (b"1234567890" * 8, "d5976f79d83d3a0dc9806c3c66f3efd8"),
    ],
)
def test_digests_are_those_of_the_rfc(digests: Path, text: bytes, expected: str) -> None:
    assert digest(digests, bytes(16), text)[1] == expected


def message(check: dict[str, Any], runtime: int, seconds: int) -> bytes:
    """The bytes that an answer is the digest of."""
    version, process, thread = check["process"]
    text = struct.pack("<4I3QQ", version, runtime, process, thread, *check["tables"], seconds)
    return text + b"".join(bytes.fromhex(uuid) + struct.pack("<3i", *place) for uuid, place in check["devices"])


@pytest.mark.parametrize("where", ["NVIDIA", "here"])
def test_the_check_of_the_driver(where: str, digests: Path, ours: dict[str, Any]) -> None:
    check = RECORDED["check"] if where == "NVIDIA" else ours["check"]
    numbers = re.search(r"key\[Md2::size\] = \{([^}]*)\}", (SOURCES / "driver_check.h").read_text(encoding="utf-8"))
    assert numbers is not None
    key = bytes(int(number, 16) for number in numbers[1].split(","))
    compared = 0
    for runtime, seconds, status, answer in check["rows"]:
        assert status == 0
        if runtime % 10 > 1:
            compared += 1
            assert answer == digest(digests, key, message(check, runtime, seconds))[0]
    assert compared == 10


def test_constant_answers_of_the_check(ours: dict[str, Any]) -> None:
    constant = [row for row in RECORDED["check"]["rows"] if row[0] % 10 < 2]
    assert len(constant) == 10
    assert [row for row in ours["check"]["rows"] if row[0] % 10 < 2] == constant


CHECKED = """
import ctypes
library = ctypes.CDLL("libcuda.so.1")
place = ctypes.c_void_p()
check = bytes.fromhex("D4082055BDE6704B8D34BA123C66E1F2")
print(*[library.cuGetExportTable(ctypes.byref(place), check) for _ in range(2)], place.value)
"""


def test_the_check_is_answered_only_for_those_who_ask(tmp_path: Path) -> None:
    program = tmp_path / "check.py"
    program.write_text(CHECKED)
    done = start("-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", "13.5", "--quiet", str(program))
    assert done.stdout.split() == ["1", "1", "None"], done.stderr
    assert done.stderr.count("CUDA_SHIM_NVIDIA_RUNTIME=1 (run --nvidia-runtime) has it answered") == 1


def test_a_distributor_can_leave_the_check_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "private_tables"
    shutil.copytree(SOURCES, kept, ignore=shutil.ignore_patterns("md2.h", "driver_check.h"))
    whole = source.written("13.5")
    monkeypatch.setattr(source, "_PRIVATE_FOLDER", kept)
    without = source.written("13.5")
    for name in ("KeyedMd2", "int answer_check("):
        assert name in whole
        assert name not in without
    program = tmp_path / "functions.cpp"
    program.write_text(without)
    words = [find_compiler("clang++-19") or "g++", *build.COMPILE, "-fsyntax-only", str(program)]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


UNKNOWN = """
import ctypes
library = ctypes.CDLL("libcuda.so.1")
place = ctypes.c_void_p()
print(library.cuGetExportTable(ctypes.byref(place), bytes(range(16))), place.value)
print(library.cuGetExportTable(ctypes.byref(place), bytes(range(16))))
print(library.cuGetExportTable(None, bytes(16)), library.cuGetExportTable(ctypes.byref(place), None))
devices = bytes.fromhex("B10541E1F7C7C74A9F64F223BE99F1E2")
assert library.cuGetExportTable(ctypes.byref(place), devices) == 0
words = (ctypes.c_uint64 * 31).from_address(place.value)
print(words[0], words[30], [ctypes.CFUNCTYPE(ctypes.c_int)(words[5])() for _ in range(2)])
"""


def test_unknown_tables_and_functions_are_named_once(tmp_path: Path) -> None:
    program = tmp_path / "unknown.py"
    program.write_text(UNKNOWN)
    log = tmp_path / "log"
    printed = run_shimmed(program, stderr=log)
    assert printed.splitlines() == ["1 None", "1", "1 1", "248 0 [801, 801]"]
    lines = [line for line in log.read_text().splitlines() if "private table" in line]
    assert len(lines) == 2, lines
    assert re.search(r"cuGetExportTable: \S+ asks for .* \{00010203-0405-0607-0809-0A0B0C0D0E0F\}", lines[0])
    assert re.search(r"function 5 of .* DEVICE_EXTENDED, which is not known: it returns CUDA_ERROR_NOT", lines[1])


def test_python_gets_the_same_table(tmp_path: Path) -> None:
    program = tmp_path / "table.py"
    program.write_text("""
import ctypes
from cuda.bindings import driver
identity = driver.CUuuid()
ctypes.memmove(identity.getPtr(), bytes.fromhex("6BD5FB6C5BF4E74A8987D93912FD9DF9"), 16)
status, address = driver.cuGetExportTable(identity)
print(int(status), address)
library, place = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
library.cuGetExportTable(ctypes.byref(place), ctypes.c_void_p(identity.getPtr()))
status, address = driver.cuGetExportTable(identity)
print(int(status), address == place.value != None)
""")
    assert run_shimmed(program).splitlines() == ["801 None", "0 True"]
