// Included behind the prelude where a program is only parsed, for its syntax tree or for its errors. A header of its own,
// so that one precompiled prelude serves parsing and compiling.

// An explicit instantiation of a kernel template may not be called inline.
#undef __global__
#define __global__

// The syntax tree begins behind this, also where the prelude is not precompiled (kernel_compiler/syntax/syntax_reader.cpp).
struct cuda_shim_prelude_ends;
