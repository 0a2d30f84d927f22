"""Classes and constants that programs name without a call."""

from _show import call, kind, show
from cuda.bindings import driver, runtime

for cls in (driver.CUkernel, driver.CUlibrary, runtime.cudaLibrary_t, runtime.cudaKernel_t):
    show(cls.__name__, [int(cls()), int(cls(5)), cls(5) == cls(5), isinstance(cls(), driver.CUkernel)])
for enum in (driver.CUfunc_cache, driver.CUstreamWaitValue_flags, driver.CUlaunchAttributeID):
    show(enum.__name__, [(member.name, int(member)) for member in list(enum)[:4]])
    show(f"{enum.__name__} of 1", enum(1) in list(enum))
    show(f"{enum.__name__} of 4321", lambda: enum(4321))  # noqa: B023
value = driver.CUlaunchAttributeValue()
value.cooperative = 1
value.priority = -3
show("one union", [value.priority, value.cooperative])
attribute = driver.CUlaunchAttribute()
attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PRIORITY
attribute.value = value
value.priority = 4
show("assigned by value", attribute.value.priority)
kind("id", attribute.id)
show("id str", lambda: setattr(attribute, "id", "x"))
show("value int", lambda: setattr(attribute, "value", 5))
call(runtime.getLocalRuntimeVersion)
