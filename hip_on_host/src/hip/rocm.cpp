#include "hip/rocm.h"

#include <stdlib.h>

#include "common/log.h"

namespace cuda_shim {

void end_as_rocm_would(const char* function, const char* reason) {
    log(LogLevel::Error, "%s: %s; AMD's runtime does not check this, and the process may crash there: it ends here",
        function, reason);
    abort();
}

}  // namespace cuda_shim
