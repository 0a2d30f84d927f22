"""The members of structs that hold one number each, for tests that put any values there."""

from __future__ import annotations

from collections.abc import Iterator

from cuda_shim.binding.structs.layout import Place, StructLayout


def single_members(layout: StructLayout, before: str = "") -> Iterator[tuple[str, Place]]:
    """The members that are no array and no pointer, also those of structs inside: their paths and places."""
    for place in layout.places:
        field, path = place.field, before + place.field.name
        if field.hidden or field.count or field.base.endswith("*"):
            continue
        if place.nested is not None:
            yield from single_members(place.nested, f"{path}.")
        else:
            yield path, place
