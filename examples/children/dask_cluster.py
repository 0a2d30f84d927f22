"""Workers of a Dask cluster, here on this machine: they serve cuda.* because their environment asks for it.

python -m cuda_shim run examples/children/dask_cluster.py
"""

from distributed import Client, LocalCluster
from squares import squares

PART = 1000


def part(number: int) -> int:
    """The sum of one part's squares."""
    return int(squares(number * PART, PART).sum())


def main() -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        total = sum(client.gather(client.map(part, range(4))))
        workers = len(client.scheduler_info()["workers"])
    assert total == sum(i * i for i in range(4 * PART))
    print(f"{workers} workers: verified")


if __name__ == "__main__":
    main()
