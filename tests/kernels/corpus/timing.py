import numpy as np

from . import Run, case


@case()
def clocks(rng):
    def check(results):
        assert (results[0] > 0).all()

    run = Run(
        [np.zeros(32, np.int64), np.zeros(32, np.uint32), np.zeros(32, np.int32)],
        {2: np.ones(32, np.int32)},
        block=32,
        check=check,
    )
    run.comparable = False
    return run


@case()
def sleeping(rng):
    return Run([np.zeros(32, np.int32)], {0: np.full(32, 64, np.int32)}, block=32)
