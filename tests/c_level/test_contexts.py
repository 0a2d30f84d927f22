"""C functions of the driver answer before cuInit, and without a context, as an NVIDIA GPU does.

Every function is called with no input, and with room for its outputs. The expected statuses are those that NVIDIA's
wheel recorded for such calls (`tests/adapters/no_context`).
"""

from __future__ import annotations

import json
from pathlib import Path

from cuda_shim import settings
from cuda_shim.c_level import build, embedding
from tests.adapters import no_context
from tests.c_level.test_programs_in_c import compile_with, needs_shared_python, run
from tests.interpreters import PACKAGE_ROOT, start
from tests.program_files import read_program

RECORDED = Path(no_context.__file__).parent
LAYOUT = "13.5"  # the layout of the recordings
NO_CONTEXT, NOT_SUPPORTED = 201, 801
#: The least number of functions to compare.
LEAST = {"uninitialized": 300, "initialized": 200}
#: CUDA looks at the wrong type of resource first, HIP at the null context.
OTHER_ORDER = {"cuGreenCtxGetDevResource"}
EVERY_FUNCTION = read_program(__file__, "contexts_every_function.py")


def compared(state: str) -> list[tuple[str, int, int]]:
    """The functions that have a recorded status, and are served: their names, CUDA's status and ours."""
    recorded = json.loads((RECORDED / f"{state}.json").read_text(encoding="utf-8"))
    done = start("-c", EVERY_FUNCTION, state, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_LOG="off", CUDA_SHIM_QUIET="1")
    assert done.returncode == 0, done.stderr[-2000:]
    ours: dict[str, int] = json.loads(done.stdout)
    return [
        (name, status, ours[name])
        for name, status in recorded.items()
        if isinstance(status, int) and name in ours and ours[name] != NOT_SUPPORTED
    ]


def test_before_cuinit() -> None:
    answers = compared("uninitialized")
    assert len(answers) > LEAST["uninitialized"]
    assert [each for each in answers if each[1] != each[2]] == []


def test_without_a_context() -> None:
    answers = compared("initialized")
    assert len(answers) > LEAST["initialized"]
    wrong = [(name, cuda, ours) for name, cuda, ours in answers if (cuda == NO_CONTEXT) != (ours == NO_CONTEXT)]
    assert {name for name, *_ in wrong} == OTHER_ORDER & {name for name, *_ in answers}, wrong


PROGRAM = read_program(__file__, "contexts.c")
WITH, WITHOUT = "0 0 0 0 context", "201 0 0 201 none"
ROUND = [f"thread {WITHOUT}", f"pushed {WITH}", f"popped {WITHOUT}", f"set {WITH}", f"unset {WITHOUT}", f"main {WITH}"]


@needs_shared_python
def test_contexts_are_each_threads_own(tmp_path: Path) -> None:
    library = Path(build.ensure_library(LAYOUT, settings.current()))
    assert embedding.note_interpreter(str(library))
    options = (f"-I{library / build.INCLUDE}", f"-L{library}", "-lcuda", "-pthread")
    done = run(compile_with("gcc", PROGRAM, tmp_path, *options), library)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["before 3 1 3", "initialized 0 0 201", f"main {WITH}", *ROUND, *ROUND]
