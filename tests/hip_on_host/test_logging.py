"""The log's level, changed while the program runs (hipExt*Logging*)."""

from __future__ import annotations

from pathlib import Path

from tests.hip_on_host import hip_program

# Freeing memory that is not there logs nothing; loading bytes that are no module logs an error.
PROGRAM = """
library = ctypes.CDLL({library!r})
def complain(note):
    os.write(2, (note + ":").encode())
    library.hipModuleLoadData(ctypes.byref(ctypes.c_void_p()), b"no module" * 20)
    os.write(2, b"\\n")
complain("as set")
library.hipExtDisableLogging()
complain("disabled")
library.hipExtEnableLogging()
complain("enabled")
size = ctypes.c_size_t
for level, mask in ((0, 1), (1, 0), (4, 1), (1 << 40, 7)):
    assert library.hipExtSetLoggingParams(size(level), size(0), size(mask)) == 0
    complain(f"level {{level}} mask {{mask}}")
"""


def said(runtime_folder: Path, **environment: str) -> dict[str, bool]:
    """Return, for each step of the program, whether the log had a line about it."""
    code = PROGRAM.format(library=str(runtime_folder / "lib/libamdhip64.so"))
    done = hip_program.run(runtime_folder, code, **environment)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith("cuda_shim:")]
    notes = [line.partition(":") for line in lines]
    return {note: "module image" in rest for note, _, rest in notes}


def test_the_level_changes_while_the_program_runs(runtime_folder: Path) -> None:
    log = said(runtime_folder)
    assert [note for note, reported in log.items() if reported] == [
        "as set",
        "enabled",
        "level 4 mask 1",
        f"level {1 << 40} mask 7",
    ]
    assert [note for note, reported in log.items() if not reported] == ["disabled", "level 0 mask 1", "level 1 mask 0"]


def test_enabling_goes_back_to_what_was_set(runtime_folder: Path) -> None:
    log = said(runtime_folder, CUDA_SHIM_CPU_LOG="off")
    assert not log["as set"]
    assert not log["enabled"]
    assert log["level 4 mask 1"]
