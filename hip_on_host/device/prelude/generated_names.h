// Names of types for the text that hiprtc generates and for the macros in it. That text stands in the program's own scopes,
// where uint3, size_t or uint32_t may be undeclared, or the name of a parameter or of a type of the program's.
#pragma once

typedef uint3 cuda_shim_index;
typedef size_t cuda_shim_byte_count;
typedef uint32_t cuda_shim_word32;
typedef uint64_t cuda_shim_word64;
