"""Clusters of blocks: shared memory of other blocks, ranks, barriers, the largest size, and refusals.

    python -m cuda_shim run --backend cpu --cpu-compute-capability 9.0 -m tests.kernels.cluster_worker

On an NVIDIA GPU with clusters, with NVIDIA's own CUDA Python, a folder with CUDA's headers is to be named:

    python -m tests.kernels.cluster_worker /usr/local/cuda/include

Prints a line for each part.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
from cuda.bindings import driver

from tests.kernels.core_worker import begin, check, compiled
from tests.program_files import read_program

INVALID = int(driver.CUresult.CUDA_ERROR_INVALID_CLUSTER_SIZE)
SOURCE = read_program(__file__, "clusters.cu")


def build(folders: list[str]) -> dict[str, Any]:
    """The kernels by their names."""
    code = compiled(SOURCE, ["-arch=sm_90", *(f"-I{folder}" for folder in folders)], "clusters.cu")
    module = check(driver.cuModuleLoadData(code))
    names = ("histogram", "pairs", "faulty")
    return {name: check(driver.cuModuleGetFunction(module, name.encode())) for name in names}


def launch(
    kernel: Any, grid: tuple[int, int], cluster: tuple[int, ...], arguments: Any, *more: Any, threads: int = 64
) -> int:
    """Launch with clusters of this size and return the status of the launch."""
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = (*grid, 1)
    config.blockDimX, config.blockDimY, config.blockDimZ, config.sharedMemBytes = threads, 1, 1, 128
    size = driver.CUlaunchAttribute()
    size.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    size.value.clusterDim.x, size.value.clusterDim.y, size.value.clusterDim.z = cluster
    config.attrs = [size, *more]
    config.numAttrs = len(config.attrs)
    return int(driver.cuLaunchKernelEx(config, kernel, arguments, 0)[0])


def may_be_large(kernel: Any, given: Any) -> None:
    """More than eight blocks, which not every device takes, are for kernels that allow it."""
    allowed = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = 16, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = 64, 1, 1
    for value, most in ((0, 8), (-1, 16)):
        assert int(driver.cuFuncSetAttribute(kernel, allowed, value)[0]) == 0
        assert check(driver.cuFuncGetAttribute(allowed, kernel)) == (value != 0)
        assert check(driver.cuOccupancyMaxPotentialClusterSize(kernel, config)) == most
        for size in (4, 8, 16, 32):
            wanted = 0 if size <= most else INVALID
            assert launch(kernel, (size, 1), (size, 1, 1), given) == wanted, (size, value)
    print("more than eight blocks")


def set_for_launches(kernel: Any, given: Any) -> None:
    """A program may set the size of clusters for all launches of a kernel."""
    attribute = driver.CUfunction_attribute
    sides = [getattr(attribute, f"CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_{side}") for side in ("WIDTH", "HEIGHT", "DEPTH")]
    for side, value in zip(sides, (2, 1, 1), strict=True):
        assert int(driver.cuFuncSetAttribute(kernel, side, -1)[0]) == int(driver.CUresult.CUDA_ERROR_INVALID_VALUE)
        assert int(driver.cuFuncSetAttribute(kernel, side, value)[0]) == 0
        assert check(driver.cuFuncGetAttribute(side, kernel)) == value
    for cluster, wanted in (((2, 1, 1), 0), ((4, 1, 1), INVALID), ((1, 1, 1), INVALID)):
        assert launch(kernel, (4, 1), cluster, given) == wanted, cluster
    assert int(driver.cuLaunchKernel(kernel, 4, 1, 1, 64, 1, 1, 128, 0, given, 0)[0]) == 0
    assert int(driver.cuLaunchKernel(kernel, 5, 1, 1, 64, 1, 1, 128, 0, given, 0)[0]) == INVALID
    policy = attribute.CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE
    for value, kept in ((2, 2), (3, 2), (-1, 2), (0, 0)):
        assert (int(driver.cuFuncSetAttribute(kernel, policy, value)[0]) == 0) == (value == kept)
        assert check(driver.cuFuncGetAttribute(policy, kernel)) == kept
    print("set for all launches")


def not_here(kernel: Any, given: Any) -> None:
    """The CPU runtime has no clusters in cooperative launches; a GPU has."""
    cooperative = driver.CUlaunchAttribute()
    cooperative.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    cooperative.value.cooperative = 1
    not_supported = int(driver.CUresult.CUDA_ERROR_NOT_SUPPORTED)
    assert launch(kernel, (4, 1), (2, 1, 1), given, cooperative) == not_supported


def main(folders: list[str]) -> None:
    """Run the kernels and compare their results."""
    begin()
    kernels = build(folders)
    x = np.random.default_rng(1).integers(0, 32, 5000).astype(np.int32)
    bins, facts, out = np.zeros(32, np.int32), np.zeros((16, 8), np.int32), np.zeros(6 * 32, np.int32)
    places = [int(check(driver.cuMemAlloc(array.nbytes))) for array in (x, bins, facts, out)]
    driver.cuMemcpyHtoD(places[0], x.ctypes.data, x.nbytes)
    kinds = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    given = ((places[0], len(x), places[1], places[2]), kinds)
    may_be_large(kernels["histogram"], given)
    for grid, cluster in (((8, 1), (4, 1, 1)), ((4, 4), (2, 2, 1)), ((4, 4), (4, 4, 1)), ((16, 1), (1, 1, 1))):
        driver.cuMemsetD8(places[1], 0, bins.nbytes)
        assert launch(kernels["histogram"], grid, cluster, given) == 0
        assert int(driver.cuCtxSynchronize()[0]) == 0
        driver.cuMemcpyDtoH(bins.ctypes.data, places[1], bins.nbytes)
        driver.cuMemcpyDtoH(facts.ctypes.data, places[2], facts.nbytes)
        assert (bins == np.bincount(x, minlength=32)).all(), (grid, cluster)
        width, height, blocks = cluster[0], cluster[1], cluster[0] * cluster[1]
        for block in range(grid[0] * grid[1]):
            across, down = block % grid[0], block // grid[0]
            rank = across % width + width * (down % height)
            right = (rank + 1) % blocks
            spaces = right + 100100 + 10000 * (right == rank)
            wanted = [100 + right, rank, across // width, down // height, spaces, rank * 64 + 3, blocks * 64]
            wanted.append(across % width + 10 * (down % height) + 100 * width)
            assert facts[block].tolist() == wanted, (grid, cluster, block, facts[block], wanted)
    print("shared memory of the cluster, and ranks")

    only = ((places[3],), (ctypes.c_void_p,))
    assert int(driver.cuLaunchKernel(kernels["pairs"], 6, 1, 1, 32, 1, 1, 0, 0, only, 0)[0]) == 0
    driver.cuMemcpyDtoH(out.ctypes.data, places[3], out.nbytes)
    assert out.reshape(6, 32)[:, ::31].tolist() == [[(block ^ 1) * 10 + 2] * 2 for block in range(6)]
    attribute = driver.CUfunction_attribute
    for name, value in (("CLUSTER_SIZE_MUST_BE_SET", 1), ("REQUIRED_CLUSTER_WIDTH", 2), ("REQUIRED_CLUSTER_DEPTH", 1)):
        of = getattr(attribute, f"CU_FUNC_ATTRIBUTE_{name}")
        assert check(driver.cuFuncGetAttribute(of, kernels["pairs"])) == value
    print("__cluster_dims__")

    set_for_launches(kernels["histogram"], given)
    assert int(driver.cuLaunchKernel(kernels["pairs"], 5, 1, 1, 32, 1, 1, 0, 0, only, 0)[0]) == INVALID
    assert launch(kernels["pairs"], (4, 1), (4, 1, 1), only) == INVALID
    assert launch(kernels["faulty"], (6, 1), (4, 1, 1), only) == INVALID
    assert launch(kernels["faulty"], (32, 1), (32, 1, 1), only) == INVALID
    print("what cannot be")
    if not folders:
        not_here(kernels["faulty"], only)

    assert launch(kernels["faulty"], (8, 1), (4, 1, 1), only) == 0
    assert int(driver.cuCtxSynchronize()[0]) == int(driver.CUresult.CUDA_ERROR_LAUNCH_FAILED)
    print("a fault ends them all")


if __name__ == "__main__":
    main(sys.argv[1:])
