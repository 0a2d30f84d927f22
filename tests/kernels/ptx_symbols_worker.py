"""Loads, links and launches PTX whose symbols have names of the C library, of linkers and of the loader.

Prints what the kernels write, as JSON.
"""

import json
import struct

from cuda.bindings import driver

from tests.kernels.own_names_worker import checked, written_by

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
NAMES = [
    "memcpy", "memset", "memmove", "_init", "_fini", "_start", "main", "printf", "malloc", "free", "exit", "environ",
    "__cxa_atexit", "_GLOBAL_OFFSET_TABLE_", "__dso_handle", "_DYNAMIC", "sin", "sinf", "abort", "a$b", "int",
]  # fmt: skip
CALL = (
    "{ .param .f32 a0; .param .f32 r0; ld.global.f32 %f2, [NUMBER]; st.param.f32 [a0], %f2; call (r0), FUNCTION, (a0); "
    "ld.param.f32 %f1, [r0]; }"
)
DOUBLING = (
    ".visible .func (.param .f32 r) FUNCTION(.param .f32 a) { .reg .f32 %f<2>; ld.param.f32 %f1, [a]; "
    "add.f32 %f1, %f1, %f1; st.param.f32 [r], %f1; ret; }\n"
)


def bits(value):
    return "0f" + struct.pack(">f", value).hex()


def kernel(name, value, code=""):
    return (
        f".visible .entry {name}(.param .u64 p) {{ .reg .u64 %r<3>; .reg .f32 %f<3>; ld.param.u64 %r1, [p]; "
        f"cvta.to.global.u64 %r1, %r1; mov.f32 %f1, {bits(value)}; {code} st.global.f32 [%r1], %f1; ret; }}\n"
    )


def call(function, number):
    return CALL.replace("FUNCTION", function).replace("NUMBER", number)


def loaded(text):
    return checked(driver.cuModuleLoadData(text.encode() + b"\0"))


def function(module, name):
    return checked(driver.cuModuleGetFunction(module, name.encode()))


def linked(*texts):
    state = checked(driver.cuLinkCreate(0, [], []))
    for text in texts:
        data = text.encode() + b"\0"
        checked(
            driver.cuLinkAddData(state, driver.CUjitInputType.CU_JIT_INPUT_PTX, data, len(data), b"part", 0, [], [])
        )
    return driver.cuLinkComplete(state)


results: dict[str, object] = {"names": NAMES}
module = loaded(HEAD + "".join(kernel(name, at + 1) for at, name in enumerate(NAMES)))
results["kernels"] = [written_by(function(module, name), 1) for name in NAMES]
results["told"] = [checked(driver.cuFuncGetName(function(module, name))).decode() for name in NAMES]

variables = ["errno", "environ", "stdout", "memmove", "_edata"]
declared = "".join(f".visible .global .f32 {name} = {bits(at + 2)};\n" for at, name in enumerate(variables))
module = loaded(HEAD + declared + DOUBLING.replace("FUNCTION", "memset") + kernel("k", 0, call("memset", "memmove")))
missing = [name for name in variables if int(driver.cuModuleGetGlobal(module, name.encode())[0])]
results["variables"] = [*written_by(function(module, "k"), 1), len(missing)]

user = ".extern .func (.param .f32 r) memmove(.param .f32 a);\n.extern .global .f32 environ;\n"
definitions = f".visible .global .f32 environ = {bits(21)};\n" + DOUBLING.replace("FUNCTION", "memmove")
status, image, _ = linked(HEAD + user + kernel("_init", 0, call("memmove", "environ")), HEAD + definitions)
assert not int(status), status
results["linked"] = written_by(function(checked(driver.cuModuleLoadData(image)), "_init"), 1)

host = ".extern .func (.param .f32 r) system(.param .f32 a);\n.visible .global .f32 one;\n"
results["unresolved"] = linked(HEAD + host + kernel("k", 0, call("system", "one")))[0].name
print(json.dumps(results))
