"""Prints how every enum, handle, constant and function of cuda.bindings behaves, one observation a line.

Run by test_names_beside_nvidia under NVIDIA's wheels and, with a layout as argument, under cuda_shim; the
outputs are compared line by line. No call reaches a driver.
"""

from __future__ import annotations

import copy
import enum
import inspect
import pickle
import sys
import warnings

warnings.simplefilter("ignore")

if len(sys.argv) > 1:
    import cuda_shim

    cuda_shim.enable(cuda=sys.argv[1])

import cuda.bindings  # noqa: E402
from cuda.bindings import driver, nvrtc, runtime  # noqa: E402

MODULES = (driver, runtime, nvrtc)
NUMBERS = [0, 5, True, 2.5, -1, -5, 255, 2**31, 2**32, 2**63, 2**64, -(2**70)]
OTHERS = [None, "a", "1", b"1", [], 1j, driver.CUstream(7), driver.CUdeviceptr(8), driver.CUresult(1)]


def said(action):
    """Return an expression's value and type, or its error."""
    try:
        result = action()
    except Exception as error:  # noqa: BLE001
        return f"!! {type(error).__name__}: {error}"
    return f"-> {result!r} [{type(result).__name__}]"


def public(module):
    """The names of NVIDIA's module, less anonymous structs, renumbered in every release, and its own state."""
    for name in sorted(dir(module)):
        value = getattr(module, name)
        ours = name in ("HIP_PYTHON", "hip", "hiprtc", "hip_python_mod")
        if name.startswith(("_", "anon_", "cudaBindings")) or ours:
            continue
        if isinstance(value, (int, type)) or callable(value):
            if str(getattr(value, "__module__", "cuda.bindings")).startswith("cuda.bindings._internal"):
                continue
            if isinstance(value, type) and not value.__module__.startswith("cuda.bindings"):
                continue
            if callable(value) and not isinstance(value, type) and not value.__module__.startswith("cuda.bindings"):
                continue
            yield name, value


def probe_enum(label, cls):
    print(label, "class", repr(cls), cls.__name__, cls.__qualname__, cls.__module__, [c.__name__ for c in cls.__mro__])
    print(label, "count", len(cls), len(list(cls)), len(cls.__members__), issubclass(cls, enum.IntEnum))
    for name, member in cls.__members__.items():
        print(label, "member", name, repr(member), str(member), f"{member}", "%d" % member, member.name, member.value)
    first = next(iter(cls))
    print(label, "first", said(lambda: pickle.loads(pickle.dumps(first)) is first), said(lambda: copy.copy(first)))
    print(label, "as-int", hash(first) == hash(int(first)), bool(first), first + 1, first | 8, [0, 1, 2][:first])
    print(label, "equal", first == int(first), first == driver.CUresult(0), {int(first): 1}.get(first))
    print(label, "contains", said(lambda: int(first) in cls), said(lambda: first in cls), said(lambda: 987654 in cls))
    for value in (987654, "a", None, 0.0, int(first), first):
        print(label, "made-of", repr(value), said(lambda value=value: cls(value)))
    print(label, "missing", said(lambda: cls.NO_SUCH_CONSTANT).split(":")[0], said(lambda: cls["NO_SUCH"]))
    print(label, "settable", said(lambda: setattr(first, "name", "x")).split(":")[0])


def probe_handle(label, cls):
    print(label, "class", repr(cls), cls.__name__, cls.__qualname__, cls.__module__, [c.__name__ for c in cls.__mro__])
    print(label, "public", [name for name in dir(cls) if not name.startswith("__")])
    print(label, "empty", said(cls), said(lambda: int(cls())), said(lambda: bool(cls())))
    for value in NUMBERS + OTHERS:
        print(label, "made-of", repr(value), said(lambda value=value: cls(value)))
        print(label, "keyword", repr(value), said(lambda value=value: int(cls(init_value=value))))
    five = cls(5)
    print(label, "int", said(lambda: int(five)), said(lambda: hex(five)), said(lambda: [1, 2, 3, 4, 5, 6][five]))
    print(label, "text", repr(five), str(five), f"{five}")
    print(label, "equal", five == cls(5), five == 5, five != cls(6), five == driver.CUstream(5), five == None)  # noqa: E711
    print(label, "hash", said(lambda: hash(five) == hash(cls(5)) or hash(five) != hash(five)).replace("True", "either"))
    print(label, "order", said(lambda: five < cls(6)), said(lambda: five + 1))
    print(label, "copies", said(lambda: pickle.dumps(five)), said(lambda: copy.copy(five)))
    print(label, "settable", said(lambda: setattr(five, "attribute", 1)))
    print(label, "storage", said(lambda: cls(_ptr=five.getPtr())), said(lambda: type(five.getPtr()).__name__))
    other = cls(9)
    print(label, "aliased", said(lambda: (cls(6, other.getPtr()), int(other))[1]))
    print(label, "derived", said(lambda: type("Derived", (cls,), {})(5)))


def probe_function(label, function):
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    print(label, "function", function.__name__, function.__module__, names, function.__defaults__)
    print(label, "help", [*inspect.signature(function).parameters], function.__doc__.partition("(")[0])


print("package version", cuda.bindings.__version__)
for module in MODULES:
    for name, value in public(module):
        label = f"{module.__name__.rpartition('.')[2]}.{name}"
        if isinstance(value, int):
            print(label, "constant", repr(int(value)), type(value).__name__)
        elif not isinstance(value, type):
            probe_function(label, value)
        elif hasattr(value, "__members__"):
            probe_enum(label, value)
        elif hasattr(value, "__int__"):
            probe_handle(label, value)
        else:
            print(label, "other", repr(value), [c.__name__ for c in value.__mro__])
