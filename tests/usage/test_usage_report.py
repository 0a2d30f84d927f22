"""The report: from counters to data, to JSON and back, to tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cuda_shim.cli.main import main
from cuda_shim.errors import ShimError
from cuda_shim.usage.counter_file import CounterFile, Key
from cuda_shim.usage.recordings import Recordings
from cuda_shim.usage.usage_report import Call, Report

COUNTED: dict[Key, tuple[int, int]] = {
    ("call", "cuInit", "mapped"): (2, 3_000_000),
    ("call", "cudaMalloc", "mapped"): (4, 1_000_000),
    ("error", "cudaMalloc", "mapped", "cudaErrorMemoryAllocation"): (1, 500_000),
    ("raised", "cudaMalloc", "mapped", "TypeError"): (1, 0),
    ("error", "cuCtxAttach", "unsupported", "CUDA_ERROR_NOT_SUPPORTED"): (1, 1000),
    ("unsupported", "cuCtxAttach", "HIP has none; use [another]"): (1, 0),
    ("hallucinated", "cudaError_t", "cudaErrorTimeout"): (3, 0),
}


@pytest.fixture
def report(tmp_path: Path) -> Report:
    file = CounterFile(tmp_path, 0)
    for key, (count, nanoseconds) in COUNTED.items():
        at = file.new_counter(key)
        assert at is not None
        for _ in range(count):
            file.add(at, nanoseconds // count)
    return Report.of_folder(tmp_path)


def test_errors_and_exceptions_are_calls_too(report: Report) -> None:
    assert report.calls["cudaMalloc"] == Call("mapped", 6, 0.0015, {"cudaErrorMemoryAllocation": 1}, {"TypeError": 1})
    assert report.unsupported == {("cuCtxAttach", "HIP has none; use [another]"): 1}
    assert report.hallucinated == {"cudaError_t.cudaErrorTimeout": 3}


def test_the_longest_comes_first(report: Report) -> None:
    assert list(report.as_dict()["calls"]) == ["cuInit", "cudaMalloc", "cuCtxAttach"]


def test_json_and_back(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    report.write(path)
    assert Recordings([path]).report == report
    assert [file.name for file in tmp_path.glob("usage*")] == ["usage.json"]


def test_a_report_that_cannot_be_written_leaves_nothing(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    path.mkdir()  # in the way
    with pytest.raises(OSError, match=re.escape("usage.json")):
        report.write(path)
    assert [file.name for file in tmp_path.glob("usage*")] == ["usage.json"]
    assert path.is_dir()


def test_sum_of_reports(report: Report) -> None:
    total = Report.merged([report, report, Report()])
    assert total.processes == 2
    assert total.calls["cudaMalloc"].count == 12
    assert total.calls["cudaMalloc"].errors == {"cudaErrorMemoryAllocation": 2}
    assert report.calls["cudaMalloc"].errors == {"cudaErrorMemoryAllocation": 1}


def test_tables(report: Report) -> None:
    lines = str(report).splitlines()
    assert lines[0] == "cuda_shim: 9 CUDA calls, 4.5 ms"
    assert lines[2].split() == ["cuInit", "2", "3.0", "ms", "1.5", "ms", "mapped"]
    assert "HIP has none; use [another]" in str(report)  # brackets are no markup
    assert lines[-1].split() == ["cudaError_t.cudaErrorTimeout", "3"]


def test_nothing_called() -> None:
    assert str(Report()) == "cuda_shim: no CUDA call was made\n"


@pytest.mark.parametrize("text", ["", "[]"])
def test_a_file_without_a_recording(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ShimError, match=r"x\.json holds no recording"):
        Recordings([path])


@pytest.mark.parametrize("text", ["{}", '{"format": 1}', '{"format": 1, "processes": 1, "calls": [1]}'])
def test_a_file_without_a_report(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ShimError, match=r"x\.json is no usage report"):
        Recordings([path])


def test_a_report_of_another_format(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"format": 9}')
    with pytest.raises(ShimError, match="format 9; this version reads 1"):
        Recordings([path])


def test_the_verb_adds_files_up(report: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report.write(tmp_path / "a.json")
    report.write(tmp_path / "b.json")
    assert main(["report", "--json", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 0
    assert json.loads(capsys.readouterr().out)["calls"]["cuInit"]["count"] == 4
    assert main(["report", str(tmp_path / "a.json")]) == 0
    assert capsys.readouterr().out.startswith("cuda_shim: 9 CUDA calls")


def test_the_verb_with_wrong_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report"]) == 2
    assert main(["report", "--yaml", "x"]) == 2
    assert main(["report", str(tmp_path / "none.json")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [
        "cuda_shim: report: name a file",
        "cuda_shim: report: unknown option --yaml; there are --json and --html=PAGE",
    ]
    assert "none.json" in lines[2]
