"""The fuzzer by hand: `python -m tests.fuzz --calls 1000000`.

With sanitizers: build with `tools/sanitize.py address,undefined --engine`, and name the folder by `--runtime`.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from pathlib import Path

from tests.fuzz.campaign import LAYOUTS, run

CALLS_PER_PROCESS = 4000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--layout", choices=LAYOUTS, action="append", help="one CUDA layout; else all in turn")
    parser.add_argument("--seed", type=int, default=None, help="this seed alone")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="start", help="first call of the seed")
    parser.add_argument("--to", type=int, default=CALLS_PER_PROCESS, help="calls of each seed")
    parser.add_argument("--calls", type=int, default=100_000, help="in all")
    parser.add_argument("--runtime", type=Path, help="folder of a runtime built with sanitizers")
    parser.add_argument("--c", action="store_true", help="through the C interface")
    parser.add_argument("--show", type=int, help="print the calls from this number on")
    given = parser.parse_args()
    environment = {} if given.show is None else {"FUZZ_SHOW": str(given.show)}
    if given.c:
        environment["FUZZ_LEVEL"] = "c"
    if given.runtime:
        environment |= sanitized(given.runtime.resolve())
    layouts = tuple(given.layout or LAYOUTS)
    seeds = [given.seed] if given.seed is not None else itertools.count(given.first_seed)
    made = found = 0
    began = time.monotonic()
    for at, seed in enumerate(seeds):
        finding = run(layouts[at % len(layouts)], seed, given.start, given.to, **environment)
        made += (finding.number if finding else given.to) - given.start
        if finding:
            found += 1
            print(finding, flush=True)
        print(f"seed {seed}: {made} calls, {found} findings, {time.monotonic() - began:.0f} s", flush=True)
        if made >= given.calls:
            break
    return 1 if found else 0


def sanitized(folder: Path) -> dict[str, str]:
    """The environment of a program on a runtime with sanitizers."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
    import sanitize

    kind = folder.name.partition("-")[2].replace("-", ",")
    library = sanitize.sanitizer_library(sanitize.find_compiler(), kind)
    # A size that nobody has is an error of the program's, as without sanitizers.
    options = {**sanitize.OPTIONS, "ASAN_OPTIONS": f"{sanitize.OPTIONS['ASAN_OPTIONS']}:allocator_may_return_null=1"}
    return {**options, "LD_PRELOAD": library, "CUDA_SHIM_TEST_RUNTIME": str(folder), "PYTHONMALLOC": "malloc"}


if __name__ == "__main__":
    raise SystemExit(main())
