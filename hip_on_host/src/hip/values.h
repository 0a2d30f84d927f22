// Values that a program names by a bare address, which need not be aligned to them.
#pragma once
#include <string.h>

#include "abi/hip_functions.h"

namespace cuda_shim {

template <class Value>
Value value_at(const void* place) {
    Value value;
    memcpy(&value, place, sizeof value);
    return value;
}

template <class Value>
hipError_t answer(void* place, Value value) {
    memcpy(place, &value, sizeof value);
    return hipSuccess;
}

}  // namespace cuda_shim
