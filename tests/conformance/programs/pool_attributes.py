"""Attributes of a pool, and the devices that may access it."""

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
pool = driver.cuDeviceGetDefaultMemPool(0)[1]
attribute = driver.CUmemPool_attribute
names = [
    "REUSE_FOLLOW_EVENT_DEPENDENCIES",
    "REUSE_ALLOW_OPPORTUNISTIC",
    "REUSE_ALLOW_INTERNAL_DEPENDENCIES",
    "RELEASE_THRESHOLD",
    "RESERVED_MEM_CURRENT",
    "RESERVED_MEM_HIGH",
    "USED_MEM_CURRENT",
    "USED_MEM_HIGH",
]
for name in names:
    call(driver.cuMemPoolGetAttribute, pool, getattr(attribute, f"CU_MEMPOOL_ATTR_{name}"), note=name)
for name in names[:3]:
    got = driver.cuMemPoolGetAttribute(pool, getattr(attribute, f"CU_MEMPOOL_ATTR_{name}"))[1]
    show(name, int(got))
threshold = attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
call(driver.cuMemPoolSetAttribute, pool, threshold, driver.cuuint64_t(1 << 20))
show("threshold", int(driver.cuMemPoolGetAttribute(pool, threshold)[1]))
call(driver.cuMemPoolSetAttribute, pool, attribute.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 0)
show("reuse", int(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC)[1]))
call(driver.cuMemPoolSetAttribute, pool, threshold, 5, note="plain int")
call(
    driver.cuMemPoolSetAttribute, pool, attribute.CU_MEMPOOL_ATTR_USED_MEM_HIGH, driver.cuuint64_t(0), note="reset high"
)
call(
    driver.cuMemPoolSetAttribute, pool, attribute.CU_MEMPOOL_ATTR_USED_MEM_HIGH, driver.cuuint64_t(9), note="high of 9"
)
call(
    driver.cuMemPoolSetAttribute,
    pool,
    attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    driver.cuuint64_t(0),
    note="read only",
)
call(driver.cuMemPoolGetAttribute, None, threshold, note="null")
where = driver.CUmemLocation()
where.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
call(driver.cuMemPoolGetAccess, pool, where)
access = driver.CUmemAccessDesc()
access.location = where
access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
call(driver.cuMemPoolSetAccess, pool, [access], 1)
call(driver.cuMemPoolSetAccess, pool, [access], 2, note="list too short")
call(driver.cuMemPoolSetAccess, pool, access, 1, note="no list")
where.id = 99
call(driver.cuMemPoolGetAccess, pool, where, note="no such device")
