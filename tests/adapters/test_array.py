"""Arrays and their descriptions, and copies of rows between them."""

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a, ok, raising

WIDTH, HEIGHT = 8, 4


@pytest.fixture
def described(cuda):
    made = cuda.driver.CUDA_ARRAY_DESCRIPTOR()
    made.Width, made.Height, made.NumChannels = WIDTH, HEIGHT, 1
    made.Format = cuda.driver.CUarray_format.CU_AD_FORMAT_FLOAT
    return made


@pytest.fixture
def floats(cuda):
    kind = cuda.runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat
    return ok(cuda.runtime.cudaCreateChannelDesc(32, 0, 0, 0, kind))


@pytest.fixture
def array(cuda, floats):
    made = ok(cuda.runtime.cudaMallocArray(floats, WIDTH, HEIGHT, 0))
    yield made
    ok(cuda.runtime.cudaFreeArray(made))


@pytest.fixture
def picture():
    return np.arange(WIDTH * HEIGHT, dtype=np.float32).reshape(HEIGHT, WIDTH)


def test_arrays_of_the_driver_tell_their_description(cuda, described):
    driver = cuda.driver
    array = ok(driver.cuArrayCreate(described))
    assert type(array) is driver.CUarray
    reported = ok(driver.cuArrayGetDescriptor(array))
    assert (type(reported), reported.Width, reported.Height) == (driver.CUDA_ARRAY_DESCRIPTOR, WIDTH, HEIGHT)
    assert reported.Format is driver.CUarray_format.CU_AD_FORMAT_FLOAT
    assert ok(driver.cuArray3DGetDescriptor(array)).Depth == 0
    ok(driver.cuArrayDestroy(array))
    described.Format = driver.CUarray_format.CU_AD_FORMAT_NV12
    failed(driver.cuArrayCreate(described), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(driver.cuArrayCreate(None), "CUDA_ERROR_INVALID_VALUE", 1)
    with raising(TypeError, not_a("driver.CUDA_ARRAY_DESCRIPTOR", "pAllocateArray", "int")):
        driver.cuArrayCreate(5)


def test_volumes_and_mipmaps(cuda):
    driver = cuda.driver
    described = driver.CUDA_ARRAY3D_DESCRIPTOR()
    described.Width, described.Height, described.Depth, described.NumChannels = WIDTH, HEIGHT, 2, 4
    described.Format = driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8
    described.Flags = driver.CUDA_ARRAY3D_SURFACE_LDST
    array = ok(driver.cuArray3DCreate(described))
    reported = ok(driver.cuArray3DGetDescriptor(array))
    assert (reported.Depth, reported.NumChannels, reported.Flags) == (2, 4, driver.CUDA_ARRAY3D_SURFACE_LDST)
    ok(driver.cuArrayDestroy(array))
    mipmaps = ok(driver.cuMipmappedArrayCreate(described, 2))
    assert type(mipmaps) is driver.CUmipmappedArray
    assert ok(driver.cuArray3DGetDescriptor(ok(driver.cuMipmappedArrayGetLevel(mipmaps, 1)))).Width == WIDTH // 2
    assert ok(driver.cuMipmappedArrayGetMemoryRequirements(mipmaps, 0)).size > 0
    ok(driver.cuMipmappedArrayDestroy(mipmaps))


def test_channels_are_described_without_hip(cuda, floats):
    runtime = cuda.runtime
    assert type(floats) is runtime.cudaChannelFormatDesc
    assert (floats.x, floats.w, floats.f) == (32, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat)
    with raising(TypeError, "Argument 'f' must not be None"):
        runtime.cudaCreateChannelDesc(32, 0, 0, 0, None)
    with raising(TypeError, "an integer is required"):
        runtime.cudaCreateChannelDesc("32", 0, 0, 0, floats.f)


def test_arrays_of_the_runtime_tell_what_they_are(cuda, array):
    runtime = cuda.runtime
    channels, extent, flags = ok(runtime.cudaArrayGetInfo(array))
    assert (type(channels), type(extent), flags) == (runtime.cudaChannelFormatDesc, runtime.cudaExtent, 0)
    assert (channels.x, extent.width, extent.height, extent.depth) == (32, WIDTH, HEIGHT, 0)
    assert ok(runtime.cudaGetChannelDesc(array)).f is runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat


def test_rows_go_in_and_out(cuda, array, floats, picture):
    runtime, kinds = cuda.runtime, cuda.runtime.cudaMemcpyKind
    row = picture.strides[0]
    ok(runtime.cudaMemcpy2DToArray(array, 0, 0, picture, row, row, HEIGHT, kinds.cudaMemcpyHostToDevice))
    other = ok(runtime.cudaMalloc3DArray(floats, runtime.make_cudaExtent(WIDTH, HEIGHT, 0), 0))
    ok(runtime.cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, row, HEIGHT, kinds.cudaMemcpyDeviceToDevice))
    found = np.zeros_like(picture)
    ok(runtime.cudaMemcpy2DFromArrayAsync(found, row, other, 0, 0, row, HEIGHT, kinds.cudaMemcpyDeviceToHost, 0))
    ok(runtime.cudaDeviceSynchronize())
    assert (found == picture).all()
    ok(runtime.cudaFreeArray(other))


def test_copies_without_rows(cuda, array, picture):
    runtime, kinds = cuda.runtime, cuda.runtime.cudaMemcpyKind
    ok(runtime.cudaMemcpyToArray(array, 0, 0, picture, picture.nbytes, kinds.cudaMemcpyHostToDevice))
    found = np.zeros_like(picture)
    ok(runtime.cudaMemcpyFromArray(found, array, 0, 0, picture.nbytes, kinds.cudaMemcpyDeviceToHost))
    assert (found == picture).all()


def test_planes_and_sparse_arrays_are_refused(cuda, array, caplog):
    failed(cuda.runtime.cudaArrayGetPlane(array, 0), "cudaErrorNotSupported", 1)
    failed(cuda.runtime.cudaArrayGetSparseProperties(array), "cudaErrorNotSupported", 1)
    assert "make an array for each plane" in caplog.text
    failed(cuda.driver.cuMemMapArrayAsync([cuda.driver.CUarrayMapInfo()], 1, 0), "CUDA_ERROR_NOT_SUPPORTED")
    with raising(RuntimeError, "List is too small: 0 < 1"):
        cuda.driver.cuMemMapArrayAsync([], 1, 0)


@pytest.mark.parametrize(
    "places, count", [((0, 0, 0, 0), 64), ((4, 1, 8, 0), 40), ((28, 0, 0, 2), 36), ((0, 0, 4, 1), 70)]
)
def test_a_run_goes_from_array_to_array(cuda, floats, array, picture, places, count):
    runtime, kinds = cuda.runtime, cuda.runtime.cudaMemcpyKind
    row = picture.nbytes // HEIGHT
    target = ok(runtime.cudaMallocArray(floats, WIDTH, HEIGHT, 0))
    zeros, back = np.zeros_like(picture), np.zeros_like(picture)
    for whole, source in ((array, picture), (target, zeros)):
        ok(runtime.cudaMemcpy2DToArray(whole, 0, 0, source, row, row, HEIGHT, kinds.cudaMemcpyHostToDevice))
    to_x, to_y, from_x, from_y = places
    direction = kinds.cudaMemcpyDeviceToDevice
    ok(runtime.cudaMemcpyArrayToArray(target, to_x, to_y, array, from_x, from_y, count, direction))
    ok(runtime.cudaMemcpy2DFromArray(back, row, target, 0, 0, row, HEIGHT, kinds.cudaMemcpyDeviceToHost))
    wanted, here, there = bytearray(zeros.tobytes()), to_y * row + to_x, from_y * row + from_x
    wanted[here : here + count] = picture.tobytes()[there : there + count]
    assert back.tobytes() == bytes(wanted)
    ok(runtime.cudaFreeArray(target))


def test_runs_that_are_none(cuda, floats, array):
    copy, kinds = cuda.runtime.cudaMemcpyArrayToArray, cuda.runtime.cudaMemcpyKind
    other = ok(cuda.runtime.cudaMallocArray(floats, 5, 4, 0))
    direction = kinds.cudaMemcpyDeviceToDevice
    ok(copy(other, 0, 0, array, 0, 0, 80, direction))
    ok(copy(array, 0, 0, array, 0, 0, 0, direction))
    failed(copy(other, 0, 0, array, 0, 0, 81, direction), "cudaErrorInvalidValue")
    ok(copy(other, 20, 0, array, 0, 0, 1, direction))  # the next row begins right behind a row
    failed(copy(other, 21, 0, array, 0, 0, 1, direction), "cudaErrorInvalidValue")
    failed(copy(other, 0, 0, array, 0, 0, 4, kinds.cudaMemcpyHostToDevice), "cudaErrorInvalidMemcpyDirection")
    failed(copy(other, 0, 0, 0, 0, 0, 4, direction), "cudaErrorInvalidResourceHandle")
    ok(cuda.runtime.cudaFreeArray(other))
