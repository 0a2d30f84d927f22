"""PTX: modules that were compiled elsewhere as CUDA C++ for hiprtc, and asm statements of CUDA C++ as expressions.

A text is parsed into a typed module (`lexer`, `words`, `declarations`, `body`, `parser`, `module`); each function's
branches become a control-flow graph (`graph`), that becomes loops and ifs again (`structure`), and a writer says it all
in C++ (`kinds`, `values`, `emitter`, `lines`, `functions`, `writer`). What an instruction means is said once, in
`tables/ptx.yaml` (`instructions`), for both.
"""
