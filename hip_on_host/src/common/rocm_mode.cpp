#include "common/rocm_mode.h"

#include <string.h>

namespace cuda_shim {
namespace {

// Targets as a machine reports them, with the features of its memory.
constexpr GpuModel kModels[] = {
    {"gfx90a", "gfx90a:sramecc+:xnack-", 9, 0, 64, 0x3f, 64, true},
    {"gfx942", "gfx942:sramecc+:xnack-", 9, 4, 64, 0x4c, 64, false},
    {"gfx950", "gfx950:sramecc+:xnack-", 9, 5, 64, 0x4f, 160, false},
    {"gfx1030", "gfx1030", 10, 3, 32, 0x36, 64, true},
    {"gfx1100", "gfx1100", 11, 0, 32, 0x41, 64, true},
    {"gfx1201", "gfx1201", 12, 0, 32, 0x4e, 64, true},
};

}  // namespace

const GpuModel* find_gpu_model(const char* name) {
    for (const GpuModel& model : kModels) {
        if (strcmp(model.name, name) == 0) return &model;
    }
    return nullptr;
}

}  // namespace cuda_shim
