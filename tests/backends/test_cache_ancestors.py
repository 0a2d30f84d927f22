"""Folders above the cache: a user who could exchange one of them could make this user load another user's library."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.cache import entries, folder
from cuda_shim.cache.folder import cache_of
from cuda_shim.errors import BackendNotFound

OTHER = 12345


@pytest.fixture
def above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder above that of the cache."""
    made = tmp_path / "above"
    made.mkdir(mode=0o755)
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", str(made / "home" / "cache"))
    entries.make(cache_of(settings.current()), str(made / "home" / "cache"))
    return made


def use() -> None:
    cache = cache_of(settings.current())
    cache.trusts(cache.root)
    entries.make(cache, cache.path("runtime"))


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o772])
def test_a_folder_that_others_can_write(above: Path, mode: int) -> None:
    above.chmod(mode)
    os.chown(above, -1, OTHER)
    with pytest.raises(BackendNotFound, match=f"can be replaced by others: {above} above it can be written by others"):
        use()


@pytest.mark.parametrize("mode", [0o1777, 0o755, 0o700, 0o1770])
def test_a_sticky_folder_or_one_of_the_users_is_fine(above: Path, mode: int) -> None:
    above.chmod(mode)
    use()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user(above: Path) -> None:
    os.chown(above, OTHER, -1)
    with pytest.raises(BackendNotFound, match=rf"{above} above it belongs to another user \(uid {OTHER}\)"):
        use()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_link_leads_to_a_folder_in_one_of_another_user(above: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", str(tmp_path / "link"))
    (tmp_path / "link").symlink_to(above / "home" / "cache")
    use()
    os.chown(above, OTHER, -1)
    with pytest.raises(BackendNotFound, match="belongs to another user"):
        use()


def test_users_without_a_name_may_be_root(above: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a user's own container, root outside of it appears as the overflow user."""
    monkeypatch.setattr(folder, "_has_no_name", lambda user: user == os.stat(above).st_uid)
    monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    assert folder._why_unsafe(str(above)) == ""
    monkeypatch.setattr(folder, "_has_no_name", lambda user: False)
    assert ("another user" in folder._why_unsafe(str(above))) is (os.stat(above).st_uid != 0)
