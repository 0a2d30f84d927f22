"""Programs with one way of waiting each, alone with the header that declares it, as a user's first kernel has it.

Each program has one kernel for each type of values. A kernel reads a value of its thread, hands it over, and writes what it
gets. Nothing else in the program waits: a reader of programs that overlooks the one function takes the kernel for a plain loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.kernels import hostile_names

__all__ = ["THREADS", "Program", "programs"]

#: Threads of the one block; two warps.
THREADS = 64

WORDS = ("int", "unsigned", "long", "unsigned long", "long long", "unsigned long long", "float", "double")
WHOLE = ("int", "unsigned", "long long", "unsigned long long")
NUMBERS = ("int", "unsigned", "float", "double")
#: Number types with the headers that declare them.
NARROW = {"__half": "cuda_fp16.h", "__half2": "cuda_fp16.h", "__nv_bfloat16": "cuda_bf16.h"}

_KERNEL = """extern "C" __global__ void kernel_{number}(const {type}* in, {type}* out{parameters}) {{
    typedef {type} T;
    const int t = threadIdx.x;
    T v = in[t], r = v;
    {statement}
    out[t] = r;
}}
"""


@dataclass(frozen=True)
class Program:
    """A program with a kernel for each of its types.

    Attributes:
        name: the function that waits, and how it is called.
        headers: the headers that it includes.
        before: declarations in front of the kernels.
        statement: computes `r` from the thread's value `v` and number `t`.
        types: the types `T` of values.
        core: True if it includes CUDA's C++ core libraries, which NVRTC finds in a folder.
        standalone: True if the shim's own headers have what it includes.
    """

    name: str
    headers: tuple[str, ...]
    before: str
    statement: str
    types: tuple[str, ...]
    core: bool = False
    standalone: bool = True

    @property
    def source(self) -> str:
        """The program's text."""
        return self._text("", "")

    @property
    def hostile_source(self) -> str:
        """The same in a program that gives names of C, CUDA and the C library other meanings, where NVRTC lets it."""
        return self._text(hostile_names.TYPES + hostile_names.MACROS, hostile_names.PARAMETERS)

    def _text(self, declarations: str, parameters: str) -> str:
        includes = "".join(f"#include <{header}>\n" for header in self.headers)
        kernels = (
            _KERNEL.format(number=number, type=type_, statement=self.statement, parameters=parameters)
            for number, type_ in enumerate(self.types)
        )
        return includes + declarations + self.before + "".join(kernels)


_SHUFFLES = {
    "__shfl_sync of own lane": "r = __shfl_sync(0xffffffffu, v, t ^ 5);",
    "__shfl_sync of one lane": "r = __shfl_sync(0xffffffffu, v, 3);",
    "__shfl_sync in segments": "r = __shfl_sync(0xffffffffu, v, 3, 8);",
    "__shfl_up_sync": "r = __shfl_up_sync(0xffffffffu, v, 1);",
    "__shfl_up_sync of own distance": "r = __shfl_up_sync(0xffffffffu, v, t & 3);",
    "__shfl_down_sync": "r = __shfl_down_sync(0xffffffffu, v, 2);",
    "__shfl_down_sync in segments": "r = __shfl_down_sync(0xffffffffu, v, 1, 16);",
    "__shfl_xor_sync": "r = __shfl_xor_sync(0xffffffffu, v, 16);",
    "__shfl_xor_sync in a loop": "for (int d = 16; d > 0; d >>= 1) r = r + __shfl_xor_sync(0xffffffffu, r, d);",
    "__shfl_down_sync in a loop": "for (int d = 16; d > 0; d >>= 1) r = r + __shfl_down_sync(0xffffffffu, r, d);",
    "__shfl_up_sync under a condition": (
        "for (int d = 1; d < 32; d *= 2) { const T o = __shfl_up_sync(0xffffffffu, r, d); if ((t & 31) >= d) r = r + o; }"
    ),
}
_VOTES = {
    "__ballot_sync": "r = (T)(__ballot_sync(0xffffffffu, t % 3 == 0) >> (t & 15) & 1023);",
    "__any_sync": "r = (T)__any_sync(0xffffffffu, t == 40);",
    "__all_sync": "r = (T)__all_sync(0xffffffffu, t != 40);",
    "__activemask": "r = (T)(__activemask() & 65535);",
    "__syncthreads_count": "r = (T)__syncthreads_count(t % 3 == 0);",
    "__syncthreads_or": "r = (T)(__syncthreads_or(t == 40) != 0);",
    "__syncthreads_and": "r = (T)(__syncthreads_and(t != 40) != 0);",
}
_SHARED = {
    "__syncthreads": "__syncthreads();",
    "__syncwarp": "__syncwarp();",
    "a barrier of PTX": 'asm volatile("bar.sync 0;" ::: "memory");',
    "a numbered barrier of PTX": 'asm volatile("bar.sync 3, 64;" ::: "memory");',
    "barrier.sync of PTX": 'asm volatile("barrier.sync 1;" ::: "memory");',
    "a barrier of a warp in PTX": 'asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");',
}
_CALLED = {
    "a shuffle in a function": (
        "template <class V> __device__ V sum(V v) { for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d); return v; }\n",
        "r = sum(v);",
    ),
    "a barrier in a function": ("__device__ void meet() { __syncthreads(); }\n", "__shared__ T s[64]; s[t] = v; meet(); r = s[63 - t];"),
    "a barrier in a method": (
        "struct Block { __device__ void meet() const { __syncthreads(); } };\n",
        "__shared__ T s[64]; s[t] = v; Block().meet(); r = s[63 - t];",
    ),
    "a barrier in an operator": (
        "struct Meet { __device__ void operator()() const { __syncthreads(); } };\n",
        "__shared__ T s[64]; s[t] = v; Meet()(); r = s[63 - t];",
    ),
    "a barrier in a constructor": (
        "struct Met { __device__ Met() { __syncthreads(); } };\n",
        "__shared__ T s[64]; s[t] = v; Met met; r = s[63 - t];",
    ),
    "a barrier in a lambda": ("", "__shared__ T s[64]; s[t] = v; auto meet = [] { __syncthreads(); }; meet(); r = s[63 - t];"),
    "a shuffle in a static method": (
        "struct Warp { template <class V> static __device__ V next(V v) { return __shfl_down_sync(0xffffffffu, v, 1); } };\n",
        "Warp w; r = w.next(v);",
    ),
    "a barrier in a switch": ("", "__shared__ T s[64]; s[t] = v; switch (blockDim.x) { case 64: __syncthreads(); r = s[63 - t]; }"),
}  # fmt: skip
_TILE = {
    "shfl": "r = g.shfl(v, 1);",
    "shfl_up": "r = g.shfl_up(v, 1);",
    "shfl_down": "r = g.shfl_down(v, 1);",
    "shfl_xor": "r = g.shfl_xor(v, 1);",
    "any": "r = (T)g.any(t == 40);",
    "all": "r = (T)g.all(t != 40);",
    "ballot": "r = (T)(g.ballot(t % 3 == 0) & 4095);",
    "match_any": "r = (T)(g.match_any(t / 3) & 4095);",
    "match_all": "int same; g.match_all(t / 8, same); r = (T)same;",
    "sync": "__shared__ T s[64]; s[t] = v; g.sync(); r = s[t ^ 1];",
}
_COALESCED = ("shfl", "shfl_up", "shfl_down", "any", "all", "ballot", "match_any", "match_all", "sync")
_GROUPS = {
    **{f"a tile of {size}": (f"auto g = cooperative_groups::tiled_partition<{size}>(cooperative_groups::this_thread_block()); ", tuple(_TILE))
       for size in (32, 16, 8, 2)},
    "coalesced threads": ("auto g = cooperative_groups::coalesced_threads(); ", _COALESCED),
    "half a tile": (
        "auto g = cooperative_groups::binary_partition(cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()), (t & 1) != 0); ",
        ("shfl", "shfl_down", "any", "ballot"),
    ),
    "a labelled part": (
        "auto g = cooperative_groups::labeled_partition(cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()), t % 3); ",
        ("shfl", "shfl_down", "any", "ballot"),
    ),
}  # fmt: skip
_OF_GROUPS = {
    "reduce": ("cooperative_groups/reduce.h", "r = cooperative_groups::reduce(g, v, cooperative_groups::plus<T>());"),
    "the greatest": ("cooperative_groups/reduce.h", "r = cooperative_groups::reduce(g, v, cooperative_groups::greater<T>());"),
    "inclusive_scan": ("cooperative_groups/scan.h", "r = cooperative_groups::inclusive_scan(g, v);"),
    "exclusive_scan": ("cooperative_groups/scan.h", "r = cooperative_groups::exclusive_scan(g, v);"),
}  # fmt: skip
_BLOCK = "auto g = cooperative_groups::this_thread_block(); __shared__ T s[64]; "
_OF_BLOCKS = {
    "sync of a block": ("cooperative_groups.h", "s[t] = v; g.sync(); r = s[63 - t];"),
    "sync of a block by its function": ("cooperative_groups.h", "s[t] = v; cooperative_groups::sync(g); r = s[63 - t];"),
    "memcpy_async": ("cooperative_groups/memcpy_async.h", "cooperative_groups::memcpy_async(g, s, in, sizeof s); cooperative_groups::wait(g); r = s[63 - t];"),
}  # fmt: skip
_CORE = {
    "cuda::barrier": (
        "cuda/barrier",
        (
            "__shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ T s[64]; if (t == 0) init(&b, 64); __syncthreads(); "
            "s[t] = v; b.arrive_and_wait(); r = s[63 - t];"
        ),
    ),
    "cuda::barrier with a token": (
        "cuda/barrier",
        (
            "__shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ T s[64]; if (t == 0) init(&b, 64); __syncthreads(); "
            "s[t] = v; auto token = b.arrive(); b.wait(static_cast<decltype(token)&&>(token)); r = s[63 - t];"
        ),
    ),
    "cuda::std::barrier": (
        "cuda/std/barrier",
        (
            "typedef cuda::std::barrier<> barrier; __shared__ unsigned char memory[sizeof(barrier)]; __shared__ T s[64]; "
            "barrier* b = (barrier*)memory; if (t == 0) ::new (memory) barrier(64); __syncthreads(); s[t] = v; b->arrive_and_wait(); r = s[63 - t];"
        ),
    ),
    "cuda::latch": (
        "cuda/latch",
        (
            "__shared__ unsigned char memory[sizeof(cuda::latch<cuda::thread_scope_block>)]; __shared__ T s[64]; "
            "auto* l = (cuda::latch<cuda::thread_scope_block>*)memory; if (t == 0) ::new (memory) cuda::latch<cuda::thread_scope_block>(64); "
            "__syncthreads(); s[t] = v; l->arrive_and_wait(); r = s[63 - t];"
        ),
    ),
    "cuda::binary_semaphore": (
        "cuda/semaphore",
        (
            "typedef cuda::binary_semaphore<cuda::thread_scope_block> semaphore; __shared__ unsigned char memory[sizeof(semaphore)]; __shared__ T s; "
            "auto* m = (semaphore*)memory; if (t == 0) { ::new (memory) semaphore(0); s = v; } __syncthreads(); "
            "if (t == 63) { s = v; m->release(); } if (t == 0) { m->acquire(); r = s; }"
        ),
    ),
    "cuda::pipeline": (
        "cuda/pipeline",
        (
            "__shared__ T s[64]; auto p = cuda::make_pipeline(); p.producer_acquire(); cuda::memcpy_async(&s[t], &in[t], sizeof(T), p); "
            "p.producer_commit(); p.consumer_wait(); r = s[t]; p.consumer_release(); __syncthreads(); r = r + s[63 - t];"
        ),
    ),
    "polling of cuda::atomic": (
        "cuda/atomic",
        (
            "__shared__ cuda::atomic<int, cuda::thread_scope_block> turn; __shared__ T s; if (t == 0) turn.store(0); __syncthreads(); "
            "if (t == 63) { s = v; turn.store(1); } while (turn.load() == 0) {} r = s;"
        ),
    ),
}
_CUB_WARP = {
    "WarpReduce": ("WarpReduce<T, 32>", "warp_reduce", "r = Op(temp[t / 32]).Sum(v); if (t % 32) r = v;"),
    "WarpScan": ("WarpScan<T, 32>", "warp_scan", "Op(temp[t / 32]).InclusiveSum(v, r);"),
    "WarpExchange": ("WarpExchange<T, 2, 32>", "warp_exchange", "T items[2] = {v, (T)t}; Op(temp[t / 32]).BlockedToStriped(items, items); r = items[0] + items[1];"),
}  # fmt: skip
_CUB_BLOCK = {
    "BlockReduce": ("BlockReduce<T, 64>", "block_reduce", "r = Op(temp).Sum(v); if (t) r = v;"),
    "BlockReduce of raking": ("BlockReduce<T, 64, cub::BLOCK_REDUCE_RAKING>", "block_reduce", "r = Op(temp).Sum(v); if (t) r = v;"),
    "BlockScan": ("BlockScan<T, 64>", "block_scan", "Op(temp).InclusiveSum(v, r);"),
    "BlockScan of warps": ("BlockScan<T, 64, cub::BLOCK_SCAN_WARP_SCANS>", "block_scan", "Op(temp).ExclusiveSum(v, r);"),
    "BlockRadixSort": ("BlockRadixSort<T, 64, 1>", "block_radix_sort", "T items[1] = {v}; Op(temp).Sort(items); r = items[0];"),
    "BlockMergeSort": ("BlockMergeSort<T, 64, 1>", "block_merge_sort", "T items[1] = {v}; Op(temp).Sort(items, Less()); r = items[0];"),
    "BlockExchange": ("BlockExchange<T, 64, 2>", "block_exchange", "T items[2] = {v, (T)t}; Op(temp).BlockedToStriped(items, items); r = items[0] + items[1];"),
    "BlockShuffle": ("BlockShuffle<T, 64>", "block_shuffle", "Op(temp).Offset(v, r, 1);"),
    "BlockLoad": ("BlockLoad<T, 64, 1, cub::BLOCK_LOAD_TRANSPOSE>", "block_load", "T items[1]; Op(temp).Load(in, items); r = items[0];"),
    "BlockStore": ("BlockStore<T, 64, 1, cub::BLOCK_STORE_TRANSPOSE>", "block_store", "T items[1] = {v}; Op(temp).Store(out, items); __syncthreads(); r = out[t];"),
    "BlockAdjacentDifference": (
        "BlockAdjacentDifference<T, 64>", "block_adjacent_difference", "T a[1] = {v}, b[1]; Op(temp).SubtractLeft(a, b, Minus()); r = b[0];",
    ),
    "BlockDiscontinuity": ("BlockDiscontinuity<T, 64>", "block_discontinuity", "T a[1] = {v}; int flags[1]; Op(temp).FlagHeads(flags, a, Unequal()); r = (T)flags[0];"),
    "BlockHistogram": (
        "BlockHistogram<unsigned char, 64, 1, 64>", "block_histogram",
        "__shared__ unsigned bins[64]; unsigned char a[1] = {(unsigned char)(t % 7)}; Op(temp).Histogram(a, bins); __syncthreads(); r = (T)bins[t];",
    ),
}  # fmt: skip
_OPERATIONS = """struct Less { template <class T> __device__ bool operator()(const T& a, const T& b) const { return a < b; } };
struct Minus { template <class T> __device__ T operator()(const T& a, const T& b) const { return a - b; } };
struct Unequal { template <class T> __device__ bool operator()(const T& a, const T& b) const { return a != b; } };
"""


def _of_warps() -> Iterator[Program]:
    for name, statement in _SHUFFLES.items():
        yield Program(name, (), "", statement, WORDS)
        for type_, header in NARROW.items():
            yield Program(f"{name}, {type_}", (header,), "", statement, (type_,))
    for name, statement in _VOTES.items():
        yield Program(name, (), "", statement, NUMBERS)
    yield Program("__match_any_sync", (), "", "r = (T)(__match_any_sync(0xffffffffu, v) >> (t & 15) & 1023);", WORDS)
    yield Program(
        "__match_all_sync", (), "", "int same; __match_all_sync(0xffffffffu, (T)(t / 40), &same); r = (T)same;", WORDS
    )
    for operation, types in {"add": 2, "min": 2, "max": 2, "and": 2, "or": 2, "xor": 2}.items():
        statement = f"r = (T)__reduce_{operation}_sync(0xffffffffu, v);"
        yield Program(f"__reduce_{operation}_sync", (), "", statement, WHOLE[:types])
    for name, statement in _SHARED.items():
        neighbour = "t ^ 1" if "warp" in name else "63 - t"
        yield Program(name, (), "", f"__shared__ T s[64]; s[t] = v; {statement} r = s[{neighbour}];", NUMBERS)
    for name, (before, statement) in _CALLED.items():
        yield Program(name, (), before, statement, NUMBERS)


def _of_groups() -> Iterator[Program]:
    for group, (definition, methods) in _GROUPS.items():
        for method in methods:
            yield Program(f"{method} of {group}", ("cooperative_groups.h",), "", definition + _TILE[method], NUMBERS)
        for function, (header, statement) in _OF_GROUPS.items():
            if "tile of" in group:
                headers = ("cooperative_groups.h", header)
                yield Program(f"{function} of {group}", headers, "", definition + statement, NUMBERS)
    for name, (header, statement) in _OF_BLOCKS.items():
        yield Program(name, tuple(dict.fromkeys(("cooperative_groups.h", header))), "", _BLOCK + statement, NUMBERS)


def _of_core_libraries() -> Iterator[Program]:
    for name, (header, statement) in _CORE.items():
        yield Program(name, (header,), "", statement, ("int", "double"), True, "std" not in name)
    for scope, operations in (("warp", _CUB_WARP), ("block", _CUB_BLOCK)):
        places = "[2]" if scope == "warp" else ""
        for name, (type_, header, statement) in operations.items():
            definition = f"typedef cub::{type_} Op; __shared__ typename Op::TempStorage temp{places}; "
            headers = (f"cub/{scope}/{header}.cuh",)
            yield Program(f"cub::{name}", headers, _OPERATIONS, definition + statement, ("int", "float"), True, False)


def programs() -> dict[str, Program]:
    """Return all programs by name."""
    found = [*_of_warps(), *_of_groups(), *_of_core_libraries()]
    by_name = {program.name: program for program in found}
    assert len(by_name) == len(found)
    return by_name
