"""HIP on host cores: libamdhip64 and libhiprtc, which compile and run kernels on the processor.

Any program that makes HIP calls can load them, hip-python first of all. README.md explains how; `cuda_shim` is one user
and finds, builds and configures them by itself. The C++ sources are in `src/`, the headers of kernels in `device/`.
"""
