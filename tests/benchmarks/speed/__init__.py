"""Kernels that kernel_speed.py compares, and the runtimes that run them."""
