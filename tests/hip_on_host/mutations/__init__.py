"""Changes kernels without changing what they mean, so that whoever takes them apart has to understand them."""

from tests.hip_on_host.mutations.mutants import Chunk, Mutated, mutate, split
from tests.hip_on_host.mutations.tree import Invalid

__all__ = ["Chunk", "Invalid", "Mutated", "mutate", "split"]
