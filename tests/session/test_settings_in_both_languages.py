"""Python and the C++ runtime take the same values of every setting, and refuse the others in the same words."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.errors import SettingError
from cuda_shim.setting import FALSE, TRUE, Setting
from tests.hip_on_host.kernel_modules import COMPILER, HERE, RUNTIME

UNITS = ("settings", "setting_reader", "setting_names", "capability_model", "rocm_mode", "files")
RUNTIMES = [item for item in settings.SETTINGS if item.reader != "shim"]

NO_TEXT = ["perhaps", "-", "1;0", "\u00a01", "\u0661"]
NO_INTEGERS = ["-1", "+1", "1.5", "1e1", "0x1", "1_0", "1 0", "9" * 30, "9" * 5000, *NO_TEXT]
NO_NUMBERS = ["-1", "+1", "1e1", "0x1", "1,5", "1.5.0", ".", "inf", "nan", "0", "0.0", "9" * 400, *NO_TEXT]
THREADS = ["3:17", "saxpy:0,1:8,2", "a:b:1:2", ":1:2", "0,0,0:4294967295", "k*:01:002"]
NO_THREADS = ["3", "saxpy", "3:", ":3", "saxpy:here", "1,2,3,4:0", "1,:0", ",1:0", "1:4294967296", "1:-1", "1: 2", ":"]
TARGETS = ["gfx942", "gfx90a:sramecc+:xnack-", "gfx11-generic"]
NO_TARGETS = ["gfx", "942", "gfx942:fast+", "gfxa", *NO_TEXT]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(tmp_path_factory.mktemp("settings") / "print_settings", RUNTIME)


def compile_program(target: Path, runtime: Path) -> Path:
    """Compile the program that prints the settings as a runtime reads them."""
    sources = [HERE / "cpp/print_settings.cpp", *(runtime / f"common/{unit}.cpp" for unit in UNITS)]
    words = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{runtime}", *map(str, sources), "-ldl"]
    subprocess.run([*COMPILER, *words, "-o", str(target)], check=True, timeout=300)
    return target


def said_by_runtime(program: Path, *words: str, **environment: str) -> tuple[dict[str, str], str]:
    """The values that the program printed, and its messages."""
    done = subprocess.run(
        [program, *words], env=environment, capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    return dict(line.split("=", 1) for line in done.stdout.splitlines()), done.stderr


def said_by_python(item: Setting, value: str) -> tuple[str, str]:
    """The value of a variable, and the message where it is refused."""
    try:
        return settings.resolve(item.name, environ={item.variable: value}).value, ""
    except SettingError as refused:
        return item.default, str(refused)


def values(item: Setting) -> Iterator[tuple[str, bool]]:
    """Values to try, each with whether the table allows it."""
    allowed, refused = {
        "boolean": ([*TRUE, *FALSE], ["2", "jein", *NO_TEXT]),
        "choice": ([*item.choices, *item.aliases], ["2", *NO_TEXT]),
        "integer": ([*numbers(item), *item.choices], NO_INTEGERS),
        "number": ([*item.limits, "1", "0.5", ".5", "5.", "007.50"], NO_NUMBERS),
        "file": ([*TRUE, *FALSE, "record", "/tmp/a b", "relative", "\u00fcber"], []),
        "report": ([*TRUE, *FALSE, "record", "/tmp/a b", "%p.json"], []),
        "target": (TARGETS, NO_TARGETS),
        "thread": (THREADS, NO_THREADS),
        "text": (["/tmp/a b", "clang++ -O1", "saxpy*", "0"], []),
    }[item.kind]
    yield from ((value, True) for value in allowed)
    yield from ((f" \t{value}\n", True) for value in allowed)
    yield from ((value, False) for value in refused)
    yield from (("", True), (" \t ", True))
    if item.kind in ("boolean", "choice", "file", "report"):
        yield from ((value.upper(), True) for value in allowed)
    if item.limits[0]:
        yield from ((value, False) for value in neighbours(item))


def numbers(item: Setting) -> list[str]:
    return [*item.limits, f"00{item.limits[0]}"] if item.limits[0] else []


def neighbours(item: Setting) -> list[str]:
    """One below the lowest and one above the highest."""
    lowest, highest = item.limits
    if item.kind == "number":
        return [f"{lowest[:-1]}09", f"{highest}.01"]
    return [str(int(lowest) - 1), str(int(highest) + 1)]


@pytest.mark.parametrize("item", settings.SETTINGS, ids=lambda item: item.name)
def test_every_value_has_one_verdict(program: Path, item: Setting) -> None:
    for value, allowed in values(item):
        text, message = said_by_python(item, value)
        assert (message == "") == allowed, (value, message)
        assert allowed or message == f"{item.variable}={value} is not allowed; use {item.allowed}"
        if item in RUNTIMES:
            printed, reported = said_by_runtime(program, **{item.variable: value})
            assert reported == (f"cuda_shim: {message}; the default is used\n" if message else ""), value
            assert printed[item.variable] == as_printed(item, text), value


def as_printed(item: Setting, text: str) -> str:
    """A canonical text as the program prints the value that it stands for."""
    if item.kind == "thread" and text:
        place, _, thread = text.rpartition(":")
        kernel, _, block = place.rpartition(":")
        filled = [
            ",".join([*(str(int(number)) for number in index.split(",")), "0", "0"][:3]) for index in (block, thread)
        ]
        return ":".join([kernel, *filled])
    if item.kind == "number":
        return f"{float(text or 0):.17g}"
    if item.kind == "file" and text == "0":
        return ""
    return text or ("0" if item.kind == "integer" else "")


def test_the_runtime_has_the_defaults_of_the_table(program: Path) -> None:
    printed, reported = said_by_runtime(program)
    assert reported == ""
    assert printed == {item.variable: as_printed(item, item.default) for item in RUNTIMES}


def test_a_flag_is_refused_by_its_name(program: Path) -> None:
    environment = {"CUDA_SHIM_CPU_DEVICES": "65", settings.FLAGS_VARIABLE: "quiet cpu_devices"}
    _, reported = said_by_runtime(program, **environment)
    assert reported == (
        "cuda_shim: --cpu-devices=65 is not allowed; use an integer from 1 to 64; the default is used\n"
    )


def test_every_choice_means_something_to_the_runtime(program: Path) -> None:
    releases = settings.setting("cpu_rocm").choices
    for release in releases:
        derived, _ = said_by_runtime(program, "derived", CUDA_SHIM_CPU_ROCM=release)
        assert derived["release"] == ".".join(release.split(".")[:2])
        assert derived["gpu"] == "gfx942"
    for gpu in settings.setting("cpu_gfx").choices:
        derived, _ = said_by_runtime(program, "derived", CUDA_SHIM_CPU_ROCM=releases[0], CUDA_SHIM_CPU_GFX=gpu)
        assert derived["gpu"] == gpu
    for number, level in enumerate(settings.setting("cpu_log").choices):
        assert said_by_runtime(program, "derived", CUDA_SHIM_CPU_LOG=level)[0]["log_level"] == str(number)
    assert 1 <= int(said_by_runtime(program, "derived")[0]["threads"]) <= (os.cpu_count() or 1)


def test_a_variable_of_amds_is_read_by_the_same_rule(program: Path) -> None:
    derived, reported = said_by_runtime(program, "derived", AMD_SERIALIZE_KERNEL="3")
    assert (derived["serialize_kernels"], reported) == ("3", "")
    derived, reported = said_by_runtime(program, "derived", AMD_SERIALIZE_KERNEL="4")
    assert derived["serialize_kernels"] == "0"
    assert reported == (
        "cuda_shim: AMD_SERIALIZE_KERNEL=4 is not allowed; use an integer from 0 to 3; the default is used\n"
    )
