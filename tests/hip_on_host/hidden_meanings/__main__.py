"""Compares the kernels with hidden meanings with their threads one by one, and prints those that differ.

python -m tests.hip_on_host.hidden_meanings --compiler g++ --together 1 assignments macros
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cuda_shim import settings
from cuda_shim.backends import cpu, host_libraries
from tests.hip_on_host.hidden_meanings import files
from tests.hip_on_host.program_outcomes import DEFAULT, FIBRES, Runner, differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="", help="a command; hiprtc's own choice if left out")
    parser.add_argument("--together", type=int, default=1, help="kernels in one program")
    parser.add_argument("names", nargs="*", help="files, all of them if left out")
    given = parser.parse_args()
    cpu.prepare_environment(settings.current())
    folder = Path(host_libraries.ensure_libraries(settings.current()))
    reference, runner = Runner(folder), Runner(folder, given.compiler)
    tried = failed = 0
    for name, file in files().items():
        if given.names and name not in given.names:
            continue
        wrong: dict[str, str] = {}
        for program in file.programs(given.together):
            wrong |= differences(program, runner.outcomes(program, DEFAULT), reference.outcomes(program, FIBRES))
        print(f"{name}: {len(wrong)} of {len(file.kernels)}", flush=True)
        for kernel, said in wrong.items():
            print(f"  {kernel}: {said}", flush=True)
        tried += len(file.kernels)
        failed += len(wrong)
    for one in (reference, runner):
        one.close()
    print(f"{tried} kernels, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
