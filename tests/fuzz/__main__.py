"""The fuzzer by hand: `python -m tests.fuzz --calls 1000000`.

`--sanitize address,undefined` builds the runtime with these sanitizers first, in build/sanitize-address-undefined.
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
    parser.add_argument(
        "--sanitize", metavar="KINDS", help="on a runtime with these sanitizers, as -fsanitize= takes them"
    )
    parser.add_argument("--c", action="store_true", help="through the C interface")
    parser.add_argument("--show", type=int, help="print the calls from this number on")
    given = parser.parse_args()
    environment = {} if given.show is None else {"FUZZ_SHOW": str(given.show)}
    if given.c:
        environment["FUZZ_LEVEL"] = "c"
    if given.sanitize:
        environment |= sanitized(given.sanitize)
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


def sanitized(kinds: str) -> dict[str, str]:
    """Build the runtime with sanitizers; the environment of a program on it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
    import sanitize

    folder = sanitize.build_libraries(kinds)
    library = sanitize.sanitizer_library(sanitize.find_compiler(), kinds)
    # Malloc returns null for impossible sizes, as without sanitizers: such a size is the calling program's error.
    options = {**sanitize.OPTIONS, "ASAN_OPTIONS": f"{sanitize.OPTIONS['ASAN_OPTIONS']}:allocator_may_return_null=1"}
    return {**options, "LD_PRELOAD": library, "CUDA_SHIM_TEST_RUNTIME": str(folder), "PYTHONMALLOC": "malloc"}


if __name__ == "__main__":
    raise SystemExit(main())
