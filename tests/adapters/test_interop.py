"""Sharing with graphics, and features of NVIDIA's hardware alone: clear refusals, after a check of the arguments."""

import pytest

from tests.adapters.answers import failed, not_a_list, ok, raising


@pytest.mark.parametrize("call", ["cuGraphicsMapResources", "cuGraphicsUnmapResources"])
def test_resources_are_one_handle_or_an_address_of_some(cuda, call):
    function = getattr(cuda.driver, call)
    for resources in (cuda.driver.CUgraphicsResource(7), None, 4096):
        failed(function(1, resources, 0), "CUDA_ERROR_NOT_SUPPORTED")
    with raising(
        TypeError,
        "Argument 'resources' is not instance of type (expected <class 'int, driver.CUgraphicsResource'>, "
        "found <class 'list'>",
    ):
        function(1, [], 0)
    with raising(OverflowError, "can't convert negative value to unsigned int"):
        function(-1, 0, 0)


def test_partitions_of_a_device(cuda):
    driver = cuda.driver
    failed(driver.cuDevSmResourceSplitByCount(2, driver.CUdevResource(), 0, 1), "CUDA_ERROR_INVALID_VALUE", 3)
    with raising(RuntimeError, "List is too small: 1 < 2"):
        driver.cuDevResourceGenerateDesc([driver.CUdevResource()], 2)
    with raising(TypeError, not_a_list("resources", "cydriver.CUdevResource,")):
        driver.cuDevResourceGenerateDesc([1], 1)


@pytest.mark.parametrize(
    ("call", "arguments", "outputs", "hint"),
    [
        ("cuGraphicsGLRegisterBuffer", (1, 0), 1, "copy through host memory"),
        ("cuGraphicsResourceSetMapFlags", (0, 0), 0, "registered"),
        ("cuMulticastCreate", (None,), 1, "peer copies"),
        ("cuCheckpointProcessGetState", (1,), 1, "checkpoint"),
        ("cuLogsCurrent", (0,), 1, "log of cuda_shim"),
    ],
)
def test_refusals_say_what_to_do(cuda, caplog, call, arguments, outputs, hint):
    failed(getattr(cuda.driver, call)(*arguments), "CUDA_ERROR_NOT_SUPPORTED", outputs)
    assert call in caplog.text
    assert hint in caplog.text


def test_bank_sizes_are_taken(cuda):
    driver, runtime = cuda.driver, cuda.runtime
    assert type(ok(driver.cuCtxGetSharedMemConfig())) is driver.CUsharedconfig
    ok(driver.cuCtxSetSharedMemConfig(driver.CUsharedconfig.CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE))
    assert type(ok(runtime.cudaDeviceGetSharedMemConfig())) is runtime.cudaSharedMemConfig
