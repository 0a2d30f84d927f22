"""Host functions in streams: programs give the address of a C function, made with ctypes or compiled.

CUDA Python calls it with the interpreter locked, from a thread of the driver's, and so it is here. HIP is given a
function of this module and a number; that number finds the program's function, with the objects that must live until
the call.
"""

from __future__ import annotations

import ctypes
import itertools

# From _thread: threading takes longer to import than the rest of this module.
from _thread import _local
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters import graph_ends
from cuda_shim.binding.arguments import address
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["in_stream", "node_parameters", "with_own_function", "with_status"]

_HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_StreamFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
# Functions of these types are called with the interpreter locked, and leave it so.
_LockedHostFunction = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_LockedStreamFunction = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)

_SPIN_WAIT = 1  # CU_HOST_TASK_SPINWAIT, cudaHostTaskSpinWait


class _PendingCall:
    """A function that a stream has yet to call, and its argument."""

    __slots__ = ("_references", "address", "argument", "function", "once")

    def __init__(
        self, address: int, function: Callable[..., None], argument: int, references: object, once: bool
    ) -> None:
        self.address = address
        self.function = function
        self.argument = argument
        self._references = references
        self.once = once


_pending_calls: dict[int, _PendingCall] = {}
_numbers = itertools.count(1)


# CPython makes a state for a thread of the driver at each call, and deletes it behind the call. That takes longer than
# the rest of the call, so a thread keeps its state. It cannot be deleted once the thread has ended, so their number has
# a limit: the threads of later streams get a state for each call.
_MAX_KEPT_STATES = 64
_kept_states = itertools.count()
_this_thread = _local()


def _keep_thread_state() -> None:
    _this_thread.has_been_called = True
    if next(_kept_states) < _MAX_KEPT_STATES:
        ctypes.pythonapi.PyGILState_Ensure()  # never released


def _take_pending_call(number: int) -> _PendingCall:
    if not hasattr(_this_thread, "has_been_called"):
        _keep_thread_state()
    call = _pending_calls[number]
    if call.once:
        del _pending_calls[number]
    return call


def _run_host_function(number: int) -> None:
    call = _take_pending_call(number)
    call.function(call.argument)


def _run_stream_function(stream: int, status: int, number: int) -> None:
    call = _take_pending_call(number)
    call.function(stream, status, call.argument)


_host_runner = _HostFunction(_run_host_function)
_stream_runner = _StreamFunction(_run_stream_function)


def in_stream(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuLaunchHostFunc, cudaLaunchHostFunc; HIP's is hipLaunchHostFunc.

    The newer form also tells how the stream is to wait for the function, which is the driver's own affair.
    """
    pointer, number = ctypes.c_void_p, C_INTEGERS["unsigned int"].check
    launch = binding.native(binding.row.hip or "", pointer, pointer, pointer)
    queue = _Queue(binding, ctypes.cast(_host_runner, pointer).value or 0)

    def serve(stream: Any, function: Any, argument: Any, wait: Any = 0) -> tuple[Any, ...]:
        if number(wait) > _SPIN_WAIT:
            return binding.outcome.invalid()
        return queue.put(stream, function, argument, _LockedHostFunction, launch)

    return serve


def with_status(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuStreamAddCallback, cudaStreamAddCallback; HIP's is hipStreamAddCallback.

    The function is given CUDA's status, which HIP has under a number of its own.
    """
    pointer = ctypes.c_void_p
    add = binding.native(binding.row.hip or "", pointer, pointer, pointer, ctypes.c_uint)
    queue = _Queue(binding, ctypes.cast(_stream_runner, pointer).value or 0)
    from_hip, number = binding.outcome.codes.from_hip, C_INTEGERS["unsigned int"].check

    def in_cuda_numbers(at: int) -> Callable[..., None]:
        function = _LockedStreamFunction(at)
        return lambda stream, status, argument: function(stream, int(from_hip[status]), argument)

    def serve(stream: Any, function: Any, argument: Any, flags: Any) -> tuple[Any, ...]:
        flags = number(flags)
        return queue.put(stream, function, argument, in_cuda_numbers, lambda *place: add(*place, flags))

    return serve


def node_parameters(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams: for a captured function the program's, not this module's.

    The program may give them to another graph, which outlives the captured one.
    """
    generated = generated_call(binding)

    def get(node: Any) -> tuple[Any, ...]:
        answer = generated(node)
        if not answer[0]:
            with_own_function(answer[1])
        return answer

    return get


def with_own_function(parameters: Any) -> None:
    """Put the program's function and argument into the parameters of a host node, in place of this module's."""
    if int(parameters.fn) == ctypes.cast(_host_runner, ctypes.c_void_p).value:
        call = _pending_calls[parameters.userData]
        parameters.fn, parameters.userData = type(parameters.fn)(call.address), call.argument


class _Queue:
    """Puts functions into streams under a number, behind the function of this module that HIP calls."""

    def __init__(self, binding: Binding, runner: int) -> None:
        self._outcome = binding.outcome
        self._runner = runner
        self._is_capturing = binding.native("hipStreamIsCapturing", ctypes.c_void_p, ctypes.c_void_p)
        self._ends = graph_ends.of(binding)

    def put(
        self, stream: Any, function: Any, argument: Any, callable_at: Callable[[int], Any], hip: Callable[..., int]
    ) -> tuple[Any, ...]:
        """Return the outcome of queueing the function at an address; a NULL one is refused."""
        handle, at = address(stream), address(function)
        buffer, data = memory_address(argument)
        if not at:
            return self._outcome.invalid()
        number, once = next(_numbers), self._runs_once(handle)
        _pending_calls[number] = _PendingCall(at, callable_at(at), data, (function, argument, buffer), once)
        status = hip(handle, self._runner, number)
        if status:
            del _pending_calls[number]
            return self._outcome.failed(status)
        if not once and self._ends:
            self._ends.remove_with_graph_of(handle, number, _pending_calls)
        return (self._outcome.success,)

    def _runs_once(self, stream: int) -> bool:
        """Return whether the function runs now and never again: a captured one runs with each launch of its graph."""
        state = ctypes.c_int()
        return not self._is_capturing(stream, ctypes.byref(state)) and not state.value
