from cuda import cuda, cudart, nvrtc

for module, hip_name in ((cuda, "hip"), (cudart, "hip"), (nvrtc, "hiprtc")):
    assert "HIP_PYTHON" in module
    assert hip_name in module
    assert hasattr(module, hip_name)
    assert "hip_python_mod" in module
    assert hasattr(module, "hip_python_mod")
    assert getattr(module, hip_name) is module.hip_python_mod
    assert "no_such_name" not in module
assert cuda.hip.hipError_t.hipSuccess == 0
assert nvrtc.hiprtc.hiprtcResult.HIPRTC_SUCCESS == 0
print("ok")
