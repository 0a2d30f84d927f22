"""The choice of the served CUDA layout, and its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim import layouts, mapping, settings
from cuda_shim.errors import SettingError
from cuda_shim.hook.installed import installed


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_SHIM_CUDA", raising=False)


def site(folder: Path, *metadata: str) -> list[str]:
    for name in metadata:
        (folder / name).mkdir()
    return [str(folder / "absent"), str(folder)]


def test_default_is_the_newest(tmp_path: Path) -> None:
    layout = layouts.served_layout(settings.read(), path=site(tmp_path))
    assert (layout.name, layout.version) == ("13.5", "13.5.0")
    assert "default" in layout.reason


@pytest.mark.parametrize(
    ("installed_as", "layout"),
    [
        ("cuda_bindings-12.9.10.dist-info", "12.9"), ("cuda_bindings-12.6.2.dist-info", "12.9"),
        ("cuda_python-11.7.0.dist-info", "11.8"), ("cuda_bindings-13.0.3.dist-info", "13.5"),
        ("cuda-python-12.8.0.dist-info", "12.9"), ("cuda_python-12.0.0-py3.11-linux-x86_64.egg-info", "12.9"),
        ("cuda_bindings-10.2.0.dist-info", "11.8"), ("cuda_bindings-14.1.0.dist-info", "13.5"),
    ],
)  # fmt: skip
def test_installed_version_decides(tmp_path: Path, installed_as: str, layout: str) -> None:
    layout_served = layouts.served_layout(
        settings.read(), path=site(tmp_path, installed_as, "cuda_core-0.5.0.dist-info")
    )
    assert layout_served.name == layout
    assert layout_served.reason.endswith("is installed")


def test_bindings_count_more_than_the_meta_package(tmp_path: Path) -> None:
    path = site(tmp_path, "cuda_python-13.0.0.dist-info", "cuda_bindings-12.9.1.dist-info")
    assert layouts.served_layout(settings.read(), path=path).reason == "cuda-bindings 12.9.1 is installed"


def test_setting_decides_over_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = site(tmp_path, "cuda_bindings-12.9.1.dist-info")
    monkeypatch.setenv("CUDA_SHIM_CUDA", "11.x")
    assert layouts.served_layout(settings.read(), path=path).reason == "set by CUDA_SHIM_CUDA"
    assert layouts.served_layout(settings.read(), path=path).name == "11.8"
    assert layouts.served_layout(settings.read({"cuda": "13"}), path).name == "13.5"
    monkeypatch.setenv("CUDA_SHIM_CUDA", "12.4")
    with pytest.raises(SettingError, match=r"CUDA_SHIM_CUDA=12\.4 is not allowed; use 11\.8, 12\.9, 13\.5"):
        layouts.served_layout(settings.read(), path=path)


def test_other_distributions_do_not_count(tmp_path: Path) -> None:
    path = site(tmp_path, "cuda_bindings_extra-1.0.dist-info", "cuda_pathfinder-1.9.dist-info", "cuda_bindings")
    assert installed("cuda-bindings", path) is None


@pytest.mark.parametrize(("layout", "legacy"), [("11.8", "11.8"), ("12.9", "12.9"), ("13.5", "12.9")])
def test_legacy_modules_speak_12_at_most(layout: str, legacy: str) -> None:
    assert layouts.legacy_layout(layout) == legacy


def test_the_tables_have_the_same_layouts() -> None:
    assert tuple(layouts.BINDINGS_VERSIONS) == mapping.LAYOUTS == settings.setting("cuda").choices
