"""Headers of the program's own folders that hold inline PTX, as the CPU runtime takes them.

hiprtc reads the folders of -I itself. CUDA's C++ core libraries are full of inline PTX, which the host's compiler does
not know: the headers with inline PTX that a program can reach are translated into files of the cache. A folder of the
translations that have a plain name is searched before the program's; a header that includes a translated one in another
way (beside it, by a path, by `#include_next`) is copied too, and the copy names the path of the translation instead.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from cuda_shim.mapping.store import source_folder
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate import headers as provided
from cuda_shim.translate.include_graph import Reached, directives_in, key_of, reach
from cuda_shim.translate.program_files import quoted_name
from cuda_shim.translate.source import translate_header

__all__ = ["Overlay", "overlay_of"]

# The folders of the files without a plain name, and of those that translations use.
_OTHERS = b"files"
_OWN = b"include-of-translations"

_ASM = re.compile(rb"\b(?:asm|__asm|__asm__)\b(?:\s+\w+){0,4}\s*\(")

# CUDA's C++ core libraries can replace the hardware's barriers and copy engines by atomic operations, as for older
# GPUs: in these folders the older way is taken.
_BY_HARDWARE = (b"cuda/__barrier/", b"cuda/__memcpy_async/", b"cuda/std/__barrier/")
_HARDWARE = re.compile(rb"\bNV_PROVIDES_SM_(?:80|90|100)\b")
# The address of a null pointer's member is a constant to NVIDIA's compiler alone.
_NULL_OFFSET = re.compile(rb"!\(&\(\(\((\w+)\*\)\s*0\)->(\w+)\)\)")


class Overlay:
    """The translated files that replace files of the program's folders.

    Attributes:
        digest: names the overlay: the same texts, names and translator have the same one.
        searched: the folders in it that are searched before the program's own, in order.
    """

    def __init__(self, reached: Mapping[bytes, Reached], places: Mapping[bytes, bytes], aliases: Mapping[bytes, bytes]):
        self._reached = reached
        self._places = places  # the path of each key's file in the overlay's folder
        self._aliases = aliases  # further places, each with the one whose file is included there
        everywhere = [_OWN, *places.values(), *aliases]
        self.searched = sorted({place.partition(b"/")[0] for place in everywhere} - {_OTHERS})
        digest = hashlib.sha256(identity().encode())
        for key, place in sorted(places.items()):
            redirects = sorted(self._redirects(reached[key], b"").items())
            for part in (place, reached[key].path, reached[key].text, repr(redirects).encode()):
                digest.update(b"%d\0%s" % (len(part), part))
        digest.update(repr(sorted(aliases.items())).encode())
        self.digest = digest.hexdigest()[:32]

    def place_of(self, path: bytes) -> bytes | None:
        """Return the path, in the overlay's folder, of the file that replaces the one at `path`, if any."""
        return self._places.get(key_of(path))

    def texts(self, folder: bytes) -> dict[bytes, bytes]:
        """Translate the files; return the text of each by its path in `folder`, with the headers that they use."""
        needed: set[str] = set()
        texts = {alias: b'#include "%s"\n' % os.path.join(folder, place) for alias, place in self._aliases.items()}
        for key, place in self._places.items():
            file = self._reached[key]
            redirects = self._redirects(file, folder)
            texts[place], headers = translate_header(_by_atomics(file), file.path, redirects)
            needed |= headers
        own = {_OWN + b"/" + name: text for name, text in provided.texts(needed, set())}
        return {**own, **texts}

    def _redirects(self, file: Reached, folder: bytes) -> dict[tuple[bytes, bool, bool], bytes]:
        """Return the replacements of the included names that would lead elsewhere from the overlay's folder.

        A quoted name that leads to no file is put in angle brackets, so that only the folders are searched.
        """
        includes = {include.directive: include for include in file.includes}
        redirects: dict[tuple[bytes, bool, bool], bytes] = {}
        for directive in directives_in(file.text):
            include = includes.get(directive)
            if include is None:
                if directive.is_quoted and b">" not in directive.name:
                    redirects[directive] = b"<%s>" % directive.name
            elif directive.is_quoted or include.folder_index < 0:
                place = self._places.get(include.target)
                path = self._reached[include.target].path
                path = os.path.join(os.getcwdb(), path) if place is None else os.path.join(folder, place)
                redirects[directive] = quoted_name(path) or directive.name
        return redirects


def overlay_of(
    texts: Iterable[bytes],
    paths: Iterable[bytes],
    folders: Sequence[bytes],
    own_headers: frozenset[bytes] = frozenset(),
) -> Overlay | None:
    """Return the overlay that replaces the headers with inline PTX that a program reaches; None if it reaches none.

    Args:
        texts: the program's own texts, whose names are searched in `folders`.
        paths: files that the texts name by a path of their own.
        folders: the folders of -I, in order.
        own_headers: names of headers that the program was given.
    """
    included, reached = reach(texts, paths, folders, own_headers | _of_the_runtime())
    concerned = _concerned(reached)
    if not concerned:
        return None
    names: dict[bytes, list[bytes]] = {}
    for include in (*included, *(include for file in reached.values() for include in file.includes)):
        if include.target in concerned and include.folder_index >= 0:
            name = _searched(include.folder_index) + b"/" + include.directive.name
            names.setdefault(include.target, []).append(name)
    places: dict[bytes, bytes] = {}
    aliases: dict[bytes, bytes] = {}
    for number, key in enumerate(sorted(concerned)):
        first, *others = sorted(set(names.get(key, []))) or [b"%s/%d/%s" % (_OTHERS, number, os.path.basename(key))]
        places[key] = first
        aliases.update(dict.fromkeys(others, first))
    return Overlay(reached, places, aliases)


def _concerned(reached: Mapping[bytes, Reached]) -> set[bytes]:
    """Return the keys of the files that hold inline PTX, and of those that include one by more than a plain name."""
    including: dict[bytes, list[bytes]] = {}
    for key, file in reached.items():
        for include in file.includes:
            if include.folder_index < 0:
                including.setdefault(include.target, []).append(key)
    waiting = [key for key, file in reached.items() if _ASM.search(file.text) or _by_atomics(file) != file.text]
    concerned: set[bytes] = set()
    while waiting:
        key = waiting.pop()
        if key not in concerned:
            concerned.add(key)
            waiting += including.get(key, [])
    return concerned


def _searched(folder_index: int) -> bytes:
    """Return the folder of the overlay that is searched before one of -I."""
    return b"include-%04d" % folder_index


def _by_atomics(file: Reached) -> bytes:
    """Return a header's text without the constructs that need NVIDIA's compiler or hardware."""
    text = _NULL_OFFSET.sub(rb"!__builtin_offsetof(\1, \2)", file.text)
    if any(folder in file.path for folder in _BY_HARDWARE):
        text = _HARDWARE.sub(b"NV_NO_TARGET", text)
    return text


@functools.cache
def identity() -> str:
    """Return a digest of this layer's files, headers and tables, which changes whenever translations may change."""
    own, compiled = Path(__file__).parent, Path(__file__).parents[1] / "_tables"
    places = [own, provided.portable_folder(), compiled if compiled.is_dir() else source_folder()]
    files = sorted(file for place in places for file in place.rglob("*") if file.is_file() and file.suffix != ".pyc")
    about = ((str(file), file.stat()) for file in files)
    stamps = "".join(f"{file} {status.st_mtime_ns} {status.st_size}\n" for file, status in about)
    return hashlib.sha256(stamps.encode("utf-8", "surrogateescape")).hexdigest()


@functools.cache
def _of_the_runtime() -> frozenset[bytes]:
    """Headers of the CUDA toolkit that the CPU runtime has itself; they win over the program's folders."""
    rows = load_text("device")["headers"].items()
    core_libraries = ("cuda/", "thrust/")
    return frozenset(name.encode() for name, row in rows if "refuse" not in row and not name.startswith(core_libraries))
