"""Calls whose bindings in hip-python are broken are served by the C functions of the same library.

hip-python's functions of these names are replaced by ones that end the program, so that a call that still goes through
them shows. Some of them write past a buffer or drop an argument, which no other test would be sure to notice.
"""

from importlib.metadata import version

import pytest

from tests.adapters import processes

BROKEN = """
    GraphGetEdges GraphGetNodes GraphGetRootNodes GraphKernelNodeCopyAttributes
    GraphNodeGetDependencies GraphNodeGetDependentNodes TexRefGetBorderColor TexRefSetBorderColor
    ThreadExchangeStreamCaptureMode
"""
BROKEN_IN_10 = "DrvGraphMemcpyNodeSetParams MipmappedArrayDestroy MipmappedArrayGetLevel"
BROKEN_IN_7 = """
    DrvGraphMemcpyNodeGetParams GraphAddChildGraphNode GraphAddDependencies GraphAddEmptyNode GraphAddEventRecordNode
    GraphAddEventWaitNode GraphAddHostNode GraphAddKernelNode GraphAddMemAllocNode GraphAddMemcpyNode1D
    GraphAddMemsetNode GraphHostNodeGetParams GraphKernelNodeGetParams GraphMemAllocNodeGetParams
    GraphMemsetNodeGetParams GraphRemoveDependencies StreamUpdateCaptureDependencies TexObjectGetResourceDesc
    TexObjectGetResourceViewDesc TexObjectGetTextureDesc
"""

REPLACED = """
import os
from cuda.bindings import nvrtc, runtime as rt
def replacement(name):
    def stop(*arguments):
        os.write(2, f"hip-python's {{name}} was called".encode())
        os._exit(7)
    return stop
for name in ({names!r}).split():
    assert hasattr(cu.hip, "hip" + name), name
    setattr(cu.hip, "hip" + name, replacement("hip" + name))
def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) == 2 else answer[1:]
ok(cu.cuInit(0))
ok(cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0))))
"""

GRAPHS = """
graph = ok(cu.cuGraphCreate(0))
a, b = (ok(cu.cuGraphAddEmptyNode(graph, None, 0)) for _ in range(2))
c = ok(cu.cuGraphAddEmptyNode(graph, [a], 1))
ok(cu.cuGraphAddDependencies(graph, [b], [c], 1))
assert ok(cu.cuGraphGetNodes(graph, 3)) == ([a, b, c], 3)
assert ok(cu.cuGraphGetRootNodes(graph, 2)) == ([a, b], 2)
assert ok(cu.cuGraphGetEdges(graph, 2)) == ([a, b], [c, c], 2)
assert ok(cu.cuGraphNodeGetDependencies(c, 2)) == ([a, b], 2)
assert ok(cu.cuGraphNodeGetDependentNodes(a, 1)) == ([c], 1)
ok(cu.cuGraphRemoveDependencies(graph, [b], [c], 1))
assert ok(cu.cuGraphGetEdges(graph))[-1] == 1
# Each getter in the runtime, too.
assert ok(rt.cudaGraphGetNodes(graph, 3))[0] == [a, b, c]
assert ok(rt.cudaGraphGetRootNodes(graph, 2))[0] == [a, b]
assert ok(rt.cudaGraphGetEdges(graph, 1))[1] == [c]
assert ok(rt.cudaGraphNodeGetDependencies(c, 1))[0] == [a]
assert ok(rt.cudaGraphNodeGetDependentNodes(a, 1))[0] == [c]
"""

NODES = """
source = b'extern "C" __global__ void none() {}'
program = ok(nvrtc.nvrtcCreateProgram(source, b"none.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 0, []))
code = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
ok(nvrtc.nvrtcGetPTX(program, code))
kernel = cu.CUDA_KERNEL_NODE_PARAMS()
kernel.func = ok(cu.cuModuleGetFunction(ok(cu.cuModuleLoadData(code)), b"none"))
kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1
one = ok(cu.cuGraphAddKernelNode(graph, [c], 1, kernel))
other = ok(cu.cuGraphAddKernelNode(graph, [one], 1, kernel))
assert ok(cu.cuGraphKernelNodeGetParams(one)).func == kernel.func
priority, value = cu.CUkernelNodeAttrID.CU_LAUNCH_ATTRIBUTE_PRIORITY, cu.CUkernelNodeAttrValue()
value.priority = -1
ok(cu.cuGraphKernelNodeSetAttribute(one, priority, value))
ok(cu.cuGraphKernelNodeCopyAttributes(other, one))
assert ok(cu.cuGraphKernelNodeGetAttribute(other, priority)).priority == -1
memory = ok(cu.cuMemAlloc(64))
fill = cu.CUDA_MEMSET_NODE_PARAMS()
fill.dst, fill.value, fill.elementSize, fill.width, fill.height = memory, 3, 1, 64, 1
filled = ok(cu.cuGraphAddMemsetNode(graph, [other], 1, fill, 0))
assert ok(cu.cuGraphMemsetNodeGetParams(filled)).width == 64
copy = cu.CUDA_MEMCPY3D()
copy.srcMemoryType = copy.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_DEVICE
copy.srcDevice, copy.dstDevice, copy.WidthInBytes, copy.Height, copy.Depth = memory, int(memory) + 32, 16, 1, 1
copied = ok(cu.cuGraphAddMemcpyNode(graph, [filled], 1, copy, 0))
copy.WidthInBytes = 32
ok(cu.cuGraphMemcpyNodeSetParams(copied, copy))
assert ok(cu.cuGraphMemcpyNodeGetParams(copied)).WidthInBytes == 32
host, event = cu.CUDA_HOST_NODE_PARAMS(), ok(cu.cuEventCreate(0))
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: print("called with", data))
host.fn, host.userData = cu.CUhostFn(_ptr=ctypes.addressof(function)), 9
called = ok(cu.cuGraphAddHostNode(graph, [copied], 1, host))
assert ok(cu.cuGraphHostNodeGetParams(called)).userData == 9
recorded = ok(cu.cuGraphAddEventRecordNode(graph, [called], 1, event))
ok(cu.cuGraphAddEventWaitNode(graph, [recorded], 1, event))
ok(cu.cuGraphAddChildGraphNode(graph, [recorded], 1, ok(cu.cuGraphCreate(0))))
kinds = rt.cudaMemcpyKind
ok(rt.cudaGraphAddMemcpyNode1D(graph, [recorded], 1, int(memory), int(memory) + 8, 8, kinds.cudaMemcpyDeviceToDevice))
ok(cu.cuGraphLaunch(ok(cu.cuGraphInstantiate(graph, 0)), 0))
ok(cu.cuCtxSynchronize())
allocated = cu.CUDA_MEM_ALLOC_NODE_PARAMS()
allocated.poolProps.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
allocated.poolProps.location.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
allocated.bytesize = 64
node = ok(cu.cuGraphAddMemAllocNode(ok(cu.cuGraphCreate(0)), None, 0, allocated))
assert int(ok(cu.cuGraphMemAllocNodeGetParams(node)).dptr) == int(allocated.dptr) != 0
"""

CAPTURE = """
modes = cu.CUstreamCaptureMode
was = ok(cu.cuThreadExchangeStreamCaptureMode(modes.CU_STREAM_CAPTURE_MODE_RELAXED))
assert (was, ok(cu.cuThreadExchangeStreamCaptureMode(was))) == (0, modes.CU_STREAM_CAPTURE_MODE_RELAXED)
stream = ok(cu.cuStreamCreate(1))
ok(cu.cuStreamBeginCapture(stream, modes.CU_STREAM_CAPTURE_MODE_RELAXED))
captured = ok(cu.cuStreamGetCaptureInfo(stream))[2]
nodes = [ok(cu.cuGraphAddEmptyNode(captured, None, 0)) for _ in range(2)]
ok(cu.cuStreamUpdateCaptureDependencies(stream, nodes, 2, 1))
assert ok(cu.cuStreamGetCaptureInfo(stream))[3:] == (nodes, 2)
ok(cu.cuStreamEndCapture(stream))
"""

TEXTURES = """
described = cu.CUDA_ARRAY3D_DESCRIPTOR()
described.Width, described.Height, described.NumChannels = 8, 8, 1
described.Format = cu.CUarray_format.CU_AD_FORMAT_FLOAT
mipmaps = ok(cu.cuMipmappedArrayCreate(described, 3))
level = ok(cu.cuMipmappedArrayGetLevel(mipmaps, 1))
assert ok(cu.cuArrayGetDescriptor(level)).Width == 4
resource, sampling, view = cu.CUDA_RESOURCE_DESC(), cu.CUDA_TEXTURE_DESC(), cu.CUDA_RESOURCE_VIEW_DESC()
resource.resType, resource.res.array.hArray = cu.CUresourcetype.CU_RESOURCE_TYPE_ARRAY, level
view.format, view.width, view.height = cu.CUresourceViewFormat.CU_RES_VIEW_FORMAT_FLOAT_1X32, 4, 4
texture = ok(cu.cuTexObjectCreate(resource, sampling, view))
assert ok(cu.cuTexObjectGetResourceDesc(texture)).res.array.hArray == level
assert ok(cu.cuTexObjectGetTextureDesc(texture)).filterMode == 0
assert ok(cu.cuTexObjectGetResourceViewDesc(texture)).width == 4
ok(cu.cuTexObjectDestroy(texture))
ok(cu.cuMipmappedArrayDestroy(mipmaps))
reference = ok(cu.cuTexRefCreate())
ok(cu.cuTexRefSetBorderColor(reference, 0.5))
assert ok(cu.cuTexRefGetBorderColor(reference)) == 0.5
ok(cu.cuTexRefDestroy(reference))
"""


def names() -> str:
    """The broken functions of the installed hip-python, without the prefix."""
    return f"{BROKEN} {BROKEN_IN_7 if version('hip-python').startswith('7.') else BROKEN_IN_10}"


def test_none_of_them_is_called():
    program = REPLACED.format(names=" ".join(names().split())) + GRAPHS + NODES + CAPTURE + TEXTURES
    assert processes.run(program) == b"called with 9\n"


def test_a_call_through_one_of_them_would_show():
    call = "cu.cuPointerSetAttribute(0, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0)"
    program = REPLACED.format(names="PointerSetAttribute") + call
    with pytest.raises(AssertionError, match="hip-python's hipPointerSetAttribute was called"):
        processes.run(program)
