"""Beside NVIDIA's own wheels: theirs are hidden while the shim is enabled, and come back afterwards."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from tests.environments import Python
from tests.interpreters import PACKAGE_ROOT
from tests.program_files import read_program


def run_json(python: Python, code: str, *words: str, path: Path | None = None) -> object:
    folders = f"{path}:{PACKAGE_ROOT}" if path else str(PACKAGE_ROOT)
    flags = ("-W", "ignore")  # NVIDIA's legacy modules warn when they are imported
    return json.loads(python.run(*flags, "-c", textwrap.dedent(code), *words, PYTHONPATH=folders))


def test_the_installed_layout_is_served(nvidia_python: tuple[str, Python]) -> None:
    layout, python = nvidia_python
    result = run_json(python, """
        import json, cuda_shim
        from importlib.metadata import version
        with cuda_shim.enable() as handle:
            import cuda.bindings.driver as driver, cuda.bindings as bindings
            from cuda import cudart
            print(json.dumps([handle.cuda, cuda_shim.status()["cuda_reason"], driver.__spec__.origin,
                              cudart.__spec__.origin, bindings.__version__ == version("cuda-bindings")]))
    """)  # fmt: skip
    version = python.run("-c", "from importlib.metadata import version; print(version('cuda-bindings'))").strip()
    assert result == [
        layout, f"cuda-bindings {version} is installed", "cuda_shim:cuda.bindings.driver", "cuda_shim:cuda.cudart",
        True,
    ]  # fmt: skip


def test_theirs_come_back(nvidia_python: tuple[str, Python]) -> None:
    result = run_json(
        nvidia_python[1],
        read_program(__file__, "beside_nvidia_theirs_come_back.py"),
    )
    assert result == [True, "cuda_shim:cuda.bindings.driver", True]


@pytest.mark.parametrize(
    "statement",
    [
        "from cuda.bindings.driver import CUdevice", "from cuda.bindings.driver import cuInit",
        "from cuda.bindings.driver import CUresult as r; x = r.CUDA_SUCCESS; del r",
        "import cuda.bindings.runtime",
    ],
)  # fmt: skip
def test_importers_are_named(nvidia_python: tuple[str, Python], tmp_path: Path, statement: str) -> None:
    (tmp_path / "user_module.py").write_text(statement)
    result = run_json(nvidia_python[1], """
        import json, user_module, cuda_shim
        try: cuda_shim.enable()
        except cuda_shim.AlreadyImported as error: print(json.dumps(error.importers))
    """, path=tmp_path)  # fmt: skip
    assert result == ["user_module"]


def test_their_modules_that_call_the_driver_are_not_used(nvidia_python: tuple[str, Python]) -> None:
    """Real handles must not meet HIP's; pure Python neighbours and their compiler of NVVM keep working."""
    result = run_json(
        nvidia_python[1],
        """
        import json, importlib, importlib.util, cuda_shim
        pathfinder = importlib.util.find_spec("cuda.pathfinder") is not None
        cuda_shim.enable(force=True)
        found = {}
        for name in ("cuda.bindings.nvvm", "cuda.bindings.cydriver", "cuda.bindings.nvml", "cuda.pathfinder"):
            try: found[name] = hasattr(importlib.import_module(name), "__file__")
            except ImportError: found[name] = None
        print(json.dumps([found, pathfinder]))
    """,
    )
    assert isinstance(result, list)
    found, pathfinder = result
    assert found == {
        "cuda.bindings.nvvm": True,
        "cuda.bindings.cydriver": False,
        "cuda.bindings.nvml": None,
        "cuda.pathfinder": True if pathfinder else None,
    }


def test_run_hides_them(nvidia_python: tuple[str, Python]) -> None:
    code = "import cuda.bindings.driver as d; print(d.__spec__.origin)"
    command = ("-m", "cuda_shim", "run", "-c", code)
    assert nvidia_python[1].run(*command, PYTHONPATH=str(PACKAGE_ROOT)) == "cuda_shim:cuda.bindings.driver\n"
