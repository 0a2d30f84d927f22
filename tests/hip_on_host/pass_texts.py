"""The golden files of the kernel compiler's passes: inputs, and what the pass of the file's name leaves of each.

`python -m tests.hip_on_host.pass_texts FOLDER` writes them anew with the runtime in FOLDER/lib, after a change that is
meant.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
from pathlib import Path

from hip_on_host import sources
from hip_on_host.passes import PassError, text_after

FOLDER = Path(__file__).with_name("passes")
_INPUT, _AFTER = "// --- input ---\n", "// --- after {} ---\n"
#: The folder for temporary files, whose name no two compilations share.
_SCRATCH = re.compile(r'"[^"]*/tmp-\w+/')


def inputs_of(path: Path) -> list[str]:
    """The programs in a golden file."""
    after = _AFTER.format(path.stem)
    return [part.partition(after)[0].strip("\n") for part in path.read_text(encoding="utf-8").split(_INPUT)[1:]]


def written(path: Path, hiprtc: ctypes.CDLL) -> str:
    """The contents that the file should have."""
    parts = []
    for program in inputs_of(path):
        try:
            text = text_after(hiprtc, path.stem, f"{program}\n".encode(), "k.cu")
        except PassError as error:
            text = f"{error}\n"
        parts += [_INPUT, program, "\n", _AFTER.format(path.stem), _SCRATCH.sub('"', text).strip("\n"), "\n"]
    return "".join(parts)


def main(folder: str, check: bool) -> None:
    """Write the files; with `check` print what they should have instead, as JSON."""
    os.environ["CUDA_SHIM_CPU_DEVICE_HEADERS"] = sources.device_folder()
    hiprtc = ctypes.CDLL(str(Path(folder) / "lib" / "libhiprtc.so"))
    texts = {path.stem: written(path, hiprtc) for path in sorted(FOLDER.glob("*.cu"))}
    if check:
        print(json.dumps(texts))
        return
    for name, text in texts.items():
        (FOLDER / f"{name}.cu").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], "--check" in sys.argv[2:])
