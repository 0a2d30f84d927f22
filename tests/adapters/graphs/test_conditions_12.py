"""Conditional nodes in the forms of CUDA 12.9."""

from tests.adapters.graphs.test_conditions import (  # noqa: F401 (fixtures and tests, run here with another layout)
    kernels,
    program,
    test_descriptions,
    test_nested_and_captured,
    test_of_the_runtime,
    test_the_graph_that_the_value_says_runs_once,
)

LAYOUT = "12.9"
