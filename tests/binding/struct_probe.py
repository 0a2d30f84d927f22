"""Prints how every struct class of cuda.bindings behaves, one observation a line.

Run by test_structs_beside_nvidia under NVIDIA's wheels and, with a layout as argument, under cuda_shim; the
outputs are compared line by line.
"""

from __future__ import annotations

import ctypes
import re
import sys
import warnings
from typing import Any

warnings.simplefilter("ignore")

if len(sys.argv) > 1:
    import cuda_shim

    cuda_shim.enable(cuda=sys.argv[1])

from cuda.bindings import driver, nvrtc, runtime  # noqa: E402

VALUES = [
    None, 0, 1, 2, 3, -1, 255, 256, 65536, 2**31, 2**32, 2**63, 2**64, 2.5, float("nan"), "a", b"ab", [], [1], True,
    driver.CUstream(5), driver.CUdeviceptr(6),
]  # fmt: skip
CONSTRUCTIONS = [((1, 2), {}), ((), {"x": 1}), ((None,), {}), (("a",), {}), ((-1,), {}), ((1,), {"_ptr": 1})]
DEEP = 4
kept: list[Any] = []  # objects that struct objects alias must outlive them


def said(action):
    """Return an expression's value and type, or its error."""
    try:
        result = action()
    except Exception as error:  # noqa: BLE001
        text = f"!! {type(error).__name__}: {error}"
    else:
        text = f"-> {result!r} [{type(result).__name__}]"
    # NVIDIA numbers the classes of anonymous members, differently in each release.
    return re.sub(r"\banon_(struct|union)\d+", "ANONYMOUS", text)


def assign(struct, name, value):
    setattr(struct, name, value)


def is_struct(value):
    return hasattr(value, "getPtr") and not hasattr(value, "__int__")


def member_names(struct):
    return [name for name in dir(struct) if not name.startswith("__") and name not in ("getPtr", "set_dsts_srcs")]


def probe_struct(make, label, depth=0):
    struct = make()
    print(label, "members", member_names(struct))
    print(label, "text", said(lambda: str(struct)))
    for name in member_names(struct):
        try:
            value = getattr(struct, name)
        except ValueError:
            value = None  # zero is no constant of this enum
        if is_struct(value):
            probe_inner(make, struct, name, value, label, depth)
        elif isinstance(value, list) and (not value or is_struct(value[0])):
            print(label, name, "reads", said(lambda value=value: value))
            bad: tuple[Any, ...] = (5, [])
            for given in bad:
                print(label, name, "=", given, said(lambda n=name, v=given: assign(struct, n, v)))
        else:
            probe_value(make, name, value, label)


def probe_inner(make, struct, name, value, label, depth):
    if depth < DEEP:
        probe_struct(lambda: getattr(kept_alive(make()), name), f"{label}.{name}", depth + 1)
    for given in (None, 5, "a"):
        print(label, name, "=", repr(given), said(lambda v=given: assign(struct, name, v)))
    print(label, name, "copied", said(lambda: assign(struct, name, getattr(kept_alive(make()), name))))
    print(label, name, "same view", said(lambda: getattr(struct, name) is value))


def probe_value(make, name, value, label):
    for given in [*VALUES, *longer_values(name, value)]:
        if isinstance(given, bytes) and type(value) is int:
            continue  # the address of a buffer
        struct = kept_alive(make())
        set_said = said(lambda s=struct, g=given: assign(s, name, g))
        print(label, name, "=", repr(given)[:60], set_said, said(lambda s=struct: getattr(s, name)))


def longer_values(name, value):
    if isinstance(value, bytes):
        size = 256 if name == "name" else len(value)
        return [
            b"\xff" * size, b"a" * (size - 1), b"a" * (size + 1), b"abc" + bytes(size - 3), [200] * size, [-1] * size,
            [300] * size, "a" * size, bytearray(size),
        ]  # fmt: skip
    if isinstance(value, list):
        size = len(value)
        return [
            [0] * size, [1] * size, (1,) * size, [1] * (size - 1), [1] * (size + 1), [2.5] * size, ["a"] * size,
            [-1] * size, [2**33] * size, [None] * size,
        ]  # fmt: skip
    return []


def kept_alive(value):
    kept.append(value)
    return value


def size_of(module, cls):
    # The layout of a class of ours is asked directly, so that this does not depend on `sizeof`.
    info = getattr(cls, "__struct__", None)
    return info.layout.size if info is not None else module.sizeof(cls)


def probe_class(module, label, cls):
    print(label, "is", [base.__name__ for base in cls.__mro__], cls.__qualname__, cls.__module__, repr(cls))
    print(label, "size", said(lambda: size_of(module, cls)))
    if len(cls.__mro__) > 2:
        return  # a typedef: its base is probed
    memory = ctypes.create_string_buffer(1536)
    address = ctypes.addressof(memory)
    print(label, "aliases", said(lambda: cls(_ptr=address).getPtr() == address))
    for positional, named in CONSTRUCTIONS:
        print(label, "made with", positional, named, said(lambda p=positional, n=named: cls(*p, **n)))
    print(label, "made with nothing", said(lambda: str(cls())))
    struct = cls(_ptr=address)
    print(label, "unknown read", said(lambda: struct.nope))
    print(label, "unknown write", said(lambda: assign(struct, "nope", 1)))
    print(label, "copied", said(lambda: struct.__reduce_ex__(2)))
    print(label, "compared", said(lambda: cls(_ptr=address) == struct), said(lambda: struct < struct))
    probe_struct(lambda: cls(_ptr=ctypes.addressof(kept_alive(ctypes.create_string_buffer(1536)))), label)


def is_struct_class(cls):
    # Not by hasattr, which an enum class may answer by looking for a constant of that name.
    names = {name for base in cls.__mro__ for name in vars(base)}
    return "getPtr" in names and "__int__" not in names


for module in (driver, runtime, nvrtc):
    for class_name in sorted(dir(module)):
        found = getattr(module, class_name) if not class_name.startswith(("anon_", "_")) else None
        if isinstance(found, type) and found.__module__ == module.__name__ and is_struct_class(found):
            probe_class(module, f"{module.__name__.rpartition('.')[2]}.{class_name}", found)
