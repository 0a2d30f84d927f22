"""The tests of this folder that cannot hold on a runtime that behaves as AMD's (CUDA_SHIM_CPU_ROCM), with the reasons.

Every other test holds there too: CUDA's answers on AMD's manners. A named test that holds fails the run, so that the
table stays true; for a whole file, any of its tests may fail.
"""

from __future__ import annotations

CONDITIONS = "HIP graphs have no conditional nodes"
CLUSTERS = "HIP answers for clusters of kernels of host programs alone"
SHARED = "AMD's runtime gives the dynamic shared memory that there is, not what was set"

REFUSED = {
    "test_as_on_an_h200.py::test_blocks_are_64_deep": "AMD's blocks may be as deep as they are wide",
    "test_as_on_an_h200.py::test_limits": "AMD's runtime does not tell the size of printf's buffer",
    "test_as_on_an_h200.py::test_physical_memory_is_taken_from_the_device": "AMD's runtime takes whatever cannot be mapped for a wrong value",
    "graphs/test_any_node.py::test_a_node_of_any_type": CONDITIONS,
    "graphs/test_conditions.py": CONDITIONS,
    "graphs/test_conditions_12.py": CONDITIONS,
    "test_context.py::test_a_new_context_is_current": "a device has one context, whose handle each new one has",
    "test_function.py::test_a_kernel_is_its_function": SHARED,
    "test_function.py::test_attributes_that_can_be_set": SHARED,
    "test_function.py::test_kernels_in_the_runtime": SHARED,
    "test_handles.py::test_of_two_threads_that_destroy_an_object_one_does": "it asks the C library, which checks nothing",
    "test_handles.py::test_pairs_leave_nothing_behind": CONDITIONS,
    "test_short_structures.py::test_missing_members_are_refused_and_the_log_says_so": "AMD's runtime describes kernels of libraries alone",
    "other_device/test_recorded.py::test_memsets_follow_access": "AMD's runtime checks no access in memsets",
    "test_occupancy.py::test_clusters_that_are_resident": CLUSTERS,
    "test_occupancy.py::test_clusters_that_cannot_be": CLUSTERS,
}


def reason_for(node: str) -> tuple[str, bool]:
    """Return why a test cannot hold, or "", and whether it must fail; `node` is its path in this folder and name."""
    path = node.partition("::")[0]
    for name in (node, node.partition("[")[0]):
        if name in REFUSED:
            return REFUSED[name], True
    return REFUSED.get(path, ""), False
