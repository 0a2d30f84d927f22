"""What kernel_speed.py compares: the kernels, and who runs them."""
