import sys

import cuda_shim

with cuda_shim.enable(backend="cpu"):
    import PyGPU as served  # noqa: N813

    assert served.__spec__.origin == "cuda_shim:PyGPU" and not hasattr(served, "real")
    assert "PyGPU" in cuda_shim.status()["modules"]  # type: ignore[operator]
assert "PyGPU" not in sys.modules
import PyGPU as theirs  # noqa: N813

assert theirs.real == "real"
try:
    cuda_shim.enable()
except cuda_shim.AlreadyImported as error:
    assert error.modules == ("PyGPU",), error.modules
else:
    raise AssertionError("not refused")
with cuda_shim.enable(force=True):
    import PyGPU

    assert PyGPU is not theirs
import PyGPU

assert PyGPU is theirs
