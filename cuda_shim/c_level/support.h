// The base of the generated functions: HIP's functions by number, flags that Python keeps, and arguments for Python.
//
// This file is included by the text that cuda_shim/c_level/source.py writes, after the names of HIP's functions and
// python_calls.h.
#include <time.h>

namespace {

// A struct that is passed by value, of which only the size and the class of its registers matter here.
template <int size>
struct Bytes {
    char bytes[size];
};

using cuuint32_t = uint32_t;
using cuuint64_t = uint64_t;

// The translation of a constant that HIP lacks.
constexpr int no_constant = INT32_MIN;
// The result of a handwritten body that leaves the call to Python; HIP's statuses are not negative.
constexpr int ask_python = -1;
// The null stream, the legacy one and the thread's own.
constexpr uintptr_t last_default_stream = 2;
// The numbers of the requests to Python: to open the backend, to note a call that C served by itself, to log a text,
// and to say whether the user wants the check of NVIDIA's runtime to be answered.
constexpr uint32_t open_backend = UINT32_MAX;
constexpr uint32_t note_call = UINT32_MAX - 1;
constexpr uint32_t report_text = UINT32_MAX - 2;
constexpr uint32_t may_answer_check = UINT32_MAX - 3;

void* hip_library = nullptr;
void* hiprtc_library = nullptr;
void* hip_pointers[number_of_hip_functions];

void* find_hip_function(int number) {
    if (!__atomic_load_n(&hip_library, __ATOMIC_ACQUIRE)) {
        if (answer_of_python(open_backend, nullptr, 1, 1) != 0) return nullptr;
    }
    const char* name = hip_names[number];
    void* found = dlsym(strncmp(name, "hiprtc", 6) ? hip_library : hiprtc_library, name);
    __atomic_store_n(&hip_pointers[number], found, __ATOMIC_RELEASE);
    return found;
}

// The pointer of a HIP function, null where the backend has none of that name.
inline void* hip_function(int number) {
    void* found = __atomic_load_n(&hip_pointers[number], __ATOMIC_ACQUIRE);
    return __builtin_expect(found != nullptr, 1) ? found : find_hip_function(number);
}

template <typename... Types>
inline int call_hip(int number, Types... arguments) {
    auto function = reinterpret_cast<int (*)(Types...)>(hip_function(number));
    return function ? function(arguments...) : ask_python;
}

// Flags: the driver is initialised, the program calls the runtime, the thread is known to have a context. Python keeps
// all three; a call that matters to one of them goes to Python until it is known here.
bool driver_is_initialized = false;
bool runtime_is_used = false;
__thread bool thread_has_context = false;

inline bool is_initialized() { return __atomic_load_n(&driver_is_initialized, __ATOMIC_ACQUIRE); }

inline bool is_runtime_used() { return __atomic_load_n(&runtime_is_used, __ATOMIC_ACQUIRE); }

inline bool has_context() { return thread_has_context && is_initialized(); }

// True for a stream that is none of the default ones.
template <typename Stream>
inline bool brings_context(Stream stream) {
    return is_initialized() && reinterpret_cast<uintptr_t>(stream) > last_default_stream;
}

bool is_counting = false;

uint64_t nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// The time at which a call began, 0 unless calls are counted.
inline uint64_t count_from() {
    return __builtin_expect(__atomic_load_n(&is_counting, __ATOMIC_RELAXED), 0) ? nanoseconds() : 0;
}

// The status of a call that is over, and was counted if it has a beginning.
inline int counted(uint32_t function, uint64_t began, int status) {
    if (__builtin_expect(began != 0, 0)) {
        const uint64_t told[] = {function, static_cast<uint32_t>(status), nanoseconds() - began};
        answer_of_python(note_call, told, 0, 0);
    }
    return status;
}

// Logs a text, once.
inline void report(const char* text) {
    const uint64_t place = reinterpret_cast<uintptr_t>(text);
    answer_of_python(report_text, &place, 0, 0);
}

// An argument as 64 bits, which Python reads back by the type in its row.
template <typename Type>
inline uint64_t word(const Type& value) {
    static_assert(sizeof(Type) <= sizeof(uint64_t), "structs by value are given by their address");
    uint64_t found = 0;
    memcpy(&found, &value, sizeof value);
    return found;
}

template <int size>
inline uint64_t word(const Bytes<size>& value) {
    return reinterpret_cast<uintptr_t>(&value);
}

}  // namespace

// Says that the driver is initialised.
CUDA_SHIM_EXPORT void cuda_shim_note_initialized() { __atomic_store_n(&driver_is_initialized, true, __ATOMIC_RELEASE); }

// Says that the program calls the runtime, which makes contexts current.
CUDA_SHIM_EXPORT void cuda_shim_note_runtime() { __atomic_store_n(&runtime_is_used, true, __ATOMIC_RELEASE); }

// Says whether the calling thread is known to have a context.
CUDA_SHIM_EXPORT void cuda_shim_note_context(int known) { thread_has_context = known != 0; }

// Says whether calls are counted from now on.
CUDA_SHIM_EXPORT void cuda_shim_count(int on) { __atomic_store_n(&is_counting, on != 0, __ATOMIC_RELAXED); }

// Gives the library the opened libamdhip64 and libhiprtc.
CUDA_SHIM_EXPORT void cuda_shim_open(void* hip, void* hiprtc) {
    __atomic_store_n(&hiprtc_library, hiprtc, __ATOMIC_RELEASE);
    __atomic_store_n(&hip_library, hip, __ATOMIC_RELEASE);
}
