from cuda_shim.backends import hip_python

face = hip_python.load()
hip = face.hip
assert hip_python.load().backend.name == "cpu"
print(*(int(value) for value in hip.hipGetDeviceCount()))
status, pointer = hip.hipMalloc(64)
host = bytearray(b"x" * 64)
print(
    int(status),
    *(
        int(call[0])
        for call in (
            hip.hipMemset(pointer, 7, 64),
            hip.hipMemcpy(host, pointer, 64, hip.hipMemcpyKind.hipMemcpyDeviceToHost),
            hip.hipFree(pointer),
        )
    ),
    host == bytes([7]) * 64,
)
print(int(face.hiprtc.hiprtcVersion()[0]))
