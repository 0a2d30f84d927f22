"""Barriers, copies and products of compute capability 9.0 on host cores, beside an H100's recorded results.

`python tests/hopper/program.py GROUP FILE.npz --write-ptx=FOLDER` records them on such a GPU.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.writer import translate
from tests.kernels import compilers
from tests.ptx.texts import kernel

FOLDER = Path(__file__).resolve().parent
RECORDED = FOLDER / "recorded"
ARGUMENTS = ("-m", "cuda_shim", "run", "--backend", "cpu", "--cpu-compute-capability", "9.0", FOLDER / "program.py")
EVERY = 8  # product of which one runs in the short tests
# The recorded programs try 1,000 times to pass a barrier, which a busy machine may not give to another thread.
THREADS = {"CUDA_SHIM_CPU_THREADS": "1"}


def recorded(group: str) -> dict[str, np.ndarray[Any, Any]]:
    """The H100's arrays of a group, by name."""
    with np.load(RECORDED / f"{group}.npz") as arrays:
        return dict(arrays)


def differing(file: Path, group: str, count: int) -> list[str]:
    """The names of results that an H100 gives otherwise; the file must hold so many."""
    expected = recorded(group)
    with np.load(file) as arrays:
        results = dict(arrays)
    assert len(results) == count
    return [name for name, array in results.items() if not np.array_equal(array, expected[name])]


GROUPS = [("barriers", 5), ("copies", 24), ("tensors", 142), ("replaced", 54), ("products", 32 // EVERY)]


@pytest.mark.parametrize(("group", "count"), GROUPS)
def test_inline_assembly_gives_what_an_h100_gives(any_shim_python, tmp_path, group, count):
    file = tmp_path / "results.npz"
    any_shim_python.run(*ARGUMENTS, group, file, f"--every={EVERY}", **THREADS)
    assert differing(file, group, count) == []


@pytest.mark.parametrize(("group", "count"), GROUPS)
def test_modules_of_ptx_give_what_an_h100_gives(any_shim_python, tmp_path, group, count):
    for name, text in json.loads(gzip.decompress((RECORDED / "ptx.json.gz").read_bytes())).items():
        (tmp_path / name).write_text(text)
    file = tmp_path / "results.npz"
    any_shim_python.run(*ARGUMENTS, group, file, f"--read-ptx={tmp_path}", f"--every={EVERY}", **THREADS)
    assert differing(file, group, count) == []


def test_functions_of_cccl_give_what_an_h100_gives(any_shim_python, tmp_path):
    file = tmp_path / "results.npz"
    any_shim_python.run(
        *ARGUMENTS, "functions", file, INCLUDE=":".join(compilers.toolkit_folders(max(compilers.WHEELS.values())))
    )
    assert differing(file, "functions", 5) == []


@pytest.mark.parametrize("number", [0, 2, 3, 5, 8, 12])
def test_stores_that_an_h100_refuses_stop_the_kernel(any_shim_python, tmp_path, number):
    done = any_shim_python.start(*ARGUMENTS, "refused", tmp_path / "results.npz", START=str(number))
    assert done.returncode != 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [str(number)]
    assert "as an illegal instruction" in done.stderr


def test_kernels_wait_for_those_that_they_depend_on(any_shim_python):
    assert (
        any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "dependent_launch_program.py")
        == "right\n"
    )


def test_wrong_tensor_maps_have_the_status_of_an_h100(any_shim_python, tmp_path):
    file, expected = tmp_path / "results.npz", recorded("errors")
    any_shim_python.run(*ARGUMENTS, "errors", file)
    with np.load(file) as results:
        assert list(results["names"]) == list(expected["names"])
        differing = results["names"][results["statuses"] != expected["statuses"]]
    assert list(differing) == []


@pytest.mark.long
def test_all_products_give_what_an_h100_gives(any_shim_python, tmp_path):
    file = tmp_path / "results.npz"
    any_shim_python.run(*ARGUMENTS, "products", file)
    assert differing(file, "products", 32) == []


@pytest.mark.parametrize(
    "body",
    [
        "mbarrier.init.shared::cta.b64 [%r1], 1;",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];",
        "wgmma.fence.sync.aligned;",
        "mapa.shared::cluster.u32 %r1, %r2, 0;",
        "barrier.cluster.arrive.aligned;",
    ],
)
def test_an_amd_gpu_is_told_which_instruction_it_lacks(body):
    (reason,) = translate(kernel(body)).hosts_only
    assert f"'{body.partition(' ')[0].rstrip(';')}'" in reason.reason
    assert reason.line == 21


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("mbarrier.init.shared::cta.b64 [%r1];", "Arguments mismatch"),
        ("mbarrier.arrive.shared::cta.b64 %rd1, [%r1], 1, 2;", "Arguments mismatch"),
        (
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r3];",
            "2 coordinates are wanted here",
        ),
        ("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1], [%r3];", "coordinates is wanted here"),
        (
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 2, 1, 0, 0;",
            "Arguments mismatch",
        ),
        (
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
            "Arguments mismatch",
        ),
    ],
)
def test_wrong_operands_are_errors_with_their_place(body, reason):
    with pytest.raises(PtxError) as caught:
        translate(kernel(body))
    assert reason in caught.value.reason
    assert caught.value.line == 21


def test_devices_have_the_capability_that_is_set(any_shim_python):
    for capability, opt_in in (("8.0", 163), ("9.0", 227)):
        done = any_shim_python.run("-m", "cuda_shim", "run", FOLDER / "device_program.py", CUDA_SHIM_BACKEND="cpu", CUDA_SHIM_CPU_COMPUTE_CAPABILITY=capability)  # fmt: skip
        clusters = "1" if capability == "9.0" else "0"
        assert done.split() == [capability, str(opt_in << 10), clusters, clusters, capability.replace(".", "")]


def test_another_capability_is_refused_with_the_list_of_served_ones(any_shim_python):
    words = "-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "device_program.py"
    done = any_shim_python.start(*words, CUDA_SHIM_CPU_COMPUTE_CAPABILITY="7.5")
    assert done.returncode != 0
    assert "8.0" in done.stderr
    assert "9.0" in done.stderr


def test_arguments_of_tensor_maps_are_checked_as_on_an_h100(any_shim_python):
    """On the default device these calls are not supported, which `tests/conformance/differences.py` lists."""
    program = FOLDER.parent / "conformance" / "programs" / "tensor_map.py"
    done = any_shim_python.run("-m", "cuda_shim", "run", program, CUDA_SHIM_BACKEND="cpu", CUDA_SHIM_CPU_COMPUTE_CAPABILITY="9.0", PYTHONPATH=str(program.parent))  # fmt: skip
    answers = json.loads((FOLDER.parent / "conformance" / "recorded.json").read_text())
    assert done.splitlines() == answers["programs"]["tensor_map"]["lines"]


@pytest.mark.parametrize("program", ["boxes_program.py", "made_map_program.py"])
def test_boxes_of_tensors_are_where_numpy_has_them(any_shim_python, program):
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", "--cpu-compute-capability", "9.0")
    assert any_shim_python.run(*words, FOLDER / program) == "right\n"
