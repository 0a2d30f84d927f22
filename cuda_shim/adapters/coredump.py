"""Core dumps of the device, which only NVIDIA's driver makes: there are none, so they can be switched off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.enums.translation import Refused, require_constant
from cuda_shim.binding.functions import Binding

__all__ = ["set_attribute"]

_REASON = "GPU core dumps are made by the NVIDIA driver; on AMD use rocgdb"
_SWITCHES = ("CU_COREDUMP_ENABLE_ON_EXCEPTION", "CU_COREDUMP_ENABLE_USER_TRIGGER")


def set_attribute(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuCoredumpSetAttribute, cuCoredumpSetAttributeGlobal: success for a switch that is off and stays off."""
    outcome, settings = binding.outcome, binding.class_of("CUcoredumpSettings")

    def serve(attrib: Any, value: Any) -> tuple[Any, ...]:
        require_constant(settings, attrib=attrib)
        if getattr(attrib, "name", "") in _SWITCHES and not value:
            return (outcome.success,)
        return outcome.refused(Refused(_REASON, supported=False))

    return serve
