"""A folder of headers that hiprtc searches first: what a program reaches of its own folders, translated."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence

from cuda_shim import settings
from cuda_shim.cache.entries import make
from cuda_shim.cache.folder import cache_of
from cuda_shim.errors import BackendNotFound
from cuda_shim.translate.headers_on_disk import identity, translated, with_inline_ptx

__all__ = ["options_for"]

# What the translations of inline PTX use.
_OWN = b"cuda_shim/ptx_threads.h"


def options_for(texts: Sequence[bytes], folders: Sequence[bytes]) -> list[bytes]:
    """Return hiprtc's options, to stand before its others, for what `texts` reach in `folders` and needs translating.

    They name a folder of translated headers; there are none where nothing is to be translated.

    It lies in the cache, by what it was translated from: the same headers have the same folder in every process, which
    is what hiprtc's own cache of kernels goes by, and translating a library's takes longer than compiling a kernel.
    """
    headers = with_inline_ptx(texts, folders)
    if not headers:
        return []
    parts = [identity().encode(), *(part for pair in sorted(headers.items()) for part in pair)]
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]
    cache = cache_of(settings.current())
    try:
        parent = cache.path("headers")
        make(cache, parent)
    except BackendNotFound:
        parent = tempfile.mkdtemp(prefix="cuda_shim-headers-")
        atexit.register(shutil.rmtree, parent, ignore_errors=True)
    folder = os.path.join(parent, digest)
    if not os.path.isdir(folder):
        _write(translated(headers), parent, folder)
    uses_own = os.path.exists(os.path.join(os.fsencode(folder), _OWN))
    return [b"-I" + os.fsencode(folder), *([b"-include", _OWN] if uses_own else [])]


def _write(headers: Mapping[bytes, bytes], parent: str, folder: str) -> None:
    """Write the headers beside `folder` and move them there whole: another process may do the same."""
    draft = tempfile.mkdtemp(prefix=".draft-", dir=parent)
    try:
        for name, text in headers.items():
            path = os.path.join(os.fsencode(draft), name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text)
        os.rename(draft, folder)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        if not os.path.isdir(folder):
            raise
