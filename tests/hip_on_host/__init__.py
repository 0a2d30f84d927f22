"""Tests of the CPU-hosted HIP runtime."""
