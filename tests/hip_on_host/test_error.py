"""Error names, texts and the last error."""

from __future__ import annotations

import ctypes
import threading

import pytest

from tests.hip_on_host import hip_program
from tests.hip_on_host.hip_program import check, name, wait


def test_every_error_has_a_name_and_a_text(hip, library):
    for error in hip.hipError_t:
        text = library.hipGetErrorString(int(error))
        assert text != b"unknown error" or error.name == "hipErrorUnknown", error
        spelled = library.hipGetErrorName(int(error)).decode()
        assert int(getattr(hip.hipError_t, spelled, error)) == int(error)


def test_driver_forms(library):
    text = ctypes.c_char_p()
    assert library.hipDrvGetErrorName(1, ctypes.byref(text)) == 0
    assert text.value == b"hipErrorInvalidValue"
    assert library.hipDrvGetErrorString(1, ctypes.byref(text)) == 0
    assert text.value == b"invalid argument"
    assert library.hipDrvGetErrorString(3000, ctypes.byref(text)) == 1
    assert text.value is None


def test_the_last_error_stays_until_it_is_asked_for(hip):
    hip.hipGetLastError()
    assert name(hip.hipSetDevice(99)) == "hipErrorInvalidDevice"
    check(hip.hipGetDevice())  # a success does not clear it
    assert name(hip.hipPeekAtLastError()) == "hipErrorInvalidDevice"
    assert name(hip.hipGetLastError()) == "hipErrorInvalidDevice"
    assert name(hip.hipGetLastError()) == "hipSuccess"


def test_the_last_error_is_the_threads_own(hip):
    hip.hipGetLastError()
    seen = []

    def other():
        hip.hipSetDevice(99)
        seen.append(name(hip.hipPeekAtLastError()))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == ["hipErrorInvalidDevice"]
    assert name(hip.hipPeekAtLastError()) == "hipSuccess"


def test_not_ready_is_no_last_error(hip, library):
    hip.hipGetLastError()
    stream = check(hip.hipStreamCreate())
    gate = threading.Event()
    callback = hip_callback(gate)
    check(hip.hipLaunchHostFunc(stream, callback, None))
    assert name(hip.hipStreamQuery(stream)) == "hipErrorNotReady"
    assert name(hip.hipPeekAtLastError()) == "hipSuccess"
    gate.set()
    wait(library, stream)
    check(hip.hipStreamDestroy(stream))


def hip_callback(gate):
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: gate.wait(60) and None)
    hip_callback.kept = function  # type: ignore[attr-defined]
    return ctypes.cast(function, ctypes.c_void_p)


def test_functions_that_are_out_of_scope_say_so_once(run_hip, runtime_folder):
    code = """
print(name(hip.hipGraphicsUnregisterResource(None)), name(hip.hipGraphicsUnregisterResource(None)))
print(name(hip.hipPeekAtLastError()))
"""
    done = hip_program.run(runtime_folder, code)
    assert done.stdout.split() == ["hipErrorNotSupported"] * 3
    assert done.stderr.count("cuGraphicsUnregisterResource (hipGraphicsUnregisterResource) is not supported") == 1


@pytest.mark.parametrize("value", [-1, 3000])
def test_an_unknown_error_code(library, value):
    assert library.hipGetErrorName(value) == b"hipErrorUnknown"
    assert library.hipGetErrorString(value) == b"unknown error"
