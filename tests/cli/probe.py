"""Print as JSON how the program was started, as far as a program can see it."""

import atexit
import json
import multiprocessing
import os
import pickle
import sys
from types import FrameType


class Thing:
    """Pickled by reference to __main__."""


def depth() -> int:
    frame: FrameType | None = sys._getframe()
    count = 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def in_child(thing: object) -> list[str]:
    return [type(thing).__module__, sys.argv[0], sys.path[0]]


def spawn() -> list[str] | str:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(in_child, (Thing(),))


def facts() -> dict[str, object]:
    import sibling

    main = sys.modules["__main__"]
    return {
        "argv": sys.argv,
        "path": sys.path,
        "name": __name__,
        "file": globals().get("__file__"),
        "spec": getattr(globals().get("__spec__"), "name", None),
        "package": __package__,
        "doc": __doc__,
        "main is me": main.__dict__ is globals(),
        "loader": type(globals().get("__loader__")).__name__,
        "globals": sorted(globals()),
        "depth": depth(),
        "sibling": sibling.__file__,
        "pickle": pickle.loads(pickle.dumps(Thing)) is Thing,
        "spawn": spawn() if "__file__" in globals() and "spawn" in sys.argv else "not asked",
        "flags": repr(sys.flags),
        "warnings": sys.warnoptions,
        "xoptions": sys._xoptions,
        "executable": sys.executable,
        "prefix": sys.prefix,
        "interactive": [hasattr(sys, "ps1"), sys.stdin.isatty(), sys.stdout.isatty()],
        "hooks": [sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__],
        "trace": [sys.gettrace(), sys.getprofile()],
        "parent": os.getppid(),
        "cwd": os.getcwd(),
        "environment": {
            name: value for name, value in os.environ.items() if name not in ("CUDA_SHIM", "CUDA_HOME", "PYTHONPATH")
        },
        "modules": sorted(
            name for name in sys.modules
            if not name.startswith(("cuda_shim", "hip_on_host", "importlib")) and name not in ("warnings", "_warnings")
        ),
        "sitecustomize": getattr(sys.modules.get("sitecustomize"), "__file__", None),
        "stdin": "" if "__file__" not in globals() else sys.stdin.read(),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(facts()))
    seen = "atexit sees my main"
    atexit.register(lambda: print(json.dumps({seen: "Thing" in dir(sys.modules["__main__"])})))
