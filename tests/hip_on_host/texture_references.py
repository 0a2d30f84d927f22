"""Shared parts of tests of texture references: finding them, and filling the memory that they are bound to."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.hip_on_host.hip_program import check
from tests.hip_on_host.hiprtc_program import Module
from tests.hip_on_host.test_texture import Texels

OVERRIDE_FORMAT = 1
READ_AS_INTEGER, NORMALIZED_COORDINATES, SRGB = 1, 2, 16


def reference(module: Module, name: str) -> Any:
    return check(module.hip.hipModuleGetTexRef(module.module, name.encode()))


def fill(texture: Any, values: npt.NDArray[Any]) -> None:
    """Write the rows of an image, which may have none or several slices."""
    texels = Texels.from_address(texture.value)
    rows = values.reshape(texels.depth, texels.height, -1).view(np.uint8)
    for z, y in itertools.product(range(texels.depth), range(texels.height)):
        row = np.ascontiguousarray(rows[z, y])
        ctypes.memmove(texels.data + z * texels.slice + y * texels.pitch, row.ctypes.data, row.nbytes)
