"""The verb: the files that it reads, notebooks, its output, its exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.cli.main import main
from tests.environments import ROOT

FINE = "from cuda.bindings import driver\ndriver.cuInit(0)\n"
BROKEN = "from cuda.bindings import driver\ndriver.cuInitt(0)\n"


def notebook(*cells: str | list[str], kind: str = "code") -> str:
    return json.dumps({"cells": [{"cell_type": kind, "source": cell} for cell in cells], "nbformat": 4})


def said(capsys: pytest.CaptureFixture[str], *words: str | Path, status: int = 0) -> list[str]:
    assert main(["scan", *map(str, words)]) == status
    captured = capsys.readouterr()
    return (captured.err if status == 2 else captured.out).splitlines()


def test_lines_and_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text(FINE + "driver.cuInitt(0)\n")
    assert said(capsys, path, status=1) == [
        f"{path}:2:1: CS101 cuInit -> hipInit",
        f"{path}:3:1: CS204 cuInitt: cuda.bindings.driver has no such name; did you mean cuInit?",
        "     1  CS101 mapped: the call, or type, goes to its HIP counterpart",
        "     1  CS204 unknown: no such name in CUDA Python",
        "1 files, 2 uses of CUDA 13.5: 1 will not work",
    ]
    assert said(capsys, "--problems", path, status=1)[0].startswith(f"{path}:3:1: CS204")
    path.write_text(FINE)
    assert said(capsys, path)[-1] == "1 files, 1 uses of CUDA 13.5: all of it is served"
    assert said(capsys, "--problems", "--cuda", "12", path)[-1] == "1 files, 1 uses of CUDA 12.9: all of it is served"


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text(BROKEN)
    document: dict[str, Any] = json.loads("\n".join(said(capsys, "--json", path, status=1)))
    message = "cuInitt: cuda.bindings.driver has no such name; did you mean cuInit?"
    answer = {"code": "CS204", "message": message, "problem": True}
    assert document == {
        "cuda": "13.5",
        "backends": ["rocm", "cpu"],
        "files": 1,
        "works": False,
        "works_on": {"rocm": False, "cpu": False},
        "counts": {"CS204": 1},
        "modules_not_looked_into": [],
        "findings": [
            {
                "file": str(path), "line": 2, "column": 1, "code": "CS204", "problem": True,
                "name": "cuda.bindings.driver.cuInitt",
                "message": message, "backends": {"rocm": answer, "cpu": answer},
            }
        ],
    }  # fmt: skip


def test_which_files_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (
        "b.py", "sub/a.py", "n.ipynb", "k.cu", "text.txt", ".hidden/x.py", "venv/pyvenv.cfg", "venv/lib/x.py",
        "__pycache__/x.py", "sub/site-packages/x.py",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook(BROKEN) if name.endswith("ipynb") else BROKEN)
    lines = said(capsys, tmp_path, status=1)
    assert [line.partition(": CS")[0].removeprefix(f"{tmp_path}/") for line in lines[:3]] == [
        "b.py:2:1", "n.ipynb:cell 1:2:1", "sub/a.py:2:1",
    ]  # fmt: skip
    assert lines[-1].startswith("4 files")
    assert said(capsys, tmp_path / "venv", status=1)  # named, so meant


def test_notebooks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.ipynb"
    cells: list[str | list[str]] = [
        ["%load_ext cuda_shim\n", "!ls\n", "from cuda.bindings import driver\n"],
        "%%bash\nfrom cuda import nothing",
        "%%time\nfor i in range(2):\n    %timeit driver.cuInit(0)\n    driver.cuInitt(0)\nx = !ls\ndriver.cuInit?\n",
        "this is no python",
        "driver.cuInit(1)",
    ]
    path.write_text(notebook(*cells))
    lines = said(capsys, path, status=1)
    assert [line.partition(f"{path}:")[2].partition(": ")[0] for line in lines[:3]] == [
        "cell 3:4:5", "cell 4:1:12", "cell 5:1:1",
    ]  # fmt: skip
    assert "CS000 not Python of this version: invalid syntax" in lines[1]
    path.write_text(notebook("from cuda.bindings.driver import cuNothing", kind="markdown"))
    assert said(capsys, path)[-1].startswith("1 files, 0 uses")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.py", b"import cuda\ndef (:\n", "2:5: CS000 not Python of this version: "),
        ("a.py", b"cuda = '\xff'\n", "1:1: CS000 not Python of this version: "),
        ("a.py", b"# -*- coding: nothing -*-\ncuda\n", "1:1: CS000 not Python of this version: unknown encoding"),
        ("a.py", b"import cuda\0\n", "CS000 not Python of this version: source code"),
        ("a.ipynb", b'{"cuda": 1}', "1:1: CS000 not Python of this version: not a notebook"),
        ("a.ipynb", b"[cuda", "1:1: CS000 not Python of this version: not a notebook"),
    ],
)
def test_files_that_are_no_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert message in said(capsys, path, status=1)[0]


def test_an_encoding_that_the_file_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\nx = '\xe4'; from cuda.bindings.driver import cuInit\n")
    assert said(capsys, path)[0].endswith("CS101 cuInit -> hipInit")


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert "CS000 cannot be read: No such file" in said(capsys, tmp_path, status=1)[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name a file or a folder"),
        (["nowhere.py"], "there is no file or folder nowhere.py"),
        (["--yaml", "x"], "unknown option --yaml; the options are --json, --problems, --cuda, --backend, --codes"),
        (["--cuda", "14", "."], "cuda=14 is not allowed; use 11.8, 12.9, 13.5"),
        (["--backend", "nvidia", "."], "backend=nvidia is not allowed; use auto, rocm, cpu"),
        (["--backend=", "."], "--backend needs a value: auto, rocm, cpu"),
        (["--cuda=", "."], "--cuda needs a value: 11.8, 12.9, 13.5"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    (line,) = said(capsys, *words, status=2)
    assert line.startswith(f"cuda_shim: scan: {message}")


def test_help_and_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "--help")[0].startswith("usage: python -m cuda_shim scan")
    assert said(capsys, "--codes")[1].startswith("CS101  mapped")


def test_our_own_examples_are_served(capsys: pytest.CaptureFixture[str]) -> None:
    """But for constants that HIP never returns, by which one shows an error, and conditional nodes, which HIP has not."""
    lines = said(capsys, "--problems", ROOT / "examples", status=1)
    problems = {Path(line.partition(":")[0]).name for line in lines if ": CS" in line}
    assert problems == {"error_checking.py", "conditional_graph.py"}


def test_options_of_nvrtc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text("from cuda.bindings import nvrtc\ngood = [b'--std=c++17', b'-I', b'x']\nbad = (b'--fast-maths',)\n")
    assert said(capsys, path, status=1)[0] == f"{path}:3:7: CS304 nvrtc: error: unrecognized option --fast-maths found"


def test_nothing_is_not_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, tmp_path, status=2) == [
        f"cuda_shim: scan: no Python file, notebook, Cython, C++, CUDA C++ or PTX in {tmp_path}: nothing was scanned"
    ]
    (tmp_path / "a.py").write_text("print()\n")
    assert said(capsys, tmp_path)[-1] == "1 files, 0 uses of CUDA 13.5: there is nothing to judge"


def test_a_name_that_is_put_together_is_not_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text(FINE + "name = input()\ngetattr(driver, 'cu' + name)()\ngetattr(driver.CUresult, name, None)\n")
    lines = said(capsys, path)
    assert lines[1] == f"{path}:4:1: CS401 getattr(cuda.bindings.driver, …): the name is put together at run time"
    assert "getattr(cuda.bindings.driver.CUresult, …): " in "".join(lines)
    assert lines[-1].endswith(": all of it is served, and 2 that cannot be judged")
    assert said(capsys, "--problems", path)[0].startswith("     2  CS101")
    path.write_text("from cuda.bindings import driver\nlen(getattr(object(), input()))\ngetattr(driver, input())\n")
    assert (
        said(capsys, path)[-1] == "1 files, 0 uses of CUDA 13.5: there is nothing to judge, and 1 that cannot be judged"
    )
