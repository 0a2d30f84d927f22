"""Answers for each backend: different ones are listed for each, equal ones once, and one backend can be asked alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cuda_shim.cli.main import main
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan import by_backend, device_names
from cuda_shim.scan.diagnostics import Answer, Verdict
from cuda_shim.scan.shipped_headers import compiled_part
from cuda_shim.scan.support import Support
from cuda_shim.translate.headers import texts
from cuda_shim.translate.source import to_hip

PROGRAM = '''\
SOURCE = """
#include <cuda/barrier>
__global__ void k(int* p, cudaTextureObject_t t) {
  asm volatile("barrier.cluster.arrive;");
  __syncthreads(); tex2D<float>(t, 0, 0); tex2D<float>(t, threadIdx.x, 0); __mystery(1);
}
"""
from cuda.bindings import driver
driver.cuGraphConditionalHandleCreate, driver.cuGreenCtxCreate, driver.cuMemMapArrayAsync
'''


def said(capsys: pytest.CaptureFixture[str], *words: str | Path, status: int) -> list[str]:
    assert main(["scan", *map(str, words)]) == status
    return capsys.readouterr().out.splitlines()


def test_both_backends_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text(PROGRAM)
    lines = [line.removeprefix(f"{path}:") for line in said(capsys, path, status=1)]
    assert lines[0].startswith(
        "2:1: CS302 #include <cuda/barrier>: on AMD GPUs: asynchronous barriers have no counterpart"
    )
    assert lines[0].endswith("; on host cores: provided")
    assert lines[1].startswith("4:3: CS301 inline PTX: on AMD GPUs: clusters, bulk copies, mbarriers and 'wgmma'")
    assert lines[1].endswith("; on host cores: translated to C++")
    assert lines[2].startswith("5:20: CS104 tex2D: on AMD GPUs: gfx942 and gfx950 (MI300, MI350) have no image units")
    assert lines[3] == "5:76: CS401 __mystery: no table or header here has it"
    assert lines[4].endswith("on AMD GPUs: HIP graphs have no conditional nodes; on host cores: served")
    assert "hipGreenCtxCreate came with HIP 7.14; on host cores: becomes hipGreenCtxCreate" in lines[5]
    assert lines[6].endswith("on host cores: sparse arrays are not modelled")
    assert lines[-1].endswith("on AMD GPUs 3 will not work; on host cores 1 will not work, and 1 that cannot be judged")


@pytest.mark.parametrize(("backend", "problems"), [("rocm", ["CS302", "CS301", "CS201"]), ("cpu", ["CS201"])])
def test_one_backend_alone(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    backend: str,
    problems: list[str],
) -> None:
    path = tmp_path / "a.py"
    path.write_text(PROGRAM)
    lines = said(capsys, "--problems", "--backend", backend, path, status=1)
    assert [line.split()[1] for line in lines if line.startswith(str(path))] == problems
    assert not [line for line in lines if "on AMD GPUs" in line or "on host cores" in line]
    assert lines[-1].endswith(f": {len(problems)} will not work, and 1 that cannot be judged")
    monkeypatch.setenv("CUDA_SHIM_BACKEND", backend)
    assert said(capsys, "--problems", path, status=1) == lines


def test_json_has_an_answer_for_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.cu"
    path.write_text("#include <cuda/barrier>\n")
    document = json.loads("\n".join(said(capsys, "--json", path, status=1)))
    assert document["works_on"] == {"rocm": False, "cpu": True}
    (finding,) = document["findings"]
    assert finding["backends"]["cpu"] == {
        "code": "CS103",
        "message": "#include <cuda/barrier>: provided",
        "problem": False,
    }
    assert finding["backends"]["rocm"]["code"] == "CS302"
    document = json.loads("\n".join(said(capsys, "--json", "--backend=cpu", path, status=0)))
    assert (document["works"], document["works_on"], document["backends"]) == (True, {"cpu": True}, ["cpu"])


def test_a_verdict_that_is_the_same_twice_is_said_once() -> None:
    served, open_answer, refused = Answer("CS103", "yes"), Answer("CS401", "maybe"), Answer("CS302", "no")
    assert Verdict.apart("x", served, served) == Verdict("CS103", "x: yes")
    assert Verdict.apart("x", refused, served).code == "CS302"
    assert Verdict.apart("x", served, open_answer).code == "CS401"
    assert Verdict.apart("x", served, refused).narrowed(["rocm"]) == Verdict("CS103", "x: yes")
    assert Verdict.apart("x", Answer("CS205", "no"), Answer("CS401", "no")).message == "x: no"


#: PTX of numba-cuda's form: a module with a barrier of some threads, which host cores alone have.
MODULE = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k()
{
	bar.sync 	1, 64;
	ret;
}
"""


def test_ptx_modules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(MODULE)
    (line, *_, summary) = said(capsys, path, status=1)
    assert line.startswith(f"{path}:6:")
    assert "CS301 PTX: on AMD GPUs: " in line
    assert line.endswith("; on host cores: translated to C++")
    assert summary.endswith("on AMD GPUs 1 will not work; on host cores all of it is served")
    path.write_text(MODULE.replace("bar.sync 	1, 64", "bar.sync 0"))
    assert said(capsys, path, status=0)[-1].endswith("there is nothing to judge")
    program = tmp_path / "a.py"
    program.write_text(f'"""{MODULE.replace("bar.sync 	1, 64", "wgmma.fence.sync.aligned")}"""\n')
    assert said(capsys, program, status=1)[0].startswith(f"{program}:6:2: CS301 PTX: ")


def test_cpp_is_not_read_as_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.cpp"
    path.write_text(
        '#include <string>\nconst char* source = R"(\n__global__ void k() { cudaDeviceSynchronize(); }\n)";\n'
        "int main() { return cuInit(0) + cudaMalloc(0, 1); }\n"
    )
    lines = said(capsys, path, status=1)
    assert lines[0].startswith(f"{path}:3:23: CS303 cudaDeviceSynchronize: ")
    assert lines[1].startswith(f"{path}:5:21: CS401 host code in C++ is not judged (2 calls, the first of cuInit)")
    for name in ("b.c", "b.hpp"):
        (tmp_path / name).write_text("def(:")
        assert said(capsys, tmp_path / name, status=0)[-1] == (
            "1 files, 0 uses of CUDA 13.5: there is nothing to judge"
        )


def test_headers_beside_the_file_are_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.h").write_text("#pragma once\n")
    path = tmp_path / "a.cu"
    path.write_text('#include "own.h"\n#include "other.h"\n__global__ void k() {}\n')
    lines = said(capsys, path, status=0)
    assert lines[0] == f"{path}:2:1: CS401 #include <other.h>: it is found, or not, when the program is compiled"
    assert lines[-1].endswith("there is nothing to judge, and 1 that cannot be judged")


def test_amds_headers_and_names_are_what_the_translation_makes_of_them() -> None:
    for name, row in load_text("device")["headers"].items():
        answer = device_names.header_on_rocm(f"{name}x" if name.endswith("/") else name)
        assert answer.problem == ("refuse" in row), name
        if not name.endswith("/"):
            assert (b"#error" in dict(texts([name], set()))[name.encode()][:10]) == answer.problem, name
    for name in load_text("device")["refused"]:
        assert device_names.name_on_rocm(name).problem
        translated = to_hip(f"__global__ void k() {{ {name}(); }}\n".encode(), None, [], architecture="gfx942")
        assert b'_Pragma("GCC error \\"' in translated.source, name


def test_what_inline_ptx_becomes_on_amd() -> None:
    """The headers for AMD GPUs refuse it where the table does; a translation that they take is not reported."""
    assert device_names.refused_ptx(["cuda_shim_ptx", "needs_hosts"], "rocm") is not None
    assert device_names.refused_ptx(["cuda_shim_ptx", "needs_hosts"], "cpu") is None
    assert device_names.refused_ptx(["cuda_shim_ptx", "put", "x"], "rocm") is None
    rows = load_text("ptx")["instructions"]
    for name, row in rows.items():
        rocm, _ = device_names.instruction(name, row)
        refused = "refuse" in row or "hosts" in row or name.startswith("wmma.")
        assert rocm.problem == refused, name


def test_which_lines_of_a_header_are_for_which_backend() -> None:
    text = "a\n#if defined(__AMDGCN__)\nb\n#ifdef X\nc\n#else\nd\n#endif\n#else\ne\n#endif\n#if !defined(__AMDGCN__)\nf\n#endif\ng"
    assert compiled_part(text, on_gpu=True).split() == ["a", "b", "c", "d", "g"]
    assert compiled_part(text, on_gpu=False).split() == ["a", "e", "f", "g"]


def all_functions() -> dict[str, FunctionRow]:
    return {
        name: row
        for table in store.TABLES
        for cuda in LAYOUTS
        for name in store.load(table).names(cuda)
        if isinstance(row := store.load(table).row(name, cuda), FunctionRow)
    }


def test_the_table_of_amd_gpus_and_the_rows_agree() -> None:
    functions, table = all_functions(), load_text("amd")
    assert table["refused"].keys() <= functions.keys()
    on_cpu_alone = {name for name, row in functions.items() if (row.note or "").startswith("on the CPU backend alone")}
    reasons = {name: (functions[name].note or "").partition("; ")[2] for name in on_cpu_alone}
    assert {name: table["refused"].get(name) for name in on_cpu_alone} == reasons
    # The others are those that the CPU runtime does not have either.
    assert {
        name for name in table["refused"].keys() - on_cpu_alone if by_backend.cpu_reason(functions[name]) is None
    } == set()
    constants = Support("13.5")
    for row in table["limits"].values():
        for name in row["names"]:
            device = name in load_text("device")["names"] or device_names.name_on_rocm(name).code == "CS103"
            known = name.endswith("*") or name in functions or device
            assert known or constants.of(f"?.{name}") is not None, name


#: HIP functions that came with HIP 7.2, and that hip-python 7.2.2 does not bind.
NOT_BOUND = {"hipMemGetMemPool", "hipMemPrefetchBatchAsync", "hipMemSetMemPool"}


def test_releases_agree_with_what_hip_python_binds() -> None:
    """A function that hip-python 7.2.2 binds is there in HIP 7.2; one that only 10.0 binds came later."""
    for name, row in all_functions().items():
        newer = bool(by_backend.since(row))
        if row.hip and 7 not in row.hip_python:
            assert newer or row.hip in NOT_BOUND, (name, row.hip)
        elif row.hip and row.hip_python == (10, 7):
            assert not newer, (name, row.hip)


@pytest.mark.parametrize("name", ["cuCadd", "CUDART_INF_F", "__float_to_tf32", "atomic_ref", "row_major"])
def test_names_of_the_portable_headers_are_on_both(name: str) -> None:
    assert (device_names.name_on_rocm(name).code, device_names.name_on_cpu(name).code) == ("CS103", "CS103")
