"""The corpus as PTX that nvcc made: its front end is not NVRTC's, and the C++ around kernels is a host's.

On an NVIDIA GPU, with NVIDIA's own CUDA Python and a toolkit's nvcc, from the checkout's root:

    python -m tests.kernels.nvcc_modules FOLDER

writes `nvcc_modules.json.gz`, the PTX and which kernel of it each case is, and `recorded_nvcc.npz`, the results of
these kernels on that GPU, into FOLDER. Each case is checked against its own host reference first.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

#: A grid-wide barrier that NVIDIA's compilers wrote out looks at memory whose place the driver reports through %envreg1;
#: there is none, and the kernel stops itself.
STOPS = ("groups.whole_grid",)
MODULES, RECORDED = HERE / "nvcc_modules.json.gz", HERE / "recorded_nvcc.npz"


def compiled(nvcc: str, folders: Sequence[str], folder: Path) -> dict[str, tuple[str, str]]:
    """Write the PTX of programs, and which kernel each case is; the cases whose kernel nvcc makes unasked."""
    from tests.kernels.corpus import cases, program_of, programs

    kernels = {}
    for number, (name, program) in enumerate(programs().items()):
        if program.headers or "--device-int128" in program.options:  # nvcc has __int128 without the option
            continue
        source, file = folder / f"{number}.cu", f"{number}.ptx"
        source.write_text(program.source, encoding="utf-8")
        includes = [f"-I{found}" for found in folders]
        words = [nvcc, "-ptx", "-arch=compute_80", *program.options, *includes, "-o", folder / file, source]
        done = subprocess.run(list(map(str, words)), capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        entries = re.findall(r"\.entry (\w+)\(", (folder / file).read_text(encoding="utf-8"))
        for case in cases().values():
            if program_of(case) == name:
                own = re.compile(rf"{re.escape(case.kernel)}|_Z{len(case.kernel)}{re.escape(case.kernel)}[a-zA-Z]\w*")
                found = [entry for entry in entries if own.fullmatch(entry)]
                if len(found) == 1:
                    kernels[case.name] = (file, found[0])
    return kernels


def kept() -> dict[str, Any]:
    """Return the output of nvcc: `modules`, PTX by file, and `kernels`, the file and the entry of each case."""
    texts: dict[str, Any] = json.loads(gzip.decompress(MODULES.read_bytes()))
    return texts


def unpacked(folder: Path) -> dict[str, tuple[str, str]]:
    """Write the kept PTX of nvcc, and the recorded results, to the files where `ptx_worker.py` looks for them."""
    texts = kept()
    for file, text in texts["modules"].items():
        (folder / file).write_text(text, encoding="utf-8")
    shutil.copy(RECORDED, folder / "recorded.npz")
    return dict(texts["kernels"])


def record(folder: Path) -> int:
    import launch
    import ptx_worker
    import record as recording
    from cuda.bindings import nvrtc

    if hasattr(nvrtc, "HIP_PYTHON"):
        sys.exit("this is cuda_shim or HIP Python: what is recorded must come from NVIDIA's own CUDA Python")
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        sys.exit("nvcc is not on the path")
    kernels = compiled(nvcc, [], folder)
    ptx_worker.launch_from(folder, kernels)
    device = launch.Device()
    arrays, failed = recording.recorded(device, kernels)
    said = subprocess.run([nvcc, "--version"], capture_output=True, encoding="utf-8", check=True).stdout
    whole = {
        "nvcc": said.splitlines()[-1],
        "device": device.name,
        "failed": failed,
        "kernels": {name: found for name, found in kernels.items() if name not in failed},
        "modules": {file: (folder / file).read_text(encoding="utf-8") for file, _ in kernels.values()},
    }
    device.close()
    (folder / MODULES.name).write_bytes(gzip.compress(json.dumps(whole, indent=1).encode(), 9, mtime=0))
    np.savez_compressed(folder / RECORDED.name, **arrays)
    print(f"{len(kernels)} cases of {len(whole['modules'])} modules, {len(arrays)} arrays, failed: {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(record(Path(sys.argv[1])))
