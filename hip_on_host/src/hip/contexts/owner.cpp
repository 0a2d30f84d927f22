#include "hip/contexts/owner.h"

#include "hip/contexts/context.h"
#include "hip/contexts/green_context.h"
#include "hip/handle_table.h"
#include "hip/memory/array.h"
#include "hip/memory/host_memory.h"
#include "hip/modules/code_object.h"
#include "hip/rocm.h"
#include "hip/streams/capture.h"
#include "hip/streams/event.h"
#include "hip/streams/stream.h"
#include "hip/textures/texture.h"

namespace cuda_shim {
namespace {

template <class Object>
void end_all(const Ending& ending) {
    live_handles<Object>().claim_owned(ending);
}

void end_streams(const Ending& ending) {
    for (const std::unique_ptr<Stream>& stream : live_handles<Stream>().claim_owned(ending)) {
        if (std::shared_ptr<Capture> capture = stream->capture()) capture->lose_participant(*stream);
    }
}

void end_modules(const Ending& ending) {
    // Launches that wait in streams of other contexts keep the code itself.
    for (const std::unique_ptr<Module>& module : live_handles<Module>().claim_owned(ending)) module->code->retire();
}

}  // namespace

Owner current_owner() {
    const Context& context = current_context();
    return {context.device().ordinal(), context.number()};
}

void end_resources(const Ending& ending) {
    end_streams(ending);
    if (!as_rocm(RocmDifference::ResetsKeepHandles)) {
        end_all<ExecutionContext>(ending);
        end_all<Event>(ending);
        end_modules(ending);
        end_all<Texture>(ending);  // before the arrays that they show
        end_all<Surface>(ending);
        end_all<MipmappedArray>(ending);
        end_all<Array>(ending);
    }
    free_owned_memory(ending);
}

}  // namespace cuda_shim
