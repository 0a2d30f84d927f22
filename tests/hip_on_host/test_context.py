"""Contexts: primary ones, created ones, and the stack of each thread."""

from __future__ import annotations

import ctypes
import threading

import pytest


class Contexts:
    """hipCtx* through C: both generations of hip-python pass contexts differently."""

    def __init__(self, library):
        self.library = library

    def create(self, flags=0, device=0):
        context = ctypes.c_void_p()
        assert self.library.hipCtxCreate(ctypes.byref(context), flags, device) == 0
        return context

    def current(self):
        context = ctypes.c_void_p()
        assert self.library.hipCtxGetCurrent(ctypes.byref(context)) == 0
        return context.value

    def pop(self):
        context = ctypes.c_void_p()
        status = self.library.hipCtxPopCurrent(ctypes.byref(context))
        return status, context.value

    def primary(self, device=0):
        context = ctypes.c_void_p()
        assert self.library.hipDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
        return context.value


@pytest.fixture
def contexts(library):
    made = Contexts(library)
    while made.pop()[0] == 0:
        pass
    return made


def test_without_a_stack_the_primary_context_is_current(library, contexts):
    primary = contexts.primary()
    assert contexts.current() == primary
    assert library.hipDevicePrimaryCtxRelease(0) == 0
    assert contexts.pop()[0] == 201


def test_a_created_context_becomes_current(library, contexts):
    made = contexts.create()
    assert contexts.current() == made.value
    flags = ctypes.c_uint(7)
    assert library.hipCtxGetFlags(ctypes.byref(flags)) == 0
    assert flags.value == 0
    assert library.hipCtxDestroy(made) == 0
    assert contexts.current() != made.value
    assert library.hipCtxDestroy(made) == 201
    assert library.hipCtxSetCurrent(made) == 201
    assert library.hipCtxPushCurrent(made) == 201
    assert library.hipCtxDestroy(None) == 1
    assert library.hipCtxPushCurrent(None) == 201


def test_push_and_pop(library, contexts):
    first, second = contexts.create(), contexts.create()
    assert library.hipCtxPushCurrent(first) == 0
    assert contexts.current() == first.value
    assert contexts.pop() == (0, first.value)
    assert contexts.pop() == (0, second.value)
    assert contexts.pop() == (0, first.value)
    assert contexts.pop()[0] == 201
    for context in (first, second):
        assert library.hipCtxDestroy(context) == 0


def test_setting_the_current_context(library, contexts):
    first, second = contexts.create(), contexts.create()
    assert library.hipCtxSetCurrent(first) == 0
    assert contexts.pop() == (0, first.value)
    assert contexts.pop() == (0, first.value)
    assert library.hipCtxSetCurrent(second) == 0
    assert contexts.current() == second.value
    assert library.hipCtxSetCurrent(None) == 0
    assert contexts.pop()[0] == 201
    for context in (first, second):
        assert library.hipCtxDestroy(context) == 0


def test_the_stack_is_the_threads_own(library, contexts):
    made = contexts.create()
    seen = []

    def work():
        seen.append(contexts.current() == made.value)
        assert library.hipCtxSetCurrent(made) == 0
        seen.append(contexts.current() == made.value)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False, True]
    assert library.hipCtxDestroy(made) == 0


def test_a_context_destroyed_on_another_threads_stack(library, contexts):
    made = contexts.create()

    def work():
        assert library.hipCtxDestroy(made) == 0

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert contexts.current() == contexts.primary()
    assert library.hipDevicePrimaryCtxRelease(0) == 0


def test_the_primary_context(library, contexts):
    while library.hipDevicePrimaryCtxRelease(0) == 0:  # references that earlier tests have retained
        pass
    primary = contexts.primary()
    flags, active = ctypes.c_uint(), ctypes.c_int()
    assert library.hipDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == 0
    assert active.value == 1
    assert library.hipCtxDestroy(ctypes.c_void_p(primary)) == 201
    assert library.hipDevicePrimaryCtxRelease(0) == 0
    assert library.hipDevicePrimaryCtxRelease(0) == 201
    assert library.hipDevicePrimaryCtxRelease(5) == 101
    assert library.hipDevicePrimaryCtxRetain(None, 0) == 1


def test_contexts_choose_the_device(run_hip):
    out = run_hip(
        """
library = ctypes.CDLL(os.environ["ROCM_PATH"] + "/lib/libamdhip64.so")
context = ctypes.c_void_p()
assert library.hipCtxCreate(ctypes.byref(context), 0, 1) == 0
print(check(hip.hipGetDevice()), check(hip.hipCtxGetDevice()))
check(hip.hipSetDevice(0))
print(check(hip.hipGetDevice()))
popped = ctypes.c_void_p()
assert library.hipCtxPopCurrent(ctypes.byref(popped)) == 0
print(popped.value != context.value, check(hip.hipGetDevice()))
""",
        CUDA_SHIM_CPU_DEVICES="2",
    )
    assert out.split() == ["1", "1", "0", "True", "0"]
