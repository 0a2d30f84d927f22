"""The loaded library of a layout: opened once, given its way to Python, asked for addresses."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading
from collections.abc import Callable
from struct import unpack

from cuda_shim import log, settings
from cuda_shim.adapters import private_tables
from cuda_shim.backends import hip_python
from cuda_shim.binding import context_state, objects_of
from cuda_shim.c_level import build
from cuda_shim.c_level.failures import UNKNOWN, is_of_program
from cuda_shim.c_level.interface import Function, functions, symbols_of_version
from cuda_shim.c_level.special import find_symbols_with
from cuda_shim.errors import BackendNotFound
from cuda_shim.instrumentation import events

__all__ = ["Library", "load"]

# The members of `Interpreter` in python_calls.h behind its first, in their order.
_OF_PYTHON = (
    "Py_IsInitialized",
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyGILState_GetThisThreadState",
    "PyObject_CallFunction",
    "PyLong_AsUnsignedLongLong",
    "Py_DecRef",
    "PyErr_Fetch",
    "PyErr_NormalizeException",
    "PyErr_Restore",
    "PyException_SetContext",
    "PyErr_WriteUnraisable",
    "Py_AddPendingCall",
    "PyThreadState_SetAsyncExc",
    "PyThread_get_thread_ident",
)
_OPEN_BACKEND, _NOTE_CALL, _REPORT_TEXT, _MAY_ANSWER_CHECK = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFC
_REQUESTS = {
    _OPEN_BACKEND: "opening the backend",
    _NOTE_CALL: "counting a call",
    _REPORT_TEXT: "logging a text",
    _MAY_ANSWER_CHECK: "asking for a setting",
}
_CHECKED = (
    b"NVIDIA's runtime, which is linked into a library of this program, asks whether the driver is NVIDIA's own, and "
    b"goes on only after the answer that such a driver gives. "
)
_NOT_ASKED_FOR = _CHECKED + b"CUDA_SHIM_NVIDIA_RUNTIME=1 (run --nvidia-runtime) has it answered: docs/c-level.md"
_LEFT_OUT = _CHECKED + b"This copy of cuda_shim was made without that answer: docs/c-level.md"
_FOUND, _NOT_FOUND, _TOO_OLD = 0, 1, 2  # CUdriverProcAddressQueryResult
_lock = threading.RLock()
_libraries: dict[str, Library] = {}


class Library:
    """One layout's C functions, from the library in `folder`."""

    def __init__(self, layout: str, folder: str) -> None:
        self.layout = layout
        self.folder = folder
        self._functions = functions(layout)
        self._bridges: dict[int, tuple[int, Callable[..., int]]] = {}
        self._opened = ctypes.CDLL(os.path.join(self.folder, build.LIBRARY))
        self._callback = self._answer  # one object, which must live as long as the library
        self._forms = {function.nvidias_symbol: function for function in reversed(self._functions)}
        self._by_name = {function.name: function for function in self._functions if function.layout == layout}
        python = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _OF_PYTHON]
        self._opened.cuda_shim_begin((ctypes.c_void_p * (1 + len(python)))(id(self._callback), *python))
        atexit.register(self._opened.cuda_shim_begin, None)
        events.on_listener_change(self._opened.cuda_shim_count)
        note_context = self._opened.cuda_shim_note_context
        context_state.on_context_end(lambda context: self._opened.cuda_shim_end_context(ctypes.c_void_p(context)))
        context_state.connect_c_functions(self._opened.cuda_shim_note_initialized, functools.partial(note_context, 0))
        self._note_context = note_context
        self._runtime_noted = False
        self._reported: set[bytes] = set()

    def address(self, symbol: str) -> int:
        """Return the address of a function, 0 if the library has none of that name."""
        try:
            function = self._opened[symbol]
        except AttributeError:
            return 0
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    def function(self, name: str, per_thread: bool) -> int:
        """Return where a function of the modules is, by its name there.

        `per_thread` asks for the form whose default stream is the thread's own, where the function has one.
        """
        function = self._by_name.get(name)
        if per_thread and function is not None and function.form:
            return self.address(f"{function.nvidias_symbol}_{function.form}")
        return self.address(name)

    def entry_point(self, name: str, version: int, per_thread: bool) -> tuple[int, int]:
        """Return the form of a function that a CUDA version has, as cuGetProcAddress finds it, and how that went.

        `per_thread` asks for the form whose default stream is the thread's own.
        """
        symbols = symbols_of_version(name, version)
        if symbols == []:
            return 0, _TOO_OLD
        function = next((self._forms[symbol] for symbol in symbols or [name] if symbol in self._forms), None)
        if function is None or function.table != "driver":
            return 0, _NOT_FOUND
        if per_thread and function.form:
            return self.address(f"{function.nvidias_symbol}_{function.form}"), _FOUND
        return self.address(function.symbol), _FOUND

    def private_table(self, identity: int) -> tuple[int, int]:
        """Return the status of the search for a private table of the driver, and the table's address."""
        place = ctypes.c_void_p()
        status: int = self._opened.cuGetExportTable(ctypes.byref(place), ctypes.c_void_p(identity))
        return status, place.value or 0

    def open_by_sonames(self) -> None:
        """Load NVIDIA's file names, so that opening one by name finds these functions from now on."""
        # Opened as C code does it: the patched ctypes would take this for the program opening the runtime.
        open_file = ctypes.CDLL(None).dlopen
        open_file.argtypes, open_file.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
        for name, short in build.sonames(self.layout).values():
            for file in (name, os.path.join(build.BY_SHORT_NAME, short)):
                path = os.path.join(self.folder, file)
                if not open_file(os.fsencode(path), os.RTLD_NOW):
                    raise BackendNotFound(f"{path} cannot be loaded")

    def _answer(self, number: int, arguments: int) -> int:
        """Serve a C function, given its number and the address of its arguments; return its status.

        An exception that leaves it is raised in Python code later, by python_calls.h; those of the shim are reported.
        """
        try:
            return self._serve(number, arguments)
        except Exception as error:
            if is_of_program(error):
                raise
            name = _REQUESTS.get(number) or self._functions[number].symbol
            log.logger().exception("%s", name)
            return int(number == _OPEN_BACKEND) if number in _REQUESTS else UNKNOWN[self._functions[number].table]

    def _serve(self, number: int, arguments: int) -> int:
        if number == _OPEN_BACKEND:
            return self._open_backend()
        if number == _NOTE_CALL:
            return self._note_call(*unpack("3Q", ctypes.string_at(arguments, 24)))
        if number == _REPORT_TEXT:
            return self._report(ctypes.string_at(*unpack("Q", ctypes.string_at(arguments, 8))))
        if number == _MAY_ANSWER_CHECK:
            return self._may_answer_check(*unpack("Q", ctypes.string_at(arguments, 8)))
        entry = self._bridges.get(number)
        if entry is None:
            from cuda_shim.c_level.bridges import bridge_to

            entry = self._bridges[number] = bridge_to(self._functions[number])
        count, bridge = entry
        if not self._runtime_noted and self._begins_context(self._functions[number]):
            self._runtime_noted = True
            context_state.note_c_runtime()
            self._opened.cuda_shim_note_runtime()
        status = bridge(unpack(f"{count}Q", ctypes.string_at(arguments, 8 * count))) if arguments else bridge(())
        if context_state.thread.has_context:
            self._note_context(1)
        return status

    @staticmethod
    def _begins_context(function: Function) -> bool:
        return function.table == "runtime" and function.row is not None and function.row.context is None

    def _note_call(self, number: int, status: int, nanoseconds: int) -> int:
        function = self._functions[number]
        row = function.row
        if row is not None:
            codes: dict[str, int] = objects_of(function.layout).status(function.table).cls.__members__
            error = next((name for name, code in codes.items() if status and code == status), "")
            events.c_call(function.name, row.support, error, nanoseconds)
        return 0

    def _report(self, text: bytes) -> int:
        if text not in self._reported:
            self._reported.add(text)
            log.logger().warning("%s", os.fsdecode(text))
        return 0

    def _may_answer_check(self, has_answer: int) -> int:
        if settings.current().nvidia_runtime and has_answer:
            return 1
        return self._report(_LEFT_OUT if settings.current().nvidia_runtime else _NOT_ASKED_FOR)

    def _open_backend(self) -> int:
        try:
            backend = hip_python.load().backend
            hip, hiprtc = ctypes.CDLL(backend.libamdhip64), ctypes.CDLL(backend.libhiprtc)
        except (BackendNotFound, OSError) as missing:
            log.logger().error("%s", missing)
            return 1
        self._opened.cuda_shim_open(ctypes.c_void_p(hip._handle), ctypes.c_void_p(hiprtc._handle))
        return 0


def load(layout: str) -> Library:
    """Return the library of a layout. Raises BackendNotFound where it can neither be found nor built."""
    with _lock:
        return _libraries.get(layout) or _begin(layout, build.ensure_library(layout, settings.current()))


def serve(folder: str) -> None:
    """Answer through the library in `folder`, which a program that is not Python's has opened by one of its names."""
    with _lock:
        layout = build.layout_of(folder)
        if layout not in _libraries:
            _begin(layout, folder)


def _begin(layout: str, folder: str) -> Library:
    begun = _libraries[layout] = Library(layout, folder)
    find_symbols_with(begun.entry_point)
    private_tables.find_tables_with(begun.private_table)
    if settings.current().dlopen:
        begun.open_by_sonames()
    return begun
