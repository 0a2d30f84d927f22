"""Kernel launches with attributes, which HIP has some of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding import launch_extra
from cuda_shim.binding.arguments import address, require_type
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.kernel_parameters import Structures, fill_structures, place
from cuda_shim.binding.structs import duplicate, to_hip

__all__ = ["LaunchAttributes", "kernel_with_attributes"]


def kernel_with_attributes(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuLaunchKernelEx; HIP's is hipDrvLaunchKernelEx.

    A hint that HIP lacks is left out, since a launch without it computes the same; other attributes that HIP
    lacks are refused.
    """
    outcome, hip, success = binding.outcome, binding.hip, (binding.outcome.success,)
    attributes, describes = LaunchAttributes(binding), binding.hip_python.describes_functions

    def launch(config: Any, f: Any, params: Any, more: Any) -> tuple[Any, ...]:
        function, (packing, packed), buffer = address(f), place(params), _extra(more)
        try:
            if describes and packing.__class__ is Structures:
                fill_structures(f, packing)
            served = attributes.served(config)  # must live while HIP reads it
            (status,) = hip(to_hip(served), function, packed, buffer)
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else success

    return launch


# Attributes that allow a kernel to start before the one ahead of it has ended, or advise on places of blocks and data.
_HINTS = {
    "CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW",
    "CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE",
    "CU_LAUNCH_ATTRIBUTE_IGNORE",
    "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN",
    "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP",
    "CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING",
    "CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE",
    "CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION",
    "CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT",
    "CU_LAUNCH_ATTRIBUTE_PRIORITY",
    "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
    "CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE",
    "CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY",
}


class LaunchAttributes:
    """The launch attributes that HIP has, and the treatment of the others."""

    def __init__(self, binding: Binding) -> None:
        self._config = binding.class_of("CUlaunchConfig")
        enums = binding.enums("CUlaunchAttributeID")
        hip_constants = enums.hip_constants
        self._in_hip = {member.value for member in enums.row.members if member.hip in hip_constants}
        self._hints = {member.value for member in enums.row.members if member.name in _HINTS}
        self._cluster = int(enums.cls.__members__["CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"])

    def served(self, config: Any) -> Any:
        """Return the configuration without the hints that HIP lacks.

        Raises TypeError if it is not a configuration, Refused for an attribute that HIP lacks and is not a hint, and
        for a count above the list's length, for which CUDA would read beyond the list.
        """
        if config is None:
            return None
        require_type("config", self._config, config)
        entries = config.attrs
        if entries and config.numAttrs > len(entries):
            raise Refused(f"{config.numAttrs} attributes are more than the {len(entries)} of the list")
        attributes = entries[: config.numAttrs]
        if len(attributes) == len(entries) and all(int(attribute.id) in self._in_hip for attribute in attributes):
            return config
        passed = [attribute for attribute in attributes if not self._may_be_left_out(attribute)]
        for attribute in passed:
            if int(attribute.id) not in self._in_hip:
                raise Refused(f"HIP has no launch attribute for {attribute.id!r}", supported=False)
        copied = duplicate(config)
        copied.attrs, copied.numAttrs = passed, len(passed)
        return copied

    def _may_be_left_out(self, attribute: Any) -> bool:
        """Return whether HIP lacks an attribute that a launch can do without, such as clusters of one block."""
        number = int(attribute.id)
        if number in self._in_hip:
            return False
        size = attribute.value.clusterDim
        return number in self._hints or (number == self._cluster and (size.x, size.y, size.z) == (1, 1, 1))


def _extra(value: Any) -> Any:
    """Return the `extra` argument as HIP reads it. Raises TypeError and OverflowError as cuda-python does."""
    return launch_extra.in_hip(_POINTER.check(value))


_POINTER = C_INTEGERS["unsigned long long"]
