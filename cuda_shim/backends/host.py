"""The door to `hip_on_host`, HIP on host cores: the only file of the shim that knows that package.

Everything heavier than a path is imported when it is asked for, since every session asks for the headers' folder.
"""

from __future__ import annotations

import os

from hip_on_host import compiler_names, sources
from hip_on_host.compiler_environment import compiler_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from hip_on_host.kernel_list import Kernel as Kernel

__all__ = [
    "COMPILER_ANSWERS",
    "COMPILER_PACKAGE",
    "COMPILER_SEARCH",
    "DEFAULT_PATH",
    "LIBRARIES",
    "MISREADING",
    "OLDEST_CLANG",
    "build",
    "compiler_environment",
    "cores",
    "device_headers",
    "expected_seconds",
    "identity_in_wheel",
    "read_kernels",
    "read_module",
    "shipped",
    "sources_identity",
    "sources_signature",
    "unsupported",
]

#: The compilers that are searched for on PATH, as commands in the order of preference.
COMPILER_SEARCH = compiler_names.SEARCH
#: The oldest Clang that is taken where no setting names it.
OLDEST_CLANG = compiler_names.OLDEST_CLANG
#: The search path where the variable PATH is not set.
DEFAULT_PATH = compiler_names.DEFAULT_PATH
#: The kind of a compiler by a text in its answer to --version, the first that fits.
COMPILER_ANSWERS = compiler_names.ANSWERS
#: The beginnings of versions, by kind, whose vectoriser misreads indices that wrap.
MISREADING = compiler_names.MISREADING
#: The package that brings a compiler, for errors.
COMPILER_PACKAGE = compiler_names.PACKAGE
#: The names of the two libraries, in the subfolder `lib` of the folder that `build` fills or `shipped` names.
LIBRARIES = tuple(sources.LIBRARIES)


def device_headers() -> str:
    """Return the folder of the headers that kernels include."""
    return sources.device_folder()


def shipped() -> str:
    """Return where a released wheel, or a developer, has put this machine's libraries; it need not exist."""
    return os.path.join(sources.home(), "prebuilt", os.uname().machine)


def identity_in_wheel() -> str:
    """Return the identity of the sources as the wheel's build wrote it; "" in a source checkout."""
    return sources.identity_in_wheel()


def sources_signature() -> str:
    """Return paths, sizes and times of the sources, which change whenever their contents may have."""
    return sources.signature(sources.source_folder())


def sources_identity() -> str:
    """Return sixteen hexadecimal digits that change with the contents of the sources."""
    return sources.content_identity(sources.source_folder())


def build(
    folder: Path,
    compiler: Sequence[str],
    kind: str,
    variables: Mapping[str, str],
    started: Callable[[Sequence[str]], None],
    explain: Callable[[Sequence[str], str], Exception],
) -> None:
    """Build the libraries into `folder`/lib.

    Raises the exception that `explain` makes of the failed command (an empty one for other failures) and its output.
    """
    from hip_on_host import building

    try:
        building.build(folder, compiler, kind, variables, started, prefix="cuda_shim: ")
    except building.BuildError as error:
        raise explain(error.command, error.output) from None


def expected_seconds(kind: str) -> float:
    """Return about how many seconds a build takes here with a kind of compiler: clang, gcc or zig."""
    from hip_on_host import building

    return building.expected_seconds(kind)


def cores() -> int:
    """Return the cores that this process may run on."""
    from hip_on_host import building

    return building.cores()


def read_module(image: bytes) -> list[Kernel]:
    """Return the kernels of a compiled module. Raises ValueError or struct.error if it is not one."""
    from hip_on_host import kernel_list

    return kernel_list.read_module(image)


def read_kernels(code: bytes) -> list[tuple[str, list[int]]]:
    """Return a compiled module's kernels with the bytes of each parameter. Raises ValueError or struct.error."""
    from hip_on_host import module_table

    return module_table.read_kernels(code)


def unsupported() -> dict[str, str]:
    """Return HIP's functions that the libraries export and do not support, each with its reason."""
    from hip_on_host import refusals

    return refusals.unsupported()
