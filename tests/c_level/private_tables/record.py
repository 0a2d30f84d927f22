"""Ask the driver for its private tables as NVIDIA's runtime does, and print its answers as JSON.

    python record.py > answers.json   # on a machine with NVIDIA's driver
    python -m cuda_shim run record.py

answers.json was recorded on an NVIDIA H100 with driver 580.159.04.
"""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any

RUNTIME = "6BD5FB6C5BF4E74A8987D93912FD9DF9"
HOOKS = "A094798C2E742E7493F20800200C0A66"
STORAGE = "C693336E1121DF11A8C368F355D89593"
DRIVER_CHECK = "D4082055BDE6704B8D34BA123C66E1F2"
CONTEXT_CHECKS = "263E88607CD2614392F6BBD5006DFA7E"
CONTEXTS = "21318C60971432488CA641FF7324C8F2"
KEY = 0x1234560
UNCHANGED = 7

cuda = ctypes.CDLL("libcuda.so.1")
ENDS = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
PLACE = ctypes.POINTER(c_void_p)


def table(identity: str) -> int:
    """The address of a table."""
    place = c_void_p()
    status = cuda.cuGetExportTable(byref(place), ctypes.create_string_buffer(bytes.fromhex(identity), 16))
    assert status == 0, (identity, status)
    return place.value or 0


def function(identity: str, place: int, *types: Any) -> Any:
    """A function of a table, which returns a status."""
    address = c_uint64.from_address(table(identity) + ctypes.sizeof(c_void_p) * place).value
    return ctypes.CFUNCTYPE(c_int, *types)(address)


def state() -> list[int]:
    """The status, the flags and the activity of the primary context."""
    flags, active = c_uint(), c_int()
    return [cuda.cuDevicePrimaryCtxGetState(0, byref(flags), byref(active)), flags.value, active.value]


def primary_contexts() -> dict[str, Any]:
    """The primary context that the runtime's table gives, and its state."""
    get = function(RUNTIME, 2, PLACE, c_int)
    context, other, held, current = c_void_p(), c_void_p(), c_void_p(), c_void_p()
    answers = {"before": state(), "get": get(byref(context), 0), "after": state(), "bad device": get(byref(other), 99)}
    answers["current"] = [cuda.cuCtxGetCurrent(byref(current)), current.value]
    cuda.cuDevicePrimaryCtxRetain(byref(held), 0)
    answers["same as held"] = held.value == context.value
    cuda.cuDevicePrimaryCtxRelease_v2(0)
    return answers


class Storage:
    """The values that are kept with contexts."""

    def __init__(self) -> None:
        self.put = function(STORAGE, 0, c_void_p, c_void_p, c_void_p, c_void_p)
        self.remove = function(STORAGE, 1, c_void_p, c_void_p)
        self._get = function(STORAGE, 2, PLACE, c_void_p, c_void_p)
        self.ended: list[list[Any]] = []
        self.names: dict[int, str] = {}
        self.ends = ENDS(lambda context, key, value: self.ended.append([self.names.get(context), key, value]))

    def get(self, context: Any, key: int = KEY) -> list[Any]:
        """The status and the value."""
        value = c_void_p(UNCHANGED)
        return [self._get(byref(value), context, key), value.value]

    def ended_by(self, status: int) -> list[Any]:
        """A status, and the values that ended since the last call."""
        ended, self.ended[:] = list(self.ended), []
        return [status, ended]


def stored_values() -> dict[str, Any]:
    """Values of the primary context and of one that is created, until each ends."""
    storage, context, created = Storage(), c_void_p(), c_void_p()
    ends = ctypes.cast(storage.ends, c_void_p)
    answers: dict[str, Any] = {"get without context": storage.get(None)}
    answers["put without context"] = storage.put(None, KEY, 1, ends)
    cuda.cuDevicePrimaryCtxRetain(byref(context), 0)
    storage.names[context.value or 0] = "primary"
    answers["get missing"] = storage.get(context)
    answers["remove missing"] = storage.remove(context, KEY)
    answers["put"] = [storage.put(context, KEY, 0x21, ends), storage.get(context)]
    answers["put again"] = [storage.put(context, KEY, 0x22, ends), storage.get(context)]
    answers["get of none that is current"] = storage.get(None)
    cuda.cuCtxSetCurrent(context)
    answers["get of the current one"] = storage.get(None)
    answers["remove"] = [storage.ended_by(storage.remove(context, KEY)), storage.get(context)]
    answers["put null"] = [storage.put(context, KEY, None, ends), storage.get(context)]
    answers["put more"] = [storage.put(context, KEY + 8, 0x31, ends), storage.put(context, KEY + 16, 0x41, None)]
    cuda.cuCtxCreate_v2(byref(created), 0, 0)
    storage.names[created.value or 0] = "created"
    answers["put created"] = [storage.put(created, KEY, 0x51, ends), storage.get(None)]
    answers["destroy"] = storage.ended_by(cuda.cuCtxDestroy_v2(created))
    cuda.cuCtxSetCurrent(context)
    answers["reset"] = [storage.ended_by(cuda.cuDevicePrimaryCtxReset_v2(0)), storage.get(context)]
    cuda.cuDevicePrimaryCtxRetain(byref(context), 0)
    answers["put for release"] = storage.put(context, KEY, 0x61, ends)
    answers["release"] = [[storage.ended_by(cuda.cuDevicePrimaryCtxRelease_v2(0)), state()] for _ in range(2)]
    return answers


def questions() -> dict[str, Any]:
    """The answers that tell of no tool, and the numbers of contexts."""
    answers: dict[str, Any] = {}
    for place in (2, 6):
        room, count = c_void_p(), c_size_t()
        function(HOOKS, place, PLACE, ctypes.POINTER(c_size_t))(byref(room), byref(count))
        answers[f"hooks {place}"] = [count.value, ctypes.string_at(room.value or 0, 56).hex()]
    check = function(CONTEXT_CHECKS, 2, c_void_p, ctypes.POINTER(c_uint32), PLACE)
    number_of = function(CONTEXTS, 4, c_void_p, ctypes.POINTER(c_uint64))
    device_of = function(CONTEXTS, 3, c_void_p, ctypes.POINTER(c_int))
    result, number, device, context = c_uint32(77), c_uint64(), c_int(77), c_void_p()
    answers["check without context"] = [check(None, byref(result), None), result.value]
    answers["device without context"] = [device_of(None, byref(device)), device.value]
    cuda.cuDevicePrimaryCtxRetain(byref(context), 0)
    cuda.cuCtxSetCurrent(context)
    for name, given in (("given", context), ("current", None)):
        answers[f"check of the {name} one"] = [check(given, byref(result), None), result.value]
    answers["check of the process"] = function(CONTEXT_CHECKS, 3)()
    answers["number"] = [number_of(context, byref(number)), number.value > 0]
    answers["number of none"] = [number_of(None, byref(number)), number.value]
    answers["device"] = [device_of(context, byref(device)), device.value]
    return answers


def driver_check() -> dict[str, Any]:
    """The answers to the runtime's check, and everything that they depend on."""
    check = function(DRIVER_CHECK, 1, c_uint32, c_uint64, ctypes.POINTER(c_uint64 * 2))
    version, count, devices = c_int(), c_int(), []
    cuda.cuDriverGetVersion(byref(version))
    cuda.cuDeviceGetCount(byref(count))
    for device in range(count.value):
        uuid, value, place = ctypes.create_string_buffer(16), c_int(), []
        cuda.cuDeviceGetUuid_v2(uuid, device)
        for attribute in (50, 33, 34):
            cuda.cuDeviceGetAttribute(byref(value), attribute, device)
            place.append(value.value)
        devices.append([uuid.raw.hex(), place])
    own = ctypes.CDLL(None).pthread_self
    own.restype = c_uint64
    rows = []
    for runtime in (0, 1, 2, 3, 12080, 12081, 12082, 13020, 13023, 13027):
        for seconds in (0, 0x682B9CEE):
            answer = (c_uint64 * 2)()
            rows.append([runtime, seconds, check(runtime, seconds, byref(answer)), bytes(answer).hex()])
    tables = [table(RUNTIME), table(DRIVER_CHECK), ctypes.cast(check, c_void_p).value]
    process = [version.value, os.getpid(), own() & 0xFFFFFFFF]
    return {"process": process, "tables": tables, "devices": devices, "rows": rows}


def main() -> None:
    """Print the answers."""
    cuda.cuInit(0)
    answers = {"primary": primary_contexts(), "storage": stored_values()}
    cuda.cuCtxSetCurrent(None)
    answers["questions"] = questions()
    print(json.dumps({**answers, "check": driver_check()}, indent=1))


if __name__ == "__main__":
    main()
