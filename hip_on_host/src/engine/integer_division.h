// Integer divisions that a processor cannot do, by zero and of the least number by -1: it raises a signal, where a GPU
// goes on with a value.
#pragma once

namespace cuda_shim {

// `context`: the ucontext_t of a SIGFPE. Gives the division a GPU's results and goes on behind it; false where the
// instruction is no such division.
bool divide_as_a_gpu(void* context);

}  // namespace cuda_shim
