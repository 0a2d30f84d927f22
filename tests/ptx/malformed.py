"""A module with many kinds of statements, and its mutations with words left out or changed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.ptx.texts import kernel

__all__ = ["RICH", "mutations"]

RICH = kernel(
    """
	mov.u32 %r2, tile;
	st.shared.v2.u32 [%r2+8], {%r1, 7};
	bar.sync 0;
	setp.lt.and.u32 %p1|%p2, %r1, 5, %p3;
	@%p1 bra DONE;
	{
	.param .b64 a; .param .b32 r;
	st.param.b64 [a], %rd2;
	call.uni (r), helper, (a);
	ld.param.b32 %r3, [r];
	}
	switch: .branchtargets DONE, AGAIN;
	AGAIN: add.cc.u32 %r4, %r3, 0xffffffff; addc.u32 %r5, %r4, 0;
	brx.idx %r3, switch;
	DONE: shfl.sync.bfly.b32 %r6|%p4, %r5, 1, 31, -1;
	atom.global.add.u32 %r7, [%rd1], %r6;
	fma.rn.f32 %f2, %f1, 0f3F800000, %f3; cvt.rzi.s32.f32 %r8, %f2; selp.b32 %r9, %r8, -1, %p4;
	mov.b64 %rd4, {%r8, %r9}; cvt.rn.f64.s32 %fd1, %r9; st.global.f64 [%rd1], %fd1;
	lop3.b32 %r10, %r8, %r9, %r1, 0x5A; prmt.b32 %r11, %r10, %r9, 0x3210; ld.global.v2.f32 {%f4, %f5}, [%rd2];
""",
    outside=".shared .align 8 .b8 tile[64];\n.func (.param .b32 r) helper(.param .b64 a) { .reg .b32 %r; .reg .b64 %a; "
    "ld.param.u64 %a, [a]; ld.u32 %r, [%a]; st.param.b32 [r], %r; ret; }\n",
)
_INSERTED = (
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    "[",
    "%r1",
    "%f1",
    "%rd1",
    "%p1",
    ".reg",
    "-1",
    "99999999999999999999",
    '"',
    "tile",
    "1.5",
)


def mutations(seed: int, count: int) -> Iterator[str]:
    """Yield `count` texts with one to three words left out, doubled, exchanged or changed."""
    chance = random.Random(seed)  # noqa: S311
    words = RICH.split(" ")
    for _ in range(count):
        mutated = list(words)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(mutated))
            what = chance.randrange(6)
            if what == 0:
                del mutated[place]
            elif what == 1:
                mutated.insert(place, chance.choice(words))
            elif what == 2:
                mutated[place] = chance.choice(_INSERTED)
            elif what == 3:
                mutated[place] = mutated[place][::-1]
            elif what == 4:
                mutated[place] = chance.choice(words)
            else:
                mutated[place] = mutated[place].replace("32", chance.choice(["64", "8", "16", "128"]))
        yield " ".join(mutated)
