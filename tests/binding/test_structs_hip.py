"""Structs on their way to HIP and back, as the installed hip-python lays them out."""

from __future__ import annotations

import ctypes
import gc
import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from cuda_shim.backends import Backend
from cuda_shim.backends.hip_python import HipPython
from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.structs import (
    array_from_hip,
    array_to_hip,
    by_value,
    from_hip,
    hip_size,
    native_value,
    output,
    to_hip,
)
from cuda_shim.binding.structs.layout import Place, layout_of
from cuda_shim.binding.structs.plan import HipScope
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow, StructRow

MODULES = {table: f"cuda.bindings.{table}" for table in ("driver", "runtime", "nvrtc")}
LAYOUTS = ("11.8", "12.9", "13.5")


def imported() -> HipPython:
    """hip-python's modules; nothing here calls HIP, so no backend is chosen."""
    for generation, package in ((10, "rocm.bindings"), (7, "hip")):
        try:
            hip, hiprtc = (importlib.import_module(f"{package}.{name}") for name in ("hip", "hiprtc"))
        except ImportError:
            continue
        return HipPython(hip, hiprtc, generation, Backend("cpu", "", "", "a test"))
    pytest.skip("hip-python is not installed")


def objects(cuda: str) -> Catalogue:
    catalogue = Catalogue(cuda, MODULES)
    vars(catalogue)["hip_python"] = imported()
    return catalogue


@pytest.fixture(params=LAYOUTS)
def catalogue(request: pytest.FixtureRequest) -> Catalogue:
    return objects(request.param)


def hip_object(catalogue: Catalogue, name: str, address: int | None) -> Any:
    return getattr(catalogue.hip_python.hip, name).fromObj(address)


def mapped_structs(catalogue: Catalogue) -> Iterator[tuple[str, StructRow, Any]]:
    """The structs that this hip-python has: table, row, and hip-python's class."""
    for table in store.TABLES:
        for name in sorted(store.load(table).names(catalogue.cuda)):
            row = catalogue.row(table, name)
            if isinstance(row, StructRow) and row.hip:
                hip_class = getattr(catalogue.hip_python.hip, row.hip, None)
                if hip_class is not None:
                    yield table, row, hip_class


def is_plain(place: Place) -> bool:
    """Return whether hip-python gives a member as a number or a pointer."""
    field = place.field
    return not (field.count or field.cases or field.hidden or place.nested or isinstance(place.kind, EnumRow))


def test_every_hip_struct_has_the_size_that_hip_python_gives_it(catalogue: Catalogue) -> None:
    wrong = []
    for table, row, hip_class in mapped_structs(catalogue):
        size = hip_size(catalogue.object(table, row.name))
        if hip_class().c_sizeof() != size:
            wrong.append(f"{row.name}: {row.hip} has {hip_class().c_sizeof()} bytes, the table says {size}")
    assert not wrong, "\n".join(wrong)


def test_every_member_lies_where_hip_python_looks_for_it(catalogue: Catalogue) -> None:
    looked_at = 0
    for table, row, hip_class in mapped_structs(catalogue):
        shown = StructRow(row.name, row.hip_fields or row.fields, row.union and not row.hip_fields)
        memory = ctypes.create_string_buffer(4096)
        view = hip_class.fromObj(ctypes.addressof(memory))
        for place in layout_of(shown, HipScope(catalogue.scope(table))).places:
            if is_plain(place) and hasattr(hip_class, place.field.name):
                ctypes.memset(memory, 0, len(memory))
                memory[place.offset] = b"\5"
                value = getattr(view, place.field.name)
                seen = value > 0 if isinstance(value, float) else value is not None and int(value) == 5
                assert seen, f"{row.name}.{place.field.name} is not at byte {place.offset} of {row.hip}"
                looked_at += 1
    assert looked_at > 250


def test_a_struct_that_both_lay_out_alike_is_passed_as_it_is(catalogue: Catalogue) -> None:
    extent = catalogue.class_of("cudaExtent", "runtime")()
    assert to_hip(extent) == by_value(extent) == extent.getPtr()
    assert to_hip(None) is None
    with pytest.raises(TypeError, match="a struct is required, not int"):
        to_hip(5)


def test_enum_members_that_hip_numbers_differently_are_translated(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    kinds = catalogue.class_of("CUmemorytype", "driver")
    copy2d.srcMemoryType = kinds.CU_MEMORYTYPE_ARRAY
    copy2d.dstMemoryType = kinds.CU_MEMORYTYPE_DEVICE
    copy2d.srcPitch, copy2d.Height = 512, 3
    argument = hip_object(catalogue, "hip_Memcpy2D", to_hip(copy2d))
    hip_kinds = catalogue.hip_python.hip.hipMemoryType
    assert (argument.srcMemoryType, argument.dstMemoryType) == (
        hip_kinds.hipMemoryTypeArray,
        hip_kinds.hipMemoryTypeDevice,
    )
    assert (argument.srcPitch, argument.Height) == (512, 3)
    assert copy2d.srcMemoryType is kinds.CU_MEMORYTYPE_ARRAY
    assert from_hip(catalogue.class_of("CUDA_MEMCPY2D", "driver"), argument).srcMemoryType is kinds.CU_MEMORYTYPE_ARRAY


def test_a_hip_constant_is_taken_for_the_cuda_constant_that_stands_for_it(catalogue: Catalogue) -> None:
    copy2d = catalogue.class_of("CUDA_MEMCPY2D", "driver")()
    copy2d.srcMemoryType = catalogue.hip_python.hip.hipMemoryType.hipMemoryTypeArray
    assert copy2d.srcMemoryType is catalogue.class_of("CUmemorytype", "driver").CU_MEMORYTYPE_ARRAY


def test_kernel_parameters_go_where_hip_wants_them(catalogue: Catalogue) -> None:
    parameters = catalogue.class_of("CUDA_KERNEL_NODE_PARAMS", "driver")()
    parameters.func, parameters.sharedMemBytes, parameters.extra = 0x1000, 48, 0x2000
    parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ = 1, 2, 3
    parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ = 4, 5, 6
    parameters.kernelParams = ((7,), (ctypes.c_int,))
    argument = hip_object(catalogue, "hipKernelNodeParams", to_hip(parameters))
    assert (argument.gridDim.x, argument.gridDim.y, argument.gridDim.z) == (1, 2, 3)
    assert (argument.blockDim.x, argument.blockDim.y, argument.blockDim.z) == (4, 5, 6)
    assert (int(argument.func), argument.sharedMemBytes, int(argument.extra)) == (0x1000, 48, 0x2000)
    assert int(argument.kernelParams) == parameters.kernelParams
    back = from_hip(catalogue.class_of("CUDA_KERNEL_NODE_PARAMS", "driver"), argument)
    assert repr(back) == repr(parameters)


def test_what_hip_lacks_and_keeps_reserved_is_not_passed() -> None:
    catalogue = objects("13.5")
    parameters = catalogue.class_of("cudaMemcpyNodeParams", "runtime")()
    parameters.flags, parameters.ctx = 3, 0xABCD
    address = to_hip(parameters)
    assert ctypes.string_at(address or 0, 16) == (3).to_bytes(4, "little") + bytes(12)


def test_a_memory_copy_leaves_out_the_members_that_hip_has_not(catalogue: Catalogue) -> None:
    copy3d = catalogue.class_of("CUDA_MEMCPY3D", "driver")()
    copy3d.srcPitch, copy3d.Depth, copy3d.dstArray = 256, 9, 0x77
    argument = hip_object(catalogue, "HIP_MEMCPY3D", to_hip(copy3d))
    assert (argument.srcPitch, argument.Depth) == (256, 9)


def test_device_properties_are_filled_by_name(catalogue: Catalogue) -> None:
    cls = catalogue.class_of("cudaDeviceProp", "runtime")
    address, finish = output(cls)
    hip = hip_object(catalogue, "hipDeviceProp_t", address)
    for name, value in (("major", 9), ("warpSize", 64), ("totalGlobalMem", 1 << 40), ("hostRegisterSupported", 1)):
        setattr(hip, name, value)
    hip.sparseHipArraySupported = 1
    ctypes.memmove(address, b"AMD Instinct", 12)
    properties = finish()
    assert isinstance(properties, cls)
    assert (properties.name, properties.major, properties.warpSize) == (b"AMD Instinct", 9, 64)
    assert properties.totalGlobalMem == 1 << 40
    if catalogue.cuda != "11.8":
        assert (properties.hostRegisterSupported, properties.sparseCudaArraySupported) == (1, 1)
    assert repr(from_hip(cls, hip)) == repr(properties)


def test_an_output_that_both_lay_out_alike_is_filled_in_place(catalogue: Catalogue) -> None:
    address, finish = output(catalogue.class_of("CUuuid", "driver"))
    ctypes.memmove(address, bytes(range(16)), 16)
    uuid = finish()
    assert uuid.getPtr() == address
    assert uuid.bytes == bytes(range(16))


def test_nothing_from_hip_is_none(catalogue: Catalogue) -> None:
    assert from_hip(catalogue.class_of("CUuuid", "driver"), None) is None


def access_policy(catalogue: Catalogue) -> Any:
    attribute = catalogue.class_of("CUlaunchAttribute", "driver")()
    attribute.id = catalogue.class_of("CUlaunchAttributeID", "driver").CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
    window = attribute.value.accessPolicyWindow
    window.base_ptr, window.num_bytes, window.hitRatio = 0x1000, 0x2000, 0.5
    window.missProp = catalogue.class_of("CUaccessProperty", "driver").CU_ACCESS_PROPERTY_STREAMING
    return attribute


def test_a_launch_attribute_is_converted_as_its_id_says(catalogue: Catalogue) -> None:
    attribute = access_policy(catalogue)
    address = to_hip(attribute)
    window = hip_object(catalogue, "hipAccessPolicyWindow", (address or 0) + 8)
    assert (window.hitRatio, window.num_bytes, int(window.base_ptr)) == (0.5, 0x2000, 0x1000)
    attribute.id = catalogue.class_of("CUlaunchAttributeID", "driver").CU_LAUNCH_ATTRIBUTE_PRIORITY
    attribute.value.priority = -5
    assert ctypes.c_int.from_address((to_hip(attribute) or 0) + 8).value == -5


def test_arrays_that_a_struct_points_to_are_converted_and_kept(catalogue: Catalogue) -> None:
    config = catalogue.class_of("CUlaunchConfig", "driver")()
    config.attrs = [access_policy(catalogue), access_policy(catalogue)]
    config.numAttrs, config.gridDimX = 2, 17
    address = to_hip(config)
    gc.collect()
    assert ctypes.c_uint.from_address(address or 0).value == 17
    attributes = ctypes.c_size_t.from_address((address or 0) + 40).value
    assert attributes != config.attrs[0].getPtr()
    for index in range(2):
        window = hip_object(catalogue, "hipAccessPolicyWindow", attributes + 72 * index + 8)
        assert (window.hitRatio, window.num_bytes) == (0.5, 0x2000)


@pytest.mark.parametrize("table", ["driver", "runtime"])
@pytest.mark.parametrize("cuda", ["12.9", "13.5"])
def test_graph_node_parameters_are_converted_as_their_type_says(cuda: str, table: str) -> None:
    catalogue = objects(cuda)
    prefix = "CU_GRAPH_NODE_TYPE_" if table == "driver" else "cudaGraphNodeType"
    kinds = catalogue.class_of("CUgraphNodeType" if table == "driver" else "cudaGraphNodeType", table)
    node = catalogue.class_of("CUgraphNodeParams" if table == "driver" else "cudaGraphNodeParams", table)()
    node.type = getattr(kinds, f"{prefix}MEMSET" if table == "driver" else f"{prefix}Memset")
    node.memset.value, node.memset.width, node.memset.pitch = 0xAB, 12, 64
    argument = hip_object(catalogue, "hipGraphNodeParams", to_hip(node))
    assert argument.type == catalogue.hip_python.hip.hipGraphNodeType.hipGraphNodeTypeMemset
    memset = hip_object(catalogue, "hipMemsetParams", int(argument) + 16)
    assert (memset.value, memset.width, memset.pitch) == (0xAB, 12, 64)
    back = from_hip(type(node), argument)
    assert (back.memset.value, back.memset.width) == (0xAB, 12)


def test_a_graph_node_that_hip_has_not_is_refused() -> None:
    catalogue = objects("12.9")
    node = catalogue.class_of("CUgraphNodeParams", "driver")()
    node.type = catalogue.class_of("CUgraphNodeType", "driver").CU_GRAPH_NODE_TYPE_CONDITIONAL
    with pytest.raises(Refused) as refused:
        to_hip(node)
    assert not refused.value.supported


def test_texture_descriptors_arrive_whole(catalogue: Catalogue) -> None:
    texture = catalogue.class_of("cudaTextureDesc", "runtime")()
    texture.addressMode = [1, 2, 3]
    texture.borderColor = [1.0, 2.0, 3.0, 4.0]
    texture.maxMipmapLevelClamp = 6.0
    texture.disableTrilinearOptimization = 1
    address = to_hip(texture)
    assert list((ctypes.c_int * 3).from_address(address or 0)) == [1, 2, 3]
    argument = hip_object(catalogue, "hipTextureDesc", address)
    assert argument.maxMipmapLevelClamp == 6.0


def test_external_memory_descriptors_get_the_zeros_that_hip_reserves() -> None:
    catalogue = objects("12.9")
    description = catalogue.class_of("cudaExternalMemoryBufferDesc", "runtime")()
    description.offset, description.size, description.flags = 1, 2, 3
    address = to_hip(description)
    assert ctypes.string_at(address or 0, 88) == b"".join(
        (number).to_bytes(size, "little") for number, size in ((1, 8), (2, 8), (3, 4), (0, 68))
    )


def test_lists_of_structs_become_arrays_of_hips_and_back() -> None:
    catalogue = objects("12.9")
    cls = catalogue.class_of("CUgraphEdgeData", "driver")
    edges = [cls(), cls()]
    edges[0].from_port, edges[0].to_port, edges[0].type = 1, 2, 3
    edges[1].type = 4
    argument = array_to_hip(edges)
    assert argument is not None
    first = hip_object(catalogue, "hipGraphEdgeData", int(argument))
    assert (first.from_port, first.to_port, first.type) == (1, 2, 3)
    back = array_from_hip(cls, int(argument), 2)
    assert [repr(edge) for edge in back] == [repr(edge) for edge in edges]
    assert array_to_hip([]) is None


def test_inner_memory_of_a_conversion_outlives_the_call_that_made_it(catalogue: Catalogue) -> None:
    parameters = catalogue.class_of("cudaMemsetParams", "runtime")()
    parameters.width = 5
    address = to_hip(parameters)
    gc.collect()
    filler = [bytearray(48) for _ in range(1000)]
    assert hip_object(catalogue, "hipMemsetParams", address).width == 5
    assert len(filler) == 1000


@pytest.mark.parametrize(("name", "words"), [("cudaExtent", 6), ("dim3", 3), ("cudaMemLocation", 2)])
def test_ctypes_passes_a_struct_by_value_as_c_does(catalogue: Catalogue, name: str, words: int) -> None:
    struct = catalogue.class_of(name, "runtime")()
    ctypes.memmove(struct.getPtr(), bytes(range(4 * words)), 4 * words)
    argument = native_value(struct)
    seen: list[bytes] = []
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_int, type(argument), ctypes.c_int)

    def callee(before: int, value: Any, after: int) -> None:
        seen.append(bytes(value) + bytes([before, after]))

    prototype(callee)(7, argument, 9)
    assert seen == [bytes([*range(4 * words), 7, 9])]
