"""Programs that use CUDA's C++ core libraries and tensor cores, on numbers that numpy has too.

python -m cuda_shim run --backend cpu tests/kernels/core_worker.py FOLDER...

FOLDER has the core libraries' headers; without one only the programs that need none of them are run. Prints a line for
each program.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.program_files import read_program

REDUCE = read_program(__file__, "core_reduce.cu")
BARRIER = read_program(__file__, "core_barrier.cu")
WAITING = read_program(__file__, "core_waiting.cu")
STANDARD = read_program(__file__, "core_standard.cu")
PIPELINE = read_program(__file__, "core_pipeline.cu")
MATRICES = read_program(__file__, "core_matrices.cu")
INSTRUCTIONS = read_program(__file__, "core_instructions.cu")
PRODUCT_OF_BYTES = read_program(__file__, "core_product_of_bytes.cu")
BYTES = read_program(__file__, "core_bytes.cu")


def check(result: tuple[Any, ...]) -> Any:
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def compiled(source: str, options: list[str], name: str) -> bytes:
    """Return the code of a program. Raises AssertionError with the log where it does not compile."""
    return built(check(nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, None, None)), options)


def built(program: Any, options: list[str]) -> bytes:
    """Compile a program that was made; the same."""
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    # Two bytes at least: Python has one object for all bytes of one value, and NVRTC writes to it.
    log = b"  " * check(nvrtc.nvrtcGetProgramLogSize(program))
    nvrtc.nvrtcGetProgramLog(program, log)
    assert int(status) == 0, log.decode(errors="replace")
    code = b" " * check(nvrtc.nvrtcGetCUBINSize(program))
    check((*nvrtc.nvrtcGetCUBIN(program, code), None))
    return code


def run(source: str, folders: list[str], threads: int, x: Any, out: Any, shared: int = 0) -> Any:
    """Compile `source`, launch its kernel on a block, and return `out` as the kernel left it."""
    options = ["--gpu-architecture=compute_80", *(f"-I{folder}" for folder in folders)]
    code = compiled(source, options, "core.cu")
    kernel = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(code)), b"kernel"))
    arguments = np.zeros(2, np.uint64)
    for index, array in enumerate((x, out)):
        arguments[index] = int(check(driver.cuMemAlloc(array.nbytes)))
        driver.cuMemcpyHtoD(int(arguments[index]), array.ctypes.data, array.nbytes)
    places = np.array([arguments.ctypes.data, arguments.ctypes.data + 8], np.uint64)
    driver.cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, shared, 0, places.ctypes.data, 0)
    check((*driver.cuCtxSynchronize(), None))
    driver.cuMemcpyDtoH(out.ctypes.data, int(arguments[1]), out.nbytes)
    return out


def piped(x: Any) -> Any:
    """The expected result of PIPELINE."""
    result = []
    with np.errstate(over="ignore"):
        for thread in range(128):
            first = second = np.int32(0)
            for value in x:
                first = np.int32(first * np.int32(3) + value)
                second = np.int32(second * np.int32(5) + value)
            result.append(np.int32(first + (second if thread >= 32 else np.int32(0))) ^ x[thread])
    return np.array(result, np.int32)


def begin() -> None:
    """Make the device's context current."""
    driver.cuInit(0)
    driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(0)))))


def main(folders: list[str]) -> None:
    """Run the programs and compare their results."""
    begin()
    rng = np.random.default_rng(7)
    x = rng.integers(-100, 100, 128).astype(np.int32)
    if folders:
        assert run(REDUCE, folders, 128, x, np.zeros(1, np.int32))[0] == x.sum()
        print("cub::BlockReduce")
        assert run(BARRIER, folders, 128, x, np.zeros(2, np.int32)).tolist() == [x.sum(), x[127]]
        print("cuda::barrier")
        assert (run(PIPELINE, folders, 128, x, np.zeros(128, np.int32)) == piped(x)).all()
        print("cuda::pipeline")
        assert run(STANDARD, folders, 1, x, np.zeros(2, np.int32)).tolist() == [-3 + x[3] + 3, 2**31 - 1]
        print("cuda::std")
    assert run(BARRIER, [], 128, x, np.zeros(2, np.int32)).tolist() == [x.sum(), x[127]]
    print("our cuda::barrier")
    assert (run(PIPELINE, [], 128, x, np.zeros(128, np.int32)) == piped(x)).all()
    print("our cuda::pipeline")
    assert run(WAITING, [], 128, x, np.zeros(4, np.int32)).tolist() == [256, 256, x.sum(), max(x)]
    print("our latch and semaphore")
    half = rng.standard_normal((16, 32)).astype(np.float16)
    wanted = 2 * (half.astype(np.float64) @ half.astype(np.float64).T + 1)
    assert np.allclose(run(MATRICES, [], 32, half, np.zeros((16, 16), np.float32)), wanted, rtol=1e-5, atol=1e-5)
    print("wmma of half")
    small = rng.integers(-128, 128, (32, 16)).astype(np.int8)
    wide = small.astype(np.int32)
    assert (run(BYTES, [], 32, small, np.zeros((32, 8), np.int32)) == wide @ wide[:8].T).all()
    print("wmma of bytes")
    square = rng.standard_normal((16, 16)).astype(np.float16)
    wanted = square.astype(np.float64) @ square[:8].astype(np.float64).T + 1
    assert np.allclose(
        run(INSTRUCTIONS, [], 32, square, np.zeros((16, 8), np.float32), 128), wanted, rtol=1e-5, atol=1e-5
    )
    print("cp.async, ldmatrix and mma.sync of half")
    small = rng.integers(-128, 128, (16, 32)).astype(np.int8)
    wide = small.astype(np.int32)
    wanted = wide @ wide[:8].T
    wanted[8:, 1::2] += 5
    assert (run(PRODUCT_OF_BYTES, [], 32, small, np.zeros((16, 8), np.int32)) == wanted).all()
    print("mma.sync of bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
