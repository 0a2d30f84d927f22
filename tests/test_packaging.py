"""Every way of installing: from the wheel, from an sdist, editable; and the contents of each."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
import yaml

import cuda_shim
from tests import environments
from tests.interpreters import clean_environment

USE = "from cuda.bindings import driver; print(driver.cuInit(0)[0].name, driver.cuDeviceGetCount()[1])"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=environments.ROOT, check=True, capture_output=True)
    return next(folder.glob("*.tar.gz"))


def test_what_the_wheel_holds(shared_folder: Path) -> None:
    names = zipfile.ZipFile(environments.build_wheel(shared_folder)).namelist()
    held = set(names)
    assert len(held) == len(names)
    assert {"cuda_shim.pth", "cuda_shim.start", "cuda_shim/py.typed", "cuda-stubs/bindings/driver.pyi"} <= held
    assert {f"cuda_shim/_tables/{name}.py" for name in ("driver", "runtime", "nvrtc")} <= held
    assert "hip_on_host/src/sources.id" in held
    for folder in ("hip", "kernel_compiler", "engine", "common"):
        sources = environments.ROOT.glob(f"hip_on_host/src/{folder}/**/*.cpp")
        assert {path.relative_to(environments.ROOT).as_posix() for path in sources} <= held
    assert not [name for name in names if name.startswith(("tests/", "tables/")) or name.endswith((".yaml", ".pyc"))]


def test_what_the_sdist_holds(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "tables/nvrtc.yaml"} <= names
    assert "hip_on_host/src/hip/runtime.cpp" in names
    assert "startup_files/cuda_shim.pth" in names


def payload(shown: Message) -> str:
    """The README in it."""
    text = shown.get_payload(decode=True)
    assert isinstance(text, bytes)
    return text.decode("utf-8")


def metadata(folder: Path, **variables: str) -> Message:
    """Return the metadata that a package index shows of the sdist that is built with these variables."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    environment = clean_environment(**variables)
    subprocess.run(command, cwd=environments.ROOT, env=environment, check=True, capture_output=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        (name,) = (name for name in archive.getnames() if name.count("/") == 1 and name.endswith("/PKG-INFO"))
        file = archive.extractfile(name)
        assert file is not None
        return message_from_bytes(file.read())


def test_links_work_where_the_address_is_known(tmp_path: Path) -> None:
    address = "https://example.org/owner/cuda_shim"
    shown = metadata(tmp_path, REPOSITORY_URL=f"{address}/")
    urls = dict(line.split(", ") for line in shown.get_all("Project-URL") or [])
    assert urls["Issues"] == f"{address}/issues"
    files = f"{address}/blob/v{cuda_shim.__version__}/"
    links = re.findall(r"\]\(([^)]+)\)", payload(shown))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    ours = [link.removeprefix(files).partition("#")[0] for link in [*links, *urls.values()] if link.startswith(files)]
    assert len(ours) > 20
    assert [path for path in ours if not (environments.ROOT / path).exists()] == []


def test_no_address_is_claimed_where_none_is_known(tmp_path: Path) -> None:
    shown = metadata(tmp_path)
    assert shown.get_all("Project-URL") is None
    assert payload(shown).strip() == (environments.ROOT / "README.md").read_text(encoding="utf-8").strip()


def test_the_citation_has_the_version() -> None:
    citation = yaml.safe_load((environments.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()
    assert citation["version"] == cuda_shim.__version__


def test_the_changelog_begins_with_the_version_and_goes_back_in_time() -> None:
    text = (environments.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+)\] - (unreleased|\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert len(headings) == text.count("\n## ")
    versions = [[int(part) for part in version.split(".")] for version, _ in headings]
    assert headings[0][0] == cuda_shim.__version__
    assert versions == sorted(versions, reverse=True)
    assert "unreleased" not in [date for _, date in headings[1:]]


def test_installed_from_the_sdist(sdist: Path, shared_folder: Path) -> None:
    python = environments.make(shared_folder / "from-sdist", str(sdist))
    assert python.run("-c", USE, CUDA_SHIM="1") == "CUDA_SUCCESS 1\n"


def test_installed_editable(shared_folder: Path) -> None:
    """It reads the tables of the checkout, and installs PyYAML for that."""
    python = environments.make(shared_folder / "editable", "-e", str(environments.ROOT))
    assert python.run("-c", USE, CUDA_SHIM="1") == "CUDA_SUCCESS 1\n"
    where = python.run("-c", "import cuda_shim; print(cuda_shim.__file__)")
    assert Path(where.strip()).is_relative_to(environments.ROOT)


def test_a_checkout_without_pyyaml_says_what_to_do(any_shim_python: environments.Python) -> None:
    done = any_shim_python.start(
        "-m", "cuda_shim", "run", "-c",
        "import sys; sys.modules['yaml'] = None; from cuda.bindings import driver; driver.cuInit(0)",
        PYTHONPATH=str(environments.ROOT),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1, done.stderr
    assert "PyYAML, which is not installed: pip install PyYAML" in done.stderr


def test_importing_the_package_and_its_modules_loads_nothing_heavy(any_shim_python: environments.Python) -> None:
    heavy = ("hip", "rocm", "yaml", "_yaml", "numpy", "logging", "argparse", "ctypes", "dataclasses")
    code = f"import sys; print([name for name in {heavy} if name in sys.modules])"
    assert any_shim_python.run("-c", f"import cuda_shim; {code}") == "[]\n"
    imports = "from cuda.bindings import driver, runtime, nvrtc; "
    assert any_shim_python.run("-c", imports + code, CUDA_SHIM="1") == "[]\n"
    names = "driver.CUresult.CUDA_SUCCESS; driver.cuInit; runtime.cudaMalloc; driver.CUstream(5); "
    loaded = any_shim_python.run("-c", imports + names + code, CUDA_SHIM="1")
    assert "'yaml'" not in loaded
    assert "'rocm'" not in loaded
    assert "'numpy'" not in loaded
