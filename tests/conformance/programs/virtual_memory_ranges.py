"""Ranges of virtual memory: their attributes, holes, parts of a granule, memory without access."""

from _device import context, good
from _show import call, show
from cuda.bindings import driver

context()
wanted = driver.CUmemAllocationProp()
wanted.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
wanted.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
grain = good(driver.cuMemGetAllocationGranularity(wanted, 0))
place = int(good(driver.cuMemAddressReserve(4 * grain, 0, 0, 0)))
memory = good(driver.cuMemCreate(2 * grain, wanted, 0))
attribute = driver.CUpointer_attribute
access = driver.CUmemAccessDesc()
access.location.type = wanted.location.type
access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE


def described(note: str, at: int) -> None:
    for name in ("RANGE_START_ADDR", "RANGE_SIZE", "MEMORY_TYPE", "MAPPED", "DEVICE_POINTER"):
        status, value = driver.cuPointerGetAttribute(getattr(attribute, f"CU_POINTER_ATTRIBUTE_{name}"), at)
        if name == "RANGE_START_ADDR" and value is not None:
            value = (int(value) - place) // grain if int(value) else "null"
        elif name == "RANGE_SIZE" and value is not None:
            value = int(value) // grain
        elif name == "DEVICE_POINTER" and value is not None:
            value = int(value) - at if int(value) else "null"
        elif value is not None:
            value = int(value)
        show(f"{name} [{note}]", f"{status.name} {value}")
    status, base, size = driver.cuMemGetAddressRange(at)
    found = None if base is None else ((int(base) - place) // grain, int(size) // grain)
    show(f"cuMemGetAddressRange [{note}]", f"{status.name} {found}")


described("reserved", place + grain)
call(driver.cuMemMap, place + grain, 2 * grain, 0, memory, 0)
described("mapped, no access", place + grain)
described("mapped, no access, inside", place + grain + 100)
call(driver.cuMemsetD8, place + grain, 1, 16, note="no access")
call(driver.cuMemGetAccess, access.location, place + grain, note="none set", values=True)
call(driver.cuMemSetAccess, place + grain, 2 * grain, [access], 1)
described("with access", place + grain)
described("with access, inside", place + grain + 100)
described("beside it", place)
call(driver.cuMemGetAccess, access.location, place + grain, note="set", values=True)
call(driver.cuMemGetAccess, access.location, place, note="beside it", values=True)
call(driver.cuMemsetD8, place + grain, 1, 16)
call(driver.cuMemUnmap, place + grain + 1, grain, note="an odd address")
call(driver.cuMemUnmap, place + grain, grain // 2, note="half a granule")
call(driver.cuMemUnmap, place + grain, grain, note="half of what was mapped")
call(driver.cuMemUnmap, place, 4 * grain, note="with holes at both ends")
described("unmapped", place + grain)
call(driver.cuMemUnmap, place, 4 * grain, note="nothing is mapped")
call(driver.cuMemUnmap, place, 0, note="no bytes")
call(driver.cuMemUnmap, 0, grain, note="null")
call(driver.cuMemUnmap, place - grain * 64, grain, note="not reserved")
call(driver.cuMemMap, place, grain // 2, 0, memory, 0, note="half a granule")
call(driver.cuMemMap, place, grain, grain // 2, memory, 0, note="from half a granule")
call(driver.cuMemMap, place + 1, grain, 0, memory, 0, note="an odd address")
call(driver.cuMemMap, place + grain // 2, grain, 0, memory, 0, note="half way")
call(driver.cuMemMap, place, 4 * grain, 0, memory, 0, note="more than there is")
call(driver.cuMemMap, place, grain, grain, memory, 0, note="the second half")
call(driver.cuMemMap, place, grain, 0, memory, 0, note="where one is mapped")
call(driver.cuMemMap, place, grain, 0, memory, 1, note="flags")
call(driver.cuMemSetAccess, place, 2 * grain, [access], 1, note="more than is mapped")
call(driver.cuMemSetAccess, place, grain // 2, [access], 1, note="half a granule")
call(driver.cuMemSetAccess, place + 1, grain, [access], 1, note="an odd address")
call(driver.cuMemAddressFree, place, grain, note="part of it")
call(driver.cuMemRelease, memory)
call(driver.cuMemSetAccess, place, grain, [access], 1, note="after the release")
call(driver.cuMemsetD8, place, 1, 16, note="after the release")
call(driver.cuMemUnmap, place, grain)
call(driver.cuMemAddressFree, place, 4 * grain)
call(driver.cuMemAddressFree, place, 4 * grain, note="twice")
call(driver.cuMemRelease, memory, note="twice")
call(driver.cuMemAddressReserve, grain, 3, 0, 0, note="alignment of 3")
call(driver.cuMemAddressReserve, grain // 2, 0, 0, 0, note="half a granule")
call(driver.cuMemAddressReserve, grain, 0, 0, 5, note="flags")
