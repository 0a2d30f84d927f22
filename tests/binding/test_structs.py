"""Struct classes: their interface to programs, and the lifetimes of objects that they point to."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import weakref
from array import array
from typing import Any

import numpy as np
import pytest

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.structs import is_struct_class

MODULES = {table: f"cuda.bindings.{table}" for table in ("driver", "runtime", "nvrtc")}


def objects(cuda: str) -> Catalogue:
    return Catalogue(cuda, MODULES)


@pytest.fixture(params=["11.8", "12.9", "13.5"])
def catalogue(request: pytest.FixtureRequest) -> Catalogue:
    return objects(request.param)


def word_at(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def test_a_class_is_an_object_and_its_typedefs_are_subclasses(catalogue: Catalogue) -> None:
    base = catalogue.class_of("CUuuid_st", "driver")
    typedef = catalogue.class_of("CUuuid", "driver")
    assert base.__mro__ == (base, object)
    assert typedef.__mro__ == (typedef, base, object)
    assert (typedef.__name__, typedef.__qualname__, typedef.__module__) == ("CUuuid", "CUuuid", "cuda.bindings.driver")
    assert repr(typedef) == "<class 'cuda.bindings.driver.CUuuid'>"
    assert is_struct_class(typedef)
    assert not is_struct_class(int)


def test_errors_name_the_class_in_full_as_those_of_c_types_do(catalogue: Catalogue) -> None:
    extent = catalogue.class_of("cudaExtent", "runtime")()
    message = "'cuda.bindings.runtime.cudaExtent' object has no attribute 'nope'"
    with pytest.raises(AttributeError, match=message):
        extent.nope  # noqa: B018
    with pytest.raises(AttributeError, match=message):
        extent.nope = 1
    with pytest.raises(TypeError, match=r"not 'cuda.bindings.runtime.cudaExtent'"):
        int(extent)


def test_members_lie_where_c_puts_them(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    copy2d.srcPitch = 0x1234
    copy2d.Height = 7
    assert word_at(copy2d.getPtr() + 48) == 0x1234
    assert word_at(copy2d.getPtr() + 120) == 7


def test_ptr_aliases_memory_that_is_there(catalogue: Catalogue) -> None:
    extent_class = catalogue.class_of("cudaExtent", "runtime")
    first = extent_class()
    second = extent_class(_ptr=first.getPtr())
    second.depth = 9
    assert first.depth == 9
    assert extent_class(first.getPtr()).depth == 9
    assert second.getPtr() == first.getPtr()


@pytest.mark.parametrize(
    ("positional", "named", "message"),
    [
        ((1, 2), {}, r"__cinit__\(\) takes at most 1 positional argument \(2 given\)"),
        ((), {"x": 1}, r"__cinit__\(\) got an unexpected keyword argument 'x'"),
        ((1,), {"_ptr": 1}, r"got multiple values for keyword argument '_ptr'"),
        (("text",), {}, "an integer is required"),
    ],
)
def test_the_constructor_takes_a_pointer_and_nothing_else(
    catalogue: Catalogue, positional: tuple[Any, ...], named: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        catalogue.class_of("dim3", "runtime")(*positional, **named)


def test_dim3_starts_as_ones_also_inside_kernel_parameters(catalogue: Catalogue) -> None:
    assert repr(catalogue.class_of("dim3", "runtime")()) == "x : 1\ny : 1\nz : 1"
    parameters = catalogue.class_of("cudaKernelNodeParams", "runtime")()
    assert [parameters.gridDim.x, parameters.blockDim.z, parameters.sharedMemBytes] == [1, 1, 0]


def test_structs_are_not_compared_copied_or_pickled(catalogue: Catalogue) -> None:
    first, second = (catalogue.class_of("dim3", "runtime")() for _ in range(2))
    assert first != second
    assert first in [first]
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="no default __reduce__ due to non-trivial __cinit__"):
            attempt(first)
    with pytest.raises(TypeError, match="weak reference"):
        weakref.ref(first)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (-1, OverflowError, "can't convert negative value to unsigned int"),
        (1 << 32, OverflowError, "value too large to convert to unsigned int"),
        (1 << 64, OverflowError, "Python int too large to convert to C unsigned long"),
        ("1", TypeError, "an integer is required"),
        (None, TypeError, "an integer is required"),
    ],
)
def test_a_refused_number_leaves_the_struct_as_it_was(
    catalogue: Catalogue, value: Any, error: type[Exception], message: str
) -> None:
    dim = catalogue.class_of("dim3", "runtime")()
    dim.y = 5
    with pytest.raises(error, match=message):
        dim.y = value
    assert (dim.x, dim.y, dim.z) == (1, 5, 1)


def test_numbers_are_converted_as_c_does(catalogue: Catalogue) -> None:
    dim = catalogue.class_of("dim3", "runtime")()
    dim.x, dim.y, dim.z = 2.9, np.uint64(3), True
    assert (dim.x, dim.y, dim.z) == (2, 3, 1)
    window = catalogue.class_of("cudaAccessPolicyWindow", "runtime")()
    window.hitRatio = 1e60
    assert window.hitRatio == float("inf")
    with pytest.raises(TypeError, match="must be real number, not str"):
        window.hitRatio = "0.5"


def test_arrays_are_read_as_fresh_lists_and_assigned_whole(catalogue: Catalogue) -> None:
    properties = catalogue.class_of("cudaDeviceProp", "runtime")()
    properties.maxThreadsDim = iter([1, 2, 3])
    properties.maxThreadsDim[0] = 99
    assert properties.maxThreadsDim == [1, 2, 3]
    with pytest.raises(IndexError, match="not enough values found during array assignment, expected 3, got 1"):
        properties.maxThreadsDim = [7]
    with pytest.raises(IndexError, match="too many values found during array assignment, expected 3"):
        properties.maxThreadsDim = [7, 8, 9, 10]
    with pytest.raises(TypeError, match="an integer is required"):
        properties.maxThreadsDim = [7, 8, "9"]
    assert properties.maxThreadsDim == [1, 2, 3]


def test_a_name_is_bytes_up_to_its_end_and_raw_bytes_are_all_of_them(catalogue: Catalogue) -> None:
    properties = catalogue.class_of("cudaDeviceProp", "runtime")()
    properties.name = b"gfx942".ljust(256, b"\0")
    assert properties.name == b"gfx942"
    with pytest.raises(IndexError, match="expected 256, got 6"):
        properties.name = b"gfx942"
    properties.luid = b"\xff\0\x01\x80aaaa"
    assert properties.luid == b"\xff\0\x01\x80aaaa"
    with pytest.raises(ValueError, match="luid length must be 8, is 1"):
        properties.luid = b"a"


def test_inner_structs_are_live_views_and_assigned_by_value(catalogue: Catalogue) -> None:
    prop = catalogue.class_of("CUmemAllocationProp", "driver")()
    location = catalogue.class_of("CUmemLocation", "driver")()
    location.id = 7
    prop.location = location
    location.id = 8
    assert prop.location.id == 7
    view = prop.location
    prop.location.id = 11
    assert view.id == 11
    assert view is prop.location
    assert view.getPtr() == prop.getPtr() + 8
    with pytest.raises(
        TypeError, match=r"Argument 'location' has incorrect type \(expected .*CUmemLocation, got int\)"
    ):
        prop.location = 5


def test_a_view_keeps_the_memory_of_the_struct_it_belongs_to(catalogue: Catalogue) -> None:
    prop = catalogue.class_of("CUmemAllocationProp", "driver")()
    view = prop.location
    handle = catalogue.class_of("CUDA_MEMCPY2D", "driver")().srcArray
    del prop
    gc.collect()
    view.id = 5
    assert view.id == 5
    filler = [bytearray(200) for _ in range(100)]
    assert (int(handle), len(filler)) == (0, 100)
    ctypes.c_size_t.from_address(handle.getPtr()).value = 9
    assert int(handle) == 9


def test_a_handle_member_is_one_live_view(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    view = copy2d.srcArray
    for value, number in (
        (99, 99),
        (None, 0),
        (catalogue.class_of("CUarray", "driver")(6), 6),
        (catalogue.class_of("CUstream", "driver")(3), 3),
    ):
        copy2d.srcArray = value
        assert int(view) == number
    assert copy2d.srcArray is view
    assert repr(view) == "<CUarray 0x3>"
    with pytest.raises(TypeError, match="an integer is required"):
        copy2d.srcArray = "x"


def test_enum_members_take_constants_and_ints_and_give_constants(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    kinds = catalogue.class_of("CUmemorytype", "driver")
    copy2d.srcMemoryType = kinds(1)
    assert copy2d.srcMemoryType is kinds(1)
    copy2d.srcMemoryType = 2
    assert copy2d.srcMemoryType is kinds(2)
    with pytest.raises(ValueError, match="0 is not a valid CUmemorytype"):
        copy2d.dstMemoryType  # noqa: B018
    with pytest.raises(TypeError, match="Argument 'srcMemoryType' must not be None"):
        copy2d.srcMemoryType = None
    assert "dstMemoryType : <ValueError>" in repr(copy2d)


def test_an_invented_constant_is_no_value_for_a_member(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    kinds = catalogue.class_of("CUmemorytype", "driver")
    kinds.hallucinate = True
    with pytest.raises(TypeError, match="invented by hallucination"):
        copy2d.srcMemoryType = kinds.CU_MEMORYTYPE_QUANTUM


class Host(bytearray):
    """A buffer that weak references may watch."""


def test_a_buffer_lives_as_long_as_the_struct_that_points_to_it(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    host = Host(b"abcd")
    watch = weakref.ref(host)
    copy2d.srcHost = host
    del host
    gc.collect()
    assert ctypes.string_at(copy2d.srcHost, 4) == b"abcd"
    copy2d.srcHost = 0
    gc.collect()
    assert watch() is None


@pytest.mark.parametrize(
    ("buffer", "content"),
    [
        (b"read-only", b"read-only"),
        (array("B", b"array"), b"array"),
        (np.frombuffer(b"fortran!", "u1").reshape(2, 4, order="F"), b"fortran!"),
    ],
)
def test_contiguous_buffers_of_all_kinds_have_an_address(catalogue: Catalogue, buffer: Any, content: bytes) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    copy2d.srcHost = buffer
    assert ctypes.string_at(copy2d.srcHost, len(content)) == content


def test_an_array_of_one_number_is_a_buffer_and_no_address(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    one = np.array([5])
    copy2d.srcHost = one
    assert copy2d.srcHost == one.ctypes.data


def test_what_is_no_buffer_is_refused(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    with pytest.raises(TypeError, match="expected Type None, int or object with Buffer Protocol"):
        copy2d.srcHost = "text"
    with pytest.raises(ValueError, match="ndarray is not contiguous"):
        copy2d.srcHost = np.zeros((4, 4))[:, ::2]


def test_kernel_parameters_are_packed_and_live_with_the_struct(catalogue: Catalogue) -> None:
    parameters = catalogue.class_of("CUDA_KERNEL_NODE_PARAMS", "driver")()
    parameters.kernelParams = ((7, 2.5), (ctypes.c_int, ctypes.c_double))
    gc.collect()
    addresses = (ctypes.c_size_t * 2).from_address(parameters.kernelParams)
    assert ctypes.c_int.from_address(addresses[0]).value == 7
    assert ctypes.c_double.from_address(addresses[1]).value == 2.5
    with pytest.raises(TypeError, match="is not a valid type"):
        parameters.kernelParams = [1]


def launch_attribute(catalogue: Catalogue, cooperative: int) -> Any:
    attribute = catalogue.class_of("CUlaunchAttribute", "driver")()
    attribute.id = catalogue.class_of("CUlaunchAttributeID", "driver").CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    attribute.value.cooperative = cooperative
    return attribute


def test_a_pointer_to_structs_takes_a_list_and_shows_its_own_copies(catalogue: Catalogue) -> None:
    config = catalogue.class_of("CUlaunchConfig", "driver")()
    assert config.attrs == []
    attribute = launch_attribute(catalogue, 1)
    config.attrs = (attribute, launch_attribute(catalogue, 2))
    attribute.value.cooperative = 5
    assert [item.value.cooperative for item in config.attrs] == [1, 2]
    config.attrs[0].value.cooperative = 6
    assert config.attrs[0].value.cooperative == 6
    assert word_at(config.getPtr() + 40) == config.attrs[0].getPtr()
    config.attrs = []
    assert config.attrs == []
    assert word_at(config.getPtr() + 40) == 0


@pytest.mark.parametrize("wrong", [[1], [None], ["text"]])
def test_a_list_of_anything_else_is_refused_where_nvidia_crashes(catalogue: Catalogue, wrong: list[Any]) -> None:
    config = catalogue.class_of("CUlaunchConfig", "driver")()
    config.attrs = [launch_attribute(catalogue, 3)]
    with pytest.raises((TypeError, AttributeError)):
        config.attrs = wrong
    assert config.attrs[0].value.cooperative == 3
    signal = catalogue.class_of("CUDA_EXT_SEM_SIGNAL_NODE_PARAMS", "driver")()
    with pytest.raises(TypeError, match="expected a list of CUexternalSemaphore"):
        signal.extSemArray = wrong


def test_arrays_stay_alive_through_a_copy_of_the_struct_that_points_to_them() -> None:
    catalogue = objects("12.9")
    node = catalogue.class_of("CUgraphNodeParams", "driver")()
    signal = catalogue.class_of("CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2", "driver")()
    signal.extSemArray = [catalogue.class_of("CUexternalSemaphore", "driver")(0xABCD)]
    node.extSemSignal = signal
    del signal
    gc.collect()
    filler = [bytearray(8) for _ in range(1000)]
    assert word_at(word_at(node.extSemSignal.getPtr())) == 0xABCD
    assert len(filler) == 1000


def test_members_of_an_anonymous_union_share_their_place(catalogue: Catalogue) -> None:
    operation = catalogue.class_of("CUstreamBatchMemOpParams", "driver")()
    operation.waitValue.value64 = (5 << 32) + 6
    assert int(operation.waitValue.value) == 6
    assert operation.waitValue.getPtr() == operation.getPtr()


def test_reserved_members_take_room_and_show_in_11_8_alone() -> None:
    old, new = (objects(cuda).class_of("CUDA_TEXTURE_DESC", "driver") for cuda in ("11.8", "12.9"))
    assert "reserved" in dir(old())
    assert "reserved" not in dir(new())
    assert old.__struct__.layout.size == new.__struct__.layout.size == 104


def test_device_properties_are_those_of_the_layout() -> None:
    names = {cuda: dir(objects(cuda).class_of("cudaDeviceProp", "runtime")()) for cuda in ("11.8", "12.9", "13.5")}
    assert "clockRate" in names["12.9"]
    assert "clockRate" not in names["13.5"]
    assert "hostNumaId" in names["13.5"]
    assert "clusterLaunch" not in names["11.8"]


def test_read_only_members_say_so(catalogue: Catalogue) -> None:
    with pytest.raises(
        AttributeError, match=r"attribute 'bytes' of 'cuda.bindings.driver.CUuuid_st' objects is not writable"
    ):
        catalogue.class_of("CUuuid", "driver")().bytes = b"a" * 16


def test_arrays_that_share_a_count_are_set_together() -> None:
    catalogue = objects("13.5")
    batch = catalogue.class_of("CUDA_MEMCPY_BATCH_NODE_PARAMS", "driver")()
    pointer = catalogue.class_of("CUdeviceptr", "driver")
    batch.set_dsts_srcs([pointer(1), pointer(2)], [pointer(3), pointer(4)])
    assert batch.count == 2
    assert [int(item) for item in batch.srcs] == [3, 4]
    batch.count = 1000  # more than there are: NVIDIA reads past the array
    assert len(batch.dsts) == 2
    with pytest.raises(ValueError, match="dsts and srcs must all have the same length"):
        batch.set_dsts_srcs([pointer(1)], [])
    with pytest.raises(AttributeError, match=r"use set_dsts_srcs\(\.\.\.\) to set them together"):
        batch.dsts = []


def test_only_the_classes_that_are_used_are_made() -> None:
    catalogue = objects("13.5")
    node = catalogue.class_of("CUgraphNodeParams", "driver")()
    names = {name for _, name in catalogue._objects}
    assert names == {"CUgraphNodeParams", "CUgraphNodeParams_st"}
    node.kernel.gridDimX = 2
    names = {name for _, name in catalogue._objects}
    assert {"CUDA_KERNEL_NODE_PARAMS_v3", "CUDA_KERNEL_NODE_PARAMS_v3_st"} <= names
    assert "CUDA_MEMSET_NODE_PARAMS_v2" not in names
