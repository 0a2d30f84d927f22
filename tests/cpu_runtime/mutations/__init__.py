"""Changes kernels without changing what they mean, so that whoever takes them apart has to understand them."""

from .mutants import Chunk, Mutated, mutate, split

__all__ = ["Chunk", "Mutated", "mutate", "split"]
