"""NVRTC's options in hiprtc's terms, by tables/nvrtc_options.yaml.

How NVRTC reads options: blanks around one are ignored; long and short spellings are exact; a value follows
`=` or is the next argument; after a single letter (-D, -I, -U) it follows at once or after blanks.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cuda_shim import cuda_home
from cuda_shim.frozen_record import Record
from cuda_shim.mapping.layouts import LAYOUTS, layout
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.setting import is_target
from cuda_shim.translate.option_values import complaint_about, titled

__all__ = ["Translation", "cuda_program", "to_hiprtc"]

_ARCHITECTURE = re.compile(r"(?:compute|sm|lto)_(\d{2,3})[af]?")
_NO_GPU = "gfx targets are AMD GPUs, and the CPU backend compiles for host cores: set CUDA_SHIM_BACKEND=rocm"
_OLDEST_ARCHITECTURE = 60
# Files that no folder but one of a CUDA toolkit or of its core libraries holds.
_TOOLKIT_FILES = (b"crt/host_defines.h", b"cuda_runtime_api.h", b"cuda/std/cstddef", b"cub/cub.cuh")


class Translation:
    """NVRTC's options, translated for hiprtc.

    Attributes:
        options: hiprtc's options.
        notes: a line for each option that was left out or bent, and why.
        refused: NVRTC's log line when an option cannot be served, None when all can.
        include_paths: the folders among the options that are searched for headers, in order.
        architecture: the AMD GPU to compile for, as an option names it or as it was given; empty if neither names one,
            None on the CPU runtime.
        on_gpu: True if an AMD GPU is compiled for.
        messages: what options say of messages, each with its value (`message_options`).
        standard: the C++ standard that the program is in for NVRTC.
        no_source_include: True if the folder of the program's name is left out of the search for names in quotes.
    """

    def __init__(self, architecture: str | None, standard: str) -> None:
        self.options: list[bytes] = []
        self.notes: list[str] = []
        self.refused: str | None = None
        self.include_paths: list[bytes] = []
        self.architecture = architecture
        self.on_gpu = architecture is not None
        self.messages: list[tuple[str, str | None]] = []
        self.standard = standard
        self.no_source_include = False


class _Option(Record):
    """One option as written, split into its parts."""

    name: str
    row: dict[str, Any]
    spelling: str
    value: str | None
    cuda: str


class _RefusedError(Exception):
    """NVRTC's log line for an option that it, or the shim, does not take."""


def to_hiprtc(options: Sequence[bytes], *, architecture: str | None, cuda: str = LAYOUTS[-1]) -> Translation:
    """Return NVRTC's `options` for hiprtc.

    `architecture` is that of the device or of the setting, such as "gfx90a", empty for an unknown GPU, None for the CPU
    runtime, which takes none. A gfx target among the options wins over it.
    `cuda` is the layout whose NVRTC is replaced: it does not know later options.
    """
    translation = Translation(architecture, layout(cuda).standard)
    try:
        for argument in _effective(list(_read(options, cuda)), translation):
            _translate(argument, architecture, translation)
        if architecture is not None:
            if not any(option.startswith(b"-std=") for option in translation.options):
                translation.options.append(b"-std=c++17")  # NVRTC's own default; hiprtc's depends on its age
            # `float2 p{i, j}` of integers: NVRTC warns and goes on.
            translation.options.append(b"-Wno-error=c++11-narrowing")
        elif translation.standard < "c++17":  # compiled as C++17, which it may not use
            translation.options.append(f"--cuda-shim-standard={translation.standard}".encode())
    except _RefusedError as refused:
        translation.refused = f"nvrtc: error: {refused}"
    if translation.architecture:
        translation.options.insert(0, b"--offload-arch=" + translation.architecture.encode())
    return translation


def cuda_program(cuda: str) -> bytes:
    """Return the CPU runtime's own option for CUDA programs: they see the definitions of this layout's NVRTC."""
    major, minor = cuda.split(".")
    return b"--cuda-shim-cuda=%d" % (int(major) * 1000 + int(minor) * 10)


def _read(options: Sequence[bytes], cuda: str) -> Iterator[_Option]:
    """Yield the options one by one, each with its value. Raises _RefusedError for options that NVRTC does not know."""
    spellings = _spellings()
    texts = [option.decode("utf-8", "surrogateescape").strip() for option in options]
    following = iter(texts)
    for text in following:
        spelling, value = _split(text, spellings)
        name, row = spellings.get(spelling, ("", {}))
        if not row or LAYOUTS.index(row.get("since", LAYOUTS[0])) > LAYOUTS.index(cuda):
            raise _RefusedError(f"unrecognized option {text} found" + _since(row, cuda))
        kind = row.get("value")
        if value is None and row.get("form") == "equals":
            raise _RefusedError(f"unrecognized option {text} found; its value follows after =")
        if value is not None and kind is None:
            raise _RefusedError(f"{titled(row)} does not accept any argument")
        if value is None and kind in ("boolean", "integer", "text"):
            value = next(following, "")
        complaint = complaint_about(row, value)
        if complaint:
            raise _RefusedError(complaint)
        yield _Option(name, row, spelling, value, cuda)


def _split(text: str, spellings: dict[str, tuple[str, dict[str, Any]]]) -> tuple[str, str | None]:
    """Return an option's spelling, and its value if it is in the same argument."""
    if text in spellings:
        return text, None
    letter = text[:2]
    if letter in spellings and spellings[letter][1].get("value") == "text":
        return letter, text[2:].removeprefix("=").strip()
    spelling, equals, value = text.partition("=")
    return (spelling, value) if equals else (text, None)


def _effective(options: list[_Option], translation: Translation) -> Iterator[_Option]:
    """Yield the options except those that a later one of the same name replaces."""
    last = {option.name: option for option in options}
    for option in options:
        needed = option.row.get("needs", option.name)
        if needed not in last:
            spelling = load_text("nvrtc_options")[needed]["spellings"][0]
            raise _RefusedError(f"option {option.spelling} is only supported when {spelling} is also specified")
        if option.row.get("excludes") in last:
            raise _RefusedError(option.row["excluded"])
    for option in sorted(options, key=lambda option: "first" not in option.row):
        if last[option.name] is option or option.row.get("repeat") == "many" or option.value is None:
            yield option
        elif layout(option.cuda).options_once:
            raise _RefusedError(f"{titled(option.row)} defined more than once")
        else:
            translation.notes.append(f"{option.spelling}={option.value}: replaced by {last[option.name].value}")


def _translate(option: _Option, architecture: str | None, translation: Translation) -> None:
    row = option.row
    on_cpu = architecture is None
    if "rule" in row:
        _RULES[row["rule"]](option, translation)
    elif "messages" in row:
        translation.messages.append((row["messages"], option.value))
    elif on_cpu and "cpu" in row:
        translation.options.extend(_filled(row["cpu"], option.value))
    elif "refuse" in row:
        raise _RefusedError(f"{option.spelling}: {row['refuse']}")
    elif "drop" in row:
        written = option.spelling if option.value is None else f"{option.spelling}={option.value}"
        translation.notes.append(f"{written}: left out: {row['drop']}")
    elif option.value != "":
        translation.options.extend(_filled(row["hiprtc"], option.value))


def _filled(arguments: list[str] | dict[str, list[str]], value: str | None) -> list[bytes]:
    chosen = arguments[value or "false"] if isinstance(arguments, dict) else arguments
    filled = (argument.replace("{value}", value or "") for argument in chosen)
    return [argument.encode("utf-8", "surrogateescape") for argument in filled]


def _architecture(option: _Option, translation: Translation) -> None:
    """Show the source the compute capability that it asked for; the code is compiled for the actual device.

    The layout's NVRTC decides the accepted numbers. If the option names the target of an AMD GPU, the code is compiled
    for that target instead of the device.
    """
    if is_target(option.value or ""):
        if translation.architecture is None:
            raise _RefusedError(f"{option.spelling}={option.value}: {_NO_GPU}")
        translation.architecture = option.value
        return
    match = _ARCHITECTURE.fullmatch(option.value or "")
    number = int(match[1]) if match else 0
    if number not in layout(option.cuda).architectures:
        raise _RefusedError(f"invalid value for {titled(option.row)}")
    if number < _OLDEST_ARCHITECTURE:
        translation.notes.append(
            f"{option.value}: __CUDA_ARCH__ is {_OLDEST_ARCHITECTURE}0, since what came until then is there "
            "and a program's own replacement would clash with it"
        )
    translation.options.append(f"-D__CUDA_ARCH__={max(number, _OLDEST_ARCHITECTURE)}0".encode())
    if not translation.on_gpu:
        translation.options.append(f"--cuda-shim-architecture={option.value}".encode())


def _standard(option: _Option, translation: Translation) -> None:
    """HIP's headers want C++17; C++23 goes by the name that older compilers know too."""
    standards = [standard for name in LAYOUTS if name <= option.cuda for standard in layout(name).standards]
    if option.value not in standards:
        raise _RefusedError(f"invalid value for {titled(option.row)}")
    standard = {"c++20": "c++20", "c++23": "c++2b"}.get(option.value, "c++17")
    if standard == "c++17" != option.value:
        translation.notes.append(f"{option.spelling}={option.value}: compiled as c++17, which HIP's headers want")
    translation.standard = str(option.value)
    translation.options.append(f"-std={standard}".encode())


def _include_path(option: _Option, translation: Translation) -> None:
    """Leave out, on a GPU, a CUDA toolkit's own headers, which are for NVIDIA's compiler; HIP's stand for them.

    The CPU runtime takes headers that it does not have from there, such as CUDA's C++ core libraries.
    """
    if not option.value:
        return
    path = option.value.encode("utf-8", "surrogateescape")
    if cuda_home.is_include_folder(path):
        translation.notes.append(f"-I{option.value}: left out: what it holds is there anyway")
        return
    if translation.on_gpu and _is_of_a_toolkit(path):
        translation.notes.append(f"-I{option.value}: left out: a CUDA toolkit; HIP's headers stand for its own")
        return
    translation.include_paths.append(path)
    translation.options.append(b"-I" + path)


def _is_of_a_toolkit(path: bytes) -> bool:
    """Return whether a folder holds headers for NVIDIA's compiler: CUDA's own, or its Thrust, which AMD's is beside."""

    def holds(name: bytes) -> bool:
        return os.path.exists(os.path.join(path, name))

    return any(map(holds, _TOOLKIT_FILES)) or (holds(b"thrust/version.h") and not holds(b"thrust/system/hip"))


def _no_source_include(_option: _Option, translation: Translation) -> None:
    """Leave the folder of the program's name out of the search; the adapter of nvrtcCompileProgram searches it else."""
    translation.no_source_include = True


_RULES: dict[str, Callable[[_Option, Translation], None]] = {
    "architecture": _architecture,
    "include_path": _include_path,
    "no_source_include": _no_source_include,
    "standard": _standard,
}


@functools.cache
def _spellings() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the name and row of each spelling."""
    rows = load_text("nvrtc_options")
    return {spelling: (name, row) for name, row in rows.items() for spelling in row["spellings"]}


def _since(row: dict[str, Any], cuda: str) -> str:
    return f"; NVRTC {cuda} is older than it ({row['since']})" if row else ""
