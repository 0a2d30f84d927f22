"""Texture and surface objects: creation, descriptions, and the fields that kernels will read."""

from __future__ import annotations

import ctypes

import pytest

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, INVALID_HANDLE, NOT_SUPPORTED = 0, 1, 400, 801
WRAP, CLAMP, MIRROR, BORDER = range(4)
POINT, LINEAR = range(2)
ELEMENT, NORMALIZED = range(2)
SIGNED, UNSIGNED, FLOAT = range(3)
ARRAY, MIPMAPPED, LINEAR_MEMORY, PITCHED = range(4)
UINT8, UINT32 = 1, 3


class Format(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("z", ctypes.c_int), ("w", ctypes.c_int), ("f", ctypes.c_int)]


class LinearResource(ctypes.Structure):
    _fields_ = [("pointer", P), ("form", Format), ("bytes", SIZE)]


class PitchedResource(ctypes.Structure):
    _fields_ = [("pointer", P), ("form", Format), ("width", SIZE), ("height", SIZE), ("pitch", SIZE)]


class Choice(ctypes.Union):
    _fields_ = [("array", P), ("linear", LinearResource), ("plane", PitchedResource)]


class Resource(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("of", Choice)]


class Settings(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_int * 3), ("filter", ctypes.c_int), ("read", ctypes.c_int), ("srgb", ctypes.c_int),
        ("border", ctypes.c_float * 4), ("normalized", ctypes.c_int), ("anisotropy", ctypes.c_uint),
        ("mip_filter", ctypes.c_int), ("bias", ctypes.c_float), ("least", ctypes.c_float), ("most", ctypes.c_float),
    ]  # fmt: skip


class View(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_int), ("width", SIZE), ("height", SIZE), ("depth", SIZE), ("first_level", ctypes.c_uint),
        ("last_level", ctypes.c_uint), ("first_layer", ctypes.c_uint), ("last_layer", ctypes.c_uint),
    ]  # fmt: skip


class Texels(ctypes.Structure):
    """The beginning of the object that a kernel reads; abi/texture_object.h."""

    _fields_ = [
        ("data", P), ("width", ctypes.c_uint64), ("height", ctypes.c_uint64), ("depth", ctypes.c_uint64),
        ("pitch", ctypes.c_uint64), ("slice", ctypes.c_uint64), ("format", ctypes.c_uint32),
        ("channels", ctypes.c_uint32), ("bytes", ctypes.c_uint32), ("dimensions", ctypes.c_uint32),
        ("layered", ctypes.c_uint32), ("cubemap", ctypes.c_uint32),
    ]  # fmt: skip


def settings(filtering=POINT, read=ELEMENT, address=CLAMP, srgb=0):
    return Settings((ctypes.c_int * 3)(address, address, address), filtering, read, srgb)


def array_of(library, form, width, height, depth=0, flags=0):
    made = P()
    extent = (SIZE * 3)(width, height, depth)

    class Extent(ctypes.Structure):
        _fields_ = [("e", SIZE * 3)]

    status = library.hipMalloc3DArray(ctypes.byref(made), ctypes.byref(form), Extent(extent), flags)
    assert status == SUCCESS
    return made


FLOATS = Format(32, 0, 0, 0, FLOAT)


@pytest.fixture
def image(library):
    made = array_of(library, FLOATS, 16, 8)
    yield made
    assert library.hipFreeArray(made) == SUCCESS


def create(library, resource, how=None, view=None):
    made = P()
    how = ctypes.byref(how or settings())
    view = ctypes.byref(view) if view else None
    return library.hipCreateTextureObject(ctypes.byref(made), ctypes.byref(resource), how, view), made


def test_an_array(library, image):
    resource = Resource(ARRAY, Choice(array=image.value))
    status, texture = create(library, resource, settings(LINEAR, address=BORDER))
    assert status == SUCCESS
    texels = Texels.from_address(texture.value)
    assert (texels.width, texels.height, texels.depth, texels.dimensions) == (16, 8, 1, 2)
    assert (texels.format, texels.channels, texels.bytes) == (32, 1, 4)
    assert texels.pitch >= 64
    back, how = Resource(), Settings()
    assert library.hipGetTextureObjectResourceDesc(ctypes.byref(back), texture) == SUCCESS
    assert (back.type, back.of.array) == (ARRAY, image.value)
    assert library.hipGetTextureObjectTextureDesc(ctypes.byref(how), texture) == SUCCESS
    assert (how.filter, list(how.address)) == (LINEAR, [BORDER] * 3)
    whole = View(format=1)
    assert library.hipGetTextureObjectResourceViewDesc(ctypes.byref(whole), texture) == SUCCESS
    assert [getattr(whole, name) for name, *_ in View._fields_] == [0] * 8
    assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert library.hipDestroyTextureObject(texture) == INVALID
    assert library.hipDestroyTextureObject(None) == SUCCESS


def test_plain_memory(library):
    pointer = P()
    assert library.hipMalloc(ctypes.byref(pointer), SIZE(1024)) == SUCCESS
    linear = LinearResource(pointer.value, Format(8, 8, 0, 0, UNSIGNED), 1024)
    status, texture = create(library, Resource(LINEAR_MEMORY, Choice(linear=linear)))
    assert status == SUCCESS
    assert Texels.from_address(texture.value).width == 512
    assert library.hipDestroyTextureObject(texture) == SUCCESS
    linear.bytes = 2 << 32  # more texels than a device reads by one number
    assert create(library, Resource(LINEAR_MEMORY, Choice(linear=linear)))[0] == INVALID
    plane = PitchedResource(pointer.value, FLOATS, 10, 4, 256)
    status, texture = create(library, Resource(PITCHED, Choice(plane=plane)))
    assert status == SUCCESS
    assert library.hipDestroyTextureObject(texture) == SUCCESS
    for offset, width, height, pitch in ((4, 10, 4, 256), (0, 10, 4, 36), (0, 10, 4, 0), (0, 1 << 18, 4, 256)):
        plane = PitchedResource((pointer.value or 0) + offset, FLOATS, width, height, pitch)
        assert create(library, Resource(PITCHED, Choice(plane=plane)))[0] == INVALID
    assert library.hipFree(pointer) == SUCCESS


def test_settings_that_do_not_fit(library):
    integers = array_of(library, Format(32, 0, 0, 0, UNSIGNED), 4, 4)
    bytes_ = array_of(library, Format(8, 8, 8, 8, UNSIGNED), 4, 4)
    of_integers, of_bytes = (Resource(ARRAY, Choice(array=one.value)) for one in (integers, bytes_))
    assert create(library, of_integers, settings(LINEAR))[0] == INVALID
    assert create(library, of_integers, settings(read=NORMALIZED))[0] == INVALID
    assert create(library, of_integers, settings(srgb=1))[0] == INVALID
    assert create(library, of_bytes, settings(address=9))[0] == INVALID
    assert create(library, of_bytes, settings(LINEAR))[0] == INVALID
    for how in (settings(LINEAR, NORMALIZED), settings(srgb=1, read=NORMALIZED)):
        status, texture = create(library, of_bytes, how)
        assert status == SUCCESS
        assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert create(library, Resource(ARRAY, Choice(array=0x1000)))[0] == INVALID
    assert create(library, Resource(ARRAY, Choice(array=0)))[0] == INVALID_HANDLE
    assert create(library, Resource(17, Choice(array=integers.value)))[0] == INVALID
    for one in (integers, bytes_):
        assert library.hipFreeArray(one) == SUCCESS


def test_views(library):
    layers = array_of(library, Format(8, 8, 8, 8, UNSIGNED), 4, 4, 6, flags=1)
    resource = Resource(ARRAY, Choice(array=layers.value))
    whole, texture = create(library, resource)
    assert whole == SUCCESS
    base = Texels.from_address(texture.value)
    assert (base.depth, base.layered, base.dimensions) == (6, 1, 2)
    view = View(format=13, first_layer=2, last_layer=4)  # one 32-bit channel
    status, part = create(library, resource, view=view)
    assert status == SUCCESS
    texels = Texels.from_address(part.value)
    assert (texels.format, texels.channels, texels.depth) == (UINT32, 1, 3)
    assert texels.data == base.data + 2 * base.slice
    back = View()
    assert library.hipGetTextureObjectResourceViewDesc(ctypes.byref(back), part) == SUCCESS
    assert (back.format, back.first_layer, back.last_layer) == (13, 2, 4)
    for bad in (
        View(format=14),
        View(last_layer=6),
        View(first_layer=3, last_layer=2),
        View(width=5),
        View(last_level=1),
    ):
        assert create(library, resource, view=bad)[0] == INVALID
    assert create(library, resource, view=View(format=25))[0] == NOT_SUPPORTED
    for one in (texture, part):
        assert library.hipDestroyTextureObject(one) == SUCCESS
    assert library.hipFreeArray(layers) == SUCCESS


def test_mipmapped_arrays(library):
    class Extent(ctypes.Structure):
        _fields_ = [("width", SIZE), ("height", SIZE), ("depth", SIZE)]

    made, level, extent = P(), P(), Extent(16, 8, 0)
    assert library.hipMallocMipmappedArray(ctypes.byref(made), ctypes.byref(FLOATS), extent, 99, 0) == SUCCESS
    sizes = []
    for number in range(5):
        assert library.hipGetMipmappedArrayLevel(ctypes.byref(level), made, number) == SUCCESS
        form, size, flags = Format(), Extent(), ctypes.c_uint()
        outputs = ctypes.byref(form), ctypes.byref(size), ctypes.byref(flags)
        assert library.hipArrayGetInfo(*outputs, level) == SUCCESS
        sizes.append((size.width, size.height))
    assert sizes == [(16, 8), (8, 4), (4, 2), (2, 1), (1, 1)]
    assert library.hipGetMipmappedArrayLevel(ctypes.byref(level), made, 5) == INVALID
    status, texture = create(library, Resource(MIPMAPPED, Choice(array=made.value)))
    assert status == SUCCESS
    assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert library.hipFreeMipmappedArray(made) == SUCCESS
    # As few levels as there can be, where fewer are asked for.
    assert library.hipMallocMipmappedArray(ctypes.byref(made), ctypes.byref(FLOATS), extent, 0, 0) == SUCCESS
    assert library.hipGetMipmappedArrayLevel(ctypes.byref(level), made, 0) == SUCCESS
    assert library.hipGetMipmappedArrayLevel(ctypes.byref(level), made, 1) == INVALID
    assert library.hipFreeMipmappedArray(made) == SUCCESS


def test_surfaces(library, image):
    surface = P()
    resource = Resource(ARRAY, Choice(array=image.value))
    assert library.hipCreateSurfaceObject(ctypes.byref(surface), ctypes.byref(resource)) == SUCCESS
    assert Texels.from_address(surface.value or 0).width == 16
    assert library.hipDestroySurfaceObject(surface) == SUCCESS
    assert library.hipDestroySurfaceObject(surface) == INVALID
    resource.type = LINEAR_MEMORY
    assert library.hipCreateSurfaceObject(ctypes.byref(surface), ctypes.byref(resource)) == INVALID


def test_textures_as_the_driver_describes_them(library, hip, image):
    resource, how = hip.HIP_RESOURCE_DESC_st(), hip.HIP_TEXTURE_DESC_st()
    resource.resType = hip.HIPresourcetype_enum.HIP_RESOURCE_TYPE_ARRAY
    ctypes.c_void_p.from_address(int(resource) + 8).value = image.value
    how.filterMode = hip.HIPfilter_mode_enum.HIP_TR_FILTER_MODE_LINEAR
    how.flags = hip.HIP_TRSF_NORMALIZED_COORDINATES | hip.HIP_TRSF_READ_AS_INTEGER
    texture, back = P(), hip.HIP_TEXTURE_DESC_st()
    assert library.hipTexObjectCreate(ctypes.byref(texture), P(int(resource)), P(int(how)), None) == SUCCESS
    assert library.hipTexObjectGetTextureDesc(P(int(back)), texture) == SUCCESS
    assert (back.flags, back.filterMode) == (how.flags, how.filterMode)
    runtime = Settings()
    assert library.hipGetTextureObjectTextureDesc(ctypes.byref(runtime), texture) == SUCCESS
    assert (runtime.normalized, runtime.read, runtime.filter) == (1, ELEMENT, LINEAR)
    how.flags = 0x80
    assert library.hipTexObjectCreate(ctypes.byref(P()), P(int(resource)), P(int(how)), None) == INVALID
    assert library.hipTexObjectDestroy(texture) == SUCCESS
