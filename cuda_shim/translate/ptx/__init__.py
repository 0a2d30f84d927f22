"""PTX: modules that were compiled elsewhere as CUDA C++ for hiprtc, and asm statements of CUDA C++ as expressions.

A text is parsed into a typed module (`lexer`, `words`, `declarations`, `body`, `parser`, `module`); each function's
branches become a control-flow graph (`graph`), which becomes loops and ifs again (`structure`), and a writer emits C++
(`kinds`, `values`, `emitter`, `lines`, `functions`, `writer`). The meaning of an instruction has one definition for
both, in `tables/ptx.yaml` (`instructions`).
"""
