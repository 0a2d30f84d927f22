"""NVIDIA's private tables: what its driver answers."""
