import json
import sys

import cuda.bindings.driver
import cuda.bindings.nvrtc

import cuda_shim


def theirs():
    found = {name: id(module) for name, module in sys.modules.items() if name.split(".")[0] == "cuda"}
    return found, {name: id(value) for name, value in vars(cuda).items()}


before = theirs()
with cuda_shim.enable(force=True):
    import cuda.bindings.driver

    served = cuda.bindings.driver.__spec__.origin
after = theirs()
print(json.dumps([before == after, served, cuda.bindings.driver.__file__.endswith(".so")]))
