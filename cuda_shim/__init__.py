"""Run CUDA Python programs on AMD GPUs, or on host cores, through HIP.

Three ways to turn it on: ``python -m cuda_shim run program.py``, the environment variable ``CUDA_SHIM=1``,
or :func:`enable` in the program, before it imports ``cuda``.  Nothing is active merely because the package
is installed.

This module is imported at every start of Python 3.15 and later (PEP 829), hence its emptiness: each public
name is found on first use.

pytest wants to rewrite the asserts of every package that brings a plugin, and warns about one that was imported
before it, as this one is where the environment turns it on. It holds none: PYTEST_DONT_REWRITE.
"""

__version__ = "0.1.0"

__all__ = [
    "AlreadyImported",
    "BackendNotFound",
    "Handle",
    "SettingError",
    "ShimError",
    "TableError",
    "UnsupportedAPI",
    "disable",
    "enable",
    "get_include",
    "get_library_dir",
    "is_enabled",
    "materialize",
    "report",
    "status",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.c_level.by_name import get_library_dir as get_library_dir
    from cuda_shim.c_level.include import get_include as get_include
    from cuda_shim.errors import AlreadyImported as AlreadyImported
    from cuda_shim.errors import BackendNotFound as BackendNotFound
    from cuda_shim.errors import SettingError as SettingError
    from cuda_shim.errors import ShimError as ShimError
    from cuda_shim.errors import TableError as TableError
    from cuda_shim.errors import UnsupportedAPI as UnsupportedAPI
    from cuda_shim.hook.proxy import materialize as materialize
    from cuda_shim.session import Handle as Handle
    from cuda_shim.session import disable as disable
    from cuda_shim.session import enable as enable
    from cuda_shim.session import is_enabled as is_enabled
    from cuda_shim.session import report as report
    from cuda_shim.session import status as status

_HOMES = {
    "AlreadyImported": "errors",
    "BackendNotFound": "errors",
    "Handle": "session",
    "SettingError": "errors",
    "ShimError": "errors",
    "TableError": "errors",
    "UnsupportedAPI": "errors",
    "disable": "session",
    "enable": "session",
    "get_include": "c_level.include",
    "get_library_dir": "c_level.by_name",
    "is_enabled": "session",
    "load_ipython_extension": "ipython",
    "materialize": "hook.proxy",
    "report": "session",
    "status": "session",
    "unload_ipython_extension": "ipython",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    module = __import__(f"{__name__}.{home}", fromlist=[name])
    return globals().setdefault(name, getattr(module, name))


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
