"""Variables of modules and parameters of kernels: every kind and type, as kernels and the host see them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels


def test_variables_of_every_kind(programs: Kernels, form: str) -> None:
    module = programs.load(
        """__constant__ float weights[3];
        __device__ int calls = 5;
        __managed__ int total;
        namespace deep { __device__ double values[4]; }
        extern "C" __global__ void use(float* out) {
            out[threadIdx.x] = weights[threadIdx.x % 3] + (float)deep::values[threadIdx.x % 4];
            atomicAdd(&calls, 1);
            atomicAdd(&total, 2);
        }""", form, names=["deep::values"])  # fmt: skip
    hip = module.hip
    weights, values = np.array([1, 2, 3], np.float32), np.array([10, 20, 30, 40], np.float64)
    for name, array in (("weights", weights), ("deep::values", values)):
        pointer, size = module.variable(name)
        assert size == array.nbytes
        hiprtc_program.value(hip.hipMemcpy(pointer, array, size, hip.hipMemcpyKind.hipMemcpyHostToDevice))
    out = np.zeros(12, np.float32)
    module.launch("use", 1, 12, out)
    assert (out == [weights[i % 3] + values[i % 4] for i in range(12)]).all()
    counter = np.zeros(1, np.int32)
    for name, expected in (("calls", 17), ("total", 24)):
        pointer, size = module.variable(name)
        hiprtc_program.value(hip.hipMemcpy(counter, pointer, size, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
        assert counter[0] == expected


def test_structures_and_modified_parameters(programs: Kernels, form: str) -> None:
    module = programs.load(
        """struct Job { float scale; double offset; int order[3]; float4 bias; };
        extern "C" __global__ void run(Job job, int n, float* x, char c) {
            x += threadIdx.x;
            n -= threadIdx.x;
            if (n <= 0) return;
            *x = job.scale * *x + (float)job.offset + job.order[threadIdx.x % 3] + job.bias.z + c;
        }""", form)  # fmt: skip

    class Job(ctypes.Structure):
        _fields_ = (
            ("scale", ctypes.c_float), ("offset", ctypes.c_double), ("order", ctypes.c_int * 3),
            ("padding", ctypes.c_int), ("bias", ctypes.c_float * 4),
        )  # fmt: skip

    job = Job(2.0, 0.5, (1, 2, 3), 0, (0, 0, 100, 0))
    x = np.arange(8, dtype=np.float32)
    module.launch("run", 1, 8, job, ctypes.c_int32(6), x, ctypes.c_byte(7))
    expected: Any = [2.0 * t + 0.5 + t % 3 + 1 + 107 if t < 6 else t for t in range(8)]
    assert (x == expected).all()


def test_variables_of_c_linkage_need_no_braces(programs: Kernels, form: str) -> None:
    source = """
extern "C" __device__ int counter = 5;
extern "C" __constant__ float table[4], *other;
extern "C" __device__ struct Pair { int first, second; } pair = {1, 2};
__device__ struct Pair another{3, 4};
extern "C" __global__ void use(float* out) { out[0] = counter++ + table[1] + pair.second; }
"""
    module = programs.load(source, form)
    assert module.variable("counter")[1] == 4
    assert module.variable("table")[1] == 16
    assert module.variable("other")[1] == 8
    assert module.variable("pair")[1] == module.variable("another")[1] == 8
    out = np.zeros(1, np.float32)
    for wanted in (7, 8):
        module.launch("use", 1, 1, out)
        assert out[0] == wanted
