"""Programs that look for CUDA_HOME, or pass its headers to NVRTC, find the files."""

from __future__ import annotations

import pytest

from cuda_shim import cuda_home
from tests.environments import Python
from tests.interpreters import Environment
from tests.program_files import read_program

RUN = ("-m", "cuda_shim", "run", "--quiet")
SAID = "import os; print(os.environ.get('CUDA_HOME'), os.environ.get('CUDA_PATH'))"
#: The toolkit's headers that programs look for.
LOOKED_FOR = (
    "cuda.h",
    "cuda_runtime.h",
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cooperative_groups.h",
    "mma.h",
    "vector_types.h",
)

COMPILES = read_program(__file__, "cuda_home_compiles.py")


def test_it_is_offered_where_no_toolkit_is_named(installed: Environment) -> None:
    assert installed.start(*RUN, "-c", SAID).stdout == f"{cuda_home.folder()} None\n"
    assert installed.start(*RUN, "-c", SAID, CUDA_HOME="/mine").stdout == "/mine None\n"
    assert installed.start(*RUN, "-c", SAID, CUDA_PATH="/mine").stdout == "None /mine\n"
    assert (
        installed.start("-c", f"import cuda.bindings; {SAID}", CUDA_SHIM="1").stdout == f"{cuda_home.folder()} None\n"
    )


def test_enabling_offers_it_and_takes_it_back(installed: Environment) -> None:
    code = f"import cuda_shim\nwith cuda_shim.enable():\n    {SAID}\n{SAID.partition('; ')[2]}"
    assert installed.start("-c", code).stdout == f"{cuda_home.folder()} None\nNone None\n"
    assert installed.start("-c", code, CUDA_HOME="/mine").stdout == "/mine None\n/mine None\n"


@pytest.mark.parametrize("name", LOOKED_FOR)
def test_it_holds_what_programs_look_for(any_shim_python: Python, name: str) -> None:
    code = f"import os; print(os.path.isfile(os.path.join(os.environ['CUDA_HOME'], 'include', {name!r})))"
    assert any_shim_python.run(*RUN, "-c", code) == "True\n"


def test_its_headers_reach_nvrtc(any_shim_python: Python) -> None:
    done = any_shim_python.start_for(600, *RUN, "--backend", "cpu", "-c", COMPILES)  # the runtime may have to be built
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        [way, "NVRTC_SUCCESS"] for way in ("option", "words", "text")
    ], done.stdout + done.stderr
