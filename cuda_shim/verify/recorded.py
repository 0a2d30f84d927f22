"""The recorded data: zip files beside this module, each with an index, the arrays' bytes and texts.

`tools/write_verify_data.py` writes them from the recordings of the tests, through `write`, which this file holds beside
`read`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from cuda_shim.verify.launches import Array, Batch, Case, Expected, Launch, Program, Rule, Surface, Texture

__all__ = ["ARCHIVES", "FOLDER", "Recording", "read", "read_all", "write"]

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
#: One file for each source of recordings, so that a change of one leaves the others as they are.
ARCHIVES = ("kernels", "functions", "instructions", "programs")
_INDEX, _ARRAYS = "index.json", "arrays.bin"
# Marks in JSON that no variable of a program is called.
_BYTES = "<bytes>"
_CLASSES = {"<array>": Array, "<texture>": Texture, "<surface>": Surface}
# The same file whenever and wherever it is written.
_TIME = (1980, 1, 1, 0, 0, 0)


@dataclasses.dataclass(frozen=True)
class Recording:
    """The contents of one archive.

    Attributes:
        machine: the environment of the recording: the GPU, its driver, versions.
        batches: kernels to launch.
        programs: programs to run.
        files: texts by name: the programs, and the modules that they import.
    """

    machine: dict[str, str]
    batches: tuple[Batch, ...] = ()
    programs: tuple[Program, ...] = ()
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)


def read_all(folder: str = FOLDER) -> dict[str, Recording]:
    """Return every archive by its name. Raises OSError or zipfile.BadZipFile where one cannot be read."""
    return {name: read(os.path.join(folder, f"{name}.zip")) for name in ARCHIVES}


def read(path: str) -> Recording:
    """Return the contents of an archive. Raises OSError, zipfile.BadZipFile."""
    with zipfile.ZipFile(path) as archive:
        index = json.loads(archive.read(_INDEX))
        arrays = archive.read(_ARRAYS)
        files = {name: archive.read(name).decode() for name in archive.namelist() if name not in (_INDEX, _ARRAYS)}
    batches = tuple(_batch(entry, arrays) for entry in index["batches"])
    programs = tuple(
        Program(entry["name"], entry["file"], tuple(entry["lines"]), tuple(map(tuple, entry["documented"])))
        for entry in index["programs"]
    )
    return Recording(index["machine"], batches, programs, files)


def write(path: str, recording: Recording) -> None:
    """Write an archive; the same recording gives the same index, arrays and texts."""
    pool = _Pool()
    index = {
        "machine": recording.machine,
        "batches": [pool.plain(batch) for batch in recording.batches],
        "programs": [dataclasses.asdict(program) for program in recording.programs],
    }
    texts = {_INDEX: json.dumps(index, indent=0).encode(), _ARRAYS: pool.joined()}
    texts.update({name: text.encode() for name, text in recording.files.items()})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in texts.items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), data, zipfile.ZIP_DEFLATED, 9)


class _Pool:
    """The bytes of all arrays, each content once."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._size = 0

    def plain(self, value: Any) -> Any:
        """Return a description as JSON has it: bytes as their place and size, defaults left out."""
        if isinstance(value, bytes):
            return {_BYTES: self._place(value)}
        if isinstance(value, (list, tuple)):
            return [self.plain(each) for each in value]
        if isinstance(value, dict):
            return {name: self.plain(each) for name, each in value.items()}
        if not dataclasses.is_dataclass(value):
            return value
        fields = {
            each.name: self.plain(getattr(value, each.name))
            for each in dataclasses.fields(value)
            if getattr(value, each.name) != each.default
        }
        kind = next((name for name, cls in _CLASSES.items() if type(value) is cls), None)
        return fields if kind is None else {kind: fields}

    def joined(self) -> bytes:
        """Return all bytes."""
        return b"".join(self._places)

    def _place(self, data: bytes) -> list[int]:
        if data not in self._places:
            self._places[data] = self._size
            self._size += len(data)
        return [self._places[data], len(data)]


def _batch(entry: Mapping[str, Any], arrays: bytes) -> Batch:
    cases = tuple(_case(_filled(case, arrays)) for case in entry["cases"])
    return Batch(**{**entry, "options": tuple(entry["options"]), "cases": cases})


def _case(entry: dict[str, Any]) -> Case:
    launch = entry["launch"]
    sizes = {name: _three(launch[name]) for name in ("grid", "block")}
    entry["launch"] = Launch(**{**launch, **sizes, "arguments": tuple(launch["arguments"])})
    entry["expected"] = tuple(Expected(**{**each, "rule": Rule(**each["rule"])}) for each in entry["expected"])
    return Case(**entry)


def _three(sizes: Iterable[int]) -> tuple[int, int, int]:
    x, y, z = sizes
    return x, y, z


def _filled(value: Any, arrays: bytes) -> Any:
    """Return a description with the bytes of its arrays and the classes of its arguments."""
    if isinstance(value, list):
        return [_filled(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_BYTES}:
        start, size = value[_BYTES]
        return arrays[start : start + size]
    filled = {name: _filled(each, arrays) for name, each in value.items()}
    kind = next(iter(filled), "")
    if len(filled) == 1 and kind in _CLASSES:
        fields = {name: tuple(each) if isinstance(each, list) else each for name, each in filled[kind].items()}
        return _CLASSES[kind](**fields)
    return filled
