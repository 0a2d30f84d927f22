// Which kernels cannot wait: such a kernel ends by itself, whatever the program and other kernels write meanwhile.
#pragma once
#include "hiprtc/translation_unit.h"

namespace cuda_shim {

// True only where it is beyond doubt. A launch of such a kernel may run on the thread that asks for it: nothing that
// this thread does afterwards is what the kernel is waiting for.
//
// What must hold: the kernel, and every function of the unit that may be called from it, repeats nothing but counting
// loops, `for (…; counter against something; counter changed by a number)`, whose counter nobody else changes; and no
// function calls itself, directly or through others.
bool never_waits(const TranslationUnit& unit, const FunctionDeclaration& kernel);

}  // namespace cuda_shim
