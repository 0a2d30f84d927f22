"""Texture references: those that programs were given, and border colours, passed one component of four.

A reference is the address of a struct, and HIP reads the memory there unchecked, since its programs have such structs
of their own. CUDA's programs are given theirs, so no other address reaches HIP.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.checks import checks
from cuda_shim.binding.functions.generated import generated_call

__all__ = ["attach", "create", "destroy", "get_border_color", "of_module", "of_program", "set_border_color"]

_Call = Callable[..., tuple[Any, ...]]
_Color = ctypes.c_float * 4


class _Reference:
    """A texture reference that a program was given.

    Attributes:
        struct: the HIP struct of a reference that cuTexRefCreate made, since HIP has no call for it; else None. None
            again when the program has destroyed it.
        of_module: whether a module has it. HIP knows which of these ended with their modules.
    """

    def __init__(self) -> None:
        self.struct: Any = None
        self.of_module = False


# By the address of the struct.
_references: dict[int, _Reference] = {}
# Structs to reuse first: a program may still hold the address of a destroyed reference, and HIP follows it.
_destroyed: list[Any] = []


def _is_reference(at: int) -> bool:
    reference = _references.get(at)
    return reference is not None and (reference.of_module or reference.struct is not None)


def of_module(binding: Binding) -> _Call:
    """cuModuleGetTexRef: the reference is one from now on."""
    generated = generated_call(binding)

    def get(module: Any, name: Any) -> tuple[Any, ...]:
        answer = generated(module, name)
        if not answer[0]:
            _references.setdefault(address(answer[1]), _Reference()).of_module = True
        return answer

    return get


def of_program(binding: Binding) -> _Call:
    """Serve the calls that need nothing but a reference that the program was given."""
    return _refusing(binding, generated_call(binding))


def _refusing(binding: Binding, call: _Call) -> _Call:
    """Return a call for references that were given to the program and are not destroyed; others are invalid values."""
    outcome, check = binding.outcome, checks(binding)
    place = [parameter.base for parameter in binding.row.inputs].index("CUtexref")

    def call_known(*arguments: Any) -> tuple[Any, ...]:
        if _is_reference(address(arguments[place])):
            return call(*arguments)
        check(*arguments)
        return outcome.invalid()

    return call_known


def create(binding: Binding) -> _Call:
    """cuTexRefCreate: as NVIDIA's driver makes one, it holds single floats, clamps coordinates and reads normalised."""
    outcome, reference_class, hip = binding.outcome, binding.class_of("CUtexref"), binding.hip_python.hip
    formats = binding.class_of("CUarray_format").__members__
    modes = binding.class_of("CUaddress_mode").__members__
    set_format = binding.native("hipTexRefSetFormat", ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    set_mode = binding.native("hipTexRefSetAddressMode", ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    set_flags = binding.native("hipTexRefSetFlags", ctypes.c_void_p, ctypes.c_uint)

    def initialise(at: int) -> int:
        clamp = int(modes["CU_TR_ADDRESS_MODE_CLAMP"])
        status = set_format(at, int(formats["CU_AD_FORMAT_FLOAT"]), 1) or set_flags(at, 0)
        for axis in range(3):
            status = status or set_mode(at, axis, clamp)
        return status

    def make() -> tuple[Any, ...]:
        struct = _destroyed.pop() if _destroyed else hip.textureReference()
        at = int(struct)
        ctypes.memset(at, 0, struct.c_sizeof())
        status = initialise(at)
        if status:
            return outcome.failed(status)
        _references.setdefault(at, _Reference()).struct = struct
        return outcome.success, reference_class(at)

    return make


def destroy(binding: Binding) -> _Call:
    """cuTexRefDestroy. A module's own references go with the module."""
    outcome, unbind = binding.outcome, binding.native("hipUnbindTexture", ctypes.c_void_p)

    def destroy_(reference: Any) -> tuple[Any, ...]:
        entry = _references.get(address(reference))
        if entry is None or entry.struct is None:
            return outcome.named("CUDA_ERROR_INVALID_HANDLE")
        struct, entry.struct = entry.struct, None
        _destroyed.append(struct)
        status = unbind(int(struct))
        return outcome.failed(status) if status else (outcome.success,)

    return destroy_


def attach(binding: Binding) -> _Call:
    """cuParamSetTexRef: kernels find their module's references, and no others, as with NVIDIA's driver."""
    outcome = binding.outcome
    ask = binding.native("hipTexRefGetFlags", ctypes.c_void_p, ctypes.c_void_p)

    def attach_(function: Any, unit: Any, reference: Any) -> tuple[Any, ...]:
        at = address(reference)
        if not at:
            return outcome.named("CUDA_ERROR_INVALID_HANDLE")
        if at not in _references or not _references[at].of_module:
            return outcome.invalid()
        status = ask(ctypes.byref(ctypes.c_uint()), at)
        return outcome.failed(status) if status else (outcome.success,)

    return attach_


def set_border_color(binding: Binding) -> _Call:
    """cuTexRefSetBorderColor: CUDA Python takes the red component; the driver reads four, the others are 0 here."""
    outcome = binding.outcome
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_void_p)

    def set_(reference: Any, red: Any) -> tuple[Any, ...]:
        status = native(address(reference), _Color(red, 0.0, 0.0, 0.0))
        return outcome.failed(status) if status else (outcome.success,)

    return _refusing(binding, set_)


def get_border_color(binding: Binding) -> _Call:
    """cuTexRefGetBorderColor: CUDA Python gives the red component, of four that the driver writes."""
    outcome = binding.outcome
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_void_p)

    def get(reference: Any) -> tuple[Any, ...]:
        color = _Color()
        status = native(color, address(reference))
        return outcome.failed(status) if status else (outcome.success, color[0])

    return _refusing(binding, get)
