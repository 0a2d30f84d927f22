"""Peer copies from a device to itself."""

import numpy
from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
current = driver.cuCtxGetCurrent()[1]
source = numpy.arange(8, dtype=numpy.int32)
target = numpy.zeros_like(source)
first = driver.cuMemAlloc(32)[1]
second = driver.cuMemAlloc(32)[1]
driver.cuMemcpyHtoD(first, source, 32)
call(driver.cuMemcpyPeer, second, current, first, current, 32)
driver.cuMemcpyDtoH(target, second, 32)
show("moved", target.tolist())
stream = driver.cuStreamCreate(0)[1]
call(driver.cuMemcpyPeerAsync, second, current, first, current, 32, stream)
call(driver.cuStreamSynchronize, stream)
call(runtime.cudaMemcpyPeer, int(second), 0, int(first), 0, 32)
call(runtime.cudaMemcpyPeerAsync, int(second), 0, int(first), 0, 32, stream)
call(runtime.cudaMemcpyPeer, int(second), 99, int(first), 0, 32, note="no such device")
call(runtime.cudaMemcpyPeer, int(second), 0, int(first), 0, 0, note="nothing")
call(runtime.cudaStreamSynchronize, stream)
