"""tables/settings.yaml: its reader is strict, its generated files are current, and a setting is added as described."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.interpreters import HANG, clean_environment
from tests.session.test_settings_in_both_languages import compile_program, said_by_runtime

TABLE = "tables/settings.yaml"
GENERATED = (
    "cuda_shim/setting_rows.py",
    "hip_on_host/src/common/setting_rows.h",
    "docs/settings.md",
)
NEW_ROW = """  cpu_{name}:
    kind: integer
    range: 1 to 8
    reader: runtime
    meaning: nothing
"""


def generate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return start(folder, folder / "tools/generate_settings.py", *words)


def start(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", *map(str, words)]
    return subprocess.run(
        command, cwd=folder, env=clean_environment(), capture_output=True, encoding="utf-8", timeout=HANG, check=False
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, for tests that leave it as it was."""
    return copy_checkout(tmp_path_factory.mktemp("checkout"))


def copy_checkout(folder: Path) -> Path:
    """Copy the files of the repository that git knows."""
    runpy.run_path(str(ROOT / "tools/release_wheels.py"))["copy_checkout"](folder)
    return folder


@pytest.fixture
def edit(checkout: Path):
    """Change a file of the copy until the test ends."""
    before: dict[Path, str] = {}

    def change(name: str, edited: Callable[[str], str]) -> None:
        path = checkout / name
        before.setdefault(path, path.read_text(encoding="utf-8"))
        path.write_text(edited(before[path]), encoding="utf-8")
        assert path.read_text(encoding="utf-8") != before[path]

    yield change
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")


def test_the_generated_files_are_current() -> None:
    done = generate(ROOT, "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", GENERATED)
def test_a_stale_file_is_refused_by_name(checkout: Path, edit, name: str) -> None:
    edit(name, lambda text: text.replace("lanes of a warp", "lanes of the warp").replace("64 to run", "32 to run"))
    done = generate(checkout, "--check")
    assert done.returncode == 1
    assert done.stderr == f"generate_settings: out of date: {name} - run tools/generate_settings.py\n"


def test_a_row_without_its_generated_files_is_refused(checkout: Path, edit) -> None:
    edit(TABLE, lambda text: text + NEW_ROW.format(name="probe"))
    done = generate(checkout, "--check")
    assert done.stderr == f"generate_settings: out of date: {', '.join(GENERATED)} - run tools/generate_settings.py\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("range: 1 to 64", "range: 64 to 1", "cpu_devices.range: 64 is above 1"),
        ("range: 1 to 64", "range: 1 to 64.5", "cpu_devices: 64.5 is no integer from 0 to 2147483647"),
        ("range: 1 to 64", "range: 1 to 2147483648", "cpu_devices: 2147483648 is no integer from 0 to 2147483647"),
        ("choices: [32, 64]", "choices: [32, many]", "cpu_warp_size: many is no integer from 0 to 2147483647"),
        ("range: 1 to 64", "range: 1-64", "cpu_devices.range: '1-64' is not a range such as 1 to 64"),
        ("range: 1 to 64\n    default: 1", "range: 1 to 64\n    default: 65",
         "cpu_devices.default=65 is not allowed; use an integer from 1 to 64"),
        ("range: 1 to 64", "rnage: 1 to 64", "cpu_devices: unknown field 'rnage'; did you mean 'range'?"),
        ("range: 1 to 64", "range: 1 to 64\n    unit: devices", "cpu_devices.unit: a setting of the kind integer has none"),
        ("range: 1 to 64", "range: 1 to 64\n    choices: [1, 2]", "cpu_devices: an integer has either 'range' or 'choices'"),
        ("kind: number", "kind: nubmer", "'nubmer' is not one of boolean, choice,"),
        ("reader: shim", "reader: me", "mode.reader: 'me' is not one of shim, runtime, both"),
        ("    meaning: lanes of a warp on the CPU backend\n", "", "cpu_warp_size: no field 'meaning'"),
        ("needs: cpu_rocm", "needs: cpu_rock", "cpu_gfx.needs: 'cpu_rock' is no boolean or choice"),
        ("12.x: 12.9", "12.x: 12.8", "cuda.aliases: 12.x stands for no choice: 12.8"),
        ("\n  backend:", "\n  mode:", "'mode' is in another section as well"),
        ("kind: file\n", "kind: target\n", "cpu_check_json.default=0 is not allowed; use a target of AMD's compiler"),
        ("kind: thread\n", "kind: report\n", "cpu_debug_thread.kind: the runtime reads no settings of this kind"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_refused_with_its_place(checkout: Path, edit, old: str, new: str, message: str) -> None:
    edit(TABLE, lambda text: text.replace(old, new, 1))
    done = generate(checkout)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert re.search(rf"{TABLE}:\d+:\d+: ", last), last
    assert message in last


def test_a_document_without_its_mark_is_refused(checkout: Path, edit) -> None:
    edit("docs/settings.md", lambda text: text.replace("<!-- settings of cpu -->\n", ""))
    done = generate(checkout)
    assert done.returncode == 1
    assert done.stderr == "no line <!-- settings of cpu --> for the table of that name\n"


def test_a_setting_is_added_as_contributing_says(tmp_path: Path) -> None:
    """By the text alone: its row and its command are all that is done."""
    checkout = copy_checkout(tmp_path / "checkout")
    text = (
        (ROOT / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("## To add a setting\n")[2]
        .partition("\n## ")[0]
    )
    blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    with (checkout / TABLE).open("a", encoding="utf-8") as table:
        table.write(blocks["yaml"])
    python, *words = blocks["sh"].split()
    assert python == "python"
    done = start(checkout, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert generate(checkout, "--check").returncode == 0

    code = "import json, sys; sys.path.insert(0, '.'); from cuda_shim import settings; e = {'CUDA_SHIM_CPU_EXAMPLE': '7'}; "
    read = code + "print(json.dumps([settings.read(*a).cpu_example for a in ((), ({'cpu_example': '4'},), (None, e))]))"
    assert json.loads(start(checkout, "-c", read).stdout) == [2, 4, 7]
    refused = "is not allowed; use an integer from 1 to 8"
    done = start(checkout, "-m", "cuda_shim", "run", "--cpu-example", "9", "-c", "pass")
    assert done.stderr == f"cuda_shim: run: --cpu-example=9 {refused}\n"

    program = compile_program(tmp_path / "print_settings", checkout / "hip_on_host/src")
    assert said_by_runtime(program)[0]["CUDA_SHIM_CPU_EXAMPLE"] == "2"
    assert said_by_runtime(program, CUDA_SHIM_CPU_EXAMPLE="8")[0]["CUDA_SHIM_CPU_EXAMPLE"] == "8"
    printed, reported = said_by_runtime(program, CUDA_SHIM_CPU_EXAMPLE="9")
    assert printed["CUDA_SHIM_CPU_EXAMPLE"] == "2"
    assert reported == f"cuda_shim: CUDA_SHIM_CPU_EXAMPLE=9 {refused}; the default is used\n"

    header = checkout / "hip_on_host/src/common/setting_rows.h"
    assert "    int example = 2;" in header.read_text(encoding="utf-8")  # the declaration in settings()
    page = (checkout / "docs/settings.md").read_text(encoding="utf-8")
    assert page.count("| an example that changes nothing |") == 2
