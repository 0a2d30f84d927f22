"""Changes kernels without changing what they mean, so that whoever takes them apart has to understand them."""

from tests.cpu_runtime.mutations.mutants import Chunk, Mutated, mutate, split
from tests.cpu_runtime.mutations.tree import Invalid

__all__ = ["Chunk", "Invalid", "Mutated", "mutate", "split"]
