"""The settings of cuda_shim: the sources of their values, and the current values.

The settings themselves are the rows of tables/settings.yaml, which setting_rows.py holds as Python.

Precedence, the same for all of them: an explicit argument (of ``enable()`` or of the command line), then
the environment variable, then the default.  A value that is not allowed is refused with a
:class:`~cuda_shim.errors.SettingError` that lists the allowed ones; nothing is guessed.

All of them are resolved together, by :func:`read`, into one frozen :class:`Settings`: when a session begins, which
keeps it until it ends, or for one question where none is enabled.  Code that needs a setting gets that object.

This module is read at start-up, so it imports nothing but ``os`` and modules that are as light. The settings that the
C++ runtime acts on are checked here as well, before they reach it.
"""

from __future__ import annotations

import os

from cuda_shim.errors import SettingError
from cuda_shim.setting import BLANKS, BOOLEAN, Setting, boolean
from cuda_shim.setting_rows import SETTINGS, SettingValues

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

#: The values of the setting ``report`` that are no path.
NO_FILE = ("0", "1", "record")


class Resolved:
    """The result for a setting: ``value`` (canonical text) and ``source`` (argument, environment, default)."""

    __slots__ = ("source", "value")

    def __init__(self, value: str, source: str) -> None:
        self.value = value
        self.source = source

    def __repr__(self) -> str:
        return f"Resolved({self.value!r}, {self.source!r})"


_BY_NAME = {item.name: item for item in SETTINGS}


class Settings(SettingValues):
    """The values of all settings, resolved once, and where they came from.

    `sources` has "argument", "environment" or "default" for each name, `flags` the names that `run` was given.
    """

    sources: Mapping[str, str]
    flags: frozenset[str]

    def text(self, name: str) -> str:
        """Return a value in the spelling of variables: "1" and "0" for booleans, "" for an unset one."""
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
    if from_environment.strip(BLANKS):
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
    texts = arguments or {}
    environ = os.environ if environ is None else environ
    resolutions = {item.name: resolve(item.name, texts.get(item.name), environ) for item in SETTINGS}
    values: dict[str, Any] = {item.name: _typed(item, resolutions[item.name].value) for item in SETTINGS}
    sources = {name: resolution.source for name, resolution in resolutions.items()}
    flags = frozenset(name for name in environ.get(FLAGS_VARIABLE, "").split() if sources.get(name) == "environment")
    settings = Settings(**values, sources=sources, flags=flags)
    for item in SETTINGS:
        if item.needs and settings.text(item.name) not in ("", "0") and not getattr(settings, item.needs):
            needed = setting(item.needs)
            value = needed.choices[0] if needed.choices else "1"
            raise SettingError(
                f"{settings.assignment(item.name)} has no effect without {needed.variable}={value} "
                f"(--{needed.name.replace('_', '-')})"
            )
    return settings


def _typed(item: Setting, value: str) -> str | bool | int | None:
    if item.kind == "boolean":
        return value == "1"
    if item.kind == "integer":
        return int(value) if value else None
    return value


def current() -> Settings:
    """Return the settings of the session that is enabled; without one, those of the environment now."""
    return read() if _in_use is None else _in_use


def hallucination(enum_name: str, environ: Mapping[str, str] | None = None) -> bool | None:
    """Return the value of ``HIP_PYTHON_<Enum>_HALLUCINATE``, or None when it is unset or empty.

    Raises:
        SettingError: the variable is not one of the words of booleans.
    """
    variable = f"HIP_PYTHON_{enum_name}_HALLUCINATE"
    value = (os.environ if environ is None else environ).get(variable, "").strip(BLANKS)
    return parse_hallucination(variable, value) if value else None


def parse_hallucination(variable: str, value: object) -> bool:
    """Return ``value`` (a bool, or text as in the environment) as a bool; SettingError otherwise."""
    if isinstance(value, bool):
        return value
    is_on = boolean(str(value).strip(BLANKS))
    if is_on is not None:
        return is_on
    raise SettingError(f"{variable}={value!s} is not allowed; use {BOOLEAN}")


def use(settings: Settings | None) -> None:
    """Make these the settings of the process until the next call; called by the session only."""
    global _in_use
    _in_use = settings
