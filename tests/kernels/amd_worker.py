"""Translates the programs of the corpus and compiles them with AMD's hiprtc; prints one JSON line for each.

    python -m tests.kernels.amd_worker gfx90a elementwise.cu

A process of its own, since a compiler that fails an assertion takes its process with it.
"""

from __future__ import annotations

import json
import sys

from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.source import to_hip
from tests.kernels import compilers
from tests.kernels.corpus import programs


def main(architecture: str, wanted: list[str]) -> None:
    compiler = compilers.amd()
    assert compiler is not None
    for name, program in programs().items():
        if name not in wanted:
            continue
        print(json.dumps({"program": name, "started": True}), flush=True)
        headers = [(own.encode(), text.encode()) for own, text in program.headers.items()]
        label = program.file.encode()
        translated = to_hip(program.source.encode(), label, headers, architecture=architecture)
        options = to_hiprtc([b"-arch=compute_80", *(o.encode() for o in program.options)], architecture=architecture)
        assert options.refused is None, options.refused
        expressions = [kernel.encode() for kernel in program.kernels]
        done = compiler.compile(translated.source, label, options.options, dict(translated.headers), expressions)
        print(json.dumps({"program": name, "status": done.status, "log": done.log, "size": done.size}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
