"""The cache of compiled kernels: hits, misses, and refused files."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.hip_on_host import hiprtc_program

HERE = Path(__file__).resolve().parent
CPUINFO = Path("/proc/cpuinfo")
KERNEL = 'extern "C" __global__ void k(int* x) { *x = 1; }'

#: Compiles the program given as arguments and prints how often the compiler was started.
PROGRAM = f"""
import sys; sys.path.insert(0, {str(HERE.parents[1])!r})
from tests.hip_on_host.hiprtc_program import *
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
    program: str = PROGRAM,
    **more: str,
) -> subprocess.Popen[str]:
    environment = {
        **os.environ, "CUDA_SHIM_CACHE_DIR": str(cache), "CUDA_SHIM_CPU_CXX": str(compiler),
        "CUDA_SHIM_TEST_RUNTIME": str(folder), **more,
    }  # fmt: skip
    words = [*below, sys.executable, "-c", program, str(folder), source, *options]
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


def test_what_a_replaced_library_compiles_is_its_own(
    folder: Path, cache: Path, counting_compiler: Path, tmp_path: Path
) -> None:
    """An update while a program runs: the file is another one, the loaded library is not."""
    own = tmp_path / "runtime"
    shutil.copytree(folder / "lib", own / "lib")
    library, update = own / "lib/libhiprtc.so", tmp_path / "libhiprtc.so"
    update.write_bytes(library.read_bytes() + b"another one")
    replaced = PROGRAM.replace("compiled =", f"import os; os.replace({str(update)!r}, {str(library)!r}); compiled =")
    finish(start(own, cache, counting_compiler, program=replaced))
    assert library.read_bytes().endswith(b"another one")
    made = marks(counting_compiler)
    assert made > 0
    shutil.copy(folder / "lib/libhiprtc.so", library)
    finish(start(own, cache, counting_compiler))
    assert marks(counting_compiler) == made


def test_files_whose_names_are_macros_are_known_when_they_are_read(
    folder: Path, cache: Path, counting_compiler: Path, tmp_path: Path
) -> None:
    """CUDA's C++ core libraries include their files so."""
    source = "#define FILE <value.h>\n#include FILE\n" + KERNEL.replace("= 1", "= VALUE")
    value = tmp_path / "value.h"
    value.write_text("#define VALUE 1\n", encoding="utf-8")
    words = (folder, cache, counting_compiler, source, f"-I{tmp_path}")
    first = finish(start(*words))
    made = marks(counting_compiler)
    assert finish(start(*words)) == first
    assert marks(counting_compiler) == made
    value.write_text("#define VALUE 2\n", encoding="utf-8")
    finish(start(*words))
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


#: Compiles argv[2] programs, each in a thread of its own, and prints the number that compiled.
THREADS = f"""
import sys; sys.path.insert(0, {str(HERE.parents[1])!r})
import threading
from tests.hip_on_host.hiprtc_program import *
hiprtc = load(sys.argv[1])
made = []
def make(number):
    made.append(compile_program(hiprtc, 'extern "C" __global__ void k%d(int* x) {{ *x = 1; }}' % number))
threads = [threading.Thread(target=make, args=(number,)) for number in range(int(sys.argv[2]))]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(made))
"""


def test_programs_of_a_process_are_compiled_at_once(folder: Path, cache: Path, tmp_path: Path) -> None:
    """The compiler waits until it has been started for every one of them: no lock lets them in one by one."""
    programs = 16
    compiler = tmp_path / "waiting-g++"
    compiler.write_text(
        f'#!/bin/sh\ncase " $* " in *" -shared "*) ;; *) exec g++ "$@";; esac\n'
        f"touch {tmp_path}/started-$$\nfor turn in $(seq 600); do\n"
        f'  [ $(ls {tmp_path} | grep -c started-) -ge {programs} ] && exec g++ "$@"\n  sleep 0.1\ndone\n'
        "echo the others were not started >&2; exit 1\n"
    )
    compiler.chmod(0o755)
    variables = {**os.environ, "CUDA_SHIM_CACHE_DIR": str(cache), "CUDA_SHIM_CPU_CXX": str(compiler)}
    words = [sys.executable, "-c", THREADS, str(folder), str(programs)]
    done = subprocess.run(words, env=variables, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.stdout.split() == [str(programs)], done.stderr


#: A kernel with a barrier.
WAITING = 'extern "C" __global__ void k(int* x) { int v = x[threadIdx.x ^ 1]; __syncthreads(); x[threadIdx.x] = v; }'


@pytest.fixture
def clang() -> str:
    """A Clang that compiles by itself."""
    found = hiprtc_program.find_compiler("clang++-19") or hiprtc_program.find_compiler("clang++")
    if not found:
        pytest.skip("no clang++ here")
    return found


def compile_with(folder: Path, cache: Path, compiler: str, source: str, **more: str) -> tuple[str, str]:
    return finish(start(folder, cache, Path(compiler), source, CUDA_SHIM_CPU_LOG="debug", **more))


def checksum(data: bytes, seed: int = 0) -> int:
    """Return the runtime's sum of a file (common/checksum.cpp), which stands beside or behind cached data."""
    odd, all_bits = 0x9E3779B97F4A7C15, 2**64 - 1

    def mix(state: int, word: int) -> int:
        state = (state ^ word) * odd & all_bits
        return state ^ state >> 29

    whole = len(data) // 32 * 32
    words = struct.unpack(f"<{whole // 8}Q", data[:whole])
    lanes = [(seed + number) & all_bits for number in range(1, 5)]
    for at, word in enumerate(words):
        lanes[at % 4] = mix(lanes[at % 4], word)
    total = mix(odd, len(data))
    for lane, word in zip(lanes, struct.unpack("<4Q", data[whole:].ljust(32, b"\0")), strict=True):
        total = mix(total, mix(lane, word))
    return total or 1


def test_a_damaged_prelude_is_made_anew(folder: Path, cache: Path, clang: str) -> None:
    """Reading and compiling share one prelude."""
    compile_with(folder, cache, clang, KERNEL)
    (prelude,) = (cache / "kernels").glob("*.pch")
    whole = prelude.read_bytes()
    prelude.write_bytes(whole[: len(whole) // 2])
    out, _ = compile_with(folder, cache, clang, KERNEL + " ")
    assert out.split()[1] == "1"
    assert len(prelude.read_bytes()) > len(whole) // 2


def test_a_prelude_that_clang_refuses_is_left_out(folder: Path, cache: Path, clang: str) -> None:
    """Its sum is right, but it is no prelude: Clang reads the source of the prelude, and the kernel is still split."""
    out, _ = compile_with(folder, cache, clang, WAITING)
    (prelude,) = (cache / "kernels").glob("*.pch")
    prelude.write_bytes(b"no prelude")
    prelude.with_name(prelude.name + ".sum").write_text(str(checksum(b"no prelude")), encoding="utf-8")
    again, err = compile_with(folder, cache, clang, WAITING + " ")
    assert again.split()[1] == out.split()[1]
    assert "loops, split at the barriers" in err


def test_without_a_precompiled_prelude_kernels_are_split(folder: Path, cache: Path, clang: str, tmp_path: Path) -> None:
    compiler = tmp_path / "own-clang"
    compiler.write_text(
        f'#!/bin/sh\ncase " $* " in *" c++-header "*) exit 1;; esac\nexec {clang} "$@"\n', encoding="utf-8"
    )
    compiler.chmod(0o755)
    _, err = compile_with(folder, cache, str(compiler), WAITING)
    assert "the prelude is not precompiled" in err
    assert "loops, split at the barriers" in err


def test_a_prelude_whose_headers_are_installed_again_stays(
    folder: Path, cache: Path, clang: str, tmp_path: Path
) -> None:
    """Their times change, and their contents do not."""
    device = tmp_path / "device"
    for name in ("device", "src/abi"):
        shutil.copytree(HERE.parents[1] / "hip_on_host" / name, tmp_path / name)
    where = {"CUDA_SHIM_CPU_DEVICE_HEADERS": str(device)}
    compile_with(folder, cache, clang, WAITING, **where)
    (prelude,) = (cache / "kernels").glob("*.pch")
    made = prelude.stat().st_ino
    for header in device.rglob("*.h"):
        os.utime(header, (1, 1))
    _, err = compile_with(folder, cache, clang, WAITING + " ", **where)
    assert "loops, split at the barriers" in err
    assert prelude.stat().st_ino == made


@pytest.mark.parametrize("damage", ["another linker", "no linker", "a flipped byte"])
def test_a_linker_that_is_gone_is_looked_for_again(folder: Path, cache: Path, clang: str, damage: str) -> None:
    first, _ = compile_with(folder, cache, clang, KERNEL)
    (remembered,) = [path for path in (cache / "kernels").glob("*.answer") if b"<module>" in path.read_bytes()]
    contents = remembered.read_bytes()
    if damage == "a flipped byte":
        remembered.write_bytes(bytes([contents[0] ^ 1]) + contents[1:])
    else:
        linker = Path(contents.split(b"\n", 1)[0].decode())
        assert linker.exists()
        other = b"/bin/false" if damage == "another linker" else b"/none"
        changed = contents[:-17].replace(os.fsencode(linker), other, 1)
        remembered.write_bytes(changed + b"%016x\n" % checksum(changed, checksum(remembered.name.encode())))
    out, err = compile_with(folder, cache, clang, KERNEL + " ")
    assert out == first
    assert ("damaged" in err) == (damage == "a flipped byte")
    assert ("the linker by itself" in err) == (damage != "a flipped byte")
    again, err = compile_with(folder, cache, clang, KERNEL + "  ")
    assert again == first
    assert "damaged" not in err
    assert "by itself" not in err


def test_an_entry_under_the_name_of_another_is_made_anew(folder: Path, cache: Path, clang: str) -> None:
    """Its contents are whole, and those of another kernel, or no kernel at all."""
    other = 'extern "C" __global__ void other(int* x) { *x = 2; }'
    first, _ = compile_with(folder, cache, clang, KERNEL)
    (entry,) = (cache / "kernels").glob("*.so")
    whole = entry.read_bytes()
    compile_with(folder, cache, clang, other)
    others = [path for path in (cache / "kernels").iterdir() if path.suffix in (".so", ".answer") and path != entry]
    assert {path.suffix for path in others} == {".so", ".answer"}
    for path in others:
        entry.write_bytes(path.read_bytes())
        out, err = compile_with(folder, cache, clang, KERNEL)
        assert out == first
        assert "damaged" in err
        assert len(entry.read_bytes()) == len(whole)


@pytest.mark.parametrize("own_name", [True, False])
def test_the_version_of_a_compiler_is_remembered(
    folder: Path, cache: Path, clang: str, tmp_path: Path, own_name: bool
) -> None:
    """The answer holds as long as the file of the compiler stays the same; a wrapper may call another one any time."""
    program = shutil.which(clang)
    assert program
    wrapper = tmp_path / ("own-clang" if own_name else "wrapper")
    wrapper.write_text(f'#!/bin/sh\nexec {program} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    question = f"starts {wrapper} --version"
    out, err = compile_with(folder, cache, str(wrapper), KERNEL)
    assert err.count(question) == 1
    again, err = compile_with(folder, cache, str(wrapper), KERNEL)
    assert again == out
    assert err.count("cuda_shim: starts ") == (0 if own_name else 1)
    assert err.count(question) == (0 if own_name else 1)
    os.utime(wrapper, (1, 1))
    _, err = compile_with(folder, cache, str(wrapper), KERNEL)
    assert err.count(question) == 1


def test_it_is_told_where_the_time_goes(folder: Path, cache: Path, clang: str) -> None:
    _, err = compile_with(folder, cache, clang, KERNEL)
    assert re.search(r"kernel.cu: read in \d+ ms, compiled in \d+ ms, linked in \d+ ms", err), err


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


@pytest.mark.parametrize(
    ("mode", "owner", "is_used"), [(0o755, -1, True), (0o1777, -1, True), (0o777, -1, False), (0o755, 12345, False)]
)
def test_folders_above_that_others_can_exchange(
    folder: Path, tmp_path: Path, counting_compiler: Path, mode: int, owner: int, is_used: bool
) -> None:
    """Kernels are neither written nor read where another user could put a folder of theirs in the place of one."""
    if owner >= 0 and os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    cache = tmp_path / "above" / "home" / "cache"
    cache.mkdir(parents=True)
    finish(start(folder, cache, counting_compiler))
    assert marks(counting_compiler) == 1
    (tmp_path / "above").chmod(mode)
    os.chown(tmp_path / "above", owner, -1)
    out, err = finish(start(folder, cache, counting_compiler))
    assert out.split()[1] == "1"
    assert marks(counting_compiler) == (1 if is_used else 2)
    assert ("it or a folder above it is not owned by you" in err) is not is_used


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
