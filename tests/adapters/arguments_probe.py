"""Calls functions with one wrong argument at a time; prints the exception of each, or that the call got to the driver.

Run with NVIDIA's wheel, or with a layout as argument under cuda_shim on the CPU device. CUDA_CALLS names a JSON file:
[module, function, [[parameter, kind, type], ...]] for each function, with kinds as in test_arguments_beside_nvidia.
"""

import importlib
import json
import os
import sys
import warnings
from typing import Any

warnings.simplefilter("ignore")


class Thing:
    """An object that no parameter accepts."""

    def __repr__(self):
        return "Thing()"


WRONG: dict[str, Any] = {
    "None": None, "a text": "x", "an object": Thing(), "an empty list": [], "a list": [1], "a dict": {}, "-1": -1,
    "2**70": 1 << 70, "a class": Thing,
}  # fmt: skip
BEYOND_ENUMS = {"2**33": 1 << 33}
PLAIN = {"number": 0, "list": [], "struct*": None, "bytes": b"x" * 8}


def modules(layout):
    if layout:
        import cuda_shim

        cuda_shim.enable(backend="cpu", cuda=layout)
    try:
        return {name: importlib.import_module(f"cuda.bindings.{name}") for name in ("driver", "runtime", "nvrtc")}
    except ImportError:
        legacy = {"driver": "cuda", "runtime": "cudart", "nvrtc": "nvrtc"}
        return {name: importlib.import_module(f"cuda.{old}") for name, old in legacy.items()}


def plain(found, module, kind, name):
    """An argument that nothing is wrong with."""
    if kind in PLAIN:
        return PLAIN[kind]
    home = module if hasattr(module, name) else found["driver"]
    # The second constant: the first one often says "none", which not every HIP has.
    return ([*getattr(home, name)] * 2)[1] if kind == "enum" else getattr(home, name)()


def make_ready(driver):
    """Begin the driver, with a current context: without a context calls fail before they look at their arguments."""
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])


def outcome(function, arguments):
    """Return the exception of a call, or that it got to the driver, which the machine with NVIDIA's wheel may lack."""
    try:
        function(*arguments)
    except Exception as error:  # noqa: BLE001 (the probe records its type)
        if "NotFoundError" in type(error).__name__ or "dlopen" in str(error) or str(error).startswith('Function "cu'):
            return "called"
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return "called"


def main():
    found = modules(sys.argv[1] if len(sys.argv) > 1 else "")
    with open(os.environ["CUDA_CALLS"], encoding="utf-8") as opened:
        calls = json.load(opened)
    for home, name, parameters in calls:
        function = getattr(found[home], name)
        if len(sys.argv) > 1:
            make_ready(found["driver"])
        usual = [plain(found, found[home], kind, base) for _, kind, base in parameters]
        for at, (parameter, kind, _) in enumerate(parameters):
            # A number beyond every C enum; elsewhere it may be an address, which the call would read.
            for words, value in (WRONG | BEYOND_ENUMS if kind == "enum" else WRONG).items():
                arguments = [*usual[:at], value, *usual[at + 1 :]]
                print(f"{name} {parameter} ({kind}) = {words}: {outcome(function, arguments)}", flush=True)


main()
