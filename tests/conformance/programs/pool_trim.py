"""Memory that pools keep: after a trim, beneath and above the release threshold, and for graphs."""

from typing import Any

from _device import context, good
from _show import call, show
from cuda.bindings import driver

device = context()
MIB = 1 << 20
stream = good(driver.cuStreamCreate(1))
attribute = driver.CUmemPool_attribute
properties = driver.CUmemPoolProps()
properties.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
pool = good(driver.cuMemPoolCreate(properties))


def megabytes(note: str) -> None:
    for name in ("RESERVED_MEM_CURRENT", "USED_MEM_CURRENT", "RESERVED_MEM_HIGH", "USED_MEM_HIGH"):
        number = good(driver.cuMemPoolGetAttribute(pool, getattr(attribute, f"CU_MEMPOOL_ATTR_{name}")))
        show(f"{name} [{note}]", int(number) // MIB)


def keep(threshold: int) -> None:
    number = driver.cuuint64_t(threshold)
    good((*driver.cuMemPoolSetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, number), None))


def blocks(count: int, size: int) -> list[Any]:
    return [good(driver.cuMemAllocFromPoolAsync(size, pool, stream)) for _ in range(count)]


def end(pointers: list[Any]) -> None:
    for pointer in pointers:
        good((*driver.cuMemFreeAsync(pointer, stream), None))
    good((*driver.cuStreamSynchronize(stream), None))


megabytes("empty")
keep(2**63)
end(blocks(3, 64 * MIB))
megabytes("three times 64, freed")
for least in (192, 128, 100, 64, 63, 0):
    call(driver.cuMemPoolTrimTo, pool, least * MIB, note=f"{least}")
    megabytes(f"trimmed to {least}")
pointers = blocks(3, 64 * MIB)
end(pointers[:1])
call(driver.cuMemPoolTrimTo, pool, 0, note="two in use")
megabytes("trimmed to 0, two in use")
end(pointers[1:])
megabytes("all freed")
call(driver.cuMemPoolTrimTo, pool, 0)
for threshold in (0, 1, 64, 128, 192):
    keep(threshold * MIB)
    end(blocks(3, 64 * MIB))
    megabytes(f"threshold {threshold}")
    good((*driver.cuMemPoolTrimTo(pool, 0), None))
call(driver.cuMemPoolDestroy, pool)
