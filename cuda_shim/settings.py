"""Every setting of cuda_shim: its name, environment variable, allowed values, default and meaning.

Precedence, the same for all of them: an explicit argument (of ``enable()`` or of the command line), then
the environment variable, then the default.  A value that is not allowed is refused with a
:class:`~cuda_shim.errors.SettingError` that lists the allowed ones; nothing is guessed.

All of them are resolved together, by :func:`read`, into one frozen :class:`Settings`: when a session begins, which
keeps it until it ends, or for one question where none is enabled.  Who needs a setting is handed that value.

This module is read at start-up, so it imports nothing but ``os`` and what is as light.
The CPU runtime's own variables are read by its C++ side; they are listed here because users look for all
settings in one place, and because ``doctor`` checks them.
"""

from __future__ import annotations

import os

from cuda_shim.errors import SettingError
from cuda_shim.record import Record
from cuda_shim.setting import BOOLEAN, FALSE, TRUE, Setting, boolean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = [
    "NO_FILE",
    "SETTINGS",
    "Resolved",
    "Setting",
    "Settings",
    "boolean",
    "current",
    "hallucination",
    "parse_hallucination",
    "read",
    "resolve",
    "setting",
    "use",
]

#: Names of the settings that `run` was given as flags, for messages: the program knows them as variables.
FLAGS_VARIABLE = "_CUDA_SHIM_FLAGS"

#: Layouts of CUDA Python that can be served, by the shorter spellings a user may give.
CUDA_LAYOUTS = {
    "11": "11.8", "11.x": "11.8", "12": "12.9", "12.x": "12.9", "13": "13.5", "13.x": "13.5",
}  # fmt: skip


#: The values of the setting ``report`` that are no path.
NO_FILE = ("0", "1", "record")


class Resolved:
    """What a setting came to: ``value`` (canonical text) and ``source`` (argument, environment, default)."""

    __slots__ = ("source", "value")

    def __init__(self, value: str, source: str) -> None:
        self.value = value
        self.source = source

    def __repr__(self) -> str:
        return f"Resolved({self.value!r}, {self.source!r})"


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "mode", "CUDA_SHIM", "choice", "0",
        "serve cuda.* in this interpreter and its children; require: fail at the first import of cuda "
        "if that is impossible",
        ("1", "require", "0"), f"{BOOLEAN}, or require",
        {**dict.fromkeys(TRUE, "1"), **dict.fromkeys(FALSE, "0")},
    ),
    Setting(
        "backend", "CUDA_SHIM_BACKEND", "choice", "auto",
        "where kernels run: an AMD GPU (rocm), host cores (cpu); auto: rocm if a device answers, else cpu",
        ("auto", "rocm", "cpu"),
    ),
    Setting(
        "cuda", "CUDA_SHIM_CUDA", "choice", "",
        "CUDA Python layout to serve; unset: that of an installed cuda-bindings or cuda-python, else 13.5",
        ("11.8", "12.9", "13.5"), "11.8, 12.9, 13.5 (or 11, 11.x, 12, 12.x, 13, 13.x)", CUDA_LAYOUTS,
    ),
    Setting(
        "strict", "CUDA_SHIM_STRICT", "boolean", "0",
        "raise UnsupportedAPI for calls and images that HIP cannot serve; else they return CUDA's own status for that",
    ),
    Setting(
        "quiet", "CUDA_SHIM_QUIET", "boolean", "0",
        "do not say on stderr which backend was chosen; what takes long (building, compiling) is said all the same",
    ),
    Setting(
        "log", "CUDA_SHIM_LOG", "choice", "warn",
        "what is reported on stderr, unless the program sets up logging: why a call or an image could not be served, "
        "once for each reason (warn), how sources and options were translated too (debug), or nothing (off)",
        ("off", "warn", "debug"),
    ),
    Setting(
        "gfx", "CUDA_SHIM_GFX", "target", "",
        "AMD GPU that CUDA C++ is compiled for on the rocm backend, which needs no GPU to compile; unset: the current "
        "device",
    ),
    Setting(
        "fast_atomics", "CUDA_SHIM_FAST_ATOMICS", "boolean", "0",
        "let atomic operations in kernels for AMD GPUs be single instructions that are right in the GPU's own memory "
        "alone: on pinned and managed memory of the host they are lost",
    ),
    Setting(
        "dlopen", "CUDA_SHIM_DLOPEN", "boolean", "1",
        "open the shim's C interface for libcuda.so.1, libcudart.so and libnvrtc.so; 0: leave these names alone",
    ),
    Setting(
        "compiled_calls", "CUDA_SHIM_COMPILED_CALLS", "choice", "auto",
        "call HIP through a small C library, which is compiled once, and not through ctypes: the same answers in less "
        "time; auto: where a compiler is found, or a released wheel has the library",
        ("auto", "1", "0"), f"auto, {BOOLEAN}", {**dict.fromkeys(TRUE, "1"), **dict.fromkeys(FALSE, "0")},
    ),
    Setting(
        "report", "CUDA_SHIM_REPORT", "report", "0",
        "record the calls of the program and its children, and when it ends print a table on stderr (1), write "
        "JSON to a file (%p in its name becomes the process id), or do neither (record: cuda_shim.report() asks)",
        allowed=f"{BOOLEAN}, record, or the path of a file",
    ),
    Setting(
        "profile", "CUDA_SHIM_PROFILE", "report", "0",
        "measure kernels, copies and calls, by where the program asks for them, and when it ends print tables on "
        "stderr (1), write JSON to a file (%p in its name becomes the process id), or do neither (record)",
        allowed=f"{BOOLEAN}, record, or the path of a file",
    ),
    Setting(
        "trace", "CUDA_SHIM_TRACE", "text", "",
        "write a timeline of calls, kernels and copies to a file when the program ends, in the format of Chrome's "
        "tracing, which Perfetto shows (%p in its name becomes the process id)",
        allowed="the path of a file",
    ),
    Setting(
        "error_exitcode", "CUDA_SHIM_ERROR_EXITCODE", "status", "0",
        "exit status of the program when cpu_check found something wrong; 0: as the program has it",
        needs="cpu_check",
    ),
    Setting(
        "cxx", "CUDA_SHIM_CXX", "text", "",
        "C++ compiler that builds the CPU runtime; unset: searched on PATH, then the ziglang wheel",
        allowed="a command, arguments included",
    ),
    Setting(
        "cache_dir", "CUDA_SHIM_CACHE_DIR", "text", "",
        "folder of compiled runtimes and kernels; unset: $XDG_CACHE_HOME/cuda-shim or ~/.cache/cuda-shim",
        allowed="a path",
    ),
    Setting(
        "cpu_cxx", "CUDA_SHIM_CPU_CXX", "text", "",
        "C++ compiler of kernels on the CPU backend; unset: searched as for CUDA_SHIM_CXX",
        allowed="a command, arguments included",
    ),
    Setting(
        "cpu_clang", "CUDA_SHIM_CPU_CLANG", "text", "",
        "Clang or zig that reads kernels where another compiler builds them; unset: searched as for CUDA_SHIM_CXX",
        allowed="a command, arguments included",
    ),
    Setting(
        "cpu_device_headers", "CUDA_SHIM_CPU_DEVICE_HEADERS", "text", "",
        "folder of the headers that kernels include; unset: the one beside the CPU runtime",
        allowed="a path",
    ),
    Setting("cpu_devices", "CUDA_SHIM_CPU_DEVICES", "count", "1", "virtual devices of the CPU backend"),
    Setting(
        "cpu_threads", "CUDA_SHIM_CPU_THREADS", "count", "",
        "host threads that run blocks; unset: the cores available to the process",
    ),
    Setting(
        "cpu_warp_size", "CUDA_SHIM_CPU_WARP_SIZE", "choice", "32",
        "lanes of a warp on the CPU backend", ("32", "64"),
    ),
    Setting(
        "cpu_rocm", "CUDA_SHIM_CPU_ROCM", "choice", "",
        "behave as AMD's runtime of this ROCm release where it differs from CUDA, to see what a program meets on an "
        "AMD GPU; unset: as CUDA", ("7.2.2", "10.0"),
    ),
    Setting(
        "cpu_gfx", "CUDA_SHIM_CPU_GFX", "choice", "",
        "the AMD GPU that the device then claims to be; unset: gfx942",
        ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"), needs="cpu_rocm",
    ),
    Setting(
        "cpu_log", "CUDA_SHIM_CPU_LOG", "choice", "warn",
        "what the CPU runtime writes to stderr", ("off", "error", "warn", "info", "debug"),
    ),
    Setting(
        "cpu_split", "CUDA_SHIM_CPU_SPLIT", "boolean", "1",
        "split kernels at barriers into loops where that is possible; 0: always use fibres",
    ),
    Setting(
        "cpu_faults", "CUDA_SHIM_CPU_FAULTS", "boolean", "1",
        "report a kernel's memory fault as a launch failure; 0: leave signals alone",
    ),
    Setting(
        "cpu_check", "CUDA_SHIM_CPU_CHECK", "boolean", "0",
        "check what kernels do: accesses out of bounds, to freed memory or to memory that nobody wrote, races and "
        "divergent barriers stop the kernel and are reported with thread, line and the program's line; slow",
    ),
    Setting(
        "cpu_check_kernel", "CUDA_SHIM_CPU_CHECK_KERNEL", "text", "",
        "the kernels that are checked, by name; unset: all", allowed="a name, or a pattern such as conv*",
        needs="cpu_check",
    ),
    Setting(
        "cpu_check_json", "CUDA_SHIM_CPU_CHECK_JSON", "file", "0",
        "report findings as JSON as well, a line each, on stderr (1) or appended to a file", needs="cpu_check",
    ),
    Setting(
        "cpu_check_leaks", "CUDA_SHIM_CPU_CHECK_LEAKS", "boolean", "0",
        "memory that is not freed when the program ends is a finding as well", needs="cpu_check",
    ),
    Setting(
        "cpu_kernel_timeout", "CUDA_SHIM_CPU_KERNEL_TIMEOUT", "seconds", "",
        "time that a kernel may run before its launch fails with CUDA's timeout; unset: any",
    ),
    Setting(
        "cpu_debug", "CUDA_SHIM_CPU_DEBUG", "boolean", "0",
        "run each thread of a kernel by itself, so that faults are reported with block, thread and line; slow",
    ),
    Setting(
        "cpu_debug_thread", "CUDA_SHIM_CPU_DEBUG_THREAD", "text", "",
        "one thread whose steps are printed, with values and lines; under a debugger it stops where the thread begins",
        allowed="[kernel:]block:thread, such as 3:17 or saxpy:0,1:8,2",
    ),
    Setting(
        "cpu_keep", "CUDA_SHIM_CPU_KEEP", "boolean", "0",
        "keep the sources generated for kernels",
    ),
)  # fmt: skip

_BY_NAME = {item.name: item for item in SETTINGS}


class Settings(Record):
    """What every setting came to, resolved once; a field for each, and where they came from.

    `sources` has "argument", "environment" or "default" for each name, `flags` the names that `run` was given.
    """

    mode: str
    backend: str
    cuda: str
    strict: bool
    quiet: bool
    log: str
    gfx: str
    fast_atomics: bool
    dlopen: bool
    compiled_calls: str
    report: str
    profile: str
    trace: str
    error_exitcode: str
    cxx: str
    cache_dir: str
    cpu_cxx: str
    cpu_clang: str
    cpu_device_headers: str
    cpu_devices: int
    cpu_threads: int | None
    cpu_warp_size: str
    cpu_rocm: str
    cpu_gfx: str
    cpu_log: str
    cpu_split: bool
    cpu_faults: bool
    cpu_check: bool
    cpu_check_kernel: str
    cpu_check_json: str
    cpu_check_leaks: bool
    cpu_kernel_timeout: str
    cpu_debug: bool
    cpu_debug_thread: str
    cpu_keep: bool
    sources: Mapping[str, str]
    flags: frozenset[str]

    def text(self, name: str) -> str:
        """Return a value in the spelling of variables: "1" and "0" for booleans, "" for what is unset."""
        value = getattr(self, name)
        return "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)

    def origin(self, name: str) -> str:
        """Return how the user gave a setting, as messages are to name it: a flag, an argument or the variable."""
        if name in self.flags:
            return f"--{name.replace('_', '-')}"
        return name if self.sources[name] == "argument" else setting(name).variable

    def assignment(self, name: str) -> str:
        """Return a setting with its value, as the user gave it: `--cxx 'gcc'`, `cxx='gcc'`, `CUDA_SHIM_CXX='gcc'`."""
        between = " " if name in self.flags else "="
        return f"{self.origin(name)}{between}{self.text(name)!r}"


# The settings of the session that is enabled now; cuda_shim.session writes it, through use().
_in_use: Settings | None = None


def setting(name: str) -> Setting:
    """Return the setting called ``name``; SettingError with the known names if there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise SettingError(f"there is no setting {name!r}; the settings are {', '.join(_BY_NAME)}") from None


def resolve(name: str, argument: object = None, environ: Mapping[str, str] | None = None) -> Resolved:
    """Return the value of a setting and where it comes from.

    Args:
        name: a setting's name.
        argument: an explicit value, or None.
        environ: the environment to read, ``os.environ`` by default.  An empty variable counts as unset.

    Raises:
        SettingError: the value is not allowed.
    """
    item = setting(name)
    if argument is not None:
        return Resolved(item.check(argument, name), "argument")
    from_environment = (os.environ if environ is None else environ).get(item.variable, "")
    if from_environment.strip():
        return Resolved(item.check(from_environment, item.variable), "environment")
    return Resolved(item.default, "default")


def read(arguments: Mapping[str, str] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Resolve every setting.

    Args:
        arguments: explicit values by name.
        environ: the environment to read, ``os.environ`` by default.

    Raises:
        SettingError: a value is not allowed.
    """
    given = arguments or {}
    environ = os.environ if environ is None else environ
    found = {item.name: resolve(item.name, given.get(item.name), environ) for item in SETTINGS}
    values: dict[str, Any] = {item.name: _typed(item, found[item.name].value) for item in SETTINGS}
    sources = {name: resolved.source for name, resolved in found.items()}
    flags = frozenset(name for name in environ.get(FLAGS_VARIABLE, "").split() if sources.get(name) == "environment")
    settings = Settings(**values, sources=sources, flags=flags)
    for item in SETTINGS:
        if item.needs and settings.text(item.name) not in ("", "0") and not getattr(settings, item.needs):
            wanted = setting(item.needs)
            value = wanted.choices[0] if wanted.choices else "1"
            raise SettingError(
                f"{settings.assignment(item.name)} has no effect without {wanted.variable}={value} "
                f"(--{wanted.name.replace('_', '-')})"
            )
    return settings


def _typed(item: Setting, value: str) -> str | bool | int | None:
    if item.kind == "boolean":
        return value == "1"
    if item.kind == "count":
        return int(value) if value else None
    return value


def current() -> Settings:
    """Return the settings of the session that is enabled; without one, what the environment says now."""
    return read() if _in_use is None else _in_use


def hallucination(enum_name: str, environ: Mapping[str, str] | None = None) -> bool | None:
    """Return what ``HIP_PYTHON_<Enum>_HALLUCINATE`` says, or None when it is unset or empty.

    Raises:
        SettingError: the variable is not one of the words of booleans.
    """
    variable = f"HIP_PYTHON_{enum_name}_HALLUCINATE"
    value = (os.environ if environ is None else environ).get(variable, "").strip()
    return parse_hallucination(variable, value) if value else None


def parse_hallucination(variable: str, value: object) -> bool:
    """Return ``value`` (a bool, or text as in the environment) as a bool; SettingError otherwise."""
    if isinstance(value, bool):
        return value
    said = boolean(str(value).strip())
    if said is not None:
        return said
    raise SettingError(f"{variable}={value!s} is not allowed; use {BOOLEAN}")


def use(chosen: Settings | None) -> None:
    """Make these the settings of the process until the next call; called by the session only."""
    global _in_use
    _in_use = chosen
