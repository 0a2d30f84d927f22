"""Properties of the machine that results may depend on, without anything that identifies its owner."""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from cuda_shim import settings

__all__ = ["described", "scrubber"]

_AMDGPU = "/sys/module/amdgpu/version"
#: Kinds of settings whose values are words and numbers; others may hold paths and commands.
_PLAIN_KINDS = ("boolean", "choice", "integer", "number")
_FOLDERS = re.compile(r"(?<![\w.…])/(?:[^\s/:'\"(),;|]+/)+")
_SHORTEST_NAME = 3


def described(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the versions of the software below the device, and the settings that are not at their defaults."""
    chosen = settings.read(environ=environment)
    changed = {
        item.name: chosen.text(item.name) if item.kind in _PLAIN_KINDS else "set"
        for item in settings.SETTINGS
        if item.name != "mode" and chosen.sources[item.name] != "default"
    }
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libc": " ".join(platform.libc_ver()),
        "cores": len(os.sched_getaffinity(0)),
        "rocm": _first_line(os.path.join(os.environ.get("ROCM_PATH") or "/opt/rocm", ".info", "version")),
        "amdgpu driver": _first_line(_AMDGPU),
        "settings": changed,
    }


def _first_line(path: str) -> str:
    """Return the first line of a file; empty where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def scrubber() -> Callable[[Any], Any]:
    """Return a function that takes folders, the user's name and the host's out of all texts of a document."""
    folders = {os.path.expanduser("~"), os.getcwd(), tempfile.gettempdir()}
    names = {socket.gethostname(), *(os.environ.get(name, "") for name in ("USER", "LOGNAME"))}
    try:
        names.add(getpass.getuser())
    except (KeyError, OSError):  # a container's user may have no name
        names.discard("")
    places = [re.escape(folder) for folder in sorted(folders, key=len, reverse=True) if len(folder) > 1]
    words = [re.escape(name) for name in names if len(name) >= _SHORTEST_NAME and name != "root"]
    patterns = [re.compile("|".join(places)), _FOLDERS]
    if words:
        patterns.append(re.compile(rf"\b(?:{'|'.join(words)})\b"))

    def scrubbed(value: Any) -> Any:
        if isinstance(value, str):
            for pattern in patterns:
                value = pattern.sub("…/" if pattern is _FOLDERS else "…", value)
            return value
        if isinstance(value, Mapping):
            return {key: scrubbed(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [scrubbed(each) for each in value]
        return value

    return scrubbed
