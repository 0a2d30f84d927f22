"""Changes kernels without changing their meaning, so that a transformation has to understand them to split them."""

from tests.hip_on_host.mutations.mutants import Chunk, Mutated, mutate, split
from tests.hip_on_host.mutations.tree import Invalid

__all__ = ["Chunk", "Invalid", "Mutated", "mutate", "split"]
