"""importlib.metadata answers for NVIDIA's distributions by name, and lists nothing."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.interpreters import Environment

if TYPE_CHECKING:
    from tests.hook.conftest import Served


def pretend_installed(folder: Path, version: str) -> None:
    info = folder / f"cuda_bindings-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: cuda-bindings\nVersion: {version}\n")


@pytest.mark.parametrize("name", ["cuda-bindings", "cuda_bindings", "CUDA-Bindings", "cuda-python"])
def test_version_by_name(served: Served, name: str) -> None:
    assert metadata.version(name) == "13.5.0"
    assert metadata.metadata(name)["Summary"].startswith("Served by cuda_shim")
    assert not metadata.files(name)
    assert not metadata.requires(name)


def test_other_names_are_not_answered(served: Served) -> None:
    for name in ("cuda-core", "cuda", "cuda-bindings-extra", "bindings"):
        with pytest.raises(metadata.PackageNotFoundError):
            metadata.version(name)


def test_nothing_is_listed(served: Served) -> None:
    names = {found.metadata["Name"] for found in metadata.distributions()}
    assert names & {"cuda-bindings", "cuda-python"} == set()


def test_a_real_one_wins(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_installed(tmp_path, "12.8.0")
    monkeypatch.syspath_prepend(tmp_path)
    assert metadata.version("cuda-bindings") == "12.8.0"


def test_pip_sees_nothing(tmp_path: Path) -> None:
    """pip list, pip show and pip check are as without the shim."""
    bundled = pytest.importorskip("ensurepip").__path__[0]
    wheels = list(Path(bundled, "_bundled").glob("pip-*.whl"))
    if not wheels:
        pytest.skip("this Python has no bundled pip")
    environment = Environment(tmp_path / "venv")
    environment.install_startup_files()
    environment.write(
        "needs_cuda-1.0.dist-info/METADATA",
        "Metadata-Version: 2.1\nName: needs-cuda\nVersion: 1.0\nRequires-Dist: cuda-bindings>=12\n",
    )
    pip = wheels[0] / "pip"
    for words in (("list", "--format=json"), ("show", "cuda-bindings"), ("check",)):
        on = environment.start(pip, *words, CUDA_SHIM="1")
        off = environment.start(pip, *words)
        assert (on.returncode, on.stdout, on.stderr) == (off.returncode, off.stdout, off.stderr)
        assert "13.5" not in on.stdout
    assert "needs-cuda 1.0 requires cuda-bindings, which is not installed." in on.stdout


def test_a_question_about_certain_folders_is_not_ours(served: Served, tmp_path: Path) -> None:
    """pip asks this way."""
    assert list(metadata.distributions(name="cuda-bindings", path=[str(tmp_path)])) == []
    pretend_installed(tmp_path, "12.8.0")
    distributions = metadata.distributions(name="cuda-bindings", path=[str(tmp_path)])
    assert [item.version for item in distributions] == ["12.8.0"]
