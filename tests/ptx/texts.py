"""PTX texts that several tests use."""

from __future__ import annotations

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

SAXPY = (
    HEAD
    + """
// y = a * x + y
.visible .entry saxpy(
	.param .u64 saxpy_param_0,
	.param .u64 saxpy_param_1,
	.param .f32 saxpy_param_2,
	.param .u32 saxpy_param_3
)
.maxntid 256, 1, 1
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<5>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;

	ld.param.u64 	%rd1, [saxpy_param_0];
	ld.param.u64 	%rd2, [saxpy_param_1];
	ld.param.f32 	%f1, [saxpy_param_2];
	ld.param.u32 	%r2, [saxpy_param_3];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB0_2;
	cvta.to.global.u64 	%rd3, %rd1;
	mul.wide.s32 	%rd4, %r1, 4;
	add.s64 	%rd5, %rd3, %rd4;
	ld.global.f32 	%f2, [%rd5];
	cvta.to.global.u64 	%rd6, %rd2;
	add.s64 	%rd7, %rd6, %rd4;
	ld.global.f32 	%f3, [%rd7];
	fma.rn.f32 	%f4, %f1, %f2, %f3;
	st.global.f32 	[%rd7], %f4;
$L__BB0_2:
	ret;
}
"""
)


def kernel(body: str, registers: str = "", outside: str = "") -> str:
    """A module with one kernel `test(out, in)`: %rd1 addresses its thread's eight bytes of results, %rd2 the inputs."""
    return f"""{HEAD}{outside}
.visible .entry test(.param .u64 out, .param .u64 in)
{{
	.reg .pred %p<10>;
	.reg .b16 %rs<10>;
	.reg .b32 %r<20>;
	.reg .f32 %f<10>;
	.reg .f64 %fd<10>;
	.reg .b64 %rd<20>;
	{registers}
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [in];
	cvta.to.global.u64 %rd1, %rd1;
	cvta.to.global.u64 %rd2, %rd2;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 8;
	add.s64 %rd1, %rd1, %rd3;
{body}
	ret;
}}
"""
