// The form in which a kernel's threads are run.
#pragma once
#include <string>

#include "hiprtc/line_map.h"
#include "hiprtc/translation_unit.h"

namespace cuda_shim {

struct KernelForm {
    enum Kind {
        AsWritten,  // thread by thread; on fibres where it has barriers
        Loop,       // one loop over the block's threads
        Run,        // loops over the threads of all blocks of a run
        Split,      // a loop between every two barriers
    } kind = AsWritten;
    bool has_barriers = false;
    bool never_waits = false;
    std::string text;    // the further function, named split_name(); empty for AsWritten
    std::string reason;  // why a kernel with barriers is AsWritten
};

KernelForm choose_kernel_form(const TranslationUnit& unit, const FunctionDeclaration& kernel, const LineMap& lines);

// The further function's name.
std::string split_name(const std::string& kernel);

}  // namespace cuda_shim
