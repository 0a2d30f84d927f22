"""Each rank of an MPI program works on a device of its own; rank 0 checks the sum of all.

mpirun -n 4 python -m cuda_shim run --cpu-devices 4 examples/children/mpi_ranks.py
"""

from cuda.bindings import runtime
from mpi4py import MPI
from squares import check, squares

PART = 1000


def main() -> None:
    ranks = MPI.COMM_WORLD
    devices = check(runtime.cudaGetDeviceCount())
    device = ranks.rank % devices
    check(runtime.cudaSetDevice(device))
    total = ranks.allreduce(int(squares(ranks.rank * PART, PART, device).sum()))
    assert total == sum(i * i for i in range(ranks.size * PART))
    used = ranks.gather(check(runtime.cudaGetDevice()))
    if ranks.rank == 0:
        print(f"{ranks.size} ranks on devices {used}: verified")


if __name__ == "__main__":
    main()
