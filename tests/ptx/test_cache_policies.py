"""Cache policies, advice about memory and dependent launches: NVIDIA's assembler takes the kernel, and it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.amd import toolchain
from tests.amd.test_corpus import check
from tests.ptx.assembler import ptxas, refusal

PROGRAM = Path(__file__).resolve().parent / "cache_policies_program.py"
TEXT = PROGRAM.read_text(encoding="utf-8")
MODULE = TEXT.partition('TEXT = """')[2].partition('"""')[0]
SOURCE = """
extern "C" __global__ void k(unsigned* to, const unsigned* from) {
    unsigned long long policy; unsigned read;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(read) : "l"(from + threadIdx.x), "l"(policy));
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" :: "l"(to + threadIdx.x), "r"(read), "l"(policy) : "memory");
}
"""
TARGETS = ["gfx942", "gfx1100"]


def test_the_assembler_takes_the_module(shared_folder, tmp_path):
    file = tmp_path / "policies.ptx"
    file.write_text(MODULE, encoding="utf-8")
    assert refusal(ptxas(shared_folder), file) == ""


def test_it_runs(any_shim_python):
    assert any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM) == "right\n"


def test_inline(any_shim_python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import ctypes, numpy as np\nfrom cuda.bindings import driver, nvrtc\n"
        "def ok(r):\n    assert int(r[0]) == 0, r\n    return r[1] if len(r) == 2 else r[1:]\n"
        "ok(driver.cuInit(0)); ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))\n"
        f"program = ok(nvrtc.nvrtcCreateProgram({SOURCE!r}.encode(), b'k.cu', 0, [], []))\n"
        "ok(nvrtc.nvrtcCompileProgram(program, 1, [b'-arch=sm_90']))\n"
        "image = bytes(ok(nvrtc.nvrtcGetCUBINSize(program))); ok(nvrtc.nvrtcGetCUBIN(program, image))\n"
        "kernel = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(image)), b'k'))\n"
        "source, result = np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32)\n"
        "to, memory = ok(driver.cuMemAlloc(128)), ok(driver.cuMemAlloc(128))\n"
        "ok(driver.cuMemcpyHtoD(memory, source.ctypes.data, 128))\n"
        "arguments = ((int(to), int(memory)), (ctypes.c_void_p, ctypes.c_void_p))\n"
        "ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0))\n"
        "ok(driver.cuMemcpyDtoH(result.ctypes.data, to, 128)); print((source == result).all())\n",
        encoding="utf-8",
    )
    assert any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", program) == "True\n"


@pytest.mark.parametrize("target", TARGETS)
def test_it_becomes_amd_s_code(target, shared_folder, tmp_path):
    compiler = toolchain.Compiler(toolchain.rocm_header(shared_folder))
    text = MODULE.replace("cp.async.cg.shared.global.L2::cache_hint [%s], [%i], 16, %p0;", "")
    check(compiler.compile_ptx(text, b"policies.ptx", target, folder=tmp_path), None)
