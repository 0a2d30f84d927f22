"""Runs CuPy's kernels of random numbers on the backend that is served, and compares their distributions with numpy's.

    python -m cuda_shim run --backend cpu --cuda 13.5 -m tests.kernels.others.run_numpy_random FOLDER [-I FOLDER]...

FOLDER holds the files of `draw_cupy.py`: the kernels of RandomState, which bring a generator of their own, and those of
Generator, which use cuRAND's. Criteria: 20,000 numbers of each and 200,000 of numpy's of the same distribution are as
near to each other as samples of one distribution are but once in 10,000 times (two-sample Kolmogorov-Smirnov); the
uniform numbers of RandomState's generator and the bits of cuRAND's Philox are equal to those of the algorithm in numpy.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

from tests.kernels.core_worker import built, check
from tests.kernels.others.run_numpy import Device, Program, compiled, described, indexer, launched, options_here

COUNT, SEED = 20_000, 1234
_NUMPY = np.random.default_rng(99)
#: The kernels' arguments, which numpy's function of the name takes too; an integer is one for the kernel as well.
DISTRIBUTIONS: dict[str, tuple[Any, ...]] = {
    "beta": (2.0, 3.0), "standard_t": (9.0,), "chisquare": (5.0,), "f": (6.0, 20.0), "noncentral_chisquare": (3.0, 2.0),
    "noncentral_f": (6.0, 20.0, 2.0), "standard_gamma": (2.5,), "vonmises": (0.5, 2.0), "binomial": (400, 0.3),
    "geometric": (0.2,), "logseries": (0.6,), "poisson": (30.0,), "zipf": (4.0,), "hypergeometric": (30, 20, 12),
}  # fmt: skip
#: Generator's kernels: the type of a number, and its arguments where they are other than numpy's.
RESULTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "raw": ("unsigned int", ()), "random_uniform": ("double", ()), "random_uniform_float": ("float", ()),
    "standard_normal": ("double", ()), "standard_normal_float": ("float", ()), "exponential": ("double", ()),
    "interval_32": ("unsigned int", (np.uint32(5000), np.uint32(8191))),
    "interval_64": ("unsigned long", (np.uint64(10**12), np.uint64(2**40 - 1))), "beta": ("double", ()),
    "poisson": ("long", ()), "geometric": ("long", ()), "hypergeometric": ("long", ()), "logseries": ("long", ()),
    "standard_gamma": ("double", ()), "binomial": ("long", ()),
}  # fmt: skip
KINDS = {"unsigned int": "I", "double": "d", "float": "f", "unsigned long": "Q", "long": "q", "int": "i"}
STATES = {"xorwow": "curandState", "mrg32k3a": "curandStateMRG32k3a", "philox": "curandStatePhilox4_32_10_t"}
#: Threads that draw, and room for the state of each, whichever generator it is.
THREADS, STATE = 1024, 256


def wanted(name: str) -> Any:
    """Numbers of numpy's of a kernel's distribution."""
    size = 10 * COUNT
    plain: dict[str, Callable[[], Any]] = {
        "raw": lambda: _NUMPY.integers(0, 2**32, size), "interval_32": lambda: _NUMPY.integers(0, 5001, size),
        "interval_64": lambda: _NUMPY.integers(0, 10**12 + 1, size),
        "random_uniform": lambda: _NUMPY.random(size), "random_uniform_float": lambda: _NUMPY.random(size),
        "standard_normal": lambda: _NUMPY.standard_normal(size),
        "standard_normal_float": lambda: _NUMPY.standard_normal(size), "exponential": lambda: _NUMPY.exponential(size=size),
    }  # fmt: skip
    return plain[name]() if name in plain else getattr(_NUMPY, name)(*DISTRIBUTIONS[name], size=size)


def apart(got: Any, other: Any) -> str:
    """Return the difference of two samples, empty where there is none: the greatest distance of their distributions."""
    every = np.unique(np.concatenate([got, other]))
    shares = [np.searchsorted(np.sort(one), every, side="right") / one.size for one in (got, other)]
    distance, bound = np.abs(shares[0] - shares[1]).max(), 2.23 * np.sqrt(1 / got.size + 1 / other.size)
    return "" if distance < bound else f"{distance:.4f} apart, more than {bound:.4f}"


def uniform_of_random_state() -> Any:
    """The numbers between 0 and 1 of RandomState's generator, one for each seed: four words that are shifted."""
    seeds = np.arange(COUNT, dtype=np.uint64) + np.uint64(SEED)
    words = []
    for i in range(1, 5):
        seeds = np.uint64(1812433253) * (seeds ^ (seeds >> np.uint64(30))) + np.uint64(i)
        words.append(seeds.astype(np.uint32))

    def following() -> Any:
        turned = words[0] ^ (words[0] << np.uint32(11))
        words[:3] = words[1:]
        words[3] = words[3] ^ (words[3] >> np.uint32(19)) ^ turned ^ (turned >> np.uint32(8))
        return words[3]

    high, low = following() >> np.uint32(5), following() >> np.uint32(6)
    return (high * 67108864.0 + low) / 9007199254740992.0


def philox() -> Any:
    """Return the threads' numbers of Philox 4x32-10: thread t takes 4 words at a time of the subsequence t."""
    each = -(-COUNT // THREADS)
    blocks = -(-each // 4)
    block, thread = np.meshgrid(np.arange(blocks, dtype=np.uint64), np.arange(THREADS, dtype=np.uint64), indexing="ij")
    zero, low = np.zeros_like(block), np.uint64(2**32 - 1)
    counter, keys = [block, zero, thread, zero], [SEED, 0]
    for _ in range(10):
        products = [counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)]
        counter = [
            (products[1] >> np.uint64(32)) ^ counter[1] ^ np.uint64(keys[0]), products[1] & low,
            (products[0] >> np.uint64(32)) ^ counter[3] ^ np.uint64(keys[1]), products[0] & low,
        ]  # fmt: skip
        keys = [(keys[0] + 0x9E3779B9) % 2**32, (keys[1] + 0xBB67AE85) % 2**32]
    return np.stack(counter, axis=1).reshape(-1)[:COUNT].astype(np.uint32)


def of_random_state(folder: Path, includes: list[str], device: Device) -> Iterator[tuple[str, str]]:
    """The element-wise kernels, of which each number is drawn with a seed of its own."""
    for file in sorted(folder.glob("cupy-random-cupy_*.json")):
        name, letters = re.match(r"cupy-random-cupy_(\w+)_kernel-(.*)-flat-", file.name).groups()  # type: ignore[union-attr]
        kinds = dict(one.split(".") for one in letters.split("_"))
        content = json.loads(file.read_text(encoding="utf-8"))
        program = Program(
            file, "", name, f"cupy_{name}_kernel", [], [], content["source"].encode(), content["options"]
        )  # fmt: skip
        got = np.zeros(COUNT, kinds["Y"])
        place = device.holds(got)
        numbers = [np.float64(one) if isinstance(one, float) else np.int64(one) for one in DISTRIBUTIONS.get(name, ())]
        parameters = [
            *(one.tobytes() for one in numbers),
            np.uint64(SEED).tobytes(),
            described(got, place),
            indexer(got.shape),
        ]
        launched(compiled(program, includes), parameters, 4)
        device.reads(got, place)
        if name == "open_uniform":
            exact = uniform_of_random_state().astype(got.dtype)
            yield file.name, "" if np.array_equal(got, exact) else f"{np.count_nonzero(got != exact)} other numbers"
        else:
            yield file.name, apart(got, wanted(name))


def _of_generator(name: str, state: str, arguments: tuple[Any, ...]) -> str:
    """The name of a kernel of Generator, with its types."""
    numbers = {np.uint32: "unsigned int", np.uint64: "unsigned long"}
    arrays = [
        "array_data<double>*" if isinstance(one, float) else "array_data<long>*" for one in DISTRIBUTIONS.get(name, ())
    ]
    passed = [numbers[type(one)] for one in arguments] or arrays
    if name == "binomial":
        passed = ["array_data<int>*", "array_data<double>*", "rk_binomial_state*"]
    return f"execute_dist<{', '.join([f'{name}_functor', f'curand_pseudo_state<{state}>', RESULTS[name][0], *passed])}>"


def _kernels(content: dict[str, Any], includes: list[str], names: list[str]) -> dict[str, Any]:
    """The kernels that are templates, by the names that are asked for."""
    made = check(nvrtc.nvrtcCreateProgram(content["source"].encode(), b"drawn.cu", 0, None, None))
    for name in names:
        nvrtc.nvrtcAddNameExpression(made, name.encode())
    module = check(driver.cuModuleLoadData(built(made, options_here(content["options"], includes))))
    lowered = {name: check(nvrtc.nvrtcGetLoweredName(made, name.encode())) for name in names}
    return {name: check(driver.cuModuleGetFunction(module, symbol)) for name, symbol in lowered.items()}


def _array_data(value: Any, device: Device) -> bytes:
    """Return the description of an array for Generator: one number, which is at each index."""
    held = np.array([value])
    return np.array([device.holds(held), 1, 1, 0], np.int64).tobytes()


def of_generator(folder: Path, includes: list[str], device: Device) -> Iterator[tuple[str, str]]:
    """Generator's kernels, on each of cuRAND's generators that CuPy has."""
    content = json.loads(next(folder.glob("cupy-random-generator-*.json")).read_text(encoding="utf-8"))
    names = {
        (name, generator): _of_generator(name, state, RESULTS[name][1])
        for name in RESULTS for generator, state in STATES.items()
    }  # fmt: skip
    seeding = {generator: f"init_curand<curand_pseudo_state<{state}>>" for generator, state in STATES.items()}
    kernels = _kernels(content, includes, [*names.values(), *seeding.values()])
    for (name, generator), expression in names.items():
        states = np.zeros(THREADS * STATE, np.uint8)
        state = np.int64(device.holds(states)).tobytes()
        seeds = [state, np.uint64(SEED).tobytes(), np.int64(THREADS).tobytes()]
        launched(kernels[seeding[generator]], seeds, THREADS // 256, threads=256)
        kind, numbers = RESULTS[name]
        got: Any = np.zeros(COUNT, KINDS[kind])
        place = device.holds(got)
        passed = [one.tobytes() for one in numbers]
        if not numbers:
            described_arrays = [
                np.frombuffer(
                    _array_data(np.int32(one) if name == "binomial" and isinstance(one, int) else one, device), np.int64
                )
                for one in DISTRIBUTIONS.get(name, ())
            ]
            passed = [np.int64(device.holds(one.copy())).tobytes() for one in described_arrays]
        if name == "binomial":
            passed.append(np.int64(device.holds(np.zeros(THREADS * 128, np.uint8))).tobytes())
        sizes = [np.int64(THREADS).tobytes(), np.int64(place).tobytes(), np.int64(COUNT).tobytes()]
        launched(kernels[expression], [state, *sizes, *passed], THREADS // 256, threads=256)
        device.reads(got, place)
        difference = apart(got, wanted(name))
        if (name, generator) == ("raw", "philox") and not np.array_equal(got, philox()):
            difference = "not the bits of Philox"
        device.forget()
        yield f"generator {name} {generator}", difference


def main() -> None:
    """Run the kernels and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-I", dest="includes", action="append", default=[])
    asked = parser.parse_args()
    device = Device()
    for judged in (of_random_state, of_generator):
        outcomes = dict(judged(asked.folder, asked.includes, device))
        for name, difference in outcomes.items():
            if difference:
                print(f"{name}: {difference}", flush=True)
        print(f"{judged.__name__}: {sum(not one for one in outcomes.values())} of {len(outcomes)} as numpy", flush=True)


if __name__ == "__main__":
    main()
