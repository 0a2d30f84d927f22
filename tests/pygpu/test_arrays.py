"""GPUArray: indexing beside numpy's, and refused indices."""

from __future__ import annotations

import array as python_array
import gc
import random

import numpy as np
import pytest

from cuda_shim.pygpu import kernels
from tests.adapters.answers import ok
from tests.interpreters import run_code
from tests.kernels import compilers
from tests.program_files import read_program

WHOLE = np.arange(120).reshape(2, 3, 4, 5)

INDICES = [
    0, -1, (1, 2), (1, 2, 3, 4), np.int64(1), slice(None), slice(1, None), slice(None, None, -1), ..., (..., 0),
    (..., slice(None, None, 2)), (0, ..., 1), (slice(None), 1), (None, 0), (0, None, ..., None), (), slice(5, 2),
    (slice(None), slice(2, None, -2), slice(1, 3), slice(None, None, -1)), (..., slice(3, None, -3), slice(0)),
    [0, 1], [1, 1, 0], (0, [2, 0]), ([0, 1], [2, 0]), (slice(None), [[0, 1], [2, 2]]), True, [True, False],
    np.array([False, True]), WHOLE > 60, WHOLE < 0, (..., np.array([4, -5])),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_an_index_means_what_it_means_to_numpy(gpu, index):
    found = gpu.to_gpu(WHOLE)[index]
    assert isinstance(found, gpu.GPUArray)
    assert found.shape == WHOLE[index].shape
    assert np.array_equal(found.get(), WHOLE[index])


def test_every_dtype_is_indexed(gpu, dtype):
    data = (np.arange(60) - 30).astype(dtype).reshape(4, 15)
    array = gpu.to_gpu(data)
    for index in ((slice(None, None, -1), slice(1, None, 3)), (2, 7), [3, 0]):
        assert np.array_equal(array[index].get(), data[index])
        assert array[index].dtype == dtype


def test_random_slices_beside_numpy(gpu):
    chance = random.Random(16)  # noqa: S311  the same indices each time
    for _ in range(150):
        shape = tuple(chance.randint(0, 6) for _ in range(chance.randint(1, 5)))
        data = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
        index = tuple(
            chance.choice(
                [slice(None), slice(chance.randint(-7, 7), chance.randint(-7, 7), chance.choice([-3, -1, 1, 2]))]
                + ([chance.randrange(-length, length)] if length else [])
            )
            for length in shape[: chance.randint(0, len(shape))]
        )
        assert np.array_equal(gpu.to_gpu(data)[index].get(), data[index]), (shape, index)


def test_a_large_slice_is_longer_than_the_grid(gpu):
    data = np.arange(1 << 25, dtype=np.int16).reshape(2, -1)
    assert np.array_equal(gpu.to_gpu(data)[1, ::-1].get(), data[1, ::-1])
    assert np.array_equal(gpu.to_gpu(data)[:, 1:].get(), data[:, 1:])


def test_indexing_runs_kernels_on_the_device():
    """By the counters of the shim: the program's calls compile and launch, and copy nothing to the host."""
    code = """
import cuda_shim, numpy as np
with cuda_shim.enable(backend="cpu", report="record"):
    import PyGPU
    array = PyGPU.to_gpu(np.arange(10))
    part = array[2:8:3]
    calls = {name: call["count"] for name, call in cuda_shim.report().as_dict()["calls"].items()}
    assert calls["nvrtcCompileProgram"] == calls["cuLaunchKernel"] == 1, calls
    assert calls["cudaMemcpy"] == 1, calls
    assert part.get().tolist() == [2, 5]
"""
    run_code(code, CUDA_SHIM_QUIET="1")


@pytest.mark.parametrize("index", [4, (0, 0, 0), "name", 1.5, [9], (slice(None), 3.0), np.array([0.5])], ids=repr)
def test_a_wrong_index_is_numpys_error(gpu, index):
    data = np.arange(6).reshape(2, 3)
    with pytest.raises(IndexError) as theirs:
        data[index]
    with pytest.raises(IndexError) as ours:
        gpu.to_gpu(data)[index]
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
def test_the_kernels_are_cuda(layout):
    """NVIDIA's own NVRTC compiles them, which takes no GPU."""
    compiler = compilers.nvrtc().get(layout)
    if compiler is None:
        pytest.skip(f"NVRTC {layout} is not installed")
    for size in (2, 4, 8, 16):
        done = compiler.compile(kernels.source_for(size).encode(), b"pygpu.cu", [b"-arch=compute_80"])
        assert done.status == 0, done.log


def test_threads_index_at_once():
    """In a fresh process, so that all of them find the kernels missing."""
    code = """
import concurrent.futures, cuda_shim, numpy as np
with cuda_shim.enable(backend="cpu"):
    import PyGPU
    data = np.arange(4096.0)
    def work(number):
        return all(np.array_equal(PyGPU.to_gpu(data)[number::3].get(), data[number::3]) for _ in range(50))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
"""
    run_code(code, CUDA_SHIM_QUIET="1")


def test_an_index_may_be_on_the_device(gpu):
    array = gpu.to_gpu(np.array([1.5, 2.5, 3.5]))
    assert array[gpu.to_gpu(np.array([2, 0]))].get().tolist() == [3.5, 1.5]


def test_len_and_iteration(gpu):
    array = gpu.to_gpu(np.array([[1, 2], [3, 4]]))
    assert len(array) == 2
    assert [row.get().tolist() for row in array] == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="without dimensions"):
        len(array[0, 0])


def test_a_part_is_an_array_of_its_own(gpu, double):
    array = gpu.to_gpu(np.array([1, 2, 3, 4]))
    part = array[1:3]
    double(part.ptr, 2)
    assert part.get().tolist() == [4, 6]
    assert array.get().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "buffer",
    [python_array.array("d", [1, 2]), memoryview(python_array.array("H", [1, 2])), np.float32(3), np.zeros((0, 3)),
     np.array(5), np.asfortranarray(np.arange(6).reshape(2, 3)), np.arange(20)[::-3], np.arange(6).reshape(2, 3).T],
    ids=["array", "memoryview", "scalar", "empty", "zero dimensions", "Fortran", "strided", "transposed"],
)  # fmt: skip
def test_buffers_of_every_kind(gpu, buffer):
    expected = np.asarray(buffer)
    array = gpu.to_gpu(buffer)
    assert array.shape == expected.shape
    assert np.array_equal(array.get(), expected)
    array.to_gpu()
    assert np.array_equal(array.get(), expected)


def test_the_buffer_is_filled_by_to_host(gpu, double):
    for data in (np.array([1, 2, 3, 4]), np.array([1, 0, 2, 0, 3, 0, 4, 0])[::2]):
        array = gpu.to_gpu(data)
        double(array.ptr, 4)
        array.to_host()
        assert data.tolist() == [2, 4, 6, 8]
    data = np.array([1, 2])
    array = gpu.GPUArray(data, copy=True)
    double(array.ptr, 2)
    array.to_host()
    assert (data.tolist(), array.host_data.get().tolist()) == ([1, 2], [2, 4])


def test_a_shape_in_every_form(gpu):
    for array in (gpu.GPUArray((4,), np.int32), gpu.GPUArray([4], "int32"), gpu.GPUArray(4, dtype=np.dtype("i4")),
                  gpu.GPUArray(shape=(4,), dtype="int32")):  # fmt: skip
        assert (array.shape, array.strides, array.ndim, array.nbytes) == ((4,), (4,), 1, 16)
    assert gpu.GPUArray((2,), "double").dtype == np.float64
    assert gpu.GPUArray((), "int16").get().shape == ()
    assert gpu.GPUArray((0, 3), "int16").get().shape == (0, 3)


def test_set_sends_other_data(gpu):
    array = gpu.GPUArray((2, 2), np.float32)
    array.set(np.array([[1, 2], [3, 4]], np.float32).T)
    assert array.get().tolist() == [[1, 3], [2, 4]]
    with pytest.raises(ValueError, match=r"set\(\): the array is of shape \(2, 2\), the data are of \(4,\)"):
        array.set(np.zeros(4, np.float32))
    with pytest.raises(TypeError, match=r"set\(\): the array is of dtype float32, the data are of float64"):
        array.set(np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (((3,), "int8"), TypeError, "dtype int8 is not supported; PyGPU has int16, int32"),
        (((3,), "nonsense"), TypeError, "'nonsense' is no dtype"),
        (((3,), np.dtype("int32").newbyteorder()), TypeError, "byte order of other machines"),
        (((3,),), TypeError, "takes a dtype as well"),
        ((), TypeError, "takes a buffer or a shape"),
        ((np.zeros(3, bool),), TypeError, "dtype bool is not supported"),
        ((np.zeros(3, "f2"),), TypeError, "dtype float16 is not supported"),
        ((np.array([None, 1]),), TypeError, "dtype object is not supported"),
        ((b"bytes",), TypeError, "dtype uint8 is not supported"),
        (("text",), TypeError, "made from a buffer or a shape, not from a str"),
        ((1.5, "int32"), TypeError, "not from a float"),
        ((True, "int32"), TypeError, "not from a bool"),
        (((-1, 2), "int32"), ValueError, "must not be negative"),
        (((1.5, 2), "int32"), TypeError, "made of integers"),
        (((1 << 62,), "int32"), ValueError, "is too large"),
        ((np.zeros(3), "int64"), TypeError, "the data are of dtype float64, not int64"),
    ],
)
def test_what_no_array_is_made_from(gpu, arguments, error, message):
    with pytest.raises(error, match=message):
        gpu.GPUArray(*arguments)


def test_to_gpu_takes_no_list(gpu):
    with pytest.raises(gpu.UnsupportedDataType, match="takes a buffer such as a numpy array"):
        gpu.to_gpu([1, 2, 3])


def test_a_device_without_memory(gpu):
    with pytest.raises(gpu.DeviceMemoryError, match=r"allocating 1125899906842624 bytes .* cudaErrorMemoryAllocation"):
        gpu.GPUArray((1 << 47,), "float64")
    with pytest.raises(MemoryError) as caught:
        gpu.GPUArray((1 << 47,), "float64")
    assert isinstance(caught.value, gpu.DeviceError)
    assert caught.value.code == 2
    gpu.cudaGetLastError()


def test_a_freed_array(gpu):
    array = gpu.to_gpu(np.arange(3))
    pointer = array.device_data
    array.free()
    array.free()
    assert repr(array) == "<GPUArray: shape=(3,), dtype=int64, freed>"
    assert repr(pointer) == "<pointer_wrapper_int64: freed>"
    uses = [
        array.get, array.to_gpu, array.to_host, lambda: array.ptr, lambda: array[0], lambda: array.set(np.arange(3)),
        lambda: array.__cuda_array_interface__, array.__dlpack__, array.__dlpack_device__,
        lambda: int(pointer), lambda: np.asarray(array), lambda: array.device,
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ValueError, match="has been freed"):
            use()
    assert array.shape == (3,)


def test_a_pointer_keeps_the_memory(gpu, double):
    pointer = gpu.to_gpu(np.arange(3)).device_data
    gc.collect()
    others = [gpu.to_gpu(np.arange(3)) for _ in range(20)]
    double(int(pointer), 3)
    assert all(other.get().tolist() == [0, 1, 2] for other in others)


def test_ten_thousand_arrays_and_exceptions_leave_nothing(gpu, cuda):
    data = np.arange(64.0)
    kept = gpu.to_gpu(data)
    kept[::2], kept[[1, 2]]  # the kernels are loaded
    before = ok(cuda.runtime.cudaMemGetInfo())
    attempts = [
        lambda: gpu.to_gpu(data).set(np.zeros(3)),
        lambda: gpu.to_gpu(data)[99],
        lambda: gpu.GPUArray(data, dtype="int16"),
        lambda: gpu.to_gpu(data)[1:3].__dlpack__(dl_device=(2, 5)),
        lambda: gpu.DeviceArray_float64(data).allocate().missing,
    ]
    errors = 0
    for number in range(10_000):
        try:
            attempts[number % len(attempts)]()
        except (ValueError, IndexError, TypeError, BufferError, AttributeError):
            errors += 1
    assert errors == 10_000
    gc.collect()
    assert ok(cuda.runtime.cudaMemGetInfo()) == before


def test_arrays_of_two_devices():
    code = read_program(__file__, "arrays_two_devices.py")
    run_code(code, CUDA_SHIM_QUIET="1")
