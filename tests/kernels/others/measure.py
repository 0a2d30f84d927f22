"""How many of the drawn programs NVRTC and the CPU runtime compile, and why the others do not.

    python -m tests.kernels.others.measure FOLDER COUNT -I...

FOLDER holds what `draw_cupy.py` wrote; COUNT of them are taken at random, always the same ones. The folders behind -I
are given to both compilers, beside the program's own options.
"""

from __future__ import annotations

import collections
import json
import random
import re
import sys
from pathlib import Path

from cuda_shim import settings
from cuda_shim.adapters.translated_headers import options_for
from cuda_shim.backends import cpu
from cuda_shim.backends.cpu import build
from cuda_shim.translate.options import cuda_program, to_hiprtc
from cuda_shim.translate.source import to_hip
from tests.kernels import compilers

LAYOUT = "13.5"


def main(folder: str, count: int, includes: list[str]) -> None:
    """Compile the programs and print a table of the reasons."""
    cpu.prepare_environment(settings.current())
    library = Path(build.ensure_libraries(settings.current())) / "lib/libhiprtc.so"
    ours, nvrtc = compilers.RuntimeCompiler(str(library), "hiprtc"), compilers.nvrtc()[LAYOUT]
    files = sorted(Path(folder).glob("*.json"))
    reasons: collections.Counter[str] = collections.Counter()
    taken = compiled = 0
    chosen = random.Random(5)  # noqa: S311 - always the same ones
    for file in chosen.sample(files, min(count, len(files))):
        drawn = json.loads(file.read_text(encoding="utf-8"))
        source = drawn["source"].encode()
        given = [option for option in drawn["options"] if not option.startswith("-I")]
        options = [option.encode() for option in (*given, *includes, "-arch=compute_80")]
        if nvrtc.compile(source, b"drawn.cu", options).status:
            continue
        taken += 1
        translated = to_hiprtc(options, architecture=None, cuda=LAYOUT)
        program = to_hip(source, b"drawn.cu", [], architecture=None)
        passed = [*options_for([source], translated.include_paths), cuda_program(LAYOUT), *translated.options]
        done = ours.compile(program.source, b"drawn.cu", passed, dict(program.headers))
        if done.status == 0:
            compiled += 1
        else:
            found = re.search(r"error: (.*)", done.log)
            reasons[f"{found[1] if found else done.log[:80]} ({file.name})"] += 1
    print(f"{compiled} of {taken} that NVRTC takes compile")
    for reason, number in reasons.most_common():
        print(number, reason)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
