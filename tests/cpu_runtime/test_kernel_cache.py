"""The cache of compiled kernels: what hits it, what does not, and what is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.cpu_runtime import hiprtc_program

HERE = Path(__file__).resolve().parent
CPUINFO = Path("/proc/cpuinfo")
KERNEL = 'extern "C" __global__ void k(int* x) { *x = 1; }'

#: Compiles the program given as arguments and prints how often the compiler was started.
PROGRAM = f"""
import sys; sys.path.insert(0, {str(HERE.parents[1])!r})
from tests.cpu_runtime.hiprtc_program import *
hiprtc = load(sys.argv[1])
compiled = compile_program(hiprtc, sys.argv[2], sys.argv[3:])
print(len(compiled.code), len(forms(compiled)))
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def counting_compiler(tmp_path: Path) -> Path:
    """g++ that leaves a mark each time it makes something."""
    compiler = tmp_path / "counting-g++"
    compiler.write_text(f'#!/bin/sh\ncase " $* " in *" -o "*) echo made >> {tmp_path}/marks;; esac\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    return compiler


@pytest.fixture
def folder(runtime_folder: Path) -> Path:
    hiprtc_program.load(runtime_folder)
    return runtime_folder


def start(
    folder: Path,
    cache: Path,
    compiler: Path,
    source: str = KERNEL,
    *options: str,
    below: Sequence[str] = (),
    **more: str,
) -> subprocess.Popen[str]:
    environment = {
        **os.environ, "CUDA_SHIM_CACHE_DIR": str(cache), "CUDA_SHIM_CPU_CXX": str(compiler),
        "CUDA_SHIM_TEST_RUNTIME": str(folder), **more,
    }  # fmt: skip
    words = [*below, sys.executable, "-c", PROGRAM, str(folder), source, *options]
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


def marks(compiler: Path) -> int:
    file = compiler.parent / "marks"
    return len(file.read_text(encoding="utf-8").splitlines()) if file.exists() else 0


def test_a_second_process_compiles_nothing(folder: Path, cache: Path, counting_compiler: Path) -> None:
    first = finish(start(folder, cache, counting_compiler))
    made = marks(counting_compiler)
    assert made > 0
    second = finish(start(folder, cache, counting_compiler))
    assert second[0] == first[0]
    assert marks(counting_compiler) == made
    # Private, and nothing temporary left behind.
    kernels = cache / "kernels"
    assert kernels.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in kernels.iterdir() if path.name.startswith("tmp")] == []


@pytest.mark.parametrize("change", ["source", "options", "headers", "setting"])
def test_what_changes_the_result_is_in_the_key(folder: Path, cache: Path, counting_compiler: Path, change: str) -> None:
    finish(start(folder, cache, counting_compiler))
    made = marks(counting_compiler)
    if change == "source":
        finish(start(folder, cache, counting_compiler, KERNEL + " "))
    elif change == "options":
        finish(start(folder, cache, counting_compiler, KERNEL, "-O1"))
    elif change == "headers":
        finish(start(folder, cache, counting_compiler, "#include <cuda_fp16.h>\n" + KERNEL))
    else:
        finish(start(folder, cache, counting_compiler, CUDA_SHIM_CPU_WARP_SIZE="64"))
    assert marks(counting_compiler) > made


@pytest.fixture
def another_processor(tmp_path: Path) -> tuple[str, ...]:
    """Words in front of a command that make it see another processor."""
    described = re.sub(r"(?m)^(model name|flags|Features|CPU part)\s*:.*", r"\1 : none of those", CPUINFO.read_text())
    (tmp_path / "cpuinfo").write_text(described, encoding="utf-8")
    script = f'mount --bind "{tmp_path}/cpuinfo" {CPUINFO} && exec "$@"'
    words = ("unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh")
    if not shutil.which("unshare") or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no name space for mounts can be made here")
    return words


def test_a_copy_from_another_machine_is_not_used(
    folder: Path, cache: Path, counting_compiler: Path, another_processor: tuple[str, ...]
) -> None:
    """Modules are compiled for the processor that is there: elsewhere they might end the process."""
    finish(start(folder, cache, counting_compiler))
    made = marks(counting_compiler)
    finish(start(folder, cache, counting_compiler, below=another_processor))
    assert marks(counting_compiler) == 2 * made
    for below in ((), another_processor):
        finish(start(folder, cache, counting_compiler, below=below))
    assert marks(counting_compiler) == 2 * made


def test_processes_that_start_at_once_compile_once(folder: Path, cache: Path, counting_compiler: Path) -> None:
    processes = [start(folder, cache, counting_compiler) for _ in range(6)]
    outputs = {finish(process)[0] for process in processes}
    assert len(outputs) == 1
    assert marks(counting_compiler) == 1


def test_a_prelude_is_made_while_its_program_is_locked(folder: Path, cache: Path, counting_compiler: Path) -> None:
    """Programs share a few locks, here a single one: what is made on the way waits for none of them."""
    kernels = cache / "kernels"
    cache.mkdir(mode=0o700)
    kernels.mkdir(mode=0o700)
    first = kernels / "lock-00"
    first.touch(mode=0o600)
    for number in range(1, 256):
        (kernels / f"lock-{number:02x}").hardlink_to(first)
    finish(start(folder, cache, counting_compiler))
    assert list(kernels.glob("*.pch")), "no prelude was made"


def test_a_damaged_entry_is_made_anew(folder: Path, cache: Path, counting_compiler: Path) -> None:
    first = finish(start(folder, cache, counting_compiler))
    (entry,) = (cache / "kernels").glob("*.so")
    entry.write_bytes(entry.read_bytes()[:1000])
    out, err = finish(start(folder, cache, counting_compiler))
    assert out == first[0]
    assert "damaged" in err
    assert entry.stat().st_size > 1000


@pytest.mark.parametrize("where", ["code", "names", "nothing left"])
def test_a_flipped_byte_is_found(folder: Path, cache: Path, counting_compiler: Path, where: str) -> None:
    """The module would still be mapped, and end the process when its kernels run."""
    first = finish(start(folder, cache, counting_compiler))
    (entry,) = (cache / "kernels").glob("*.so")
    contents = bytearray(entry.read_bytes())
    contents[len(contents) // 3 if where == "code" else -20] ^= 1
    entry.write_bytes(b"" if where == "nothing left" else contents)
    out, err = finish(start(folder, cache, counting_compiler))
    assert out == first[0]
    assert "damaged" in err
    assert marks(counting_compiler) == 2
    assert finish(start(folder, cache, counting_compiler)) == first
    assert marks(counting_compiler) == 2


def test_a_folder_that_others_may_write_into_is_not_used(folder: Path, cache: Path, counting_compiler: Path) -> None:
    (cache / "kernels").mkdir(parents=True)
    (cache / "kernels").chmod(0o777)
    out, err = finish(start(folder, cache, counting_compiler))
    assert out.split()[1] == "1"  # it compiled
    assert "not cached" in err
    assert list((cache / "kernels").iterdir()) == []


def test_a_home_that_cannot_be_written_still_compiles(folder: Path, tmp_path: Path, counting_compiler: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    out, err = finish(start(folder, blocked / "cache", counting_compiler))
    assert out.split()[1] == "1"
    assert "not cached" in err


def test_kept_sources_are_left_to_look_at(folder: Path, cache: Path, counting_compiler: Path) -> None:
    finish(start(folder, cache, counting_compiler, CUDA_SHIM_CPU_KEEP="1"))
    assert list((cache / "kernels").glob("tmp-*/kernel.cpp"))


def test_failures_are_not_cached(folder: Path, cache: Path, counting_compiler: Path, hip: ModuleType) -> None:
    process = start(folder, cache, counting_compiler, "int x = y;")
    process.communicate(timeout=300)
    assert process.returncode != 0
    assert list((cache / "kernels").glob("*.so")) == []
