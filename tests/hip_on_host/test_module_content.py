"""Parts that no kernel module may have: an image with one is refused before it is mapped, whoever made it."""

from __future__ import annotations

import ctypes
import functools
import os
import shlex
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from hip_on_host import module_table
from tests.hip_on_host.hiprtc_program import Kernels, find_compiler
from tests.hip_on_host.kernel_modules import FLAGS, HERE

COMPILERS = ["clang++-19", "g++", "zig"]
INIT_FAILED = 303  # hipErrorSharedObjectInitFailed
#: The part of a module's image, by the number in modules/walls.cpp, and the words of its refusal.
WALLS = {
    "constructor": (1, "a function that runs as it is loaded or unloaded"),
    "destructor": (2, "a function that runs as it is loaded or unloaded"),
    "_init": (3, "a function that runs as it is loaded or unloaded"),
    "_fini": (4, "a function that runs as it is loaded or unloaded"),
    "resolver": (5, "a resolver"),
    "section": (6, "the section elsewhere"),
    "memcpy": (7, "the symbol memcpy"),
    "symbol of the C library": (8, "the symbol __libc_single_threaded"),
    "object": (9, "a function that runs as it is loaded or unloaded"),
    "import": (10, "the module calls getenv"),
}
PROGRAM = 'extern "C" __global__ void k(int* out) { out[0] = 1; }'
PT_DYNAMIC, PT_GNU_STACK = 2, 0x6474E551


@functools.cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="cuda_shim-walls-")


@functools.cache
def image(compiler: str, wall: int) -> bytes:
    command = find_compiler(compiler)
    if not command:
        pytest.skip(f"there is no {compiler}")
    target = Path(folder().name) / f"{compiler.replace('+', 'x')}-{wall}.so"
    words, flags = shlex.split(command), [flag for flag in FLAGS if flag != "-nostdlib"]
    # zig has no headers for a command that links without libraries, and ends a program at undefined behaviour.
    own = ["-fno-sanitize=all"] if compiler == "zig" else []
    source, made = HERE / "modules/walls.cpp", target.with_suffix(".o")
    subprocess.run(
        [*words, *flags, *own, "-w", f"-DWALL={wall}", "-fvisibility=hidden", "-c", source, "-o", made], check=True
    )
    linking = ["-Wl,-z,undefs"] if compiler == "zig" else []
    subprocess.run([*words, "-shared", "-nostdlib", made, *linking, "-o", target], check=True)
    return target.read_bytes()


def load(hip: ModuleType, code: bytes, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Load and unload an image; return the status with what was printed meanwhile."""
    capfd.readouterr()
    status, module = hip.hipModuleLoadData(code)
    if int(status) == 0:
        hip.hipModuleUnload(module)
    ctypes.CDLL(None).fflush(None)
    out, err = capfd.readouterr()
    return int(status), out + err


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_module_with_none_of_them_is_loaded(
    hip: ModuleType, compiler: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert load(hip, image(compiler, 0), capfd)[0] == 0


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("wall", WALLS)
def test_walls(hip: ModuleType, compiler: str, wall: str, capfd: pytest.CaptureFixture[str]) -> None:
    number, words = WALLS[wall]
    status, printed = load(hip, image(compiler, number), capfd)
    assert (status, words in printed, "REACHED" in printed) == (INIT_FAILED, True, False), printed


def test_the_walls_are_climbed_without_them() -> None:
    """The images are no duds: the loader runs their functions, and finds their names."""
    reached = []
    for wall in ("constructor", "destructor", "_init", "_fini", "resolver", "object"):
        path = Path(folder().name) / "alone.so"
        path.write_bytes(image("g++", WALLS[wall][0]))
        code = f"import ctypes, _ctypes; _ctypes.dlclose(ctypes.CDLL({str(path)!r})._handle); ctypes.CDLL(None).fflush(None)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
        reached.append("REACHED" in done.stdout)
    assert all(reached), reached


def with_dynamic_entry(code: bytes, tag: int, value: int) -> bytes:
    """Return a module whose first empty dynamic entry is this one."""
    changed = bytearray(code)
    segments, count = struct.unpack_from("<Q", code, 32)[0], struct.unpack_from("<H", code, 56)[0]
    for at in range(segments, segments + count * 56, 56):
        kind, _, offset, *_, size, _, _ = struct.unpack_from("<IIQQQQQQ", code, at)
        if kind != PT_DYNAMIC:
            continue
        places = range(offset, offset + size, 16)
        empty = [place for place in places if struct.unpack_from("<q", code, place)[0] == 0]
        assert len(empty) >= 2
        struct.pack_into("<qQ", changed, empty[0], tag, value)
    return without_seal(changed)


def without_seal(changed: bytearray) -> bytes:
    changed[24:32] = bytes(8)
    return bytes(changed)


@pytest.mark.parametrize(
    "tag, words",
    [(12, "a function that runs"), (13, "a function that runs"), (25, "a function that runs"), (32, "a function that runs"),
     (1, "the library "), (0x7FFFFFFD, "the dynamic entry"), (0x6FFFFEFC, "the dynamic entry")],
    ids=["DT_INIT", "DT_FINI", "DT_INIT_ARRAY", "DT_PREINIT_ARRAY", "DT_NEEDED", "DT_AUXILIARY", "DT_AUDIT"],
)  # fmt: skip
def test_entries_that_the_loader_acts_on(
    hip: ModuleType, programs: Kernels, capfd: pytest.CaptureFixture[str], tag: int, words: str
) -> None:
    code = programs.compile(PROGRAM).code
    assert load(hip, code, capfd)[0] == 0
    status, printed = load(hip, with_dynamic_entry(code, tag, 1), capfd)
    assert (status, words in printed) == (INIT_FAILED, True), printed


def test_stacks_hold_no_code(hip: ModuleType, programs: Kernels, capfd: pytest.CaptureFixture[str]) -> None:
    code = programs.compile(PROGRAM).code
    changed = bytearray(code)
    segments, count = struct.unpack_from("<Q", code, 32)[0], struct.unpack_from("<H", code, 56)[0]
    for at in range(segments, segments + count * 56, 56):
        if struct.unpack_from("<I", code, at)[0] == PT_GNU_STACK:
            struct.pack_into("<I", changed, at + 4, 7)
    status, printed = load(hip, without_seal(changed), capfd)
    assert (status, "code on its stacks" in printed) == (INIT_FAILED, True), printed


def test_a_module_from_a_file(
    hip: ModuleType, programs: Kernels, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "module"
    for code, expected in ((programs.compile(PROGRAM).code, 0), (image("g++", 3), INIT_FAILED)):
        path.write_bytes(code)
        assert int(hip.hipModuleLoad(os.fsencode(path))[0]) == expected
    assert "REACHED" not in capfd.readouterr().out


def test_a_compiled_module_has_no_start(programs: Kernels) -> None:
    """Nor do linked ones; compilers' own starts, of checked kernels, are taken out."""
    for options in ((), ("-fgpu-rdc",)):
        code = programs.compile(PROGRAM, *options).code
        segments, count = struct.unpack_from("<Q", code, 32)[0], struct.unpack_from("<H", code, 56)[0]
        tags = set()
        for at in range(segments, segments + count * 56, 56):
            kind, _, offset, *_, size, _, _ = struct.unpack_from("<IIQQQQQQ", code, at)
            if kind == PT_DYNAMIC:
                tags |= {struct.unpack_from("<q", code, place)[0] for place in range(offset, offset + size, 16)}
        assert tags
        assert not tags & {12, 13, 25, 26, 27, 28, 32, 33}


def test_kernels_are_listed_without_loading(hip: ModuleType, programs: Kernels) -> None:
    source = """__device__ int v[3]; extern "C" __global__ void memcpy(char c, double d, int* p) { p[0] = c + d + v[0]; }
    template <class T> __global__ void scale(T* x, T by) { x[0] *= by; } extern "C" __global__ void none() {}"""
    for options in ((), ("-fgpu-rdc",)):
        compiled = programs.compile(source, "--cuda-shim-cuda=13050", *options, names=["scale<float>", "scale<short>"])
        names = {name for name, _ in module_table.read_kernels(compiled.code)}
        assert names == {"memcpy", "none", "_Z5scaleIfEvPT_S0_", "_Z5scaleIsEvPT_S0_"}
        sizes = dict(module_table.read_kernels(compiled.code))
        assert (sizes["memcpy"], sizes["none"], sizes["_Z5scaleIsEvPT_S0_"]) == ([1, 8, 8], [], [8, 2])
    for damaged in (b"", b"\x7fELF" + bytes(60), compiled.code[:500]):
        with pytest.raises((ValueError, struct.error)):
            module_table.read_kernels(damaged)


NO_ROOM = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
status, _ = hip.hipModuleLoadData(open(CODE, "rb").read())
print(int(status))
"""


def test_a_module_that_cannot_be_written_whole_is_not_loaded(
    run_hip: Callable[..., str], programs: Kernels, tmp_path: Path
) -> None:
    """Neither into memory nor into a file: the process goes on."""
    path = tmp_path / "module"
    path.write_bytes(programs.compile(PROGRAM).code)
    assert path.stat().st_size > 4096
    program = NO_ROOM.replace("CODE", repr(str(path)))
    assert run_hip(program, CUDA_SHIM_CACHE_DIR=str(tmp_path)).split() == [str(INIT_FAILED)]
