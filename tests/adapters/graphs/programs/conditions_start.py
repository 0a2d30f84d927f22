import sys  # noqa: F401 - for the code behind this

import cuda_shim
from cuda_shim.backends import native  # noqa: F401 - for the code behind this

cuda_shim.enable(backend="cpu", cuda="13.5")
from cuda.bindings import driver, nvrtc, runtime

from tests.adapters.answers import ok
from tests.adapters.graphs.conditions import SOURCE, Program
from tests.adapters.kernels import compile_code


class cuda:  # noqa: N801 - in the place of the fixture of that name
    driver, nvrtc, runtime = driver, nvrtc, runtime


runtime.cudaFree(0)


def program():
    module = ok(driver.cuModuleLoadData(compile_code(nvrtc, SOURCE)))
    kernels = {name: ok(driver.cuModuleGetFunction(module, name)) for name in (b"put", b"count", b"add")}
    return Program(cuda, kernels, int(ok(runtime.cudaMallocManaged(64, 1))))
