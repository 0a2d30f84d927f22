"""Linking code that calls a function that no input defines: the status, and the error log."""

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
PTX = driver.CUjitInputType.CU_JIT_INPUT_PTX
option = driver.CUjit_option


def link(note, *images):
    """Link images, and show the error log."""
    log = bytearray(4096)
    options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    state = driver.cuLinkCreate(2, options, [log, len(log)])[1]
    for number, image in enumerate(images):
        call(driver.cuLinkAddData, state, PTX, image, len(image), b"input%d" % number, 0, [], [], note=note)
    call(driver.cuLinkComplete, state, note=note)
    show(f"{note}: log", bytes(log).partition(b"\0")[0].rstrip())
    driver.cuLinkDestroy(state)


context()
link("one input, undefined", CALLS)
link("two inputs, undefined", CALLS, OTHER)
link("two inputs, defined", CALLS, DEFINES)
