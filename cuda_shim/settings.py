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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
    "unknown_variables",
    "use",
]

#: The words of every boolean, in any case; the C++ runtime reads the same ones (common/settings.cpp).
TRUE = ("1", "on", "yes", "y", "true")
FALSE = ("0", "off", "no", "n", "false")
_BOOLEAN = "1/on/yes/true or 0/off/no/false"

#: Names of the settings that `run` was given as flags, for messages: the program knows them as variables.
FLAGS_VARIABLE = "_CUDA_SHIM_FLAGS"

#: Layouts of CUDA Python that can be served, by the shorter spellings a user may give.
CUDA_LAYOUTS = {
    "11": "11.8", "11.x": "11.8", "12": "12.9", "12.x": "12.9", "13": "13.5", "13.x": "13.5",
}  # fmt: skip


#: The values of the setting ``report`` that are no path.
NO_FILE = ("0", "1", "record")


class Setting:
    """One setting.

    Attributes:
        name: the keyword of ``enable()`` and, with dashes, the flag of ``run``.
        variable: the environment variable.
        default: text used when neither an argument nor the variable gives one; ``""`` stands for "unset".
        allowed: the allowed values in words, for messages and for the README's table.
        description: one line.
        choices: the allowed values when they are a closed list.
        aliases: other spellings that are accepted, with the choice that each stands for.
        kind: ``"choice"``, ``"boolean"``, ``"count"`` (a positive integer), ``"text"``, or ``"report"``: a boolean,
            the word record, or the path of a file.
    """

    __slots__ = ("aliases", "allowed", "choices", "default", "description", "kind", "name", "variable")

    def __init__(
        self, name: str, variable: str, kind: str, default: str, description: str,
        choices: tuple[str, ...] = (), allowed: str = "", aliases: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.variable = variable
        self.kind = kind
        self.default = default
        self.description = description
        self.choices = choices
        self.aliases = aliases or {}
        self.allowed = allowed or {"boolean": _BOOLEAN, "count": "a positive integer"}.get(kind, ", ".join(choices))

    def check(self, value: object, source: str) -> str:
        """Return ``value`` in its one canonical spelling, or raise SettingError naming ``source``."""
        text_value = str(value).strip()
        lowered = text_value.lower()
        switched = boolean(lowered)
        if self.kind in ("boolean", "report") and switched is not None:
            return "1" if switched else "0"
        if self.kind == "report" and lowered == "record":
            return lowered
        if self.kind == "boolean":
            pass
        elif self.kind == "choice":
            chosen = self.aliases.get(lowered, lowered)
            if chosen in self.choices:
                return chosen
        elif self.kind == "count":
            if text_value.isascii() and text_value.isdigit() and int(text_value) > 0:
                return str(int(text_value))
        elif text_value:
            return text_value
        raise SettingError(f"{source}={value!s} is not allowed; use {self.allowed}")


def boolean(word: str) -> bool | None:
    """Return what a word says as a boolean, in any case, or None when it is no such word."""
    lowered = word.lower()
    return True if lowered in TRUE else False if lowered in FALSE else None


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
        ("1", "require", "0"), f"{_BOOLEAN}, or require",
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
        "dlopen", "CUDA_SHIM_DLOPEN", "boolean", "1",
        "open the shim's C interface for libcuda.so.1, libcudart.so and libnvrtc.so; 0: leave these names alone",
    ),
    Setting(
        "report", "CUDA_SHIM_REPORT", "report", "0",
        "record the calls of the program and its children, and when it ends print a table on stderr (1), write "
        "JSON to a file (%p in its name becomes the process id), or do neither (record: cuda_shim.report() asks)",
        allowed=f"{_BOOLEAN}, record, or the path of a file",
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
        "check what kernels do: accesses out of bounds, to freed memory or to shared memory that nobody wrote, races "
        "and divergent barriers stop the kernel and are reported with thread and line; slow",
    ),
    Setting(
        "cpu_debug", "CUDA_SHIM_CPU_DEBUG", "boolean", "0",
        "run each thread of a kernel by itself, so that faults are reported with block, thread and line; slow",
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
    dlopen: bool
    report: str
    cxx: str
    cache_dir: str
    cpu_cxx: str
    cpu_clang: str
    cpu_device_headers: str
    cpu_devices: int
    cpu_threads: int | None
    cpu_warp_size: str
    cpu_log: str
    cpu_split: bool
    cpu_faults: bool
    cpu_check: bool
    cpu_debug: bool
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
    return Settings(**values, sources=sources, flags=flags)


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
    raise SettingError(f"{variable}={value!s} is not allowed; use {_BOOLEAN}")


def unknown_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the variables that look like ours and are not settings: most likely misspelt."""
    known = {item.variable for item in SETTINGS}
    for variable in sorted(environ):
        if variable.startswith("CUDA_SHIM") and variable not in known:
            yield variable


def use(chosen: Settings | None) -> None:
    """Make these the settings of the process until the next call; called by the session only."""
    global _in_use
    _in_use = chosen
