"""Random kernels without races, for comparing the forms in which they can be run.

Integers wrap around and floating-point numbers stay finite and unfused, so that every form must agree bit for bit. A
kernel exchanges values through shared memory, shuffles, votes, atomics and device functions; it has uniform and
divergent control flow, arrays, structs, pointers, lambdas, variables that live across barriers and ones that do not.
Behaviour that CUDA leaves undefined is left out: barriers that only some threads reach, shuffles from lanes that are
not there, reads of memory that was never written, atomics whose results depend on their order.
"""

from tests.hip_on_host.random_kernels.program import FLAGS, Launch, Program, program

__all__ = ["FLAGS", "Launch", "Program", "program"]
