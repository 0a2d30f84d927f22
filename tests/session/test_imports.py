"""Cost of importing: the modules that appear in a fresh interpreter."""

from __future__ import annotations

import pytest

from tests.interpreters import PACKAGE_ROOT, run_code, run_json, start

HEAVY = {
    "hip", "rocm", "yaml", "numpy", "logging", "argparse", "ctypes", "threading", "re", "inspect", "rich",
}  # fmt: skip

NEW_MODULES = """
import sys; before = set(sys.modules)
{code}
new = sorted({{name.partition(".")[0] for name in set(sys.modules) - before}})
import json; print(json.dumps(new))
"""


def new_modules(code: str, **environment: str) -> set[str]:
    return set(run_json(NEW_MODULES.format(code=code), **environment))


def test_package_imports_nothing() -> None:
    assert new_modules("import cuda_shim") == {"cuda_shim"}


def test_startup_imports_nothing() -> None:
    assert new_modules("import cuda_shim.startup as s; s.activate()") == {"cuda_shim"}
    # Nothing at all where an installed copy has been started by its own file.
    assert new_modules("import cuda_shim.startup as s; s.activate()", CUDA_SHIM="1") <= {"cuda_shim"}


@pytest.mark.parametrize(
    "code",
    [
        "import cuda_shim; cuda_shim.enable()",
        "import cuda_shim; cuda_shim.enable(); import cuda.bindings.driver, cuda.cudart, cuda.nvrtc",
        "from cuda_shim.cli import main, run, interpreter",
    ],
)
def test_nothing_heavy(code: str) -> None:
    assert new_modules(code) & HEAVY == set()


def test_importtime_agrees() -> None:
    """As a person would look at it."""
    done = start("-X", "importtime", "-c", "import cuda_shim", PYTHONPATH=str(PACKAGE_ROOT))
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "cuda_shim" in imported
    assert imported & (HEAVY - {"re"}) == set()


def test_public_names() -> None:
    result = run_json("""
import json, cuda_shim
missing = [name for name in cuda_shim.__all__ if not hasattr(cuda_shim, name)]
try: cuda_shim.enabel
except AttributeError as error: text = str(error)
print(json.dumps([missing, text, set(cuda_shim.__all__) <= set(dir(cuda_shim))]))
""")
    assert result == [[], "module 'cuda_shim' has no attribute 'enabel'", True]


def test_the_example_of_modules_imports_no_translation_of_ptx() -> None:
    """Importing the translation takes longer than loading a code object."""
    loaded = run_code(f"""
import runpy, sys, cuda_shim
cuda_shim.enable(backend="cpu", quiet=True)
runpy.run_path({str(PACKAGE_ROOT / "examples" / "saxpy.py")!r}, run_name="__main__")
print(*sys.modules, sep="\\n")
""").split()
    assert "cuda_shim.adapters.module" in loaded
    assert not [name for name in loaded if name.startswith("cuda_shim.translate.ptx")]
