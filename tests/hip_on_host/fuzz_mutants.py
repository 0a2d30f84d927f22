"""Changes kernels without changing their meaning, and compares them with the unchanged ones, thread by thread.

    python -m tests.hip_on_host.fuzz_mutants --count 20000 --seed 1000 --compiler g++ --out /tmp/mutants

A seed is a program of about twelve mutants; as many seeds are tried as the count needs. A mutant that differs, is
refused, stops, dies or hangs is printed with the command that shows it again, and the mutated program is written to
--out. Exit status 1 if there was any.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import os
import sys
from pathlib import Path

from cuda_shim import settings
from cuda_shim.backends import cpu, host_libraries
from tests.hip_on_host import mutations
from tests.hip_on_host.mutations import sources
from tests.hip_on_host.program_outcomes import DEFAULT, FIBRES, Program, Runner, differences
from tests.interpreters import NO_FALLBACKS


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A seed's program after its mutations."""

    seed: int
    source: str  # the origin of the program
    original: Program
    program: Program
    kinds: dict[str, tuple[str, ...]]  # by kernel

    def report(self, compiler: str, wrong: dict[str, str], out: Path | None) -> str:
        """Return the failures, and the command that shows them again; write the program to `out`."""
        lines = [f"seed {self.seed}, {compiler}, {self.source}:"]
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            file = out / f"mutant_{self.seed}.cu"
            file.write_text(self.program.source, encoding="utf-8")
            lines[0] += f" {file}"
        lines += [f"  {name}: {said} [{', '.join(self.kinds[name])}]" for name, said in wrong.items()]
        lines.append(
            f"  again: python -m tests.hip_on_host.fuzz_mutants --seed {self.seed} --count 1 --compiler '{compiler}' --out ."
        )
        return "\n".join(lines)


@functools.lru_cache(maxsize=64)
def mutant(seed: int) -> Mutant:
    """The program of a seed, the same in every run."""
    source, original = sources.pick(seed)
    parts = mutations.mutate(mutations.split(original.source), seed)
    text = "".join(part.chunk.text for part in parts)
    common = tuple(kind for part in parts if not part.chunk.name for kind in part.kinds)
    own = {part.chunk.name: part.kinds for part in parts if part.chunk.name}
    kinds = {launch.name: (*own.get(launch.name, ()), *common) for launch in original.launches}
    return Mutant(seed, source, original, dataclasses.replace(original, source=text), kinds)


def compare(made: Mutant, reference: Runner, runner: Runner) -> dict[str, str]:
    """Return, by kernel, the failure of its mutant in the default form."""
    expected = reference.outcomes(made.original, FIBRES)
    return differences(made.program, runner.outcomes(made.program, DEFAULT), expected)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=500, help="at least so many mutants")
    parser.add_argument("--compiler", action="append", help="a command; of several each takes its turn")
    parser.add_argument("--out", type=Path, help="the folder for programs that differ")
    given = parser.parse_args()
    os.environ.update(NO_FALLBACKS)  # faulty code is a finding
    cpu.prepare_environment(settings.current())
    folder = Path(host_libraries.ensure_libraries(settings.current()))
    compilers = given.compiler or [""]
    reference, runners = Runner(folder), {compiler: Runner(folder, compiler) for compiler in compilers}
    tried, seed, wrong_by_kind = 0, given.seed, collections.Counter[str]()
    failed = 0
    while tried < given.count:
        made, compiler = mutant(seed), compilers[seed % len(compilers)]
        wrong = compare(made, reference, runners[compiler])
        if wrong:
            print(made.report(compiler, wrong, given.out), flush=True)
            wrong_by_kind.update(kind for name in wrong for kind in made.kinds[name])
        failed += len(wrong)
        tried += len(made.program.launches)
        seed += 1
    for runner in (reference, *runners.values()):
        runner.close()
    print(
        f"{tried} mutants of seeds {given.seed} to {seed - 1}, {failed} wrong; mutations in them: {dict(wrong_by_kind)}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
