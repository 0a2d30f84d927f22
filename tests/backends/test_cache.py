"""The cache folder: its owner, its place, its contents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.cache import entries
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.errors import BackendNotFound


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def the_cache() -> Cache:
    return cache_of(settings.read())


def test_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    for chosen, xdg, expected in (
        ("/set", "/xdg", "/set"),
        ("~/set", "/xdg", "/home/someone/set"),
        ("", "/xdg", "/xdg/cuda-shim"),
        ("", "relative", "/home/someone/.cache/cuda-shim"),
        ("", "", "/home/someone/.cache/cuda-shim"),
    ):
        monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", chosen)
        monkeypatch.setenv("XDG_CACHE_HOME", xdg)
        assert the_cache().root == expected


def test_it_is_made_private(folder: Path) -> None:
    umask = os.umask(0)
    try:
        entries.make(the_cache(), str(folder / "runtime" / "entry"))
    finally:
        os.umask(umask)
    for path in (folder, folder / "runtime", folder / "runtime" / "entry"):
        assert path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702])
def test_a_folder_that_others_can_write_is_refused(folder: Path, mode: int) -> None:
    folder.mkdir()
    folder.chmod(mode)
    for use in (
        lambda: entries.info(the_cache()),
        lambda: entries.clear(the_cache()),
        lambda: entries.make(the_cache(), str(folder / "runtime")),
        lambda: the_cache().trusts(str(folder)),
    ):
        with pytest.raises(BackendNotFound, match=f"can be written by others.*chmod 700 {folder}"):
            use()


def test_a_part_of_it_that_others_can_write_is_refused(folder: Path) -> None:
    entries.make(the_cache(), str(folder / "runtime" / "entry"))
    (folder / "runtime").chmod(0o777)
    with pytest.raises(BackendNotFound, match="can be written by others"):
        the_cache().trusts(str(folder / "runtime" / "entry"))


def test_a_readable_folder_is_fine(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    assert the_cache().trusts(str(folder))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, 12345, -1)
    with pytest.raises(BackendNotFound, match=r"belongs to another user \(uid 12345\)"):
        entries.make(the_cache(), str(folder / "runtime"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root owns it")
def test_a_folder_of_root_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", "/usr")
    with pytest.raises(BackendNotFound, match=r"belongs to another user \(uid 0\)"):
        entries.info(the_cache())


def test_a_link_laid_by_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = folder.with_name("real")
    real.mkdir(mode=0o700)
    folder.symlink_to(real)
    assert the_cache().trusts(str(folder))
    if os.geteuid() == 0:
        os.chown(folder, 12345, -1, follow_symlinks=False)
        with pytest.raises(BackendNotFound, match="belongs to another user"):
            the_cache().trusts(str(folder))


def test_a_file_in_its_place(folder: Path) -> None:
    folder.write_text("")
    with pytest.raises(BackendNotFound, match="is not a folder"):
        entries.make(the_cache(), str(folder / "runtime"))


def test_info_and_clear(folder: Path) -> None:
    assert entries.info(the_cache()) == entries.CacheInfo(folder, {})
    assert entries.clear(the_cache()) == 0
    entries.make(the_cache(), str(folder / "kernels"))
    (folder / "kernels" / "one.so").write_bytes(b"x" * 1000)
    entries.write_note(the_cache(), "compilers", [("key", "answer")])
    (folder / "letters.txt").write_text("not ours")
    held = entries.info(the_cache())
    assert held.parts["kernels"] == (1, 1000)
    assert held.parts["notes"][0] == 1
    assert held.total_bytes == 1000 + held.parts["notes"][1]
    assert entries.clear(the_cache()) == held.total_bytes
    assert [path.name for path in folder.iterdir()] == ["letters.txt"]
    assert entries.info(the_cache()).total_bytes == 0


def test_clear_follows_no_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    entries.make(the_cache(), str(folder / "kernels"))
    (folder / "kernels" / "link").symlink_to(tmp_path / "mine")
    entries.clear(the_cache())
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_notes_keep_the_newest(folder: Path) -> None:
    assert the_cache().read_note("n") == []
    entries.write_note(the_cache(), "n", [(f"key {i}", str(i)) for i in range(5)], keep=3)
    entries.write_note(the_cache(), "n", [("key 3", "new")], keep=3)
    assert the_cache().read_note("n") == [("key 2", "2"), ("key 4", "4"), ("key 3", "new")]


def test_a_note_survives_what_does_not_fit_in_a_line(folder: Path) -> None:
    entries.write_note(the_cache(), "n", [("two\nlines", "a"), ("fine \udcff", "b"), ("answer", "with\nlines")])
    assert the_cache().read_note("n") == [("fine \udcff", "b")]
    (folder / "n.note").write_bytes(b"no tab\nkey\tanswer\xff\n\n")
    assert the_cache().read_note("n") == [("key", "answer\udcff")]


def test_notes_do_without_a_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", "/proc/cuda-shim")
    entries.write_note(the_cache(), "n", [("key", "answer")])
    assert the_cache().read_note("n") == []
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", str(folder))
    entries.write_note(the_cache(), "n", [("key", "answer")])
    folder.chmod(0o777)
    assert the_cache().read_note("n") == []
