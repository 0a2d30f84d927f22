"""``python -m cuda_shim cache (info | clear)``: built runtimes and compiled kernels."""

from __future__ import annotations

import json
import sys

from cuda_shim import settings
from cuda_shim.cache import entries
from cuda_shim.cache.folder import cache_of

__all__ = ["cache"]

USAGE = """\
usage: python -m cuda_shim cache (info [--json] | clear)

  info   where the cache lies and what it holds
  clear  remove what cuda_shim put there; it is made again when it is needed
"""


def cache(words: list[str]) -> int:
    """Run the verb and return the exit status; BackendNotFound for a cache that is refused or cannot be written."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if words not in (["info"], ["info", "--json"], ["clear"]):
        print(USAGE, end="", file=sys.stderr)
        return 2
    return _clear() if words == ["clear"] else _info("--json" in words)


def _info(as_json: bool) -> int:
    contents = entries.info(cache_of(settings.current()))
    if as_json:
        parts = {name: {"files": count, "bytes": size} for name, (count, size) in contents.parts.items()}
        print(json.dumps({"folder": str(contents.folder), "bytes": contents.total_bytes, "parts": parts}, indent=2))
        return 0
    print(contents.folder)
    for name, (count, size) in contents.parts.items():
        print(f"  {name:8} {count:6} files  {_megabytes(size):>10}")
    files = sum(count for count, _ in contents.parts.values())
    print(f"  {'total':8} {files:6} files  {_megabytes(contents.total_bytes):>10}")
    return 0


def _clear() -> int:
    cache = cache_of(settings.current())
    print(f"{cache.root}: {_megabytes(entries.clear(cache))} freed")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
