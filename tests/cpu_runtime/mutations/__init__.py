"""Changes kernels without changing what they mean, so that whoever takes them apart has to understand them."""

from .mutants import Chunk, Mutated, mutate, split
from .tree import Invalid

__all__ = ["Chunk", "Invalid", "Mutated", "mutate", "split"]
