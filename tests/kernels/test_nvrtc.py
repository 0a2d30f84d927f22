"""The corpus is valid CUDA: NVIDIA's own NVRTC compiles every program of it, which takes no GPU."""

from __future__ import annotations

import pytest

from tests.kernels import compilers
from tests.kernels.corpus import cases, programs

PROGRAMS = programs()


def test_there_are_enough_kernels():
    assert len({(case.file, case.kernel) for case in cases().values()}) >= 80


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
@pytest.mark.parametrize("name", PROGRAMS)
def test_nvrtc_takes(name, layout):
    program, compiler = PROGRAMS[name], compilers.nvrtc().get(layout)
    if compiler is None:
        pytest.skip(f"NVRTC {layout} is not installed")
    if program.cuda > layout:
        pytest.skip(f"CUDA {program.cuda} is the first to take it")
    # Newer ones leave out older devices; 11.8 has an older C++ by default.
    options = [b"-arch=compute_80", *(option.encode() for option in program.options)]
    if layout == "11.8" and not any("-std" in option for option in program.options):
        options.append(b"-std=c++17")
    if program.toolkit:
        folders = compilers.toolkit_folders(layout)
        if not folders:
            pytest.skip(f"no headers of CUDA {layout} are installed")
        options += [b"-I" + folder.encode() for folder in folders]
    headers = {own.encode(): text.encode() for own, text in program.headers.items()}
    expressions = [kernel.encode() for kernel in program.kernels]
    done = compiler.compile(program.source.encode(), program.file.encode(), options, headers, expressions)
    assert done.status == 0, done.log
    assert done.size > 0
