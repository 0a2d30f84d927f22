"""Four processes of Python's own, each with a part of the work: started by fork, spawn or forkserver.

python -m cuda_shim run examples/children/processes.py [fork | spawn | forkserver]
"""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

from squares import squares

PART = 1000


def part(number: int) -> int:
    """The sum of one part's squares."""
    return int(squares(number * PART, PART).sum())


def main() -> None:
    method = sys.argv[1] if len(sys.argv) > 1 else "spawn"
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context(method)) as pool:
        total = sum(pool.map(part, range(4)))
    assert total == sum(i * i for i in range(4 * PART))
    print(f"{method}: verified in 4 processes")


if __name__ == "__main__":
    main()
