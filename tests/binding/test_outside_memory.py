"""Memory of which a program gives only the address: no more than exists is read, with any size."""

from __future__ import annotations

import ctypes
import mmap
import os
import time

import pytest

from cuda_shim.binding.outside_memory import bytes_at

PAGE = mmap.PAGESIZE


@pytest.mark.parametrize("length", [PAGE, 3 * PAGE, 64 << 20])
@pytest.mark.parametrize("offset", [0, 1, PAGE - 1])
@pytest.mark.parametrize("behind", [0, 1, 1 << 31])
def test_as_much_as_can_be_read(length: int, offset: int, behind: int) -> None:
    memory = mmap.mmap(-1, length + PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory[:PAGE] = os.urandom(PAGE)
    memory[length - PAGE : length] = os.urandom(PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    expected = memory[offset:length]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    assert libc.mprotect(address + length, PAGE, 0) == 0
    began = time.process_time()
    try:
        assert bytes_at(address + offset, len(expected) + behind) == expected
    finally:
        libc.mprotect(address + length, PAGE, mmap.PROT_READ | mmap.PROT_WRITE)
    assert time.process_time() - began < 5  # reading page by page into one growing text took minutes


def test_where_nothing_is() -> None:
    assert bytes_at(64, 100) == b""
    assert bytes_at(64, 0) == b""
