"""Texture and surface objects."""

import numpy as np
import pytest

from tests.adapters.answers import failed, ok, raising

WIDTH, HEIGHT = 8, 4


@pytest.fixture(scope="module")
def array(cuda):
    described = cuda.driver.CUDA_ARRAY3D_DESCRIPTOR()
    described.Width, described.Height, described.NumChannels = WIDTH, HEIGHT, 1
    described.Format = cuda.driver.CUarray_format.CU_AD_FORMAT_FLOAT
    described.Flags = cuda.driver.CUDA_ARRAY3D_SURFACE_LDST
    made = ok(cuda.driver.cuArray3DCreate(described))
    yield made
    ok(cuda.driver.cuArrayDestroy(made))


@pytest.fixture
def resource(cuda, array):
    made = cuda.driver.CUDA_RESOURCE_DESC()
    made.resType = cuda.driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
    made.res.array.hArray = array
    return made


@pytest.fixture
def sampling(cuda):
    driver = cuda.driver
    made = driver.CUDA_TEXTURE_DESC()
    made.addressMode = [driver.CUaddress_mode.CU_TR_ADDRESS_MODE_BORDER] * 3
    made.filterMode = driver.CUfilter_mode.CU_TR_FILTER_MODE_LINEAR
    made.borderColor = [9.0, 0.0, 0.0, 1.0]
    made.maxAnisotropy = 3
    return made


def test_textures_tell_what_they_were_made_of(cuda, resource, sampling, array):
    driver = cuda.driver
    texture = ok(driver.cuTexObjectCreate(resource, sampling, None))
    assert type(texture) is driver.CUtexObject
    reported = ok(driver.cuTexObjectGetResourceDesc(texture))
    assert (reported.resType, reported.res.array.hArray) == (resource.resType, array)
    reported = ok(driver.cuTexObjectGetTextureDesc(texture))
    assert reported.addressMode == sampling.addressMode
    assert (reported.filterMode, reported.borderColor, reported.maxAnisotropy) == (
        sampling.filterMode,
        [9.0, 0.0, 0.0, 1.0],
        3,
    )
    ok(driver.cuTexObjectDestroy(texture))
    failed(driver.cuTexObjectCreate(None, None, None), "CUDA_ERROR_INVALID_VALUE", 1)


def test_views_of_textures(cuda, resource, sampling):
    driver = cuda.driver
    view = driver.CUDA_RESOURCE_VIEW_DESC()
    view.format = driver.CUresourceViewFormat.CU_RES_VIEW_FORMAT_FLOAT_1X32
    view.width, view.height = WIDTH, HEIGHT
    texture = ok(driver.cuTexObjectCreate(resource, sampling, view))
    reported = ok(driver.cuTexObjectGetResourceViewDesc(texture))
    assert (reported.format, reported.width, reported.height) == (view.format, WIDTH, HEIGHT)
    ok(driver.cuTexObjectDestroy(texture))


def test_textures_of_the_runtime(cuda):
    runtime = cuda.runtime
    channels = ok(runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
    array = ok(runtime.cudaMallocArray(channels, WIDTH, HEIGHT, 0))
    resource, sampling = runtime.cudaResourceDesc(), runtime.cudaTextureDesc()
    resource.resType = runtime.cudaResourceType.cudaResourceTypeArray
    resource.res.array.array = array
    sampling.readMode = runtime.cudaTextureReadMode.cudaReadModeElementType
    texture = ok(runtime.cudaCreateTextureObject(resource, sampling, None))
    assert type(texture) is runtime.cudaTextureObject_t
    assert int(ok(runtime.cudaGetTextureObjectResourceDesc(texture)).res.array.array) == int(array)
    assert ok(runtime.cudaGetTextureObjectTextureDesc(texture)).readMode is sampling.readMode
    ok(runtime.cudaDestroyTextureObject(texture))
    ok(runtime.cudaFreeArray(array))


def test_textures_of_memory(cuda, sampling):
    driver = cuda.driver
    memory = ok(driver.cuMemAlloc(64))
    resource = driver.CUDA_RESOURCE_DESC()
    resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
    linear = resource.res.linear
    linear.devPtr, linear.numChannels, linear.sizeInBytes = memory, 1, 64
    linear.format = driver.CUarray_format.CU_AD_FORMAT_SIGNED_INT32
    texture = ok(driver.cuTexObjectCreate(resource, driver.CUDA_TEXTURE_DESC(), None))
    reported = ok(driver.cuTexObjectGetResourceDesc(texture)).res.linear
    assert (int(reported.devPtr), reported.sizeInBytes, reported.format) == (int(memory), 64, linear.format)
    # CUDA reads 32-bit integers as they are, with any flags.
    assert ok(driver.cuTexObjectGetTextureDesc(texture)).flags & driver.CU_TRSF_READ_AS_INTEGER
    ok(driver.cuTexObjectDestroy(texture))
    ok(driver.cuMemFree(memory))


def test_resources_that_are_not_filled_in(cuda, sampling):
    driver, kinds = cuda.driver, cuda.driver.CUresourcetype
    for kind in kinds:
        resource = driver.CUDA_RESOURCE_DESC()
        resource.resType = kind
        answer = driver.cuTexObjectCreate(resource, sampling, None)
        assert answer[0] != 0
        assert answer[1:] == (None,)


def test_rows_of_pixels_and_mipmaps_are_reported(cuda, sampling):
    driver = cuda.driver
    memory = ok(driver.cuMemAlloc(4096))
    resource = driver.CUDA_RESOURCE_DESC()
    resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_PITCH2D
    rows = resource.res.pitch2D
    rows.devPtr, rows.numChannels, rows.width, rows.height, rows.pitchInBytes = memory, 4, 16, 8, 512
    rows.format = driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8
    texture = ok(driver.cuTexObjectCreate(resource, driver.CUDA_TEXTURE_DESC(), None))
    reported = ok(driver.cuTexObjectGetResourceDesc(texture)).res.pitch2D
    assert (int(reported.devPtr), reported.format, reported.numChannels) == (int(memory), rows.format, 4)
    assert (reported.width, reported.height, reported.pitchInBytes) == (16, 8, 512)
    ok(driver.cuTexObjectDestroy(texture))
    ok(driver.cuMemFree(memory))
    described = driver.CUDA_ARRAY3D_DESCRIPTOR()
    described.Width, described.Height, described.NumChannels = WIDTH, WIDTH, 1
    described.Format = driver.CUarray_format.CU_AD_FORMAT_SIGNED_INT32
    mipmaps = ok(driver.cuMipmappedArrayCreate(described, 3))
    resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
    resource.res.mipmap.hMipmappedArray = mipmaps
    texture = ok(driver.cuTexObjectCreate(resource, driver.CUDA_TEXTURE_DESC(), None))
    assert ok(driver.cuTexObjectGetResourceDesc(texture)).res.mipmap.hMipmappedArray == mipmaps
    assert ok(driver.cuTexObjectGetTextureDesc(texture)).flags & driver.CU_TRSF_READ_AS_INTEGER
    ok(driver.cuTexObjectDestroy(texture))
    ok(driver.cuMipmappedArrayDestroy(mipmaps))


def test_surfaces(cuda, resource):
    surface = ok(cuda.driver.cuSurfObjectCreate(resource))
    assert type(surface) is cuda.driver.CUsurfObject
    failed(cuda.driver.cuSurfObjectGetResourceDesc(surface), "CUDA_ERROR_NOT_SUPPORTED", 1)
    ok(cuda.driver.cuSurfObjectDestroy(surface))
    failed(cuda.driver.cuSurfObjectCreate(None), "CUDA_ERROR_INVALID_VALUE", 1)


def test_the_longest_linear_texture(cuda):
    driver, runtime = cuda.driver, cuda.runtime
    longest = ok(driver.cuDeviceGetTexture1DLinearMaxWidth(driver.CUarray_format.CU_AD_FORMAT_FLOAT, 1, 0))
    channels = ok(runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
    assert runtime.cudaDeviceGetTexture1DLinearMaxWidth(channels, 0) == (0, longest)
    for wrong in ((driver.CUarray_format.CU_AD_FORMAT_NV12, 1), (driver.CUarray_format.CU_AD_FORMAT_FLOAT, 3)):
        failed(driver.cuDeviceGetTexture1DLinearMaxWidth(*wrong, 0), "CUDA_ERROR_INVALID_VALUE", 1)
    with raising(TypeError, "Argument 'pformat' must not be None"):
        driver.cuDeviceGetTexture1DLinearMaxWidth(None, 1, 0)


def test_a_picture_is_kept(cuda, array):
    driver = cuda.driver
    picture = np.arange(WIDTH * HEIGHT, dtype=np.float32)
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcHost = driver.CUmemorytype.CU_MEMORYTYPE_HOST, picture
    copy.dstMemoryType, copy.dstArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array
    copy.WidthInBytes, copy.Height, copy.srcPitch = 4 * WIDTH, HEIGHT, 4 * WIDTH
    ok(driver.cuMemcpy2D(copy))
    found = np.zeros_like(picture)
    ok(driver.cuMemcpyAtoH(found, array, 0, 4 * WIDTH))
    assert list(found[:WIDTH]) == list(range(WIDTH))
