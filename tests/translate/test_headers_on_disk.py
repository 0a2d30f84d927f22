"""Headers in the program's own folders: their inline PTX is translated for the CPU runtime."""

from __future__ import annotations

import os
import shutil

import pytest

from cuda_shim.adapters import translated_headers
from cuda_shim.cache import artifacts
from cuda_shim.translate.headers_on_disk import Overlay, overlay_of
from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.program_texts import ProgramTexts

LANE = b'inline __device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }\n'


def write(folder, **files):
    folder.mkdir(exist_ok=True, parents=True)
    for name, text in files.items():
        (folder / name).write_bytes(text)
    return bytes(folder)


def names(overlay):
    """The names of the translated headers, without those of this package."""
    places = {} if overlay is None else overlay.texts(b"/cache")
    return {place.partition(b"/")[2] for place in places if b"cuda_shim/" not in place}


def overlay(source, *folders):
    return overlay_of([source], [], folders)


def text_of(made, name):
    (text,) = (text for place, text in made.texts(b"/cache").items() if place.endswith(b"/" + name))
    return text


def test_what_the_program_reaches_is_translated(tmp_path):
    inside = write(tmp_path / "a", first=b"#include <second>\n", second=LANE, unused=LANE)
    made = overlay(b"#include <first>\n", inside)
    assert names(made) == {b"second"}
    assert b"asm" not in text_of(made, b"second")
    assert b'#line 1 "%s/second"' % inside in text_of(made, b"second")
    assert text_of(made, b"cuda_shim/ptx_threads.h")


def test_the_first_folder_wins(tmp_path):
    one = write(tmp_path / "one", a=b'#include "b"\n', b=b"int plain;\n")
    two = write(tmp_path / "two", a=LANE, b=LANE)
    assert overlay(b"#include <a>\n", one, two) is None
    assert b"a" in names(overlay(b"#include <a>\n", two, one))


def test_who_includes_a_translation_from_beside_is_copied_too(tmp_path):
    folder = write(tmp_path / "a", first=b'#include "second"\n#include "plain"\n', second=LANE, plain=b"int x;\n")
    made = overlay(b"#include <first>\n", folder)
    assert len(names(made)) == 2
    first = text_of(made, b"first")
    assert b'#include "/cache/files/1/second"' in first
    assert b'#include "%s/plain"' % folder in first


def test_next_names_lead_behind_the_folder(tmp_path):
    one = write(tmp_path / "one", a=b"#include_next <a>\n" + LANE)
    two = write(tmp_path / "two", a=b"int second;\n")
    made = overlay(b"#include <a>\n", one, two)
    assert b'#include "%s/a"' % two in text_of(made, b"a")


def test_every_place_is_inside_the_overlay(tmp_path):
    folder = write(tmp_path / "p/inc", a=LANE)
    odd = b"#include <../inc/a>\n#include <./a>\n#include <%s/a>\n#include <.//a>\n" % folder
    made = overlay(odd, folder)
    for place in made.texts(b"/cache"):
        assert not place.startswith(b"/")
        assert not {b"..", b".", b""} & set(place.split(b"/"))


def test_a_changed_file_is_read_again(tmp_path):
    folder = write(tmp_path / "a", a=b"int x;\n")
    assert overlay(b"#include <a>\n", folder) is None
    write(tmp_path / "a", a=LANE)
    assert b"a" in names(overlay(b"#include <a>\n", folder))


def test_what_has_no_counterpart_fails_only_where_it_is_called(tmp_path):
    text = b'inline __device__ void f() { asm volatile("tcgen05.wait::ld.sync.aligned;"); }\n'
    made = text_of(overlay(b"#include <t.h>\n", write(tmp_path / "a", **{"t.h": text})), b"t.h")
    assert b'__attribute__((error("inline PTX' in made
    assert b"a_t_h_0()" in made
    assert b"#include <cuda_shim/" not in made  # it may be included inside a namespace


def test_hardware_barriers_give_way_to_atomic_operations(tmp_path):
    folder = tmp_path / "c/cuda/__barrier"
    write(folder, **{"barrier.h": b"NV_IF_TARGET(NV_PROVIDES_SM_90, (x;), (y;))\n"})
    made = overlay(b"#include <cuda/__barrier/barrier.h>\n", bytes(tmp_path / "c"))
    assert b"NV_NO_TARGET" in text_of(made, b"cuda/__barrier/barrier.h")


def test_headers_of_the_runtime_are_left_to_it(tmp_path):
    folder = write(tmp_path / "toolkit", **{"cuda_fp16.h": LANE})
    assert overlay(b"#include <cuda_fp16.h>\n", folder) is None


@pytest.fixture
def options_for(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", str(tmp_path / "cache"))
    folder = write(tmp_path / "a", a=LANE)
    options = to_hiprtc([b"-I" + folder], architecture=None)
    return lambda: translated_headers.options_for(ProgramTexts([b"#include <a>\n"], frozenset(), []), options)


def test_a_translation_serves_the_next_process_too(tmp_path, monkeypatch, options_for):
    first = options_for()
    with monkeypatch.context() as patch:
        patch.setattr(Overlay, "texts", lambda *_: pytest.fail("translated again"))
        assert options_for() == first
    assert len(first) == 5
    write(tmp_path / "a", a=LANE + b"int more;\n")
    assert options_for() != first


@pytest.mark.parametrize("damage", [lambda text: text.replace(b"unsigned", b"volatile"), lambda _: b""])
def test_a_damaged_translation_is_made_again(tmp_path, options_for, damage):
    options_for()
    (path,) = (tmp_path / "cache/headers").rglob("include-0000/a")
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    options_for()
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_costs_time_alone(tmp_path, monkeypatch, options_for):
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", "/proc/no/cache")
    first = options_for()
    assert options_for() == first
    assert not any(b"/proc/" in option for option in first)


def translations(tmp_path):
    return [path for path in (tmp_path / "cache/headers").iterdir() if path.is_dir()]


@pytest.fixture
def four_programs(tmp_path, monkeypatch, options_for):
    """Translate four programs in turn where the cache holds two; an hour passes after each."""
    monkeypatch.setattr(translated_headers, "_MAX_ENTRIES", 2)

    def run():
        for number in range(4):
            write(tmp_path / "a", a=LANE + b"int x%d;\n" % number)
            options_for()
            yield number
            for path in translations(tmp_path):
                os.utime(path, (path.stat().st_atime - 3600, path.stat().st_mtime - 3600))

    return run


def test_old_translations_go(tmp_path, four_programs):
    assert len(list(four_programs())) == 4
    assert len(translations(tmp_path)) == 2


def test_translations_in_use_stay(tmp_path, options_for, four_programs):
    for number in four_programs():
        if number == 0:
            (first,) = translations(tmp_path)
            text = (tmp_path / "a/a").read_bytes()
        else:
            write(tmp_path / "a", a=text)
            options_for()  # marks the oldest as used
        assert first.is_dir()


def test_translations_of_this_minute_stay(tmp_path, monkeypatch, options_for):
    monkeypatch.setattr(translated_headers, "_MAX_ENTRIES", 0)
    for number in range(3):
        write(tmp_path / "a", a=LANE + b"int x%d;\n" % number)
        options_for()
    assert len(translations(tmp_path)) == 3


def test_processes_may_remove_the_same_translations(tmp_path, monkeypatch, options_for):
    """Entries that other processes remove while this one sorts them are left out."""
    monkeypatch.setattr(translated_headers, "_MAX_ENTRIES", 0)
    monkeypatch.setattr(translated_headers, "_IN_USE_SECONDS", -1)
    last_used = artifacts.last_used

    def removed_before(path):
        shutil.rmtree(path, ignore_errors=True)
        return last_used(path)

    monkeypatch.setattr(artifacts, "last_used", removed_before)
    options_for()
    assert translations(tmp_path) == []
