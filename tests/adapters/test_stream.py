"""Streams: attributes, contexts, values in memory and batches of them."""

import ctypes

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a, not_a_list, ok, raising


@pytest.fixture(scope="module")
def stream(cuda):
    made = ok(cuda.driver.cuStreamCreate(cuda.driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    yield made
    ok(cuda.driver.cuStreamDestroy(made))


@pytest.fixture
def words(cuda):
    """An array that the device sees, of zeros."""
    place = ok(cuda.driver.cuMemAllocHost(64))
    made = np.ctypeslib.as_array((ctypes.c_uint32 * 16).from_address(place))
    made[:] = 0
    yield made
    ok(cuda.driver.cuMemFreeHost(place))


def test_facts_of_a_stream(cuda):
    driver = cuda.driver
    least, greatest = ok(driver.cuCtxGetStreamPriorityRange())
    assert least >= greatest
    made = ok(driver.cuStreamCreateWithPriority(1, greatest))
    assert driver.cuStreamGetPriority(made) == (0, greatest)
    assert driver.cuStreamGetFlags(made) == (0, 1)
    other = ok(driver.cuStreamCreate(0))
    assert ok(driver.cuStreamGetId(made)) != ok(driver.cuStreamGetId(other))
    device = ok(driver.cuStreamGetDevice(made))
    assert (type(device), int(device)) == (driver.CUdevice, 0)
    assert cuda.runtime.cudaStreamGetDevice(made) == (0, 0)
    for each in (made, other):
        ok(driver.cuStreamDestroy(each))
    failed(driver.cuStreamGetDevice(made), "CUDA_ERROR_INVALID_HANDLE", 1)


def test_streams_belong_to_a_context(cuda, stream):
    driver = cuda.driver
    current = ok(driver.cuCtxGetCurrent())
    assert ok(driver.cuStreamGetCtx(stream)) == current
    assert ok(driver.cuStreamGetCtx(0)) == current
    context, green = ok(driver.cuStreamGetCtx_v2(stream))
    assert (context, type(green), int(green)) == (current, driver.CUgreenCtx, 0)
    failed(driver.cuStreamGetCtx(12345), "CUDA_ERROR_INVALID_HANDLE", 1)


def test_attributes_of_streams(cuda, stream):
    driver = cuda.driver
    names, policies = driver.CUstreamAttrID, driver.CUsynchronizationPolicy
    told = ok(driver.cuStreamGetAttribute(stream, names.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY))
    assert told.syncPolicy is policies.CU_SYNC_POLICY_AUTO
    ok(driver.cuStreamSetAttribute(stream, names.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, told))
    value = driver.CUstreamAttrValue()
    value.syncPolicy = policies.CU_SYNC_POLICY_SPIN
    ok(driver.cuStreamSetAttribute(stream, names.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, value))
    told = ok(driver.cuStreamGetAttribute(stream, names.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY))
    assert (type(told), told.syncPolicy) == (driver.CUstreamAttrValue, policies.CU_SYNC_POLICY_SPIN)
    other = ok(driver.cuStreamCreate(0))
    ok(driver.cuStreamCopyAttributes(other, stream))
    told = ok(driver.cuStreamGetAttribute(other, names.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY))
    assert told.syncPolicy is policies.CU_SYNC_POLICY_SPIN
    ok(driver.cuStreamDestroy(other))
    failed(driver.cuStreamGetAttribute(stream, names.CU_LAUNCH_ATTRIBUTE_COOPERATIVE), "CUDA_ERROR_INVALID_VALUE", 1)
    programmatic = names.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT
    failed(driver.cuStreamSetAttribute(stream, programmatic, value), "CUDA_ERROR_NOT_SUPPORTED")
    with raising(TypeError, not_a("driver.CUstreamAttrValue", "value", "int")):
        driver.cuStreamSetAttribute(stream, names.CU_LAUNCH_ATTRIBUTE_PRIORITY, 1)
    with raising(TypeError, "Argument 'attr' must not be None"):
        driver.cuStreamGetAttribute(stream, None)


def test_values_are_written_and_waited_for(cuda, stream, words):
    driver, place = cuda.driver, words.ctypes.data
    ok(driver.cuStreamWriteValue32(stream, place, driver.cuuint32_t(0xFFFFFFFF), 0))
    ok(driver.cuStreamWaitValue32(stream, place, 0xFFFFFFFF, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ))
    ok(driver.cuStreamWriteValue64(stream, place + 8, (1 << 63) + 1, 0))
    ok(driver.cuStreamSynchronize(stream))
    assert list(words[:4]) == [0xFFFFFFFF, 0, 1, 1 << 31]
    with raising(OverflowError, "value too large to convert to uint32_t"):
        driver.cuStreamWriteValue32(stream, place, 1 << 32, 0)
    with raising(OverflowError, "can't convert negative value to uint32_t"):
        driver.cuStreamWaitValue32(stream, place, -1, 0)


@pytest.mark.parametrize("flags", [1, 77])
def test_writes_take_no_flags(cuda, stream, words, flags):
    """As an H200's driver answers; HIP takes any."""
    driver, place, invalid = cuda.driver, words.ctypes.data, "CUDA_ERROR_INVALID_VALUE"
    words[:] = 0
    failed(driver.cuStreamWriteValue32(stream, place, 7, flags), invalid)
    failed(driver.cuStreamWriteValue64(stream, place, 7, flags), invalid)
    operation = driver.CUstreamBatchMemOpParams()
    operation.writeValue.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_WRITE_VALUE_32
    operation.writeValue.address, operation.writeValue.value, operation.writeValue.flags = place, 7, flags
    failed(driver.cuStreamBatchMemOp(stream, 1, [operation], 0), invalid)
    params = driver.CUDA_BATCH_MEM_OP_NODE_PARAMS()
    params.ctx, params.count, params.paramArray = ok(driver.cuCtxGetCurrent()), 1, [operation]
    graph = ok(driver.cuGraphCreate(0))
    failed(driver.cuGraphAddBatchMemOpNode(graph, None, 0, params), invalid, 1)
    ok(driver.cuGraphDestroy(graph))
    ok(driver.cuStreamSynchronize(stream))
    assert not words.any()


def test_batches_of_operations(cuda, stream, words):
    driver, kinds = cuda.driver, cuda.driver.CUstreamBatchMemOpType
    write, wait = driver.CUstreamBatchMemOpParams(), driver.CUstreamBatchMemOpParams()
    write.writeValue.operation = kinds.CU_STREAM_MEM_OP_WRITE_VALUE_32
    write.writeValue.address, write.writeValue.value = words.ctypes.data, 5
    wait.waitValue.operation = kinds.CU_STREAM_MEM_OP_WAIT_VALUE_32
    wait.waitValue.address, wait.waitValue.value = words.ctypes.data, 5
    ok(driver.cuStreamBatchMemOp(stream, 2, [write, wait], 0))
    ok(driver.cuStreamSynchronize(stream))
    assert words[0] == 5
    with raising(RuntimeError, "List is too small: 1 < 2"):
        driver.cuStreamBatchMemOp(stream, 2, (write,), 0)
    with raising(TypeError, not_a_list("paramArray", "cydriver.CUstreamBatchMemOpParams,")):
        driver.cuStreamBatchMemOp(stream, 1, [5], 0)


def test_numbers_of_streams_are_checked(cuda):
    with raising(OverflowError, "can't convert negative value to unsigned int"):
        cuda.driver.cuStreamCreate(-1)
    with raising(OverflowError, "can't convert negative value to unsigned PY_LONG_LONG"):
        cuda.driver.cuStreamSynchronize(-1)
    with raising(OverflowError, "Python int too large to convert to C unsigned long"):
        cuda.driver.cuStreamSynchronize(1 << 64)
    failed(cuda.driver.cuStreamSynchronize(12345), "CUDA_ERROR_INVALID_HANDLE")


@pytest.mark.parametrize("table", ["driver", "runtime"])
def test_access_policy_windows_of_streams_are_kept_and_checked(cuda, stream, table):
    module = getattr(cuda, table)
    driver = table == "driver"
    calls = (
        (module.cuStreamSetAttribute, module.cuStreamGetAttribute)
        if driver
        else (module.cudaStreamSetAttribute, module.cudaStreamGetAttribute)
    )
    attribute = (
        module.CUstreamAttrID.CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
        if driver
        else module.cudaStreamAttrID.cudaLaunchAttributeAccessPolicyWindow
    )
    value = (module.CUstreamAttrValue if driver else module.cudaStreamAttrValue)()
    kinds = module.CUaccessProperty if driver else module.cudaAccessProperty

    def window(size, ratio, hit, miss):
        policy = value.accessPolicyWindow
        policy.base_ptr, policy.num_bytes, policy.hitRatio = 0x1000, size, ratio
        policy.hitProp, policy.missProp = kinds(hit), kinds(miss)
        value.accessPolicyWindow = policy
        return value

    ok(calls[0](stream, attribute, window(4096, 0.25, 2, 1)))
    told = ok(calls[1](stream, attribute)).accessPolicyWindow
    assert (int(told.base_ptr), told.num_bytes, told.hitRatio) == (0x1000, 4096, 0.25)
    assert (told.hitProp, told.missProp) == (kinds(2), kinds(1))
    invalid = "CUDA_ERROR_INVALID_VALUE" if driver else "cudaErrorInvalidValue"
    for wrong in ((4096, 1.5, 2, 1), (4096, 0.5, 2, 2), (1 << 40, 0.5, 2, 1)):
        failed(calls[0](stream, attribute, window(*wrong)), invalid)
    assert ok(calls[1](stream, attribute)).accessPolicyWindow.hitRatio == 0.25
