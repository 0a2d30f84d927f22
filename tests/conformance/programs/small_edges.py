"""Places that differ from part to part, in either order; runs that begin behind a row; no managed memory."""

import numpy
from _device import context, good
from _show import call, show
from cuda.bindings import driver, runtime

context()
PAGE = 65536
memory = int(good(driver.cuMemAllocManaged(4 * PAGE, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL)))
here, host = driver.CUmemLocation(), driver.CUmemLocation()
here.type, here.id = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 0
host.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST
prefer = driver.CUmem_advise.CU_MEM_ADVISE_SET_PREFERRED_LOCATION
names = driver.CUmem_range_attribute
for place, first in ((here, 0), (host, 1), (here, 2), (host, 3)):
    good((*driver.cuMemAdvise(memory + first * PAGE, PAGE, prefer, place), None))
for first, pages in ((0, 2), (1, 2), (0, 3), (1, 3), (0, 4)):
    for name in (names.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, names.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE):
        note = f"{name.name} {first} {pages}"
        call(driver.cuMemRangeGetAttribute, 4, name, memory + first * PAGE, pages * PAGE, note=note, values=True)
for flags in (0, 1, 2, 4):
    made = call(runtime.cudaMallocManaged, 0, flags, note=f"nothing, {flags}")
    show(f"null, {flags}", made in (None, 0))
floats = good(runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
first, second = (good(runtime.cudaMallocArray(floats, 8, 4, 0)) for _ in range(2))
picture, back = numpy.arange(1, 33, dtype=numpy.float32), numpy.zeros(32, numpy.float32)
kinds = runtime.cudaMemcpyKind
runtime.cudaMemcpy2DToArray(first, 0, 0, picture, 32, 32, 4, kinds.cudaMemcpyHostToDevice)
for places, count in (
    ((32, 0, 0, 0), 4),
    ((40, 0, 0, 0), 4),
    ((0, 0, 36, 0), 8),
    ((124, 0, 0, 0), 4),
    ((128, 0, 0, 0), 4),
):
    runtime.cudaMemcpy2DToArray(second, 0, 0, numpy.zeros(32, numpy.float32), 32, 32, 4, kinds.cudaMemcpyHostToDevice)
    (to_x, to_y, from_x, from_y), note = places, f"{places} {count}"
    on = kinds.cudaMemcpyDeviceToDevice
    call(runtime.cudaMemcpyArrayToArray, second, to_x, to_y, first, from_x, from_y, count, on, note=note)
    runtime.cudaMemcpy2DFromArray(back, 32, second, 0, 0, 32, 4, kinds.cudaMemcpyDeviceToHost)
    show(f"copied {note}", back.astype(int).tolist())
