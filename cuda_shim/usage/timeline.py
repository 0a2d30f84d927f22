"""The timeline: a file of lines that every process of a program appends to, the CPU runtime among the writers.

Fields are divided by tabs, times are nanoseconds of the machine's steady clock. A line is one of

    host    process begin end number thread name site
    device  process begin end number device stream bytes kind site name
    backend process name

Lines are written whole, one at a time, so a process that ends in any way loses only the events under way.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FILE", "MAX_BYTES", "Activity", "Call", "DeviceWork", "Timeline", "read"]

#: The name of the file in the report's folder.
FILE = "timeline"
#: The size at which writing to the file stops: about five million events.
MAX_BYTES = 512 << 20
_LOOK_EVERY = 4096


class DeviceWork:
    """The work that one call enqueued on a device: its kind, name and bytes, and the number and line of the call."""

    __slots__ = ("bytes", "device", "kind", "name", "number", "site", "stream")

    def __init__(self, kind: str, name: str, size: int, device: int, stream: int, number: int, site: str) -> None:
        self.kind, self.name, self.bytes = kind, name, size
        self.device, self.stream, self.number, self.site = device, stream, number, site


class Timeline:
    """The file, for one process to write calls to."""

    def __init__(self, folder: str) -> None:
        """Open the file, and create it in the first process. Raises OSError."""
        self.path = os.path.join(folder, FILE)
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._written = 0

    def call(self, began: int, ended: int, number: int, thread: int, name: str, site: str) -> None:
        """Write one call of the program."""
        self._write(f"host\t{os.getpid()}\t{began}\t{ended}\t{number}\t{thread}\t{name}\t{site}\n")

    def activity(self, began: int, ended: int, work: DeviceWork) -> None:
        """Write the work that a device has done for a call."""
        line = (
            f"device\t{os.getpid()}\t{began}\t{ended}\t{work.number}\t{work.device}\t{work.stream}\t{work.bytes}"
            f"\t{work.kind}\t{work.site}\t{work.name}"
        )
        self._write(line.replace("\n", " ") + "\n")

    def backend(self, name: str) -> None:
        """Write the backend that serves the calls of this process."""
        self._write(f"backend\t{os.getpid()}\t{name}\n")

    def size(self) -> int:
        """Return the present size of the file in bytes."""
        return os.stat(self._file).st_size

    def _write(self, line: str) -> None:
        if self._file < 0:
            return
        os.write(self._file, line.encode("utf-8", "surrogateescape"))
        self._written += 1
        if self._written % _LOOK_EVERY == 0 and self.size() > MAX_BYTES:
            self.close()

    def close(self) -> None:
        """Stop writing."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)


class Call:
    """One call of the program: nanoseconds, the thread, the function and the line that made it."""

    __slots__ = ("begin", "end", "name", "number", "process", "site", "thread")

    def __init__(self, fields: list[str]) -> None:
        self.process, self.begin, self.end, self.number, self.thread = map(int, fields[:5])
        self.name, self.site = fields[5:]

    @property
    def title(self) -> str:
        """The function's name."""
        return self.name


class Activity:
    """Work that ran on a device: a kernel, copy, fill or host function, and the call it ran for."""

    __slots__ = ("begin", "bytes", "device", "end", "kind", "name", "number", "process", "site", "stream")

    def __init__(self, fields: list[str]) -> None:
        self.process, self.begin, self.end, self.number, self.device, self.stream, self.bytes = map(int, fields[:7])
        self.kind, self.site = fields[7:9]
        self.name = "\t".join(fields[9:])

    @property
    def title(self) -> str:
        """The name of a kernel, or the kind of work with its direction."""
        return self.name if self.kind == "kernel" else f"{self.kind} {self.name}".rstrip()


def read(folder: str, start: int = 0) -> Iterator[Call | Activity | str]:
    """Yield the events behind the byte `start`, and the names of backends, in the order in which they were written."""
    try:
        file = open(os.path.join(folder, FILE), encoding="utf-8", errors="surrogateescape", newline="\n")  # noqa: SIM115
    except FileNotFoundError:
        return
    with file:
        file.seek(start)
        for line in file:
            word, *fields = line.rstrip("\n").split("\t")
            if word == "host" and len(fields) == 7:
                yield Call(fields)
            elif word == "device" and len(fields) >= 10:
                yield Activity(fields)
            elif word == "backend" and len(fields) == 2:
                yield fields[1]
