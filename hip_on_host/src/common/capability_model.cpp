#include "common/capability_model.h"

#include <string.h>

namespace cuda_shim {
namespace {

constexpr CapabilityModel kCapabilities[] = {{"8.0", 8, 0, 163, 164, 0, 128}, {"9.0", 9, 0, 227, 228, 1, 1024}};

}  // namespace

const CapabilityModel* find_capability_model(const char* name) {
    for (const CapabilityModel& model : kCapabilities) {
        if (strcmp(model.name, name) == 0) return &model;
    }
    return nullptr;
}

}  // namespace cuda_shim
