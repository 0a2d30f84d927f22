// The known functions of the driver's private tables.
//
// The ZLUDA project found their places and signatures. Their answers are those that NVIDIA's driver gave when they were
// recorded (tests/c_level/private_tables).
namespace {

// ---- Modules and contexts

int load_module(void** module, void* image) { return cuModuleLoadData(module, image); }

int load_module_with_options(void** module, void* image, void* options, void* values, unsigned count) {
    return cuModuleLoadDataEx(module, image, count, options, values);
}

int load_fat_binary(void* image, void** module, void* options, void* values, unsigned count) {
    return cuModuleLoadDataEx(module, image, count, options, values);
}

// Gives the primary context of a device, which this call neither begins nor holds.
int primary_context(void** context, int device) {
    if (!context) return invalid_value;
    const int status = cuDevicePrimaryCtxRetain(context, device);
    return status == success ? cuDevicePrimaryCtxRelease_v2(device) : status;
}

int create_context(void** context, unsigned flags, int device) { return cuCtxCreate_v2(context, flags, device); }

void ignore(size_t) {}

// The driver loads its compilers here; the shim has its own ready.
int load_compilers() { return success; }

// ---- Values that a runtime keeps with a context

// The given context, or the current one for null.
int find_context(void*& context) {
    if (context) return success;
    const int status = cuCtxGetCurrent(&context);
    if (status != success) return status;
    return context ? success : invalid_context;
}

int put_value(void* context, void* key, void* value, ContextEnds ends) {
    const int status = find_context(context);
    return status == success ? context_storage.put(context, key, value, ends) : status;
}

int remove_value(void* context, void* key) {
    const int status = find_context(context);
    return status == success ? context_storage.remove(context, key) : status;
}

int get_value(void** value, void* context, void* key) {
    if (!value) return invalid_value;
    const int status = find_context(context);
    return status == success ? context_storage.get(context, key, *value) : status;
}

int current_context_of_tools(void** context) { return cuCtxGetCurrent(context); }

// The number of a context, which no other context of the process ever has; 0 for null.
int number_of_context(void* context, uint64_t* number) {
    static uint64_t last_number = 0;
    if (!number) return invalid_value;
    *number = 0;
    if (!context) return success;
    void* stored = nullptr;
    while (context_storage.get(context, &last_number, stored) != success) {
        const uint64_t next = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
        // Another thread may have put its number first, which is then the one that counts.
        const int status = context_storage.put(context, &last_number, reinterpret_cast<void*>(next), nullptr);
        if (status == out_of_memory) return status;
    }
    *number = reinterpret_cast<uintptr_t>(stored);
    return success;
}

int device_of_context(void* context, int* device) {
    int status = find_context(context);
    if (status == success) status = cuCtxPushCurrent_v2(context);
    if (status != success) return status;
    status = cuCtxGetDevice(device);
    void* popped = nullptr;
    const int restored = cuCtxPopCurrent_v2(&popped);
    return status == success ? restored : status;
}

// ---- Questions whose answers say that nothing is attached to the process or the context

constexpr size_t number_of_hooks = 1024;
constexpr size_t number_of_switches = 14;
uint32_t hooks[number_of_hooks];
uint32_t switches[number_of_switches];

void get_hooks(void** place, size_t* count) { *place = hooks, *count = number_of_hooks; }

void get_switches(void** place, size_t* count) { *place = switches, *count = number_of_switches; }

int check_context(void* context, uint32_t* result, void**) {
    const int status = find_context(context);
    if (status == success) *result = 0;
    return status;
}

unsigned check_process() { return 0; }

}  // namespace
