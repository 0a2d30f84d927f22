"""Activation in an environment where the shim was installed from its wheel, as users install it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import uv

from tests import environments
from tests.environments import Python

MODULES_BY_STAGE = """
import json, sys
def heavy(): return sorted({"hip", "rocm", "yaml", "numpy"} & {name.partition(".")[0] for name in sys.modules})
stages = [heavy()]
from cuda.bindings import driver, runtime
stages.append(heavy())
driver.CUresult.CUDA_SUCCESS, dir(runtime)
stages.append(heavy())
print(json.dumps(stages))
"""


@pytest.fixture(scope="module")
def bare(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Python:
    """The wheel and nothing else: no hip-python."""
    wheel = environments.build_wheel(shared_folder)
    return environments.make(tmp_path_factory.mktemp("bare") / "venv", str(wheel), "--no-deps")


def test_wheel_holds_the_startup_files_at_its_root(shared_folder: Path) -> None:
    names = zipfile.ZipFile(environments.build_wheel(shared_folder)).namelist()
    assert {"cuda_shim.pth", "cuda_shim.start", "cuda_shim/_bootstrap/sitecustomize.py"} <= set(names)
    expected = {"cuda_shim", "cuda-stubs", "PyGPU-stubs", "cuda_shim.pth", "cuda_shim.start", "hip_on_host"}
    assert {name.partition("/")[0] for name in names} - expected == {
        next(name.partition("/")[0] for name in names if ".dist-info/" in name)
    }


def test_installed_and_off(bare: Python) -> None:
    assert bare.run("-c", "import sys; print([name for name in sys.modules if 'cuda' in name])") == "[]\n"


def test_installed_and_on(bare: Python) -> None:
    assert "cuda_shim:cuda.cudart" in bare.run("-c", "from cuda import cudart; print(cudart)", CUDA_SHIM="1")


def test_importing_loads_neither_hip_nor_yaml(any_shim_python: Python) -> None:
    """Names and enums come from the compiled tables alone."""
    stages = json.loads(any_shim_python.run("-c", MODULES_BY_STAGE, CUDA_SHIM="1"))
    assert stages[:2] == [[], []]
    assert "yaml" not in stages[2]


def test_console_script(bare: Python) -> None:
    script = bare.executable.with_name("cuda-shim")
    done = subprocess.run([script, "--version"], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.startswith("cuda_shim ")
    code = "import sys, cuda.bindings; print(sys.argv, cuda.bindings.HIP_PYTHON)"
    done = subprocess.run([script, "run", "-c", code, "x"], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "['-c', 'x'] True\n"


def test_without_hip_python_it_says_what_to_install(bare: Python) -> None:
    done = bare.start("-m", "cuda_shim", "run", "-c", "from cuda.bindings import driver; driver.cuInit(0)")
    assert done.returncode == 2
    assert done.stderr == "cuda_shim: hip-python is not installed: pip install hip-python (<string>, line 1)\n"


def test_without_hip_python_a_free_threaded_python_is_named(bare: Python) -> None:
    code = "import sys; sys.abiflags = 't'; from cuda.bindings import driver; driver.cuInit(0)"
    done = bare.start("-m", "cuda_shim", "run", "-c", code)
    version = "{}.{}".format(*sys.version_info)
    assert done.stderr.startswith(
        "cuda_shim: hip-python is not installed, and has no wheels for free-threaded Python: "
    )
    assert f"use Python {version} with the GIL" in done.stderr


@pytest.mark.parametrize("mode", ["require", "REQUIRE"])
def test_require_fails_at_the_import_and_not_at_the_first_call(bare: Python, mode: str) -> None:
    code = (
        "for _ in range(2):\n"
        "    try: import cuda.bindings.driver\n"
        "    except ImportError as error: print(error)\n"
        "import sys; print('cuda' in sys.modules)"
    )
    done = bare.start("-c", code, CUDA_SHIM=mode)
    assert done.stdout == "hip-python is not installed: pip install hip-python\n" * 2 + "False\n", done.stderr
    with_enable = "import cuda_shim\ntry: cuda_shim.enable()\nfinally: print(cuda_shim.is_enabled())"
    done = bare.start("-c", with_enable, CUDA_SHIM=mode)
    assert "BackendNotFound: hip-python is not installed" in done.stderr.splitlines()[-1]


def test_require_fails_at_the_import_where_nothing_compiles_kernels(any_shim_python: Python, tmp_path: Path) -> None:
    code = "import sys; sys.modules['ziglang'] = None; import cuda.bindings"
    nothing = {"PATH": str(tmp_path), "CUDA_SHIM_CACHE_DIR": str(tmp_path / "cache"), "CUDA_SHIM_BACKEND": "cpu"}
    done = any_shim_python.start("-c", code, CUDA_SHIM="require", **nothing)
    assert done.stderr.splitlines()[-1].startswith("cuda_shim.errors.BackendNotFound: backend cpu: no C++ compiler")
    assert any_shim_python.start("-c", code, CUDA_SHIM="1", **nothing).returncode == 0


def test_require_fails_at_the_import_where_no_gpu_answers(any_shim_python: Python) -> None:
    hidden = {"HIP_VISIBLE_DEVICES": "-1", "ROCR_VISIBLE_DEVICES": "-1"}  # hides a GPU, if there is one
    environment = {"CUDA_SHIM": "require", "CUDA_SHIM_BACKEND": "rocm"}
    done = any_shim_python.start("-c", "import cuda.bindings", **environment, **hidden)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("cuda_shim.errors.BackendNotFound: backend rocm")
    assert done.stderr.count("  File ") == 1  # the program's own line, and none of ours


def test_uninstalling_leaves_nothing(shared_folder: Path, tmp_path: Path) -> None:
    wheel = environments.build_wheel(shared_folder)
    python = environments.make(tmp_path / "venv", str(wheel), "--no-deps")
    python.run("-c", "import cuda.bindings.driver", CUDA_SHIM="1")
    command = [uv.find_uv_bin(), "pip", "uninstall", "--quiet", "--python", str(python.executable), "cuda-shim"]
    subprocess.run(command, check=True)
    assert [path for path in tmp_path.rglob("*") if "cuda_shim" in path.name or "cuda-shim" in path.name] == []
    assert python.start("-c", "print('fine')", CUDA_SHIM="1").stderr == ""
