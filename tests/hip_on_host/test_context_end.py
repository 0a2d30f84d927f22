"""A context's resources end with it: by hipCtxDestroy, and for all contexts of a device by hipDeviceReset."""

from __future__ import annotations

import pytest

from tests.hip_on_host.kernel_modules import compile_module

PRELUDE = """
import resource
library = ctypes.CDLL(os.environ["ROCM_PATH"] + "/lib/libamdhip64.so")
image = open(IMAGE, "rb").read()

def done(function, *arguments):
    status = getattr(library, function)(*arguments)
    assert status == 0, (function, status)

def got(function, *arguments):
    handle = ctypes.c_void_p()
    done(function, ctypes.byref(handle), *arguments)
    return handle

def free_bytes():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    done("hipMemGetInfo", ctypes.byref(free), ctypes.byref(total))
    return free.value

class Layout(ctypes.Structure):  # HIP_ARRAY_DESCRIPTOR
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("format", ctypes.c_int), ("channels", ctypes.c_uint)]

def resources():
    module = got("hipModuleLoadData", image)
    return {
        "module": module, "function": got("hipModuleGetFunction", module, b"empty"),
        "memory": got("hipMalloc", ctypes.c_size_t(1 << 20)), "host": got("hipHostMalloc", ctypes.c_size_t(1 << 20), 0),
        "stream": got("hipStreamCreate"), "event": got("hipEventCreate"),
        "array": got("hipArrayCreate", ctypes.byref(Layout(512, 512, 0x20, 1))),
    }

def uses(handles):
    '''The status of one use of each handle, in the order of `resources`.'''
    room, size, three = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_uint * 6)(1, 1, 1, 1, 1, 1)
    return [
        library.hipModuleGetFunction(ctypes.byref(room), handles["module"], b"empty"),
        library.hipModuleLaunchKernel(handles["function"], *three, 0, None, None, None),
        library.hipMemset(handles["memory"], 0, ctypes.c_size_t(64)),
        library.hipHostGetDevicePointer(ctypes.byref(room), handles["host"], 0),
        library.hipStreamSynchronize(handles["stream"]),
        library.hipEventRecord(handles["event"], None),
        library.hipArrayGetDescriptor(ctypes.byref(Layout()), handles["array"]),
    ]

def ends(handles):
    '''The status of the destruction of each.'''
    return [
        library.hipModuleUnload(handles["module"]), library.hipFree(handles["memory"]),
        library.hipHostFree(handles["host"]), library.hipStreamDestroy(handles["stream"]),
        library.hipEventDestroy(handles["event"]), library.hipArrayDestroy(handles["array"]),
    ]
"""


@pytest.fixture
def run_program(run_hip):
    prelude = PRELUDE.replace("IMAGE", repr(str(compile_module("basic"))))
    return lambda code, **environment: run_hip(prelude + code, **environment)


def test_a_thousand_contexts_and_resets_with_few_descriptors(run_program):
    out = run_program("""
resources(); done("hipDeviceReset")
before = free_bytes()
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
for _ in range(300):
    context = got("hipCtxCreate", 0, 0)
    resources()
    done("hipCtxDestroy", context)
    resources()
    done("hipDeviceReset")
print(free_bytes() == before, len(os.listdir("/proc/self/fd")) < 40)
""")
    assert out.split() == ["True", "True"]


@pytest.mark.parametrize("end", ['done("hipCtxDestroy", context)', 'done("hipDeviceReset")'])
def test_handles_of_an_ended_context_are_refused(run_program, end):
    out = run_program(f"""
context = got("hipCtxCreate", 0, 0)
handles = resources()
assert uses(handles) == [0] * 7, uses(handles)
{end}
print(all(uses(handles)), all(ends(handles)))
""")
    assert out.split() == ["True", "True"]


def test_other_contexts_and_devices_keep_their_resources(run_program):
    out = run_program(
        """
of_primary = resources()
first = got("hipCtxCreate", 0, 0)
of_first = resources()
second = got("hipCtxCreate", 0, 0)
of_second = resources()
done("hipCtxDestroy", second)
print(all(uses(of_second)), uses(of_first))
done("hipCtxDestroy", first)
print(all(uses(of_first)), uses(of_primary))
done("hipSetDevice", 1)
done("hipDeviceReset")
done("hipSetDevice", 0)
print(uses(of_primary))
""",
        CUDA_SHIM_CPU_DEVICES="2",
    )
    zeros = str([0] * 7)
    assert out.splitlines() == [f"True {zeros}", f"True {zeros}", zeros]


def test_work_under_way_is_waited_for(run_program):
    out = run_program("""
context = got("hipCtxCreate", 0, 0)
stream, memory = got("hipStreamCreate"), got("hipMalloc", ctypes.c_size_t(1 << 20))
begun = []
Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
slow = Callback(lambda _: (time.sleep(0.3), begun.append(1)))
done("hipLaunchHostFunc", stream, slow, None)
done("hipMemsetAsync", memory, 1, ctypes.c_size_t(1 << 20), stream)
done("hipCtxDestroy", context)
print(len(begun), library.hipFree(memory))
""")
    assert out.split() == ["1", "1"]


def test_a_capture_under_way_ends_with_its_context(run_program):
    out = run_program("""
context = got("hipCtxCreate", 0, 0)
stream = got("hipStreamCreate")
done("hipStreamBeginCapture", stream, 2)
done("hipCtxDestroy", context)
graph = ctypes.c_void_p()
print(library.hipStreamEndCapture(stream, ctypes.byref(graph)) != 0, library.hipDeviceSynchronize())
""")
    assert out.split() == ["True", "0"]


def test_textures_end_before_their_arrays(run_program):
    out = run_program("""
free = free_bytes()
texture = ctypes.c_ulonglong()
for _ in range(20):
    context = got("hipCtxCreate", 0, 0)
    array = got("hipArrayCreate", ctypes.byref(Layout(256, 256, 0x20, 1)))
    source = (ctypes.c_char * 256)()  # HIP_RESOURCE_DESC of an array
    ctypes.c_void_p.from_buffer(source, 8).value = array.value
    settings = (ctypes.c_char * 256)()
    done("hipTexObjectCreate", ctypes.byref(texture), source, settings, None)
    done("hipCtxDestroy", context)
    assert library.hipTexObjectDestroy(texture) != 0
print(free_bytes() == free)
""")
    assert out.split() == ["True"]


@pytest.mark.parametrize("end", ['done("hipCtxDestroy", context)', 'done("hipDeviceReset")'])
def test_host_memory_is_registered_until_its_context_ends(run_program, end):
    out = run_program(f"""
own = (ctypes.c_char * 8192)()
context = got("hipCtxCreate", 0, 0)
done("hipHostRegister", own, ctypes.c_size_t(8192), 0)
{end}
print(library.hipHostUnregister(own) != 0, library.hipHostRegister(own, ctypes.c_size_t(8192), 0))
own[0] = own[8191] = b"1"
""")
    assert out.split() == ["True", "0"]
