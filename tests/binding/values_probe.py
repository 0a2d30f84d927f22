"""Python values made C values: kernelParams, `void*` arguments, handles and struct members.

Run with NVIDIA's wheel, it answers each line of its standard input, a question as JSON, with a line of its own: the C
values of NVIDIA's code. The test imports it and asks the same of cuda_shim. A value is described as [kind, ...], since
it has to be built on each side.
"""

from __future__ import annotations

import array
import ctypes
import json
import sys

# The offset of `void** ckernelParams` in NVIDIA's compiled object: behind its header, a Py_buffer and a flag.
CKERNELPARAMS_OFFSET = 13 * 8
WORD = 8


class Thing:
    """An object that no parameter accepts."""

    __module__ = "probe"


class Number:
    """An object with an integer value that is no int."""

    __module__ = "probe"

    def __init__(self, number):
        self.number = number

    def __int__(self):
        return self.number


def made(spec, driver):
    """The value that a description stands for."""
    kind, *given = spec
    if kind in ("int", "bool", "text"):
        return given[0]
    if kind == "float":
        return float.fromhex(given[0])
    if kind == "ctypes":
        return getattr(ctypes, given[0])(made(given[1], driver))
    if kind == "handle":
        return getattr(driver, given[0])(given[1])
    if kind == "enum":
        return getattr(driver, given[0])(given[1])
    if kind == "structure":
        words = (ctypes.c_int64 * len(given[0]))(*given[0])
        return type("Words", (ctypes.Structure,), {"_fields_": (("words", type(words)),)})(words)
    return {
        "none": lambda: None,
        "thing": Thing,
        "number": lambda: Number(*given),
        "bytes": lambda: bytes.fromhex(*given),
        "bytearray": lambda: bytearray.fromhex(*given),
        "memoryview": lambda: memoryview(bytes.fromhex(*given)),
        "array": lambda: array.array("q", *given),
        "ctypes array": lambda: (ctypes.c_int64 * len(given[0]))(*given[0]),
        "list": lambda: [made(entry, driver) for entry in given[0]],
        "tuple": lambda: tuple(made(entry, driver) for entry in given[0]),
    }[kind]()


def ctype(name):
    """A type of kernelParams: None, one of ctypes, or one that is not for them."""
    return {"None": None, "int": int, "Structure": ctypes.Structure}.get(name, getattr(ctypes, name, None))


def said(action):
    """Return the result of an action, or its error."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001 (the exception is the answer)
        return f"{type(error).__name__}: {error}"


def parameters(question, driver, pack):
    """The bytes that a kernel finds as its parameters; `pack` gives the address of their addresses."""
    values = tuple(made(spec, driver) for spec, _ in question["parameters"])
    types = tuple(ctype(name) for _, name in question["parameters"])

    def read():
        address, kept = pack((values, types))
        places = [WORD * index for index in range(len(values))]
        found = [ctypes.c_uint64.from_address(address + place).value for place in places]
        return [content(*pair) for pair in zip(found, question["parameters"], values, strict=True)] if kept else []

    return said(read)


def content(address, parameter, value):
    """Return the bytes at the address of one parameter."""
    (kind, *_), name = parameter
    if name == "None":
        size = ctypes.sizeof(value) if kind == "structure" else {"enum": 4}.get(kind, WORD)
    else:
        size = ctypes.sizeof(ctype(name))
    if name == "c_void_p" and kind == "handle":  # the address of the handle itself, which is another in each process
        address = ctypes.c_uint64.from_address(address).value
    return ctypes.string_at(address, size).hex()


def pointer(question, driver, address_of):
    """The address that a `void*` argument stands for, or the bytes there; `address_of` returns it and its owner."""
    value = made(question["value"], driver)

    def read():
        address, _kept = address_of(value)
        if question["value"][0] in ("bytes", "bytearray", "memoryview", "array", "ctypes array", "structure", "ctypes"):
            return ctypes.string_at(address, WORD).hex() if address else "nowhere"
        return address

    return said(read)


def handle(question, driver):
    """The number of a handle made from a value."""
    value = made(question["value"], driver)
    return said(lambda: int(getattr(driver, question["class"])(value)))


def struct(question, module, driver):
    """The memory of a struct after some assignments, and the exception of each."""
    memory = (ctypes.c_char * question["size"])()
    value = getattr(module, question["class"])(
        _ptr=ctypes.addressof(memory)
    )  # some classes have no memory of their own
    errors = []
    for path, spec in question["assignments"]:
        *outer, name = path.split(".")
        at = value
        for step in outer:
            at = getattr(at, step)
        given = made(spec, driver)
        errors.append(said(lambda at=at, name=name, given=given: setattr(at, name, given)))
    return [memory.raw.hex(), errors]


def nvidia():
    """The answer to a question by NVIDIA's wheel, as a function."""
    import warnings

    warnings.simplefilter("ignore")
    from cuda.bindings import driver, runtime

    try:
        params, void = driver._HelperKernelParams, driver._HelperInputVoidPtr
    except AttributeError:  # CUDA Python 11
        from cuda.bindings._lib import utils

        params, void = utils.HelperKernelParams, utils.HelperInputVoidPtr

    def pack(given):
        kept = params(given)
        return ctypes.c_uint64.from_address(id(kept) + CKERNELPARAMS_OFFSET).value, kept

    def address_of(value):
        kept = void(value)
        return kept.cptr, kept

    modules = {"driver": driver, "runtime": runtime}
    return {
        "parameters": lambda question: parameters(question, driver, pack),
        "pointer": lambda question: pointer(question, driver, address_of),
        "handle": lambda question: handle(question, driver),
        "struct": lambda question: struct(question, modules[question["module"]], driver),
    }


if __name__ == "__main__":
    answers = nvidia()
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(answers[asked["what"]](asked)), flush=True)
