"""Random calls of every function of driver, runtime and nvrtc: `python -m tests.fuzz --help`."""
