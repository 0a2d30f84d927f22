"""Handles: how they are made, compared and printed."""

import copy
import pickle

import numpy
from _show import kind, show
from cuda.bindings import driver, runtime

for cls in (driver.CUstream, driver.CUevent, driver.CUcontext, driver.CUdeviceptr, driver.CUdevice, driver.CUmodule,
            driver.CUtexObject, driver.CUgraphNode, driver.cuuint64_t, runtime.cudaStream_t, runtime.cudaGraph_t,
            runtime.cudaArray_t, runtime.cudaTextureObject_t):  # fmt: skip
    name = cls.__name__
    show(f"{name}()", lambda: int(cls()))  # noqa: B023
    show(f"{name}(5)", lambda: int(cls(5)))  # noqa: B023
    show(f"{name} keyword", lambda: int(cls(init_value=6)))  # noqa: B023
    show(f"{name} float", lambda: int(cls(5.5)))  # noqa: B023
    show(f"{name} numpy", lambda: int(cls(numpy.uint64(7))))  # noqa: B023
    show(f"{name} of itself", lambda: int(cls(cls(8))))  # noqa: B023
    show(f"{name} repr", lambda: repr(cls(5)))  # noqa: B023
    show(f"{name} equal", lambda: cls(5) == cls(5))  # noqa: B023
    show(f"{name} equals an int", lambda: cls(5) == 5)  # noqa: B023
    show(f"{name} true", lambda: bool(cls(0)))  # noqa: B023
    show(f"{name} hex", lambda: hex(cls(5)))  # noqa: B023
    show(f"{name} str argument", lambda: cls("5"))  # noqa: B023
    show(f"{name} pickled", lambda: pickle.dumps(cls(5)))  # noqa: B023
    show(f"{name} copied", lambda: copy.copy(cls(5)))  # noqa: B023
    show(f"{name} attribute", lambda: setattr(cls(5), "other", 1))  # noqa: B023
    kind(f"{name} getPtr", lambda: cls(5).getPtr())  # noqa: B023
show(
    "inheritance",
    [
        issubclass(runtime.cudaStream_t, driver.CUstream),
        issubclass(runtime.cudaEvent_t, driver.CUevent),
        issubclass(runtime.cudaGraph_t, driver.CUgraph),
    ],
)
show("equal across classes", runtime.cudaStream_t(5) == driver.CUstream(5))
show("in a set", len({driver.CUstream(5), driver.CUstream(5), driver.CUstream(6)}))
