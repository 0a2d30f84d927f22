"""Linking what calls a function that no input defines: the status, and whether the error log has its name."""

from _device import context
from _show import call, show
from cuda.bindings import driver

HEAD = b".version 7.0\n.target sm_52\n.address_size 64\n"
CALLS = (
    HEAD
    + b""".extern .func (.param .b32 result) helper (.param .b32 x);
.visible .entry kernel(.param .u64 out) {
 .reg .b32 %r<3>;
 .reg .b64 %rd<2>;
 ld.param.u64 %rd1, [out];
 { .param .b32 x; .param .b32 y; st.param.b32 [x], 3; call.uni (y), helper, (x); ld.param.b32 %r1, [y]; }
 st.global.u32 [%rd1], %r1;
 ret;
}
\0"""
)
DEFINES = (
    HEAD
    + b""".visible .func (.param .b32 result) helper (.param .b32 x) {
 .reg .b32 %r<2>;
 ld.param.b32 %r1, [x];
 st.param.b32 [result], %r1;
 ret;
}
\0"""
)
OTHER = DEFINES.replace(b"helper", b"other")
WRONG = HEAD + b"nonsense\0"
PTX = driver.CUjitInputType.CU_JIT_INPUT_PTX
CUBIN = driver.CUjitInputType.CU_JIT_INPUT_CUBIN
options = driver.CUjit_option


def link(note, *images, kind=PTX, name=b"helper"):
    """Link images, and show whether the error log says something, and names a function."""
    log = bytearray(4096)
    asked = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    state = driver.cuLinkCreate(2, asked, [log, len(log)])[1]
    for number, image in enumerate(images):
        call(driver.cuLinkAddData, state, kind, image, len(image), b"input%d" % number, 0, [], [], note=note)
    call(driver.cuLinkComplete, state, note=note)
    text = bytes(log).partition(b"\0")[0]
    show(f"{note}: the error log says something, and the name", (bool(text), name in text))
    driver.cuLinkDestroy(state)


context()
link("one input, undefined", CALLS)
link("two inputs, undefined", CALLS, OTHER)
link("two inputs, defined", CALLS, DEFINES)
link("twice defined", DEFINES, DEFINES)
link("wrong text", WRONG, name=b"nonsense")
link("no image", b"no image at all, but text\0", kind=CUBIN, name=b"input0")
