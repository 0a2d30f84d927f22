// The use that an expression makes of a variable that it names.
#pragma once
#include "kernel_compiler/syntax/call_graph.h"

namespace cuda_shim {

enum class Use {
    Mention,  // neither reads nor writes it: sizeof(x), (void)x
    Read,
    Write,   // assigns it, or a part of it, here and now
    Escape,  // its address is taken or it is bound to a reference: it may change, or be read, elsewhere
};

// `reference`: a node that names a variable.
Use use_of(const CallGraph& calls, NodeIndex reference);

}  // namespace cuda_shim
