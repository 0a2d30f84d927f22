"""Launches and their expected results, in plain bytes: no numpy, and no device.

Element types are spelled as numpy spells them ("<f4", "|u1"); "|V12" is a structure of 12 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Argument",
    "Array",
    "Batch",
    "Case",
    "Expected",
    "Launch",
    "Program",
    "Result",
    "Rule",
    "Surface",
    "Texture",
]


@dataclass(frozen=True)
class Array:
    """Elements in the order of C.

    Attributes:
        type: the element type.
        shape: the extent of each dimension, the slowest first; texels have their channels as the last one.
        data: the elements' bytes.
    """

    type: str
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True)
class Texture:
    """A texture object over an array, a mipmapped array or plain memory.

    Attributes:
        levels: the texels; more than one array where it is mipmapped.
        mipmapped: True if the levels are those of a mipmapped array.
        layered, cubemap, gather: the flags of the array.
        memory: plain memory for tex1Dfetch in place of an array.
        modes: the CUaddress_mode of each dimension.
        linear, normalized, as_float, srgb: how texels are read: CU_TRSF_* and the filter.
        linear_levels: True if levels are interpolated.
        bias: the bias of the level.
        border: the colour outside.
    """

    levels: tuple[Array, ...]
    mipmapped: bool = False
    layered: bool = False
    cubemap: bool = False
    gather: bool = False
    memory: bool = False
    modes: tuple[int, ...] = (1, 1, 1)
    linear: bool = False
    normalized: bool = False
    as_float: bool = False
    srgb: bool = False
    linear_levels: bool = False
    bias: float = 0.0
    border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Surface:
    """A surface object over an array; its texels are a result of the launch."""

    texels: Array
    layered: bool = False


#: An argument by value is its bytes; an array becomes device memory.
Argument: TypeAlias = "bytes | Array | Texture | Surface"


@dataclass(frozen=True)
class Launch:
    """A launch of one kernel.

    Attributes:
        kernel: the name expression in CUDA C++, or the entry's name in PTX.
        arguments: in the order of the kernel's parameters.
        grid, block: blocks in the grid and threads in a block, by x, y, z.
        shared: bytes of dynamic shared memory.
        cooperative: True if it is launched with cuLaunchCooperativeKernel.
        variables: bytes that are written into device variables before the launch, by name.
    """

    kernel: str
    arguments: tuple[Argument, ...]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int = 0
    cooperative: bool = False
    variables: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """The allowed distance of a result from the recorded one.

    Attributes:
        relative, absolute: the distance allowed is absolute + relative * abs(recorded); both 0: no distance.
        function: the device function with its types, such as "float expf(float)": the freedom that CUDA's documentation
            allows it decides, and the launch's arguments before the result are those of the function.
        instruction: the opcode of PTX, whose results are equal but for the payloads of NaNs.
    """

    relative: float = 0.0
    absolute: float = 0.0
    function: str = ""
    instruction: str = ""


@dataclass(frozen=True)
class Expected:
    """The recorded elements of one array after a launch.

    Attributes:
        place: the index of the argument, or the name of the device variable.
        type: the element type.
        step: every how many elements one was recorded.
        recorded: the bytes of these elements.
        rule: the rule of their comparison.
    """

    place: int | str
    type: str
    step: int
    recorded: bytes
    rule: Rule


#: The bytes after a launch, by the index of an argument or the name of a device variable.
Result: TypeAlias = "dict[int | str, bytes]"


@dataclass(frozen=True)
class Case:
    """A launch with its recorded results.

    Attributes:
        name: unique among all cases.
        launch: the kernel and its arguments.
        expected: the recorded results.
        text: the kernel's own piece of the batch's text, where kernels do not need each other.
        unlike_gcc: the reason for other results of a kernel that g++ compiles; empty if they are the same.
    """

    name: str
    launch: Launch
    expected: tuple[Expected, ...]
    text: str = ""
    unlike_gcc: str = ""


@dataclass(frozen=True)
class Batch:
    """The cases of one compilation, or of one PTX module.

    Attributes:
        name: the file's name with its options, unique in its subject.
        subject: the heading under which its cases are counted.
        language: "cuda" or "ptx".
        file: the name that the compiler's messages show.
        text: the text before the pieces of the cases.
        options: NVRTC's options.
        headers: the program's own headers, by name.
        cases: in the order of their pieces.
    """

    name: str
    subject: str
    language: str
    file: str
    text: str
    options: tuple[str, ...]
    headers: dict[str, str]
    cases: tuple[Case, ...]

    def source(self, cases: tuple[Case, ...] | None = None) -> str:
        """Return the text that is compiled for these cases; for all of them by default."""
        return self.text + "\n".join(case.text for case in (self.cases if cases is None else cases))


@dataclass(frozen=True)
class Program:
    """A program whose lines were recorded.

    Attributes:
        name: unique among all cases.
        file: the file's name in the archive.
        lines: its output with CUDA Python on an NVIDIA GPU.
        documented: for lines that differ for a reason: the recorded line, the line here, the reason.
    """

    name: str
    file: str
    lines: tuple[str, ...]
    documented: tuple[tuple[str, str, str], ...]
