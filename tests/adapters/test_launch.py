"""Launches with attributes, on several devices, and of handles that are not kernels."""

import ctypes

import numpy as np
import pytest

from cuda_shim.backends import hip_python
from tests.adapters.answers import failed, not_a, not_a_list, ok, raising
from tests.adapters.kernels import compile_code, loaded_function

ADD = b'extern "C" __global__ void add(int *to, int value) { to[threadIdx.x] += value; }'
COUNT = 16


@pytest.fixture(scope="module")
def function(cuda):
    with loaded_function(cuda, b"add", compile_code(cuda.nvrtc, ADD)) as made:
        yield made


@pytest.fixture
def memory(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(4 * COUNT))
    ok(cuda.driver.cuMemsetD32(pointer, 0, COUNT))
    yield pointer
    ok(cuda.driver.cuMemFree(pointer))


@pytest.fixture
def config(cuda):
    made = cuda.driver.CUlaunchConfig()
    made.gridDimX = made.gridDimY = made.gridDimZ = made.blockDimY = made.blockDimZ = 1
    made.blockDimX = COUNT
    return made


def attribute(cuda, name, **values):
    made = cuda.driver.CUlaunchAttribute()
    made.id = getattr(cuda.driver.CUlaunchAttributeID, f"CU_LAUNCH_ATTRIBUTE_{name}")
    for member, value in values.items():
        setattr(made.value, member, value)
    return made


def first(cuda, memory):
    ok(cuda.driver.cuCtxSynchronize())
    word = np.zeros(1, np.int32)
    ok(cuda.driver.cuMemcpyDtoH(word, memory, 4))
    return int(word[0])


def arguments(memory, value):
    return ((memory, value), (None, ctypes.c_int))


def test_a_configuration_in_a_struct(cuda, function, memory, config):
    ok(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 3), 0))
    assert first(cuda, memory) == 3


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("COOPERATIVE", {"cooperative": 1}),
        ("PRIORITY", {"priority": -1}),
        ("IGNORE", {}),
        ("PROGRAMMATIC_STREAM_SERIALIZATION", {"programmaticStreamSerializationAllowed": 1}),
        ("CLUSTER_SCHEDULING_POLICY_PREFERENCE", {}),
        ("PREFERRED_SHARED_MEMORY_CARVEOUT", {"sharedMemCarveout": 50}),
    ],
)
def test_attributes_are_served_or_only_hints(cuda, function, memory, config, name, values):
    config.attrs, config.numAttrs = [attribute(cuda, name, **values), attribute(cuda, "PRIORITY", priority=0)], 2
    ok(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 2), 0))
    assert first(cuda, memory) == 2
    assert (len(config.attrs), config.numAttrs) == (2, 2)


def test_attributes_that_count_are_refused_where_hip_lacks_them(cuda, function, memory, config):
    config.attrs, config.numAttrs = [attribute(cuda, "LAUNCH_COMPLETION_EVENT")], 1
    failed(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 2), 0), "CUDA_ERROR_NOT_SUPPORTED")
    assert first(cuda, memory) == 0
    config.numAttrs = 0  # attributes behind the count are not looked at
    ok(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 2), 0))


def test_more_attributes_than_there_are_would_be_read_from_elsewhere(cuda, function, memory, config):
    config.attrs, config.numAttrs = [attribute(cuda, "PRIORITY", priority=0)], 2
    failed(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 2), 0), "CUDA_ERROR_INVALID_VALUE")
    config.attrs = []
    failed(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 2), 0), "CUDA_ERROR_INVALID_VALUE")


def test_a_cluster_of_one_block_is_none(cuda, function, memory, config):
    single = attribute(cuda, "CLUSTER_DIMENSION")
    single.value.clusterDim.x = single.value.clusterDim.y = single.value.clusterDim.z = 1
    config.attrs, config.numAttrs = [single], 1
    ok(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 6), 0))
    assert first(cuda, memory) == 6


def test_a_device_without_clusters_refuses_them(cuda, function, memory, config):
    two = attribute(cuda, "CLUSTER_DIMENSION")
    two.value.clusterDim.x, two.value.clusterDim.y, two.value.clusterDim.z = 2, 1, 1
    config.gridDimX, config.attrs, config.numAttrs = 2, [two], 1
    names = dir(hip_python.load().hip.hipLaunchAttributeID)
    status = "INVALID_VALUE" if "hipLaunchAttributeClusterDimension" in names else "NOT_SUPPORTED"
    failed(cuda.driver.cuLaunchKernelEx(config, function, arguments(memory, 6), 0), f"CUDA_ERROR_{status}")
    assert first(cuda, memory) == 0


def test_parameters_in_every_form(cuda, function, memory):
    launch = lambda given, extra=0: ok(cuda.driver.cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, 0, given, extra))  # noqa: E731
    to, by = ctypes.c_void_p(int(memory)), ctypes.c_int(1)
    places = (ctypes.c_void_p * 2)(ctypes.addressof(to), ctypes.addressof(by))
    packed, size = (ctypes.c_char * 12)(), ctypes.c_size_t(12)
    ctypes.memmove(packed, ctypes.byref(to), 8)
    ctypes.memmove(ctypes.addressof(packed) + 8, ctypes.byref(by), 4)
    marks = (ctypes.c_void_p * 5)(2, ctypes.addressof(size), 1, ctypes.addressof(packed), 0)
    forms = [
        ctypes.addressof(places),
        places,
        np.frombuffer(bytes(places), np.uint64),
        bytes(places),
        memoryview(places),
    ]
    for form in [*forms, arguments(memory, 1), ((int(memory), np.int32(1)), (ctypes.c_void_p, ctypes.c_int))]:
        launch(form)
    for none in (0, None):
        launch(none, ctypes.addressof(marks))
    assert first(cuda, memory) == len(forms) + 4
    failed(
        cuda.driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, places, ctypes.addressof(marks)),
        "CUDA_ERROR_INVALID_VALUE",
    )


def test_what_is_no_configuration(cuda, function, memory, config):
    launch = cuda.driver.cuLaunchKernelEx
    failed(launch(None, function, arguments(memory, 1), 0), "CUDA_ERROR_INVALID_VALUE")
    failed(launch(config, 0, arguments(memory, 1), 0), "CUDA_ERROR_INVALID_HANDLE")
    with raising(TypeError, not_a("driver.CUlaunchConfig", "config", "int")):
        launch(5, function, arguments(memory, 1), 0)
    for wrong in (None, "x"):
        with raising(TypeError, "an integer is required"):
            launch(config, function, arguments(memory, 1), wrong)
    with raising(OverflowError, "can't convert negative value to unsigned PY_LONG_LONG"):
        launch(config, function, arguments(memory, 1), -1)
    with raising(OverflowError, "can't convert negative value to unsigned PY_LONG_LONG"):
        launch(config, function, -1, 0)


def test_cooperative_launches(cuda, function, memory):
    launch = cuda.driver.cuLaunchCooperativeKernel
    ok(launch(function, 1, 1, 1, COUNT, 1, 1, 0, 0, arguments(memory, 4)))
    assert first(cuda, memory) == 4
    failed(launch(function, 0, 1, 1, COUNT, 1, 1, 0, 0, arguments(memory, 4)), "CUDA_ERROR_INVALID_VALUE")


def test_launches_on_several_devices(cuda, function, memory):
    driver = cuda.driver
    params = driver.CUDA_LAUNCH_PARAMS()
    params.function = function
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1
    params.blockDimX = COUNT
    params.hStream = stream = ok(driver.cuStreamCreate(0))
    params.kernelParams = arguments(memory, 8)
    launch = driver.cuLaunchCooperativeKernelMultiDevice
    ok(launch([params], 1, 0))
    assert first(cuda, memory) == 8
    with raising(RuntimeError, "List is too small: 1 < 2"):
        launch([params], 2, 0)
    with raising(TypeError, not_a_list("launchParamsList", "cydriver.CUDA_LAUNCH_PARAMS,")):
        launch([1], 1, 0)
    ok(driver.cuStreamDestroy(stream))


def test_a_kernel_of_a_library_is_launched_as_it_is(cuda, memory):
    driver = cuda.driver
    library = ok(driver.cuLibraryLoadData(compile_code(cuda.nvrtc, ADD), [], [], 0, [], [], 0))
    kernel = ok(driver.cuLibraryGetKernel(library, b"add"))
    ok(driver.cuLaunchKernel(int(kernel), 1, 1, 1, COUNT, 1, 1, 0, 0, arguments(memory, 9), 0))
    assert first(cuda, memory) == 9
    ok(driver.cuLibraryUnload(library))


def test_interfaces_of_cuda_4_say_what_to_use(cuda, function, caplog):
    failed(cuda.driver.cuFuncSetBlockShape(function, 1, 1, 1), "CUDA_ERROR_NOT_SUPPORTED")
    assert "use cuLaunchKernel" in caplog.text
