// Attributes of a pointer. The type of each value is the attribute's own, and HIP's but for the type of memory.
namespace {

constexpr int memory_type = 2;      // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int device_ordinal = 9;   // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
constexpr int invalid_device = -2;  // cudaInvalidDeviceId

void in_cuda_numbers(int attribute, void* value) {
    if (attribute == memory_type) {
        int found = 0;
        memcpy(&found, value, sizeof found);
        found = FROM_HIP(CUmemorytype)(found);
        memcpy(value, &found, sizeof found);
    }
}

// HIP writes an int where CUDA has a byte for yes or no, so the value goes through memory that has room for both.
size_t value_bytes(int attribute) {
    switch (attribute) {
        case 6:
        case 8:
        case 10:
        case 13:
            return 1;
        case 2:
        case 9:
        case 15:
        case 16:
            return 4;
        case 5:
            return 16;
        default:
            return 8;
    }
}

inline int pointer_attribute(void* value, int attribute, unsigned long long pointer) {
    int wanted = TO_HIP(CUpointer_attribute)(attribute);
    if (!value || wanted == no_constant || attribute > 17) return ask_python;
    uint64_t room[2] = {0, 0};
    int status = call_hip(HIP(hipPointerGetAttribute), static_cast<void*>(room), wanted, pointer);
    if (status == 0) {
        in_cuda_numbers(attribute, room);
        memcpy(value, room, value_bytes(attribute));
    }
    return status;
}

inline int pointer_attributes(unsigned int count, void* attributes, void* values, unsigned long long pointer) {
    const int* wanted = static_cast<const int*>(attributes);
    void* const* places = static_cast<void* const*>(values);
    if (!count || !wanted || !places) return 1;  // hipErrorInvalidValue
    for (unsigned int i = 0; i < count; ++i) {
        if (!places[i]) return 1;
        int status = pointer_attribute(places[i], wanted[i], pointer);
        if (status == ask_python) return 1;
        // For an unknown pointer, CUDA gives zeros and no device.
        if (status != 0) {
            memset(places[i], 0, value_bytes(wanted[i]));
            if (wanted[i] == device_ordinal) memcpy(places[i], &invalid_device, sizeof invalid_device);
        }
    }
    return 0;
}

}  // namespace
