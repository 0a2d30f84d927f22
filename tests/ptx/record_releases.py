"""Writes an NVIDIA driver's PTX releases, and its answers to heads of modules, into recorded_releases.json.

Run on a machine with an NVIDIA GPU, alone: `python record_releases.py > recorded_releases.json`.
"""

import ctypes
import json

cuda = ctypes.CDLL("libcuda.so.1")
pointer, number = ctypes.c_void_p, ctypes.c_int
HEADS = """.version 99.0|.version 9.9|.version 7.9|.version 0.5|.version abc|.version 8|.version 8.|.target sm_75
.version 8.0|.target sm_999|.target sm_81|.target sm_80a|.target sm_100|.target compute_80|.target foo"""


def load(head: str) -> tuple[int, str]:
    module, log, options = pointer(), ctypes.create_string_buffer(400), (number * 2)(5, 6)
    values = (pointer * 2)(ctypes.addressof(log), 400)
    text = f"{head}\n.entry k() {{ ret; }}\n".encode()
    status = cuda.cuModuleLoadDataEx(ctypes.byref(module), text, 2, options, values)
    return status, log.value.decode()


def main() -> None:
    device, context, driver = number(), pointer(), number()
    cuda.cuInit(0)
    cuda.cuDriverGetVersion(ctypes.byref(driver))
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)
    versions = [f"{major}.{minor}" for major in range(1, 12) for minor in range(10)]
    versions = [each for each in versions if load(f".version {each}\n.target sm_20")[0] != 222]
    first = {}
    for target in [f"sm_{each}{suffix}" for each in range(9, 140) for suffix in ("", "a", "f")]:
        message = {each: load(f".version {each}\n.target {target}")[1] for each in versions[-1:]}
        if "Unsupported .target" in message[versions[-1]]:
            continue
        message = {each: load(f".version {each}\n.target {target}")[1] for each in versions}
        first[target] = next(each for each in versions if "support" not in message[each].lower())
    groups = [line.split("|") for line in HEADS.splitlines()]
    heads = [f"{each}\n.target sm_75" for each in groups[0][:-1]] + [groups[0][-1], groups[1][0]]
    heads += [f".version 8.0\n{each}" for each in groups[1][1:]]
    answers = {head: load(head) for head in heads}
    print(json.dumps({"driver": driver.value, "versions": versions, "first": first, "answers": answers}, indent=1))


if __name__ == "__main__":
    main()
