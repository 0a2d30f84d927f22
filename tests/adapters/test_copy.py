"""Fills and copies: the words that CUDA takes, structs of every shape, arrays, peers and batches."""

import ctypes

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a, not_a_list, ok, raising

WORDS = 64
SIZE = 4 * WORDS
ORDINARY = np.arange(WORDS, dtype=np.uint32)


@pytest.fixture(scope="module")
def memory(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(16 * SIZE))
    yield int(pointer)
    ok(cuda.driver.cuMemFree(pointer))


def read(cuda, pointer, count=WORDS, kind=np.uint32):
    out = np.zeros(count, kind)
    ok(cuda.driver.cuMemcpyDtoH(out, pointer, out.nbytes))
    return list(out)


@pytest.mark.parametrize("word", [0, 1, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFF])
def test_words_are_unsigned(cuda, memory, stream, word):
    ok(cuda.driver.cuMemsetD32(memory, word, 4))
    assert read(cuda, memory, 4) == [word] * 4
    ok(cuda.driver.cuMemsetD32Async(memory, 0xFFFFFFFF - word, 4, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert read(cuda, memory, 4) == [0xFFFFFFFF - word] * 4


@pytest.mark.parametrize("call, limit, name", [
    ("cuMemsetD8", 1 << 8, "char"), ("cuMemsetD16", 1 << 16, "short"), ("cuMemsetD32", 1 << 32, "int"),
])  # fmt: skip
def test_values_that_do_not_fit_are_cuda_pythons_errors(cuda, memory, call, limit, name):
    fill = getattr(cuda.driver, call)
    ok(fill(memory, limit - 1, 4))
    ok(fill(memory, 2.5, 4))
    with raising(OverflowError, f"value too large to convert to unsigned {name}"):
        fill(memory, limit, 4)
    with raising(OverflowError, f"can't convert negative value to unsigned {name}"):
        fill(memory, -1, 4)
    with raising(TypeError, "an integer is required"):
        fill(memory, "a", 4)


def test_what_cannot_be_filled(cuda, memory):
    failed(cuda.driver.cuMemsetD32(memory + 1, 0, 1), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemsetD8(0, 0, 1), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemsetD2D8(memory, 4, 0, 8, 2), "CUDA_ERROR_INVALID_VALUE")
    ok(cuda.driver.cuMemsetD8(memory, 0, 0))


def test_the_runtime_fills_with_the_lowest_byte(cuda, memory):
    for value, byte in ((-1, 255), (258, 2)):
        ok(cuda.runtime.cudaMemset(memory, value, 4))
        assert read(cuda, memory, 4, np.uint8) == [byte] * 4


def test_the_runtime_fills_rows_and_volumes(cuda, memory):
    ok(cuda.driver.cuMemsetD8(memory, 0, SIZE))
    ok(cuda.runtime.cudaMemset2D(memory, 16, 7, 2, 3))
    assert [index for index, byte in enumerate(read(cuda, memory, SIZE, np.uint8)) if byte] == [0, 1, 16, 17, 32, 33]
    volume = cuda.runtime.make_cudaPitchedPtr(memory, 16, 2, 4)
    ok(cuda.runtime.cudaMemset3D(volume, 0, cuda.runtime.make_cudaExtent(2, 4, 2)))
    assert not any(read(cuda, memory, SIZE, np.uint8))
    with raising(TypeError, not_a("runtime.cudaPitchedPtr", "pitchedDevPtr", "int")):
        cuda.runtime.cudaMemset3D(3, 0, cuda.runtime.make_cudaExtent(2, 4, 2))


@pytest.mark.parametrize("source", [
    ORDINARY, memoryview(ORDINARY),  # type: ignore[arg-type]
        ORDINARY.tobytes(), bytearray(ORDINARY.tobytes()), ORDINARY.ctypes.data,
    np.int64(ORDINARY.ctypes.data),
], ids=lambda source: type(source).__name__)  # fmt: skip
def test_host_memory_is_an_address_or_has_a_buffer(cuda, memory, source):
    ok(cuda.driver.cuMemsetD8(memory, 0, SIZE))
    ok(cuda.driver.cuMemcpyHtoD(memory, source, SIZE))
    assert read(cuda, memory) == list(ORDINARY)


def test_a_variable_of_ctypes_is_a_buffer_even_if_it_holds_an_address(cuda, memory):
    ok(cuda.driver.cuMemcpyHtoD(memory, ctypes.c_void_p(ORDINARY.ctypes.data), 8))
    assert read(cuda, memory, 1, np.uint64) == [ORDINARY.ctypes.data]


@pytest.mark.parametrize("wrong", ["abc", [1, 2], {}])
def test_what_is_no_host_memory(cuda, memory, wrong):
    text = f"Provided argument is of type {type(wrong)} but expected Type None, int or object with Buffer Protocol"
    with raising(TypeError, text):
        cuda.driver.cuMemcpyHtoD(memory, wrong, 3)


def test_strided_host_memory_is_refused(cuda, memory):
    with raising(ValueError, "ndarray is not contiguous"):
        cuda.driver.cuMemcpyHtoD(memory, ORDINARY[::2], 3)


def test_null_pointers_are_errors_where_bytes_are_copied(cuda, memory):
    failed(cuda.driver.cuMemcpyHtoD(0, ORDINARY, 16), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemcpyHtoD(memory, None, 16), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemcpyDtoH(np.zeros(4), 0, 16), "CUDA_ERROR_INVALID_VALUE")
    failed(
        cuda.runtime.cudaMemcpy(0, ORDINARY, 16, cuda.runtime.cudaMemcpyKind.cudaMemcpyHostToDevice),
        "cudaErrorInvalidValue",
    )
    ok(cuda.driver.cuMemcpyHtoD(memory, ORDINARY, 0))


def test_a_direction_is_one_of_five(cuda, memory):
    kinds = cuda.runtime.cudaMemcpyKind
    for kind in (kinds.cudaMemcpyHostToDevice, kinds.cudaMemcpyDefault):
        ok(cuda.runtime.cudaMemcpy(memory, ORDINARY, SIZE, kind))
    for kind in (kinds.cudaMemcpyDeviceToHost, kinds.cudaMemcpyDeviceToDevice):
        failed(cuda.runtime.cudaMemcpy(memory, ORDINARY, SIZE, kind), "cudaErrorInvalidValue")
    with raising(TypeError, "Argument 'kind' must not be None"):
        cuda.runtime.cudaMemcpy(memory, ORDINARY, SIZE, None)


def test_peers_are_contexts_in_the_driver_and_numbers_in_the_runtime(cuda, memory, stream):
    context = ok(cuda.driver.cuCtxGetCurrent())
    ok(cuda.driver.cuMemcpyHtoD(memory, ORDINARY, SIZE))
    for number, given in enumerate((context, 0)):
        to = memory + (number + 1) * SIZE
        ok(cuda.driver.cuMemcpyPeer(to, given, memory, given, SIZE))
        assert read(cuda, to) == list(ORDINARY)
    ok(cuda.driver.cuMemcpyPeerAsync(memory + 3 * SIZE, context, memory, context, SIZE, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert read(cuda, memory + 3 * SIZE) == list(ORDINARY)
    ok(cuda.runtime.cudaMemcpyPeer(memory + 4 * SIZE, 0, memory, 0, SIZE))
    assert read(cuda, memory + 4 * SIZE) == list(ORDINARY)
    failed(cuda.runtime.cudaMemcpyPeer(memory + SIZE, 9, memory, 0, SIZE), "cudaErrorInvalidDevice")
    with raising(TypeError, "an integer is required"):
        cuda.driver.cuMemcpyPeer(memory + SIZE, "a", memory, 0, SIZE)


def rows(cuda, memory):
    copy = cuda.driver.CUDA_MEMCPY2D()
    copy.srcMemoryType = cuda.driver.CUmemorytype.CU_MEMORYTYPE_HOST
    copy.srcHost, copy.srcPitch, copy.srcXInBytes, copy.srcY = ORDINARY.ctypes.data, 32, 4, 1
    copy.dstMemoryType = cuda.driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    copy.dstDevice, copy.dstPitch, copy.WidthInBytes, copy.Height = memory, 64, 8, 3
    return copy


@pytest.mark.parametrize("call", ["cuMemcpy2D", "cuMemcpy2DUnaligned", "cuMemcpy2DAsync"])
def test_rows(cuda, memory, stream, call):
    ok(cuda.driver.cuMemsetD8(memory, 0, SIZE))
    further = (stream,) if call.endswith("Async") else ()
    ok(getattr(cuda.driver, call)(rows(cuda, memory), *further))
    ok(cuda.driver.cuStreamSynchronize(stream))
    expected = np.zeros((4, 16), np.uint32)
    expected[:3, :2] = ORDINARY.reshape(8, 8)[1:4, 1:3]
    assert read(cuda, memory) == list(expected.ravel())
    failed(getattr(cuda.driver, call)(None, *further), "CUDA_ERROR_INVALID_VALUE")
    with raising(TypeError, not_a("driver.CUDA_MEMCPY2D", "pCopy", "cuda.bindings.driver.CUDA_MEMCPY3D")):
        getattr(cuda.driver, call)(cuda.driver.CUDA_MEMCPY3D(), *further)


def test_a_pitch_less_than_the_width_is_an_error(cuda, memory):
    copy = rows(cuda, memory)
    copy.dstPitch = 4
    failed(cuda.driver.cuMemcpy2D(copy), "CUDA_ERROR_INVALID_VALUE")


@pytest.mark.parametrize("call", ["cuMemcpy3D", "cuMemcpy3DPeer"])
def test_volumes(cuda, memory, call):
    kinds, peer = cuda.driver.CUmemorytype, call.endswith("Peer")
    copy = cuda.driver.CUDA_MEMCPY3D_PEER() if peer else cuda.driver.CUDA_MEMCPY3D()
    copy.srcMemoryType, copy.srcDevice, copy.srcPitch, copy.srcHeight = kinds.CU_MEMORYTYPE_UNIFIED, memory, 32, 2
    copy.dstMemoryType, copy.dstDevice, copy.dstPitch, copy.dstHeight = kinds.CU_MEMORYTYPE_DEVICE, memory + SIZE, 64, 2
    copy.WidthInBytes, copy.Height, copy.Depth = 8, 2, 2
    if peer:
        copy.srcContext = copy.dstContext = ok(cuda.driver.cuCtxGetCurrent())
    ok(cuda.driver.cuMemcpyHtoD(memory, ORDINARY, SIZE))
    ok(cuda.driver.cuMemsetD8(memory + SIZE, 0, SIZE))
    ok(getattr(cuda.driver, call)(copy))
    expected = np.zeros((4, 16), np.uint32)
    expected[:, :2] = ORDINARY[:32].reshape(4, 8)[:, :2]
    assert read(cuda, memory + SIZE) == list(expected.ravel())


def test_arrays(cuda, memory, stream):
    driver, out = cuda.driver, np.zeros(WORDS, np.uint32)
    description = driver.CUDA_ARRAY_DESCRIPTOR()
    description.Width, description.Height, description.NumChannels = WORDS, 0, 1
    description.Format = driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT32
    first, second = ok(driver.cuArrayCreate(description)), ok(driver.cuArrayCreate(description))
    ok(driver.cuMemcpyHtoA(first, 0, ORDINARY, SIZE))
    ok(driver.cuMemcpyAtoA(second, 0, first, 0, SIZE))
    ok(driver.cuMemcpyAtoD(memory, second, 0, SIZE))
    assert read(cuda, memory) == list(ORDINARY)
    ok(driver.cuMemcpyDtoA(first, 64, memory, 64))
    ok(driver.cuMemcpyAtoHAsync(out, first, 0, SIZE, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert list(out) == [*ORDINARY[:16], *ORDINARY[:16], *ORDINARY[32:]]
    failed(driver.cuMemcpyAtoH(out, second, 128, SIZE), "CUDA_ERROR_INVALID_VALUE")
    for array in (first, second):
        ok(driver.cuArrayDestroy(array))


@pytest.fixture
def attributes(cuda):
    made = cuda.driver.CUmemcpyAttributes()
    made.srcAccessOrder = cuda.driver.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
    return made


def pointers(cuda, *addresses):
    return [cuda.driver.CUdeviceptr(address) for address in addresses]


def test_batches(cuda, memory, stream, attributes):
    ok(cuda.driver.cuMemcpyHtoD(memory, ORDINARY, SIZE))
    to, at = pointers(cuda, memory + SIZE, memory + 2 * SIZE), pointers(cuda, memory, memory + 128)
    answer = cuda.driver.cuMemcpyBatchAsync(to, at, [64, 128], 2, [attributes], [0], 1, stream)
    assert (answer[0], len(answer), type(answer[1])) == (0, 2, int)
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert read(cuda, memory + SIZE, 16) == list(ORDINARY[:16])
    assert read(cuda, memory + 2 * SIZE, 32) == list(ORDINARY[32:])


def test_the_runtimes_batches_take_host_memory_too(cuda, memory, stream):
    made, out = cuda.runtime.cudaMemcpyAttributes(), np.zeros(16, np.uint32)
    made.srcAccessOrder = cuda.runtime.cudaMemcpySrcAccessOrder.cudaMemcpySrcAccessOrderStream
    ok(cuda.driver.cuMemsetD32(memory + SIZE, 5, WORDS))
    ok(cuda.runtime.cudaMemcpyBatchAsync([memory, out], [ORDINARY, memory + SIZE], [64, 64], 2, [made], [0], 1, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert read(cuda, memory, 16) == list(ORDINARY[:16])
    assert list(out) == [5] * 16


@pytest.mark.parametrize("change", [{"attrs": []}, {"attrsIdxs": [1]}, {"hStream": 0}, {"count": 0}])
def test_what_is_no_batch(cuda, memory, stream, attributes, change):
    one = pointers(cuda, memory)
    given = {
        "dsts": pointers(cuda, memory + SIZE), "srcs": one, "sizes": [64], "count": 1, "attrs": [attributes],
        "attrsIdxs": [0], "numAttrs": 1, "hStream": stream,
    }  # fmt: skip
    given.update(change)
    given["numAttrs"] = len(given["attrs"])
    failed(cuda.driver.cuMemcpyBatchAsync(**given), "CUDA_ERROR_INVALID_VALUE", 1)


def test_the_lists_of_a_batch_are_checked(cuda, memory, stream, attributes):
    one = pointers(cuda, memory)
    batch = cuda.driver.cuMemcpyBatchAsync
    with raising(RuntimeError, "List is too small: 1 < 2"):
        batch(one, one, [64], 2, [attributes], [0], 1, stream)
    with raising(RuntimeError, "List is too small: 1 < 2"):
        batch(one, one, [64], 1, [attributes], [0], 2, stream)
    with raising(TypeError, not_a_list("srcs", "cydriver.CUdeviceptr,")):
        batch(one, [memory], [64], 1, [attributes], [0], 1, stream)
    with raising(TypeError, not_a_list("sizes", "int")):
        batch(one, one, [64.0], 1, [attributes], [0], 1, stream)
    with raising(TypeError, not_a_list("attrs", "cydriver.CUmemcpyAttributes,")):
        batch(one, one, [64], 1, [5], [0], 1, stream)


def test_batches_of_volumes(cuda, memory, stream, attributes):
    operation = cuda.driver.CUDA_MEMCPY3D_BATCH_OP()
    for operand, address in ((operation.src, memory), (operation.dst, memory + SIZE)):
        operand.type = cuda.driver.CUmemcpy3DOperandType.CU_MEMCPY_OPERAND_TYPE_POINTER
        operand.op.ptr.ptr = address
    operation.extent.width, operation.extent.height, operation.extent.depth = 64, 2, 1
    operation.srcAccessOrder = attributes.srcAccessOrder
    ok(cuda.driver.cuMemcpyHtoD(memory, ORDINARY, SIZE))
    answer = cuda.driver.cuMemcpy3DBatchAsync(1, [operation], 0, stream)
    assert (answer[0], len(answer), type(answer[1])) == (0, 2, int)
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert read(cuda, memory + SIZE, 32) == list(ORDINARY[:32])
    failed(cuda.driver.cuMemcpy3DBatchAsync(1, [operation], 1, stream), "CUDA_ERROR_INVALID_VALUE", 1)
    with raising(RuntimeError, "List is too small: 1 < 2"):
        cuda.driver.cuMemcpy3DBatchAsync(2, [operation], 0, stream)
    with raising(TypeError, not_a_list("opList", "cydriver.CUDA_MEMCPY3D_BATCH_OP,")):
        cuda.driver.cuMemcpy3DBatchAsync(1, [5], 0, stream)
