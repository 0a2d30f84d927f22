"""Linking: the states, and refused calls."""

import tempfile
from pathlib import Path

from _device import context
from _show import call
from cuda.bindings import driver

context()
kinds = driver.CUjitInputType
state = call(driver.cuLinkCreate, 0, [], [])
call(driver.cuLinkAddData, state, kinds.CU_JIT_INPUT_PTX, b"nonsense\0", 9, b"nonsense", 0, [], [], note="nonsense")
call(driver.cuLinkAddFile, state, kinds.CU_JIT_INPUT_PTX, b"/no/such/file", 0, [], [], note="no such file")
call(driver.cuLinkAddData, state, kinds.CU_JIT_INPUT_CUBIN, b"nonsense\0", 9, "name", 0, [], [], note="name str")
call(driver.cuLinkDestroy, state)
call(driver.cuLinkCreate, 0, None, None, note="None")
call(driver.cuLinkCreate, 1, [], [], note="list too short")
call(driver.cuLinkCreate, 1, [5], [1], note="option int")
empty = driver.cuLinkCreate(0, [], [])[1]
call(driver.cuLinkComplete, empty, note="empty")
call(driver.cuLinkDestroy, empty)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "text.ptx"
    path.write_bytes(b"nonsense")
    state = driver.cuLinkCreate(0, [], [])[1]
    call(driver.cuLinkAddFile, state, kinds.CU_JIT_INPUT_PTX, str(path).encode(), 0, [], [], note="nonsense")
    call(driver.cuLinkDestroy, state)
