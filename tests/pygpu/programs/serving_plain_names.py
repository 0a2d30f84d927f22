import cuda_shim

with cuda_shim.enable(backend="cpu"):
    import importlib
    import pickle

    import PyGPU
    from PyGPU import *  # noqa: F403 - one of the subjects here

    assert set(PyGPU.__all__) <= set(dir(PyGPU)) and to_gpu is PyGPU.to_gpu  # type: ignore[name-defined]  # noqa: F405
    try:
        PyGPU.to_gpus  # noqa: B018
    except AttributeError as error:
        assert str(error) == "module 'PyGPU' has no attribute 'to_gpus'"
    assert all(getattr(PyGPU, name) is not None for name in PyGPU.__all__)
    assert importlib.reload(PyGPU) is PyGPU and PyGPU.to_gpu is to_gpu  # type: ignore[name-defined]  # noqa: F405
    assert pickle.loads(pickle.dumps(PyGPU.cudaError_t(3))) == 3
    failure = pickle.loads(pickle.dumps(PyGPU.DeviceError("text", 7)))
    assert (str(failure), failure.code) == ("text", 7)
