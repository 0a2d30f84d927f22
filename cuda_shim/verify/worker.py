"""The process that compiles and launches: it takes requests on stdin and reports each step on a pipe of its own.

Kernels print to stdout, so the reports need another pipe. A request is a JSON line, {"archive": path, "batch": number,
"cases": [names]}; reports are JSON lines with the key "event":

    ready     the device is there; "machine" describes it
    started   "case" begins to run; "" while the batch is compiled
    finished  "case" has ended, with the fields of its outcome
    idle      the request is done

After a failed call the process ends, since a fault may leave a device's context unusable: the next process continues.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from typing import Any

from cuda_shim import settings
from cuda_shim.cache.folder import cache_of
from cuda_shim.errors import ShimError
from cuda_shim.verify import recorded
from cuda_shim.verify.calls import Failed, Refused
from cuda_shim.verify.compare import differences
from cuda_shim.verify.device import Device, Module
from cuda_shim.verify.launches import Batch, Case
from cuda_shim.verify.outcome import DIFFERS, FAILED, REFUSED, RIGHT, Outcome

__all__ = ["MAX_DETAILS", "main"]

#: The number of differing values or lines of a case that are reported.
MAX_DETAILS = 10


def main(reports: int) -> None:
    """Serve requests from stdin until it ends; write reports to the file descriptor `reports`."""
    out = os.fdopen(reports, "w", encoding="utf-8")

    def report(event: str, **fields: Any) -> None:
        out.write(json.dumps({"event": event, **fields}) + "\n")
        out.flush()

    try:
        device = Device()
        report("ready", machine=_machine(device))
    except (Failed, Refused, ShimError) as error:
        report("broken", reason=str(error))
        return
    archives: dict[str, recorded.Recording] = {}
    for line in sys.stdin:
        request = json.loads(line)
        path = request["archive"]
        if path not in archives:
            archives[path] = recorded.read(path)
        batch = archives[path].batches[request["batch"]]
        cases = tuple(case for case in batch.cases if case.name in set(request["cases"]))
        for outcome in _run(device, batch, cases, report):
            report("finished", **dataclasses.asdict(outcome))
            if outcome.state == FAILED and outcome.seconds:
                return
        report("idle")


def _run(device: Device, batch: Batch, cases: tuple[Case, ...], report: Any) -> Iterator[Outcome]:
    """Yield the outcome of each case; one that never ran has taken 0 seconds."""
    report("started", case="")
    for part, module in _loaded(device, batch, cases):
        for case in part:
            if isinstance(module, Refused):
                yield Outcome(case.name, batch.subject, REFUSED, str(module))
            elif isinstance(module, Failed):
                yield Outcome(case.name, batch.subject, FAILED, str(module))
            else:
                report("started", case=case.name)
                yield _outcome(module, batch, case)
        if isinstance(module, Module):
            module.close()


def _loaded(
    device: Device, batch: Batch, cases: tuple[Case, ...]
) -> Iterator[tuple[tuple[Case, ...], Module | Failed | Refused]]:
    """Yield cases with their module, or why there is none.

    Where the cases have pieces of their own and do not load together, they are halved until those remain that do not
    load alone.
    """
    try:
        yield cases, device.load(batch, cases)
    except (Failed, Refused) as failure:
        if len(cases) == 1 or not all(case.text for case in cases):
            yield cases, failure
            return
        middle = len(cases) // 2
        yield from _loaded(device, batch, cases[:middle])
        yield from _loaded(device, batch, cases[middle:])


def _outcome(module: Module, batch: Batch, case: Case) -> Outcome:
    began = time.monotonic()
    sizes = {
        each.place: len(case.launch.variables.get(each.place, each.recorded))
        for each in case.expected
        if isinstance(each.place, str)
    }
    state, reason, details = RIGHT, "", []
    try:
        results = module.run(case.launch, sizes)
    except Refused as refusal:
        state, reason = REFUSED, str(refusal)
    except Failed as failure:
        state, reason = FAILED, str(failure)
    else:
        details = [str(difference) for difference in differences(case, results)]
        if details and case.unlike_gcc and _kernel_compiler()[0] == "gcc":
            state, reason = REFUSED, case.unlike_gcc
        elif details:
            state, reason = DIFFERS, details[0]
    seconds = max(time.monotonic() - began, 1e-6)
    return Outcome(case.name, batch.subject, state, reason, tuple(details[:MAX_DETAILS]), round(seconds, 6))


def _kernel_compiler() -> tuple[str, str]:
    """Return the kind and version of the compiler of kernels on host cores; empty on an AMD GPU."""
    from cuda_shim.backends import compilers, hip_python

    if hip_python.load().backend.name != "cpu":
        return "", ""
    # The backend has written the compiler that it found there, unless the user had set it.
    command = shlex.split(os.environ["CUDA_SHIM_CPU_CXX"])
    compiler, _ = compilers.examine(command, "CUDA_SHIM_CPU_CXX", cache_of(settings.current()))
    return ("", "") if compiler is None else (compiler.kind, compiler.version)


def _machine(device: Device) -> dict[str, Any]:
    """Return the properties that results may depend on, without anything of the user's."""
    from cuda_shim.adapters import architecture
    from cuda_shim.backends import hip_python

    loaded = hip_python.load()
    versions = {
        name: loaded.hip.__dict__[function]()[1]
        for name, function in (("runtime", "hipRuntimeGetVersion"), ("driver", "hipDriverGetVersion"))
    }
    return {
        "backend": loaded.backend.name,
        "device": device.name,
        "architecture": architecture.of_current_device(loaded) or "",
        "compute capability": device.architecture,
        "images": device.has_images,
        "cuda version": device.driver_version,
        "hip runtime": versions["runtime"],
        "hip driver": versions["driver"],
        "hip-python": loaded.version,
        "kernel compiler": " ".join(_kernel_compiler()).strip(),
    }
