"""Whole random kernels, and programs of many: starting the compiler costs as much as compiling a few of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from tests.hip_on_host.random_kernels import helpers
from tests.hip_on_host.random_kernels.joint_statements import JointStatements
from tests.hip_on_host.random_kernels.lane_statements import LaneStatements
from tests.hip_on_host.random_kernels.place import Place, Written
from tests.hip_on_host.random_kernels.warp_statements import WarpStatements

#: Floating-point operations are not to be fused: compilers differ in where they do.
FLAGS = ("--fmad=false",)

PARAMETERS = "const unsigned* in, unsigned* out, unsigned* sums, unsigned n, unsigned m"

# Kinds of statements, with their weights.
OWN = {
    "assign": 5, "array": 1, "variable": 1, "alias": 1, "struct": 1, "own_array": 1, "number": 1, "number_change": 1,
    "constant": 1, "helper": 1, "lambda": 1, "sum": 2,
}  # fmt: skip
OWN_SCOPES = {"branch": 1, "choice": 1, "block": 1}
OWN_LOOPS = {
    "own_loop": 8,
    "lane_loop": 20,
    "lane_call": 60,
    "strided_loop": 20,
    "counted_loop": 60,
}  # with the loop's highest trip count, calls of it included
JOINT = {"exchange": 3, "transposition": 1, "histogram": 1, "sums": 2, "uniform": 1, "uniform_change": 1}
JOINT_SCOPES = {"joint_loop": 2, "joint_branch": 2}
UNTIL_SOME_LEAVE = {"count": 1, "turned": 1, "scan": 1}
WARP = {"shuffle": 2, "number_shuffle": 1, "vote": 1, "warp_total": 1, "warp_exchange": 1, "half_warp": 1}
WARP_SCOPES = {"warp_branch": 1, "warp_loop": 1, "voted_loop": 1}
NOT_SPLIT = {"joint_choice": 2, "kept_lambda": 2}  # kernels with these run on fibres in both forms: only some have them


@dataclasses.dataclass(frozen=True)
class Launch:
    """The parameters of a kernel's start."""

    name: str
    threads: int
    block: tuple[int, int, int]
    shared_bytes: int
    blocks: int = 3


class Kernel(JointStatements, LaneStatements, WarpStatements):
    """Writes one kernel, the same each time for a seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.label = f"kernel_{seed}"
        self.whole_warps = self.chance(0.85)
        self.size = self.random.choice([32, 64, 96, 128, 256] if self.whole_warps else [24, 48, 104, 200])
        self.block = self.random.choice(
            [(self.size, 1, 1), (self.size, 1, 1), (self.size // 8, 8, 1), (self.size // 8, 4, 2)]
        )
        self.exited = False
        self.awkward = self.chance(0.1)

    @property
    def launch(self) -> Launch:
        return Launch(self.label, self.size, self.block, 8 * self.size)

    def text(self) -> str:
        names = tuple(f"v{i}" for i in range(self.random.randint(2, 4)))
        thread = (
            "threadIdx.x"
            if self.block[1] == 1
            else "threadIdx.x + (threadIdx.y + threadIdx.z * blockDim.y) * blockDim.x"
        )
        lines = [f'extern "C" __global__ void {self.label}({PARAMETERS}) {{']
        lines += [f"__shared__ unsigned s[{self.size}], h[8], tile[8][{self.size // 8 + 1}];"]
        lines += ["extern __shared__ Pair dynamic[];"]
        lines += [f"const unsigned t = {thread};", f"const unsigned g = blockIdx.x * {self.size}u + t;"]
        # Behind the first threads that leave, the others read the values that those left there.
        lines += ["s[t] = dynamic[t].a = dynamic[t].b = tile[t & 7u][t >> 3] = t;"]
        lines += ["if (t < 8u) h[t] = t; __syncthreads();"]
        lines += [f"unsigned {one} = in[g] {self.random.choice('+^*')} {i + 1}u;" for i, one in enumerate(names)]
        lines += ["unsigned r[4] = {1u, t, 3u, 4u};"]
        place = Place(names=names, warp=self.whole_warps)
        statements, place = self.body(place, self.random.randint(5, 12))
        lines += statements
        lines += [f"out[g] = {self.total(place)} + r[0] * 3u + r[1] * 5u + (r[2] ^ r[3]);", "}"]
        return "\n".join([*self.functions, *(line for line in lines if line)])

    def body(self, place: Place, count: int) -> Written:
        lines: list[str] = []
        for _ in range(count):
            kinds = self.kinds(place)
            (kind,) = self.random.choices(list(kinds), list(kinds.values()))
            written, place = getattr(self, f"make_{kind}")(place)
            lines += written
        return lines, place

    def kinds(self, place: Place) -> dict[str, int]:
        """Return the kinds of statements that may stand there, with their weights."""
        kinds = dict(OWN)
        deep = place.depth >= 3
        if place.in_switch and not self.awkward:
            del kinds["lambda"], kinds["own_array"]
            kinds |= {} if deep else OWN_SCOPES
        elif not deep:
            kinds |= OWN_SCOPES | {kind: 1 for kind, rounds in OWN_LOOPS.items() if place.has_room_for(rounds)}
        if place.block:
            kinds |= JOINT
            if not deep:
                kinds |= JOINT_SCOPES
            if not self.exited:
                kinds |= UNTIL_SOME_LEAVE
            if self.awkward and place.depth < 2:
                kinds |= NOT_SPLIT
            if place.depth == 0:
                kinds["leave"] = 1
        if place.warp and not self.exited:
            kinds |= WARP
            if place.depth < 2:
                kinds |= WARP_SCOPES
        return kinds


class StridedKernel(Kernel):
    """Grid-stride loops and nothing else: many blocks run them together."""

    BLOCKS = 37

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.block = (self.size, 1, 1)

    @property
    def launch(self) -> Launch:
        return Launch(self.label, self.size, self.block, 0, self.BLOCKS)

    def kinds(self, place: Place) -> dict[str, int]:
        """No loops: with one inside, a loop is not taken apart."""
        return {kind: often for kind, often in super().kinds(place).items() if kind not in {*OWN_LOOPS, "own_array"}}

    def text(self) -> str:
        lines = [f'extern "C" __global__ void {self.label}({PARAMETERS}) {{']
        across = f"gridDim.x * {self.random.choice([f'{self.size}u', 'blockDim.x'])}"
        if self.chance(0.5):
            lines.append(f"const unsigned across = {across};")
            across = "across"
        for _ in range(self.random.randint(1, 2)):
            # In each round a thread visits its own element again.
            counter, rounds = self.name("i"), self.random.randint(1, 5)
            start = f"blockIdx.x * {self.size}u + threadIdx.x"
            bound = f"gridDim.x * {self.size}u * {rounds}u"
            lines.append(f"for (unsigned {counter} = {start}; {counter} < {bound}; {counter} += {across}) {{")
            lines.append(f"const unsigned t = threadIdx.x, g = {counter} % (gridDim.x * {self.size}u);")
            lines.append(f"unsigned r[4] = {{1u, t, 3u, {counter}}}, v0 = in[g], v1 = out[g] + {counter};")
            place = Place(names=("v0", "v1")).alone(rounds, counter)
            lines += self.statements(place, self.random.randint(1, 4))
            lines += [f"out[g] = {self.total(place)} + (r[0] ^ r[1] ^ r[2] ^ r[3]);", "}"]
        return "\n".join([*lines, "}"])


@dataclasses.dataclass(frozen=True)
class Program:
    """The source of several kernels, and how to start each."""

    source: str
    launches: tuple[Launch, ...]


def program(seeds: Iterable[int]) -> Program:
    """One kernel for each seed."""
    kernels = [StridedKernel(seed) if seed % 10 == 9 else Kernel(seed) for seed in seeds]
    texts = [kernel.text() for kernel in kernels]
    return Program("\n\n".join([helpers.TEXT, *texts]), tuple(kernel.launch for kernel in kernels))
