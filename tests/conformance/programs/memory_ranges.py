"""Advice about parts of managed memory, and the attributes of ranges with several such parts."""

import ctypes
import mmap

from _device import context, good
from _show import call, show
from cuda.bindings import driver, runtime

context()
PAGE = 65536
memory = int(good(driver.cuMemAllocManaged(4 * PAGE, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL)))
here = driver.CUmemLocation()
here.type, here.id = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 0
host = driver.CUmemLocation()
host.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST
advice, attribute = driver.CUmem_advise, driver.CUmem_range_attribute


def ask(note, name, first, pages, size=4):
    start = memory + first * PAGE
    wanted = getattr(attribute, f"CU_MEM_RANGE_ATTRIBUTE_{name}")
    call(driver.cuMemRangeGetAttribute, size, wanted, start, pages * PAGE, note=f"{name}, {note}", values=True)


def say(name, first, pages, place):
    wanted = getattr(advice, f"CU_MEM_ADVISE_{name}")
    call(driver.cuMemAdvise, memory + first * PAGE, pages * PAGE, wanted, place, note=f"{name} {first} {pages}")


say("SET_READ_MOSTLY", 1, 1, here)
ask("set", "READ_MOSTLY", 1, 1)
ask("partly set", "READ_MOSTLY", 0, 2)
ask("not set", "READ_MOSTLY", 2, 2)
say("UNSET_READ_MOSTLY", 1, 1, here)
say("SET_PREFERRED_LOCATION", 0, 2, host)
say("SET_PREFERRED_LOCATION", 2, 1, here)
for name in ("PREFERRED_LOCATION", "PREFERRED_LOCATION_TYPE"):
    ask("host", name, 0, 2)
    ask("device", name, 2, 1)
    ask("none", name, 3, 1)
    ask("partly none", name, 2, 2)
say("SET_ACCESSED_BY", 0, 4, here)
ask("everywhere", "ACCESSED_BY", 0, 4, 12)
say("UNSET_PREFERRED_LOCATION", 0, 4, host)
say("SET_ACCESSED_BY", 1, 1, host)
ask("both", "ACCESSED_BY", 1, 1, 12)
ask("both, small room", "ACCESSED_BY", 1, 1, 4)
ask("common", "ACCESSED_BY", 0, 4, 12)
say("UNSET_ACCESSED_BY", 1, 1, here)
ask("host alone", "ACCESSED_BY", 1, 1, 12)
ask("none in common", "ACCESSED_BY", 0, 2, 12)
call(driver.cuMemPrefetchAsync, memory + PAGE, PAGE, host, 0, 0, note="a part")
call(driver.cuMemPrefetchAsync, memory + 2 * PAGE, PAGE, here, 0, 0, note="another part")
call(driver.cuCtxSynchronize)
ask("prefetched", "LAST_PREFETCH_LOCATION", 1, 1)
ask("mixed", "LAST_PREFETCH_LOCATION", 1, 2)
ask("partly", "LAST_PREFETCH_LOCATION", 0, 2)
ask("too far", "READ_MOSTLY", 2, 3)
call(
    driver.cuMemRangeGetAttributes,
    [4, 8],
    [attribute.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, attribute.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY],
    2,
    memory,
    4 * PAGE,
    values=True,
)
call(driver.cuMemFree, memory)

promised = good(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0))
plain = mmap.mmap(-1, 2 * PAGE)
start = ctypes.addressof(ctypes.c_char.from_buffer(plain))
answers = [
    int(driver.cuMemAdvise(start, PAGE, advice.CU_MEM_ADVISE_SET_READ_MOSTLY, here)[0]) == 0,
    int(driver.cuMemPrefetchAsync(start, PAGE, host, 0, 0)[0]) == 0,
    int(driver.cuMemRangeGetAttribute(4, attribute.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, start, PAGE)[0]) == 0,
]
show("ordinary memory is served as the device says", [answer == bool(promised) for answer in answers])
pinned = int(good(runtime.cudaMallocHost(PAGE)))
call(driver.cuMemAdvise, pinned, PAGE, advice.CU_MEM_ADVISE_SET_READ_MOSTLY, here, note="pinned")
device = int(good(driver.cuMemAlloc(PAGE)))
call(driver.cuMemAdvise, device, PAGE, advice.CU_MEM_ADVISE_SET_READ_MOSTLY, here, note="device memory")
