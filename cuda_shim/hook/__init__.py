"""The import hook: a finder for the names under ``cuda``, the modules it serves, their metadata.

Packages below it are reached only through two functions that the session hands in (which modules exist, and
how to open one), so nothing of HIP or of the tables is imported until a program uses a CUDA name.
"""
