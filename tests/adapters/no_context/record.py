"""Record the answer of every function of the driver to null arguments before cuInit, and after it without a context.

    python record.py uninitialized > uninitialized.json  # with NVIDIA's wheel and GPU: each call in a process of its own
    python record.py initialized > initialized.json
    python record.py initialized --together              # all calls in this process, which cuda_shim survives

The files beside this one were recorded on an NVIDIA H100 with driver 580.159.04 and cuda-bindings 13.5.0; a text stands
for an exception, or for the end of the process. cuInit itself is left out.
"""

from __future__ import annotations

import enum
import inspect
import json
import os
import re
import select
import sys
from typing import Any

from cuda.bindings import driver

HANG = 20


def functions() -> list[str]:
    """The names of the driver's functions."""
    named = {name: getattr(driver, name) for name in dir(driver) if re.match(r"cu[A-Z]", name)}
    return [name for name, found in named.items() if callable(found) and not isinstance(found, type)]


def null_argument(annotation: str) -> Any:
    """The plainest argument: a null handle or pointer, an empty list, an enum's first constant."""
    if (
        "Optional" in annotation
        and "[" in annotation
        and ("tuple" in annotation.lower() or "list" in annotation.lower())
    ):
        return []
    if "bytes" in annotation:
        return b"x"
    found = re.search(r"(CU\w+)", annotation)
    cls = getattr(driver, found[1], None) if found else None
    if isinstance(cls, type) and issubclass(cls, enum.IntEnum):
        return next(iter(cls))
    return None if found and cls is not None and ("_v" in found[1] or "params" in found[1].lower()) else 0


def answer(name: str) -> int | str:
    """The status of a call with null arguments, or the error that it raised."""
    function = getattr(driver, name)
    given = [null_argument(str(one.annotation)) for one in inspect.signature(function).parameters.values()]
    said: int | str = ""
    for attempt in range(3):
        try:
            result = function(*given)
            return int(result[0] if isinstance(result, tuple) else result)
        except TypeError as error:
            said = f"TypeError: {str(error)[:80]}"
            given = [None if one == 0 else one for one in given] if attempt == 0 else [one or 0 for one in given]
        except Exception as error:  # noqa: BLE001  any exception is the answer
            return f"{type(error).__name__}: {str(error)[:80]}"
    return said


def answer_elsewhere(name: str, initialized: bool) -> int | str:
    """The same in a child, which may crash or hang."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if initialized:
            driver.cuInit(0)
        os.write(writing, json.dumps(answer(name)).encode())
        os._exit(0)
    os.close(writing)
    ready = bool(select.select([reading], [], [], HANG)[0])
    text = os.read(reading, 4096) if ready else b'"hang"'
    os.close(reading)
    if not ready:
        os.kill(child, 9)
    os.waitpid(child, 0)
    found: int | str = json.loads(text) if text else "crash"
    return found


def main() -> None:
    """Print the answers as JSON."""
    initialized, together = sys.argv[1] == "initialized", "--together" in sys.argv
    answers: dict[str, int | str] = {}
    if initialized and together:
        driver.cuInit(0)
    for name in functions():
        if name == "cuInit":
            continue
        answers[name] = answer(name) if together else answer_elsewhere(name, initialized)
        if initialized and together:
            driver.cuCtxSetCurrent(None)
    print(json.dumps(answers))


main()
