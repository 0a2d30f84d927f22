"""Kernels that wait for other threads by one function each, and the results of an NVIDIA GPU for them."""
