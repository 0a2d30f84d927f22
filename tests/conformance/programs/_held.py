"""A stream that stands still while a call is made, to tell whether the call waits for it.

Another process lets the stream go on after a while: a thread of this one could not, where a waiting call keeps the
interpreter locked.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import time
from collections.abc import Callable
from typing import Any

_PATIENCE = 0.2
_page = mmap.mmap(-1, 4096)  # shared with the other process
_words = (ctypes.c_uint32 * 3).from_buffer(_page)
_ASKED, _REACHED, _OVER = range(3)


def _serve(parent: int) -> None:
    while not _words[_OVER] and os.getppid() == parent:
        time.sleep(0.002)
        if (asked := _words[_ASKED]) > _words[_REACHED]:
            time.sleep(_PATIENCE)
            _words[_REACHED] = max(asked, _words[_REACHED])
    os._exit(0)


_me = os.getpid()
if not os.fork():  # before anything starts the device
    _serve(_me)


def prepare() -> None:
    """Tell the device of the words that streams wait for."""
    from cuda.bindings import runtime

    assert int(runtime.cudaHostRegister(ctypes.addressof(_words), 4096, 0)[0]) == 0


def waits(function: Callable[..., Any], *arguments: Any, note: str, stream: Any = 0) -> None:
    """Print the call's status, and whether it returned before the stream went on."""
    from cuda.bindings import driver, runtime

    number = _words[_REACHED] + 1
    word = ctypes.addressof(_words) + 4 * _REACHED
    held = driver.cuStreamWaitValue32(
        int(stream), word, number, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ
    )
    assert int(held[0]) == 0, held
    _words[_ASKED] = number
    status = function(*arguments)[0]
    waited = _words[_REACHED] >= number
    print(
        f"{function.__name__} [{note}]: {type(status).__name__}.{status.name}, {'waits' if waited else 'returns'}",
        flush=True,
    )
    _words[_REACHED] = number
    assert int(runtime.cudaDeviceSynchronize()[0]) == 0


def end() -> None:
    """The other process has done its part."""
    _words[_OVER] = 1
    os.wait()
