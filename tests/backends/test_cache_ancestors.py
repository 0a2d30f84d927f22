"""The errors about folders above the cache: who can exchange one of them can make the user load another library.

test_cache_rule.py has the rule itself.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.cache import entries
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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user(above: Path) -> None:
    os.chown(above, OTHER, -1)
    with pytest.raises(BackendNotFound, match=rf"{above} above it belongs to another user \(uid {OTHER}\)"):
        use()
