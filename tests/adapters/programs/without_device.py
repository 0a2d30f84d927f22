import json
import sys

from cuda.bindings import nvrtc

from cuda_shim.adapters import code_object

for source, names in json.loads(sys.argv[1]):
    program = nvrtc.nvrtcCreateProgram(source.encode(), b"k.cu", 0, [], [])[1]
    options = [name.encode() for name in names]
    status = nvrtc.nvrtcCompileProgram(program, len(options), options)[0].name
    log = bytearray(nvrtc.nvrtcGetProgramLogSize(program)[1])
    nvrtc.nvrtcGetProgramLog(program, log)
    image, text = (bytearray(size(program)[1]) for size in (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetPTXSize))
    if image:
        assert nvrtc.nvrtcGetCUBIN(program, image)[0] == 0 and nvrtc.nvrtcGetPTX(program, text)[0] == 0
    found = code_object.read(bytes(image))
    print(
        json.dumps(
            {
                "status": status,
                "log": log.decode(),
                "target": found and found.target,
                "kernels": found and found.kernels,
                "entry": ".entry k(" in text.decode(),
            }
        )
    )
