// What the generated functions stand on: HIP's functions by number, and the way to Python.
//
// This file is included by the text that cuda_shim/c_level/source.py writes, after the names of HIP's functions.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CUDA_SHIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// A struct that is passed by value, of which only the size and the class of its registers matter here.
template <int size> struct Bytes {
  char bytes[size];
};

using cuuint32_t = uint32_t;
using cuuint64_t = uint64_t;

// What a translation gives for a constant that HIP lacks.
constexpr int no_constant = INT32_MIN;
// What a body of its own gives where Python is to decide; HIP's statuses are not negative.
constexpr int ask_python = -1;
// The number by which Python is told to open the backend.
constexpr uint32_t open_backend = UINT32_MAX;

using Python = uint64_t (*)(uint32_t function, const uint64_t *arguments);

Python python = nullptr;
void *hip_library = nullptr;
void *hiprtc_library = nullptr;
void *hip_pointers[number_of_hip_functions];

void *find_hip_function(int number) {
  Python opener = __atomic_load_n(&python, __ATOMIC_ACQUIRE);
  if (!__atomic_load_n(&hip_library, __ATOMIC_ACQUIRE)) {
    if (!opener || opener(open_backend, nullptr) != 0) return nullptr;
  }
  const char *name = hip_names[number];
  void *found = dlsym(strncmp(name, "hiprtc", 6) ? hip_library : hiprtc_library, name);
  __atomic_store_n(&hip_pointers[number], found, __ATOMIC_RELEASE);
  return found;
}

// The pointer of a HIP function, null where the backend has none of that name.
inline void *hip_function(int number) {
  void *found = __atomic_load_n(&hip_pointers[number], __ATOMIC_ACQUIRE);
  return __builtin_expect(found != nullptr, 1) ? found : find_hip_function(number);
}

template <typename... Types> inline int call_hip(int number, Types... arguments) {
  auto function = reinterpret_cast<int (*)(Types...)>(hip_function(number));
  return function ? function(arguments...) : ask_python;
}

// An argument as 64 bits, which Python reads back by the type in its row.
template <typename Type> inline uint64_t word(const Type &value) {
  static_assert(sizeof(Type) <= sizeof(uint64_t), "structs by value are given by their address");
  uint64_t found = 0;
  memcpy(&found, &value, sizeof value);
  return found;
}

template <int size> inline uint64_t word(const Bytes<size> &value) { return reinterpret_cast<uintptr_t>(&value); }

// The answer of the Python function with that number, or `gone` once the interpreter is ending.
inline uint64_t answer_of_python(uint32_t function, const uint64_t *arguments, uint64_t gone) {
  Python callable = __atomic_load_n(&python, __ATOMIC_ACQUIRE);
  return callable ? callable(function, arguments) : gone;
}

} // namespace

// Gives the library what calls Python; null takes it away, and whatever needs it fails from then on.
CUDA_SHIM_EXPORT void cuda_shim_begin(void *callable) {
  __atomic_store_n(&python, reinterpret_cast<Python>(callable), __ATOMIC_RELEASE);
}

// Gives the library the opened libamdhip64 and libhiprtc.
CUDA_SHIM_EXPORT void cuda_shim_open(void *hip, void *hiprtc) {
  __atomic_store_n(&hiprtc_library, hiprtc, __ATOMIC_RELEASE);
  __atomic_store_n(&hip_library, hip, __ATOMIC_RELEASE);
}
