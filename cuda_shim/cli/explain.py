"""``python -m cuda_shim explain NAME``: the support for a CUDA name, for people."""

from __future__ import annotations

import json
import sys

__all__ = ["explain"]

USAGE = """\
usage: python -m cuda_shim explain [--json] NAME …

Say what becomes of a name: a function, type, enum constant or macro of cuda.bindings (alone, or as
driver.cuInit), a name of PyGPU (PyGPU.to_gpu), a name, header or PTX instruction of device code, or an option of NVRTC.

Exit status: 0, or 1 where a name is unknown.
"""


def explain(words: list[str]) -> int:
    """Run the verb and return the exit status."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    names = [word for word in words if word != "--json"]
    if not names:
        print("cuda_shim: explain: no name is given: add one, such as cuMemAlloc", file=sys.stderr)
        return 2
    from cuda_shim.scan.explanation import close_names, explanations

    by_name = {name: explanations(name) for name in names}
    if "--json" in words:
        print(json.dumps({name: [item.as_dict() for item in items] for name, items in by_name.items()}, indent=2))
    else:
        texts = [str(item) for items in by_name.values() for item in items]
        if texts:
            print("\n\n".join(texts))
    unknown = [name for name, items in by_name.items() if not items]
    for name in unknown:
        close = close_names(name)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        print(f"cuda_shim: explain: no table has {name}{hint}", file=sys.stderr)
    return 1 if unknown else 0
