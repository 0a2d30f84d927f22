"""PTX that Numba made of kernels as users write them: every result is the one that an NVIDIA GPU recorded."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.ptx.numba_kernels import cases
from tests.ptx.numba_modules import FILE, different, entry, kept, sampled

FOLDER = Path(__file__).resolve().parent
PROGRAM = FOLDER / "numba_modules.py"
RECORDED = FOLDER / "recorded_numba.npz"
is_recorded = pytest.mark.skipif(not RECORDED.exists(), reason="nothing is recorded: see numba_modules.py")


def said(python, *words):
    """Return the program's output with the shim in place, without the shim's reports of long compilations."""
    process = python.start_for(3600, "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, *words)
    assert process.stdout or process.returncode, process.stderr
    return process.stdout or process.stderr


def compared(python, count, *words):
    lines = said(python, "compare", RECORDED, *words)
    assert lines.splitlines() == [f"{count} kernels, 0 differ"], lines


def test_each_kernel_has_one_module_with_one_entry():
    modules = kept(FILE)["modules"]
    assert sorted(modules) == list(cases())
    assert len({name.partition("+")[0] for name in modules}) >= 100
    assert all(text.count(".entry") == 1 and entry(text) for text in modules.values())


@is_recorded
def test_as_recorded_on_an_nvidia_gpu(any_shim_python):
    compared(any_shim_python, sum("+" not in name for name in cases()), "once")


@is_recorded
def test_dispatch_loops_compute_the_same(any_shim_python):
    compared(any_shim_python, len([name for name in cases() if "+" not in name][::3]), "plain", "once", "0/3")


@is_recorded
@pytest.mark.long
@pytest.mark.parametrize("way", [(), ("plain",)], ids=["structured", "plain"])
def test_with_every_option_of_the_compiler(any_shim_python, way):
    compared(any_shim_python, len(cases()), *way)


def test_results_are_as_the_host_computes_them_and_a_change_is_seen(any_shim_python, tmp_path):
    file, names = tmp_path / "own.npz", ("bits.", "structures.moved")
    assert "17 kernels are recorded, 0 failed" in said(any_shim_python, "record", file, "here", *names)
    assert said(any_shim_python, "compare", file, *names).splitlines()[-1] == "17 kernels, 0 differ"
    recorded = dict(np.load(file))
    recorded["bits.crc32/1"][7] ^= 1
    recorded["structures.moved/0"]["mass"][3] *= 1 + 2.0**-52
    del recorded["bits.morton/2"]
    np.savez(file, **recorded)
    lines = said(any_shim_python, "compare", file, *names).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "bits.crc32/1", "bits.morton", "structures.moved/0", "17 kernels, 3 differ",
    ]  # fmt: skip


def test_the_shim_is_not_recorded(any_shim_python, tmp_path):
    assert "must come from NVIDIA's own" in said(any_shim_python, "record", tmp_path / "own.npz")
    assert not list(tmp_path.iterdir())


class Recording(dict[str, np.ndarray]):
    files = property(list)


@pytest.mark.parametrize(
    "name", ["mathematics.softmax", "mathematics.growth", "arithmetic.not_numbers", "sharing.bitonic_sort"]
)
def test_what_is_approximate_has_a_tolerance_and_what_is_exact_has_none(name):
    case = cases()[name]
    arguments, expected = case.run()
    results = [argument for argument in arguments if np.ndim(argument)]
    results[-1] = np.asarray(expected[max(expected)], results[-1].dtype)
    recorded = Recording(sampled(case, results))
    near = [*results[:-1], np.nextafter(results[-1], np.inf, dtype=results[-1].dtype)]
    assert not list(different(case, sampled(case, results), recorded))
    assert bool(list(different(case, sampled(case, near), recorded))) == (not case.rtol)


def form(text):
    """Return a module's directives and kinds of instructions.

    Numba numbers names in the order of their first use, and NVVM is given functions by their addresses: registers, the
    order of lines, and loads of two values at once are not the same in every run.
    """
    opcodes = {re.sub(r"\.v[24]", "", opcode) for opcode in re.findall(r"^\t(?:@!?%\w+ )?([a-z][\w.]+)\b", text, re.M)}
    heads = re.findall(r"^\.(?:version|target).*", text, re.M)
    kernel = text[text.index(".visible .entry") :].partition(")")[0]
    return opcodes, heads, re.findall(r"\.param \.\w+", kernel)


@pytest.mark.long
def test_numba_makes_the_same_modules_again(numba_python, tmp_path):
    file, recorded = tmp_path / "again.json.gz", kept(FILE)
    numba_python.start_for(1200, "-W", "ignore", PROGRAM, "write", file)
    rebuilt = kept(file)
    assert sorted(rebuilt["modules"]) == sorted(recorded["modules"])
    if rebuilt["versions"] == recorded["versions"]:
        for name, text in rebuilt["modules"].items():
            assert form(text) == form(recorded["modules"][name]), name
