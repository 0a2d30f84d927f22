"""The corpus once more, from PTX that nvcc makes of it: its front end is not NVRTC's, and the C++ around kernels is a host's."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.kernels import compilers
from tests.kernels.corpus import cases, programs
from tests.kernels.test_ptx import run_all

NVCC = compilers.nvcc()
FOLDERS = compilers.toolkit_folders(max(compilers.WHEELS.values()))


def compiled(nvcc, folder):
    """Write the PTX of programs, and which kernel each case is; the cases whose kernel nvcc makes unasked."""
    kernels = {}
    for number, (name, program) in enumerate(programs().items()):
        if program.headers or "--device-int128" in program.options:  # which nvcc has without being told
            continue
        source, file = folder / f"{number}.cu", f"{number}.ptx"
        source.write_text(program.source, encoding="utf-8")
        words = [
            nvcc,
            "-ptx",
            "-arch=compute_80",
            *program.options,
            *(f"-I{found}" for found in FOLDERS),
            "-o",
            folder / file,
            source,
        ]
        done = subprocess.run(list(map(str, words)), capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        entries = re.findall(r"\.entry (\w+)\(", (folder / file).read_text(encoding="utf-8"))
        for case in cases().values():
            if " ".join((case.file, *case.options)) == name:
                own = re.compile(rf"{re.escape(case.kernel)}|_Z{len(case.kernel)}{re.escape(case.kernel)}[a-zA-Z]\w*")
                found = [entry for entry in entries if own.fullmatch(entry)]
                if len(found) == 1:
                    kernels[case.name] = (file, found[0])
    return kernels


@pytest.mark.long
@pytest.mark.skipif(NVCC is None, reason="no nvcc is installed")
@pytest.mark.skipif(not FOLDERS, reason="no headers of a toolkit are installed")
def test_ptx_of_nvcc_gives_what_its_source_gives(any_shim_python, tmp_path):
    kernels = compiled(NVCC, tmp_path)
    outcomes = run_all(any_shim_python, tmp_path, kernels)
    assert len(outcomes) > 100
    failures = [f"{name}: {error.strip().splitlines()[-1]}" for name, error in outcomes.items() if error]
    assert failures == []
