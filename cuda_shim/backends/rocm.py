"""AMD's libraries: where hip-python would find them, and whether a GPU answers behind them.

The question must not initialise HIP in this process. A HIP runtime does not survive fork(), and a program may
import CUDA names, fork workers, and make its first CUDA call only there. So the answer comes from the kernel
driver's device node, from dlopen (which does not start HIP), and from a short-lived process that asks
hipGetDeviceCount; a positive answer is remembered in the cache until the machine or its settings change.
"""

from __future__ import annotations

import ctypes
import os
import sys

from cuda_shim.backends.generation import default_library
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.errors import BackendNotFound
from cuda_shim.frozen_record import Record
from cuda_shim.log import log_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.settings import Settings

__all__ = ["Answer", "candidates", "device_count", "explicit", "node_obstacle", "probe"]

# The AMD GPU driver, and the GPU as seen inside WSL. Without either, no device can answer.
DEVICE_NODES = ("/dev/kfd", "/dev/dxg")

# Variables that can hide or reveal a device between two runs.
_VISIBILITY = (
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HSA_OVERRIDE_GFX_VERSION",
    "LD_LIBRARY_PATH",
)
_NOTE = "rocm-devices"
_PROBE_SECONDS = 60
_PROBE = (
    "import ctypes, sys; count = ctypes.c_int(0); "
    "status = ctypes.CDLL(sys.argv[1]).hipGetDeviceCount(ctypes.byref(count)); print(status, count.value)"
)


class Answer(Record):
    """`libraries` (libamdhip64, libhiprtc) when a device answers, else None; `why` gives the reason in words."""

    libraries: tuple[str, str] | None
    why: str


def candidates(generation: int) -> list[tuple[str, str]]:
    """(libamdhip64, libhiprtc) in the order of preference: the pair that hip-python would open by itself is the first.

    hip-python 7 asks the dynamic loader alone; for it, ROCm's own folder is tried as well.
    """
    pairs = [(default_library(generation, "amdhip64"), default_library(generation, "hiprtc"))]
    if generation < 10:
        folder = os.environ.get("ROCM_PATH") or os.environ.get("ROCM_HOME") or "/opt/rocm"
        pair = os.path.join(folder, "lib", "libamdhip64.so"), os.path.join(folder, "lib", "libhiprtc.so")
        if os.path.exists(pair[0]):
            pairs.append(pair)
    return pairs


def explicit(generation: int, why: str) -> tuple[str, str]:
    """Return AMD's libraries where they are asked for: libamdhip64 must open, while a missing GPU is HIP's to report.

    Raises BackendNotFound that names the libraries that were tried.
    """
    pair, failure = _first_that_opens(generation)
    if pair is None:
        raise BackendNotFound(
            f"backend rocm ({why}): hip-python's search ended with: {failure}; install ROCm, set ROCM_PATH "
            "to where it is, or choose the cpu backend"
        )
    return pair


def probe(generation: int, chosen: Settings) -> Answer:
    """Return whether hip-python finds AMD's libraries here and a device answers; starts no HIP in this process."""
    obstacle = node_obstacle()
    if obstacle:
        return Answer(None, obstacle)
    pair, failure = _first_that_opens(generation)
    if pair is None:
        return Answer(None, f"AMD's HIP library was not found ({failure})")
    count, problem = device_count(pair[0], cache_of(chosen))
    if count < 1:
        return Answer(None, problem)
    return Answer(pair, f"{count} AMD GPU{'s' if count > 1 else ''} found")


def node_obstacle() -> str:
    """Return why no AMD GPU can be used, judged by its device node alone; "" when one may be there."""
    nodes = [node for node in DEVICE_NODES if os.path.exists(node)]
    if not nodes:
        return "no AMD GPU was found"
    if not any(os.access(node, os.R_OK | os.W_OK) for node in nodes):
        return f"{nodes[0]} may not be opened by this user (add the user to the group render)"
    return ""


def _first_that_opens(generation: int) -> tuple[tuple[str, str] | None, str]:
    """Return the first candidate that dlopen takes, else None and dlopen's words for each."""
    failures = []
    for pair in candidates(generation):
        try:
            # dlopen alone starts nothing in AMD's library: the GPU is opened by the first HIP call.
            ctypes.CDLL(pair[0])
        except OSError as error:
            failures.append(str(error))
        else:
            return pair, ""
    return None, "; ".join(failures)


def device_count(libamdhip64: str, cache: Cache) -> tuple[int, str]:
    """Return how many devices HIP counts, asked in another process; with a problem in words where that failed."""
    key = _memo_key(libamdhip64)
    remembered = dict(cache.read_note(_NOTE))
    if key in remembered:
        return int(remembered[key]), ""
    count, problem = _ask(libamdhip64)
    if count > 0:
        # Only a found GPU is remembered: a GPU that appears must be seen at once.
        from cuda_shim.cache import entries

        entries.write_note(cache, _NOTE, [(key, str(count))])
    return count, problem


def _ask(libamdhip64: str) -> tuple[int, str]:
    import subprocess

    interpreter = sys.executable or ""
    if "python" not in os.path.basename(interpreter) and "pypy" not in os.path.basename(interpreter):
        # Embedded in another program: sys.executable is that program and cannot be used to ask. The library opened and
        # the device node is there, which must suffice.
        return 1, ""
    command = [interpreter, "-I", "-S", "-c", _PROBE, libamdhip64]
    log_command(command)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return 0, f"{libamdhip64} did not answer within {_PROBE_SECONDS} s"
    except OSError as error:
        return 0, f"{libamdhip64} could not be asked: {error}"
    words = done.stdout.split()
    if done.returncode != 0 or len(words) < 2:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return 0, f"{libamdhip64} failed when asked for its devices: {last}"
    status, count = int(words[-2]), int(words[-1])
    if status == 0 and count > 0:
        return count, ""
    return 0, f"{libamdhip64} sees no usable GPU (hipGetDeviceCount: status {status}, {count} devices)"


def _memo_key(libamdhip64: str) -> str:
    """Return everything that the answer depends on: the library, this boot, the driver's GPUs, masking variables."""
    try:
        status = os.stat(libamdhip64)
        library = f"{libamdhip64}:{status.st_mtime_ns}:{status.st_size}"
    except OSError:
        library = libamdhip64  # a bare name: LD_LIBRARY_PATH, below, and the boot stand for the file
    machine = [
        _first_line("/proc/sys/kernel/random/boot_id"),
        _first_line("/sys/class/kfd/kfd/topology/generation_id"),
    ]
    hidden = [f"{name}={os.environ[name]}" for name in _VISIBILITY if name in os.environ]
    return " ".join([library, *machine, *hidden])


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return "-"
