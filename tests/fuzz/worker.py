"""One process of the fuzzer: `python -m tests.fuzz.worker LAYOUT SEED FROM TO PROGRESS`.

Call number N of a seed always gets the same random numbers. PROGRESS is a file of 256 bytes: the number and the name of
the call that is under way, so that the parent process knows the call that ended this one.
"""

from __future__ import annotations

import faulthandler
import gc
import mmap
import os
import random
import struct
import sys
import warnings
from typing import Any

PROGRESS_BYTES = 256
#: After more than STUCK answers in a row that report an earlier sticky fault, the program resets the device.
STUCK = 40
STICKY = (700, 710, 719)
#: These calls end the objects of everything before, so they are made more seldom.
SELDOM = ("cudaDeviceReset", "cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease", "cuCtxDestroy", "cuCtxSetCurrent",
          "cuCtxPopCurrent", "nvrtcCompileProgram", "cuLinkComplete", "cuModuleUnload", "cuLibraryUnload")  # fmt: skip


#: Words of the functions whose `void*` is memory. Others return no memory there, or handles, which no library can tell
#: apart.
GIVE_MEMORY = ("Malloc", "Alloc", "GetGlobal", "GetManaged", "GetSymbolAddress", "GetDevicePointer", "AddressReserve")


def main() -> None:
    layout, seed, first, last, progress = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
    faulthandler.enable()
    faulthandler.register(10, all_threads=True)  # SIGUSR1, from a campaign that finds this hanging
    warnings.simplefilter("ignore")
    given = os.environ.get("CUDA_SHIM_TEST_RUNTIME")  # a build with sanitizers
    if given:
        from cuda_shim.backends import host_libraries

        host_libraries.ensure_libraries = lambda *_: given
        from cuda_shim.c_level import build as c_level

        c_level.COMPILE += ("-fsanitize=address,undefined", "-fno-sanitize=vptr,function", "-fno-sanitize-recover=all")
        c_level.RECIPE = "sanitized"
    import cuda_shim

    cuda_shim.enable(backend="cpu", cuda=layout)
    run(layout, seed, first, last, progress)


def run(layout: str, seed: int, first: int, last: int, progress: str) -> None:
    """Make the calls from number `first` until before `last`."""
    from tests.fuzz.arguments import Maker
    from tests.fuzz.c_calls import CCaller
    from tests.fuzz.world import World

    world = World(layout)
    world.prepare()
    world.include_header()
    gc.freeze()  # the tables and classes stay, and each collection would go through them
    names = list(world.rows)
    weights = [0.05 if name.startswith(SELDOM) else 1.0 for _, name in names]
    with open(progress, "r+b") as opened:
        board = mmap.mmap(opened.fileno(), PROGRESS_BYTES)
    in_c = CCaller(world, layout) if os.environ.get("FUZZ_LEVEL") == "c" else None
    shown, stuck = int(os.environ.get("FUZZ_SHOW", "-1")), 0
    for number in range(first, last):
        numbers = random.Random(f"{seed}/{number}")  # noqa: S311 (a seed has to give the same numbers again)
        table, name = numbers.choices(names, weights)[0]
        board[:64] = struct.pack("q56s", number, f"{table}.{name}".encode())
        row = world.rows[table, name]
        arguments = Maker(world, numbers).arguments(row, table)
        if number >= shown >= 0:
            print(f"{number}: {table}.{name}({', '.join(map(reported, arguments))})", file=sys.stderr, flush=True)
        if in_c is None:
            status = call(world, table, name, arguments)
        else:
            status = in_c.call(table, name, arguments, numbers)
        if numbers.random() < 0.02:
            for argument in arguments:
                reported(argument)
        stuck = stuck + 1 if status in STICKY else 0
        if stuck > STUCK:
            world.modules["runtime"].cudaDeviceReset()
            world.load_kernels()
            stuck = 0
        if number % 500 == 499:
            world.load_kernels()
            gc.collect()
    board[:64] = struct.pack("q56s", last, b"the end of the program")


def call(world: Any, table: str, name: str, arguments: list[Any]) -> int:
    """Call, and keep the results; the status, or -1 for a Python error, which is an answer too."""
    row = world.rows[table, name]
    try:
        result = getattr(world.modules[table], name)(*arguments)
    except (TypeError, ValueError, OverflowError, RuntimeError, AttributeError, BufferError, MemoryError):
        return -1
    if not isinstance(result, tuple) or not result:
        return 0
    for parameter, value in zip(row.outputs, result[1:], strict=False):
        if value is not None and parameter.base not in ("char",):
            for one in value if isinstance(value, (list, tuple)) else [value]:
                if parameter.base != "void" or any(word in name for word in GIVE_MEMORY):
                    keep(world, parameter.base, table, one)
    return int(result[0])


def keep(world: Any, base: str, table: str, value: Any) -> None:
    """Remember an object; memory is kept as a device pointer, also if its address has another type in C."""
    if isinstance(value, (bytes, float, str)):
        return
    if base == "void" and isinstance(value, int):
        world.keep("CUdeviceptr", world.class_of("CUdeviceptr", "driver")(value & (1 << 64) - 1))
    elif not isinstance(value, int):
        world.keep(world.family(base, table), value)


def reported(value: Any) -> str:
    """A value as text; a struct's members are read for it."""
    try:
        return repr(value)[:300] if not hasattr(value, "__row__") else f"{type(value).__name__}({value})"[:2000]
    except (TypeError, ValueError, OverflowError, RuntimeError, AttributeError, MemoryError) as error:
        return f"<{type(value).__name__}, {error!r}>"


if __name__ == "__main__":
    main()
